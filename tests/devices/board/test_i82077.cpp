// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/board/at/diskette/i82077.hpp"

#include <cstdio>
#include <fstream>

#include "core/common/error.hpp"
#include "core/common/random.hpp"
#include "tests/catch.hpp"
#include "tests/devices/board/i82077_bench.hpp"

using namespace planar;
using namespace planar::tests;

TEST_CASE("82077: a kernel's identification sequence", "[planar][i82077]") {
  Diskette d;
  d.start();
  d.command({0x0E});
  CHECK(d.result().size() == 10);
  d.command({0x13, 0x00, 0x1A, 0x00});  // configure: FIFO on, threshold 10
  d.command({0x12, 0x00});
  d.command({0x14});
  CHECK(d.result() == Bytes{0x00});
  d.command({0x94});
  CHECK(d.result() == Bytes{0x10});
  d.command({0x18});  // PART ID: an 82078 command, unknown to this part
  CHECK(d.result() == Bytes{0x80});
  d.command({0x10});
  CHECK(d.result() == Bytes{0x90});
  d.command({0x08});  // nothing to sense
  CHECK(d.result() == Bytes{0x80});
  d.command({0x0E});
  CHECK(d.result()[8] == 0x1A);
  // LOCK preserves CONFIGURE across a software reset.
  d.out(0x3F4, 0x80);
  REQUIRE(d.run(10_ms) == false);  // polling is off: no interrupt
  d.command({0x0E});
  CHECK(d.result()[8] == 0x1A);
}

TEST_CASE("82077: the boot sector is read by DMA", "[planar][i82077]") {
  Diskette d;
  d.start();
  const Bytes result = d.transfer(0xE6, 0, 0, 1, 18, 512);
  CHECK(result == Bytes{0x00, 0x00, 0x00, 0, 0, 2, 2});
  for (std::size_t i = 0; i < 512; ++i) REQUIRE(d.memory[i] == pattern(i));
  // Bytes arrive at 500 kbit/s: one every 16 us.
  const Time data = d.dma_times.back() - d.dma_times.front();
  CHECK(data >= 511 * 16_us - 20_us);
  CHECK(data <= 511 * 16_us + 20_us);
}

TEST_CASE("82077: reading a whole cylinder takes two revolutions, several sectors one", "[planar][i82077]") {
  Diskette d;
  d.start();
  d.seek(3);
  REQUIRE(d.transfer(0xE6, 3, 0, 1, 18, 512).size() == 7);  // the head is loaded, the position known
  const Time start = d.now;
  const Bytes result = d.transfer(0xE6, 3, 0, 1, 18, 36 * 512);
  CHECK(result == Bytes{0x04, 0x00, 0x00, 4, 0, 1, 2});  // ended on side 1
  const std::size_t at = 3 * 36 * 512;
  for (std::size_t i = 0; i < d.memory.size(); ++i) REQUIRE(d.memory[i] == pattern(at + i));
  CHECK(d.now - start > revolution);
  CHECK(d.now - start < 4 * revolution);
  // 18 sectors in one transfer: less than one revolution between first and last byte.
  d.transfer(0xE6, 3, 0, 1, 18, 18 * 512);
  CHECK(d.dma_times.back() - d.dma_times.front() < revolution);
  CHECK(d.dma_times.back() - d.dma_times.front() > 185_ms);
}

