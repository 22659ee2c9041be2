// SPDX-License-Identifier: GPL-2.0-or-later
// Runs that differ in seed and placement alone, as one result: means, and how far the runs lie from them.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "frontend/matrix/matrix.hpp"

namespace planar {

/// Of a sample of at least two values.
struct Spread {
  std::size_t count = 0;
  double mean = 0;
  double stddev = 0;  ///< of the sample (n - 1)
  double least = 0, most = 0;
  double ci95 = 0;  ///< the mean's 95 % confidence interval is mean +- this (Student's t)
};
Spread spread_of(const std::vector<double>& values);

/// planar.runs/1: the members of the results with means in place of numbers that differ, "spread" with an entry for
/// each of those under its JSON pointer, and in "results" what each run had. Members that differ and are no numbers are
/// left out. Needs at least two results of one kind.
nlohmann::ordered_json combine_runs(const std::vector<nlohmann::ordered_json>& results);

/// The spread of a figure at a size in such an object; nothing where fewer than two runs have it.
std::optional<Spread> figure_spread(const Benchmark& benchmark, const nlohmann::ordered_json& combined,
                                    std::uint32_t size);
/// "seeds 1 to 5, placements 0 to 4"
std::string runs_text(const nlohmann::ordered_json& combined);
/// Whether a result is of several runs.
/// How many of the runs of a result, one or several, were taken from the cache.
std::size_t runs_from_cache(const nlohmann::ordered_json& result);

bool is_combined(const nlohmann::ordered_json& result);

/// What several runs of a cell are: one seed after another and one placement of the guest after another, unless that is
/// fixed. A seed alone moves few figures: where code and data are in the caches moves them by several per cent
/// (docs/results.md#spread).
struct RunSeries {
  std::uint64_t first_seed = 1;
  std::optional<unsigned> placement = {};
  unsigned runs = 1;
};
/// Each cell as often as the series has runs. Throws Error for seeds above the largest.
std::vector<Cell> with_runs(const std::vector<Cell>& cells, const RunSeries& series);
/// One outcome for each `runs` outcomes that stand together: a planar.runs/1 object, or the first problem.
std::vector<CellOutcome> combine_outcomes(const std::vector<CellOutcome>& outcomes, unsigned runs);

}  // namespace planar
