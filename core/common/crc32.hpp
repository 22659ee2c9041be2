// SPDX-License-Identifier: GPL-2.0-or-later
// The CRC-32 of IEEE 802.3: Ethernet's frame check sequence, and the checksums of planar's own files.
#pragma once

#include <cstdint>
#include <span>

namespace planar {

/// The CRC of `data`, as transmitted (the complement of the remainder). To continue a CRC, pass the previous result as
/// `crc`.
std::uint32_t crc32(std::span<const std::uint8_t> data, std::uint32_t crc = 0);

}  // namespace planar
