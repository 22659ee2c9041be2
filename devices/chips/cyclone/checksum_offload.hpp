// SPDX-License-Identifier: GPL-2.0-or-later
// The Internet checksums that the Cyclone computes: of IPv4 headers, and of TCP and UDP with their pseudo headers, in
// frames of Ethernet II.
//
// Frames that are no IPv4, have a bad length, or hold no TCP or UDP, and fragments, are none of its business.
#pragma once

#include <cstdint>
#include <span>

namespace planar::ethernet {

/// Bits of UpPktStatus for a received frame (without FCS): 29 to 31 say that the checksum of IP, TCP, UDP was checked,
/// 25 to 27 that it is wrong. 0 where nothing was checked. A UDP checksum of 0 means that there is none.
std::uint32_t checked_checksums(std::span<const std::uint8_t> frame);

/// Fills in the checksums that are asked for, over whatever stands in their place.
void insert_checksums(std::span<std::uint8_t> frame, bool ip, bool tcp, bool udp);

}  // namespace planar::ethernet
