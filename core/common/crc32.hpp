// SPDX-License-Identifier: GPL-2.0-or-later
// CRC-32 as IEEE 802.3 has it: Ethernet's frame check sequence, and the check sums of planar's own files.
#pragma once

#include <cstdint>
#include <span>

namespace planar {

/// Over `data`, as transmitted (the complement of the remainder). Continue a sum by passing the previous result as
/// `crc`.
std::uint32_t crc32(std::span<const std::uint8_t> data, std::uint32_t crc = 0);

}  // namespace planar
