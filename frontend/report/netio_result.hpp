// SPDX-License-Identifier: GPL-2.0-or-later
// The result of a netio run: the table for people and the JSON object `planar.netio/1` (docs/results.md#planarnetio1).
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "frontend/report/frame_time.hpp"
#include "frontend/session/guest_output.hpp"
#include "machines/registry/adapter_registry.hpp"

namespace planar {

/// "4K", and "32K" for netio's 32767.
std::string size_name(std::uint32_t packet_bytes);

/// What a frame time's parts are, in a sentence for readers of a report.
inline constexpr const char* frame_parts_explained =
    "Where a data frame's time goes: bus wait = the processor stands still for a cycle of the channel, CPU copy and "
    "stack = it "
    "runs; wire = it is halted while something is on the wire, card = while the wire is silent until an adapter acts, "
    "idle = "
    "until another station does (its delayed ACK, or its backoff after collisions). Each moment counts once, in this "
    "order.";

/// "CPU copy" for a frame time's part "cpu_copy".
std::string frame_part_title(const std::string& name);

/// The machine at the other end of the wire, which ran netio's server (`--against`).
struct NetioServer {
  std::string machine;
  std::string card;
  bool hypothetical = false;
  double cpu_load_percent = 0;  ///< as its guest's tick accounting has it, while the connection lasted
  double true_busy_percent = 0;
  std::uint64_t received_kb = 0, sent_kb = 0;  ///< by its own count, of 1024 bytes
  std::uint64_t instructions = 0;
  std::uint64_t cycles = 0;
  NetCounters frames;
};

struct NetioResult {
  std::string machine;
  std::string card;
  bool hypothetical = false;  ///< the card's interface is planar's own declaration
  std::string net;
  bool repeatable = true;  ///< no host in the loop
  std::uint64_t seed = 1;
  std::string netio_version;
  std::string guest_image_sha256;
  std::vector<NetioRow> rows;
  std::vector<NetioRow> received_rows;  ///< from netio 1.16 on: the other direction, one for each of `rows`
  double cpu_load_percent = 0;          ///< as the guest's tick accounting has it
  double true_busy_percent = 0;         ///< share of clocks not halted between `@netio start` and `@netio end`
  std::optional<FrameTime> frame_time;  ///< of the row with the largest packets
  std::optional<ClockDomain> clock;     ///< the processor's, in which it is counted
  double virtual_seconds = 0;
  double host_seconds = 0;
  std::uint64_t instructions = 0;
  std::uint64_t cycles = 0;
  NetCounters frames;
  std::string state_hash;
  std::optional<NetioServer> against;

  nlohmann::ordered_json json() const;
  /// The table as netio users know it, load and counters below.
  std::string table() const;
};

}  // namespace planar
