// SPDX-License-Identifier: GPL-2.0-or-later
// The VGA's picture in each mode: programs write registers and memory, the tests check pixels.
#include "devices/board/at/video/vga_picture.hpp"

#include <algorithm>
#include <set>

#include "tests/catch.hpp"
#include "tests/devices/board/vga_bench.hpp"

using namespace planar;

namespace {

struct Monitor : tests::VideoBench {
  /// DAC entry n < 64 has the colour 0x10101 * n in 6-bit steps; others are set by `dac`.
  Monitor() {
    out(0x3C8, 0);
    for (unsigned i = 0; i < 256; ++i) {
      out(0x3C9, static_cast<std::uint8_t>(i & 0x3F));
      out(0x3C9, static_cast<std::uint8_t>(i >> 2 & 0x3F));
      out(0x3C9, static_cast<std::uint8_t>(~i & 0x3F));
    }
  }
  static std::uint32_t expand(unsigned six) { return six << 2 | six >> 4; }
  /// The colour of DAC entry `i`.
  static std::uint32_t colour(unsigned i) {
    return expand(i & 0x3F) << 16 | expand(i >> 2 & 0x3F) << 8 | expand(~i & 0x3F);
  }
  Picture see() { return vga.picture(now); }

  void plane(std::uint8_t map) { indexed(0x3C4, 2, map); }
  static Mode cga(std::uint8_t characters_end, bool two_colours) {
    return two_colours ? Mode{0x63,
                              {0x03, 0x01, 0x01, 0x00, 0x06},
                              {0x5F, characters_end, 0x50, 0x82, 0x54, 0x80, 0xBF, 0x1F, 0x00, 0xC1, 0, 0, 0, 0, 0,
                               0,    0x9C,           0x8E, 0x8F, 0x28, 0x00, 0x96, 0xB9, 0xC2, 0xFF},
                              {0, 0, 0, 0, 0, 0x00, 0x0D, 0, 0xFF},
                              0x01,
                              0x01,
                              0}
                       : Mode{0x63,
                              {0x03, 0x09, 0x03, 0x00, 0x02},
                              {0x2D, characters_end, 0x28, 0x90, 0x2B, 0x80, 0xBF, 0x1F, 0x00, 0xC1, 0, 0, 0, 0, 0,
                               0,    0x9C,           0x8E, 0x8F, 0x14, 0x00, 0x96, 0xB9, 0xA2, 0xFF},
                              {0, 0, 0, 0, 0, 0x30, 0x0F, 0, 0xFF},
                              0x01,
                              0x03,
                              0};
  }
  static Mode planar(bool lines_480) {
    return lines_480 ? Mode{0xE3,
                            {0x03, 0x01, 0x0F, 0x00, 0x06},
                            {0x5F, 0x4F, 0x50, 0x82, 0x54, 0x80, 0x0B, 0x3E, 0x00, 0x40, 0,    0,   0,
                             0,    0,    0,    0xEA, 0x8C, 0xDF, 0x28, 0x00, 0xE7, 0x04, 0xE3, 0xFF},
                            {0, 0, 0, 0, 0, 0, 0x05, 0x0F, 0xFF},
                            0x01,
                            0x0F,
                            0}
                     : Mode{0x63,
                            {0x03, 0x09, 0x0F, 0x00, 0x06},  // 0Dh
                            {0x2D, 0x27, 0x28, 0x90, 0x2B, 0x80, 0xBF, 0x1F, 0x00, 0xC0, 0,    0,   0,
                             0,    0,    0,    0x9C, 0x8E, 0x8F, 0x14, 0x00, 0x96, 0xB9, 0xE3, 0xFF},
                            {0, 0, 0, 0, 0, 0, 0x05, 0x0F, 0xFF},
                            0x01,
                            0x0F,
                            0};
  }
  void mode13() {
    set({0x63,
         {0x03, 0x01, 0x0F, 0x00, 0x0E},
         {0x5F, 0x4F, 0x50, 0x82, 0x54, 0x80, 0xBF, 0x1F, 0x00, 0x41, 0,    0,   0,
          0,    0,    0,    0x9C, 0x8E, 0x8F, 0x28, 0x40, 0x96, 0xB9, 0xA3, 0xFF},
         {0, 0, 0, 0, 0, 0x40, 0x05, 0x0F, 0xFF},
         0x41,
         0x0F,
         0});
  }
  /// The same without chain 4: every plane linear, byte addresses.
  void mode_x() {
    mode13();
    indexed(0x3C4, 4, 0x06);
    indexed(0x3D4, 0x14, 0x00);
    indexed(0x3D4, 0x17, 0xE3);
  }
  /// Glyph rows of one character in a map of plane 2.
  void glyph(unsigned map_offset, unsigned code, unsigned rows, std::uint8_t pattern) {
    plane(4);
    indexed(0x3C4, 4, 0x07);
    indexed(0x3CE, 5, 0x00);
    indexed(0x3CE, 6, 0x04);
    for (unsigned row = 0; row < rows; ++row) poke(0xA0000 + map_offset + code * 32 + row, pattern);
    plane(3);
    indexed(0x3C4, 4, 0x02);
    indexed(0x3CE, 5, 0x10);
    indexed(0x3CE, 6, 0x0E);
  }
  void cell(unsigned row, unsigned column, unsigned code, unsigned attribute) {
    poke(0xB8000 + 2 * (row * 80 + column), static_cast<std::uint8_t>(code));
    poke(0xB8001 + 2 * (row * 80 + column), static_cast<std::uint8_t>(attribute));
  }
  /// Dots of a line of a picture as text: '#' where the pixel has colour `on`, '.' where `off`, '?' elsewhere.
  static std::string dots(const Picture& p, unsigned x, unsigned y, unsigned count, std::uint32_t on,
                          std::uint32_t off) {
    std::string text;
    for (unsigned i = 0; i < count; ++i) {
      const auto c = p.at(x + i, y);
      text += c == on ? '#' : c == off ? '.' : '?';
    }
    return text;
  }
  void no_cursor() { indexed(0x3D4, 0x0A, 0x20); }
};

}  // namespace

