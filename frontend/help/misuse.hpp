// SPDX-License-Identifier: GPL-2.0-or-later
// Explains what is wrong with a command line whose words are all known, in planar's terms rather than the library's.
#pragma once

#include <string>

#include "frontend/help/command_table.hpp"

namespace CLI {
class ParseError;
}

namespace planar {

/// What the library has found wrong in the command `name` ("planar netio") of `program`, and what could be written
/// instead.
std::string explained(const CommandRow& program, const CLI::ParseError& error, const std::string& name);

}  // namespace planar
