// SPDX-License-Identifier: GPL-2.0-or-later
// The LANCE as seen by its drivers: registers, initialisation, the local bus, loopback, snapshots, invalid requests.
#include <algorithm>

#include "core/common/random.hpp"
#include "tests/devices/chips/am7990/lance_bench.hpp"

using namespace planar;
using namespace planar::test;
using L = Am7990;

TEST_CASE("a stopped chip reads 0004h, whatever it was doing", "[am7990]") {
  LanceBench b;
  CHECK(b.csr0() == L::STOP);
  b.init();
  b.put(0, body(1514));
  b.demand();
  b.step(300_us);
  b.write(0, L::STOP | 0xFFFF);
  CHECK(b.csr0() == L::STOP);
  CHECK_FALSE(b.irq);
  b.step(5_ms);
  CHECK(b.csr0() == L::STOP);
  CHECK_FALSE(b.log.entries.at(0).good);  // the frame was cut
}

TEST_CASE("CSR1 to CSR3 are writable only while the chip is stopped; STOP clears CSR3", "[am7990]") {
  LanceBench b;
  b.write(1, 0x1235);
  b.write(2, 0xFF12);
  b.write(3, 0xFFFF);
  CHECK(b.chip.csr(1) == 0x1234);
  CHECK(b.chip.csr(2) == 0x0012);
  CHECK(b.chip.csr(3) == 0x0007);
  b.init();
  b.write(1, 0x4444);
  b.write(3, 0);
  CHECK(b.chip.csr(1) == LanceBench::block);
  CHECK(b.chip.csr(3) == L::ACON);
  b.write(0, L::STOP);
  CHECK(b.chip.csr(3) == 0);
  CHECK(b.chip.csr(1) == LanceBench::block);
}

