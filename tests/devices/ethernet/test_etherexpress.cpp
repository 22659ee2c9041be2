// SPDX-License-Identifier: GPL-2.0-or-later
// The EtherExpress/MC through its ports, as driven by Linux's eexpress.c.
#include "core/common/error.hpp"
#include "tests/devices/ethernet/etherexpress_bench.hpp"

using namespace planar;
using namespace planar::test;

TEST_CASE("the EEPROM holds a station address under 00:AA:00, a sum of BABAh and a 16-bit bus", "[etherexpress]") {
  EtherExpressBench b;
  b.reset();
  CHECK(b.eeprom(4) == 0x00AA);
  CHECK(b.eeprom(3) == 0x0012);
  CHECK(b.eeprom(2) == 0x3456);
  CHECK((b.eeprom(0) & 0x0400) != 0);
  unsigned sum = 0;
  for (unsigned n = 0; n < 64; ++n) sum += b.eeprom(n);
  CHECK((sum & 0xFFFF) == 0xBABA);
}

TEST_CASE("software writes the EEPROM between EWEN and EWDS, as Crynwr's packet driver does", "[etherexpress]") {
  EtherExpressBench b;
  b.reset();
  constexpr unsigned word = 5, write = 0x140 | word, erase = 0x1C0 | word, enable = 0x130, disable = 0x100;
  const unsigned old = b.eeprom(word);
  REQUIRE(old != 0x1234);
  b.eeprom_command(write << 16 | 0x1234, 25);
  CHECK(b.eeprom(word) == old);
  b.eeprom_command(enable, 9);
  b.eeprom_command(write << 8 | 0x12, 17);  // cut short
  CHECK(b.eeprom(word) == old);
  b.eeprom_command(write << 16 | 0x1234, 25);
  CHECK(b.eeprom(word) == 0x1234);
  CHECK(b.eeprom(word + 1) != 0x1234);
  b.eeprom_command(erase, 9);
  CHECK(b.eeprom(word) == 0xFFFF);
  b.eeprom_command(disable, 9);
  b.eeprom_command(write << 16 | 0x1234, 25);
  CHECK(b.eeprom(word) == 0xFFFF);
}

TEST_CASE("four reads of the ID port assemble BABAh", "[etherexpress]") {
  EtherExpressBench b;
  unsigned id = 0;
  for (int i = 0; i < 4; ++i) {
    const unsigned t = b.inb(0xF);
    id |= t >> 4 << ((t & 3) << 2);
  }
  CHECK(id == 0xBABA);
}

TEST_CASE("the driver's RAM sizing stops at the size, as smaller RAM repeats", "[etherexpress]") {
  EtherExpressBench b;
  b.reset();
  CHECK(b.size_ram() == 32);
  EtherExpressBench small(Settings{{"ram.size", "16384"}}), large(Settings{{"ram.size", "65536"}});
  small.reset();
  CHECK(small.size_ram() == 16);
  large.reset();
  CHECK(large.size_ram() == 64);
  CHECK_THROWS_WITH(EtherExpressBench(Settings{{"ram.size", "49152"}}), Catch::Contains("16384, 32768 or 65536"));
}

TEST_CASE("POS 3 assigns the ports in descending order, each with its windows", "[etherexpress][pos]") {
  EtherExpressBench b;
  CHECK(b.card->pos_peek(0) == 0x8B);
  CHECK(b.card->pos_peek(1) == 0x62);
  CHECK(b.card->pos_peek(4) == 0xFF);
  for (unsigned n = 0; n < 16; ++n) {
    b.card->pos_write(3, static_cast<std::uint8_t>(n), b.rig.now);
    const unsigned base = (n & 8 ? 0x370 : 0x270) - (n & 7) * 0x10;
    for (unsigned at : {0x0u, 0xFu, 0x300Eu, 0x4000u, 0x400Fu, 0x8000u, 0x800Fu, 0xC000u, 0xC00Fu})
      CHECK(b.rig.bus.io().find(static_cast<std::uint16_t>(base + at)) != nullptr);
    for (unsigned at : {0x10u, 0x300Fu, 0x4010u, 0xC010u})
      CHECK(b.rig.bus.io().find(static_cast<std::uint16_t>(base + at)) == nullptr);
  }
  b.card->pos_write(2, 0x04, b.rig.now);
  CHECK(b.rig.bus.io().find(0x300) == nullptr);
}

