// SPDX-License-Identifier: GPL-2.0-or-later
// The IDE function's configuration and its bus masters, as used by Linux 2.2's ide-dma and piix drivers.
#include "core/common/error.hpp"
#include "devices/board/at/system/i8259.hpp"
#include "tests/archived.hpp"
#include "tests/devices/storage/ide_bench.hpp"

using namespace planar;
using planar::test::IdeBench;
using planar::test::sectors_of;

namespace {
constexpr std::uint32_t last = 0x80000000;
}  // namespace

TEST_CASE("PIIX3 IDE: function 1 is what the probe expects", "[storage][ide][piix3]") {
  IdeBench b;
  CHECK(b.config(0) == 0x70108086);
  CHECK(b.config(8) == 0x01018000);
  CHECK(b.config(0x3C) == 0);
  for (const unsigned bar : {0x10, 0x14, 0x18, 0x1C, 0x24}) {
    b.config(bar, 0xFFFFFFFF);
    CHECK(b.config(bar) == 0);
  }
  b.config(0x20, 0xFFFFFFFF);
  CHECK(b.config(0x20) == 0x0000FFF1);
  b.config(0x04, 0xFFFF);
  CHECK((b.config(0x04) & 0xFFFF) == 0x0005);
  b.config(0x40, 0xFFFFFFFF);
  CHECK(b.config(0x40) == 0xF3FFF3FF);
  b.rig.segment.reset(b.rig.now);
  CHECK(b.config(0x40) == 0);
  CHECK(b.in(7) == 0xFF);
}

TEST_CASE("PIIX3 IDE: the bus master's registers", "[storage][ide][piix3]") {
  IdeBench b;
  b.firmware();
  b.rig.out(0xF004, 0x12345677, 4);
  CHECK(b.rig.in(0xF004, 4) == 0x12345674);
  b.rig.out(0xF00D, 0xAB);
  CHECK(b.rig.in(0xF00C, 4) == 0x0000AB00);
  b.rig.out(0xF002, 0xE0);
  CHECK(b.rig.in(0xF002) == 0x60);
  CHECK(b.rig.in(0xF000, 4) == 0x00600000);
  b.rig.out(0xF000, 0x08);
  CHECK(b.rig.in(0xF000) == 0x08);
}

TEST_CASE("PIIX3 IDE: READ DMA into scattered regions raises one interrupt", "[storage][ide][piix3]") {
  IdeBench b;
  b.disk(0);
  b.firmware(0x8000A307);
  b.table({{0x20000, 512}, {0x30010, 1024}, {0x40000, 2560 | last}});
  b.address(500, 8);
  b.dma(0xC8, true);
  REQUIRE(b.interrupt());
  CHECK(b.dma_end() == 0x04);
  CHECK(b.in(7) == 0x50);
  CHECK(b.irq14.rises.size() == 1);
  const auto data = sectors_of(500, 8);
  CHECK(b.rig.get(0x20000, 512) == std::vector(data.begin(), data.begin() + 512));
  CHECK(b.rig.get(0x30010, 1024) == std::vector(data.begin() + 512, data.begin() + 1536));
  CHECK(b.rig.get(0x40000, 2560) == std::vector(data.begin() + 1536, data.end()));
  CHECK(b.rig.ram[0x20200] == 0);
  CHECK(b.rig.ram[0x30410] == 0);
}

TEST_CASE("PIIX3 IDE: WRITE DMA from memory can be read back", "[storage][ide][piix3]") {
  IdeBench b;
  b.disk(2);
  b.firmware(0xA307A307);
  b.base = 0x170;
  const auto data = sectors_of(9000, 40);
  b.rig.put(0x20008, data);
  b.table({{0x20008, 4096}, {0x21008, (40 * 512 - 4096) | last}});
  b.address(60, 40);
  b.dma(0xCA, false);
  REQUIRE(b.interrupt());
  CHECK(b.dma_end() == 0x04);
  CHECK(b.in(7) == 0x50);
  b.address(60, 40);
  CHECK(b.read_by_port(0x20, 40) == data);
  CHECK(b.irq14.rises.empty());
}

