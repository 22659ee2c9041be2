// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/board/at/clocks/rtc_cmos.hpp"

#include "core/common/error.hpp"
#include "devices/board/ps2/nvram.hpp"
#include "tests/catch.hpp"
#include "tests/devices/board/bench.hpp"

using namespace planar;
using planar::tests::PlanarBench;
using planar::tests::Probe;

namespace {

struct Clock : PlanarBench {
  RtcCmos rtc{scheduler, trace};
  Nvram nvram;
  Probe irq8;
  Clock() {
    rtc.claim_ports(io);
    nvram.claim_ports(io);
    rtc.irq8.connect(irq8);
  }
  std::uint8_t get(std::uint8_t index) {
    out(0x70, index);
    return in(0x71);
  }
  void put(std::uint8_t index, std::uint8_t value) {
    out(0x70, index);
    out(0x71, value);
  }
  /// Seconds, minutes, hours, day, month, year as six consecutive BCD bytes.
  std::uint64_t date() {
    std::uint64_t all = 0;
    for (const std::uint8_t index : {9, 8, 7, 4, 2, 0}) all = all << 8 | get(index);
    return all;
  }
};

}  // namespace

TEST_CASE("RTC: starts at the fixed date, valid, in 24-hour BCD", "[planar][rtc]") {
  Clock c;
  CHECK(c.date() == 0x950101000000);
  CHECK(c.get(0x37) == 0x19);
  CHECK(c.get(6) == 1);  // a Sunday
  CHECK(c.get(0x0D) == 0x80);
  CHECK((c.get(0x0B) & 0x06) == 0x02);
  c.rtc.set_battery_good(false);
  CHECK(c.get(0x0D) == 0x00);
}

TEST_CASE("RTC: a peek shows the present second and update-in-progress, and changes nothing", "[planar][rtc]") {
  Clock c;
  c.out(0x70, 0x0A);
  REQUIRE(c.wait([&] { return (c.peek(0x71) & 0x80) != 0; }, 2_s, 100_us));
  c.out(0x70, 0x00);
  c.step(3_s);
  CHECK(c.peek(0x71) == 3);
  CHECK(c.in(0x71) == 3);
  c.out(0x70, 0x0C);
  CHECK((c.peek(0x71) & 0x10) != 0);
  CHECK((c.in(0x71) & 0x10) != 0);  // which reading clears
  CHECK((c.peek(0x71) & 0x10) == 0);
}

