// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/guest_benchmarks/benchmarks.hpp"

#include <fmt/format.h>

#include "core/common/error.hpp"

namespace planar {
namespace {
const Benchmark* const table[] = {&netio_benchmark,
                                  &netio_receive_benchmark,
                                  &netperf_benchmark,
                                  &netperf_rr_benchmark,
                                  &netperf_udp_benchmark,
                                  &flood_benchmark,
                                  &flood_stack_benchmark,
                                  &flood_driver_benchmark,
                                  &flood_hook_benchmark,
                                  &flood_hook_delayed_benchmark,
                                  &flood_hook_poll_benchmark,
                                  &flood_driver_poll_benchmark,
                                  &flood_batch_benchmark,
                                  &flood_timer_benchmark,
                                  &flood_poll_benchmark,
                                  &flood_router_benchmark,
                                  &flood_router_poll_benchmark,
                                  &flood_send_benchmark,
                                  &flood_send_delayed_benchmark,
                                  &flood_send_process_benchmark};
}  // namespace

std::span<const Benchmark* const> benchmarks() { return table; }

const Benchmark& find_benchmark(std::string_view name) {
  std::string names;
  for (const Benchmark* benchmark : table) {
    if (benchmark->name == name) return *benchmark;
    names += fmt::format("{}{}", names.empty() ? "" : ", ", benchmark->name);
  }
  throw Error(fmt::format("'{}' is not a benchmark; there is {}", name, names));
}

}  // namespace planar
