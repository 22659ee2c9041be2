// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/board/at/video/vga.hpp"

#include "core/common/random.hpp"
#include "tests/catch.hpp"
#include "tests/devices/board/vga_bench.hpp"

using namespace planar;
using planar::tests::Probe;

namespace {
using Video = planar::tests::VideoBench;
}  // namespace

TEST_CASE("VGA: no response while asleep or disabled", "[planar][vga]") {
  Video v;
  v.mode3();
  CHECK(v.in(0x3CC) == 0x67);
  v.out(0x3C3, 0x00);
  CHECK(v.in(0x3CC) == 0xFF);
  CHECK(v.in(0x3C3) == 0x00);
  CHECK(v.get(0xB8000) == 0xFF);
  v.out(0x3C3, 0x01);
  CHECK(v.in(0x3CC) == 0x67);
  v.vga.set_awake(false);
  CHECK(v.in(0x3C3) == 0xFF);
  CHECK_FALSE(v.vga.text_mode());
}

TEST_CASE("VGA: the text screen", "[planar][vga]") {
  Video v;
  v.mode3();
  CHECK(v.vga.text_mode());
  v.print(0, 0, "planar POST 161");
  v.print(24, 75, "right");
  v.print(3, 2, "\xC9\xCD\xBB \x80\xE1 \x01");
  auto lines = v.vga.text_lines();
  REQUIRE(lines.size() == 25);
  CHECK(lines[0] == "planar POST 161");
  CHECK(lines[1].empty());
  CHECK(lines[3] == "  ╔═╗ Çß ☺");
  CHECK(lines[24] == std::string(75, ' ') + "right");
  auto screen = v.vga.text_screen();
  CHECK(screen.columns == 80);
  CHECK(screen.attributes[0] == 0x1F);
  // Scrolling by the start address, cursor within the window.
  v.indexed(0x3D4, 0x0D, 80);
  v.indexed(0x3D4, 0x0E, 0);
  v.indexed(0x3D4, 0x0F, 80 + 5);
  lines = v.vga.text_lines();
  CHECK(lines[2] == "  ╔═╗ Çß ☺");
  screen = v.vga.text_screen();
  CHECK(screen.cursor_visible);
  CHECK(screen.cursor_row == 0);
  CHECK(screen.cursor_column == 5);
  v.indexed(0x3D4, 0x0A, 0x20);
  CHECK_FALSE(v.vga.text_screen().cursor_visible);
  // 50 lines of an 8 x 8 font.
  v.indexed(0x3D4, 0x09, 0x47);
  CHECK(v.vga.text_screen().rows == 50);
  v.indexed(0x3C4, 0x01, 0x20);
  CHECK(v.vga.text_lines().empty());
}

TEST_CASE("VGA: characters are in plane 0, attributes in plane 1", "[planar][vga]") {
  Video v;
  v.mode3();
  v.poke(0xB8000, 'A');
  v.poke(0xB8001, 0x07);
  CHECK(v.get(0xB8000) == 'A');
  CHECK(v.get(0xB8001) == 0x07);
  CHECK(v.get(0xA0000) == 0xFF);  // outside the window
  CHECK(v.get(0xB0000) == 0xFF);
  // Window at A0000, planes accessed individually: both bytes are at the even address.
  v.indexed(0x3CE, 6, 0x04);
  v.indexed(0x3CE, 5, 0x00);
  v.indexed(0x3CE, 4, 0);
  CHECK(v.get(0xA0000) == 'A');
  v.indexed(0x3CE, 4, 1);
  CHECK(v.get(0xA0000) == 0x07);
  CHECK(v.get(0xB8000) == 0xFF);
}

TEST_CASE("VGA: loading a font into plane 2 does not change the text", "[planar][vga]") {
  Video v;
  v.mode3();
  v.print(0, 0, "text stays");
  v.indexed(0x3C4, 2, 0x04);
  v.indexed(0x3C4, 4, 0x07);
  v.indexed(0x3CE, 4, 0x02);
  v.indexed(0x3CE, 5, 0x00);
  v.indexed(0x3CE, 6, 0x04);
  for (unsigned i = 0; i < 8192; ++i) v.poke(0xA0000 + i, static_cast<std::uint8_t>(i ^ i >> 5));
  for (unsigned i = 0; i < 8192; i += 61) CHECK(v.get(0xA0000 + i) == static_cast<std::uint8_t>(i ^ i >> 5));
  v.mode3();
  CHECK(v.vga.text_lines()[0] == "text stays");
}

