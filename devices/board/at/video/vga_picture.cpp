// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/board/at/video/vga_picture.hpp"

#include <algorithm>

#include "devices/board/at/video/vga_registers.hpp"

namespace planar {

namespace {

using namespace vga_registers;

constexpr unsigned dark_width = 640, dark_height = 480;

// Attribute mode control.
constexpr std::uint8_t line_graphics = 0x04, blinking = 0x08, split_keeps_still = 0x20, eight_bits = 0x40,
                       select_p54 = 0x80;

/// A blanking period that begins at `start` and ends when the counter's low bits equal `end`, or with the line or frame
/// at the latest.
bool blanked(unsigned counter, unsigned start, unsigned end, unsigned mask) {
  if (counter < start) return false;
  unsigned length = (end - start) & mask;
  if (length == 0) length = mask + 1;
  return counter < start + length;
}

class Painter {
 public:
  explicit Painter(const VgaView& view) : v_(view) {
    const auto& crtc = v_.crtc;
    characters_ = crtc[horizontal_display_end] + 1u;
    dots_ = v_.sequencer[clocking_mode] & 1 ? 8 : 9;
    stretch_ = v_.sequencer[clocking_mode] & 8 ? 2 : 1;
    picture_.width = characters_ * dots_ * stretch_;
    picture_.height = v_.lines;
    picture_.rgb.assign(std::size_t{3} * picture_.width * picture_.height, 0);
    cursor_at_ = (crtc[cursor_high] << 8 | crtc[cursor_low]) + (crtc[cursor_end] >> 5 & 3u);
    cursor_shown_ = !(crtc[cursor_start] & 0x20) && (v_.frame >> 3 & 1) == 0;
    blink_off_ = v_.attribute[attribute_mode] & blinking && (v_.frame >> 4 & 1) != 0;
    make_colours();
    line_.resize((characters_ + 1) * dots_);
  }

  Picture paint() {
    const auto& crtc = v_.crtc;
    const bool off = v_.sequencer[clocking_mode] & 0x20;
    const unsigned height = (crtc[maximum_scan_line] & 0x1Fu) + 1;
    const unsigned pitch = crtc[row_offset] * 2u;
    const unsigned compare =
        crtc[line_compare] | (crtc[overflow] & 0x10u) << 4 | (crtc[maximum_scan_line] & 0x40u) << 3;
    const unsigned blank_first =
        crtc[vertical_blank_start] | (crtc[overflow] & 0x08u) << 5 | (crtc[maximum_scan_line] & 0x20u) << 4;
    // Lines may be counted in pairs, and each row of a character doubled.
    const unsigned pairs = v_.lines_per_count, repeat = crtc[maximum_scan_line] & 0x80 ? 2 * pairs : pairs;
    unsigned base = crtc[start_high] << 8 | crtc[start_low];
    unsigned row_scan = crtc[preset_row_scan] & 0x1F, repeated = 0;
    unsigned shift = pixel_shift(), extra = crtc[preset_row_scan] >> 5 & 3u;
    for (unsigned y = 0; y < picture_.height; ++y) {
      if (!off && !blanked(y / pairs, blank_first, crtc[vertical_blank_end], 0xFF)) {
        fetch(base + extra, row_scan & 31);
        show(y, shift);
      }
      if (++repeated == repeat) {
        repeated = 0;
        if (row_scan == height - 1) {
          row_scan = 0;
          base += pitch;
        } else {
          row_scan = (row_scan + 1) & 31;
        }
      }
      if (y / pairs == compare && (y + 1) % pairs == 0) {  // the split screen begins at the start of memory
        base = row_scan = repeated = 0;
        if (v_.attribute[attribute_mode] & split_keeps_still) shift = extra = 0;
      }
    }
    return std::move(picture_);
  }

 private:
  /// Number of dots by which the picture is shifted left.
  unsigned pixel_shift() const {
    const unsigned value = v_.attribute[panning] & 15;
    if (dots_ == 9) return value >= 8 ? 0 : value + 1;
    return value & 7;
  }

