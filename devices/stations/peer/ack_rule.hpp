// SPDX-License-Identifier: GPL-2.0-or-later
// How the servers of the published tables differ as receivers.
#pragma once

#include <cstdint>

namespace planar::net {

/// When a server acknowledges in-order data.
enum class AckRule : std::uint8_t {
  /// Linux 2.2: when twice the estimated segment size is outstanding; otherwise after a delay that follows the
  /// intervals.
  by_estimate,
  /// Windows: every second segment of any size; otherwise after 200 ms (Microsoft, article 328890: TcpAckFrequency of
  /// 2, TcpDelAckTicks of 2).
  every_second_segment,
};

}  // namespace planar::net
