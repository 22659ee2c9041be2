// SPDX-License-Identifier: GPL-2.0-or-later
// The Internet checksums that the Cyclone computes: of IPv4 headers, and of TCP and UDP with their pseudo headers, in
// frames of Ethernet II.
//
// Frames that are not IPv4 or have a bad length are left alone; of fragments and other protocols, only the header is
// summed (illumos elxl.c and NetBSD elinkxl.c have the card fill in the header of every packet).
#pragma once

#include <cstdint>
#include <span>

namespace planar::ethernet {

/// Bits of UpPktStatus for a received frame (without FCS): 29 to 31: the checksum of IP, TCP, UDP was verified; 25 to
/// 27: it is wrong. 0 if nothing was verified. A UDP checksum of 0 means that there is none.
std::uint32_t checked_checksums(std::span<const std::uint8_t> frame);

/// Fills in the requested checksums, overwriting what is in their place.
void insert_checksums(std::span<std::uint8_t> frame, bool ip, bool tcp, bool udp);

}  // namespace planar::ethernet
