// SPDX-License-Identifier: GPL-2.0-or-later
#include "adf/nvram/cmos.hpp"

#include <algorithm>

#include "core/common/little_endian.hpp"
#include "core/state/crc16.hpp"

namespace planar::adf {
namespace {

constexpr std::size_t diskette_types = 0x10;  // high nibble drive A, low nibble drive B
constexpr std::size_t equipment = 0x14;
constexpr std::size_t base_memory = 0x15;      // KB, low byte first
constexpr std::size_t extended_memory = 0x17;  // the same
constexpr std::size_t planar_pos = 0x21;
constexpr std::size_t planar_pos2_default = 0x31;
constexpr std::size_t crc_first = 0x10;
constexpr std::size_t crc_end = 0x32;

// Equipment byte, as returned by INT 11h. Bits 5-4 stay 0: the display has its own firmware (EGA and later).
constexpr std::uint8_t equipment_diskette = 0x01;
constexpr std::uint8_t equipment_coprocessor = 0x02;
constexpr std::uint8_t equipment_mouse = 0x04;
constexpr std::uint8_t equipment_two_diskettes = 0x40;

void set_word(std::span<std::uint8_t, cmos_size> cmos, std::size_t at, std::uint32_t value) {
  store_little(&cmos[at], static_cast<std::uint16_t>(value));
}

}  // namespace

void write_cmos(std::span<std::uint8_t, cmos_size> cmos, const CmosConfig& config) {
  std::fill(cmos.begin() + crc_first, cmos.begin() + crc_end, std::uint8_t{0});
  const auto a = static_cast<std::uint8_t>(config.diskettes[0]);
  const auto b = static_cast<std::uint8_t>(config.diskettes[1]);
  cmos[diskette_types] = static_cast<std::uint8_t>(a << 4 | b);
  std::uint8_t bits = 0;
  if (a != 0 || b != 0) bits |= equipment_diskette;
  if (a != 0 && b != 0) bits |= equipment_two_diskettes;
  if (config.coprocessor) bits |= equipment_coprocessor;
  if (config.mouse) bits |= equipment_mouse;
  cmos[equipment] = bits;
  set_word(cmos, base_memory, config.base_kb);
  set_word(cmos, extended_memory, std::min<std::uint32_t>(config.extended_kb, 0xFFFF));
  std::copy(config.planar_pos.begin(), config.planar_pos.end(), cmos.begin() + planar_pos);
  cmos[planar_pos2_default] = config.planar_pos[0];
  const std::uint16_t crc = crc16(cmos.subspan(crc_first, crc_end - crc_first));
  cmos[crc_end] = static_cast<std::uint8_t>(crc >> 8);
  cmos[crc_end + 1] = static_cast<std::uint8_t>(crc);
}

bool cmos_valid(std::span<const std::uint8_t, cmos_size> cmos) {
  const std::uint16_t crc = crc16(cmos.subspan(crc_first, crc_end - crc_first));
  return cmos[crc_end] == crc >> 8 && cmos[crc_end + 1] == (crc & 0xFF);
}

CmosConfig read_cmos(std::span<const std::uint8_t, cmos_size> cmos) {
  CmosConfig config;
  config.diskettes = {static_cast<DisketteType>(cmos[diskette_types] >> 4),
                      static_cast<DisketteType>(cmos[diskette_types] & 15)};
  config.coprocessor = (cmos[equipment] & equipment_coprocessor) != 0;
  config.mouse = (cmos[equipment] & equipment_mouse) != 0;
  config.base_kb = load_little<std::uint16_t>(&cmos[base_memory]);
  config.extended_kb = load_little<std::uint16_t>(&cmos[extended_memory]);
  std::copy_n(cmos.begin() + planar_pos, config.planar_pos.size(), config.planar_pos.begin());
  return config;
}

}  // namespace planar::adf
