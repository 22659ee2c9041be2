// SPDX-License-Identifier: GPL-2.0-or-later
// The result of a flood run: combines the counts of the guest, the generator, the adapter and the wire; the table for
// people and the JSON object `planar.flood/1` (docs/results.md#planarflood1).
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "frontend/guest/guest_output.hpp"
#include "frontend/guest_benchmarks/benchmark_result.hpp"
#include "frontend/meters/flood_meter.hpp"

namespace planar {

/// One rate of a run.
struct FloodRow {
  std::uint32_t run = 0;   ///< from 1 on
  std::uint32_t rate = 0;  ///< requested frames/s
  double seconds = 0;      ///< for which frames were on the machine's medium (FloodSeen::last), or the duration
  // the generator's own counters
  std::uint64_t generated = 0, offered = 0, held_back = 0, given_up = 0;
  // the guest's
  std::uint64_t delivered = 0;                            ///< counted at the depth
  std::uint64_t backlog_dropped = 0, socket_dropped = 0;  ///< by the kernel
  /// Frames of an earlier run, which are counted nowhere else: in a receive ring without an end (an 82586's under
  /// Linux's eexpress.c) the adapter laps the driver, which then finds old frames.
  std::uint64_t of_earlier = 0;
  std::uint64_t interrupts = 0;     ///< of the adapter, including those of the requests
  bool forwarded = false;           ///< a router's: delivered is what it has sent on the other medium
  std::uint64_t passed_on = 0;      ///< by the router, into the other adapter's queue
  std::uint64_t queue_dropped = 0;  ///< found this queue full, or that of frames which wait for an address (ARP)
  std::uint64_t unresolved = 0;     ///< those of the latter; they do not count for the knee
  std::uint64_t counted = 0;        ///< by the station beyond it
  /// Given to the other adapter's driver, but never on the wire.
  std::int64_t sending_lost() const {
    return forwarded ? static_cast<std::int64_t>(passed_on) - static_cast<std::int64_t>(queue_dropped + delivered) : 0;
  }
  FloodSeen seen;

  /// Frames for the machine on its medium, and their rate.
  std::uint64_t on_wire() const { return seen.on_wire; }
  double offered_per_s() const { return static_cast<double>(on_wire()) / seconds; }
  /// Frames that a bridge between the generator and the machine's medium has not passed on.
  std::int64_t bridge_lost() const { return static_cast<std::int64_t>(offered) - static_cast<std::int64_t>(on_wire()); }
  /// The rate of the frames counted while frames were on the medium, or up to FloodMeter::grace later.
  double delivered_per_s() const { return static_cast<double>(seen.in_time) / seconds; }
  /// Frames that netif_rx() never saw: those that the adapter did not receive and those that its driver dropped. A few
  /// of those that the adapter did not receive may have been answers of the generator, which were then requested again.
  std::int64_t before_kernel() const;
  std::int64_t adapter_lost() const;
  /// Those that were lost because the chip's FIFO was too short. The others found no buffer: on the adapter, in its
  /// ring or in the host's.
  std::int64_t fifo_lost() const;
  std::int64_t driver_lost() const { return before_kernel() - adapter_lost(); }
  /// What does not add up, in words; empty if every frame is accounted for. `bridged`: the
  /// generator is on another medium.
  std::string discrepancy(bool bridged) const;
};

/// How the driver serves the adapter, for a heading: ", adapter served by polling"; empty: as Linux 2.2 does.
std::string served_by(const std::string& mode, const std::optional<unsigned>& timer_rate);

/// Tells the meter where the page is, if the line says so.
void note_page(const GuestLine& line, FloodMeter& meter);

/// The shares of the processor's time in a run, "cpu_percent" of a row.
nlohmann::ordered_json cpu_json(const FloodSeen& seen);

struct FloodResult : BenchmarkResult {
  std::string depth;                   ///< "driver", "hook", "stack", "process", "forward" (a router)
  std::string mode;                    ///< "interrupt", "delayed", "batch", "timer", "poll"
  std::optional<unsigned> timer_rate;  ///< of mode "timer", in Hz
  std::uint32_t frame_bytes = 64;
  unsigned burst = 1;
  std::optional<std::uint32_t> stalled_at;  ///< a rate after which the adapter received nothing more
  std::vector<FloodRow> rows;

  /// The highest rate up to which less than 1 % of the frames offered were not delivered in time.
  std::optional<double> knee() const;
  nlohmann::ordered_json json() const override;
  std::string table() const override;
};

/// The rows that both the guest's lines and the meter contain; a row that either lacks is left out.
std::vector<FloodRow> flood_rows(const GuestOutput& guest, const FloodMeter& meter, double seconds);

}  // namespace planar
