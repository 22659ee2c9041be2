// SPDX-License-Identifier: GPL-2.0-or-later
// Keyboard and mouse from a driver's point of view: every command with its responses, in virtual time.
#include "tests/devices/board/keyboard_bench.hpp"

using namespace planar;
using planar::tests::Bytes;
using planar::tests::Keyboard;

TEST_CASE("keyboard: command EDh sets the LEDs, and a reset turns them off", "[planar][keyboard]") {
  Keyboard k;
  k.start(0x27);
  CHECK(k.chip.keyboard().leds() == 0);
  CHECK(k.tell({0xED, 0x07}) == Bytes{0xFA, 0xFA});
  CHECK(k.chip.keyboard().leds() == 7);
  CHECK(k.tell({0xED, 0x02}) == Bytes{0xFA, 0xFA});
  CHECK(k.chip.keyboard().leds() == 2);
  // A command in place of the option byte is executed; the LEDs do not change.
  CHECK(k.tell({0xED, 0xEE}) == Bytes{0xFA, 0xEE});
  CHECK(k.chip.keyboard().leds() == 2);
  CHECK(k.tell({0xF6}) == Bytes{0xFA});
  CHECK(k.chip.keyboard().leds() == 2);
  k.data(0xFF);
  CHECK(k.read() == 0xFA);
  const Time sent = k.now;
  CHECK(k.read(1_s) == 0xAA);
  CHECK((k.now - sent) / 1_ms >= 490);
  CHECK((k.now - sent) / 1_ms <= 750);
  CHECK(k.chip.keyboard().leds() == 0);
}

TEST_CASE("keyboard: echo, disabling, enabling, defaults", "[planar][keyboard]") {
  Keyboard k;
  k.start(0x27);
  CHECK(k.tell({0xEE}) == Bytes{0xEE});
  CHECK(k.tell({0xF3, 0x00}) == Bytes{0xFA, 0xFA});
  CHECK(k.tell({0xF5}) == Bytes{0xFA});
  CHECK(k.press(0x1E, true) == Bytes{});
  CHECK(k.press(0x1E, false) == Bytes{});
  CHECK(k.tell({0xF4}) == Bytes{0xFA});
  CHECK(k.press(0x1E, true) == Bytes{0x1C});
  CHECK(k.during(300_ms) == Bytes{});  // another 500 ms before it repeats
  CHECK(k.press(0x1E, false) == Bytes{0xF0, 0x1C});
  CHECK(k.tell({0xF0, 0x01, 0xF6}) == Bytes{0xFA, 0xFA, 0xFA});
  CHECK(k.press(0x1E, true) == Bytes{0x1C});  // set 2 again
}

TEST_CASE("keyboard: F0h reports and changes the scan code set, with and without translation", "[planar][keyboard]") {
  Keyboard k;
  k.start(0x27);
  for (const unsigned set : {1u, 3u, 2u}) {
    CHECK(k.tell({0xF0, set}) == Bytes{0xFA, 0xFA});
    CHECK(k.tell({0xF0, 0x00}) == Bytes{0xFA, 0xFA, set});
  }
  CHECK(k.tell({0xF0, 0x04}) == Bytes{0xFA, 0xFE});
  k.command(0x60);
  k.data(0x67);
  const std::pair<unsigned, unsigned> translated[] = {{1, 0x43}, {2, 0x41}, {3, 0x3F}};
  for (const auto& [set, code] : translated) {
    CHECK(k.tell({0xF0, set}) == Bytes{0xFA, 0xFA});
    CHECK(k.tell({0xF0, 0x00}) == Bytes{0xFA, 0xFA, code});
  }
}

TEST_CASE("keyboard: the last key pressed repeats, with all of its codes", "[planar][keyboard]") {
  Keyboard k;
  k.start(0x27);
  k.tell({0xF3, 0x00});  // after 250 ms, 30 per second
  CHECK(k.press(0xE048, true) == Bytes{0xE0, 0x75});
  CHECK(k.during(260_ms) == Bytes{0xE0, 0x75});
  CHECK(k.press(0x1E, true) == Bytes{0x1C});
  CHECK(k.press(0xE048, false) == Bytes{0xE0, 0xF0, 0x75});  // the other key continues
  CHECK(k.during(265_ms) == Bytes{0x1C, 0x1C});
  CHECK(k.press(0x1E, false) == Bytes{0xF0, 0x1C});
  CHECK(k.during(400_ms) == Bytes{});
  // A change of the scan code set stops the held key's repeat.
  CHECK(k.press(0x1E, true) == Bytes{0x1C});
  k.tell({0xF0, 0x02});
  CHECK(k.during(400_ms) == Bytes{});
}

