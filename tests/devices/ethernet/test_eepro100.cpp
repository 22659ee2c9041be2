// SPDX-License-Identifier: GPL-2.0-or-later
// The EtherExpress PRO/100+ driven by the sequence of Linux 2.2.16 eepro100.c: probe, open, both rings, interrupts.
#include <algorithm>
#include <numeric>

#include "tests/devices/ethernet/eepro100_bench.hpp"

using namespace planar;
using namespace planar::test;
using ethernet::I8255x;

TEST_CASE("PRO/100+: configuration header and base addresses of an 82559 board") {
  EePro100Bench b(true, false);
  CHECK(b.rig.config(9, 0x00) == 0x12298086);
  CHECK(b.rig.config(9, 0x08) == 0x02000008);
  CHECK(b.rig.config(9, 0x2C) == 0x000C8086);
  CHECK(b.rig.config(9, 0x3C) >> 16 == 0x3808);
  for (const auto& [bar, size] : {std::pair{0x10u, 0xFFFFF000u}, {0x14u, 0xFFFFFFC1u}, {0x18u, 0xFFF00000u}}) {
    const std::uint32_t before = b.rig.config(9, bar);
    b.rig.set_config(9, bar, UINT32_MAX);
    CHECK(b.rig.config(9, bar) == size);
    b.rig.set_config(9, bar, before);
  }
  CHECK(b.rig.load(b.rig.config(9, 0x18) + 0xFFFFC) == UINT32_MAX);  // no flash memory
  CHECK(b.rig.config(9, 0x30) == 0);                                 // no expansion ROM
  CHECK(b.rig.config(9, 0x06, 2) == 0x0290);
  CHECK(b.rig.config(9, b.rig.config(9, 0x34, 1)) == 0xFE220001);  // power management
  CHECK(b.rig.config(9, 0xE0) == 0x4B004000);
  b.rig.set_config(9, 0xE0, 0xFFFFFFFF);  // data select, state and PME# enable, which have no effect
  CHECK(b.rig.config(9, 0xE0) == 0x4B005F03);
}

TEST_CASE("PRO/100+: the EEPROM has 64 words with a sum of BABAh") {
  EePro100Bench b(true, false);
  CHECK((b.eeprom(6u << 24, 27) & 0xFFE0000) != 0xFFE0000);  // the size probe: 6 address bits
  std::uint16_t sum = 0;
  Bytes address;
  for (unsigned n = 0; n < 64; ++n) {
    const std::uint16_t word = b.eeprom_word(n);
    sum = static_cast<std::uint16_t>(sum + word);
    if (n < 3) {
      address.push_back(static_cast<std::uint8_t>(word));
      address.push_back(static_cast<std::uint8_t>(word >> 8));
    }
  }
  CHECK(sum == 0xBABA);
  CHECK(address == Bytes(EePro100Bench::own.begin(), EePro100Bench::own.end()));
  CHECK(b.eeprom_word(6) == 0x4701);           // 82555 at address 1
  CHECK((b.eeprom_word(3) & 0x0103) == 0x03);  // no receiver lock-up work-around, not an OEM board
  CHECK(b.eeprom_word(8) == 0x7213);
}

TEST_CASE("PRO/100+: the self-test passes and returns the 82559's ROM signature") {
  EePro100Bench b(true, false);
  b.port_reset();
  b.rig.put32(0x3000, 0);
  b.rig.put32(0x3004, UINT32_MAX);
  b.set(I8255x::PORT, 0x3000 | 1, 4);
  b.rig.step(10_us);
  CHECK(b.rig.get32(0x3004) == UINT32_MAX);
  b.rig.step(2000_us);
  CHECK(b.rig.get32(0x3000) == I8255x::rom_signature);
  CHECK(b.rig.get32(0x3004) == 0);
}