TEST_CASE("RTC: waiting for UIP, as kernels do, gives a consistent second", "[planar][rtc]") {
  Clock c;
  // Waits for the rising and then for the falling edge: the registers have just changed.
  REQUIRE(c.wait([&] { return (c.get(0x0A) & 0x80) != 0; }, 2_s));
  const Time rise = c.now;
  REQUIRE(c.wait([&] { return (c.get(0x0A) & 0x80) == 0; }, 10_ms));
  const Time fall = c.now;
  CHECK(fall - rise > 2'200_us);  // 244 us warning and 1984 us cycle
  CHECK(fall - rise < 2'260_us);
  CHECK(c.get(0) == 0x01);
  CHECK(fall >= 1_s);
  CHECK(fall < 1_s + 10_us);
  c.step(900_ms);
  CHECK(c.get(0) == 0x01);
  CHECK((c.get(0x0A) & 0x80) == 0);
  c.step(100_ms);
  CHECK(c.get(0) == 0x02);
}

TEST_CASE("RTC: carries through minutes, months, leap days and years", "[planar][rtc]") {
  Clock c;
  c.rtc.set_date_time(DateTime::parse("1996-02-28 23:59:58"), c.now);
  c.step(2_s);
  CHECK(c.date() == 0x960229000000);
  c.step(24 * 3600 * 1_s);
  CHECK(c.date() == 0x960301000000);
  c.rtc.set_date_time(DateTime::parse("1999-12-31T23:59:59"), c.now);
  c.step(1_s);
  CHECK(c.date() == 0x000101000000);
  CHECK(c.get(6) == 7);        // 2000-01-01 was a Saturday
  CHECK(c.get(0x37) == 0x19);  // the chip has no century counter
}

TEST_CASE("RTC: the time can be set with SET, in 12-hour binary mode", "[planar][rtc]") {
  Clock c;
  c.put(0x0B, 0x84);  // SET, binary, 12 hours
  c.put(0x00, 59);
  c.put(0x02, 59);
  c.put(0x04, 11);
  c.step(3_s);
  CHECK(c.get(0x00) == 59);
  CHECK((c.get(0x0A) & 0x80) == 0);
  c.put(0x0B, 0x04);
  c.step(1_s);
  CHECK(c.get(0x00) == 0);
  CHECK(c.get(0x02) == 0);
  CHECK(c.get(0x04) == (0x80 | 12));  // noon is 12 p.m.
  c.step(3600 * 1_s);
  CHECK(c.get(0x04) == (0x80 | 1));
}

TEST_CASE("RTC: the first second ends half a second after the divider is released", "[planar][rtc]") {
  Clock c;
  c.put(0x0A, 0x76);
  c.step(5_s);
  CHECK(c.get(0) == 0x00);
  c.put(0x0A, 0x26);
  const Time released = c.now;
  REQUIRE(c.wait([&] { return c.get(0) == 0x01; }, 2_s));
  CHECK(c.now - released >= 500_ms);
  CHECK(c.now - released < 501_ms);
}

TEST_CASE("RTC: periodic interrupt is a level until register C is read", "[planar][rtc]") {
  Clock c;
  c.get(0x0C);
  c.put(0x0A, 0x26);  // 1024 Hz
  c.put(0x0B, 0x42);
  unsigned count = 0;
  const Time end = c.now + 1_s;
  while (c.now < end) {
    c.step(20_us);
    if (!c.irq8.level) continue;
    CHECK((c.get(0x0C) & 0xC0) == 0xC0);
    CHECK_FALSE(c.irq8.level);
    ++count;
  }
  CHECK(count >= 1023);
  CHECK(count <= 1024);
  // If not acknowledged, it remains active and does not recur.
  REQUIRE(c.wait([&] { return c.irq8.level; }, 2_ms));
  const auto rises = c.irq8.rises.size();
  c.step(100_ms);
  CHECK(c.irq8.rises.size() == rises);
}

TEST_CASE("RTC: every periodic rate", "[planar][rtc]") {
  const unsigned expected[16] = {0, 256, 128, 8192, 4096, 2048, 1024, 512, 256, 128, 64, 32, 16, 8, 4, 2};
  for (unsigned rate = 1; rate < 16; ++rate) {
    Clock c;
    c.put(0x0A, static_cast<std::uint8_t>(0x20 | rate));
    c.put(0x0B, 0x42);
    c.get(0x0C);
    REQUIRE(c.wait([&] { return c.irq8.level; }, 1_s));
    c.get(0x0C);
    REQUIRE(c.wait([&] { return c.irq8.level; }, 1_s));
    const Time apart = c.irq8.rises[1] - c.irq8.rises[0];
    CHECK(apart.ps / 1000 == (1_s).ps / 1000 / expected[rate]);
  }
}

TEST_CASE("RTC: update and alarm interrupts", "[planar][rtc]") {
  Clock c;
  c.put(0x0B, 0x12);
  REQUIRE(c.wait([&] { return c.irq8.level; }, 2_s, 10_us));
  CHECK(c.irq8.rises[0] == 1_s);
  CHECK((c.get(0x0C) & 0xB0) == 0x90);  // update, not alarm
  // Alarm at second 5 of any minute, any hour.
  c.put(0x01, 0x05);
  c.put(0x03, 0xFF);
  c.put(0x05, 0xC0);
  c.put(0x0B, 0x22);
  REQUIRE(c.wait([&] { return c.irq8.level; }, 10_s, 10_us));
  CHECK(c.irq8.rises[1] == 5_s);
  CHECK((c.get(0x0C) & 0xA0) == 0xA0);
  REQUIRE(c.wait([&] { return c.irq8.level; }, 70_s, 100_us));
  CHECK(c.irq8.rises[2] == 65_s);
}

TEST_CASE("RTC: reset preserves time and memory, clears interrupts and masks NMI", "[planar][rtc]") {
  Clock c;
  Probe mask;
  c.rtc.nmi_mask.connect(mask);
  c.out(0x70, 0x00);
  CHECK_FALSE(mask.level);
  c.put(0x15, 0x80);
  c.put(0x0B, 0x42);
  c.step(2_ms);
  REQUIRE(c.irq8.level);
  c.rtc.reset(c.now);
  CHECK_FALSE(c.irq8.level);
  CHECK(mask.level);
  CHECK(c.get(0x8B) == 0x02);
  CHECK(c.get(0x95) == 0x80);
}

TEST_CASE("CMOS: the checksum that POST verifies", "[planar][rtc]") {
  Clock c;
  for (unsigned i = 0x10; i <= 0x31; ++i) c.rtc.set_cmos(i, static_cast<std::uint8_t>(i * 7));
  CHECK_FALSE(c.rtc.crc_valid());
  c.rtc.seal();
  CHECK(c.rtc.crc_valid());
  // The same sum over the bytes as read by a program, high byte at 32h.
  unsigned crc = 0xFFFF;
  for (unsigned i = 0x10; i <= 0x31; ++i) {
    crc ^= c.get(static_cast<std::uint8_t>(i)) << 8;
    for (int bit = 0; bit < 8; ++bit) crc = (crc << 1 ^ (crc & 0x8000 ? 0x1021 : 0)) & 0xFFFF;
  }
  CHECK(c.get(0x32) == crc >> 8);
  CHECK(c.get(0x33) == (crc & 0xFF));
  c.put(0x14, 0x55);
  CHECK_FALSE(c.rtc.crc_valid());
}

TEST_CASE("RTC: an invalid date is rejected with a remedy", "[planar][rtc]") {
  CHECK(DateTime::parse("2000-02-29 12:00:00").day == 29);
  for (const char* bad : {"1995-02-29 00:00:00", "1995-13-01 00:00:00", "95-01-01 00:00:00", "1995-01-01 24:00:00",
                          "1995-01-01 00:00:0x", "1979-01-01 00:00:00", "1995-01-00 00:00:00", ""}) {
    INFO(bad);
    CHECK_THROWS_AS(DateTime::parse(bad), Error);
  }
}

TEST_CASE("RTC: a snapshot keeps the fraction of the second", "[planar][rtc]") {
  Clock c, d;
  c.put(0x0B, 0x52);
  c.step(1'600_ms);
  c.get(0x0C);
  d.until(c.now);
  REQUIRE(tests::survives_snapshot(c.rtc, d.rtc));
  c.irq8.rises.clear();
  d.irq8.rises.clear();
  for (int i = 0; i < 50; ++i) {
    c.step(13_ms);
    d.step(13_ms);
    CHECK(c.get(0x0C) == d.get(0x0C));
  }
  CHECK(c.irq8.rises == d.irq8.rises);
  CHECK(c.date() == d.date());
}

TEST_CASE("NVRAM: 2 KB at ports 74h to 76h; the address can be read back and wraps", "[planar][nvram]") {
  Clock c;
  const auto put = [&](unsigned address, std::uint8_t value) {
    c.out(0x74, static_cast<std::uint8_t>(address));
    c.out(0x75, static_cast<std::uint8_t>(address >> 8));
    c.out(0x76, value);
  };
  for (unsigned i = 0; i < 2048; ++i) put(i, static_cast<std::uint8_t>(i ^ i >> 8));
  CHECK(c.in(0x74) == 0xFF);
  CHECK(c.in(0x75) == 0x07);
  for (unsigned i = 0; i < 2048; i += 37) {
    c.out(0x74, static_cast<std::uint8_t>(i));
    c.out(0x75, static_cast<std::uint8_t>(i >> 8));
    CHECK(c.in(0x76) == static_cast<std::uint8_t>(i ^ i >> 8));
  }
  put(0x0802, 0xA5);
  CHECK(c.nvram.contents()[2] == 0xA5);
}
