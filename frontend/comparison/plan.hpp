// SPDX-License-Identifier: GPL-2.0-or-later
// A comparison as a list of independent commands, for an engine that runs them on many machines (docs/sweeps.md).
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "frontend/matrix/matrix.hpp"

namespace planar {

/// What a folder of finished runs is to hold, and what a report of it needs to know.
struct SweepPlan {
  std::vector<Cell> cells;  ///< each with its seed; those of one machine and card stand together
  std::vector<std::string> machines;
  unsigned runs = 1;      ///< of each machine and card
  MatrixOptions options;  ///< folder: of the finished runs

  /// A line per cell, those that take longest first: estimated_cost(), the file that the
  /// command writes, and the command for a shell; tabs between them. The command does nothing if the file holds its
  /// result already.
  std::string lines() const;
  /// planar.plan/1
  nlohmann::ordered_json json() const;
};

/// Keeps a plan as plan.json in the folder of the report. Throws Error.
void save_plan(const SweepPlan& plan, const std::filesystem::path& folder);
/// Throws Error naming the file and the remedy.
SweepPlan load_plan(const std::filesystem::path& folder);

}  // namespace planar
