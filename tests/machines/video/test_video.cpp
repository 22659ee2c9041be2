// SPDX-License-Identifier: GPL-2.0-or-later
// INT 10h of the firmware, checked by its picture: each mode has the right size, pixels and characters.
#include <algorithm>
#include <map>

#include "machines/config/machine_files.hpp"
#include "machines/lab/lab.hpp"
#include "tests/catch.hpp"
#include "tests/machines/assembler.hpp"

using namespace planar;
using planar::test::Assembler;

namespace {

constexpr unsigned more = 0xA5, ready = 0x5A;  // checkpoints: working, and the picture is complete

/// A machine whose diskette runs `body` as its boot program; `body` writes checkpoint 5Ah when there is something to
/// see and calls "pause", which returns after a key.
class Screen {
 public:
  explicit Screen(Assembler& body) : lab_(load_machine("model95")) {
    body.label("pause")({0xB0, ready, 0xBA, 0x80, 0x06, 0xEE});  // mov al; mov dx, 680h; out
    body({0xB4, 0x00, 0xCD, 0x16});                              // a key
    body({0xB0, more, 0xBA, 0x80, 0x06, 0xEE, 0xC3});
    lab_.insert_diskette(test::boot_diskette(body), "video test");
  }
  Machine& machine() { return lab_.machine(); }
  void run(Time duration) { lab_.scheduler().run_until(lab_.scheduler().now() + duration); }
  /// Runs until the program has something to show.
  Picture next() {
    if (started_) {
      auto& keyboard = machine().keyboard_controller().keyboard();
      keyboard.key(0x39, true, lab_.scheduler().now());
      run(30_ms);
      keyboard.key(0x39, false, lab_.scheduler().now());
    }
    started_ = true;
    const Time limit = lab_.scheduler().now() + 8_s;
    run(30_ms);
    while ((machine().board().checkpoint() & 0xFF) != ready && lab_.scheduler().now() < limit) run(10_ms);
    REQUIRE((machine().board().checkpoint() & 0xFF) == ready);
    // Of two times half a cursor period apart, the one at which the cursor is off.
    const Vga& video = machine().video();
    const Time now = lab_.scheduler().now();
    Picture one = video.picture(now), other = video.picture(now + video.frame_period() * 8);
    const auto dark = [](const Picture& p) { return std::count(p.rgb.begin(), p.rgb.end(), 0); };
    return dark(one) > dark(other) ? one : other;
  }

 private:
  Lab lab_;
  bool started_ = false;
};

/// The dots of a cell in the top row, '#' where the pixel is not black.
std::string cell(const Picture& p, unsigned column, unsigned columns, unsigned height, unsigned row_lines) {
  std::string all;
  const unsigned dot = p.width / columns / 8, left = column * (p.width / columns);
  for (unsigned y = 0; y < height; ++y) {
    for (unsigned x = 0; x < 8; ++x) all += p.at(left + x * dot, y * row_lines) != 0 ? '#' : '.';
    all += '\n';
  }
  return all;
}

}  // namespace

TEST_CASE("INT 10h: every mode has the right size, and shows a pixel and a character") {
  struct Mode {
    unsigned number, width, height, columns, cell_lines, row_lines, x, y;  // the pixel set with AH=0Ch
  };
  // clang-format off
  const Mode modes[] = {
      {0x00, 720, 400, 40, 16, 1, 0, 0},     {0x01, 720, 400, 40, 16, 1, 0, 0},     {0x02, 720, 400, 80, 16, 1, 0, 0},
      {0x03, 720, 400, 80, 16, 1, 0, 0},     {0x04, 640, 400, 40, 8, 2, 319, 199},  {0x05, 640, 400, 40, 8, 2, 319, 199},
      {0x06, 640, 400, 80, 8, 2, 639, 199},  {0x07, 720, 400, 80, 16, 1, 0, 0},     {0x0D, 640, 400, 40, 8, 2, 319, 199},
      {0x0E, 640, 400, 80, 8, 2, 639, 199},  {0x0F, 640, 350, 80, 14, 1, 639, 349}, {0x10, 640, 350, 80, 14, 1, 639, 349},
      {0x11, 640, 480, 80, 16, 1, 639, 479}, {0x12, 640, 480, 80, 16, 1, 639, 479}, {0x13, 640, 400, 40, 8, 2, 319, 199}};
  Assembler a(0x7C00);
  for (const auto& mode : modes) {
    a({0xB8, mode.number, 0x00, 0xCD, 0x10});       // set it
    a({0xBB, 0x01, 0x00, 0xB9, 0x01, 0x00});        // colour 1, once
    a({0xB8, 'A', 0x0A, 0xCD, 0x10});               // character at the upper left corner
    // clang-format on
    if (mode.x) {
      a.word({0xB9}, mode.x).word({0xBA}, mode.y);
      a({0xB8, 0x01, 0x0C, 0xCD, 0x10});
    }
    a.call("pause");
  }
  a({0xFA, 0xF4});
  Screen screen(a);
  std::map<unsigned, std::string> glyphs;
  for (const auto& mode : modes) {
    INFO("mode " << mode.number);
    const Picture p = screen.next();
    CHECK(p.width == mode.width);
    CHECK(p.height == mode.height);
    auto& glyph = glyphs[mode.cell_lines];
    const auto seen = cell(p, 0, mode.columns, mode.cell_lines, mode.row_lines);
    if (glyph.empty()) glyph = seen;
    if (mode.x || mode.number == 0) CHECK(seen == glyph);
    const auto lit = std::count(seen.begin(), seen.end(), '#');
    CHECK(lit >= 10);
    CHECK(lit <= 60);
    if (!mode.x) continue;
    CHECK(p.at(p.width - 1, p.height - 1) != 0);
    CHECK(p.at(p.width - 1, p.height - 1 - mode.row_lines) == 0);
    CHECK(p.at(p.width - 3, p.height - 1) == 0);
  }
}

