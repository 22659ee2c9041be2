// SPDX-License-Identifier: GPL-2.0-or-later
// VGA: CPU access to the four planes, and the text screen.
#include <algorithm>

#include "core/common/little_endian.hpp"
#include "devices/board/at/video/vga.hpp"
#include "devices/board/at/video/vga_registers.hpp"

namespace planar {

namespace {
using namespace vga_registers;

constexpr unsigned most_columns = 256, most_rows = 128;

/// Code page 437: 00h-1Fh, 7Fh, and 80h-FFh.
constexpr char16_t low_glyphs[32] = {u' ',   0x263A, 0x263B, 0x2665, 0x2666, 0x2663, 0x2660, 0x2022,
                                     0x25D8, 0x25CB, 0x25D9, 0x2642, 0x2640, 0x266A, 0x266B, 0x263C,
                                     0x25BA, 0x25C4, 0x2195, 0x203C, 0x00B6, 0x00A7, 0x25AC, 0x21A8,
                                     0x2191, 0x2193, 0x2192, 0x2190, 0x221F, 0x2194, 0x25B2, 0x25BC};
constexpr char16_t high_glyphs[128] = {
    0x00C7, 0x00FC, 0x00E9, 0x00E2, 0x00E4, 0x00E0, 0x00E5, 0x00E7, 0x00EA, 0x00EB, 0x00E8, 0x00EF, 0x00EE,
    0x00EC, 0x00C4, 0x00C5, 0x00C9, 0x00E6, 0x00C6, 0x00F4, 0x00F6, 0x00F2, 0x00FB, 0x00F9, 0x00FF, 0x00D6,
    0x00DC, 0x00A2, 0x00A3, 0x00A5, 0x20A7, 0x0192, 0x00E1, 0x00ED, 0x00F3, 0x00FA, 0x00F1, 0x00D1, 0x00AA,
    0x00BA, 0x00BF, 0x2310, 0x00AC, 0x00BD, 0x00BC, 0x00A1, 0x00AB, 0x00BB, 0x2591, 0x2592, 0x2593, 0x2502,
    0x2524, 0x2561, 0x2562, 0x2556, 0x2555, 0x2563, 0x2551, 0x2557, 0x255D, 0x255C, 0x255B, 0x2510, 0x2514,
    0x2534, 0x252C, 0x251C, 0x2500, 0x253C, 0x255E, 0x255F, 0x255A, 0x2554, 0x2569, 0x2566, 0x2560, 0x2550,
    0x256C, 0x2567, 0x2568, 0x2564, 0x2565, 0x2559, 0x2558, 0x2552, 0x2553, 0x256B, 0x256A, 0x2518, 0x250C,
    0x2588, 0x2584, 0x258C, 0x2590, 0x2580, 0x03B1, 0x00DF, 0x0393, 0x03C0, 0x03A3, 0x03C3, 0x00B5, 0x03C4,
    0x03A6, 0x0398, 0x03A9, 0x03B4, 0x221E, 0x03C6, 0x03B5, 0x2229, 0x2261, 0x00B1, 0x2265, 0x2264, 0x2320,
    0x2321, 0x00F7, 0x2248, 0x00B0, 0x2219, 0x00B7, 0x221A, 0x207F, 0x00B2, 0x25A0, 0x00A0};

void append_utf8(std::string& out, std::uint8_t code) {
  const char16_t c = code < 0x20    ? low_glyphs[code]
                     : code == 0x7F ? char16_t{0x2302}
                     : code < 0x80  ? code
                                    : high_glyphs[code - 0x80];
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += static_cast<char>(0xC0 | c >> 6);
    out += static_cast<char>(0x80 | (c & 0x3F));
  } else {
    out += static_cast<char>(0xE0 | c >> 12);
    out += static_cast<char>(0x80 | (c >> 6 & 0x3F));
    out += static_cast<char>(0x80 | (c & 0x3F));
  }
}

constexpr bool blank(std::uint8_t code) { return code == 0 || code == ' ' || code == 0xFF; }
}  // namespace

// --- Address decode ---