TEST_CASE("the pointers are independent, readable, and advance by the bytes moved", "[etherexpress]") {
  EtherExpressBench b;
  b.outw(0x1000, 2);
  b.outw(0x1000, 4);
  b.outw(0x1122, 0);
  b.outw(0x3344, 0);
  CHECK(b.inw(2) == 0x1004);
  CHECK(b.inw(4) == 0x1000);
  CHECK(b.inw(0) == 0x1122);
  CHECK(b.inw(4) == 0x1002);
  CHECK(b.inb(0) == 0x44);
  CHECK(b.inw(4) == 0x1003);
}

TEST_CASE("three windows access the same RAM; the low bits of the shadow pointer are ignored", "[etherexpress]") {
  EtherExpressBench b;
  b.outw(0x2000, 2);
  for (unsigned i = 0; i < 16; ++i) b.outw(0x100 + i, 0);
  b.outw(0x201F, 8);
  CHECK(b.inw(0x4000) == 0x100);
  CHECK(b.inw(0x400E) == 0x107);
  CHECK(b.inw(0x8000) == 0x108);
  CHECK(b.inw(0xC004) == 0x10A);
  b.outw(0xBEEF, 0xC008);  // RAM at 8, whatever the pointer is
  b.outw(8, 4);
  CHECK(b.inw(0) == 0xBEEF);
}

TEST_CASE("peeking at the data port does not move the pointers", "[etherexpress]") {
  EtherExpressBench b;
  b.outw(0x1000, 4);
  b.rig.bus.io().peek(EtherExpressBench::io, b.rig.now);
  b.rig.bus.io().peek(EtherExpressBench::io + 0xF, b.rig.now);
  CHECK(b.inw(4) == 0x1000);
  CHECK((b.inb(0xF) & 3) == 0);
}

TEST_CASE("start-up clears BUSY and sets the status within 50 reads, then the program's results follow",
          "[etherexpress]") {
  EtherExpressBench b;
  b.reset();
  b.init();
  CHECK(b.busy_polls < 50);
  CHECK(b.status_polls < 50);
  b.step(10_us);
  for (int i = 0; !b.interrupt() && i < 1000; ++i) b.step(10_us);
  REQUIRE(b.interrupt());
  b.started();
  CHECK((b.diagnose & 1 << 13) != 0);
  CHECK((b.diagnose & 1 << 11) == 0);
  CHECK((b.tdr & 0x8000) != 0);
  b.step(100_us);
  CHECK((b.scb_status() & 0x0770) == 0x0240);
  CHECK(b.eexp().chip().parked());
}

TEST_CASE("without a cable TDR reports an open line", "[etherexpress]") {
  EtherExpressBench b({}, false);
  b.reset();
  b.open();
  CHECK((b.tdr & 0x2000) != 0);
}

TEST_CASE("frames are sent when the jump is patched, chained, without channel attention", "[etherexpress][transmit]") {
  EtherExpressBench b;
  b.reset();
  b.open();
  std::vector<Bytes> frames;
  for (unsigned i = 0; i < 3; ++i) {
    frames.push_back(without_fcs(make_frame(i == 1 ? 301 : 1514, broadcast_mac, static_cast<std::uint8_t>(i))));
    b.send(frames.back());
  }
  b.step(5_ms);
  CHECK(b.interrupt());
  b.handle();
  CHECK_FALSE(b.interrupt());
  REQUIRE(b.log.entries.size() == 3);
  for (unsigned i = 0; i < 3; ++i) CHECK(without_fcs(b.log.entries[i].bytes) == frames[i]);
  CHECK(b.sent.size() == 3);  // one interrupt reaps all of them
  for (unsigned status : b.sent) CHECK((status & 0xA000) == 0xA000);
  CHECK(b.log.entries[2].start - b.log.entries[1].end < 15_us);
  // Once round the ring.
  for (unsigned i = 0; i < 6; ++i) {
    b.send(frames[1]);
    b.step(1_ms);
    b.handle();
  }
  CHECK(b.log.entries.size() == 9);
  CHECK(b.made.network->counters().sent == 9);
}

TEST_CASE("a waiting frame collides with a chip that is ready within the gap", "[etherexpress][transmit]") {
  const auto collisions = [](const char* clock) {
    EtherExpressBench b(Settings{{"chip.clock", clock}});
    b.reset();
    b.open();
    const Bytes frame = without_fcs(make_frame(1514));
    b.send(frame);
    b.send(frame);
    b.step(300_us);
    b.other.port.transmit(make_frame(66, b.mac), b.rig.now);
    b.step(5_ms);
    CHECK(b.log.entries.size() >= 3);
    return b.segment.counters().collisions;
  };
  CHECK(collisions("10000000") > 0);
  CHECK(collisions("8000000") == 0);  // 2 us later: the other station's frame is first
}