TEST_CASE("INT 10h: 28, 43 and 50 rows of text, 200, 350 and 400 lines") {
  struct Form {
    unsigned lines, font, rows, height, width;  // AL of 12h/30h; of 11h, 0 = none
  };
  const Form forms[] = {{2, 0x00, 25, 400, 720}, {2, 0x11, 28, 392, 720}, {2, 0x12, 50, 400, 720},
                        {1, 0x00, 25, 350, 640}, {1, 0x12, 43, 344, 640}, {0, 0x00, 25, 400, 640}};
  Assembler a(0x7C00);
  for (const auto& form : forms) {
    a({0xB8, form.lines, 0x12, 0xBB, 0x30, 0x00, 0xCD, 0x10});
    a({0xB8, 0x03, 0x00, 0xCD, 0x10});
    if (form.font) a({0xB8, form.font, 0x11, 0xBB, 0x00, 0x00, 0xCD, 0x10});
    a({0xB8, 0x00, 0x02, 0xBB, 0x00, 0x00, 0xBA, 0x02, form.rows - 1, 0xCD, 0x10});  // cursor to the last row
    a({0xB8, 'Z', 0x0E, 0xCD, 0x10});
    a.call("pause");
  }
  a({0xFA, 0xF4});
  Screen screen(a);
  for (const auto& form : forms) {
    INFO("lines " << form.lines << " font " << form.font);
    const Picture p = screen.next();
    CHECK(p.width == form.width);
    CHECK(p.height == form.height);
    const auto lines = screen.machine().video().text_lines();
    REQUIRE(lines.size() == form.rows);
    CHECK(lines.back() == "  Z");
  }
}

TEST_CASE("INT 10h: 1Ch restores mode, palette and screen position") {
  Assembler a(0x7C00);
  a({0x31, 0xC0, 0x8E, 0xC0});                                                        // ES = 0
  a({0xB8, 0x13, 0x00, 0xCD, 0x10});                                                  // mode 13h
  a({0xB8, 0x10, 0x10, 0xBB, 0x09, 0x00, 0xB6, 0x3F, 0xB9, 0x15, 0x00, 0xCD, 0x10});  // entry 9: red, some blue
  a({0xB8, 0x09, 0x0C, 0xB9, 0x09, 0x00, 0xBA, 0x05, 0x00, 0xBB, 0x00, 0x00, 0xCD, 0x10});
  a({0xB8, 0x00, 0x1C, 0xB9, 0x07, 0x00, 0xCD, 0x10});                    // how many blocks?
  a({0x53});                                                              // push bx
  a({0xB8, 0x01, 0x1C, 0xB9, 0x07, 0x00, 0xBB, 0x00, 0x20, 0xCD, 0x10});  // save at 0:2000h
  a({0x58, 0xA3, 0x00, 0x30});                                            // keep the number of blocks at 0:3000h
  a.call("pause");
  a({0xB8, 0x83, 0x00, 0xCD, 0x10});  // text, memory preserved except for the font (plane 2)
  a.call("pause");
  a({0xB8, 0x02, 0x1C, 0xB9, 0x07, 0x00, 0xBB, 0x00, 0x20, 0xCD, 0x10});
  a({0xB8, 0x00, 0x0F, 0xCD, 0x10, 0xA2, 0x02, 0x30});  // the mode, at 0:3002h
  a.call("pause");
  a({0xFA, 0xF4});
  Screen screen(a);
  const Picture before = screen.next();
  REQUIRE(before.height == 400);
  CHECK(before.at(18, 10) >> 16 == 0xFF);
  const unsigned blocks = screen.machine().peek_memory(0x3000);
  CHECK(blocks >= (768 + 60) / 64);
  CHECK(blocks <= 16);
  CHECK(screen.next().width == 720);
  const Picture after = screen.next();
  CHECK(screen.machine().peek_memory(0x3002) == 0x13);
  REQUIRE(after.width == before.width);
  REQUIRE(after.height == before.height);
  CHECK(after.at(18, 10) == before.at(18, 10));
}

