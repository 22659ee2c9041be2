// SPDX-License-Identifier: GPL-2.0-or-later
// toml++ as planar uses it. The library asserts what some damaged files do not keep (an operator where a table's name
// should begin); a user's file must not abort the program, so here that is an error like any other.
#pragma once

#include <stdexcept>

namespace planar {

/// Text that toml++ cannot digest and has no message for.
struct TomlDamage : std::runtime_error {
  TomlDamage() : std::runtime_error("is no TOML") {}
};

[[noreturn]] inline void toml_damage() { throw TomlDamage(); }

}  // namespace planar

#define TOML_ASSERT(expression) ((expression) ? void() : planar::toml_damage())
#include <toml++/toml.h>