TEST_CASE("initialisation takes twelve words of DMA, then IDON interrupts", "[am7990]") {
  LanceBench b;
  b.make_block();
  b.make_rings();
  b.write(1, LanceBench::block);
  b.write(2, 0);
  b.write(0, L::INEA | L::INIT);
  CHECK(b.csr0() == (L::INEA | L::INIT));
  b.step(7'100_ns);
  CHECK_FALSE(b.irq);
  b.step(200_ns);
  CHECK(b.irq);
  CHECK(b.csr0() == (L::IDON | L::INTR | L::INEA | L::INIT));  // INIT stays 1: sk_mca writes it back
  b.write(0, b.csr0() | L::IDON | L::STRT);
  CHECK(b.csr0() == (L::INEA | L::RXON | L::TXON | L::STRT | L::INIT));
  CHECK_FALSE(b.irq);
}

TEST_CASE("INIT and STRT in one write: initialisation first, then both directions start", "[am7990]") {
  LanceBench b;
  b.make_block(L::DTX);
  b.make_rings();
  b.write(1, LanceBench::block);
  b.write(0, L::INIT | L::STRT);
  CHECK_FALSE(b.csr0() & L::RXON);
  b.step(10_us);
  CHECK((b.csr0() & (L::RXON | L::TXON | L::IDON)) == (L::RXON | L::IDON));
}

TEST_CASE("writing back INIT, STRT or TDMD when set does not restart anything", "[am7990]") {
  LanceBench b;
  b.init();
  b.hear(b.for_us(60));
  b.make_block(L::PROM);  // a second initialisation would read this
  b.set(LanceBench::rx_ring + 8 + 2, L::OWN);
  b.write(0, b.csr0() | L::RINT);
  b.step(50_us);
  CHECK_FALSE(b.csr0() & L::IDON);
  b.hear(make_frame(60, {0x02, 0, 0, 0, 0, 7}));
  CHECK_FALSE(b.csr0() & L::RINT);
  b.hear(b.for_us(60));  // goes into the second buffer: the ring index has not been reset
  CHECK_FALSE(b.rmd1(1) & L::OWN);
}

TEST_CASE("writing back CSR0 clears every cause set at the read", "[am7990]") {
  LanceBench b;
  b.init();
  b.put(0, body(60));
  b.demand();
  b.wait(L::TINT);
  b.hear(b.for_us(60));
  CHECK((b.csr0() & (L::RINT | L::TINT)) == (L::RINT | L::TINT));
  b.write(0, b.csr0() | L::RINT);  // sk_mca acknowledges a reception this way
  CHECK_FALSE(b.csr0() & (L::RINT | L::TINT | L::INTR));
  CHECK_FALSE(b.irq);
}

TEST_CASE("INEA takes the written value and gates the pin, not the causes", "[am7990]") {
  LanceBench b;
  b.init();
  b.write(0, 0);
  b.hear(b.for_us(60));
  CHECK((b.csr0() & (L::RINT | L::INTR | L::INEA)) == (L::RINT | L::INTR));
  CHECK_FALSE(b.irq);
  b.write(0, L::INEA);
  CHECK(b.irq);
}

TEST_CASE("a bus denied for too long causes OFLO without ENP, or UFLO with the transmitter off", "[am7990]") {
  LanceBench b;
  b.init();
  b.other.port.transmit(b.for_us(1000), b.now);
  b.step(300_us);
  b.chip.local_bus_denied(b.now - 25_us, b.now);  // 32 bytes beyond the burst take 25.6 us: the SILO holds them
  b.step(2_ms);
  CHECK(b.rmd1(0) == (L::STP | L::ENP));
  b.other.port.transmit(b.for_us(1000), b.now);
  b.step(300_us);
  b.chip.local_bus_denied(b.now - 26_us, b.now);
  b.step(2_ms);
  CHECK(b.rmd1(1) == (L::MD1_ERR | L::OFLO | L::STP));
  b.put(0, body(1000));
  b.demand();
  b.step(300_us);
  b.chip.local_bus_denied(b.now - 26_us, b.now);
  b.wait(L::TINT);
  CHECK((b.tmd3(0) & 0xFC00) == L::UFLO);
  CHECK_FALSE(b.csr0() & L::TXON);
}

TEST_CASE("the chip holds the local bus for one burst per sixteen byte times", "[am7990]") {
  LanceBench b;
  b.init();
  CHECK(b.chip.local_bus_free(b.now) == b.now);
  b.put(0, body(1514));
  b.demand();
  b.step(300_us);
  int waits = 0;
  Time longest{};
  for (int i = 0; i < 1280; ++i) {
    const Time wait = b.chip.local_bus_free(b.now) - b.now;
    waits += wait > Time{};
    longest = std::max(longest, wait);
    b.step(100_ns);
  }
  CHECK(waits == 480);  // 4.8 us of 12.8
  CHECK(longest <= 4'800_ns);
  CHECK(longest >= 4'700_ns);
}

TEST_CASE("memory that does not answer sets MERR and stops both directions", "[am7990][malformed]") {
  LanceBench b;
  b.write(1, 0x1000);
  b.write(2, 0x80);
  b.write(0, L::INEA | L::INIT);
  b.step(1_ms);
  CHECK((b.csr0() & (L::MERR | L::IDON)) == L::MERR);
  CHECK(b.irq);
  b.init();
  b.put(0, body(60));
  b.set(LanceBench::tx_ring + 2, L::OWN | L::STP | L::ENP | 0xFF);
  b.demand();
  b.step(1_ms);
  CHECK((b.csr0() & (L::MERR | L::RXON | L::TXON)) == L::MERR);
  CHECK(b.log.entries.empty());
  b.init();
  b.set(LanceBench::rx_ring + 2, L::OWN | 0x80);
  b.hear(b.for_us(60));
  CHECK((b.csr0() & (L::MERR | L::RXON)) == L::MERR);
}

TEST_CASE("internal loopback returns the frame, with a generated or a checked CRC", "[am7990][loopback]") {
  LanceBench b;
  b.init(L::LOOP | L::INTL);
  Bytes small = b.for_us(28);
  small.resize(28);
  b.put(0, small);
  b.demand();
  b.wait(L::RINT);
  CHECK(b.mcnt(0) == 32);
  CHECK(b.rmd1(0) == (L::STP | L::ENP));
  CHECK(b.received(0, 32) == b.for_us(28));
  b.wait(L::TINT, 20_us);
  CHECK(b.log.entries.empty());
  b.hear(b.for_us(100));
  CHECK((b.rmd1(1) & L::OWN) != 0);  // nothing from outside
  b.init(L::LOOP | L::INTL | L::DTCR);
  b.put(0, b.for_us(28));
  b.put(1, damaged(b.for_us(36)));
  b.demand();
  b.step(5_ms);
  CHECK(b.rmd1(0) == (L::STP | L::ENP));
  CHECK(b.mcnt(0) == 32);
  CHECK(b.rmd1(1) == (L::MD1_ERR | L::CRC | L::STP | L::ENP));
  b.init(L::LOOP | L::INTL | L::COLL);
  b.put(0, small);
  b.demand();
  b.wait(L::TINT);
  CHECK((b.tmd3(0) & L::RTRY) != 0);
}

TEST_CASE("external loopback receives its own frame from the wire", "[am7990][loopback]") {
  LanceBench b;
  b.init(L::LOOP);
  Bytes frame = b.for_us(60);
  frame.resize(60);
  b.put(0, frame);
  b.demand();
  b.wait(L::RINT);
  CHECK(b.log.entries.size() == 1);
  CHECK(b.received(0, 64) == b.for_us(60));
}

TEST_CASE("byte swap exchanges data bytes, not descriptors", "[am7990]") {
  LanceBench b;
  b.make_block();
  b.make_rings();
  b.write(1, LanceBench::block);
  b.write(2, 0);
  b.write(3, L::BSWP);
  b.write(0, L::INIT);
  b.wait(L::IDON);
  b.write(0, L::STRT | L::IDON);
  b.hear(b.for_us(60));
  CHECK(b.mcnt(0) == 64);
  const Bytes frame = b.for_us(60);
  CHECK(b.ram[LanceBench::rx_data] == frame[1]);
  CHECK(b.ram[LanceBench::rx_data + 1] == frame[0]);
}

TEST_CASE("a snapshot in mid-frame does not affect the run", "[am7990][archive]") {
  for (const bool receiving : {false, true}) {
    LanceBench b;
    b.init();
    if (receiving) {
      b.other.port.transmit(b.for_us(1500), b.now);
    } else {
      b.put(0, body(800), L::STP);
      b.put(1, body(700), L::ENP);
      b.demand();
    }
    b.step(333_us);
    Archive saved = Archive::saver();
    b.archive(saved);
    LanceBench c;
    Archive loaded = Archive::loader(saved.stream());
    c.archive(loaded);
    loaded.expect_end();
    for (LanceBench* x : {&b, &c}) {
      x->step(5_ms);
      x->hear(x->for_us(200));
    }
    Archive one = Archive::saver(), two = Archive::saver();
    b.archive(one);
    c.archive(two);
    CHECK(std::ranges::equal(one.stream(), two.stream()));
    CHECK((b.csr0() & L::RINT) != 0);
    CHECK(((b.csr0() & L::TINT) != 0) == !receiving);
  }
}

TEST_CASE("random registers, descriptors and pointers do no harm", "[am7990][malformed]") {
  Random random(4711);
  LanceBench b;
  for (int round = 0; round < 150; ++round) {
    for (int i = 0; i < 400; ++i) b.ram[random.below(0x10000)] = static_cast<std::uint8_t>(random.below(256));
    for (int i = 0; i < 32; ++i) b.set(LanceBench::block + 2 * i, static_cast<unsigned>(random.below(0x10000)));
    b.write(0, L::STOP);
    b.write(1, random.below(4) ? LanceBench::block : static_cast<unsigned>(random.below(0x10000)));
    b.write(2, random.below(4) ? 0 : static_cast<unsigned>(random.below(256)));
    b.write(0, L::INIT | L::STRT | L::INEA);
    for (int i = 0; i < 6; ++i) {
      b.step(20_us);
      b.write(static_cast<unsigned>(random.below(4)),
              static_cast<unsigned>(random.below(0x10000)) & ~unsigned{L::STOP});
      b.write(0, L::TDMD | L::INEA);
      if (random.below(2)) b.other.port.transmit(make_frame(20 + random.below(1600), broadcast_mac), b.now);
      b.step(Time{static_cast<std::int64_t>(random.below(2'000'000'000))});
    }
  }
  b.write(0, L::STOP);
  b.step(1_s);
  std::fill(b.ram.begin(), b.ram.end(), std::uint8_t{0});
  b.init();
  b.hear(b.for_us(60));
  CHECK(b.rmd1(0) == (L::STP | L::ENP));
}