TEST_CASE("keyboard: in set 3 commands select per key whether it repeats or sends breaks", "[planar][keyboard]") {
  Keyboard k;
  k.start(0x27);
  k.tell({0xF0, 0x03, 0xF3, 0x00});
  const auto stroke = [&](std::uint16_t code) {
    Bytes all = k.press(code, true);
    for (const unsigned b : k.during(260_ms)) all.push_back(b);
    for (const unsigned b : k.press(code, false)) all.push_back(b);
    return all;
  };
  // Power-on default: letters repeat, shift keys send a break code, function keys only a make code.
  CHECK(stroke(0x1E) == Bytes{0x1C, 0x1C});
  CHECK(stroke(0x2A) == Bytes{0x12, 0xF0, 0x12});
  CHECK(stroke(0x3B) == Bytes{0x07});
  CHECK(k.tell({0xF8}) == Bytes{0xFA});
  CHECK(stroke(0x1E) == Bytes{0x1C, 0xF0, 0x1C});
  CHECK(k.tell({0xF9}) == Bytes{0xFA});
  CHECK(stroke(0x2A) == Bytes{0x12});
  CHECK(k.tell({0xFA}) == Bytes{0xFA});
  CHECK(stroke(0x3B) == Bytes{0x07, 0x07, 0xF0, 0x07});
  CHECK(k.tell({0xF7}) == Bytes{0xFA});
  CHECK(stroke(0x3B) == Bytes{0x07, 0x07});
  // Individual keys selected by their set 3 code, until another command.
  CHECK(k.tell({0xFD, 0x1C, 0x12, 0xF4}) == Bytes{0xFA, 0xFA, 0xFA, 0xFA});
  CHECK(stroke(0x1E) == Bytes{0x1C});
  CHECK(stroke(0x2A) == Bytes{0x12});
  CHECK(k.tell({0xFC, 0x1C, 0xF4}) == Bytes{0xFA, 0xFA, 0xFA});
  CHECK(stroke(0x1E) == Bytes{0x1C, 0xF0, 0x1C});
  CHECK(k.tell({0xFB, 0x1C, 0xF4}) == Bytes{0xFA, 0xFA, 0xFA});
  CHECK(stroke(0x1E) == Bytes{0x1C, 0x1C});
  // Extended keys have one code without shift codes around it.
  CHECK(k.tell({0xF6, 0xF0, 0x03}) == Bytes{0xFA, 0xFA, 0xFA});
  CHECK(k.press(0xE048, true) == Bytes{0x63});
}

TEST_CASE("mouse: reset, identity, status", "[planar][mouse]") {
  Keyboard k;
  k.start(0x67);
  k.start_mouse();
  k.tell_mouse({0xE8, 0x00, 0xF3, 200, 0xE7, 0xF4});
  k.chip.mouse().buttons(0x05, k.now);  // left and middle
  k.read_all(20_ms);
  CHECK(k.tell_mouse({0xE9}) == Bytes{0xFA, 0x36, 0x00, 200});  // enabled, 2:1, left, middle
  CHECK(k.tell_mouse({0xF0, 0xE9}) == Bytes{0xFA, 0xFA, 0x76, 0x00, 200});
  k.mouse(0xFF);
  CHECK(k.read() == 0xFA);
  const Time sent = k.now;
  CHECK(k.read(1_s) == 0xAA);
  CHECK((k.now - sent) / 1_ms >= 250);
  CHECK(k.read() == 0x00);
  CHECK(k.tell_mouse({0xE9}) == Bytes{0xFA, 0x06, 0x02, 100});
  CHECK(k.tell_mouse({0xF2}) == Bytes{0xFA, 0x00});
  CHECK(k.tell_mouse({0xE1}) == Bytes{0xFE});
  CHECK(k.tell_mouse({0xE8, 4}) == Bytes{0xFA, 0xFE});
}