TEST_CASE("82077: every image size is read at its data rate", "[planar][i82077]") {
  struct {
    std::size_t size;
    unsigned rate, cylinder, head, sector;
  } const cases[] = {{163'840, 2, 39, 0, 8},    {184'320, 2, 1, 0, 9},     {327'680, 2, 39, 1, 8},
                     {368'640, 2, 20, 1, 9},    {737'280, 2, 79, 1, 9},    {1'228'800, 0, 40, 0, 15},
                     {1'474'560, 0, 79, 1, 18}, {1'720'320, 0, 79, 1, 21}, {2'949'120, 3, 79, 1, 36}};
  for (const auto& c : cases) {
    INFO("size " << c.size);
    Diskette d(c.size);
    d.start(c.rate);
    d.command({0x13, 0x00, 0x08, 0x00});  // FIFO on, as needed by a 1 Mbit/s drive
    d.seek(c.cylinder);
    const FloppyGeometry g = d.fdc.drive(0).image->geometry();
    const std::size_t at = ((c.cylinder * g.heads + c.head) * g.sectors + c.sector - 1) * 512u;
    const Bytes result = d.transfer(0x66, c.cylinder, c.head, c.sector, c.sector, 512);
    REQUIRE(result == Bytes{c.head << 2, 0, 0, c.cylinder + 1, c.head, 1, 2});
    for (std::size_t i = 0; i < 512; ++i) REQUIRE(d.memory[i] == pattern(at + i));
  }
}

TEST_CASE("82077: the wrong data rate finds no address marks", "[planar][i82077]") {
  Diskette d;
  d.start(2);  // 250 kbit/s
  const Time start = d.now;
  CHECK(d.transfer(0xE6, 0, 0, 1, 18, 512) == Bytes{0x40, 0x01, 0x00, 0, 0, 1, 2});
  CHECK(d.now - start > revolution);
  CHECK(d.now - start < 3 * revolution);
  d.command({0x4A, 0x00});
  REQUIRE(d.run(1_s));
  CHECK(d.result()[1] == 0x01);
}

TEST_CASE("82077: missing sectors and wrong cylinders are distinguished", "[planar][i82077]") {
  Diskette d;
  d.start();
  CHECK(d.transfer(0xE6, 0, 0, 19, 36, 512) ==
        Bytes{0x40, 0x04, 0x00, 0, 0, 19, 2});  // the boot sector's probe for 2.88M
  CHECK(d.transfer(0xE6, 5, 0, 1, 18, 512) == Bytes{0x40, 0x04, 0x10, 5, 0, 1, 2});
  CHECK(d.transfer(0x26, 0, 0, 1, 18, 512)[1] == 0x01);  // FM
}

TEST_CASE("82077: a transfer without terminal count fails at the end of the track", "[planar][i82077]") {
  Diskette d;
  d.start();
  CHECK(d.transfer(0x46, 0, 0, 17, 18, 4096) == Bytes{0x40, 0x80, 0x00, 1, 0, 1, 2});
  CHECK(d.dma_position == 1024);
  // The same with the FIFO: its last bytes still reach memory.
  d.command({0x13, 0x00, 0x0F, 0x00});
  CHECK(d.transfer(0x46, 0, 0, 17, 18, 4096)[1] == 0x80);
  CHECK(d.dma_position == 1024);
  for (std::size_t i = 0; i < 1024; ++i) REQUIRE(d.memory[i] == pattern(16 * 512 + i));
}

TEST_CASE("82077: writing, then reading back, also across the sides", "[planar][i82077]") {
  for (const unsigned configure : {0x20u, 0x08u}) {
    Diskette d;
    d.start();
    d.command({0x13, 0x00, configure, 0x00});
    d.seek(10);
    d.dma(6 * 512, false);
    for (std::size_t i = 0; i < d.memory.size(); ++i) d.memory[i] = static_cast<std::uint8_t>(0xC3 ^ i ^ i >> 8);
    const auto written = d.memory;
    CHECK(d.begin(0xC5, 10, 0, 16, 18) == Bytes{0x04, 0x00, 0x00, 10, 1, 4, 2});
    CHECK(d.fdc.drive(0).image->changed());
    CHECK(d.transfer(0xE6, 10, 0, 16, 18, 6 * 512)[0] == 0x04);
    CHECK(d.memory == written);
    d.transfer(0xE6, 10, 0, 15, 18, 512);
    CHECK(d.memory[0] == pattern((10 * 36 + 14) * 512));  // its neighbour is untouched
    const auto all = d.fdc.drive(0).image->contents();
    CHECK(all[(10 * 36 + 15) * 512] == 0xC3);
  }
}

TEST_CASE("82077: a short write fills the sector with zeros", "[planar][i82077]") {
  Diskette d;
  d.start();
  d.dma(100, false);
  std::fill(d.memory.begin(), d.memory.end(), std::uint8_t{0xEE});
  CHECK(d.begin(0x45, 0, 0, 5, 18)[0] == 0x00);
  d.transfer(0xE6, 0, 0, 5, 18, 512);
  CHECK(d.memory[99] == 0xEE);
  CHECK(d.memory[100] == 0x00);
  CHECK(d.memory[511] == 0x00);
}

TEST_CASE("82077: a late host causes an overrun or underrun", "[planar][i82077]") {
  Diskette d;
  d.start();
  d.command({0x46, 0, 0, 0, 1, 2, 18, 0x1B, 0xFF});
  REQUIRE(d.run(1_s));
  CHECK(d.result()[1] == 0x10);
  d.dma(10, false);  // and an underrun if the data to be written do not arrive in time
  d.command({0x45, 0, 0, 0, 1, 2, 18, 0x1B, 0xFF});
  d.dma_left = 3;
  ++d.dma_left;
  for (int i = 0; i < 600'000 && !d.irq6.level; ++i) {
    d.step(1_us);
    if (d.fdc.drq.level() && d.dma_position < 3) d.fdc.dma_write(1, d.now), ++d.dma_position;
  }
  REQUIRE(d.irq6.level);
  CHECK(d.result()[1] == 0x10);
}

TEST_CASE("82077: a write-protected diskette is rejected immediately", "[planar][i82077]") {
  Diskette d(1'474'560, true);
  d.start();
  d.dma(512, false);
  CHECK(d.begin(0xC5, 0, 0, 1, 18) == Bytes{0x40, 0x02, 0x00, 0, 0, 1, 2});
  d.command({0x04, 0x00});
  CHECK((d.result()[0] & 0x78) == 0x78);
  CHECK((d.in(0x3F0) & 0x02) == 0);  // -WP
}

TEST_CASE("82077: the change line falls at a step with a diskette in the drive", "[planar][i82077]") {
  Diskette d;
  d.start();
  CHECK((d.in(0x3F7) & 0x80) != 0);  // recalibrate at track 0 does not step
  d.seek(1);
  CHECK((d.in(0x3F7) & 0x80) == 0);
  auto taken = d.fdc.eject(0);
  REQUIRE(taken);
  CHECK((d.in(0x3F7) & 0x80) != 0);
  d.seek(2);
  CHECK((d.in(0x3F7) & 0x80) != 0);
  d.fdc.insert(0, std::move(*taken), d.now);
  CHECK((d.in(0x3F7) & 0x80) != 0);
  d.seek(3);
  CHECK((d.in(0x3F7) & 0x80) == 0);
}

TEST_CASE("82077: a read from an empty drive never completes; a reset ends it", "[planar][i82077]") {
  Diskette d(0);
  d.start();
  d.dma(512, true);
  d.command({0xE6, 0, 0, 0, 1, 2, 18, 0x1B, 0xFF});
  CHECK_FALSE(d.run(3_s));
  CHECK((d.in(0x3F4) & 0x90) == 0x10);
  d.out(0x3F2, 0x18);
  d.out(0x3F2, 0x1C);
  CHECK(d.run(10_ms));
  CHECK((d.in(0x3F4) & 0x90) == 0x80);
}

TEST_CASE("82077: step rate, recalibrate from beyond 79 tracks and without a drive", "[planar][i82077]") {
  Diskette d;
  d.start();
  Time start = d.now;
  d.seek(80);
  CHECK((d.now - start) / 1_ms == 80 * 3);  // SRT Dh: 3 ms
  d.out(0x3F2, 0x1C);
  start = d.now;
  d.command({0x07, 0x00});
  d.step(20_us);
  CHECK((d.in(0x3F4) & 0x01) != 0);  // drive 0 is stepping
  REQUIRE(d.run(3_s));
  d.command({0x08});
  CHECK(d.result() == Bytes{0x70, 0x00});  // 79 steps are not enough from 80
  d.command({0x07, 0x00});
  REQUIRE(d.run(3_s));
  d.command({0x08});
  CHECK(d.result() == Bytes{0x20, 0x00});
  d.command({0x07, 0x01});
  REQUIRE(d.run(3_s));
  d.command({0x08});
  CHECK(d.result() == Bytes{0x71, 0x00});
  d.command({0xCF, 0x00, 0x05});  // relative seek inwards
  REQUIRE(d.run(3_s));
  d.command({0x08});
  CHECK(d.result() == Bytes{0x20, 0x05});
}

TEST_CASE("82077: implied seek", "[planar][i82077]") {
  Diskette d;
  d.start();
  d.command({0x13, 0x00, 0x60, 0x00});
  CHECK(d.transfer(0xE6, 12, 1, 4, 18, 512)[0] == 0x04);
  CHECK(d.memory[0] == pattern(((12 * 2 + 1) * 18 + 3) * 512));
  CHECK(d.fdc.drive(0).cylinder == 12);
}

TEST_CASE("82077: READ ID finds the sectors in their order on the track", "[planar][i82077]") {
  Diskette d;
  d.start();
  d.seek(7);
  unsigned last = 0;
  for (unsigned i = 0; i < 25; ++i) {
    d.command({0x4A, 0x04});
    REQUIRE(d.run(1_s));
    const Bytes result = d.result();
    REQUIRE(result.size() == 7);
    CHECK(result[0] == 0x04);
    CHECK(result[3] == 7);
    CHECK(result[4] == 1);
    if (last) CHECK(result[5] == last % 18 + 1);
    last = result[5];
  }
}

TEST_CASE("82077: formatting a track", "[planar][i82077]") {
  Diskette d;
  d.start();
  d.seek(20);
  d.dma(18 * 4, false);
  for (unsigned s = 0; s < 18; ++s) {
    d.memory[s * 4] = 20;
    d.memory[s * 4 + 1] = 1;
    d.memory[s * 4 + 2] = static_cast<std::uint8_t>(s + 1);
    d.memory[s * 4 + 3] = 2;
  }
  d.command({0x4D, 0x04, 0x02, 18, 0x6C, 0xF6});
  const Time start = d.now;
  REQUIRE(d.run(2_s));
  CHECK(d.result()[0] == 0x04);
  CHECK(d.now - start >= revolution);
  CHECK(d.now - start < 2 * revolution + 5_ms);
  d.transfer(0xE6, 20, 1, 18, 18, 512);
  CHECK(d.memory[0] == 0xF6);
  d.transfer(0xE6, 20, 0, 18, 18, 512);
  CHECK(d.memory[0] != 0xF6);
}

TEST_CASE("82077: VERIFY reads without host transfers", "[planar][i82077]") {
  Diskette d;
  d.start();
  d.command({0xF6, 0x80, 0, 0, 3, 2, 18, 0x1B, 4});  // EC: four sectors
  REQUIRE(d.run(1_s));
  CHECK(d.result() == Bytes{0x00, 0x00, 0x00, 0, 0, 7, 2});
  CHECK_FALSE(d.fdc.drq.level());
}

TEST_CASE("82077: programmed I/O", "[planar][i82077]") {
  Diskette d;
  d.start();
  d.command({0x03, 0xD1, 0x03});  // non-DMA mode (ND)
  d.command({0x46, 0, 0, 0, 2, 2, 2, 0x1B, 0xFF});
  Bytes data;
  while (data.size() < 512) {
    REQUIRE(d.wait([&] { return (d.in(0x3F4) & 0xA0) == 0xA0; }, 1_s));
    data.push_back(d.in(0x3F5));
  }
  REQUIRE(d.wait([&] { return (d.in(0x3F4) & 0xF0) == 0xD0; }, 10_ms));
  CHECK(d.result()[1] == 0x80);  // no TC in this mode: end of cylinder
  for (std::size_t i = 0; i < 512; ++i) REQUIRE(data[i] == pattern(512 + i));
}

TEST_CASE("82077: registers of the PS/2 mode", "[planar][i82077]") {
  Diskette d;
  d.start(0);
  CHECK((d.in(0x3F0) & 0x50) == 0x40);  // no second drive, at track 0
  CHECK(d.in(0x3F1) == 0xC1);
  CHECK(d.in(0x3F2) == 0x1C);
  CHECK((d.in(0x3F7) & 0x7F) == 0x78);  // 500 kbit/s: high density
  d.out(0x3F7, 0x02);
  CHECK((d.in(0x3F7) & 0x7F) == 0x7D);
  unsigned pulses = 0;
  bool last = true;
  for (int i = 0; i < 10'000; ++i) {
    d.step(99_us);
    const bool index = (d.in(0x3F0) & 0x04) == 0;
    if (index && !last) ++pulses;
    last = index;
  }
  CHECK(pulses == 5);  // 300 rpm
  CHECK(d.io.find(0x3F6) == nullptr);
}

TEST_CASE("82077: commands are accepted as soon as a reset ends, and may disable the poll", "[planar][i82077]") {
  Diskette d;
  d.out(0x3F2, 0x08);
  CHECK(d.in(0x3F4) == 0);
  d.out(0x3F2, 0x0C);
  d.step(100_us);  // FreeBSD's fdc_initial_reset()
  CHECK(d.in(0x3F4) == 0x80);
  CHECK_FALSE(d.irq6.level);
  d.step(200_us);
  CHECK(d.irq6.level);
  d.out(0x3F2, 0x08);
  d.out(0x3F2, 0x0C);
  d.command({0x13, 0, 0x10, 0});  // CONFIGURE with POLL disabled
  d.step(500_us);
  CHECK_FALSE(d.irq6.level);
}

// OpenBSD's and NetBSD's probe (sys/dev/isa/fdc.c, fd.c: fdcprobe, fdprobe): reset, SPECIFY, RECALIBRATE, one SENSE
// INTERRUPT.
TEST_CASE("82077: an unserved reset interrupt ends with the next command", "[planar][i82077]") {
  Diskette d;
  d.out(0x3F2, 0x00);
  d.step(100_us);
  d.out(0x3F2, 0x04);  // bit 3 is clear: on a PS/2 it does not gate anything
  REQUIRE(d.run(10_ms));
  d.command({0x03, 0xDF, 0x02});
  CHECK_FALSE(d.irq6.level);  // a level-triggered input of a Micro Channel machine would interrupt for ever
  d.out(0x3F2, 0x14);
  d.step(250_ms);
  d.command({0x07, 0x00});
  REQUIRE(d.run(3_s));
  d.command({0x08});
  CHECK(d.result() == Bytes{0x20, 0x00});  // the drive's latest status, not that of the poll
  CHECK_FALSE(d.irq6.level);
  d.out(0x3F2, 0x04);
  d.step(10_ms);
  CHECK_FALSE(d.irq6.level);
  for (unsigned drive = 1; drive < 4; ++drive) {
    d.command({0x08});
    CHECK(d.result() == Bytes{0xC0 | drive, 0x00});
  }
  d.command({0x08});
  CHECK(d.result() == Bytes{0x80});
}

TEST_CASE("82077 in PC/AT mode: DMAGATE# enables the pins, and SRA, SRB and most of DIR are absent", "[i82077]") {
  Diskette d(1'474'560, false, DisketteMode::at);
  CHECK(d.io.find(0x3F0) == nullptr);
  CHECK(d.io.find(0x3F1) == nullptr);
  d.out(0x3F2, 0x00);
  d.step(100_us);
  d.out(0x3F2, 0x14);  // out of reset, motor on
  CHECK_FALSE(d.run(10_ms));
  d.out(0x3F2, 0x1C);
  CHECK(d.irq6.level);  // it waited for the pin
  d.out(0x3F2, 0x14);
  CHECK_FALSE(d.irq6.level);
  d.out(0x3F2, 0x1C);
  CHECK(d.irq6.level);
  d.command({0x08});
  CHECK(d.result() == Bytes{0xC0, 0x00});
  CHECK_FALSE(d.irq6.level);
  CHECK(d.in(0x3F7) == 0xFF);  // changed
  d.step(1_s);
  d.command({0x0F, 0x00, 1});
  REQUIRE(d.run(1_s));
  CHECK(d.in(0x3F7) == 0x7F);

  d.out(0x3F2, 0x14);
  d.command({0x08});
  CHECK(d.result() == Bytes{0x20, 1});
  d.command({0x46, 0x00, 1, 0, 1, 2, 18, 0x1B, 0xFF});
  d.dma(512, true);
  CHECK_FALSE(d.run(1_s));  // no request either
  CHECK(d.dma_position == 0);
}

TEST_CASE("82077: two seeks that end together raise two interrupts", "[planar][i82077]") {
  Diskette d;
  d.fdc.install(1, 1000);
  d.start();
  d.command({0x0F, 0x00, 7});
  d.command({0x0F, 0x01, 9});
  d.step(1_s);
  REQUIRE(d.irq6.level);
  d.command({0x08});
  CHECK(d.result() == Bytes{0x20, 7});
  CHECK(d.irq6.level);
  d.command({0x08});
  CHECK(d.result() == Bytes{0x21, 9});
  CHECK_FALSE(d.irq6.level);
}

TEST_CASE("82077: arbitrary guest writes do no harm", "[planar][i82077]") {
  Random random(82077);
  Diskette d;
  d.start();
  for (int i = 0; i < 60'000; ++i) {
    const auto port = static_cast<std::uint16_t>(0x3F0 + random.below(8));
    if (random.below(3) == 0)
      d.in(port);
    else
      d.out(port, static_cast<std::uint8_t>(port == 0x3F2 ? 0x1C | random.below(4) : random.next()));
    if (random.below(50) == 0) d.step(Time{static_cast<std::int64_t>(random.below(40'000'000'000))});
    if (d.fdc.drq.level() && random.below(2) == 0) d.fdc.dma_write(d.fdc.dma_read(d.now), d.now);
    if (random.below(200) == 0) d.fdc.terminal_count(d.now);
    if (random.below(500) == 0) {
      Archive a = Archive::saver();
      d.fdc.archive(a);
    }
  }
  d.out(0x3F2, 0x00);
  d.out(0x3F2, 0x1C);
  d.step(1_s);
  while ((d.in(0x3F4) & 0x40) != 0) d.in(0x3F5);
  CHECK((d.in(0x3F4) & 0xD0) == 0x80);
}

TEST_CASE("82077: a snapshot in the middle of a sector does not affect the read", "[planar][i82077]") {
  Diskette d, e;
  d.start();
  d.seek(4);
  d.dma(3 * 512, true);
  d.command({0xE6, 0, 4, 0, 1, 2, 18, 0x1B, 0xFF});
  while (d.dma_position < 700) {
    d.step(1_us);
    if (d.fdc.drq.level()) d.memory[d.dma_position++] = d.fdc.dma_read(d.now), --d.dma_left;
  }
  e.until(d.now);
  REQUIRE(tests::survives_snapshot(d.fdc, e.fdc));
  e.memory = d.memory;
  e.dma_left = d.dma_left;
  e.dma_position = d.dma_position;
  e.irq6.level = d.irq6.level;
  REQUIRE(d.run(1_s));
  REQUIRE(e.run(1_s));
  CHECK(d.irq6.rises.back() == e.irq6.rises.back());
  CHECK(d.memory == e.memory);
  CHECK(d.result() == e.result());

  Diskette empty(0);
  Archive saved = Archive::saver();
  d.fdc.archive(saved);
  Archive loader = Archive::loader(saved.stream());
  CHECK_THROWS_AS(empty.fdc.archive(loader), Error);
}

TEST_CASE("diskette images are recognised by size; others are rejected with file, size and remedy",
          "[planar][floppy]") {
  CHECK(FloppyImage::recognise(1'474'560)->sectors == 18);
  CHECK(FloppyImage::recognise(2'949'120)->data_rate == 1000);
  CHECK_FALSE(FloppyImage::recognise(1'474'561));
  const auto message = [](auto make) {
    try {
      make();
    } catch (const Error& e) {
      CHECK(e.code() == ExitCode::missing_file);
      return std::string(e.what());
    }
    return std::string();
  };
  const std::string missing = message([] { FloppyImage::load("/nonexistent/disk.img"); });
  CHECK(missing.find("/nonexistent/disk.img") != std::string::npos);
  CHECK(message([] { FloppyImage::load("/"); }).find("directory") != std::string::npos);
  const std::string path = "planar-test-short.img";
  std::ofstream(path, std::ios::binary) << std::string(1000, 'x');
  const std::string small = message([&] { FloppyImage::load(path); });
  CHECK(small.find(path) != std::string::npos);
  CHECK(small.find("1000 bytes") != std::string::npos);
  CHECK(small.find("1474560") != std::string::npos);
  std::ofstream(path, std::ios::binary) << std::string(163'840, 'y');
  FloppyImage image = FloppyImage::load(path);
  std::array<std::uint8_t, 512> sector{};
  CHECK(image.write(39, 0, 8, sector));
  CHECK_FALSE(image.write(40, 0, 1, sector));
  CHECK_FALSE(image.write(0, 1, 1, sector));
  CHECK_FALSE(image.write(0, 0, 0, sector));
  // The file itself is unchanged.
  CHECK(FloppyImage::load(path).contents()[163'839] == 'y');
  CHECK(image.contents()[163'839] == 0);
  std::remove(path.c_str());
}

TEST_CASE("diskette images: a snapshot fits only its own image", "[planar][floppy]") {
  FloppyImage image(image_bytes(737'280), "a.img"), same(image_bytes(737'280), "a.img"),
      other(std::vector<std::uint8_t>(737'280), "b.img");
  std::array<std::uint8_t, 512> sector{};
  sector.fill(0x77);
  image.write(5, 1, 9, sector);
  REQUIRE(tests::survives_snapshot(image, same));
  CHECK(same.contents() == image.contents());
  Archive saved = Archive::saver();
  image.archive(saved);
  Archive loader = Archive::loader(saved.stream());
  CHECK_THROWS_AS(other.archive(loader), Error);
}
