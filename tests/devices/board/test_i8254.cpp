// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/board/at/clocks/i8254.hpp"

#include "core/common/random.hpp"
#include "devices/board/ps2/system_control.hpp"
#include "tests/catch.hpp"
#include "tests/devices/board/bench.hpp"

using namespace planar;
using planar::tests::PlanarBench;
using planar::tests::Probe;

namespace {

struct Timers : PlanarBench {
  I8254 chip;
  SystemControl control{chip, trace, 15'120_ns};
  Probe irq0, watchdog;
  explicit Timers(TimerBoard board = TimerBoard::ps2) : chip(scheduler, trace, board) {
    chip.claim_ports(io);
    control.claim_ports(io);
    chip.irq0.connect(irq0);
    chip.watchdog.connect(watchdog);
  }
  void program(std::uint16_t port, std::uint8_t word, unsigned count) {
    out(0x43, word);
    out(port, static_cast<std::uint8_t>(count));
    out(port, static_cast<std::uint8_t>(count >> 8));
  }
  unsigned latched(std::uint16_t port, std::uint8_t command) {
    out(0x43, command);
    const unsigned low = in(port);
    return low | in(port) << 8;
  }
};

constexpr std::int64_t hz_times_12 = 14'318'180;
/// The span of n input clocks, rounded down to picoseconds.
Time clocks(std::int64_t n) {
  return Time{static_cast<std::int64_t>(static_cast<__int128>(n) * 12 * 1'000'000'000'000 / hz_times_12)};
}

/// A counter simulated clock by clock according to the data sheet; the closed form must equal it.
class Stepped {
 public:
  void control(std::uint8_t word) {
    mode = word >> 1 & 7;
    if (mode > 5) mode -= 4;
    written = loaded = false;
    load_next = false;
    triggered = false;
    out = mode != 0;
  }
  void count(unsigned n) {
    reload = n;
    written = true;
    if (mode == 0 || mode == 4) load_next = true;
    if ((mode == 2 || mode == 3) && !loaded) load_next = true;
    if (mode == 2 || mode == 3) fresh = true;
  }
  void set_gate(bool level) {
    if (level == gate) return;
    gate = level;
    if (level && written && (mode == 1 || mode == 5 || mode == 2 || mode == 3)) load_next = true;
    if (!level && (mode == 2 || mode == 3)) {
      out = true;
      load_next = written && !loaded;
    }
  }
  void clock() {
    if (load_next) {
      load_next = false;
      loaded = true;
      fresh = false;
      value = reload;
      if (mode == 0 || mode == 1) out = false;
      if (mode == 4 || mode == 5) {
        out = true;
        armed = true;
      }
      if (mode == 1 || mode == 5) triggered = true;
      if (mode == 3) {
        out = true;
        value = reload & ~1u;
        odd = reload & 1;
      }
      if (mode == 0 || mode == 1) armed = true;
      return;
    }
    if (!loaded) return;
    const bool counts = mode == 1 || mode == 5 ? triggered : gate;
    if (mode == 4 || mode == 5) out = true;  // a strobe lasts one clock
    if (!counts) return;
    switch (mode) {
      case 0:
      case 1:
        value = (value - 1) & 0xFFFF;
        if (value == 0 && armed) {
          out = true;
          armed = false;
        }
        break;
      case 4:
      case 5:
        value = (value - 1) & 0xFFFF;
        if (value == 0 && armed) {
          out = false;
          armed = false;
        }
        break;
      case 2:
        if (value == 1) {
          value = reload;
          out = true;
          fresh = false;
        } else {
          --value;
          if (value == 1) out = false;
        }
        break;
      case 3:
        // The high half of an odd count includes zero; all other halves end at two.
        if (value == (out && odd ? 0u : 2u)) {
          out = !out;
          value = reload & ~1u;
          odd = reload & 1;
        } else {
          value -= 2;
        }
        break;
    }
  }
  unsigned mode = 0, reload = 0, value = 0;
  bool written = false, loaded = false, load_next = false, triggered = false, out = false, gate = true, odd = false,
       armed = false, fresh = false;
};

}  // namespace

TEST_CASE("8254: a peek shows the count and the refresh toggle of the present time", "[planar][i8254]") {
  Timers t;
  t.program(0x40, 0x34, 0);
  bool toggled = false;
  const std::uint8_t before = t.peek(0x61) & 0x10;
  for (int n = 0; n < 50; ++n) {
    t.step(700_ns);
    toggled |= (t.peek(0x61) & 0x10) != before;
    CHECK((t.peek(0x61) & 0x10) == (t.control.read(0, 1, t.now) & 0x10));
    const std::uint8_t low = t.peek(0x40);
    CHECK(low == t.chip.read(0, 1, t.now));
    t.chip.read(0, 1, t.now);  // the high byte
  }
  CHECK(toggled);
}

TEST_CASE("8254: the closed form equals a clocked counter in every mode", "[planar][i8254]") {
  Random random(254);
  for (unsigned mode = 0; mode < 6; ++mode) {
    for (unsigned round = 0; round < 60; ++round) {
      I8254Counter closed;
      Stepped stepped;
      I8254Counter::Tick tick = 100;
      const auto word = static_cast<std::uint8_t>(0x30 | mode << 1);
      closed.control(word, tick);
      stepped.control(word);
      const bool strobed = mode == 4;  // its gate is not toggled: pausing during the strobe is a known simplification
      for (unsigned i = 0; i < 120; ++i) {
        const auto action = random.below(16);
        if (action == 0 || i == 0) {
          const unsigned n = 2 + static_cast<unsigned>(random.below(12));
          closed.write(static_cast<std::uint8_t>(n), tick);
          closed.write(0, tick);
          stepped.count(n);
          if (mode == 0) stepped.out = false;  // the first byte lowers OUT
        } else if (action == 1 && !strobed) {
          closed.set_gate(!closed.gate(), tick);
          stepped.set_gate(!stepped.gate);
        }
        ++tick;
        stepped.clock();
        INFO("mode " << mode << " round " << round << " clock " << i);
        REQUIRE(closed.out(tick) == stepped.out);
        if (!stepped.loaded) continue;
        const unsigned low = closed.read(tick);
        const unsigned value = low | closed.read(tick) << 8;
        REQUIRE(value == (stepped.value & 0xFFFF));
      }
    }
  }
}

TEST_CASE("8254: Linux's 100 Hz tick with latched reads", "[planar][i8254]") {
  Timers t;
  constexpr unsigned latch = (1'193'180 + 50) / 100;
  t.program(0x40, 0x34, latch);
  const Time started = t.now;
  unsigned last = 0x10000;
  for (int i = 0; i < 5; ++i) {
    t.step(1_ms);
    const unsigned count = t.latched(0x40, 0x00);
    CHECK(count >= 1);
    CHECK(count < last);  // counts down within one period
    last = count;
  }
  // Ten ticks, each acknowledged through 61h bit 7 as in the Micro Channel path of the tick handler.
  while (t.irq0.rises.size() < 10) {
    t.step(100_us);
    if (t.irq0.level) t.out(0x61, static_cast<std::uint8_t>(t.in(0x61) | 0x80));
  }
  CHECK(t.irq0.falls.size() >= 9);
  const Time period = clocks(latch);
  for (std::size_t i = 1; i < 10; ++i) {
    const Time apart = t.irq0.rises[i] - t.irq0.rises[i - 1];
    CHECK(apart >= period - 1_ps);
    CHECK(apart <= period + 1_ps);
  }
  // The count is loaded at the first clock after the write; the first tick comes `latch` clocks
  // later.
  CHECK(t.irq0.rises[0] > started + period);
  CHECK(t.irq0.rises[0] <= started + clocks(latch + 1));
}

TEST_CASE("8254: IRQ 0 is a latch that only port 61h bit 7 clears", "[planar][i8254]") {
  Timers t;
  t.program(0x40, 0x34, 1000);
  REQUIRE(t.wait([&] { return t.irq0.level; }, 2_ms));
  t.step(5_ms);
  CHECK(t.irq0.rises.size() == 1);
  t.out(0x61, 0x00);
  CHECK(t.irq0.level);
  t.out(0x61, 0x80);
  CHECK_FALSE(t.irq0.level);
}

TEST_CASE("8254: a latch holds until both bytes are read; a second latch command is ignored", "[planar][i8254]") {
  Timers t;
  t.program(0x42, 0xB4, 0x8000);
  t.out(0x61, 0x01);
  t.step(1_ms);
  t.out(0x43, 0x80);
  const unsigned low = t.in(0x42);
  t.step(1_ms);
  t.out(0x43, 0x80);
  const unsigned first = low | t.in(0x42) << 8;
  const unsigned second = t.latched(0x42, 0x80);
  CHECK(first - second > 1100);  // the millisecond in between
  CHECK(first - second < 1300);
}

TEST_CASE("8254: channel 2 as a stopwatch at port 61h (TSC calibration)", "[planar][i8254]") {
  Timers t;
  t.out(0x61, static_cast<std::uint8_t>((t.in(0x61) & ~0x02) | 0x01));  // gate on, speaker off
  constexpr unsigned count = 5 * 11932;
  t.program(0x42, 0xB0, count);
  const Time started = t.now;
  CHECK((t.in(0x61) & 0x20) == 0);
  REQUIRE(t.wait([&] { return (t.in(0x61) & 0x20) != 0; }, 100_ms));
  CHECK(t.now - started >= clocks(count));
  CHECK(t.now - started < clocks(count + 1) + 4_us);
}

TEST_CASE("8254: BCD counts in decimal and read-back shows status", "[planar][i8254]") {
  Timers t;
  t.out(0x61, 0x01);
  t.program(0x42, 0xB5, 0x0100);  // mode 2, BCD, one hundred
  t.until(t.now + clocks(301));
  for (int i = 0; i < 50; ++i) {
    const unsigned count = t.latched(0x42, 0x80);
    CHECK((count & 0x0F) <= 9);
    CHECK((count >> 4 & 0x0F) <= 9);
    CHECK(count <= 0x100);
    CHECK(count >= 1);
    t.step(3_us);
  }
  t.out(0x43, 0xE8);  // read-back: status of channel 2
  CHECK((t.in(0x42) & 0x7F) == 0x35);
  t.out(0x43, 0xC8);  // both: status first
  CHECK((t.in(0x42) & 0x3F) == 0x35);
  const unsigned low = t.in(0x42);
  CHECK((low | t.in(0x42) << 8) <= 0x100);
  t.program(0x42, 0xB6, 0);
  t.out(0x43, 0xB0);
  t.out(0x43, 0xE8);
  CHECK((t.in(0x42) & 0x40) != 0);  // null count: nothing written yet
}

TEST_CASE("8254: one-byte counts, and zero is the longest count", "[planar][i8254]") {
  Timers t;
  t.out(0x43, 0x14);  // channel 0, low byte only, mode 2
  t.out(0x40, 100);
  REQUIRE(t.wait([&] { return t.irq0.level; }, 1_ms));
  t.out(0x61, 0x80);
  t.program(0x40, 0x34, 0);
  const Time started = t.now;
  t.irq0.rises.clear();
  REQUIRE(t.wait([&] { return t.irq0.level; }, 100_ms, 10_us));
  CHECK(t.irq0.rises[0] - started > clocks(65536));
  CHECK(t.irq0.rises[0] - started <= clocks(65537));
}

TEST_CASE("8254: channel 1 and gaps in the register file are not decoded", "[planar][i8254]") {
  Timers t;
  CHECK(t.io.find(0x41) == nullptr);
  CHECK(t.io.find(0x45) == nullptr);
  CHECK(t.io.find(0x46) == nullptr);
  CHECK(t.in(0x43) == 0xFF);
}

TEST_CASE("8254: the watchdog counts missed ticks and ends in an NMI", "[planar][i8254][system_control]") {
  Timers t;
  Probe nmi;
  t.control.nmi.connect(nmi);
  t.chip.watchdog.connect(t.control.watchdog());
  t.program(0x40, 0x34, 11932);
  t.out(0x47, 0x10);
  t.out(0x44, 3);
  // Serviced ticks are not counted.
  for (int i = 0; i < 10; ++i) {
    REQUIRE(t.wait([&] { return t.irq0.level; }, 20_ms, 10_us));
    t.out(0x61, 0x80);
  }
  CHECK(t.in(0x44) == 3);
  CHECK_FALSE(nmi.level);
  REQUIRE(t.wait([&] { return t.irq0.level; }, 20_ms, 10_us));
  const Time stalled = t.irq0.rises.back();
  REQUIRE(t.wait([&] { return nmi.level; }, 100_ms, 10_us));
  CHECK(nmi.rises[0] - stalled >= clocks(3 * 11932) - 1_ps);
  CHECK(nmi.rises[0] - stalled <= clocks(3 * 11932) + 1_ps);
  CHECK((t.in(0x92) & 0x10) != 0);
  t.out(0x47, 0x10);  // programming it again clears the status and the NMI
  CHECK((t.in(0x92) & 0x10) == 0);
  CHECK_FALSE(nmi.level);
}

TEST_CASE("8254: a snapshot keeps phase, latches and pending edges", "[planar][i8254]") {
  Timers t, u;
  t.program(0x40, 0x36, 2000);
  t.program(0x42, 0xB0, 5000);
  t.out(0x61, 0x01);
  t.step(777_us);
  t.out(0x43, 0x80);
  t.in(0x42);
  u.until(t.now);
  REQUIRE(tests::survives_snapshot(t.chip, u.chip));
  REQUIRE(tests::survives_snapshot(t.control, u.control));
  CHECK(t.in(0x42) == u.in(0x42));
  t.irq0.rises.clear();
  u.irq0.rises.clear();
  t.out(0x61, 0x81);
  u.out(0x61, 0x81);
  t.step(10_ms);
  u.step(10_ms);
  REQUIRE(t.irq0.rises.size() == 1);
  CHECK(t.irq0.rises == u.irq0.rises);
}

TEST_CASE("8254 of an AT: IRQ 0 rises once per period in mode 2 without being cleared", "[planar][i8254]") {
  Timers t{TimerBoard::at};
  t.program(0x40, 0x34, 11932);  // Linux at 100 Hz
  t.irq0.rises.clear();
  t.step(101_ms);
  REQUIRE(t.irq0.rises.size() == 10);
  CHECK(t.irq0.rises[9] - t.irq0.rises[8] >= clocks(11932) - 1_ns);
  CHECK(t.irq0.level);
}

TEST_CASE("8254 of an AT: IRQ 0 is the square wave of mode 3", "[planar][i8254]") {
  Timers t{TimerBoard::at};
  t.program(0x40, 0x36, 1001);
  t.irq0.rises.clear();
  t.irq0.falls.clear();
  t.step(10_ms);
  REQUIRE(t.irq0.rises.size() >= 10);
  const std::size_t first = t.irq0.falls[0] < t.irq0.rises[0] ? 1 : 0;
  const auto near = [](Time a, Time b) { return a - b < 2_ps && b - a < 2_ps; };
  for (std::size_t n = 0; n < 8; ++n) {
    CHECK(near(t.irq0.falls[n + first] - t.irq0.rises[n], clocks(501)));
    CHECK(near(t.irq0.rises[n + 1] - t.irq0.rises[n], clocks(1001)));
  }
}

TEST_CASE("8254 of an AT: mode 0 raises one interrupt, at its end", "[planar][i8254]") {
  Timers t{TimerBoard::at};
  t.out(0x43, 0x30);
  CHECK_FALSE(t.irq0.level);
  t.out(0x40, 100);
  t.out(0x40, 0);
  t.step(clocks(98));
  CHECK_FALSE(t.irq0.level);
  t.step(clocks(4));
  CHECK(t.irq0.level);
  const std::size_t before = t.irq0.rises.size();
  t.step(200_ms);
  CHECK(t.irq0.rises.size() == before);
}

TEST_CASE("8254 of an AT: channel 1 counts, and ports 44h and 47h are not decoded", "[planar][i8254]") {
  Timers t{TimerBoard::at};
  t.out(0x43, 0x54);  // low byte only, mode 2: refresh
  t.out(0x41, 18);
  t.step(1_ms);
  for (int n = 0; n < 40; ++n) {
    t.out(0x43, 0x40);
    const unsigned count = t.in(0x41);
    CHECK(count >= 1);
    CHECK(count <= 18);
  }
  CHECK(t.io.find(0x44) == nullptr);
  CHECK(t.io.find(0x47) == nullptr);
  Timers u{TimerBoard::at};
  REQUIRE(tests::survives_snapshot(t.chip, u.chip));
}
