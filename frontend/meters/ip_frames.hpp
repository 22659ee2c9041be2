// SPDX-License-Identifier: GPL-2.0-or-later
// The IP datagrams and TCP segments in frames on a wire, for its observers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "devices/medium/medium.hpp"

namespace planar {

/// The offset of the IP datagram in a frame of either medium; nothing if there is none.
std::optional<std::size_t> ip_datagram_at(const net::WireRecord& record);

struct TcpSegment {
  static constexpr unsigned fin = 0x01, syn = 0x02, rst = 0x04, ack = 0x10;

  std::uint32_t connection = 0;  ///< both ports, the sender's in the upper half
  std::uint32_t sequence = 0, acknowledgement = 0;
  std::uint32_t bytes = 0;  ///< of data
  std::uint16_t window = 0;
  std::uint8_t flags = 0;
};
/// Nothing if the frame holds no segment, or not its complete header.
std::optional<TcpSegment> tcp_segment_in(const net::WireRecord& record);

}  // namespace planar
