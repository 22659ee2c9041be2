// SPDX-License-Identifier: GPL-2.0-or-later
// What was probably meant by a command line that is not understood.
#pragma once

#include <string>
#include <vector>

#include "frontend/help/command_table.hpp"

namespace planar {

/// "`planar` has no verb 'nettio'; did you mean 'netio'?", or the same for the first option in `words` (the arguments)
/// that its verb does not have; empty if neither is the problem. `hidden`: verbs and options that the table leaves out.
std::string suggestion(const CommandRow& program, const std::vector<std::string>& words,
                       const std::vector<std::string>& hidden);

/// What was probably meant by `word`, one argument more than `command` takes: a machine, or a file that an option
/// takes; empty if unknown.
std::string about_argument(const CommandRow& command, const std::string& word);

}  // namespace planar
