// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/board/at/input/i8042.hpp"

#include "tests/catch.hpp"
#include "tests/devices/board/keyboard_bench.hpp"

using namespace planar;
using planar::tests::Bytes;
using planar::tests::Keyboard;
using planar::tests::Probe;

TEST_CASE("8042: a kernel's initialisation gets its responses at plausible times", "[planar][i8042]") {
  Keyboard k;
  CHECK((k.in(0x64) & 0x04) == 0);  // system flag: no self-test yet
  k.start();
  CHECK((k.in(0x64) & 0x14) == 0x14);
  k.command(0x20);
  CHECK(k.read() == 0x67);
  // A byte on the cable takes almost a millisecond in each direction.
  const Time before = k.now;
  k.data(0xEE);
  CHECK(k.read() == 0xEE);
  CHECK(k.now - before > 1'700_us);
  CHECK(k.now - before < 5_ms);
}

TEST_CASE("8042: a key press raises IRQ 1 until port 60h is read", "[planar][i8042]") {
  Keyboard k;
  k.start();
  CHECK_FALSE(k.irq1.level);
  k.chip.keyboard().key(0x1E, true, k.now);
  REQUIRE(k.wait([&] { return k.irq1.level; }, 10_ms));
  k.step(5_ms);
  CHECK(k.irq1.level);
  CHECK((k.in(0x64) & 0x21) == 0x01);
  CHECK(k.in(0x60) == 0x1E);
  CHECK_FALSE(k.irq1.level);
  CHECK(k.press(0x1E, false) == Bytes{0x9E});
}

TEST_CASE("8042: translated, plain set 2, set 1 and set 3", "[planar][i8042]") {
  Keyboard k;
  k.start(0x67);
  CHECK(k.press(0xE048, true) == Bytes{0xE0, 0x48});
  CHECK(k.press(0xE048, false) == Bytes{0xE0, 0xC8});
  CHECK(k.press(0x41, true) == Bytes{0x41});  // F7: 83h in set 2
  CHECK(k.press(0x41, false) == Bytes{0xC1});
  k.command(0x60);
  k.data(0x27);  // no translation
  CHECK(k.press(0x1E, true) == Bytes{0x1C});
  CHECK(k.press(0x1E, false) == Bytes{0xF0, 0x1C});
  CHECK(k.press(0xE048, true) == Bytes{0xE0, 0x75});
  CHECK(k.press(0xE048, false) == Bytes{0xE0, 0xF0, 0x75});
  k.data(0xF0);
  CHECK(k.read() == 0xFA);
  k.data(0x00);
  CHECK(k.read_all() == Bytes{0xFA, 0x02});
  k.data(0xF0);
  k.read();
  k.data(0x01);
  k.read();
  CHECK(k.press(0x2C, true) == Bytes{0x2C});
  CHECK(k.press(0x2C, false) == Bytes{0xAC});
  k.data(0xF0);
  k.read();
  k.data(0x03);
  k.read();
  CHECK(k.press(0x1D, true) == Bytes{0x11});  // left control has a break code
  CHECK(k.press(0x1D, false) == Bytes{0xF0, 0x11});
  CHECK(k.press(0x3B, true) == Bytes{0x07});  // F1 only a make code
  CHECK(k.press(0x3B, false) == Bytes{});
  k.data(0xFC);  // F1 make/break
  k.read();
  k.data(0x07);
  k.read();
  k.data(0xF4);  // the list ends with the next command
  k.read();
  CHECK(k.press(0x3B, true) == Bytes{0x07});
  CHECK(k.press(0x3B, false) == Bytes{0xF0, 0x07});
}

TEST_CASE("8042: translation of every key gives its set 1 codes", "[planar][i8042]") {
  Keyboard k;
  k.start(0x67);
  for (unsigned code = 0x01; code <= 0x58; ++code) {
    if (code == 0x54 || code == 0x55) continue;  // there are no such keys
    INFO("key " << code);
    CHECK(k.press(static_cast<std::uint16_t>(code), true) == Bytes{code});
    CHECK(k.press(static_cast<std::uint16_t>(code), false) == Bytes{code | 0x80});
  }
}

TEST_CASE("keyboard: shift states around extended keys, Print Screen and Pause", "[planar][i8042]") {
  Keyboard k;
  k.start(0x67);
  k.press(0x2A, true);
  CHECK(k.press(0xE053, true) == Bytes{0xE0, 0xAA, 0xE0, 0x53});
  CHECK(k.press(0xE053, false) == Bytes{0xE0, 0xD3, 0xE0, 0x2A});
  k.press(0x2A, false);
  CHECK(k.press(0xE037, true) == Bytes{0xE0, 0x2A, 0xE0, 0x37});
  CHECK(k.press(0xE037, false) == Bytes{0xE0, 0xB7, 0xE0, 0xAA});
  CHECK(k.press(0xE11D, true) == Bytes{0xE1, 0x1D, 0x45, 0xE1, 0x9D, 0xC5});
  CHECK(k.press(0xE11D, false) == Bytes{});
  k.press(0x1D, true);
  CHECK(k.press(0xE11D, true) == Bytes{0xE0, 0x46, 0xE0, 0xC6});
  k.press(0xE11D, false);
  k.press(0x1D, false);
  k.data(0xED);
  k.read();
  k.data(0x02);
  k.read();
  CHECK(k.chip.keyboard().leds() == 0x02);
  CHECK(k.press(0xE04B, true) == Bytes{0xE0, 0x2A, 0xE0, 0x4B});
  CHECK(k.press(0xE04B, false) == Bytes{0xE0, 0xCB, 0xE0, 0xAA});
}

TEST_CASE("keyboard: typematic delay and rate", "[planar][i8042]") {
  Keyboard k;
  k.start(0x67);
  const auto times = [&](unsigned count) {
    std::vector<Time> when;
    k.chip.keyboard().key(0x39, true, k.now);
    while (when.size() < count) {
      REQUIRE(k.wait([&] { return k.irq1.level; }, 2_s));
      when.push_back(k.irq1.rises.back());
      CHECK(k.in(0x60) == 0x39);
    }
    k.chip.keyboard().key(0x39, false, k.now);
    CHECK(k.read() == 0xB9);
    return when;
  };
  auto when = times(4);
  CHECK((when[1] - when[0]) / 1_ms == 500);
  CHECK((when[3] - when[2]) / 1_ms == 91);  // 10.9 per second
  k.data(0xF3);
  k.read();
  k.data(0x00);  // 250 ms, 30 per second
  k.read();
  when = times(4);
  CHECK((when[1] - when[0]) / 1_ms == 250);
  CHECK((when[3] - when[2]) / 1_ms == 33);
}

TEST_CASE("keyboard: sixteen codes are buffered before the overrun code", "[planar][i8042]") {
  Keyboard k;
  k.start(0x27);
  k.command(0xAD);
  k.step(1_ms);
  for (unsigned i = 0; i < 12; ++i) {
    k.chip.keyboard().key(0x1E, true, k.now);
    k.chip.keyboard().key(0x1E, false, k.now);
  }
  k.command(0xAE);
  const Bytes bytes = k.read_all();
  REQUIRE(bytes.size() == 16);
  CHECK(bytes[0] == 0x1C);
  CHECK(bytes[15] == 0x00);
}

TEST_CASE("keyboard: identification, resend, unknown commands", "[planar][i8042]") {
  Keyboard k;
  k.start(0x27);
  k.data(0xF2);
  CHECK(k.read_all() == Bytes{0xFA, 0xAB, 0x83});
  k.data(0xFE);
  CHECK(k.read() == 0x83);
  k.data(0xEF);
  CHECK(k.read() == 0xFE);
}

TEST_CASE("8042: the keyboard waits while the output buffer is full", "[planar][i8042]") {
  Keyboard k;
  k.start(0x67);
  k.chip.keyboard().key(0x10, true, k.now);
  k.chip.keyboard().key(0x11, true, k.now);
  k.step(50_ms);
  CHECK(k.peek(0x60) == 0x10);
  CHECK(k.in(0x60) == 0x10);
  CHECK((k.in(0x64) & 1) == 0);
  CHECK(k.read() == 0x11);
}

TEST_CASE("8042: output port, A20 and tests", "[planar][i8042]") {
  Keyboard k;
  k.command(0xD0);
  int port = k.read();
  CHECK((port & 0x03) == 0x03);
  k.command(0xD1);
  k.data(0xDD);
  k.step(1_ms);
  CHECK_FALSE(k.a20.level);
  k.command(0xD0);
  port = k.read();
  CHECK((port & 0x03) == 0x01);
  k.command(0xA9);
  CHECK(k.read() == 0x00);
  k.command(0xC0);
  CHECK((k.read() & 0x04) != 0);
  k.command(0xA4);
  CHECK(k.read() == 0xF1);
  k.command(0x61);
  k.data(0x99);
  k.command(0x21);
  CHECK(k.read() == 0x99);
  k.command(0xC1);
  k.step(100_us);
  CHECK((k.in(0x64) & 0xF0) == 0x70);
}

TEST_CASE("mouse: the loopback probe and the enabling sequence of a driver", "[planar][i8042][mouse]") {
  Keyboard k;
  k.start(0x67);
  k.command(0xA8);
  REQUIRE(k.read(1_s) == 0xAA);
  REQUIRE(k.read() == 0x00);
  k.irq12.rises.clear();
  k.command(0xD3);  // the written byte is returned as mouse data
  k.data(0x5A);
  REQUIRE(k.wait([&] { return k.irq12.level; }, 10_ms));
  CHECK((k.in(0x64) & 0x21) == 0x21);
  CHECK(k.in(0x60) == 0x5A);
  CHECK_FALSE(k.irq12.level);
  k.mouse(0xF2);
  CHECK(k.read_all() == Bytes{0xFA, 0x00});
  k.mouse(0xE8);
  CHECK(k.read() == 0xFA);
  k.mouse(0x03);
  CHECK(k.read() == 0xFA);
  k.mouse(0xF3);
  k.read();
  k.mouse(100);
  CHECK(k.read() == 0xFA);
  k.mouse(0xF3);
  k.read();
  k.mouse(99);
  CHECK(k.read() == 0xFE);
  k.mouse(0xE9);
  CHECK(k.read_all() == Bytes{0xFA, 0x00, 0x03, 100});
  k.chip.mouse().moved(5, 5, k.now);
  CHECK(k.read_all() == Bytes{});  // not enabled
  k.mouse(0xF4);
  CHECK(k.read() == 0xFA);
  CHECK(k.read_all() == Bytes{});  // a command discards earlier movement
  k.chip.mouse().moved(5, 5, k.now);
  CHECK(k.read_all() == Bytes{0x08, 10, 10});  // 8 counts/mm
  k.chip.mouse().moved(-3, 4, k.now);
  k.chip.mouse().buttons(0x01, k.now);
  CHECK(k.read_all() == Bytes{0x19, 0xFA, 0x08});
}

TEST_CASE("mouse: packets do not exceed the sample rate", "[planar][i8042][mouse]") {
  Keyboard k;
  k.start(0x67);
  k.command(0xA8);
  k.read(1_s);
  k.read();
  k.mouse(0xF3);
  k.read();
  k.mouse(40);
  k.read();
  k.mouse(0xF4);
  k.read();
  unsigned bytes = 0;
  int x = 0;
  const Time end = k.now + 1_s;
  Bytes packet;
  while (k.now < end) {
    k.chip.mouse().moved(1, 0, k.now);
    k.step(1_ms);
    if (!k.irq12.level) continue;
    packet.push_back(k.in(0x60));
    ++bytes;
    if (packet.size() == 3) {
      x += static_cast<int>(packet[1]);
      packet.clear();
    }
  }
  CHECK(bytes >= 3 * 38);
  CHECK(bytes <= 3 * 41);
  CHECK(x >= 900);  // no movement is lost, either
}

TEST_CASE("mouse: remote mode, wrap mode, large movements", "[planar][i8042][mouse]") {
  Keyboard k;
  k.start(0x67);
  k.command(0xA8);
  k.read(1_s);
  k.read();
  k.mouse(0xF0);
  k.read();
  k.chip.mouse().moved(-300, 0, k.now);
  CHECK(k.read_all() == Bytes{});
  k.mouse(0xEB);
  CHECK(k.read_all() == Bytes{0xFA, 0x18, 0x01, 0x00});  // -255
  k.mouse(0xEB);
  CHECK(k.read_all() == Bytes{0xFA, 0x18, 0xD3, 0x00});  // -45
  k.mouse(0xEE);
  k.read();
  k.mouse(0x12);
  CHECK(k.read() == 0x12);
  k.mouse(0xEC);
  CHECK(k.read() == 0xFA);
}

TEST_CASE("8042: a password locks the keyboard until it is typed", "[planar][i8042]") {
  Keyboard k;
  k.start(0x67);
  k.command(0xA5);
  for (const std::uint8_t code : {0x19, 0x1E, 0x00}) k.data(code);
  k.command(0xA4);
  CHECK(k.read() == 0xFA);
  k.command(0xA6);
  k.step(1_ms);
  CHECK((k.in(0x64) & 0x10) == 0);
  CHECK(k.press(0x1F, true) == Bytes{});
  k.press(0x1F, false);
  k.press(0x19, true);
  k.press(0x19, false);
  k.press(0x1E, true);
  CHECK((k.in(0x64) & 0x10) != 0);
  CHECK(k.press(0x1E, false) == Bytes{0x9E});
}

TEST_CASE("8042: a new password under the lock is matched from its first key, and an empty one unlocks",
          "[planar][i8042]") {
  Keyboard k, l;
  k.start(0x67);
  k.command(0xA5);
  for (const std::uint8_t code : {0x19, 0x1E, 0x1F, 0x00}) k.data(code);
  k.command(0xA6);
  k.step(1_ms);
  for (const std::uint8_t code : {0x19, 0x1E}) {
    k.press(code, true);
    k.press(code, false);
  }
  k.command(0xA5);
  for (const std::uint8_t code : {0x30, 0x00}) k.data(code);
  k.step(1_ms);
  CHECK(k.press(0x1F, true) == Bytes{});
  l.until(k.now);
  CHECK(tests::survives_snapshot(k.chip, l.chip));
  k.command(0xA5);
  k.data(0x00);
  k.step(1_ms);
  CHECK((k.in(0x64) & 0x10) != 0);
  CHECK(k.press(0x1F, false) == Bytes{0x9F});
}

TEST_CASE("8042: a snapshot in the middle of a byte does not affect the transfer", "[planar][i8042]") {
  Keyboard k, l;
  k.start(0x67);
  k.chip.keyboard().key(0xE04D, true, k.now);
  k.chip.mouse().moved(2, 2, k.now);
  k.step(300_us);
  l.until(k.now);
  REQUIRE(tests::survives_snapshot(k.chip, l.chip));
  for (int i = 0; i < 12; ++i) CHECK(l.read(1_s) == k.read(1_s));  // the key repeats
  CHECK(l.now == k.now);
}