TEST_CASE("PRO/100+: MDI commands take time; the PHY is an 82555 at address 1") {
  EePro100Bench b(true, false);
  b.set(I8255x::MDI, 0x08000000 | 2 << 16 | 1 << 21, 4);
  CHECK_FALSE(b.get(I8255x::MDI, 4) & 0x10000000);
  b.rig.step(30_us);
  CHECK((b.get(I8255x::MDI, 4) & 0x1000FFFF) == 0x100002A8);
  CHECK(b.mdio_read(1, 3) == 0x0154);
  CHECK(b.mdio_read(2, 2) == 0xFFFF);
  CHECK_FALSE(b.mdio_read(1, 1) & 4);  // the link is not up yet
  b.rig.step(2'000'000_us);
  b.mdio_read(1, 1);
  CHECK((b.mdio_read(1, 1) & 0x24) == 0x24);
  CHECK(b.mdio_read(1, 5) == 0x41E1);
  CHECK(b.mdio_read(1, 4) == 0x01E1);
  CHECK(b.get(I8255x::STATUS, 1) == 7);
  CHECK(b.mdio_read(1, 16) == 3);
  // In bytes: writing the highest one starts it. With its interrupt.
  b.set(I8255x::MDI, 0, 2);
  b.set(I8255x::MDI + 2, 0x22, 1);
  CHECK(b.get(I8255x::MDI, 4) & 0x10000000);
  b.set(I8255x::MDI + 3, 0x28, 1);
  b.rig.step(30_us);
  CHECK((b.get(I8255x::MDI, 4) & 0xFFFF) == 0x02A8);
  CHECK(b.get(I8255x::SCB_STAT_ACK, 1) == I8255x::MDI_DONE);
  CHECK(b.interrupt());
  b.put(I8255x::SCB_STAT_ACK, I8255x::MDI_DONE, 1);
  CHECK_FALSE(b.interrupt());
}

TEST_CASE("PRO/100+: open leaves the receive unit ready, the command unit suspended and the card configured") {
  EePro100Bench b;
  b.open();
  b.rig.step(50_us);
  CHECK((b.get(I8255x::SCB_STATUS, 2) & 0xFF) == 0x50);
  CHECK(b.get(I8255x::SCB_STAT_ACK, 1) == I8255x::CNA);
  CHECK(b.interrupt());
  CHECK(b.chip.configuration().bytes[6] == 0x22);
  CHECK(b.chip.configuration().bytes[19] == 0x84);
  CHECK(b.chip.configuration().extended_tcb());
  CHECK(b.rig.get32(b.stats + 64) == 0xA007);  // 16 counters and the dump's completion mark
  for (unsigned n = 0; n < 3; ++n) CHECK((b.rig.get32(b.tx(n)) & 0xFFFF) == 0xA000);
  b.handle();
  CHECK_FALSE(b.interrupt());
}

TEST_CASE("PRO/100+: the command byte reads back until the command is accepted") {
  EePro100Bench b(true, false, {{"cu.accept", "10us"}});
  b.set(I8255x::SCB_POINTER, 0x12345678, 4);
  b.set(I8255x::SCB_COMMAND, 0x60, 1);
  b.rig.step(2_us);
  CHECK(b.get(I8255x::SCB_COMMAND, 1) == 0x60);
  CHECK(b.get(I8255x::SCB_POINTER + 1, 2) == 0x3456);
  b.rig.step(10_us);
  CHECK(b.get(I8255x::SCB_COMMAND, 1) == 0);
}

TEST_CASE("PRO/100+: a single frame raises CNA when it has been read, before it has been sent") {
  EePro100Bench b;
  b.opened();
  const Bytes frame = body(1514);
  while (b.cur_tx % 8 == 0) b.send(body(60));
  const unsigned entry = b.send(frame);
  b.rig.step(30_us);
  CHECK(b.sent(entry));
  CHECK((b.rig.get32(b.tx(entry)) & 0xFFFF) == 0xA000);
  CHECK(b.other.arrivals.empty());
  CHECK(b.interrupt());
  CHECK(b.handle() >> 8 == I8255x::CNA);  // the entry has no interrupt bit of its own
  b.rig.step(200_us);
  REQUIRE(b.other.arrivals.size() == 1);
  CHECK(b.other.arrivals[0].ok);
  CHECK(without_fcs(b.other.arrivals[0].bytes) == frame);
  CHECK_FALSE(b.interrupt());
}

TEST_CASE("PRO/100+: short frames are padded by the chip") {
  EePro100Bench b;
  b.opened();
  b.send(body(42));
  b.rig.step(100_us);
  REQUIRE(b.other.arrivals.size() == 1);
  CHECK(b.other.arrivals[0].length == 64);
  CHECK(b.other.arrivals[0].ok);
  CHECK(Bytes(b.other.arrivals[0].bytes.begin(), b.other.arrivals[0].bytes.begin() + 42) == body(42));
}