std::int32_t Vga::window(std::uint32_t offset) const {
  if (!awake() || !(misc_ & 2)) return -1;
  switch (graphics_[miscellaneous] >> 2 & 3) {
    case 0: return static_cast<std::int32_t>(offset);
    case 1: return offset < 0x10000 ? static_cast<std::int32_t>(offset) : -1;
    case 2: return offset >= 0x10000 && offset < 0x18000 ? static_cast<std::int32_t>(offset - 0x10000) : -1;
    default: return offset >= 0x18000 ? static_cast<std::int32_t>(offset - 0x18000) : -1;
  }
}

/// Which byte of which planes: all four at the same address; by address bit 0 in odd/even mode, as in text modes; by
/// bits 1-0 in chain 4.
Vga::Cell Vga::decode(std::uint32_t address, bool reading) const {
  if (sequencer_[memory_mode] & 8)  // address bits 15 and 14 replace the lowest two
    return {(address & plane_mask & ~3u) | (address >> 14 & 3), static_cast<std::uint8_t>(1u << (address & 3))};
  const bool odd_even = reading ? graphics_[graphics_mode] & 0x10 : !(sequencer_[memory_mode] & 4);
  std::uint32_t cell = address & plane_mask;
  if (graphics_[miscellaneous] & 2) {
    // Address bit 0 selects the plane; it is replaced by bit 16 in a 128 KB window, otherwise by the page bit, where 1
    // means even.
    const unsigned page = misc_ & 0x20 ? 0 : 1;
    cell = (cell & ~1u) | ((graphics_[miscellaneous] & 0x0C) == 0 ? address >> 16 & 1 : page);
  }
  if (!odd_even) return {cell, 0x0F};
  return {cell, static_cast<std::uint8_t>(address & 1 ? 0x0A : 0x05)};
}

// --- Reads ---

std::uint8_t Vga::plane_value(std::uint32_t address, const Cell& cell, const std::array<std::uint8_t, 4>& data) const {
  if (graphics_[graphics_mode] & 8) {  // read mode 1: ones where the pixel has the compare colour
    std::uint8_t differs = 0;
    for (unsigned p = 0; p < 4; ++p) {
      if (!(graphics_[colour_dont_care] >> p & 1)) continue;
      differs |= static_cast<std::uint8_t>(data[p] ^ (graphics_[colour_compare] >> p & 1 ? 0xFF : 0x00));
    }
    return static_cast<std::uint8_t>(~differs);
  }
  if (sequencer_[memory_mode] & 8) return data[address & 3];
  unsigned plane = graphics_[read_map] & 3;
  if (cell.planes != 0x0F) plane = (plane & 2) | (address & 1);
  return data[plane];
}

std::uint8_t Vga::peek_memory(std::uint32_t offset) const {
  const std::int32_t address = window(offset);
  if (address < 0) return 0xFF;
  const Cell cell = decode(static_cast<std::uint32_t>(address), true);
  std::array<std::uint8_t, 4> data;
  for (unsigned p = 0; p < 4; ++p) data[p] = planes_[p][cell.address];
  return plane_value(static_cast<std::uint32_t>(address), cell, data);
}

std::uint8_t Vga::read_memory(std::uint32_t offset) {
  const std::int32_t address = window(offset);
  if (address < 0) return 0xFF;
  const Cell cell = decode(static_cast<std::uint32_t>(address), true);
  for (unsigned p = 0; p < 4; ++p) latches_[p] = planes_[p][cell.address];
  return plane_value(static_cast<std::uint32_t>(address), cell, latches_);
}

// --- Writes ---

/// Applies the logical function with the latch, then the bit mask.
std::uint8_t Vga::combine(std::uint8_t value, std::uint8_t latch, std::uint8_t mask) const {
  switch (graphics_[data_rotate] >> 3 & 3) {
    case 1: value &= latch; break;
    case 2: value |= latch; break;
    case 3: value ^= latch; break;
    default: break;
  }
  return static_cast<std::uint8_t>((value & mask) | (latch & ~mask));
}

