// SPDX-License-Identifier: GPL-2.0-or-later
// Translation between Ethernet frames and Token Ring frames (translational bridging; RFC 1042, IEEE 802.1H,
// docs/hardware/token-ring.md#translation).
//
//   addresses        each byte's bits reversed; IP multicast 01:00:5E:... becomes the functional address
//                    C0:00:00:04:00:00
//   type >= 600h     SNAP with OUI 00-00-00, or 00-00-F8 for AppleTalk's ARP and IPX
//   ARP              hardware type 6 instead of 1, embedded addresses in the ring's bit order
//   type 80D5h       the 802.2 frame after its length and a byte of padding (SNA on Ethernet)
//   type 8870h       an 802.2 frame too long for a length field (large frames, draft-ietf-isis-ext-eth)
//   length           the 802.2 frame, padding removed
#pragma once

#include <optional>
#include <vector>

#include "devices/medium/ring/ring_frame.hpp"

namespace planar::net {

/// LLC and SNAP headers before a packet.
inline constexpr std::size_t snap_bytes = 8;

/// The frame from AC (10h) and FC (40h) to the end of the data, without routing information and FCS. `frame` is in
/// Ethernet form, 14 bytes or more.
std::vector<std::uint8_t> to_ring(std::span<const std::uint8_t> frame);

/// The frame in Ethernet form, without FCS and padding. `frame` is an LLC frame without FCS; its routing information is
/// dropped. Empty if `frame` is too short for its headers.
std::optional<std::vector<std::uint8_t>> to_ethernet(std::span<const std::uint8_t> frame);

}  // namespace planar::net