TEST_CASE("PRO/100+: frames are sent at wire rate while the ring is kept full") {
  EePro100Bench b;
  b.opened();
  unsigned done = b.cur_tx;
  while (b.other.arrivals.size() < 100) {
    while (done < b.cur_tx && b.sent(done)) ++done;
    if (b.cur_tx - done < 28)
      b.send(body(1514, static_cast<std::uint8_t>(b.cur_tx)));
    else
      b.rig.step(20_us);
    if (b.interrupt()) b.handle();
  }
  // 1514 + 4 of FCS + 8 of preamble, and the gap of 12 bytes.
  for (std::size_t n = 1; n < 100; ++n) CHECK(b.other.arrivals[n].when - b.other.arrivals[n - 1].when == 80_ns * 1538);
  for (unsigned n = 0; n < 100; ++n) {
    CHECK(b.other.arrivals[n].ok);
    CHECK(b.other.arrivals[n].bytes[100] == static_cast<std::uint8_t>(100 * 7 + n + 3));
  }
}

TEST_CASE("PRO/100+: the interrupt bit of every eighth frame raises CX") {
  EePro100Bench b;
  b.opened();
  unsigned cx = 0;
  for (unsigned n = 0; n < 16; ++n) {
    b.send(body(100));
    b.rig.step(60_us);
    if (b.handle() & 0x8000) ++cx;
  }
  CHECK(cx == 2);
}

TEST_CASE("PRO/100+: a frame is received into the buffer after its descriptor") {
  EePro100Bench b;
  b.opened();
  b.hear(make_frame(1514, EePro100Bench::own, 9));
  CHECK(b.interrupt());
  CHECK(b.handle() >> 8 == I8255x::FR);
  REQUIRE(b.received.size() == 1);
  CHECK(b.received[0] == without_fcs(make_frame(1514, EePro100Bench::own, 9)));
  CHECK((b.statuses[0] & 0xA002) == 0xA000);  // C, OK, individual address
  b.hear(make_frame(60));
  b.handle();
  REQUIRE(b.received.size() == 2);
  CHECK((b.statuses[1] & 0xA002) == 0xA002);  // broadcast
  CHECK(b.received[1].size() == 60);
}

TEST_CASE("PRO/100+: with byte 9 bit 0 a frame ends with the sum over what follows its IP header") {
  EePro100Bench b;
  b.config_changes = {{9, 1}};
  b.opened();
  for (const unsigned size : {60u, 61u, 1514u}) {
    const Bytes frame = without_fcs(make_frame(size, EePro100Bench::own, 9));
    b.hear(make_frame(size, EePro100Bench::own, 9));
    b.handle();
    Bytes padded(frame.begin() + 34, frame.end());
    if (padded.size() % 2) padded.push_back(0);
    unsigned sum = 0;
    for (std::size_t n = 0; n < padded.size(); n += 2) sum += padded[n] << 8 | padded[n + 1];
    while (sum > 0xFFFF) sum = (sum & 0xFFFF) + (sum >> 16);
    Bytes expected = frame;
    expected.push_back(static_cast<std::uint8_t>(sum >> 8));
    expected.push_back(static_cast<std::uint8_t>(sum));
    CHECK(b.received.back() == expected);
  }
}

TEST_CASE("PRO/100+: the receive ring wraps while the driver refills it") {
  EePro100Bench b;
  b.opened();
  for (unsigned n = 0; n < 100; ++n) {
    b.hear(make_frame(60 + n * 13, EePro100Bench::own, static_cast<std::uint8_t>(n)));
    b.handle();
  }
  REQUIRE(b.received.size() == 100);
  for (unsigned n = 0; n < 100; ++n)
    CHECK(b.received[n] == without_fcs(make_frame(60 + n * 13, EePro100Bench::own, static_cast<std::uint8_t>(n))));
  CHECK(b.restarts == 0);
}

TEST_CASE("PRO/100+: back-to-back frames at full rate are all stored") {
  EePro100Bench b;
  b.opened();
  for (unsigned n = 0; n < 60; ++n) b.other.to_send.push_back(make_frame(n % 3 ? 1514 : 60, EePro100Bench::own));
  b.other.port.transmit(make_frame(1514, EePro100Bench::own), b.rig.now);
  while (b.other.outcomes.size() < 61) {
    b.rig.step(20_us);
    b.handle();
  }
  b.rig.step(100_us);
  b.handle();
  CHECK(b.received.size() == 61);
  CHECK(b.chip.counters().overruns == 0);
}

