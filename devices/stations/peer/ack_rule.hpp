// SPDX-License-Identifier: GPL-2.0-or-later
// What tells the servers of the published tables from one another as receivers.
#pragma once

#include <cstdint>

namespace planar::net {

/// When a server acknowledges data that arrived in order.
enum class AckRule : std::uint8_t {
  /// Linux 2.2: when twice the estimated segment size is outstanding; else after a delay that follows the intervals.
  by_estimate,
  /// Windows: every second segment, whatever its size; else after 200 ms (Microsoft, article 328890: TcpAckFrequency
  /// of 2, TcpDelAckTicks of 2).
  every_second_segment,
};

}  // namespace planar::net
