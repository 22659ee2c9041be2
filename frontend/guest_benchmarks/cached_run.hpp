// SPDX-License-Identifier: GPL-2.0-or-later
// A benchmark's own command line, whose result may be in the user's cache (frontend/result_store).
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
  /// Of the command line that `options` were read from; `sizes` are those of its rows, `seconds` what each lasts.
  CachedRun(const GuestRunOptions& options, const Benchmark& benchmark, const std::vector<std::uint32_t>& sizes,
            double seconds);

  /// Writes the result as the options ask for it, if it is in the cache and the run is not to be made again: the exit
  /// code.
  std::optional<int> put();
  /// Keeps what the run has given. Throws Error (exit 4) if it is not equal to what the cache has.
  void made(const BenchmarkResult& result);

 private:
  const OutputOptions& output_;
  std::optional<RunCache> cache_;
  std::optional<KeptRun> kept_;
  bool again_ = false;
};

}  // namespace planar
