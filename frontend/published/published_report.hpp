// SPDX-License-Identifier: GPL-2.0-or-later
// Published rows, planar's figures for them, and the scores, for people and for programs
// (docs/results/comparisons.md#planarpublished2).
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "frontend/published/score.hpp"

namespace planar {

/// The tables, one block per source and section, then the scores of `machines`.
std::string published_text(const std::vector<ScoredRow>& rows, const std::vector<std::string>& machines);
/// Over which sizes the averages of the rows that were run are, a line for each source, and whether some rows lack one.
std::string averages_text(const std::vector<ScoredRow>& rows);
/// planar.published/2 without `missed`.
nlohmann::ordered_json published_json(const std::vector<ScoredRow>& rows, const std::vector<std::string>& machines);

}  // namespace planar