TEST_CASE("frames are received round the endless ring", "[etherexpress][receive]") {
  EtherExpressBench b;
  b.reset();
  b.open();
  for (unsigned i = 0; i < 40; ++i) {
    const Bytes frame = make_frame(i % 2 ? 1514 : 61, b.mac, static_cast<std::uint8_t>(i));
    b.hear(frame);
    REQUIRE(b.interrupt());
    b.handle();
    REQUIRE(b.received.size() == i + 1);
    CHECK(b.received.back() == without_fcs(frame));
    CHECK_FALSE(b.interrupt());
  }
}

TEST_CASE("an unread ring is overwritten, without suspension or lack of resources", "[etherexpress][receive]") {
  EtherExpressBench b;
  b.reset();
  b.open();
  for (unsigned i = 0; i < 30; ++i) b.hear(make_frame(60, b.mac, static_cast<std::uint8_t>(i)));
  CHECK((b.scb_status() & 0x70) == 0x40);
  b.outw(0, 8);
  CHECK(b.inw(0x8004) == 0);  // RSCERRS
}

TEST_CASE("errors are counted in the SCB and store no frame", "[etherexpress][statistics]") {
  EtherExpressBench b;
  b.reset();
  b.open();
  Bytes broken = make_frame(100, b.mac);
  broken[20] ^= 1;
  b.hear(broken);
  CHECK_FALSE(b.interrupt());
  b.outw(0, 8);
  CHECK(b.inw(0x8000) == 1);  // CRCERRS at 10h
}

TEST_CASE("loopback keeps frames off the wire", "[etherexpress]") {
  EtherExpressBench b;
  b.reset();
  b.open();
  b.outb(b.inb(0xD) | 2, 0xD);
  b.send(without_fcs(make_frame(100, b.mac)));
  b.step(1_ms);
  CHECK(b.log.entries.empty());
  b.handle();
  CHECK(b.received.size() == 1);
}

TEST_CASE("the multicast restart suspends the CU with two attentions and runs the program again", "[etherexpress]") {
  EtherExpressBench b;
  b.reset();
  b.open();
  b.poke(0x2E, b.peek(0x2E) | 1);
  b.scb_command(0x0300);
  b.attention();
  b.attention();
  for (int i = 0; (b.scb_status() >> 8 & 7) == 2 && i < 100; ++i) b.step(1_us);
  CHECK((b.scb_status() >> 8 & 7) == 1);
  b.outw(0x20, 0xC00C);
  b.scb_command(0x0100);
  b.attention();
  b.step(5_ms);
  REQUIRE(b.interrupt());
  CHECK((b.scb_status() & 0x8000) != 0);
  b.started();
  b.step(1_ms);
  while (b.interrupt()) b.handle();
  b.hear(make_frame(60, MacAddress{2, 2, 2, 2, 2, 2}));
  b.handle();
  CHECK(b.received.size() == 1);
}

TEST_CASE("an ASIC reset stops the chip and clears pointers and interrupt", "[etherexpress]") {
  EtherExpressBench b;
  b.reset();
  b.open();
  b.hear(make_frame(60, b.mac));
  CHECK(b.interrupt());
  b.reset();
  CHECK_FALSE(b.interrupt());
  CHECK(b.inw(2) == 0);
  CHECK(b.inb(7) == 0);
  CHECK(b.size_ram() == 32);
  b.open();
  b.hear(make_frame(60, b.mac));
  b.handle();
  CHECK(b.received.size() == 1);
}

TEST_CASE("an access to the RAM ports takes the ready delay and the rest of the chip's cycle",
          "[etherexpress][timing]") {
  EtherExpressBench b(Settings{{"ram.ready_delay", "100ns"}});
  b.reset();
  b.inw(0);
  CHECK(b.rig.took == 400_ns);
  b.inw(0x4000);
  CHECK(b.rig.took == 400_ns);
  b.inw(4);
  CHECK(b.rig.took == 300_ns);
  b.open();
  Time sum{}, longest{};
  for (int i = 0; i < 1000; ++i) {
    b.inw(0);
    sum += b.rig.took;
    longest = std::max(longest, b.rig.took);
    b.step(231_ns);
  }
  CHECK(longest <= 900_ns);
  CHECK(sum.ps / 1000 > 450'000);
}

TEST_CASE("the EtherExpress lists timing and limits", "[etherexpress][registry]") {
  const McaEntry& row = *find_mca("etherexpress");
  CHECK(row.adapter_id == 0x628B);
  CHECK_FALSE(row.limits.empty());
  CHECK(row.timing().size() == 7);
  CHECK(adapter_page("etherexpress").find("shadow") != std::string_view::npos);
}