void Vga::write_memory(std::uint32_t offset, std::uint8_t value) {
  const std::int32_t address = window(offset);
  if (address < 0) return;
  const Cell cell = decode(static_cast<std::uint32_t>(address), false);
  const unsigned write_mode = graphics_[graphics_mode] & 3;
  const unsigned rotate = graphics_[data_rotate] & 7;
  const auto rotated = static_cast<std::uint8_t>(value >> rotate | value << (8 - rotate));
  for (unsigned p = 0; p < 4; ++p) {
    if (!(cell.planes & sequencer_[map_mask] & 1u << p)) continue;
    const std::uint8_t latch = latches_[p];
    const std::uint8_t fill = graphics_[set_reset] >> p & 1 ? 0xFF : 0x00;
    std::uint8_t result;
    switch (write_mode) {
      case 0:
        result = combine(graphics_[set_reset_enable] >> p & 1 ? fill : rotated, latch, graphics_[bit_mask]);
        break;
      case 1: result = latch; break;
      case 2: result = combine(value >> p & 1 ? 0xFF : 0x00, latch, graphics_[bit_mask]); break;
      default: result = combine(fill, latch, graphics_[bit_mask] & rotated); break;
    }
    planes_[p][cell.address] = result;
  }
}

std::uint32_t Vga::Memory::read(std::uint32_t offset, unsigned bytes, Time) {
  return join_little(bytes, [&](unsigned i) { return vga_.read_memory(offset + i); });
}

std::uint32_t Vga::Memory::peek(std::uint32_t offset, unsigned bytes, Time) const {
  return join_little(bytes, [&](unsigned i) { return vga_.peek_memory(offset + i); });
}

void Vga::Memory::write(std::uint32_t offset, unsigned bytes, std::uint32_t value, Time) {
  for (unsigned i = 0; i < bytes; ++i) vga_.write_memory(offset + i, static_cast<std::uint8_t>(value >> (8 * i)));
}

// --- The text screen ---

bool Vga::text_mode() const {
  return awake() && !(graphics_[miscellaneous] & 1) && !(sequencer_[clocking_mode] & 0x20) &&
         crtc_[horizontal_display_end] != 0;
}

TextScreen Vga::text_screen() const {
  TextScreen screen;
  if (!text_mode()) return screen;
  const unsigned height = ((crtc_[maximum_scan_line] & 0x1Fu) + 1) * (crtc_[maximum_scan_line] & 0x80 ? 2 : 1);
  screen.columns = std::min(crtc_[horizontal_display_end] + 1u, most_columns);
  screen.rows = std::min(static_cast<unsigned>(displayed_lines() / lines_per_count()) / height, most_rows);
  const unsigned start = crtc_[start_high] << 8 | crtc_[start_low];
  const unsigned cursor = crtc_[cursor_high] << 8 | crtc_[cursor_low];
  const unsigned pitch = crtc_[row_offset] * 2u;
  screen.cursor_visible = false;
  for (unsigned row = 0; row < screen.rows; ++row) {
    for (unsigned column = 0; column < screen.columns; ++column) {
      const unsigned cell = (start + row * pitch + column) & plane_mask;
      const std::uint32_t address = display_address(crtc_, cell, 0);
      screen.characters.push_back(planes_[0][address]);
      screen.attributes.push_back(planes_[1][address]);
      if (cell != cursor) continue;
      screen.cursor_column = column;
      screen.cursor_row = row;
      screen.cursor_visible =
          !(crtc_[cursor_start] & 0x20) && (crtc_[cursor_start] & 0x1F) <= (crtc_[cursor_end] & 0x1F);
    }
  }
  return screen;
}

std::vector<std::string> Vga::text_lines() const {
  const TextScreen screen = text_screen();
  std::vector<std::string> lines(screen.rows);
  for (unsigned row = 0; row < screen.rows; ++row) {
    const auto* codes = screen.characters.data() + std::size_t{row} * screen.columns;
    unsigned length = screen.columns;
    while (length > 0 && blank(codes[length - 1])) --length;
    for (unsigned column = 0; column < length; ++column) append_utf8(lines[row], codes[column]);
  }
  return lines;
}

}  // namespace planar
