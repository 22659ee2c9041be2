// SPDX-License-Identifier: GPL-2.0-or-later
// A comparison as a list of independent commands, for a scheduler that runs them on many machines (docs/sweeps.md).
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "frontend/matrix/matrix.hpp"

namespace planar {

/// The runs that a folder is to hold, and what a report on them needs to know.
struct SweepPlan {
  std::vector<Cell> cells;  ///< each with its seed; those of one machine and card are adjacent
  std::vector<std::string> machines;
  unsigned runs = 1;      ///< per machine and card
  MatrixOptions options;  ///< folder: of the finished runs

  /// One line per cell, longest run first: estimated_cost(), the file that the command writes, and the shell command,
  /// separated by tabs. The command does nothing if the file already holds its result.
  std::string lines() const;
  /// planar.plan/1
  nlohmann::ordered_json json() const;
};

/// Saves a plan as plan.json in the report's folder. Throws Error.
void save_plan(const SweepPlan& plan, const std::filesystem::path& folder);
/// Throws Error naming the file and the remedy.
SweepPlan load_plan(const std::filesystem::path& folder);

}  // namespace planar
