// SPDX-License-Identifier: GPL-2.0-or-later
// What a result says of where it comes from: the program, the machine as it was really configured, and the host.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "machines/lab/lab.hpp"

namespace planar {

/// "361f0ea..." of the source tree that this program was built from, with "+changes" appended if the tree held
/// uncommitted ones; "unknown" where it is no Git tree.
std::string build_commit();

/// `{"version": ..., "commit": ...}`.
nlohmann::ordered_json program_provenance();

/// What was run: a digest of the resolved configuration (`planar config` prints such a file; its settings in the order
/// of their names), what in it is not the built-in machine's (changed values, cards with their options, timing values
/// set by the user), the settings themselves, and every timing value of the cards.
nlohmann::ordered_json configuration_provenance(Lab& lab);

/// Name and value of each timing value in the profile of `card`.
nlohmann::ordered_json timing_values(const std::string& card);

/// How this process was called. The host's, like everything of a result that may differ between two equal runs.
std::vector<std::string> host_command_line();

}  // namespace planar
