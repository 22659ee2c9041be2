// SPDX-License-Identifier: GPL-2.0-or-later
// `planar flood --send`: sends frames as fast as driver and adapter accept them, from inside the kernel and from a
// process; the result `planar.flood-send/1` (docs/results.md#planarflood-send1).
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "frontend/guest_benchmarks/benchmark_result.hpp"
#include "frontend/guest_benchmarks/guest_run.hpp"
#include "frontend/meters/flood_meter.hpp"

namespace planar {

struct FloodSendRow {
  std::uint32_t run = 0;
  std::string from;  ///< "kernel", "process"
  double seconds = 0;
  std::uint64_t given = 0;       ///< accepted by the driver or the socket
  std::uint64_t refused = 0;     ///< times the driver had no room after all
  std::uint64_t counted = 0;     ///< by the station
  std::uint64_t interrupts = 0;  ///< of the adapter
  FloodSeen seen;

  double sent_per_s() const { return static_cast<double>(seen.in_time) / seconds; }
  /// What does not add up, in words; empty if every frame is accounted for.
  std::string discrepancy(bool bridged) const;
};

struct FloodSendResult : BenchmarkResult {
  std::uint32_t frame_bytes = 64;
  std::string mode;
  std::optional<unsigned> timer_rate;  ///< of mode "timer", in Hz
  std::vector<FloodSendRow> rows;

  nlohmann::ordered_json json() const override;
  std::string table() const override;
};

/// The frames of a run that the stations of the lab have counted (devices/stations/peer/counter.hpp).
std::uint64_t counted_by_stations(Lab& lab, std::uint32_t run);

struct FloodSendOptions {
  std::string from, seconds, mode;
  unsigned frame, timer_rate;
};
int run_flood_send(const GuestRunOptions& options, const FloodSendOptions& send);

}  // namespace planar
