// SPDX-License-Identifier: GPL-2.0-or-later
// What a result records about its origin: the program, the machine as it was actually configured, and the host.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "machines/lab/lab.hpp"

namespace planar {

/// "361f0ea..." of the source tree that this program was built from, with "+changes" appended if the tree had
/// uncommitted changes; "unknown" if it was not a Git tree.
std::string build_commit();

/// `{"version": ..., "commit": ...}`.
nlohmann::ordered_json program_provenance();

/// What was run: a digest of the resolved configuration (a file as `planar config` prints it, with its settings sorted
/// by name), the differences from the built-in machine (changed values, cards with their options, timing values set by
/// the user), the settings themselves, and every timing value of the cards.
nlohmann::ordered_json configuration_provenance(Lab& lab);

/// Name and value of each timing value in the profile of `card`.
nlohmann::ordered_json timing_values(const std::string& card);

/// The command line of this process. It belongs to the `host` part of a result, like everything that may differ between
/// two equal runs.
std::vector<std::string> host_command_line();

}  // namespace planar
