// SPDX-License-Identifier: GPL-2.0-or-later
// A run of a benchmark's own verb, whose result may be in the user's cache (frontend/result_store).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "frontend/guest_benchmarks/benchmark_result.hpp"
#include "frontend/guest_benchmarks/guest_run.hpp"
#include "frontend/result_store/run_cache.hpp"

namespace planar {

class CachedRun {
 public:
  /// For the command line that `options` were read from; `sizes` are those of its rows, `seconds` the duration of each.
  CachedRun(const GuestRunOptions& options, const Benchmark& benchmark, const std::vector<std::uint32_t>& sizes,
            double seconds);

  /// If the result is in the cache and the run is not to be repeated, writes the result as the options request and
  /// returns the exit code.
  std::optional<int> put();
  /// Stores the result of a run that was made. Throws Error (exit 4) if it differs from the cached one.
  void made(const BenchmarkResult& result);

 private:
  const OutputOptions& output_;
  std::optional<RunCache> cache_;
  std::optional<KeptRun> kept_;
  bool again_ = false;
};

}  // namespace planar
