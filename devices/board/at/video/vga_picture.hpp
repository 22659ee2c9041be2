// SPDX-License-Identifier: GPL-2.0-or-later
// The picture that a VGA's registers, planes and palette make: CRTC address counters, serializers, attribute
// controller, DAC. Nothing here changes anything.
//
// Facts: the registers as in vga.hpp. Text: fonts lie in plane 2, 32 bytes per character; attribute bit 3 chooses
// between the two character maps; a ninth dot repeats the eighth for codes C0h to DFh when line graphics are on; the
// cursor blinks every 8 frames, characters every 16. Graphics: eight 4-bit pixels per character clock, by plane, in CGA
// order (two bits per byte) or by halves of bytes; with 8-bit colour two of them make one, twice as wide. Inferred: in
// odd/even mode the page bit 1 means even addresses (every VGA BIOS sets it); underline where foreground is 1 and
// background 0; in graphics with blinking on, pixel bit 3 changes with the phase (mode 0Fh's palette relies on it).
// Known limits: the picture of one moment, so changes of registers within a frame (raster effects) are not seen; no
// border; the shift-by-two and shift-by-four serializer loads of 64 KB boards are not modelled.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace planar {

/// Pixels as a monitor shows them, row by row from the top, red, green, blue with 8 bits each.
struct Picture {
  unsigned width = 0;
  unsigned height = 0;
  std::vector<std::uint8_t> rgb;  ///< 3 * width * height

  /// 0xRRGGBB of the pixel at column `x`, row `y`, both within the picture.
  std::uint32_t at(unsigned x, unsigned y) const {
    const auto* p = rgb.data() + (std::size_t{y} * width + x) * 3;
    return std::uint32_t{p[0]} << 16 | std::uint32_t{p[1]} << 8 | p[2];
  }
};

/// All that a picture depends on.
struct VgaView {
  bool on;                   ///< awake, enabled, clocks and synchronisation running
  bool palette_on;           ///< 3C0h bit 5: the display has the palette; without it all is border colour
  std::uint64_t frame;       ///< counts frames, for what blinks
  unsigned lines;            ///< displayed lines, at least 1
  unsigned lines_per_count;  ///< scan lines that one count of the vertical counter lasts, 1 or 2
  std::span<const std::uint8_t, 5> sequencer;
  std::span<const std::uint8_t, 9> graphics;
  std::span<const std::uint8_t, 25> crtc;
  std::span<const std::uint8_t, 21> attribute;
  std::uint8_t dac_mask;
  std::span<const std::uint8_t, 768> palette;           ///< 6 bits a component
  std::array<std::span<const std::uint8_t>, 4> planes;  ///< 64 KB each
};

/// The address within the planes that the CRTC fetches for its counter's value: byte, word or double word mode, with
/// the line counter's lower bits in place of address bits 13 and 14 where the mode control register asks for that.
std::uint32_t display_address(std::span<const std::uint8_t, 25> crtc, unsigned counter, unsigned row_scan);

/// Draws it. 9 or 8 dots a character, halved dot clocks twice as wide; every scan line, so that 200-line modes have 400
/// rows. A VGA that is off gives a black picture of 640 by 480.
Picture draw(const VgaView& view);

}  // namespace planar
