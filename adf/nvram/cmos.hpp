// SPDX-License-Identifier: GPL-2.0-or-later
// The configuration part of the 64 bytes of CMOS at ports 70h and 71h (docs/hardware/pos-and-adf.md#cmos-and-nvram,
// roms/README.md section 2): 10h to 31h and their CRC-16 at 32h (high byte) and 33h (low byte). Time, date, century and
// the status bytes 0Ah to 0Fh belong to the clock and to POST and are not touched.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace planar::adf {

inline constexpr std::size_t cmos_size = 64;

/// Diskette drive types of CMOS 10h.
enum class DisketteType : std::uint8_t {
  none = 0,
  kb360 = 1,
  mb1_2 = 2,
  kb720 = 3,
  mb1_44 = 4,
  mb2_88 = 6,
};

struct CmosConfig {
  std::array<DisketteType, 2> diskettes{DisketteType::mb1_44, DisketteType::none};
  bool coprocessor = false;
  bool mouse = true;
  std::uint16_t base_kb = 640;
  std::uint32_t extended_kb = 0;             // above 1 MB; stored in two bytes, larger values saturate at 65535
  std::array<std::uint8_t, 4> planar_pos{};  // planar POS 2 to 5: CMOS 21h to 24h, and POS 2 again at 31h
  bool operator==(const CmosConfig&) const = default;
};

/// Writes 10h to 33h.
void write_cmos(std::span<std::uint8_t, cmos_size> cmos, const CmosConfig& config);

/// True if the CRC over 10h to 31h matches the one at 32h and 33h.
bool cmos_valid(std::span<const std::uint8_t, cmos_size> cmos);

/// Decodes the configuration; the CRC is not checked here.
CmosConfig read_cmos(std::span<const std::uint8_t, cmos_size> cmos);

}  // namespace planar::adf
