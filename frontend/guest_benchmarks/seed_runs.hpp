// SPDX-License-Identifier: GPL-2.0-or-later
// Runs a benchmark's own command line several times, with successive seeds and placements (--runs).
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "frontend/matrix/benchmark.hpp"
#include "frontend/matrix/spread.hpp"
#include "frontend/result_store/cache_options.hpp"

namespace planar {

/// Throws Error, with both names and the reason, if an option whose file or port several runs cannot share is given
/// beside the option `several`.
void refuse_single(const CLI::App& verb, std::string_view several, std::string_view reason);

/// The verb of `benchmark` and its options as given to `verb`, without those that do not concern the run and those that
/// differ from run to run: --seed, --placement.
std::vector<std::string> given_words(const Benchmark& benchmark, const CLI::App& verb);

/// Runs the verb's command line once for each run of the series, each in a process of its own, and prints or writes
/// their planar.runs/1 object; returns the exit code. Throws Error for options whose file several runs cannot share,
/// and for a run that failed.
int run_seeds(const Benchmark& benchmark, const CLI::App& verb, const std::string& machine, const RunSeries& series,
              const std::optional<std::string>& json, bool quiet, const CacheOptions& cache);

}  // namespace planar