TEST_CASE("PIIX3 IDE: DMA runs at the cable's rate from the drive's buffer", "[storage][ide][piix3]") {
  IdeBench b;
  b.disk(0);
  b.firmware(0x8000A307);
  b.table({{0x20000, 0x2000 | last}});
  b.address(0, 16);
  b.dma(0xC8, true);
  REQUIRE(b.interrupt());
  b.dma_end();
  b.in(7);
  b.rig.step(20_ms);  // the drive reads ahead
  b.table({{0x20000, 0x2000 | last}});
  b.address(16, 16);
  b.dma(0xC8, true);
  const Time start = b.rig.now;
  REQUIRE(b.interrupt());
  const Time took = b.rig.now - start;
  CHECK(took > 8192 / 2 * 120_ns);
  CHECK(took < 8192 / 2 * 120_ns * 2);
}

TEST_CASE("PIIX3 IDE: regions larger or smaller than the transfer", "[storage][ide][piix3]") {
  IdeBench b;
  b.disk(0);
  b.firmware();
  b.address(10, 2);
  SECTION("larger: interrupt, still active") {
    b.table({{0x20000, 4096 | last}});
    b.dma(0xC8, true);
    REQUIRE(b.interrupt());
    CHECK(b.dma_end() == 0x05);
    CHECK(b.rig.get(0x20000, 1024) == sectors_of(10, 2));
    CHECK(b.rig.in(0xF002) == 0x00);
  }
  SECTION("smaller: not active, no interrupt, and the drive waits until it is reset") {
    b.table({{0x20000, 512 | last}});
    b.dma(0xC8, true);
    CHECK_FALSE(b.interrupt(100_ms));
    CHECK(b.dma_end() == 0x00);
    CHECK((b.alternate() & 0x08) != 0);
    CHECK(b.rig.get(0x20000, 512) == sectors_of(10, 1));
    CHECK(b.rig.ram[0x20200] == 0);
    b.control(0x04);
    b.control(0x00);
    REQUIRE(b.idle());
    CHECK(b.in(7) == 0x50);
  }
}

TEST_CASE("PIIX3 IDE: a count of 0 is 64 KB; addresses wrap in their 64 KB", "[storage][ide][piix3]") {
  IdeBench b;
  b.disk(0);
  b.firmware();
  b.address(0, 128);
  b.table({{0x21000, 0 | last}});
  b.dma(0xC8, true);
  REQUIRE(b.interrupt());
  CHECK(b.dma_end() == 0x04);
  const auto data = sectors_of(0, 128);
  CHECK(b.rig.get(0x21000, 0xF000) == std::vector(data.begin(), data.begin() + 0xF000));
  CHECK(b.rig.get(0x20000, 0x1000) == std::vector(data.begin() + 0xF000, data.end()));
  CHECK(b.rig.ram[0x30000] == 0);
}

TEST_CASE("PIIX3 IDE: tables and regions outside memory", "[storage][ide][piix3]") {
  IdeBench b;
  b.disk(0);
  b.firmware();
  b.address(0, 1);
  if (GENERATE(true, false))
    b.rig.out(0xF004, 0x80000000, 4);
  else
    b.table({{0x90000000, 512 | last}});
  b.dma(0xC8, true);
  b.rig.step(100_ms);
  CHECK(b.rig.in(0xF002) == 0x02);
  CHECK((b.config(4) >> 16 & pci::RECEIVED_MASTER_ABORT) != 0);
  CHECK_FALSE(b.irq14.level);
  b.dma_end();
  // A valid table afterwards.
  b.control(0x04);
  b.control(0x00);
  REQUIRE(b.idle());
  b.address(3, 1);
  b.table({{0x20000, 512 | last}});
  b.dma(0xC8, true);
  REQUIRE(b.interrupt());
  CHECK(b.dma_end() == 0x04);
  CHECK(b.rig.get(0x20000, 512) == sectors_of(3, 1));
}

