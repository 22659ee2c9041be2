// SPDX-License-Identifier: GPL-2.0-or-later
// The LAN Adapter/A as seen by ibmlana.c: probe, initialisation, transmission, reception, recovery; POS and timing.

#include "tests/devices/ethernet/lan_a_bench.hpp"

using namespace planar;
using namespace planar::test;

TEST_CASE("the driver's probe reads the address; the board starts with its window disabled", "[lan-a]") {
  LanABench b;
  CHECK(b.control() == 0);  // a 32-bit slot
  CHECK(b.rig.load(LanABench::window, 4) == 0xFFFFFFFF);
  const Bytes address = b.probe();
  CHECK(Bytes(address.begin(), address.begin() + 6) == Bytes(b.mac.begin(), b.mac.end()));
  CHECK(b.control() == (LanA::RAMEN | LanA::RAMWIN));
  b.rig.store(LanABench::window + 0x7FFC, 0x12345678, 4);
  CHECK(b.rig.load(LanABench::window + 0x7FFC, 4) == 0x12345678);
  CHECK(b.in(Sonic::CR) == 0x94);
  CHECK(b.in(Sonic::EOBC) == 0x2F8);
  LanABench narrow({}, 16);
  CHECK(narrow.control() == LanA::BIT16);
}

TEST_CASE("initialisation loads the CAM and the first resource within two polls", "[lan-a]") {
  LanABench b;
  b.probe();
  REQUIRE(b.init());
  CHECK(b.rx_count == 16);
  CHECK(b.in(Sonic::DCR) == 0x0360);
  CHECK(b.in(Sonic::CE) == 1);
  CHECK(b.in(Sonic::CDC) == 0);
  CHECK(b.in(Sonic::CRBA0) == b.rx_buffers);
  CHECK(b.in(Sonic::RBWC0) == 762);
  CHECK(b.in(Sonic::RRP) == b.rra + 16);
  CHECK(b.in(Sonic::CR) == (Sonic::RXEN | Sonic::STP));
  CHECK(b.in(Sonic::ISR) == 0);
  CHECK_FALSE(b.interrupt());
  b.out(Sonic::CR, Sonic::RST);
  b.out(Sonic::CEP, 0);
  CHECK(b.in(Sonic::CAP0) == 0x0008);
  CHECK(b.in(Sonic::CAP1) == 0x125A);
  CHECK(b.in(Sonic::CAP2) == 0x5634);
  LanABench small({}, 16, false);
  small.probe();
  REQUIRE(small.init());
  CHECK(small.rx_count == 6);
}

TEST_CASE("the driver's stray write to port 28h has no effect", "[lan-a]") {
  LanABench b;
  b.probe();
  CHECK(b.rig.bus.io().find(0x28) == nullptr);
  REQUIRE(b.init());  // contains it; URRA was set earlier, with the base
  CHECK(b.in(Sonic::URRA) == 0);
}

TEST_CASE("POS selects enable, I/O base, interrupt and window", "[lan-a][pos]") {
  LanABench b;
  CHECK(b.card->pos_peek(0) == 0xE0);
  CHECK(b.card->pos_peek(1) == 0xFF);
  CHECK(b.card->pos_peek(5) == 0xFF);
  for (unsigned n = 1; n < 8; ++n) {
    b.card->pos_write(2, static_cast<std::uint8_t>(1 | n << 5), b.now());
    for (unsigned m = 1; m < 8; ++m)
      CHECK((b.rig.bus.io().find(static_cast<std::uint16_t>(m << 12)) != nullptr) == (m == n));
    CHECK(b.rig.bus.io().find(static_cast<std::uint16_t>((n << 12) + 0x9F)) != nullptr);
    CHECK(b.rig.bus.io().find(static_cast<std::uint16_t>((n << 12) + 0xA0)) == nullptr);
  }
  b.card->pos_write(2, 0x01, b.now());  // 0 is not a valid base
  CHECK(b.rig.bus.io().find(0x0040) == nullptr);
  CHECK(b.rig.bus.io().find(0x0092) == nullptr);
  b.card->pos_write(2, 0x65, b.now());
  b.probe();
  for (unsigned n = 0; n < 16; ++n)
    for (const bool large : {false, true}) {
      b.card->pos_write(3, static_cast<std::uint8_t>(n << 4 | large), b.now());
      const std::uint32_t base = 0xC0000 + 0x2000 * n, size = large ? 0x8000 : 0x4000;
      REQUIRE(b.rig.memory.find(base));
      CHECK(b.rig.memory.find(base)->base == base);
      CHECK(b.rig.memory.find(base)->size == size);
      CHECK(b.rig.memory.find(base - 1) == nullptr);
    }
  b.card->channel_reset(b.now());
  CHECK(b.card->pos_peek(2) == 0);
  CHECK(b.rig.memory.find(0xD0000) == nullptr);
  CHECK(b.rig.bus.io().find(0x3000) == nullptr);
}

