// SPDX-License-Identifier: GPL-2.0-or-later
// `planar bench timing`: options and entry point.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace planar {

struct BenchTimingOptions {
  std::vector<std::string> machines;  ///< empty: all built-in machines
  std::optional<std::string> json;
  bool explain = false;  ///< print the terms of each expectation
  bool quiet = false;
};

/// Runs the kernels and prints measured and expected clocks; returns the exit code.
int bench_timing(const BenchTimingOptions& options);

}  // namespace planar
