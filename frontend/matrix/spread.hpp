// SPDX-License-Identifier: GPL-2.0-or-later
// Combines runs that differ only in seed and placement into one result: means, and how far the runs lie from them.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "frontend/matrix/matrix.hpp"

namespace planar {

/// The spread of a sample of at least two values.
struct Spread {
  std::size_t count = 0;
  double mean = 0;
  double stddev = 0;  ///< of the sample (n - 1)
  double least = 0, most = 0;
  double ci95 = 0;  ///< the mean's 95 % confidence interval is mean +- this (Student's t)
};
Spread spread_of(const std::vector<double>& values);

/// planar.runs/1: the members of the results with means in place of numbers that differ, an entry in "spread" for each
/// of those under its JSON pointer, and each run's own members in "results". Other members that differ are left out.
/// Needs at least two results of one kind.
nlohmann::ordered_json combine_runs(const std::vector<nlohmann::ordered_json>& results);

/// The spread of a figure at a size in such an object; nothing if fewer than two runs have it.
std::optional<Spread> figure_spread(const Benchmark& benchmark, const nlohmann::ordered_json& combined,
                                    std::uint32_t size);
/// "seeds 1 to 5, placements 0 to 4"
std::string runs_text(const nlohmann::ordered_json& combined);
/// How many of the runs of a result, one or several, were taken from the cache.
std::size_t runs_from_cache(const nlohmann::ordered_json& result);

/// Whether a result is of several runs.
bool is_combined(const nlohmann::ordered_json& result);
/// Benchmark::note of a result, or of the first of several runs that has one; empty if there is none.
std::string note_of(const Benchmark& benchmark, const nlohmann::ordered_json& result);

/// A series of runs of a cell: successive seeds and successive placements of the guest, unless the placement is fixed.
/// A seed alone changes few figures; where code and data are in the caches changes them by several per cent
/// (docs/results.md#spread).
struct RunSeries {
  std::uint64_t first_seed = 1;
  std::optional<unsigned> placement = {};
  unsigned runs = 1;
};
/// Each cell once per run of the series. Throws Error for seeds above the largest.
std::vector<Cell> with_runs(const std::vector<Cell>& cells, const RunSeries& series);
/// One outcome for each `runs` adjacent outcomes: a planar.runs/1 object, or the first problem.
std::vector<CellOutcome> combine_outcomes(const std::vector<CellOutcome>& outcomes, unsigned runs);

}  // namespace planar