  /// Colours of the sixteen 4-bit pixels, or of all byte values.
  void make_colours() {
    const std::uint8_t control = v_.attribute[attribute_mode], select = v_.attribute[colour_select];
    for (unsigned i = 0; i < 256; ++i) {
      unsigned index;
      if (control & eight_bits) {
        index = (v_.attribute[i >> 4] & 15u) << 4 | (v_.attribute[i & 15] & 15u);
      } else {
        index = v_.attribute[i & 15] & 0x3Fu;
        if (control & select_p54) index = (index & 0x0F) | (select & 3u) << 4;
        index |= (select & 0x0Cu) << 4;
      }
      colours_[i] = colour(index);
    }
    border_ = colour(v_.attribute[overscan]);
  }

  std::array<std::uint8_t, 3> colour(unsigned index) const {
    std::array<std::uint8_t, 3> rgb;
    for (unsigned c = 0; c < 3; ++c) {
      const std::uint8_t value = v_.palette[(index & v_.dac_mask) * 3 + c] & 0x3F;
      rgb[c] = static_cast<std::uint8_t>(value << 2 | value >> 4);
    }
    return rgb;
  }

  /// The 4-bit pixels of one line, and one extra character for panning.
  void fetch(unsigned counter, unsigned row_scan) {
    const bool graphics = v_.graphics[miscellaneous] & 1;
    const unsigned enabled = v_.attribute[plane_enable] & 15u;
    // The counter advances with every, every second or every fourth character.
    const unsigned step = v_.crtc[underline] & 0x20 ? 2 : v_.crtc[mode_control] & 8 ? 1 : 0;
    for (unsigned i = 0; i <= characters_; ++i) {
      const unsigned at = (counter + (i >> step)) & plane_mask;
      const std::uint32_t address = display_address(v_.crtc, at, row_scan);
      std::uint8_t* out = line_.data() + std::size_t{i} * dots_;
      if (graphics)
        serialize(address, out);
      else
        character(address, at, row_scan, out);
      for (unsigned d = 0; d < dots_; ++d) {
        out[d] &= static_cast<std::uint8_t>(enabled);
        if (graphics && blink_off_) out[d] ^= 8;
      }
    }
  }

  void serialize(std::uint32_t address, std::uint8_t* out) const {
    std::array<std::uint8_t, 4> data;
    for (unsigned p = 0; p < 4; ++p) data[p] = v_.planes[p][address];
    if (v_.graphics[graphics_mode] & 0x40) {
      for (unsigned d = 0; d < 8; ++d)
        out[d] = static_cast<std::uint8_t>(d & 1 ? data[d >> 1] & 15 : data[d >> 1] >> 4);
    } else if (v_.graphics[graphics_mode] & 0x20) {
      for (unsigned d = 0; d < 8; ++d) {
        const unsigned shift = 6 - 2 * (d & 3), even = d >> 2;
        out[d] = static_cast<std::uint8_t>((data[even] >> shift & 3) | (data[even + 2] >> shift & 3) << 2);
      }
    } else {
      for (unsigned d = 0; d < 8; ++d) {
        unsigned pixel = 0;
        for (unsigned p = 0; p < 4; ++p) pixel |= (data[p] >> (7 - d) & 1u) << p;
        out[d] = static_cast<std::uint8_t>(pixel);
      }
    }
    if (dots_ == 9) out[8] = 0;
  }

