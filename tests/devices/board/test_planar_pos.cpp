// SPDX-License-Identifier: GPL-2.0-or-later
// The functions that the POS registers of a planar and its VGA switch on and off.
#include "devices/board/ps2/planar_pos.hpp"

#include <optional>
#include <vector>

#include "tests/bus/rig.hpp"

using namespace planar;
using namespace planar::test;

TEST_CASE("planar POS 2 enables the planar's ports") {
  PlanarPos planar(0xFBFF);
  std::optional<PlanarFunctions> told;
  int calls = 0;
  planar.on_change([&](const PlanarFunctions& f, Time) {
    told = f;
    ++calls;
  });
  REQUIRE(planar.pos_peek(0) == 0xFF);
  REQUIRE(planar.pos_peek(1) == 0xFB);

  planar.pos_write(2, 0b0011'1111, 1_us);  // all on: COM1, LPT 378h
  REQUIRE(told);
  REQUIRE(told->diskette);
  REQUIRE(told->serial);
  REQUIRE(told->serial_base == 0x3F8);
  REQUIRE(told->serial_irq == 4);
  REQUIRE(told->parallel);
  REQUIRE(told->parallel_base == 0x378);
  REQUIRE(calls == 1);
  planar.pos_write(2, 0b0011'1111, 2_us);  // no change, no call
  planar.pos_write(3, 0xA5, 2_us);
  REQUIRE(calls == 1);
  REQUIRE(planar.pos_peek(3) == 0xA5);
  planar.pos_write(2, 0b0101'0101, 3_us);  // COM2, LPT 278h, no diskette
  REQUIRE_FALSE(told->diskette);
  REQUIRE(told->serial_base == 0x2F8);
  REQUIRE(told->serial_irq == 3);
  REQUIRE(told->parallel_base == 0x278);
  planar.pos_write(2, 0b0011'1110, 4_us);  // the master enable switches all of them off
  REQUIRE_FALSE(told->diskette);
  REQUIRE_FALSE(told->serial);
  REQUIRE_FALSE(told->parallel);
  planar.pos_write(0, 0x00, 5_us);
  planar.pos_write(6, 0x00, 5_us);
  planar.pos_write(7, 0x00, 5_us);
  REQUIRE(planar.pos_peek(0) == 0xFF);
  REQUIRE(planar.pos_peek(6) == 0xFF);
}

TEST_CASE("planar VGA is enabled through POS 2 bit 0 in its setup") {
  Rig rig;
  VideoPos video;
  std::vector<bool> calls;
  video.on_change([&](bool awake, Time) { calls.push_back(awake); });
  rig.pos.set_video(&video);
  rig.out(0x94, 0xDF);
  REQUIRE((rig.in(0x102) & 1) == 0);
  rig.out(0x102, 0x01);
  REQUIRE((rig.in(0x102) & 1) == 1);
  rig.out(0x102, 0x01);
  rig.out(0x94, 0xFF);
  rig.out(0x102, 0x00);
  REQUIRE(calls == std::vector<bool>{true});
  REQUIRE(video.awake());
}
