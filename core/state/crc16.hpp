// SPDX-License-Identifier: GPL-2.0-or-later
// CRC-16 with polynomial 1021h, initial value FFFFh, most significant bit first: protects CMOS 10h-31h and the NVRAM
// records (roms/README.md section 2).
#pragma once

#include <cstdint>
#include <span>

namespace planar {

constexpr std::uint16_t crc16(std::span<const std::uint8_t> data) {
  std::uint16_t crc = 0xFFFF;
  for (const std::uint8_t byte : data) {
    crc = static_cast<std::uint16_t>(crc ^ (byte << 8));
    for (int bit = 0; bit < 8; ++bit) crc = static_cast<std::uint16_t>(crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1);
  }
  return crc;
}

}  // namespace planar
