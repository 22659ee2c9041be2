// SPDX-License-Identifier: GPL-2.0-or-later
// Published rows beside ours and their scores, for people and for programs
// (docs/results/comparisons.md#planarpublished1).
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "frontend/published/score.hpp"

namespace planar {

/// What is asked of a machine's rows; `planar published` fails (exit 1) when one is missed.
struct Demand {
  const char* machine;
  double mape, rank, prediction_mape;  ///< percent, -, percent
  std::optional<double> load_error;    ///< points
};
inline constexpr Demand published_demands[] = {{"model56sx", 5, 0.85, 6, {}},
                                               {"model95", 4, 0.85, 5, 3.0},
                                               {"model9595", 4, 0.9, 4, {}},
                                               {"att3325", 8, 0.9, 8, {}}};
/// Demands that are missed, in words. What was not run misses none.
std::vector<std::string> missed_demands(const std::vector<ScoredRow>& rows);

/// The tables, a block per source and section, then the scores of `machines`.
std::string published_text(const std::vector<ScoredRow>& rows, const std::vector<std::string>& machines);
/// planar.published/1 without `missed`.
nlohmann::ordered_json published_json(const std::vector<ScoredRow>& rows, const std::vector<std::string>& machines);

}  // namespace planar
