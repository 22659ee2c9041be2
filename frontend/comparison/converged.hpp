// SPDX-License-Identifier: GPL-2.0-or-later
// What tables say of runs that were made with --converge.
#pragma once

#include <string>
#include <vector>

#include "frontend/matrix/matrix.hpp"

namespace planar {

/// How many of the results come from runs that ended early, and after which time; empty where --converge was not given.
std::string converged_note(const std::vector<CellOutcome>& outcomes);

}  // namespace planar