TEST_CASE("PRO/100+: without resources the FIFO holds two more frames, which are stored after the restart") {
  EePro100Bench b;
  b.opened();
  for (unsigned n = 0; n < 35; ++n) b.hear(make_frame(1514, EePro100Bench::own, static_cast<std::uint8_t>(n)));
  CHECK((b.get(I8255x::SCB_STATUS, 2) & 0x3C) == 0x08);
  CHECK(b.get(I8255x::SCB_STAT_ACK, 1) & I8255x::RNR);
  CHECK(b.chip.counters().overruns == 1);  // 32 in the ring, 2 in the FIFO
  CHECK(b.made.network->counters().fifo == 0);
  b.handle();
  CHECK(b.restarts == 1);
  b.rig.step(100_us);
  b.handle();
  b.hear(make_frame(70, EePro100Bench::own, 99));
  b.handle();
  REQUIRE(b.received.size() >= 34);
  for (unsigned n = 0; n < 31; ++n) CHECK(b.received[n][20] == static_cast<std::uint8_t>(20 * 7 + n));
  CHECK(b.received.back() == without_fcs(make_frame(70, EePro100Bench::own, 99)));
}

// iPXE's ifec_spi_write_bit() changes one pin at a time, and the others to what it reads; its first read command has no
// fixed length, but ends at the first zero.
TEST_CASE("PRO/100+: the EEPROM register reads back its pins, so that software can change one at a time") {
  EePro100Bench b;
  b.port_reset();
  constexpr std::uint16_t clock = 1, select = 0x4802, data_in = 4, data_out = 8;
  const auto pin = [&](std::uint16_t mask, bool level) {
    const auto others = b.get(I8255x::EEPROM, 2) & ~std::uint32_t{mask};
    b.put(I8255x::EEPROM, others | (level ? mask : 0u), 2);
    b.rig.step(10_us);
  };
  const auto shift = [&](bool out) {
    pin(data_in, out);
    pin(clock, true);
    const bool in = b.get(I8255x::EEPROM, 2) & data_out;
    pin(clock, false);
    return in;
  };
  pin(select, false);
  pin(clock, false);
  pin(select, true);
  CHECK((b.get(I8255x::EEPROM, 1) & 7) == 2);
  for (const bool bit : {true, true, false}) shift(bit);
  unsigned address_bits = 1;
  while (address_bits < 20 && shift(false)) ++address_bits;
  CHECK(address_bits == 6);
  std::uint16_t word = 0;
  for (unsigned n = 0; n < 16; ++n) word = static_cast<std::uint16_t>(word << 1 | (shift(false) ? 1 : 0));
  pin(select, false);
  CHECK((b.get(I8255x::EEPROM, 1) & 7) == 0);
  CHECK(word == b.eeprom_word(0));
}

// Linux 6.1's e100_set_link_ksettings() and mii_ethtool_set_link_ksettings().
TEST_CASE("PRO/100+: after a reset of the PHY the next management frame can force speed and duplex") {
  EePro100Bench b;
  const auto write = [&](std::uint16_t value) {
    b.set(I8255x::MDI, 0x04200000 | value, 4);
    for (int n = 0; n < 640 && !(b.get(I8255x::MDI, 4) & 0x10000000); ++n) {}
  };
  write(0x8000);
  const std::uint16_t after = b.mdio_read(1, 0);
  CHECK(after == 0x3000);
  write(static_cast<std::uint16_t>((after & ~0x3140) | 0x2000));
  CHECK(b.mdio_read(1, 0) == 0x2000);
}

TEST_CASE("PRO/100+: statistics are dumped with their completion mark, and reset by the second dump command") {
  EePro100Bench b;
  b.opened();
  b.send(body(100));
  b.hear(make_frame(100, EePro100Bench::own));
  b.hear(damaged(make_frame(100, EePro100Bench::own)));
  b.rig.step(50_us);
  for (const std::uint32_t mark : {0xA005u, 0xA007u, 0xA007u}) {
    b.rig.put32(b.stats + 64, 0);
    b.wait_for_command();
    b.set(I8255x::SCB_COMMAND, mark == 0xA005 ? 0x50 : 0x70, 1);
    b.rig.step(10_us);
    CHECK(b.rig.get32(b.stats + 64) == mark);
    if (mark == 0xA007 && b.rig.get32(b.stats) == 0) continue;
    CHECK(b.rig.get32(b.stats) == 1);       // sent
    CHECK(b.rig.get32(b.stats + 36) == 1);  // received
    CHECK(b.rig.get32(b.stats + 40) == 1);  // CRC errors
  }
  CHECK(b.rig.get32(b.stats) == 0);
}

