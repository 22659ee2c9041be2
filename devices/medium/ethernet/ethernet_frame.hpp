// SPDX-License-Identifier: GPL-2.0-or-later
// Ethernet frames as bytes: addresses and the frame check sequence (IEEE 802.3 clause 3).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/common/crc32.hpp"

namespace planar::net {

using MacAddress = std::array<std::uint8_t, 6>;

inline constexpr MacAddress broadcast_mac{0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF};
inline constexpr std::size_t fcs_bytes = 4;
/// Shortest legal frame, FCS included: one slot time.
inline constexpr std::size_t min_frame_bytes = 64;
/// Longest legal untagged frame, FCS included.
inline constexpr std::size_t max_frame_bytes = 1518;

using planar::crc32;

/// The CRC register after an address, most significant bit first and not complemented: the form whose top six bits are
/// the 8390 family's multicast hash.
std::uint32_t crc32_remainder(std::span<const std::uint8_t> data);

/// Appends the four FCS bytes, least significant first.
void append_fcs(std::vector<std::uint8_t>& frame);

/// True if `frame` ends in the right FCS.
bool fcs_good(std::span<const std::uint8_t> frame);

/// "00:00:d8:01:02:03". Throws Error with `text` and the expected form.
MacAddress parse_mac(std::string_view text);
std::string format_mac(const MacAddress& mac);

}  // namespace planar::net