TEST_CASE("VGA picture: a VGA that is disabled or in reset is dark", "[planar][vga]") {
  Monitor v;
  CHECK(v.see().width == 640);
  v.mode3();
  v.no_cursor();
  v.attribute(0, 5);
  v.out(0x3C0, 0x20);
  CHECK(v.see().at(0, 0) == Monitor::colour(5));
  v.indexed(0x3C4, 0, 1);
  CHECK(v.see().at(0, 0) == 0);
  v.indexed(0x3C4, 0, 3);
  v.indexed(0x3C4, 1, 0x20);  // screen off
  CHECK(v.see().width == 720);
  CHECK(v.see().at(0, 0) == 0);
  v.indexed(0x3C4, 1, 0x00);
  v.attribute(0x11, 0x2A);  // and the palette access enabled for the processor: border colour everywhere
  CHECK(v.see().at(300, 200) == Monitor::colour(0x2A));
}

TEST_CASE("VGA picture: text with nine dots, line graphics, colours", "[planar][vga]") {
  Monitor v;
  v.mode3();
  v.no_cursor();
  v.glyph(0, 0x41, 16, 0x81);
  v.glyph(0, 0xC4, 16, 0xFF);
  v.cell(0, 0, 0x41, 0x1E);
  v.cell(24, 79, 0x41, 0x1E);
  v.cell(0, 1, 0xC4, 0x1E);
  const auto p = v.see();
  REQUIRE(p.width == 720);
  REQUIRE(p.height == 400);
  REQUIRE(p.rgb.size() == 3u * 720 * 400);
  const auto on = Monitor::colour(14), off = Monitor::colour(1);
  CHECK(Monitor::dots(p, 0, 0, 18, on, off) == "#......#.#########");
  CHECK(Monitor::dots(p, 0, 15, 9, on, off) == "#......#.");
  CHECK(Monitor::dots(p, 711, 399, 9, on, off) == "#......#.");
  CHECK(p.at(0, 16) == Monitor::colour(0));
  v.attribute(0x10, 0x08);  // no line graphics
  v.out(0x3C0, 0x20);
  CHECK(Monitor::dots(v.see(), 9, 0, 9, on, off) == "########.");
  v.indexed(0x3C4, 1, 0x01);  // eight dots
  CHECK(v.see().width == 640);
  v.indexed(0x3C4, 1, 0x09);  // half the dot clock
  CHECK(v.see().width == 1280);
  CHECK(Monitor::dots(v.see(), 0, 0, 16, on, off) == "##............##");
}

