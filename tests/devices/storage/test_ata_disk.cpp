// SPDX-License-Identifier: GPL-2.0-or-later
// ATA disks at their ports, as used by Linux 2.2's ide driver and a BIOS.
#include "core/common/error.hpp"
#include "tests/archived.hpp"
#include "tests/devices/storage/ide_bench.hpp"

using namespace planar;
using planar::test::IdeBench;
using planar::test::sectors_of;

TEST_CASE("IDE: nothing is decoded until firmware enables it", "[storage][ide]") {
  IdeBench b;
  b.disk(0);
  CHECK(b.in(7) == 0xFF);
  b.config(0x40, 0x80008000);
  CHECK(b.in(7) == 0xFF);
  b.config(0x04, pci::IO_SPACE);
  CHECK(b.in(7) == 0x50);
  b.config(0x40, 0x80000000);  // only the second channel
  CHECK(b.in(7) == 0xFF);
}

TEST_CASE("IDE: Linux finds a master, no slave and an empty secondary channel", "[storage][ide]") {
  IdeBench b;
  b.disk(0);
  b.firmware();
  b.out(6, 0xA0);
  CHECK(b.in(6) == 0xA0);
  CHECK(b.in(7) == 0x50);
  const auto id = b.identify();
  REQUIRE(id.size() == 512);
  CHECK(IdeBench::id_word(id, 0) == 0x0040);
  CHECK(IdeBench::id_word(id, 1) == 20);
  CHECK(IdeBench::id_word(id, 3) == 16);
  CHECK(IdeBench::id_word(id, 6) == 63);
  CHECK((IdeBench::id_word(id, 60) | IdeBench::id_word(id, 61) << 16) == 20'160);
  CHECK(IdeBench::id_word(id, 27) == ('P' << 8 | 'L'));
  CHECK((IdeBench::id_word(id, 49) & 0x0300) == 0x0300);
  CHECK(IdeBench::id_word(id, 63) == 0x0407);
  CHECK((b.in(7) & 0x89) == 0);
  CHECK_FALSE(b.irq14.level);
  // The slave: the master answers for it, with status 0.
  b.out(6, 0xB0);
  CHECK(b.in(6) == 0xB0);
  CHECK(b.in(7) == 0x00);
  b.out(7, 0xEC);
  b.rig.step(50_ms);
  CHECK(b.in(7) == 0x00);
  CHECK_FALSE(b.irq14.level);
  b.base = 0x170;
  b.out(6, 0xA0);
  CHECK(b.in(6) == 0x7F);
  CHECK(b.in(7) == 0x7F);
}

TEST_CASE("IDE: READ SECTORS interrupts for every sector, and not at the end", "[storage][ide]") {
  IdeBench b;
  b.disk(0);
  b.firmware();
  b.address(1000, 3);
  CHECK(b.read_by_port(0x20, 3) == sectors_of(1000, 3));
  b.rig.step(10_ms);
  CHECK_FALSE(b.irq14.level);
  CHECK(b.in(7) == 0x50);
  CHECK(b.irq14.rises.size() == 3);
  CHECK(b.in(2) == 0);
  CHECK(b.in(3) == (1002 & 0xFF));
  CHECK(b.in(4) == 1002 >> 8);
  CHECK(b.word() == 0xFFFF);  // no data is there
}

TEST_CASE("IDE: a BIOS reads by cylinder, head and sector of its translation", "[storage][ide]") {
  IdeBench b;
  b.disk(0);
  b.firmware();
  b.out(2, 32);  // INITIALIZE DEVICE PARAMETERS: 8 heads, 32 sectors
  b.out(6, 0xA7);
  CHECK(b.run(0x91) == 0x50);
  b.out(2, 2);
  b.out(3, 32);  // the last sector of a track, and the first of the next
  b.out(4, 5);
  b.out(5, 0);
  b.out(6, 0xA3);
  const std::size_t sector = (5 * 8 + 3) * 32 + 31;
  CHECK(b.read_by_port(0x20, 2) == sectors_of(sector, 2));
  CHECK(b.in(3) == 1);
  CHECK((b.in(6) & 0x0F) == 4);
  SECTION("sector 0 and excessive sectors and heads are not found") {
    for (const auto& [head, number] : {std::pair{0xA3u, 0u}, {0xA3u, 33u}, {0xA8u, 1u}}) {
      b.out(6, head);
      b.out(2, 1);
      b.out(3, number);
      CHECK(b.run(0x20) == 0x51);
      CHECK(b.in(1) == 0x10);
    }
  }
  SECTION("IDENTIFY reports the translation") {
    b.out(6, 0xA0);
    const auto id = b.identify();
    REQUIRE(id.size() == 512);
    CHECK(IdeBench::id_word(id, 54) == 78);
    CHECK(IdeBench::id_word(id, 55) == 8);
    CHECK(IdeBench::id_word(id, 56) == 32);
  }
  SECTION("a translation with no sectors is aborted") {
    b.out(2, 0);
    CHECK(b.run(0x91) == 0x51);
    CHECK(b.in(1) == 0x04);
  }
}

TEST_CASE("IDE: READ MULTIPLE transfers blocks, the last one shorter", "[storage][ide]") {
  IdeBench b;
  b.disk(0);
  b.firmware();
  b.address(100, 10);
  CHECK(b.run(0xC4) == 0x51);  // not set
  CHECK(b.in(1) == 0x04);
  b.out(2, 8);
  CHECK(b.run(0xC6) == 0x50);
  b.address(100, 10);
  const auto before = b.irq14.rises.size();
  CHECK(b.read_by_port(0xC4, 10, 8) == sectors_of(100, 10));
  CHECK(b.irq14.rises.size() == before + 2);
  for (const unsigned unsupported : {32u, 3u}) {
    b.out(2, 8);
    CHECK(b.run(0xC6) == 0x50);
    b.out(2, unsupported);
    CHECK(b.run(0xC6) == 0x51);
    b.address(100, 10);
    CHECK(b.run(0xC4) == 0x51);  // the mode that was set before has ended
  }
}

TEST_CASE("IDE: WRITE SECTORS requests the first sector without an interrupt", "[storage][ide]") {
  IdeBench b;
  b.disk(0);
  b.firmware();
  const auto data = sectors_of(5000, 2);
  b.address(200, 2);
  b.out(7, 0x30);
  REQUIRE(b.until([&] { return (b.alternate() & 0x88) == 0x08; }));
  CHECK_FALSE(b.irq14.level);
  b.write_words({data.begin(), data.begin() + 512});
  REQUIRE(b.interrupt());
  CHECK((b.in(7) & 0x89) == 0x08);
  b.write_words({data.begin() + 512, data.end()});
  CHECK((b.alternate() & 0x80) != 0);
  REQUIRE(b.interrupt());
  CHECK(b.in(7) == 0x50);
  b.address(199, 4);
  auto expected = sectors_of(199, 4);
  std::copy(data.begin(), data.end(), expected.begin() + 512);
  CHECK(b.read_by_port(0x20, 4) == expected);
}

TEST_CASE("IDE: WRITE MULTIPLE transfers blocks", "[storage][ide]") {
  IdeBench b;
  b.disk(0);
  b.firmware();
  b.out(2, 4);
  REQUIRE(b.run(0xC6) == 0x50);
  const auto data = sectors_of(7000, 6);
  b.address(300, 6);
  b.out(7, 0xC5);
  REQUIRE(b.until([&] { return (b.alternate() & 0x88) == 0x08; }));
  b.write_words({data.begin(), data.begin() + 2048});
  REQUIRE(b.interrupt());
  CHECK((b.in(7) & 0x89) == 0x08);
  b.write_words({data.begin() + 2048, data.end()});
  REQUIRE(b.interrupt());
  CHECK(b.in(7) == 0x50);
  b.address(300, 6);
  CHECK(b.read_by_port(0x20, 6) == data);
}

TEST_CASE("IDE: an access beyond the end transfers the existing sectors, then fails", "[storage][ide]") {
  IdeBench b;
  b.disk(0);
  b.firmware();
  b.address(20'159, 2);
  b.out(7, 0x20);
  REQUIRE(b.interrupt());
  CHECK((b.in(7) & 0x89) == 0x08);
  CHECK(b.read_words(512) == sectors_of(20'159, 1));
  REQUIRE(b.interrupt());
  CHECK(b.in(7) == 0x51);
  CHECK(b.in(1) == 0x10);
  CHECK(b.in(2) == 1);
  CHECK((b.in(3) | b.in(4) << 8) == 20'160);
  b.address(20'160, 1);
  CHECK(b.run(0x20) == 0x51);
  CHECK(b.in(1) == 0x10);
  b.address(0x0FFFFFFF, 0);
  CHECK(b.run(0x30) == 0x51);
  SECTION("a write stops there, and the image keeps its size") {
    b.address(20'159, 3);
    b.out(7, 0x30);
    REQUIRE(b.until([&] { return (b.alternate() & 0x88) == 0x08; }));
    b.write_words(sectors_of(1, 1));
    REQUIRE(b.interrupt());
    b.in(7);
    b.write_words(sectors_of(2, 1));
    REQUIRE(b.interrupt());
    CHECK(b.in(7) == 0x51);
    CHECK(b.in(1) == 0x10);
    CHECK(b.in(2) == 2);
    CHECK(b.ide.drive(0)->image().sectors() == 20'160);
    CHECK(b.ide.drive(0)->image().changed_sectors() == 1);
  }
}

TEST_CASE("IDE: a read-only image is not written", "[storage][ide]") {
  IdeBench b;
  b.disk(0, 20'160, storage::WriteMode::read_only);
  b.firmware();
  b.address(0, 1);
  CHECK(b.run(0x30) == 0x51);
  CHECK(b.in(1) == 0x04);
  CHECK(b.ide.drive(0)->image().changed_sectors() == 0);
}

TEST_CASE("IDE: non-data commands", "[storage][ide]") {
  IdeBench b;
  b.disk(0);
  b.firmware();
  b.out(6, 0xA0);
  for (const unsigned command : {0x10, 0x1F, 0xE0, 0xE1, 0xE2, 0xE3, 0x94, 0x95, 0x96, 0x97, 0xE7, 0xE6, 0x99}) {
    INFO(command);
    CHECK(b.run(command) == 0x50);
  }
  CHECK(b.run(0xE5) == 0x50);
  CHECK(b.in(2) == 0xFF);
  b.address(10'000, 200);
  CHECK(b.run(0x40) == 0x50);
  CHECK((b.in(3) | b.in(4) << 8) == 10'199);
  b.address(20'100, 200);
  CHECK(b.run(0x40) == 0x51);
  b.address(10'000, 0);
  CHECK(b.run(0x70) == 0x50);
  for (const unsigned command : {0x00, 0x08, 0x22, 0x32, 0x50, 0xA0, 0xA1, 0xB0, 0xE4, 0xE8, 0xF1, 0xFF}) {
    INFO(command);
    CHECK(b.run(command) == 0x51);
    CHECK(b.in(1) == 0x04);
  }
}

TEST_CASE("IDE: SET FEATURES accepts transfer modes and read-ahead", "[storage][ide]") {
  IdeBench b;
  b.disk(0);
  b.firmware();
  const auto set = [&](unsigned feature, unsigned count) {
    b.out(1, feature);
    b.out(2, count);
    return b.run(0xEF);
  };
  CHECK(set(0x03, 0x0C) == 0x50);
  CHECK(set(0x03, 0x21) == 0x50);
  CHECK(IdeBench::id_word(b.identify(), 63) == 0x0207);
  CHECK(set(0xAA, 0) == 0x50);
  CHECK(set(0x03, 0x0D) == 0x51);
  CHECK(set(0x03, 0x42) == 0x51);  // no Ultra DMA
  CHECK(set(0x02, 0) == 0x51);     // no write cache
}

TEST_CASE("IDE: seek, rotation and read-ahead take their time", "[storage][ide]") {
  IdeBench b;
  b.disk(0, 400'000);
  b.firmware();
  const auto time = [&](std::uint32_t lba) {
    const Time start = b.rig.now;
    b.address(lba, 1);
    CHECK(b.read_by_port(0x20, 1) == sectors_of(lba, 1));
    return b.rig.now - start;
  };
  time(0);
  const Time far = time(399'000);
  CHECK(far > 15_ms);
  CHECK(far < 35_ms);
  CHECK(time(399'001) < 1_ms);  // was read ahead
  const Time near = time(399'050);
  CHECK(near < 12_ms);
}

TEST_CASE("IDE: two drives on a cable: the interrupt follows the selected one", "[storage][ide]") {
  IdeBench b;
  b.disk(0);
  b.disk(1, 4032);
  b.firmware();
  CHECK((IdeBench::id_word(b.identify(), 60)) == 20'160);
  b.out(6, 0xB0);
  CHECK((IdeBench::id_word(b.identify(), 60)) == 4032);
  b.address(50, 1, 1);
  b.out(7, 0x20);
  REQUIRE(b.interrupt());
  b.out(6, 0xA0);  // the master has no interrupt
  CHECK_FALSE(b.irq14.level);
  b.out(6, 0xB0 | 0x40);
  CHECK(b.irq14.level);
  CHECK((b.alternate() & 0x08) != 0);
  CHECK(b.irq14.level);  // the alternate status does not end it
  b.in(7);
  CHECK_FALSE(b.irq14.level);
  CHECK(b.read_words(512) == sectors_of(50, 1));
}

TEST_CASE("IDE: nIEN masks the interrupt, the second channel has IRQ 15", "[storage][ide]") {
  IdeBench b;
  b.disk(2);
  b.firmware();
  b.base = 0x170;
  b.control(0x02);
  b.address(0, 1);
  b.out(7, 0x40);
  REQUIRE(b.idle());
  CHECK_FALSE(b.irq15.level);
  b.control(0x00);
  CHECK(b.irq15.level);
  CHECK(b.in(7) == 0x50);
  CHECK_FALSE(b.irq15.level);
  CHECK(b.irq14.rises.empty());
}

TEST_CASE("IDE: a software reset during a command, and the diagnostic, set the signature", "[storage][ide]") {
  IdeBench b;
  b.disk(0);
  b.disk(1);
  b.firmware();
  b.address(100, 200);
  b.out(7, 0x20);
  REQUIRE(b.interrupt());
  if (GENERATE(true, false)) {
    b.control(0x0C);
    CHECK(b.alternate() == 0x80);
    b.rig.step(10_us);
    b.control(0x08);
    CHECK((b.alternate() & 0x80) != 0);
    REQUIRE(b.idle());
    CHECK_FALSE(b.irq14.level);
  } else {
    b.in(7);
    b.read_words(512);
    REQUIRE(b.interrupt());
    b.in(7);
    b.out(7, 0x90);
    REQUIRE(b.interrupt());
  }
  CHECK(b.in(7) == 0x50);
  CHECK(b.in(1) == 0x01);
  CHECK(b.in(2) == 1);
  CHECK(b.in(3) == 1);
  CHECK(b.in(4) == 0);
  CHECK(b.in(5) == 0);
  CHECK((b.in(6) & 0x10) == 0);
  b.address(7, 1);
  CHECK(b.read_by_port(0x20, 1) == sectors_of(7, 1));
}

TEST_CASE("IDE: register and command writes while busy or during a block have no effect", "[storage][ide]") {
  IdeBench b;
  b.disk(0);
  b.firmware();
  b.address(1000, 2);
  b.out(7, 0x20);
  b.out(3, 0x55);
  b.out(7, 0xEC);
  CHECK((b.in(3) & 0x80) != 0);  // a busy drive returns its status
  REQUIRE(b.interrupt());
  b.in(7);
  b.out(2, 0x77);
  CHECK(b.in(2) == 2);
  CHECK(b.read_words(512) == sectors_of(1000, 1));
  REQUIRE(b.interrupt());
  b.in(7);
  b.read_words(100);
  b.out(7, 0xEC);  // a new command in the middle of a block discards the block
  REQUIRE(b.interrupt());
  b.in(7);
  CHECK(b.word() == 0x0040);
}

TEST_CASE("IDE: a run of INSW equals single accesses, and doublewords are two words", "[storage][ide]") {
  IdeBench b;
  b.disk(0);
  b.firmware();
  b.address(10, 2);
  b.out(7, 0x20);
  REQUIRE(b.interrupt());
  b.in(7);
  Slave& data = b.ide.channel(0).data();
  PortRun run = data.port_run(0, 2, Direction::read);
  CHECK(run.count == 256);
  CHECK(data.port_run(0, 4, Direction::read).count == 0);
  CHECK(data.port_run(0, 2, Direction::write).count == 0);
  std::vector<std::uint8_t> bytes(512);
  data.run_read(0, std::span(bytes).first(200), run, b.rig.now);
  CHECK(data.port_run(0, 2, Direction::read).count == 156);
  data.run_read(0, std::span(bytes).subspan(200), run, b.rig.now);
  CHECK(bytes == sectors_of(10, 1));
  CHECK((b.alternate() & 0x80) != 0);
  REQUIRE(b.interrupt());
  b.in(7);
  const auto expected = sectors_of(11, 1);
  for (unsigned n = 0; n < 512; n += 4)
    CHECK(b.rig.in(0x1F0, 4) ==
          (expected[n] | expected[n + 1] << 8 | expected[n + 2] << 16 | std::uint32_t{expected[n + 3]} << 24));
  CHECK(b.alternate() == 0x50);
}

TEST_CASE("IDE: the data port's cycle time follows IDETIM", "[storage][ide]") {
  const auto time = [](std::uint32_t timing) {
    IdeBench b;
    b.disk(0);
    b.firmware(timing);
    b.address(10, 1);
    b.out(7, 0x20);
    REQUIRE(b.interrupt());
    b.in(7);
    b.word();
    return b.rig.took;
  };
  const Time slow = time(0x8000), mode4 = time(0xA307), dma_only = time(0xA30F);
  CHECK(slow - mode4 == 600_ns - 120_ns);
  CHECK(dma_only == slow);
}

TEST_CASE("IDE: a command continues after a snapshot, and a damaged one is refused", "[storage][ide]") {
  constexpr std::size_t sectors = 2016;  // small, because a snapshot contains its hash
  IdeBench b, c;
  b.disk(0, sectors);
  c.disk(0, sectors);
  b.firmware();
  b.address(1000, 3);
  b.out(7, 0x20);
  REQUIRE(b.interrupt());
  b.in(7);
  b.read_words(100);
  const auto state = test::saved_state(b);
  test::restore_state(c, state);
  CHECK(test::saved_state(c) == state);
  const auto rest = c.read_words(412);
  const auto sector = sectors_of(1000, 1);
  CHECK(std::equal(rest.begin(), rest.end(), sector.begin() + 100));
  REQUIRE(c.until([&] { return c.ide.irq14.level(); }));
  c.in(7);
  CHECK(c.read_words(512) == sectors_of(1001, 1));
  // Whichever byte is damaged, the state is refused or the drive still answers.
  for (std::size_t place = 0; place < state.size(); place += 1 + place / 97) {
    auto damaged = state;
    damaged[place] ^= 0xFF;
    IdeBench d;
    d.disk(0, sectors);
    try {
      test::restore_state(d, damaged);
    } catch (const Error&) { continue; }
    if (d.rig.now < Time{} || d.rig.now > 1000_s) continue;
    for (unsigned n = 0; n < 300; ++n) d.word();
    d.control(0x04);
    d.control(0x00);
    d.rig.step(1_ms);
  }
}

TEST_CASE("IDE: a snapshot of other drives is refused; there are four positions", "[storage][ide]") {
  IdeBench b, c;
  b.disk(0);
  c.disk(1);
  CHECK_THROWS_AS(test::restore_state(c, test::saved_state(b)), Error);
  CHECK_THROWS_AS(b.disk(0), Error);
  CHECK_THROWS_AS(b.disk(4), Error);
  CHECK(b.ide.drive(0) != nullptr);
  CHECK(b.ide.drive(3) == nullptr);
  CHECK(b.ide.drive(9) == nullptr);
}