TEST_CASE("PIIX3 IDE: stop, reset and disable during a transfer", "[storage][ide][piix3]") {
  IdeBench b;
  b.disk(0);
  b.firmware();
  b.address(0, 128);
  b.table({{0x20000, 0 | last}});
  b.dma(0xC8, true);
  REQUIRE(b.until([&] { return b.rig.ram[0x20101] != 0; }));
  SECTION("start is cleared") {
    b.rig.out(0xF000, 0x08);
    CHECK(b.rig.in(0xF002) == 0x00);
  }
  SECTION("drive reset") {
    b.control(0x04);
    b.control(0x00);
    b.rig.step(1_ms);
    CHECK(b.rig.in(0xF002) == 0x01);
    b.rig.out(0xF000, 0x00);
  }
  SECTION("bus reset") {
    b.rig.segment.reset(b.rig.now);
    b.firmware();
    CHECK(b.rig.in(0xF000, 4) == 0);
  }
  SECTION("the other drive is selected") {
    b.out(6, 0xF0);
    b.rig.step(1_ms);
    b.rig.out(0xF000, 0x00);
  }
  b.control(0x04);
  b.control(0x00);
  REQUIRE(b.idle());
  b.rig.step(100_ms);
  CHECK_FALSE(b.irq14.level);
  b.rig.ram.assign(b.rig.ram.size(), 0);
  b.address(3, 1);
  b.table({{0x20000, 512 | last}});
  b.dma(0xC8, true);
  REQUIRE(b.interrupt());
  CHECK(b.dma_end() == 0x04);
  CHECK(b.rig.get(0x20000, 512) == sectors_of(3, 1));
  CHECK(b.rig.ram[0x20200] == 0);
}

TEST_CASE("PIIX3 IDE: a transfer waits for BUS_MASTER", "[storage][ide][piix3]") {
  IdeBench b;
  b.disk(0);
  b.firmware();
  b.config(0x04, pci::IO_SPACE);
  b.address(0, 1);
  b.table({{0x20000, 512 | last}});
  b.dma(0xC8, true);
  b.rig.step(100_ms);
  CHECK(b.rig.in(0xF002) == 0x01);
  b.config(0x04, pci::IO_SPACE | pci::BUS_MASTER);
  REQUIRE(b.interrupt());
  CHECK(b.dma_end() == 0x04);
  CHECK(b.rig.get(0x20000, 512) == sectors_of(0, 1));
}

TEST_CASE("PIIX3 IDE: a direction other than the drive's transfers nothing", "[storage][ide][piix3]") {
  IdeBench b;
  b.disk(0);
  b.firmware();
  b.address(0, 1);
  b.table({{0x20000, 512 | last}});
  b.dma(0xC8, false);
  b.rig.step(100_ms);
  CHECK(b.rig.in(0xF002) == 0x01);
  CHECK(b.rig.ram[0x20010] == 0);
  CHECK(b.ide.drive(0)->image().changed_sectors() == 0);
}

TEST_CASE("PIIX3 IDE: both channels transfer simultaneously", "[storage][ide][piix3]") {
  IdeBench b;
  b.disk(0);
  b.disk(2);
  b.firmware(0xA307A307);
  b.rig.put32(0x1100, 0x30000);
  b.rig.put32(0x1104, 0x4000 | last);
  b.table({{0x20000, 0x4000 | last}});
  b.address(100, 32);
  b.dma(0xC8, true);
  b.base = 0x170;
  b.rig.out(0xF00C, 0x1100, 4);
  b.address(200, 32);
  b.dma(0xC8, true);
  REQUIRE(b.until([&] { return b.irq14.level && b.irq15.level; }));
  CHECK(b.rig.get(0x20000, 0x4000) == sectors_of(100, 32));
  CHECK(b.rig.get(0x30000, 0x4000) == sectors_of(200, 32));
}

