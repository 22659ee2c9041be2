// SPDX-License-Identifier: GPL-2.0-or-later
// The VGA's indexed registers, by index, and the size of its memory (IBM PS/2 video subsystem technical reference).
// Only for the VGA's own files.
#pragma once

#include <cstdint>

namespace planar::vga_registers {

constexpr std::uint32_t plane_bytes = 0x10000, plane_mask = plane_bytes - 1;

enum Sequencer : unsigned { sequencer_reset, clocking_mode, map_mask, character_map, memory_mode };

enum Graphics : unsigned {
  set_reset,
  set_reset_enable,
  colour_compare,
  data_rotate,
  read_map,
  graphics_mode,
  miscellaneous,
  colour_dont_care,
  bit_mask,
};

enum Crtc : unsigned {
  horizontal_display_end = 0x01,
  horizontal_blank_start = 0x02,
  horizontal_blank_end = 0x03,
  horizontal_retrace_end = 0x05,
  vertical_total = 0x06,
  overflow = 0x07,
  preset_row_scan = 0x08,
  maximum_scan_line = 0x09,
  cursor_start = 0x0A,
  cursor_end = 0x0B,
  start_high = 0x0C,
  start_low = 0x0D,
  cursor_high = 0x0E,
  cursor_low = 0x0F,
  vertical_retrace_start = 0x10,
  vertical_retrace_end = 0x11,
  vertical_display_end = 0x12,
  row_offset = 0x13,
  underline = 0x14,
  vertical_blank_start = 0x15,
  vertical_blank_end = 0x16,
  mode_control = 0x17,
  line_compare = 0x18,
};

enum Attribute : unsigned {  // after the sixteen palette registers
  attribute_mode = 0x10,
  overscan = 0x11,
  plane_enable = 0x12,
  panning = 0x13,
  colour_select = 0x14,
};

}  // namespace planar::vga_registers
