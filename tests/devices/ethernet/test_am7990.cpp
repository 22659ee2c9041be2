// SPDX-License-Identifier: GPL-2.0-or-later
// The LANCE as its drivers see it: registers, initialisation, both rings, the poll timer, the one SILO.
#include <algorithm>

#include "core/random.hpp"
#include "tests/devices/ethernet/lance_bench.hpp"

using namespace planar;
using namespace planar::test;
using L = Am7990;

TEST_CASE("a stopped chip reads exactly 0004h, whatever it was doing", "[am7990]") {
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

TEST_CASE("CSR1 to CSR3 take writes only while the chip is stopped; STOP clears CSR3", "[am7990]") {
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
  CHECK(b.csr0() == (L::IDON | L::INTR | L::INEA | L::INIT));  // INIT reads 1 on: sk_mca writes it back
  b.write(0, b.csr0() | L::IDON | L::STRT);
  CHECK(b.csr0() == (L::INEA | L::RXON | L::TXON | L::STRT | L::INIT));
  CHECK_FALSE(b.irq);
}

TEST_CASE("INIT and STRT in one write: initialisation first, then both directions", "[am7990]") {
  LanceBench b;
  b.make_block(L::DTX);
  b.make_rings();
  b.write(1, LanceBench::block);
  b.write(0, L::INIT | L::STRT);
  CHECK_FALSE(b.csr0() & L::RXON);
  b.step(10_us);
  CHECK((b.csr0() & (L::RXON | L::TXON | L::IDON)) == (L::RXON | L::IDON));
}

TEST_CASE("writing INIT, STRT or TDMD back when set does not start over", "[am7990]") {
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
  b.hear(b.for_us(60));  // goes into the second buffer: the ring index has not moved back
  CHECK_FALSE(b.rmd1(1) & L::OWN);
}

TEST_CASE("a write of what was read clears every cause that was set by then", "[am7990]") {
  LanceBench b;
  b.init();
  b.put(0, body(60));
  b.demand();
  b.wait(L::TINT);
  b.hear(b.for_us(60));
  CHECK((b.csr0() & (L::RINT | L::TINT)) == (L::RINT | L::TINT));
  b.write(0, b.csr0() | L::RINT);  // sk_mca acknowledges a reception so
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

TEST_CASE("without TDMD a frame waits for the poll, every 1.6 ms", "[am7990][poll]") {
  LanceBench b;
  b.init();
  const Time looked = b.now - 10_us;  // STRT looked at once
  b.step(200_us);
  b.put(0, body(60));
  b.step(1'380_us);
  CHECK(b.log.entries.empty());
  b.wait(L::TINT);
  CHECK(b.log.entries.at(0).start == looked + 1'600_us + 2'400_ns);
  b.step(500_us);
  b.put(1, body(60));
  b.demand();
  b.wait(L::TINT, 1_ms);
  b.step(100_us);
  CHECK(b.log.entries.size() == 2);
}

// Linux sk_mca.c copies the descriptor into the window upwards: the word with OWN first, the length behind it.
TEST_CASE("a look between the words of a descriptor that is being handed over finds its length all the same", "[am7990][poll]") {
  LanceBench b;
  b.init();
  const Time look = b.now - 10_us + 1'600_us;
  b.put(0, body(1514), 0);
  b.set(b.tx_ring + 2, 0);
  b.set(b.tx_ring + 4, 0x10000 - 1266);  // of the frame before
  b.step(look - 100_ns - b.now);
  b.set(b.tx_ring + 2, L::OWN | L::STP | L::ENP);
  b.step(300_ns);
  CHECK(b.chip.local_bus_free(b.now) == look + 600_ns);  // the host's turn comes after each word
  b.step(500_ns);
  CHECK(b.chip.local_bus_free(b.now) == look + 1'200_ns);
  b.set(b.tx_ring + 4, 0x10000 - 1514);
  b.wait(L::TINT);
  REQUIRE(b.log.entries.size() == 1);
  CHECK(b.log.entries[0].start == look + 2'400_ns);
  CHECK(b.log.entries[0].bytes.size() == 1518);
}

TEST_CASE("a stop while a descriptor is read sends nothing", "[am7990][poll]") {
  LanceBench b;
  b.init();
  b.put(0, body(60));
  b.demand();
  b.step(1_us);
  b.write(0, L::STOP);
  b.step(10_ms);
  CHECK(b.log.entries.empty());
  CHECK((b.tmd1(0) & L::OWN) != 0);
}

TEST_CASE("with the poll interval at 0 only TDMD sends", "[am7990][poll]") {
  LanceBench b({600_ns, Time{}, 8, 8_us});
  b.init();
  b.put(0, body(60));
  b.step(1_s);
  CHECK(b.log.entries.empty());
  b.demand();
  CHECK((b.csr0() & L::TDMD) != 0);
  b.wait(L::TINT);
  CHECK_FALSE(b.csr0() & L::TDMD);
}

TEST_CASE("frames that are there go out back to back, each with its interrupt", "[am7990][transmit]") {
  LanceBench b;
  b.init();
  for (unsigned i = 0; i < 4; ++i) b.put(i, body(1514, static_cast<std::uint8_t>(i)));
  b.demand();
  for (unsigned i = 0; i < 4; ++i) {
    b.wait(L::TINT);
    CHECK(b.tmd1(i) == (L::STP | L::ENP));
    if (i < 3) CHECK((b.tmd1(i + 1) & L::OWN) != 0);
    b.write(0, L::INEA | L::TINT);
  }
  b.step(10_us);
  REQUIRE(b.log.entries.size() == 4);
  for (unsigned i = 0; i < 4; ++i) {
    CHECK(b.log.entries[i].good);
    Bytes sent = b.log.entries[i].bytes;
    sent.resize(1514);
    CHECK(sent == body(1514, static_cast<std::uint8_t>(i)));
    if (i) CHECK(b.log.entries[i].start - b.log.entries[i - 1].end == 9'600_ns);
  }
  CHECK(b.chip.counters().sent == 4);
}

TEST_CASE("a chain of buffers is one frame; each goes back as it empties", "[am7990][chain]") {
  LanceBench b;
  b.init();
  const Bytes whole = body(1000);
  b.put(2, Bytes(whole.begin() + 600, whole.end()), L::ENP);
  b.put(1, Bytes(whole.begin() + 200, whole.begin() + 600), 0);
  b.put(0, Bytes(whole.begin(), whole.begin() + 200), L::STP);
  b.demand();
  b.step(400_us);
  CHECK(b.tmd1(0) == L::STP);
  CHECK((b.tmd1(1) & L::OWN) != 0);
  b.wait(L::TINT);
  CHECK(b.tmd1(1) == 0);
  CHECK(b.tmd1(2) == L::ENP);
  Bytes sent = b.log.entries.at(0).bytes;
  CHECK(b.log.entries[0].good);
  sent.resize(1000);
  CHECK(sent == whole);
}

TEST_CASE("a chain that breaks off: BUFF and UFLO, the transmitter is off until the next initialisation", "[am7990][chain]") {
  LanceBench b;
  b.init();
  b.put(0, body(200), L::STP);
  b.demand();
  b.wait(L::TINT);
  CHECK(b.tmd1(0) == (L::MD1_ERR | L::STP));
  CHECK((b.tmd3(0) & 0xFC00) == (L::BUFF | L::UFLO));
  CHECK_FALSE(b.csr0() & L::TXON);
  CHECK((b.csr0() & L::RXON) != 0);
  CHECK_FALSE(b.log.entries.at(0).good);
  b.put(1, body(60));
  b.demand();
  b.step(10_ms);
  CHECK(b.log.entries.size() == 1);
  b.init();
  b.put(0, body(60));
  b.demand();
  b.wait(L::TINT);
  CHECK(b.log.entries.size() == 2);
}

TEST_CASE("owned descriptors that start no frame are given back and skipped", "[am7990][chain]") {
  LanceBench b;
  b.init();
  b.put(0, body(60), L::ENP);
  b.put(1, body(60), 0);
  b.put(2, body(60));
  b.demand();
  b.wait(L::TINT);
  CHECK_FALSE(b.tmd1(0) & L::OWN);
  CHECK_FALSE(b.tmd1(1) & L::OWN);
  CHECK(b.tmd1(2) == (L::STP | L::ENP));
  CHECK(b.log.entries.size() == 1);
}

TEST_CASE("a received frame stands in memory with its FCS; MCNT counts it", "[am7990][receive]") {
  LanceBench b;
  b.init();
  unsigned at = 0;
  for (const std::size_t bytes : {60u, 61u, 1000u, 1514u, 100u}) {
    const Bytes frame = b.for_us(bytes, static_cast<std::uint8_t>(at));
    b.hear(frame);
    CHECK(b.irq);
    CHECK(b.rmd1(at) == (L::STP | L::ENP));
    CHECK(b.mcnt(at) == bytes + 4);
    CHECK(b.received(at, bytes + 4) == frame);
    b.set(LanceBench::rx_ring + 8 * at + 2, L::OWN);
    b.write(0, L::INEA | L::RINT);
    CHECK_FALSE(b.irq);
    at = (at + 1) % 4;
  }
  CHECK(b.chip.counters().received == 5);
}

TEST_CASE("bytes reach memory in bursts of sixteen as they arrive", "[am7990][receive]") {
  LanceBench b;
  b.init();
  b.other.port.transmit(b.for_us(1514), b.now);
  b.step(500_us + 900_ns);
  b.chip.sync(b.now);
  // 8 bytes of preamble and half a microsecond of cable: byte k is complete at 0.5 + 0.8 x (9 + k) us.
  const std::size_t arrived = (500'400 - 6'400) / 800;
  const Bytes frame = b.for_us(1514);
  const std::size_t stored = arrived - arrived % 16;
  CHECK(b.received(0, stored) == Bytes(frame.begin(), frame.begin() + static_cast<std::ptrdiff_t>(stored)));
  CHECK(b.ram[LanceBench::rx_data + stored + 1] == 0);
  CHECK((b.rmd1(0) & L::OWN) != 0);
}

TEST_CASE("a frame across two buffers: STP in the first, ENP and the count in the second", "[am7990][chain]") {
  LanceBench b;
  b.init();
  b.make_rings(512);
  b.hear(b.for_us(900));
  CHECK(b.rmd1(0) == L::STP);
  CHECK(b.rmd1(1) == L::ENP);
  CHECK(b.mcnt(1) == 904);
  Bytes got = b.received(0, 512);
  const Bytes rest = b.received(1, 392);
  got.insert(got.end(), rest.begin(), rest.end());
  CHECK(got == b.for_us(900));
}

TEST_CASE("no next buffer: BUFF, the rest is lost, and the receiver goes on with the next frame", "[am7990][chain]") {
  LanceBench b;
  b.init();
  b.make_rings(512);
  b.set(LanceBench::rx_ring + 8 + 2, 0);
  b.hear(b.for_us(900));
  CHECK(b.rmd1(0) == (L::MD1_ERR | L::RMD1_BUFF | L::STP));
  CHECK(b.rmd1(1) == 0);
  CHECK((b.csr0() & L::RINT) != 0);
  b.set(LanceBench::rx_ring + 8 + 2, L::OWN);
  b.hear(b.for_us(100));
  CHECK(b.rmd1(1) == (L::STP | L::ENP));
}

TEST_CASE("no buffer at all: MISS, which the driver sees in CSR0 only", "[am7990][receive]") {
  LanceBench b;
  b.init();
  for (unsigned i = 0; i < 4; ++i) b.hear(b.for_us(60));
  b.write(0, b.csr0());
  b.hear(b.for_us(60));
  CHECK((b.csr0() & (L::ERR | L::MISS | L::RINT | L::INTR)) == (L::ERR | L::MISS | L::INTR));
  CHECK(b.chip.counters().missed == 1);
  b.set(LanceBench::rx_ring + 2, L::OWN);
  b.write(0, b.csr0());
  CHECK_FALSE(b.csr0() & (L::ERR | L::INTR));
  // A buffer that comes before the SILO is full still saves the frame.
  b.set(LanceBench::rx_ring + 2, 0);
  b.other.port.transmit(b.for_us(60), b.now);
  b.step(30_us);
  b.set(LanceBench::rx_ring + 2, L::OWN);
  b.step(200_us);
  CHECK(b.rmd1(0) == (L::STP | L::ENP));
}

TEST_CASE("a frame too long for its count or its buffer is reported, never overrun", "[am7990][receive]") {
  LanceBench b;
  b.init();
  b.hear(b.for_us(3000));  // 1536-byte buffers: the second takes the rest
  CHECK(b.rmd1(0) == L::STP);
  CHECK(b.rmd1(1) == L::ENP);
  CHECK(b.mcnt(1) == 3004);
}

TEST_CASE("CRC and framing errors; a runt leaves no trace", "[am7990][receive]") {
  LanceBench b;
  b.init();
  b.hear(damaged(b.for_us(100)));
  CHECK(b.rmd1(0) == (L::MD1_ERR | L::CRC | L::STP | L::ENP));
  CHECK(b.mcnt(0) == 104);
  b.other.port.transmit(b.for_us(1000), b.now);
  b.step(300'350_ns);
  b.other.port.set_plugged(false, b.now);
  b.step(100_us);
  CHECK(b.rmd1(1) == (L::MD1_ERR | L::CRC | L::FRAM | L::STP | L::ENP));
  b.other.port.set_plugged(true, b.now);
  b.step(2_ms);
  b.write(0, b.csr0());
  b.hear(b.for_us(40));
  CHECK_FALSE(b.csr0() & L::RINT);
  CHECK((b.rmd1(2) & L::OWN) != 0);
  b.hear(b.for_us(80));
  CHECK(b.rmd1(2) == (L::STP | L::ENP));
}

TEST_CASE("own address, broadcast, the logical filter, promiscuous", "[am7990][receive]") {
  const MacAddress all_hosts{0x01, 0x00, 0x5E, 0x00, 0x00, 0x01};
  // depca's way to the bit: CRC shifted left from all ones, its low six bits taken lowest first.
  std::uint32_t crc = 0xFFFFFFFF;
  for (std::uint8_t byte : all_hosts)
    for (int bit = 0; bit < 8; ++bit, byte >>= 1)
      crc = crc << 1 ^ ((crc >> 31 ^ (byte & 1)) ? 0x04C11DB7u : 0);
  unsigned hash = 0;
  for (int i = 0; i < 6; ++i) hash = hash << 1 | (crc >> i & 1);
  const auto heard = [](unsigned mode, std::uint64_t filter, const MacAddress& to) {
    LanceBench b;
    b.init(mode, filter);
    b.hear(make_frame(60, to));
    return (b.csr0() & L::RINT) != 0;
  };
  const MacAddress stranger{0x08, 0x00, 0x2B, 0x99, 0x99, 0x99};
  CHECK(heard(0, 0, {0x08, 0x00, 0x2B, 0x12, 0x34, 0x56}));
  CHECK(heard(0, 0, broadcast_mac));
  CHECK_FALSE(heard(0, ~0ull, stranger));
  CHECK_FALSE(heard(0, 0, all_hosts));
  CHECK(heard(0, 1ull << hash, all_hosts));
  CHECK_FALSE(heard(0, ~(1ull << hash), all_hosts));
  CHECK(heard(L::PROM, 0, stranger));
  CHECK(heard(L::PROM, 0, all_hosts));
  CHECK_FALSE(heard(L::DRX, 0, broadcast_mac));
}

TEST_CASE("one SILO: a frame for this station displaces one that waits, until TDMD or the poll", "[am7990][silo]") {
  for (const bool demand : {false, true}) {
    LanceBench b;
    b.init();
    b.other.port.transmit(b.for_us(1000), b.now);
    b.step(5_us);  // carrier, no address yet
    b.put(0, body(60));
    b.demand();
    const Time looked = b.now;
    b.step(400_us);
    CHECK(b.chip.counters().yielded == 1);
    if (demand) b.demand();
    b.wait(L::RINT);
    const Time received = b.now;
    b.wait(L::TINT);
    const Time started = b.log.entries.at(1).start;
    if (demand) CHECK(started - received < 10_us);
    else CHECK(started == looked + 1'600_us + 2'400_ns);
  }
}

TEST_CASE("a station that waits for the end of a frame meets the next one of the ring in a collision", "[am7990][silo]") {
  LanceBench b;
  b.init();
  for (unsigned i = 0; i < 2; ++i) b.put(i, body(1514));
  b.demand();
  b.step(500_us);
  b.other.port.transmit(b.for_us(66), b.now);
  b.wait(L::RINT);
  CHECK(b.log.entries.at(1).start - b.log.entries.at(0).end == 9'600_ns);
  CHECK(b.chip.counters().collisions >= 1);
  CHECK(b.chip.counters().sent == 1);  // it has lost, and reception has taken the SILO
  const Time received = b.log.entries.back().end;
  b.step(1_ms);
  CHECK_FALSE(b.chip.port().busy());  // without demand it waits for the poll, 1.6 ms after the look that it lost
  b.step(2_ms);
  CHECK(b.chip.counters().sent == 2);
  CHECK(b.log.entries.back().start - received > 1'300_us);
  CHECK(b.log.entries.back().start - received < 1'600_us);
}

TEST_CASE("a demand set while a frame leaves stays for the look after a reception", "[am7990][silo]") {
  LanceBench b;
  b.init();
  for (unsigned i = 0; i < 2; ++i) b.put(i, body(1514));
  b.demand();
  b.step(500_us);
  b.demand();
  CHECK((b.csr0() & L::TDMD) != 0);
  b.other.port.transmit(b.for_us(66), b.now);
  b.wait(L::RINT);
  b.step(20_us);
  CHECK(b.chip.port().busy());
  CHECK_FALSE(b.csr0() & L::TDMD);
}

TEST_CASE("a frame for somebody else leaves the waiting one in the SILO", "[am7990][silo]") {
  LanceBench b;
  b.init();
  b.other.port.transmit(make_frame(1000, {0x02, 0, 0, 0, 0, 7}), b.now);
  b.step(5_us);
  b.put(0, body(60));
  b.demand();
  b.wait(L::TINT);
  CHECK(b.chip.counters().yielded == 0);
  CHECK(b.log.entries.at(1).start - b.log.entries.at(0).end < 20_us);
  CHECK(b.tmd1(0) == (L::DEF | L::STP | L::ENP));
}

TEST_CASE("ONE, MORE and the collision count; the frame gets out", "[am7990][collision]") {
  LanceBench b;
  b.init();
  Recorder third(b.scheduler, &b.segment, "third", 4);
  const MacAddress stranger{0x02, 0, 0, 0, 0, 7};
  third.port.transmit(make_frame(500, stranger), b.now);
  b.step(50_us);
  b.other.port.transmit(make_frame(200, stranger), b.now);
  b.put(0, body(200));
  b.demand();
  b.wait(L::TINT);
  const auto collisions = b.chip.counters().collisions;
  CHECK(collisions >= 1);
  CHECK((b.tmd1(0) & (L::ONE | L::MORE)) == (collisions == 1 ? L::ONE : L::MORE));
  CHECK_FALSE(b.tmd1(0) & L::MD1_ERR);
}

TEST_CASE("sixteen collisions, or one with retries disabled: RTRY and the time to the collision", "[am7990][collision]") {
  for (const unsigned mode : {0u, unsigned{L::DRTY}}) {
    LanceBench b;
    b.init(mode);
    RelentlessSender other(b.scheduler, b.segment, {0x02, 0, 0, 0, 0, 9});
    other.port.transmit(make_frame(1514, other.to), b.now);
    b.step(100_us);
    b.put(0, body(1514));
    b.demand();
    b.wait(L::TINT, 10_s);
    CHECK((b.tmd1(0) & (L::MD1_ERR | L::ONE | L::MORE)) == L::MD1_ERR);
    CHECK((b.tmd3(0) & 0xFC00) == L::RTRY);
    CHECK((b.tmd3(0) & L::TDR) > 0);
    CHECK((b.tmd3(0) & L::TDR) < 100);
    CHECK(b.chip.counters().collisions == (mode ? 1u : 16u));
    CHECK((b.csr0() & L::TXON) != 0);
  }
}

TEST_CASE("late collision, lost carrier", "[am7990][collision]") {
  LanceBench b;
  b.init();
  b.put(0, body(1514));
  b.demand();
  b.step(500_us);
  Recorder deaf(b.scheduler, nullptr, "deaf", 9);
  deaf.port.attach(b.segment);
  deaf.port.transmit(make_frame(60, {0x02, 1, 2, 3, 4, 5}), b.now);
  b.wait(L::TINT);
  CHECK((b.tmd3(0) & 0xFC00) == L::LCOL);
  LanceBench lonely({}, false);
  lonely.init();
  lonely.put(0, body(60));
  lonely.demand();
  lonely.wait(L::TINT);
  CHECK((lonely.tmd3(0) & 0xFC00) == L::LCAR);
  CHECK((lonely.tmd1(0) & L::MD1_ERR) != 0);
  CHECK((lonely.csr0() & L::TXON) != 0);
}

TEST_CASE("the cable pulled in mid-frame loses the carrier, not the chip", "[am7990]") {
  LanceBench b;
  b.init();
  b.put(0, body(1514));
  b.demand();
  b.step(500_us);
  b.chip.port().set_plugged(false, b.now);
  b.wait(L::TINT);
  CHECK((b.tmd3(0) & 0xFC00) == L::LCAR);
  b.chip.port().set_plugged(true, b.now);
  b.put(1, body(60));
  b.demand();
  b.step(1_ms);
  CHECK(b.tmd1(1) == (L::STP | L::ENP));
}

TEST_CASE("1519 bytes on the wire babble, and the frame goes on", "[am7990]") {
  LanceBench b;
  b.init();
  b.set(LanceBench::tx_ring + 4, 0xF000);  // a count of zero is 4096
  b.set(LanceBench::tx_ring + 2, L::OWN | L::STP | L::ENP);
  b.demand();
  b.wait(L::BABL);
  CHECK((b.csr0() & L::ERR) != 0);
  CHECK(b.irq);
  b.wait(L::TINT);
  CHECK(b.log.entries.at(0).bytes.size() == 4100);
}

TEST_CASE("the local bus denied for too long: OFLO without ENP, UFLO and the transmitter off", "[am7990]") {
  LanceBench b;
  b.init();
  b.other.port.transmit(b.for_us(1000), b.now);
  b.step(300_us);
  b.chip.local_bus_denied(b.now - 25_us, b.now);  // 32 bytes beyond the burst take 25.6 us: it holds
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

TEST_CASE("the host finds the local bus taken one burst in each sixteen byte times", "[am7990]") {
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

TEST_CASE("memory that does not answer: MERR, both directions off", "[am7990][malformed]") {
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

TEST_CASE("a ring of owned descriptors without an end sends once round and underruns", "[am7990][malformed]") {
  LanceBench b;
  b.init();
  for (unsigned i = 0; i < 4; ++i) b.put(i, body(1000), i ? 0 : L::STP);
  b.demand();
  b.wait(L::TINT, 100_ms);
  CHECK((b.tmd3(3) & 0xFC00) == (L::BUFF | L::UFLO));
  CHECK_FALSE(b.csr0() & L::TXON);
}

TEST_CASE("internal loopback: the frame comes back, with a CRC that the chip made or one that it checks", "[am7990][loopback]") {
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

TEST_CASE("external loopback hears its own frame on the wire", "[am7990][loopback]") {
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

TEST_CASE("a snapshot in mid-frame goes on as the original does", "[am7990][archive]") {
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

TEST_CASE("nonsense in every register, descriptor and pointer harms nobody", "[am7990][malformed]") {
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
      b.write(static_cast<unsigned>(random.below(4)), static_cast<unsigned>(random.below(0x10000)) & ~unsigned{L::STOP});
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