  void character(std::uint32_t address, unsigned counter, unsigned row_scan, std::uint8_t* out) const {
    const std::uint8_t code = v_.planes[0][address], attribute = v_.planes[1][address];
    const std::uint8_t control = v_.attribute[attribute_mode];
    std::uint8_t dots = v_.planes[2][font(attribute) + code * 32u + row_scan];
    bool ninth = control & line_graphics && (code & 0xE0) == 0xC0 && dots & 1;
    const std::uint8_t foreground = attribute & 15;
    std::uint8_t background = attribute >> 4;
    if ((attribute & 0x77) == 0x01 && row_scan == (v_.crtc[underline] & 0x1Fu)) dots = 0xFF, ninth = true;
    if (control & blinking) {
      background &= 7;
      if (attribute & 0x80 && blink_off_) dots = 0, ninth = false;
    }
    if (cursor_shown_ && counter == (cursor_at_ & plane_mask) && row_scan >= (v_.crtc[cursor_start] & 0x1Fu) &&
        row_scan <= (v_.crtc[cursor_end] & 0x1Fu))
      dots = 0xFF, ninth = true;
    for (unsigned d = 0; d < 8; ++d) out[d] = dots & 0x80u >> d ? foreground : background;
    if (dots_ == 9) out[8] = ninth ? foreground : background;
  }

  /// Offset in plane 2 of the character map that the attribute selects: maps 0 to 3 are 16 KB apart, 4 to 7 lie between
  /// them. With 64 KB of memory there is only map 0.
  unsigned font(std::uint8_t attribute) const {
    if (!(v_.sequencer[memory_mode] & 2)) return 0;
    const unsigned maps = v_.sequencer[character_map];
    const unsigned map = attribute & 8 ? (maps >> 2 & 3) | (maps >> 3 & 4) : (maps & 3) | (maps >> 2 & 4);
    return (map & 3) << 14 | (map & 4) << 11;
  }

  void show(unsigned y, unsigned shift) {
    const bool wide = v_.attribute[attribute_mode] & eight_bits;
    const auto& crtc = v_.crtc;
    const unsigned end = (crtc[horizontal_blank_end] & 0x1Fu) | (crtc[horizontal_retrace_end] & 0x80u) >> 2;
    std::uint8_t* out = picture_.rgb.data() + std::size_t{3} * y * picture_.width;
    for (unsigned c = 0; c < characters_; ++c) {
      const bool dark = blanked(c, crtc[horizontal_blank_start], end, 0x3F);
      for (unsigned d = 0; d < dots_; ++d) {
        const std::size_t x = std::size_t{c} * dots_ + d;
        const std::size_t from = x + shift;
        // Two 4-bit pixels form one of 8 bits; pairs count from the start of the line.
        const unsigned pixel = wide ? line_[from & ~std::size_t{1}] << 4 | line_[from | 1] : line_[from];
        const auto& rgb = !v_.palette_on ? border_ : colours_[pixel];
        for (unsigned s = 0; s < stretch_; ++s) {
          if (!dark) std::copy(rgb.begin(), rgb.end(), out);
          out += 3;
        }
      }
    }
  }

  const VgaView& v_;
  Picture picture_;
  unsigned characters_ = 0, dots_ = 0, stretch_ = 0;
  unsigned cursor_at_ = 0;
  bool cursor_shown_ = false;
  bool blink_off_ = false;
  std::array<std::array<std::uint8_t, 3>, 256> colours_{};
  std::array<std::uint8_t, 3> border_{};
  std::vector<std::uint8_t> line_;  // 4-bit pixels
};

}  // namespace

std::uint32_t display_address(std::span<const std::uint8_t, 25> crtc, unsigned counter, unsigned row_scan) {
  const std::uint8_t control = crtc[mode_control];
  std::uint32_t address = counter & plane_mask;
  if (crtc[underline] & 0x40)
    address = (address << 2 | (address >> 12 & 3)) & plane_mask;
  else if (!(control & 0x40))
    address = (address << 1 | (address >> (control & 0x20 ? 15 : 13) & 1)) & plane_mask;
  if (!(control & 1)) address = (address & ~0x2000u) | (row_scan & 1) << 13;
  if (!(control & 2)) address = (address & ~0x4000u) | (row_scan & 2) << 13;
  return address;
}

Picture draw(const VgaView& view) {
  if (view.on) return Painter(view).paint();
  Picture dark{dark_width, dark_height, {}};
  dark.rgb.assign(std::size_t{3} * dark_width * dark_height, 0);
  return dark;
}

}  // namespace planar
