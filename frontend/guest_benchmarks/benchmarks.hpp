// SPDX-License-Identifier: GPL-2.0-or-later
// The network benchmarks that the guest runs. A new one needs a file with its verb and its row, named here and in
// benchmarks.cpp, its guest program (roms/guest/README.md) and, where required, its service of the peer
// (devices/stations/peer/services.cpp).
#pragma once

#include <span>
#include <string_view>

#include "frontend/matrix/benchmark.hpp"

namespace planar {

extern const Benchmark netio_benchmark, netio_receive_benchmark, netperf_benchmark, netperf_rr_benchmark,
    netperf_udp_benchmark, flood_benchmark, flood_stack_benchmark, flood_driver_benchmark, flood_hook_benchmark,
    flood_hook_delayed_benchmark, flood_hook_poll_benchmark, flood_driver_poll_benchmark, flood_batch_benchmark,
    flood_timer_benchmark, flood_poll_benchmark, flood_router_benchmark, flood_router_poll_benchmark,
    flood_send_benchmark, flood_send_delayed_benchmark, flood_send_process_benchmark;

/// All of them, the default first.
std::span<const Benchmark* const> benchmarks();
/// Throws Error for a name that no benchmark has.
const Benchmark& find_benchmark(std::string_view name);

}  // namespace planar
