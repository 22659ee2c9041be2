// SPDX-License-Identifier: GPL-2.0-or-later
// The IP datagrams and TCP segments in frames on a wire, for those who watch it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "devices/medium/medium.hpp"

namespace planar {

/// Where the IP datagram begins in a frame of either medium; nothing if it holds none.
std::optional<std::size_t> ip_datagram_at(const net::WireRecord& record);

struct TcpSegment {
  static constexpr unsigned fin = 0x01, syn = 0x02, rst = 0x04, ack = 0x10;

  std::uint32_t connection = 0;  ///< both ports, the sender's above
  std::uint32_t sequence = 0, acknowledgement = 0;
  std::uint32_t bytes = 0;  ///< of data
  std::uint16_t window = 0;
  std::uint8_t flags = 0;
};
/// Nothing if the frame holds none, or not its header as a whole.
std::optional<TcpSegment> tcp_segment_in(const net::WireRecord& record);

}  // namespace planar
