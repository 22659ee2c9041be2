// SPDX-License-Identifier: GPL-2.0-or-later
// A benchmark's own command line, run several times with one seed after another (--runs).
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "frontend/benchmarks/benchmark.hpp"

namespace planar {

/// Runs the verb's command line once for each seed, each in a process of its own, and prints or writes the
/// planar.runs/1 object of them; returns the exit code. Throws Error for options of which several runs cannot share a
/// file, and for a run that failed.
int run_seeds(const Benchmark& benchmark, const CLI::App& verb, const std::string& machine, std::uint64_t first_seed,
              unsigned runs, const std::optional<std::string>& json, bool quiet);

}  // namespace planar