TEST_CASE("the interrupt depends on the level in POS 2, board control and the chip", "[lan-a][pos]") {
  LanABench b;
  b.probe();
  b.init();
  b.hear(b.for_us(60));
  REQUIRE(b.interrupt());
  CHECK((b.control() & LanA::IPEND) != 0);
  CHECK((b.control() & LanA::IPEND) != 0);  // reading it does not clear it
  b.control(b.control() & ~unsigned{LanA::IEN});
  CHECK_FALSE(b.interrupt());
  b.control(b.control() | LanA::IEN);
  const unsigned lines[] = {5, 15, 10, 11};
  for (unsigned n = 0; n < 4; ++n) {
    b.card->pos_write(2, static_cast<std::uint8_t>(0x61 | n << 1), b.now());
    for (const unsigned line : lines) CHECK(b.rig.irqs.level[line] == (line == lines[n]));
  }
  b.card->pos_write(2, 0, b.now());
  for (const unsigned line : lines) CHECK_FALSE(b.rig.irqs.level[line]);
}

TEST_CASE("the 5494's board has its own ID", "[lan-a]") {
  CHECK(LanABench(Settings{{"adapter_id", "fee6"}}).card->adapter_id() == 0xFEE6);
  CHECK_THROWS_WITH(LanABench(Settings{{"adapter_id", "1234"}}), Catch::Contains("ffe0"));
}

TEST_CASE("a byte written to a register preserves its other half", "[lan-a]") {
  LanABench b;
  b.probe();
  b.init();
  CHECK(b.in(Sonic::IMR) == 0x0720);
  b.rig.out(LanABench::base + 2 * Sonic::IMR, 0);
  CHECK(b.in(Sonic::IMR) == 0x0700);  // the state after the driver's stop
  b.rig.out(LanABench::base + 2 * Sonic::IMR + 1, 0);
  CHECK(b.in(Sonic::IMR) == 0);
  CHECK(b.rig.in(LanABench::base + 2 * Sonic::EOBC) == 0xF8);
  CHECK(b.rig.in(LanABench::base + 2 * Sonic::EOBC + 1) == 0x02);
}

TEST_CASE("the card can be stopped and started again, with unwanted frames in between", "[lan-a]") {
  LanABench b;
  b.probe();
  for (int round = 0; round < 3; ++round) {
    REQUIRE(b.init());
    b.hear(b.for_us(200));
    REQUIRE(b.interrupt());
    CHECK(b.serve().frames.size() == 1);
    b.hear(b.for_us(201));
    b.stop();
    CHECK_FALSE(b.interrupt());
    b.hear(b.for_us(202));
  }
}

