// SPDX-License-Identifier: GPL-2.0-or-later
// The note in tables about runs taken from the cache of results.
#pragma once

#include <string>
#include <vector>

#include "frontend/matrix/matrix.hpp"

namespace planar {

/// How many runs, and which, came from the cache, and how many of them were repeated; empty if none came from there.
std::string cache_note(const std::vector<CellOutcome>& outcomes);

}  // namespace planar