TEST_CASE("VGA: retrace bits follow the programmed frame, 70 Hz in mode 3", "[planar][vga]") {
  Video v;
  v.mode3();
  std::vector<Time> starts;
  bool last = true;
  Time low{}, high{};
  while (starts.size() < 11) {
    const bool retrace = v.in(0x3DA) & 0x08;
    if (retrace && !last) starts.push_back(v.now);
    if (starts.size() > 0 && starts.size() < 11) (retrace ? high : low) += 1_us;
    last = retrace;
  }
  const Time frame{(starts[10] - starts[0]).ps / 10};
  CHECK(frame / 1_us >= 14'265);  // 900 x 449 dots at 28.322 MHz
  CHECK(frame / 1_us <= 14'272);
  CHECK(high / 1_us >= 10 * 60);  // two lines
  CHECK(high / 1_us <= 10 * 67);
  unsigned toggles = 0;
  bool blank = v.in(0x3DA) & 1;
  for (int i = 0; i < 14'000; ++i) {
    const bool now = v.in(0x3DA) & 1;
    if (now != blank) ++toggles;
    blank = now;
  }
  CHECK(toggles > 700);  // some 400 displayed lines
  CHECK(toggles < 820);
}

TEST_CASE("VGA: vertical retrace interrupt while enabled", "[planar][vga]") {
  Video v;
  Probe irq9;
  v.vga.irq9.connect(irq9);
  v.mode3();
  CHECK(irq9.rises.empty());
  v.step(50_ms);
  CHECK(irq9.rises.empty());  // bit 4 = 0 holds it clear
  v.indexed(0x3D4, 0x11, 0x8E & ~0x20);
  v.indexed(0x3D4, 0x11, (0x8E & ~0x20) | 0x10);
  v.step(20_ms);
  REQUIRE(irq9.rises.size() == 1);
  CHECK((v.in(0x3C2) & 0x80) != 0);
  v.indexed(0x3D4, 0x11, 0x0E);
  CHECK_FALSE(irq9.level);
}

TEST_CASE("VGA: registers read back; protection, colour and mono ports", "[planar][vga]") {
  Video v;
  v.mode3();
  CHECK(v.indexed(0x3D4, 0x00) == 0x5F);
  v.indexed(0x3D4, 0x00, 0x12);  // write-protected by register 11h bit 7
  CHECK(v.indexed(0x3D4, 0x00) == 0x5F);
  v.indexed(0x3D4, 0x07, 0xEF);
  CHECK(v.indexed(0x3D4, 0x07) == 0x0F);  // only line compare bit 8
  CHECK(v.in(0x3B4) == 0xFF);
  v.out(0x3C2, 0x66);
  CHECK(v.in(0x3D5) == 0xFF);
  CHECK(v.indexed(0x3B4, 0x01) == 0x4F);
  v.out(0x3C2, 0x67);
  v.attribute(0x11, 0x2A);
  v.in(0x3DA);
  v.out(0x3C0, 0x11);
  CHECK(v.in(0x3C1) == 0x2A);
  // Registers of later chips beyond IBM's set do not exist.
  for (const std::uint8_t index : {0x06, 0x08, 0x11}) {
    v.indexed(0x3C4, index, 0x12);
    CHECK(v.indexed(0x3C4, index) == 0x00);
  }
  v.indexed(0x3CE, 0x0F, 0x05);
  CHECK(v.indexed(0x3CE, 0x0F) == 0x00);
  v.indexed(0x3D4, 0x38, 0x48);
  CHECK(v.indexed(0x3D4, 0x38) == 0x00);
}

TEST_CASE("VGA: DAC by component with automatic increment", "[planar][vga]") {
  Video v;
  v.out(0x3C8, 250);
  for (unsigned i = 0; i < 30; ++i) v.out(0x3C9, static_cast<std::uint8_t>(i + 0x40));
  CHECK(v.in(0x3C7) == 0);
  v.out(0x3C7, 250);
  CHECK(v.in(0x3C7) == 3);
  for (unsigned i = 0; i < 18; ++i) CHECK(v.in(0x3C9) == i);
  CHECK(v.in(0x3C9) == 18);  // wrapped to entry 0
  CHECK(v.in(0x3C6) == 0xFF);
}

TEST_CASE("VGA: write and read modes equal the documented pipeline", "[planar][vga]") {
  Video v;
  v.mode3();
  v.indexed(0x3C4, 4, 0x06);
  v.indexed(0x3CE, 6, 0x05);
  std::uint8_t model[4][16] = {}, latch[4] = {};
  Random random(3);
  // The contents left by text mode in the first bytes of the planes.
  v.indexed(0x3C4, 2, 0x0F);
  v.indexed(0x3CE, 5, 0x00);
  for (unsigned i = 0; i < 16; ++i) v.poke(0xA0000 + i, 0);
  for (int n = 0; n < 4000; ++n) {
    const auto r = [&](unsigned bound) { return static_cast<std::uint8_t>(random.below(bound)); };
    const std::uint8_t map = r(16), sr = r(16), esr = r(16), rotate = r(8), function = r(4), mode = r(4),
                       mask = static_cast<std::uint8_t>(random.next()), compare = r(16), care = r(16), plane = r(4),
                       value = static_cast<std::uint8_t>(random.next());
    v.indexed(0x3C4, 2, map);
    v.indexed(0x3CE, 0, sr);
    v.indexed(0x3CE, 1, esr);
    v.indexed(0x3CE, 2, compare);
    v.indexed(0x3CE, 3, static_cast<std::uint8_t>(rotate | function << 3));
    v.indexed(0x3CE, 4, plane);
    v.indexed(0x3CE, 7, care);
    v.indexed(0x3CE, 8, mask);
    const unsigned from = r(16), to = r(16);
    const bool read_mode = r(2);
    v.indexed(0x3CE, 5, static_cast<std::uint8_t>(mode | read_mode << 3));
    unsigned expected = 0;
    for (unsigned bit = 0; bit < 8; ++bit) {
      bool same = true;
      for (unsigned p = 0; p < 4; ++p)
        if (care >> p & 1 && (model[p][from] >> bit & 1) != (compare >> p & 1)) same = false;
      expected |= same << bit;
    }
    if (!read_mode) expected = model[plane][from];
    REQUIRE(v.memory.peek(0xA0000 + from, v.now) == expected);
    REQUIRE(v.get(0xA0000 + from) == expected);
    for (unsigned p = 0; p < 4; ++p) latch[p] = model[p][from];
    v.poke(0xA0000 + to, value);
    for (unsigned p = 0; p < 4; ++p) {
      if (!(map >> p & 1)) continue;
      for (unsigned bit = 0; bit < 8; ++bit) {
        const unsigned old = latch[p] >> bit & 1;
        const unsigned turned = value >> ((bit + rotate) & 7) & 1;
        unsigned in = turned;
        bool use = mask >> bit & 1;
        if (mode == 0 && esr >> p & 1) in = sr >> p & 1;
        if (mode == 2) in = value >> p & 1;
        if (mode == 3) {
          in = sr >> p & 1;
          use = use && turned;
        }
        const unsigned logic = function == 0 ? in : function == 1 ? in & old : function == 2 ? in | old : in ^ old;
        const unsigned result = mode == 1 ? old : use ? logic : old;
        model[p][to] = static_cast<std::uint8_t>((model[p][to] & ~(1u << bit)) | result << bit);
      }
    }
  }
}

TEST_CASE("VGA: chain 4 puts adjacent bytes into adjacent planes", "[planar][vga]") {
  Video v;
  v.mode3();
  v.indexed(0x3C4, 2, 0x0F);
  v.indexed(0x3C4, 4, 0x0E);
  v.indexed(0x3CE, 5, 0x40);
  v.indexed(0x3CE, 6, 0x05);
  for (unsigned i = 0; i < 64; ++i) v.poke(0xA0000 + i, static_cast<std::uint8_t>(i + 1));
  for (unsigned i = 0; i < 64; ++i) CHECK(v.get(0xA0000 + i) == i + 1);
  v.indexed(0x3C4, 4, 0x06);
  v.indexed(0x3CE, 5, 0x00);
  v.indexed(0x3CE, 4, 3);
  CHECK(v.get(0xA0004) == 8);
}

TEST_CASE("VGA: a snapshot preserves screen and registers", "[planar][vga]") {
  Video v, w;
  v.mode3();
  v.print(7, 7, "snapshot");
  v.in(0x3DA);
  v.out(0x3C0, 0x31);  // index written, data pending
  REQUIRE(tests::survives_snapshot(v.vga, w.vga));
  CHECK(w.vga.text_lines()[7] == "       snapshot");
  w.out(0x3C0, 0x15);
  w.in(0x3DA);
  w.out(0x3C0, 0x31);
  CHECK(w.in(0x3C1) == 0x15);
}
