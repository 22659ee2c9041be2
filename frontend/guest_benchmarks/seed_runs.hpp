// SPDX-License-Identifier: GPL-2.0-or-later
// A benchmark's own command line, run several times with one seed and one placement after another (--runs).
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "frontend/matrix/benchmark.hpp"
#include "frontend/matrix/spread.hpp"
#include "frontend/result_store/cache_options.hpp"

namespace planar {

/// The verb of `benchmark` and its options as they were given to `verb`, without those that are no matter of the run,
/// or that each run of several has of its own: --seed, --placement.
std::vector<std::string> given_words(const Benchmark& benchmark, const CLI::App& verb);

/// Runs the verb's command line once for each run of the series, each in a process of its own, and prints or writes the
/// planar.runs/1 object of them; returns the exit code. Throws Error for options of which several runs cannot share a
/// file, and for a run that failed.
int run_seeds(const Benchmark& benchmark, const CLI::App& verb, const std::string& machine, const RunSeries& series,
              const std::optional<std::string>& json, bool quiet, const CacheOptions& cache);

}  // namespace planar