TEST_CASE("four buffers share one descriptor: each frame starts from the interrupt of the previous one",
          "[lan-a][transmit]") {
  LanABench b;
  b.probe();
  b.init();
  std::vector<Bytes> frames;
  for (std::uint8_t n = 0; n < 6; ++n)
    frames.push_back(without_fcs(make_frame(n == 2 ? 42 : 1514 - n, broadcast_mac, n)));
  for (unsigned n = 0; n < 4; ++n) REQUIRE(b.send(frames[n]));
  CHECK_FALSE(b.send(frames[4]));
  unsigned sent = 4;
  std::vector<Time> done;
  for (unsigned n = 0; n < 6; ++n) {
    while (!b.interrupt()) b.step(100_ns);
    done.push_back(b.now());
    b.step(30_us);  // to the handler
    const auto served = b.serve();
    CHECK(served.causes == Sonic::TXDN);
    CHECK((served.transmit_status & 0xFFFF) == Sonic::PTX);
    CHECK(served.transmit_status >> 16 == (served.transmit_status & 0xFFFF));  // the driver's author saw it duplicated
    CHECK_FALSE(b.interrupt());
    if (sent < 6) REQUIRE(b.send(frames[sent++]));
  }
  REQUIRE(b.log.entries.size() == 6);
  for (unsigned n = 0; n < 6; ++n) {
    Bytes expected = frames[n];
    if (expected.size() < 60) expected.resize(60, 0x20);
    CHECK(without_fcs(b.log.entries[n].bytes) == expected);
    CHECK(b.log.entries[n].good);
    // Status, link: the interrupt comes about half a microsecond after the last bit.
    CHECK(done[n] - b.log.entries[n].end > 400_ns);
    if (n != 2) CHECK(done[n] - b.log.entries[n].end < 1_us);  // the short one ends while the driver copies another
  }
  for (unsigned n = 1; n < 6; ++n) CHECK(b.log.entries[n].start > done[n - 1] + 30_us);
  CHECK(b.made.network->counters().sent == 6);
}

TEST_CASE("a lost transmit interrupt stops transmission permanently", "[lan-a][transmit]") {
  LanABench b;
  b.probe();
  b.init();
  for (int n = 0; n < 4; ++n) b.send(without_fcs(make_frame(100)));
  b.step(1_ms);
  b.out(Sonic::ISR, Sonic::TXDN);  // the cause is cleared unseen by the handler
  CHECK_FALSE(b.interrupt());
  b.step(1_s);
  CHECK_FALSE(b.interrupt());
  CHECK_FALSE(b.send(without_fcs(make_frame(100))));
  CHECK(b.log.entries.size() == 1);
}

TEST_CASE("frames are received as they were sent, with their FCS, round and round the buffers", "[lan-a][receive]") {
  for (const bool large : {true, false}) {
    LanABench b({}, 32, large);
    b.probe();
    b.init();
    unsigned warnings = 0;
    for (unsigned n = 0; n < 50; ++n) {
      const Bytes frame = b.for_us(60 + n * 29, static_cast<std::uint8_t>(n));
      b.hear(frame);
      REQUIRE(b.interrupt());
      const auto served = b.serve();
      REQUIRE(served.frames.size() == 1);
      CHECK((served.frames[0].status & 0xFFFF) == (Sonic::BRD | Sonic::LPKT | Sonic::PRX));
      CHECK(served.frames[0].bytes == frame);
      if (served.causes & Sonic::RBE) ++warnings;
      while (b.interrupt()) {  // level: causes left over by one call cause the next one
        const auto again = b.serve();
        if (again.causes & Sonic::RBE) ++warnings;
        CHECK(again.frames.empty());
      }
      CHECK((b.in(Sonic::ISR)&Sonic::RDE) == 0);
    }
    // Once per pass round the list, whose last buffer is given up when the warning is acknowledged.
    CHECK(warnings == 50 / (b.rx_count - 1));
    CHECK(b.made.network->counters().received == 50);
  }
}

TEST_CASE("frames at the minimum gap fill the descriptors, and each frame with a descriptor is received",
          "[lan-a][receive]") {
  LanABench b;
  b.probe();
  b.init();
  for (std::uint8_t n = 0; n < 12; ++n) b.other.to_send.push_back(b.for_us(60, n));
  b.hear(b.for_us(60, 99));
  b.step(5_ms);
  const auto served = b.serve();
  REQUIRE(served.frames.size() == 13);
  for (std::uint8_t n = 0; n < 12; ++n) CHECK(served.frames[n + 1u].bytes == b.for_us(60, n));
}