TEST_CASE("INT 10h: palette, pages, strings, scrolling, backgrounds, CGA colours") {
  Assembler a(0x7C00);
  a({0x31, 0xC0, 0x8E, 0xC0});                          // ES = 0
  a({0xB8, 0x03, 0x00, 0xCD, 0x10});                    // 80 x 25
  a({0xB8, 0x00, 0x10, 0xBB, 0x07, 0x04, 0xCD, 0x10});  // attribute 7 shows DAC entry 4
  a({0xB8, 'A', 0x0E, 0xBB, 0x00, 0x00, 0xCD, 0x10});
  a.call("pause");
  a({0xB8, 0x10, 0x10, 0xBB, 0x04, 0x00, 0xB6, 0x3F, 0xB9, 0x00, 0x3F, 0xCD, 0x10});  // entry 4 becomes yellow
  a.call("pause");
  a({0xB8, 0x01, 0x05, 0xCD, 0x10});  // page 1, a string at row 3, column 5
  a({0xB8, 0x01, 0x13, 0xBB, 0x1E, 0x01, 0xB9, 0x05, 0x00, 0xBA, 0x05, 0x03});
  a.pointer({0xBD}, "string")({0xCD, 0x10});
  a.call("pause");
  a({0xB8, 0x00, 0x05, 0xCD, 0x10});  // page 0, two rows down
  a({0xB8, 0x02, 0x07, 0xB7, 0x17, 0xB9, 0x00, 0x00, 0xBA, 0x4F, 0x18, 0xCD, 0x10});
  a.call("pause");
  a({0xB8, 0x03, 0x10, 0xB3, 0x00, 0xCD, 0x10});  // bright backgrounds instead of blinking
  a({0xB8, 0x00, 0x02, 0xB7, 0x00, 0xBA, 0x00, 0x00, 0xCD, 0x10});
  a({0xB8, ' ', 0x09, 0xBB, 0x90, 0x00, 0xB9, 0x01, 0x00, 0xCD, 0x10});
  a.call("pause");
  a({0xB8, 0x04, 0x00, 0xCD, 0x10});  // CGA: blue background, green for colour 1
  a({0xB8, 0x00, 0x0B, 0xBB, 0x01, 0x00, 0xCD, 0x10, 0xB8, 0x00, 0x0B, 0xBB, 0x00, 0x01, 0xCD, 0x10});
  a({0xB8, 0x01, 0x0C, 0xB9, 0x0A, 0x00, 0xBA, 0x05, 0x00, 0xCD, 0x10});
  a.call("pause");
  a({0xFA, 0xF4});
  a.label("string")({'H', 'e', 'l', 'l', 'o'});
  Screen screen(a);

  const auto lit = [](const Picture& p) {  // the colour of the character in the upper left corner
    for (unsigned y = 0; y < 12; ++y)
      for (unsigned x = 0; x < 8; ++x)
        if (p.at(x, y) != 0) return p.at(x, y);
    return std::uint32_t{0};
  };
  CHECK(lit(screen.next()) == 0xAA0000);
  CHECK(lit(screen.next()) == 0xFFFF00);
  screen.next();
  auto lines = screen.machine().video().text_lines();
  CHECK(lines[0].empty());
  CHECK(lines[3] == "     Hello");
  Picture p = screen.next();
  lines = screen.machine().video().text_lines();
  CHECK(lines[0].empty());
  CHECK(lines[2] == "A");
  CHECK(p.at(0, 0) == 0x0000AA);
  CHECK(p.at(700, 31) == 0x0000AA);
  CHECK(p.at(700, 32) == 0x000000);
  CHECK(screen.next().at(0, 0) == 0x5555FF);
  p = screen.next();
  CHECK(p.at(0, 0) == 0x0000AA);
  CHECK(p.at(20, 10) == 0x00AA00);
}
