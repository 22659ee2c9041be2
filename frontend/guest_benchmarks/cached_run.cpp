// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/guest_benchmarks/cached_run.hpp"

#include <fmt/format.h>

#include "frontend/guest_benchmarks/seed_runs.hpp"
#include "frontend/output/output.hpp"

namespace planar {

CachedRun::CachedRun(const GuestRunOptions& options, const Benchmark& benchmark,
                     const std::vector<std::uint32_t>& sizes, double seconds)
    : output_(options.output) {
  options.cache.validate();
  if (options.cache.off) return;
  RunIdentity identity{.program_sha256 = {},
                       .arguments = given_words(benchmark, *options.verb),
                       .machine_sha256 = {},
                       .machine = {},
                       .card = {},
                       .seed = options.machine.seed.value_or(1),
                       .row_key = std::string(benchmark.row_key),
                       .sizes = sizes,
                       .seconds = seconds * static_cast<double>(sizes.size())};
  identity.arguments.insert(identity.arguments.end(), {"--seed", std::to_string(identity.seed), "--placement",
                                                       std::to_string(options.placement.value_or(0))});
  cache_.emplace(false, output_.quiet);
  kept_ = cache_->take(0, std::move(identity));
  if (kept_ && kept_->table.empty()) kept_.reset();
  again_ = kept_ && !cache_->runs_to_check(options.cache.check, [](std::size_t) { return 0; }).empty();
}

std::optional<int> CachedRun::put() {
  if (!kept_ || again_) return std::nullopt;
  auto result = *kept_->result;
  result["host"]["from_cache"] = true;
  if (output_.json != "-") fmt::print("{}taken from the cache of results (--no-cache makes the run)\n", kept_->table);
  if (output_.json) write_json(*output_.json, result);
  cache_->finish();
  return 0;
}

void CachedRun::made(const BenchmarkResult& result) {
  if (!cache_ || result.interrupted) return;
  const bool equal = again_ && cache_->check(0, result.pairing(), result.json(), {});
  if (!again_) cache_->keep(0, result.json(), result.table());
  cache_->finish();
  if (equal && output_.json != "-")
    fmt::print("made again and equal to the result in the cache (--no-cache leaves the cache alone)\n");
}

}  // namespace planar