TEST_CASE("PRO/100+: interrupts are masked per cause; a software interrupt is a separate cause") {
  EePro100Bench b;
  b.opened();
  b.put(I8255x::SCB_MASK, I8255x::FR, 1);
  b.hear(make_frame(60, EePro100Bench::own));
  CHECK(b.get(I8255x::SCB_STAT_ACK, 1) == I8255x::FR);
  CHECK_FALSE(b.interrupt());
  b.put(I8255x::SCB_MASK, I8255x::CNA, 1);
  CHECK(b.interrupt());
  b.handle();
  CHECK_FALSE(b.interrupt());
  b.put(I8255x::SCB_MASK, I8255x::SI | I8255x::M, 1);
  CHECK(b.get(I8255x::SCB_STAT_ACK, 1) == 0);
  b.put(I8255x::SCB_COMMAND, 0x0200, 2);  // the driver's SCBTriggerIntr
  CHECK(b.interrupt());
  CHECK(b.get(I8255x::SCB_STAT_ACK, 1) == I8255x::SWI);
  CHECK(b.get(I8255x::SCB_MASK, 1) == 0);
  b.put(I8255x::SCB_MASK, I8255x::M, 1);
  CHECK_FALSE(b.interrupt());
}

TEST_CASE("PRO/100+: in half duplex a collision retransmits the frame from the FIFO and is counted") {
  const std::uint64_t rate = GENERATE(10'000'000u, 100'000'000u);
  EePro100Bench b(true, true, {}, {.bits_per_second = rate});
  CHECK(b.get(I8255x::STATUS, 1) == (rate == 100'000'000 ? 3 : 1));
  b.opened();
  const unsigned entry = b.send(body(1000));
  while (!b.chip.port().transmitting()) b.rig.step(100_ns);
  b.other.port.transmit(make_frame(200), b.rig.now);
  b.rig.step(10'000_us);
  CHECK((b.rig.get32(b.tx(entry)) & 0xFFFF) == 0xA000);
  const auto whole = std::find_if(b.other.arrivals.begin(), b.other.arrivals.end(), [](const auto& a) { return a.ok; });
  REQUIRE(whole != b.other.arrivals.end());
  CHECK(without_fcs(whole->bytes) == body(1000));
  CHECK(b.chip.counters().collisions >= 1);
  b.put(I8255x::SCB_COMMAND, 0x50, 1);
  b.rig.step(10_us);
  CHECK(b.rig.get32(b.stats) == 1);
  CHECK(b.rig.get32(b.stats + 24) + b.rig.get32(b.stats + 28) == 1);  // single or multiple
  CHECK(b.rig.get32(b.stats + 32) == b.chip.counters().collisions);
  b.handle();
  CHECK(b.received.size() == 1);
}

TEST_CASE("PRO/100+: a full frame takes a fixed sequence of bus transfers") {
  struct Watcher final : bus::BusObserver {
    void transferred(const std::string&, const bus::Transfer& t, Time, Time) override { bytes.push_back(t.bytes); }
    std::vector<std::uint32_t> bytes;
  } watcher;
  EePro100Bench b;
  b.opened();
  b.rig.segment.add_observer(watcher);
  SECTION("sent: resume, block, data up to the threshold and ahead of the wire, status") {
    b.send(body(1514));
    b.rig.step(200_us);
    std::vector<std::uint32_t>& seen = watcher.bytes;
    // The processor's accesses are included; those of up to 4 bytes are ignored.
    std::erase_if(seen, [](std::uint32_t n) { return n <= 4; });
    REQUIRE(seen.size() >= 4);
    CHECK(seen.size() <= 6);
    CHECK(seen[0] == 32);
    CHECK(seen[1] == 256);
    CHECK(std::accumulate(seen.begin() + 1, seen.end(), 0u) == 1514);
  }
  SECTION("received: 32 bytes or slightly more at a time, count, status, the next descriptor") {
    b.hear(make_frame(1514, EePro100Bench::own));
    const std::vector<std::uint32_t>& seen = watcher.bytes;
    REQUIRE(seen.size() > 10);
    CHECK(seen.size() <= 51);
    CHECK(std::accumulate(seen.begin(), seen.end(), 0u) == 1514 + 2 + 2 + 16);
    CHECK(seen[0] == 32);
    CHECK(seen.back() == 16);
  }
  b.rig.segment.remove_observer(watcher);
}
