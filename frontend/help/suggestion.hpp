// SPDX-License-Identifier: GPL-2.0-or-later
// What a command line that is not understood was probably meant to be.
#pragma once

#include <string>
#include <vector>

#include "frontend/help/command_table.hpp"

namespace planar {

/// "there is no verb 'nettio'; did you mean 'netio'?", or the same of the first option in `words` (the arguments) that
/// its verb does not have; empty if neither is the problem. `hidden`: verbs and options that the table leaves out.
std::string suggestion(const CommandRow& program, const std::vector<std::string>& words,
                       const std::vector<std::string>& hidden);

/// What argument `word`, one more than `command` takes, was probably meant to be: a machine, or a file that an option
/// takes; empty if nothing is known of it.
std::string about_argument(const CommandRow& command, const std::string& word);

}  // namespace planar