TEST_CASE("PIIX3 IDE: a transfer continues after a snapshot; a damaged one is refused or does no harm",
          "[storage][ide][piix3]") {
  constexpr std::size_t sectors = 2016;  // small, because a snapshot contains its hash
  IdeBench b, c;
  b.disk(0, sectors);
  c.disk(0, sectors);
  b.firmware();
  b.address(0, 128);
  b.table({{0x20000, 0 | last}});
  b.dma(0xC8, true);
  REQUIRE(b.until([&] { return b.rig.ram[0x20101] != 0; }));
  const auto state = test::saved_state(b);
  test::restore_state(c, state);
  CHECK(test::saved_state(c) == state);
  REQUIRE(c.until([&] { return c.ide.irq14.level(); }));
  CHECK(c.dma_end() == 0x04);
  CHECK(c.rig.get(0x20000, 0x10000) == sectors_of(0, 128));
  for (std::size_t place = state.size() - 400; place < state.size(); ++place) {
    auto damaged = state;
    damaged[place] ^= 0x81;
    IdeBench d;
    d.disk(0, sectors);
    try {
      test::restore_state(d, damaged);
    } catch (const Error&) { continue; }
    if (d.rig.now < Time{} || d.rig.now > 1000_s) continue;
    d.rig.step(1_ms);
  }
}

TEST_CASE("PIIX3 IDE: every interrupt is an edge at the interrupt controller", "[storage][ide][piix3]") {
  IdeBench b;
  b.disk(0);
  b.firmware();
  I8259Pair pic{b.rig.trace, Trigger::elcr};
  b.lines.connect(pic);
  const unsigned source = b.lines.add_source("ide");
  SignalFunction wire([&](bool level, Time now) { b.lines.set(14, source, level, now); });
  b.ide.irq14.connect(wire);
  tests::Probe intr;
  pic.intr().connect(intr);
  pic.claim_ports(b.rig.bus.io());
  for (const std::uint16_t port : {0x20, 0xA0}) {
    b.rig.out(port, 0x11);
    b.rig.out(static_cast<std::uint16_t>(port + 1), port == 0x20 ? 0x20 : 0x28);
    b.rig.out(static_cast<std::uint16_t>(port + 1), port == 0x20 ? 0x04 : 0x02);
    b.rig.out(static_cast<std::uint16_t>(port + 1), 0x01);
  }
  b.address(100, 2);
  b.out(7, 0x20);
  for (unsigned n = 0; n < 2; ++n) {
    REQUIRE(b.until([&] { return intr.level; }));
    CHECK(pic.acknowledge(b.rig.now) == 0x2E);
    b.rig.out(0xA0, 0x20);
    b.rig.out(0x20, 0x20);
    CHECK_FALSE(intr.level);  // INTRQ is still active, but without a new edge
    CHECK((b.in(7) & 0x08) != 0);
    CHECK(b.read_words(512) == sectors_of(100 + n, 1));
  }
  // Reading the status before the acknowledge cycle withdraws the request: the handler of another line finds nothing.
  b.out(7, 0xE7);
  REQUIRE(b.until([&] { return intr.level; }));
  b.in(7);
  CHECK_FALSE(intr.level);
  CHECK(pic.acknowledge(b.rig.now) == 0x27);
}

TEST_CASE("PIIX3 IDE: the description shows drives, channels and bus masters", "[storage][ide][piix3]") {
  IdeBench b;
  b.disk(0);
  b.cdrom(3);
  b.firmware(0x8000A307);
  b.address(0, 128);
  b.table({{0x20000, 0 | last}});
  b.dma(0xC8, true);
  REQUIRE(b.until([&] { return b.rig.ram[0x20101] != 0; }));
  Description d;
  b.ide.describe(d);
  const auto field = [](const Description& part, std::string_view name) {
    const Field* found = part.find_field(name);
    REQUIRE(found);
    return *found;
  };
  CHECK(field(d, "IDETIM primary").value == 0xA307);
  REQUIRE(d.parts().size() == 2);
  const Description &primary = d.parts()[0], &secondary = d.parts()[1];
  REQUIRE(primary.parts().size() == 2);
  CHECK(field(primary.parts()[0], "command").text == "READ DMA");
  CHECK(field(primary.parts()[0], "translation").text == "20 cylinders, 16 heads, 63 sectors");
  CHECK(field(primary.parts()[1], "BMISX").value == 0x01);
  CHECK(field(primary.parts()[1], "bytes of the region").value > 0);
  CHECK(secondary.parts()[0].name() == "slave");
  CHECK(field(secondary.parts()[0], "blocks").value == 300);
  CHECK(b.ide.busy());
  Description bridge;
  b.isa.describe(bridge);
  CHECK(field(bridge, "PIRQRCA").value == 0x80);
}
