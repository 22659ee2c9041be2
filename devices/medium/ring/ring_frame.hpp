// SPDX-License-Identifier: GPL-2.0-or-later
// Token Ring frames as bytes (IEEE 802.5 clause 3), from AC to FCS, without delimiters and frame status.
//
//   AC 1 | FC 1 | DA 6 | SA 6 | routing information 0 to 30 | data | FCS 4
//
// Addresses are in transmission order, most significant bit first ("non-canonical").
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "devices/medium/ethernet/ethernet_frame.hpp"
#include "devices/medium/medium.hpp"

namespace planar::net {

/// Access control: priority, token (0) or frame (1), monitor, reservation.
namespace ring_ac {
inline constexpr std::uint8_t priority = 0xE0, frame = 0x10, monitor = 0x08, reservation = 0x07;
}
/// Frame control: the two upper bits give the type.
namespace ring_fc {
inline constexpr std::uint8_t type = 0xC0, mac = 0x00, llc = 0x40;
}
/// FC of MAC frames: how a station treats them before parsing them.
namespace ring_mac_control {
inline constexpr std::uint8_t normal = 0, express = 1, beacon = 2, claim = 3, purge = 4, active_monitor = 5,
                              standby_monitor = 6;
}
/// Frame status, sent after the end delimiter: address recognised and frame copied, each twice.
namespace ring_fs {
inline constexpr std::uint8_t recognised = 0x88, copied = 0x44;
}

/// AC, FC, DA, SA.
inline constexpr std::size_t ring_header_bytes = 14;
/// Start delimiter before AC; end delimiter and frame status after the FCS.
inline constexpr std::size_t ring_start_bytes = 1, ring_end_bytes = 2;
/// Set in the first byte of SA: routing information follows.
inline constexpr std::uint8_t routing_indicator = 0x80;
/// Set in the first byte of DA: group address.
inline constexpr std::uint8_t ring_group = 0x80;
/// Ring broadcast of MAC frames: every station of this ring.
inline constexpr MacAddress ring_broadcast{0xC0, 0x00, 0xFF, 0xFF, 0xFF, 0xFF};

/// Bytes of routing information after SA, 0 if there is none; not checked against the frame's length.
inline std::size_t routing_bytes(std::span<const std::uint8_t> frame) {
  return frame.size() > ring_header_bytes && (frame[8] & routing_indicator) ? frame[ring_header_bytes] & 0x1F : 0;
}
/// Puts the check sequence, which covers FC to the end of the data, into the last four bytes.
void set_ring_fcs(std::span<std::uint8_t> frame);
/// Reverses the bits of a byte: Ethernet's order to the ring's and back.
constexpr std::uint8_t reversed(std::uint8_t byte) {
  unsigned r = 0;
  for (unsigned bit = 0; bit < 8; ++bit) r |= (byte >> bit & 1u) << (7 - bit);
  return static_cast<std::uint8_t>(r);
}
inline MacAddress reversed(MacAddress address) {
  for (std::uint8_t& byte : address) byte = reversed(byte);
  return address;
}
inline bool is_mac_frame(std::span<const std::uint8_t> frame) {
  return frame.size() > 1 && (frame[1] & ring_fc::type) == ring_fc::mac;
}

}  // namespace planar::net
