// SPDX-License-Identifier: GPL-2.0-or-later
// Includes toml++ with an assertion that throws: the assertion fails on some malformed files (an operator where a
// table's name should begin), and a user's file must raise an error rather than abort the program. Texts are first
// passed through core/common/toml_text.hpp.
#pragma once

#include <stdexcept>

namespace planar {

/// Malformed TOML for which toml++ has no error message.
struct TomlDamage : std::runtime_error {
  TomlDamage() : std::runtime_error("is no TOML") {}
};

[[noreturn]] inline void toml_damage() { throw TomlDamage(); }

}  // namespace planar

#define TOML_ASSERT(expression) ((expression) ? void() : planar::toml_damage())
#include <toml++/toml.h>