TEST_CASE("a driver that sleeps loses the newest frames and continues when it wakes", "[lan-a][receive]") {
  LanABench b;
  b.probe();
  b.init();
  for (std::uint8_t n = 0; n < 30; ++n) b.hear(b.for_us(100 + n, n));
  // Sixteen buffers: reading the last resource raises RBE; when that is full, too, the receiver has none left.
  CHECK((b.in(Sonic::ISR)&Sonic::RBE) != 0);
  CHECK(b.in(Sonic::MPT) == 30 - 16);
  unsigned got = 0;
  while (b.interrupt())
    for (const auto& f : b.serve().frames) {
      CHECK(f.bytes == b.for_us(100 + got, static_cast<std::uint8_t>(got)));
      ++got;
    }
  CHECK(got == 15);  // the sixteenth stays: its link was the end of the list
  b.hear(b.for_us(300));
  std::vector<Bytes> late;
  while (b.interrupt())
    for (auto& f : b.serve().frames) late.push_back(f.bytes);
  REQUIRE(late.size() == 2);
  CHECK(late[0] == b.for_us(115, 15));
  CHECK(late[1] == b.for_us(300));
}

TEST_CASE("8, 16 and 32-bit accesses to the window have their own number of cycles and cost", "[lan-a][timing]") {
  const auto cost = [](LanABench& b, unsigned offset, unsigned bytes) {
    b.rig.load(LanABench::window + offset, bytes);
    const Time read = b.rig.took;
    b.rig.store(LanABench::window + offset, 0, bytes);
    CHECK(b.rig.took == read);
    return read;
  };
  LanABench wide, narrow({}, 16), slowed(Settings{{"ram.extension_32", "250 ns"}});
  for (LanABench* b : {&wide, &narrow, &slowed}) b->probe();
  CHECK(cost(wide, 0x100, 4) == 200_ns);
  CHECK(cost(wide, 0x100, 2) == 200_ns);
  CHECK(cost(wide, 0x101, 1) == 200_ns);
  CHECK(cost(wide, 0x102, 4) == 400_ns);
  CHECK(cost(narrow, 0x100, 4) == 800_ns);
  CHECK(cost(narrow, 0x100, 2) == 400_ns);
  CHECK(cost(narrow, 0x101, 1) == 400_ns);
  CHECK(cost(slowed, 0x100, 4) == 450_ns);
  wide.in(Sonic::SR);
  CHECK(wide.rig.took == 350_ns);
  wide.control();
  CHECK(wide.rig.took == 300_ns);
}

TEST_CASE("an access may wait for a burst of the chip during reception", "[lan-a][timing]") {
  LanABench b;
  b.probe();
  b.init();
  const auto copy = [&] {
    const Time start = b.now();
    for (unsigned i = 0; i < 375; ++i) b.rig.load(LanABench::window + b.tx_buffers + 4 * i, 4);
    return b.now() - start;
  };
  const Time alone = copy();
  CHECK(alone == 200_ns * 375);
  b.other.port.transmit(b.for_us(1514), b.now());
  b.step(100_us);
  const Time shared = copy();
  // Four clocks of arbitration and a doubleword of 200 ns every 3.2 us, and 100 ns for each access that had to wait.
  CHECK(shared > alone);
  CHECK(shared < alone + Time{alone.ps * 12 / 100});
}

