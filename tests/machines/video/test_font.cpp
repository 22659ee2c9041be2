// SPDX-License-Identifier: GPL-2.0-or-later
// The firmware's character generators as returned by INT 10h AX=1130h: every character has its own glyph, and lines and
// boxes meet at the edges of their cells.
#include <algorithm>
#include <array>
#include <map>
#include <vector>

#include "machines/config/machine_files.hpp"
#include "machines/lab/lab.hpp"
#include "tests/catch.hpp"
#include "tests/machines/assembler.hpp"

using namespace planar;
using planar::test::Assembler;

namespace {

constexpr unsigned found_at = 0x600;  // where the boot program stores the fonts' offsets
constexpr std::array<std::pair<unsigned, unsigned>, 3> fonts{{{16, 6}, {14, 2}, {8, 3}}};  // height, BH

using Glyph = std::vector<std::uint8_t>;

/// The 256 characters by cell height.
const std::map<unsigned, std::vector<Glyph>>& firmware_fonts() {
  static const auto read = [] {
    Assembler a(0x7C00);
    for (unsigned n = 0; n < fonts.size(); ++n) {
      a({0xB8, 0x30, 0x11, 0xB7, fonts[n].second, 0xCD, 0x10});  // mov ax, 1130h; mov bh, FONT; int 10h
      a({0x2E, 0x89, 0x2E}).word({}, found_at + 4 * n);          // mov cs:[offset], bp
      a({0x2E, 0x8C, 0x06}).word({}, found_at + 4 * n + 2);      // mov cs:[segment], es
    }
    a.label("end")({0xF4}).jump(0xEB, "end");  // halted
    Lab lab(load_machine("model95"));
    lab.insert_diskette(test::boot_diskette(a), "fonts");
    lab.scheduler().run_until(12_s);
    const Machine& machine = lab.machine();
    const auto word = [&](unsigned at) { return machine.peek_memory(at) | unsigned{machine.peek_memory(at + 1)} << 8; };
    std::map<unsigned, std::vector<Glyph>> all;
    for (unsigned n = 0; n < fonts.size(); ++n) {
      const unsigned height = fonts[n].first, start = word(found_at + 4 * n + 2) * 16 + word(found_at + 4 * n);
      REQUIRE(start >= 0xF0000);
      for (unsigned code = 0; code < 256; ++code) {
        Glyph glyph;
        for (unsigned row = 0; row < height; ++row) glyph.push_back(machine.peek_memory(start + code * height + row));
        all[height].push_back(std::move(glyph));
      }
    }
    return all;
  }();
  return read;
}

bool blank(const Glyph& glyph) {
  return std::all_of(glyph.begin(), glyph.end(), [](std::uint8_t row) { return row == 0; });
}

/// The rows in which a glyph's dot at `mask` is set.
std::vector<unsigned> rows_with(const Glyph& glyph, unsigned mask) {
  std::vector<unsigned> rows;
  for (unsigned row = 0; row < glyph.size(); ++row)
    if (glyph[row] & mask) rows.push_back(row);
  return rows;
}

/// B3h to DAh: number of lines that leave the cell to the left, right, top and bottom.
constexpr const char* arms[] = {"0011", "1011", "2011", "1022", "1002", "2001", "2022", "0022", "2002", "2020",
                                "1020", "2010", "1001", "0110", "1110", "1101", "0111", "1100", "1111", "0211",
                                "0122", "0220", "0202", "2220", "2202", "0222", "2200", "2222", "2210", "1120",
                                "2201", "1102", "0120", "0210", "0201", "0102", "1122", "2211", "1010", "0101"};

}  // namespace

TEST_CASE("every printable character has a glyph, and all glyphs differ", "[font]") {
  for (const auto& [height, glyphs] : firmware_fonts()) {
    std::map<Glyph, unsigned> seen;
    for (unsigned code = 1; code < 255; ++code) {
      INFO("8 x " << height << ", character " << std::hex << code);
      if (code == 0x20) {
        CHECK(blank(glyphs[code]));
        continue;
      }
      CHECK_FALSE(blank(glyphs[code]));
      const auto [first, is_new] = seen.emplace(glyphs[code], code);
      INFO("drawn like " << std::hex << first->second);
      CHECK(is_new);
    }
  }
}

TEST_CASE("lines and boxes meet at the edges of their cells, and blocks fill their cells", "[font]") {
  for (const auto& [height, glyphs] : firmware_fonts()) {
    const Glyph &horizontal = glyphs[0xC4], &doubled = glyphs[0xCD], &vertical = glyphs[0xB3], &pair = glyphs[0xBA];
    const auto level = [&](char arm, unsigned mask) {
      return arm == '0' ? std::vector<unsigned>{} : rows_with(arm == '1' ? horizontal : doubled, mask);
    };
    const auto stem = [&](char arm, unsigned row) {
      return arm == '0' ? 0u : unsigned{(arm == '1' ? vertical : pair)[row]};
    };
    CHECK(rows_with(horizontal, 0x80).size() == 1);
    CHECK(rows_with(doubled, 0x80).size() == 2);
    for (unsigned n = 0; n < std::size(arms); ++n) {
      const Glyph& glyph = glyphs[0xB3 + n];
      INFO("8 x " << height << ", character " << std::hex << 0xB3 + n);
      CHECK(rows_with(glyph, 0x80) == level(arms[n][0], 0x80));
      CHECK(rows_with(glyph, 0x01) == level(arms[n][1], 0x01));
      CHECK(glyph.front() == stem(arms[n][2], 0));
      CHECK(glyph.back() == stem(arms[n][3], height - 1));
    }
    CHECK(glyphs[0xDB] == Glyph(height, 0xFF));
    for (unsigned row = 0; row < height; ++row) {
      CHECK((glyphs[0xDC][row] ^ glyphs[0xDF][row]) == 0xFF);
      CHECK((glyphs[0xDD][row] ^ glyphs[0xDE][row]) == 0xFF);
    }
  }
}

TEST_CASE("strokes of letters and digits are two dots wide", "[font]") {
  // Where a stem runs down over three or more rows, it has a neighbour; the corners of round letters need not.
  for (const auto& [height, glyphs] : firmware_fonts())
    for (const char letter : std::string("0123456789ABCDEFGHIJKLNOPQRSTUVXYZabcdefghijklnopqrstuvxyz")) {
      const Glyph& glyph = glyphs[static_cast<unsigned char>(letter)];
      INFO("8 x " << height << ", " << letter);
      for (unsigned x = 0; x < 8; ++x)
        for (unsigned row = 0; row + 3 <= height; ++row) {
          bool thin = true;
          for (unsigned r = row; r < row + 3; ++r) {
            const unsigned wide = unsigned{glyph[r]} << 1, dot = 0x100u >> x;
            thin = thin && wide & dot && !(wide & dot << 1) && !(wide & dot >> 1);
          }
          CHECK_FALSE(thin);
        }
    }
}