TEST_CASE("VGA picture: character maps by attribute bit 3", "[planar][vga]") {
  Monitor v;
  v.mode3();
  v.no_cursor();
  v.glyph(0x0000, 'x', 16, 0xF0);  // map 0
  v.glyph(0xE000, 'x', 16, 0x0F);  // map 7
  v.cell(0, 0, 'x', 0x07);
  v.cell(0, 1, 'x', 0x0F);
  const auto row = [&] {
    const auto p = v.see();
    return Monitor::dots(p, 0, 0, 9, Monitor::colour(7), Monitor::colour(0)) + ' ' +
           Monitor::dots(p, 9, 0, 9, Monitor::colour(15), Monitor::colour(0));
  };
  CHECK(row() == "####..... ####.....");
  v.indexed(0x3C4, 3, 0x2C);  // bit 3 set: map 7
  CHECK(row() == "####..... ....####.");
  v.indexed(0x3C4, 3, 0x13);  // bit 3 clear: map 7
  CHECK(row() == "....####. ####.....");
  v.indexed(0x3C4, 4, 0x00);  // 64 KB have one map
  CHECK(row() == "####..... ####.....");
}

TEST_CASE("VGA picture: characters blink every 16 frames, the cursor every 8", "[planar][vga]") {
  Monitor v;
  v.mode3();
  v.glyph(0, 'b', 16, 0xFF);
  v.cell(0, 0, 'b', 0x97);
  v.cell(0, 3, ' ', 0x07);
  v.indexed(0x3D4, 0x0F, 3);
  const Time frame = v.vga.frame_period();
  CHECK(frame / 1_us == 14'268);
  const Time start = v.now;
  std::string blink, cursor;
  for (unsigned i = 0; i < 64; ++i) {
    const auto p = v.vga.picture(start + frame * i);
    blink += p.at(0, 0) == Monitor::colour(7) ? '1' : '0';
    cursor += p.at(27, 13) == Monitor::colour(7) ? '1' : '0';
    CHECK(p.at(27, 12) == Monitor::colour(0));  // the cursor has lines 13 and 14
    CHECK(p.at(27, 15) == Monitor::colour(0));
  }
  const auto changes = [](const std::string& s) {
    unsigned n = 0;
    for (std::size_t i = 1; i < s.size(); ++i) n += s[i] != s[i - 1];
    return n;
  };
  CHECK(changes(blink) >= 3);
  CHECK(changes(blink) <= 4);
  CHECK(changes(cursor) >= 7);
  CHECK(changes(cursor) <= 8);
  CHECK(std::count(blink.begin(), blink.end(), '1') == 32);
  CHECK(std::count(cursor.begin(), cursor.end(), '1') == 32);
  // Without blinking bit 7 brightens the background.
  v.attribute(0x10, 0x04);
  v.out(0x3C0, 0x20);
  v.glyph(0, 'b', 16, 0x00);
  for (unsigned i = 0; i < 33; i += 16) CHECK(v.vga.picture(v.now + frame * i).at(0, 0) == Monitor::colour(9));
}

TEST_CASE("VGA picture: the monochrome mode underlines", "[planar][vga]") {
  Monitor v;
  v.set({0x66,
         {0x03, 0x00, 0x03, 0x00, 0x02},
         {0x5F, 0x4F, 0x50, 0x82, 0x55, 0x81, 0xBF, 0x1F, 0x00, 0x4F, 0x2D, 0x0E, 0x00,
          0x00, 0x00, 0x00, 0x9C, 0x8E, 0x8F, 0x28, 0x0D, 0x96, 0xB9, 0xA3, 0xFF},
         {0x00, 0x00, 0x00, 0x00, 0x00, 0x10, 0x0A, 0x00, 0xFF},
         0x0E,
         0x0F,
         0x08});
  v.poke(0xB0000, ' ');
  v.poke(0xB0001, 0x01);
  v.poke(0xB0002, ' ');
  v.poke(0xB0003, 0x07);
  const auto p = v.see();
  CHECK(Monitor::dots(p, 0, 13, 18, Monitor::colour(1), Monitor::colour(0)) == "#########.........");
  CHECK(Monitor::dots(p, 0, 12, 18, Monitor::colour(1), Monitor::colour(0)) == "..................");
}

TEST_CASE("VGA picture: CGA modes interleave two banks", "[planar][vga]") {
  Monitor v;
  v.set(Monitor::cga(0x27, false));
  v.poke(0xB8000, 0x1B);       // colours 0 1 2 3 of line 0
  v.poke(0xB8001, 0xE4);       // 3 2 1 0
  v.poke(0xBA000 + 79, 0xFF);  // line 1, last four
  v.poke(0xB8000 + 80, 0x55);  // line 2
  auto p = v.see();
  REQUIRE(p.width == 640);
  REQUIRE(p.height == 400);
  const unsigned first[] = {0, 1, 2, 3, 3, 2, 1, 0};
  for (unsigned x = 0; x < 16; ++x)
    for (unsigned y = 0; y < 2; ++y) CHECK(p.at(x, y) == Monitor::colour(first[x / 2]));
  CHECK(p.at(639, 2) == Monitor::colour(3));
  CHECK(p.at(631, 3) == Monitor::colour(0));
  CHECK(p.at(0, 4) == Monitor::colour(1));

  v.set(Monitor::cga(0x4F, true));
  v.poke(0xB8001, 0x81);
  v.poke(0xBA001, 0x18);
  p = v.see();
  REQUIRE(p.width == 640);
  CHECK(Monitor::dots(p, 8, 0, 8, Monitor::colour(1), Monitor::colour(0)) == "#......#");
  CHECK(Monitor::dots(p, 8, 3, 8, Monitor::colour(1), Monitor::colour(0)) == "...##...");
}

TEST_CASE("VGA picture: four planes make sixteen colours", "[planar][vga]") {
  Monitor v;
  v.set(Monitor::planar(true));
  v.plane(0x0F);
  for (std::uint32_t i = 0; i < 0x9600; ++i) v.poke(0xA0000 + i, 0);
  const std::uint8_t patterns[] = {0x55, 0x33, 0x0F, 0x80};  // by plane
  for (unsigned i = 0; i < 4; ++i) {
    v.plane(static_cast<std::uint8_t>(1 << i));
    v.poke(0xA0000 + 80 * 479 + 79, patterns[i]);
  }
  auto p = v.see();
  REQUIRE(p.width == 640);
  REQUIRE(p.height == 480);
  const unsigned expected[] = {8, 1, 2, 3, 4, 5, 6, 7};
  for (unsigned x = 0; x < 8; ++x) CHECK(p.at(632 + x, 479) == Monitor::colour(expected[x]));
  SECTION("planes can be excluded from the display") {
    v.attribute(0x12, 0x05);
    v.out(0x3C0, 0x20);
    p = v.see();
    for (unsigned x = 0; x < 8; ++x) CHECK(p.at(632 + x, 479) == Monitor::colour(expected[x] & 5));
  }
  SECTION("the palette registers, colour select and the pixel mask choose the DAC entry") {
    v.attribute(7, 0x35);
    v.attribute(0x14, 0x0E);
    v.out(0x3C0, 0x20);
    CHECK(v.see().at(639, 479) == Monitor::colour(0xC0 | 0x35));  // bits 7 and 6 from colour select
    v.attribute(0x10, 0x81);
    v.out(0x3C0, 0x20);
    CHECK(v.see().at(639, 479) == Monitor::colour(0xE5));  // bits 5 and 4 too
    v.out(0x3C6, 0x0F);
    CHECK(v.see().at(639, 479) == Monitor::colour(0x05));
  }
  SECTION("in 200-line modes each line is doubled") {
    v.set(Monitor::planar(false));
    v.plane(0x0F);
    v.poke(0xA0000 + 40, 0x80);
    p = v.see();
    REQUIRE(p.width == 640);
    REQUIRE(p.height == 400);
    for (unsigned x = 0; x < 4; ++x)
      for (unsigned y = 1; y < 5; ++y) CHECK((p.at(x, y) == Monitor::colour(15)) == (x < 2 && (y == 2 || y == 3)));
  }
}

TEST_CASE("VGA picture: blinking in graphics modes toggles pixel bit 3", "[planar][vga]") {
  Monitor v;
  v.set(Monitor::planar(true));
  v.attribute(0x10, 0x0B);
  v.attribute(0x12, 0x05);
  v.out(0x3C0, 0x20);
  v.plane(0x04);
  v.poke(0xA0000, 0x80);
  std::set<std::uint32_t> seen;
  for (unsigned i = 0; i < 32; ++i) seen.insert(v.vga.picture(v.now + v.vga.frame_period() * i).at(0, 0));
  CHECK(seen == std::set<std::uint32_t>{Monitor::colour(4), Monitor::colour(12)});
}

TEST_CASE("VGA picture: 256 colours, chained and unchained", "[planar][vga]") {
  Monitor v;
  v.mode13();
  for (unsigned i = 0; i < 64000; ++i) v.poke(0xA0000 + i, static_cast<std::uint8_t>(i * 7 + (i >> 8)));
  auto p = v.see();
  REQUIRE(p.width == 640);
  REQUIRE(p.height == 400);
  bool same = true;
  for (unsigned y = 0; y < 400; ++y)
    for (unsigned x = 0; x < 640; ++x) {
      const unsigned i = y / 2 * 320 + x / 2;
      same = same && p.at(x, y) == Monitor::colour((i * 7 + (i >> 8)) & 0xFF);
    }
  CHECK(same);

  v.mode_x();
  for (std::uint8_t plane = 0; plane < 4; ++plane) {
    v.plane(static_cast<std::uint8_t>(1 << plane));
    for (unsigned i = 0; i < 16000; ++i) v.poke(0xA0000 + i, static_cast<std::uint8_t>(i * 5 + plane * 64));
  }
  p = v.see();
  same = true;
  for (unsigned y = 0; y < 400; ++y)
    for (unsigned x = 0; x < 640; ++x)
      same = same && p.at(x, y) == Monitor::colour(((y / 2 * 80 + x / 8) * 5 + x / 2 % 4 * 64) & 0xFF);
  CHECK(same);

  SECTION("the start address selects a second page, shifted by one pixel") {
    v.plane(0x0F);
    for (unsigned i = 0; i < 16000; ++i) v.poke(0xA0000 + 16384 + i, static_cast<std::uint8_t>(i % 80));
    v.plane(0x01);
    for (unsigned i = 0; i < 16000; ++i) v.poke(0xA0000 + 16384 + i, 0xC0);
    v.indexed(0x3D4, 0x0C, 0x40);
    v.attribute(0x13, 2);
    v.out(0x3C0, 0x20);
    p = v.see();
    CHECK(p.at(0, 0) == Monitor::colour(0));
    CHECK(p.at(5, 0) == Monitor::colour(0));
    CHECK(p.at(6, 0) == Monitor::colour(0xC0));
    CHECK(p.at(8, 0) == Monitor::colour(1));
    CHECK(p.at(638, 0) == Monitor::colour(0xC0));  // the first pixel beyond the old right edge
  }
  SECTION("240 lines") {
    v.out(0x3C2, 0xE3);
    v.indexed(0x3D4, 0x11, 0x2C);
    const std::pair<std::uint8_t, std::uint8_t> values[] = {{0x06, 0x0D}, {0x07, 0x3E}, {0x10, 0xEA}, {0x11, 0xAC},
                                                            {0x12, 0xDF}, {0x15, 0xE7}, {0x16, 0x06}};
    for (const auto& [index, value] : values) v.indexed(0x3D4, index, value);
    v.plane(0x08);
    v.poke(0xA0000 + 239 * 80 + 79, 0xAB);
    p = v.see();
    REQUIRE(p.height == 480);
    CHECK(p.at(639, 479) == Monitor::colour(0xAB));
  }
}

TEST_CASE("VGA picture: split screen, panning, preset row", "[planar][vga]") {
  Monitor v;
  v.mode3();
  v.no_cursor();
  v.glyph(0, 'v', 16, 0x80);
  v.glyph(0, 'h', 16, 0x00);
  v.glyph(0, 'h', 1, 0xFF);  // a stroke in its top line
  const auto on = Monitor::colour(7);
  SECTION("after line compare the picture continues with the start of memory") {
    v.cell(0, 0, 'v', 0x07);   // at address 0
    v.cell(25, 0, 'v', 0x07);  // first of the upper part
    v.cell(25, 1, 'v', 0x07);
    v.indexed(0x3D4, 0x0C, 25 * 80 >> 8);
    v.indexed(0x3D4, 0x0D, 25 * 80 & 0xFF);
    v.indexed(0x3D4, 0x18, 199);  // bits 8 and 9 are in other registers
    v.indexed(0x3D4, 0x07, 0x0F);
    v.indexed(0x3D4, 0x09, 0x0F);
    auto p = v.see();
    CHECK(p.at(9, 0) == on);
    CHECK(p.at(0, 199) == Monitor::colour(0));
    CHECK(p.at(0, 200) == on);
    CHECK(p.at(9, 200) == Monitor::colour(0));
    CHECK(p.at(0, 216) == Monitor::colour(0));
    v.indexed(0x3D4, 0x07, 0x1F);  // line 455 is beyond the screen
    CHECK(v.see().at(0, 200) == Monitor::colour(0));
    v.indexed(0x3D4, 0x07, 0x0F);
    // Panning moves both parts, or only the upper one.
    v.attribute(0x13, 2);
    v.out(0x3C0, 0x20);
    p = v.see();
    CHECK(p.at(6, 0) == on);
    CHECK(p.at(0, 200) == Monitor::colour(0));
    v.attribute(0x10, 0x2C);
    v.out(0x3C0, 0x20);
    p = v.see();
    CHECK(p.at(6, 0) == on);
    CHECK(p.at(0, 200) == on);
  }
  SECTION("nine-dot panning counts from 8") {
    v.cell(0, 1, 'v', 0x07);
    for (const auto& [value, x] : {std::pair{8, 9}, {0, 8}, {1, 7}, {7, 1}}) {
      v.attribute(0x13, static_cast<std::uint8_t>(value));
      v.out(0x3C0, 0x20);
      CHECK(v.see().at(static_cast<unsigned>(x), 0) == on);
    }
  }
  SECTION("preset row scan and byte panning") {
    v.cell(1, 3, 'h', 0x07);
    CHECK(v.see().at(27, 16) == on);
    v.indexed(0x3D4, 0x08, 0x05);
    CHECK(v.see().at(27, 11) == on);
    CHECK(v.see().at(27, 16) == Monitor::colour(0));
    v.indexed(0x3D4, 0x08, 0x65);
    CHECK(v.see().at(0, 11) == on);
  }
}

TEST_CASE("VGA picture: blanking within the picture is black", "[planar][vga]") {
  Monitor v;
  v.set(Monitor::planar(true));
  v.plane(0x0F);
  for (std::uint32_t i = 0; i < 0x9600; ++i) v.poke(0xA0000 + i, 0xFF);
  v.indexed(0x3D4, 0x11, 0x0C);
  v.indexed(0x3D4, 0x15, 0x90);  // from line 400 on (bit 8 in the overflow register)
  v.indexed(0x3D4, 0x02, 0x48);  // from column 72 on
  const auto p = v.see();
  CHECK(p.at(0, 399) == Monitor::colour(15));
  CHECK(p.at(0, 400) == 0);
  CHECK(p.at(575, 0) == Monitor::colour(15));
  CHECK(p.at(576, 0) == 0);
}

TEST_CASE("VGA picture: odd and even pages", "[planar][vga]") {
  Monitor v;
  v.mode3();
  v.cell(0, 0, 'A', 0x07);
  v.out(0x3C2, 0x47);  // the other page: odd addresses of the planes
  v.cell(0, 0, 'B', 0x07);
  CHECK(v.get(0xB8000) == 'B');
  CHECK(v.vga.text_lines()[0] == "A");
  v.out(0x3C2, 0x67);
  CHECK(v.get(0xB8000) == 'A');
}

TEST_CASE("VGA picture: rendering has no side effects, whatever is programmed", "[planar][vga]") {
  Monitor v;
  v.mode3();
  std::uint64_t x = 12345;
  const auto next = [&] {
    x = x * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::uint8_t>(x >> 56);
  };
  for (int round = 0; round < 40; ++round) {
    v.indexed(0x3D4, 0x11, 0x0C);
    for (std::uint8_t i = 0; i < 25; ++i)
      if (next() & 1) v.indexed(0x3D4, i, i == 1 ? next() & 0x1F : next());
    for (std::uint8_t i = 1; i < 5; ++i) v.indexed(0x3C4, i, next() & 0x1F);
    for (std::uint8_t i = 0; i < 9; ++i) v.indexed(0x3CE, i, next());
    for (std::uint8_t i = 0; i < 21; ++i) v.attribute(i, next());
    v.out(0x3C0, 0x20);
    v.indexed(0x3D4, 0x17, 0x80 | next());
    Archive before = Archive::saver(), after = Archive::saver();
    v.vga.archive(before);
    const auto p = v.see();
    CHECK(p.rgb.size() == std::size_t{3} * p.width * p.height);
    v.vga.archive(after);
    CHECK(before.stream() == after.stream());
    v.vga.text_screen();
  }
}