TEST_CASE("the bytes of a frame are visible in the RAM as they arrive", "[lan-a][receive]") {
  LanABench b;
  b.probe();
  b.init();
  const Bytes frame = b.for_us(1000);
  const Time start = b.now();
  b.other.port.transmit(frame, start);
  b.rig.store(LanABench::window + b.rx_buffers + 400, 0xEEEEEEEE, 4);
  // Bytes 400 to 403 are complete 412 byte times after the first bit has arrived.
  b.step(start + 500_ns + 800_ns * 411 - b.now());
  CHECK(b.rig.load(LanABench::window + b.rx_buffers + 400, 1) == 0xEE);
  b.step(2_us);
  CHECK(b.from_card(b.rx_buffers + 400, 4) == Bytes(frame.begin() + 400, frame.begin() + 404));
  CHECK(b.rig.memory.peek(LanABench::window + b.rx_buffers + 900, b.rig.now) != frame[900]);
}

TEST_CASE("holding the board in reset keeps the chip idle", "[lan-a]") {
  LanABench b;
  b.probe();
  b.init();
  b.send(without_fcs(make_frame(1514)));
  b.step(200_us);
  b.control(b.control() | LanA::RESET);
  CHECK(b.in(Sonic::CR) == 0xFFFF);
  b.out(Sonic::CR, 0);
  b.step(2_ms);
  REQUIRE(b.log.entries.size() == 1);
  CHECK_FALSE(b.log.entries[0].good);
  b.reset_board();
  CHECK(b.in(Sonic::CR) == 0x94);
  REQUIRE(b.init());
  b.send(without_fcs(make_frame(100)));
  b.step(1_ms);
  CHECK(b.serve().causes == Sonic::TXDN);
  CHECK(b.log.entries.back().good);
}

TEST_CASE("two adapters on one segment share an interrupt line, which stays active until both are served", "[lan-a]") {
  LanABench b;
  b.card->pos_write(2, 0x61, b.now());  // IRQ 5
  bus::Slot second(1, 32, b.rig.wiring());
  const MacAddress ne2_mac{0x00, 0x00, 0xD8, 0x01, 0x01, 0x01};
  auto ne2 = Ne2::entry.make({second, &b.segment, "00:00:d8:01:01:01", {}, 2});
  ne2.card->pos_write(2, 0x01 | 1 << 1 | 1 << 4 | 2 << 5, b.now());  // 1000h, IRQ 5
  const std::pair<unsigned, unsigned> start[] = {{0, 0x21},   {0xE, 0x49}, {0xC, 0x04}, {0xD, 0x00},
                                                 {1, 0x4C},   {2, 0x80},   {3, 0x7F},   {7, 0xFF},
                                                 {0xF, 0x3F}, {0, 0x61},   {7, 0x4C},   {0, 0x22}};
  for (const auto& [reg, value] : start) b.rig.out(static_cast<std::uint16_t>(0x1000 + reg), value);
  b.probe();
  b.init();
  b.hear(make_frame(100, broadcast_mac));  // for both
  CHECK(b.rig.irqs.level[5]);
  CHECK(b.serve().frames.size() == 1);
  CHECK(b.rig.irqs.level[5]);
  CHECK_FALSE(b.control() & LanA::IPEND);  // no longer this card
  CHECK((b.rig.in(0x1007) & 1) != 0);
  b.rig.out(0x1007, 1);
  CHECK_FALSE(b.rig.irqs.level[5]);
  // And between the two.
  b.send(without_fcs(make_frame(200, ne2_mac)));
  b.step(1_ms);
  CHECK(b.serve().causes == Sonic::TXDN);
  CHECK(ne2.network->counters().received == 1);  // its own address was never programmed
}

TEST_CASE("the registry lists the LAN Adapter/A with timing, limits and page", "[lan-a][registry]") {
  const McaEntry& row = *find_mca("lan-a");
  CHECK(row.title == "IBM LAN Adapter/A");
  CHECK(row.adapter_id == 0xFFE0);
  CHECK(row.bus_width == 32);
  CHECK_FALSE(row.limits.empty());
  CHECK_FALSE(adapter_page("lan-a").empty());
  for (const auto& v : row.timing()) {
    CHECK_FALSE(v.source.empty());
    CHECK_FALSE(v.confidence.empty());
  }
  CHECK_THROWS_WITH(LanABench(Settings{{"chip.bus_clock", "0"}}), Catch::Contains("chip.bus_clock"));
}
