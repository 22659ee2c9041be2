// SPDX-License-Identifier: GPL-2.0-or-later
// Sanitizer builds run ten times slower: with PLANAR_SHORT set, tests make fewer or shorter runs of the same kind.
#pragma once

#include <cstdlib>

namespace planar::test {

inline bool short_runs() { return std::getenv("PLANAR_SHORT") != nullptr; }

}  // namespace planar::test
