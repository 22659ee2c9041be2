// SPDX-License-Identifier: GPL-2.0-or-later
// The result of a netio run: the table for people and the JSON object `planar.netio/1` (DESIGN section 8).
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "frontend/guest_output.hpp"

namespace planar {

/// "4K", and "32K" for netio's 32767.
std::string size_name(std::uint32_t packet_bytes);

struct NetioResult {
  std::string machine;
  std::string card;
  std::string net;
  bool repeatable = true;  ///< no host in the loop
  std::uint64_t seed = 1;
  std::string netio_version;
  std::string guest_image_sha256;
  std::vector<NetioRow> rows;
  double cpu_load_percent = 0;   ///< as the guest's tick accounting has it
  double true_busy_percent = 0;  ///< share of clocks not halted between `@netio start` and `@netio end`
  double virtual_seconds = 0;
  double host_seconds = 0;
  std::uint64_t instructions = 0;
  std::uint64_t cycles = 0;
  std::uint64_t frames_sent = 0;
  std::uint64_t frames_received = 0;
  std::uint64_t collisions = 0;
  std::uint64_t overruns = 0;
  std::string state_hash;

  nlohmann::ordered_json json() const;
  /// The table as netio users know it, load and counters below.
  std::string table() const;
};

}  // namespace planar
