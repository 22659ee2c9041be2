// SPDX-License-Identifier: GPL-2.0-or-later
// Waits for a retransmission that lower what netperf measures (docs/hardware/netperf-stalls.md).
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace planar {

struct NetperfStalls {
  std::uint64_t retransmitted = 0;  ///< round trips: segments with data that the station sent again
  double late_s = 0;                ///< streams: the most by which a test exceeded its length

  /// Nothing if there were none.
  std::optional<nlohmann::ordered_json> json() const;
};

/// What a result's member "stalls" says, as a sentence; empty if it has none.
std::string stalls_text(const nlohmann::ordered_json& result);

}  // namespace planar