TEST_CASE("mouse: resolution and scaling", "[planar][mouse]") {
  Keyboard k;
  k.start(0x67);
  k.start_mouse();
  k.tell_mouse({0xF0});
  // A movement of 2 mm, at 1, 2, 4 and 8 counts per millimetre.
  for (const unsigned resolution : {0u, 1u, 2u, 3u}) {
    k.tell_mouse({0xE8, resolution});
    k.chip.mouse().moved(8, -8, k.now);
    const unsigned counts = 2u << resolution;
    CHECK(k.tell_mouse({0xEB}) == Bytes{0xFA, 0x28, counts, 0x100 - counts});
  }
  // 2:1 scaling applies to stream mode only.
  k.tell_mouse({0xF6, 0xF0, 0xE7});
  k.chip.mouse().moved(8, 0, k.now);
  CHECK(k.tell_mouse({0xEB}) == Bytes{0xFA, 0x08, 8, 0});
  k.tell_mouse({0xEA, 0xF4});
  const std::pair<int, unsigned> scaled[] = {{1, 1}, {2, 1}, {3, 3}, {4, 6}, {5, 9}, {6, 12}, {50, 100}};
  for (const auto& [moved, reported] : scaled) {
    k.chip.mouse().moved(moved, 0, k.now);
    CHECK(k.read_all(30_ms) == Bytes{0x08, reported, 0});
  }
  k.tell_mouse({0xE6});
  k.chip.mouse().moved(5, 0, k.now);
  CHECK(k.read_all(30_ms) == Bytes{0x08, 5, 0});
  CHECK(k.tell_mouse({0xFE}) == Bytes{0x08, 5, 0});  // again
  CHECK(k.tell_mouse({0xF5}) == Bytes{0xFA});
  k.chip.mouse().moved(5, 0, k.now);
  CHECK(k.read_all(30_ms) == Bytes{});
}

TEST_CASE("mouse: movement before a command is not reported after it", "[planar][mouse]") {
  Keyboard k;
  k.start(0x67);
  k.start_mouse();
  k.chip.mouse().moved(60, 40, k.now);
  CHECK(k.tell_mouse({0xF4}) == Bytes{0xFA});
  CHECK(k.read_all(30_ms) == Bytes{});
  k.tell_mouse({0xF0});
  k.chip.mouse().moved(300, 0, k.now);
  CHECK(k.tell_mouse({0xE8}) == Bytes{0xFA});
  CHECK(k.tell_mouse({0x02}) == Bytes{0xFA});
  CHECK(k.tell_mouse({0xEB}) == Bytes{0xFA, 0x08, 0, 0});
}

TEST_CASE("mouse: IRQ 12 and the mouse's interface follow the command byte", "[planar][mouse]") {
  Keyboard k;
  k.start(0x65);  // no IRQ 12
  k.start_mouse();
  k.tell_mouse({0xF4});
  k.irq12.rises.clear();
  k.chip.mouse().buttons(1, k.now);
  CHECK(k.read_all(30_ms) == Bytes{0x09, 0, 0});
  CHECK(k.irq12.rises.empty());
  k.command(0x60);
  k.data(0x47);
  k.chip.mouse().buttons(0, k.now);
  CHECK(k.read_all(30_ms) == Bytes{0x08, 0, 0});
  CHECK(k.irq12.rises.size() == 3);
  k.command(0xA7);
  k.step(1_ms);
  k.chip.mouse().buttons(2, k.now);
  CHECK(k.read_all(30_ms) == Bytes{});
  k.command(0xA8);
  CHECK(k.read_all(30_ms) == Bytes{0x0A, 0, 0});
  // The keyboard sends between the mouse's bytes.
  k.chip.mouse().moved(3, 0, k.now);
  k.chip.keyboard().key(0x1E, true, k.now);
  const Bytes both = k.read_all(10_ms);
  CHECK(std::count(both.begin(), both.end(), 0x1Eu) == 1);
  CHECK(both.size() == 4);
}
