// SPDX-License-Identifier: GPL-2.0-or-later
// Manual pages in man's own macros.
#pragma once

#include <string>

#include "frontend/help/command_table.hpp"

namespace planar {

/// planar(1): the program, its verbs by name, the options that verbs share.
std::string man_page(const CommandRow& program, const std::string& version);
/// planar-VERB(1): a verb and its own verbs with all their options.
std::string man_page(const CommandRow& program, const CommandRow& verb, const std::string& version);

}  // namespace planar
