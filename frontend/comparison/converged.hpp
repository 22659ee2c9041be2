// SPDX-License-Identifier: GPL-2.0-or-later
// The note in tables about runs made with --converge.
#pragma once

#include <string>
#include <vector>

#include "frontend/matrix/matrix.hpp"

namespace planar {

/// How many of the results come from runs that ended early, and after how long; empty without --converge.
std::string converged_note(const std::vector<CellOutcome>& outcomes);

}  // namespace planar
