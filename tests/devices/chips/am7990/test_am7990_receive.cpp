// SPDX-License-Identifier: GPL-2.0-or-later
// The LANCE's receiver: buffers and their chains, errors, the address filter; the SILO shared by both directions.
#include "tests/devices/chips/am7990/lance_bench.hpp"

using namespace planar;
using namespace planar::test;
using L = Am7990;

TEST_CASE("a received frame is stored with its FCS, which MCNT includes", "[am7990][receive]") {
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

TEST_CASE("bytes are written to memory in bursts of sixteen as they arrive", "[am7990][receive]") {
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

TEST_CASE("a frame in two buffers has STP in the first, ENP and the count in the second", "[am7990][chain]") {
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

TEST_CASE("without a next buffer BUFF is set, the rest is lost, and the next frame is received", "[am7990][chain]") {
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

TEST_CASE("without any buffer MISS is set, only in CSR0", "[am7990][receive]") {
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
  // A buffer that becomes available before the SILO is full still saves the frame.
  b.set(LanceBench::rx_ring + 2, 0);
  b.other.port.transmit(b.for_us(60), b.now);
  b.step(30_us);
  b.set(LanceBench::rx_ring + 2, L::OWN);
  b.step(200_us);
  CHECK(b.rmd1(0) == (L::STP | L::ENP));
}

TEST_CASE("an overlong frame continues in the next buffer and is not an overrun", "[am7990][receive]") {
  LanceBench b;
  b.init();
  b.hear(b.for_us(3000));  // 1536-byte buffers: the second takes the rest
  CHECK(b.rmd1(0) == L::STP);
  CHECK(b.rmd1(1) == L::ENP);
  CHECK(b.mcnt(1) == 3004);
}

TEST_CASE("CRC and framing errors are reported; a runt is ignored", "[am7990][receive]") {
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

TEST_CASE("receive filter: own address, broadcast, logical filter, promiscuous", "[am7990][receive]") {
  const MacAddress all_hosts{0x01, 0x00, 0x5E, 0x00, 0x00, 0x01};
  // depca's way to find the bit: CRC shifted left from all ones, its low six bits in reverse order.
  std::uint32_t crc = 0xFFFFFFFF;
  for (std::uint8_t byte : all_hosts)
    for (int bit = 0; bit < 8; ++bit, byte >>= 1) crc = crc << 1 ^ ((crc >> 31 ^ (byte & 1)) ? 0x04C11DB7u : 0);
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

TEST_CASE("a received frame replaces one waiting in the SILO until TDMD or the poll", "[am7990][silo]") {
  for (const bool demand : {false, true}) {
    LanceBench b;
    b.init();
    b.other.port.transmit(b.for_us(1000), b.now);
    b.step(5_us);  // carrier, but no address yet
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
    if (demand)
      CHECK(started - received < 10_us);
    else
      CHECK(started == looked + 1'600_us + 2'400_ns);
  }
}

TEST_CASE("a station that waited for the end of a frame collides with the next frame of the ring", "[am7990][silo]") {
  LanceBench b;
  b.init();
  for (unsigned i = 0; i < 2; ++i) b.put(i, body(1514));
  b.demand();
  b.step(500_us);
  b.other.port.transmit(b.for_us(66), b.now);
  b.wait(L::RINT);
  CHECK(b.log.entries.at(1).start - b.log.entries.at(0).end == 9'600_ns);
  CHECK(b.chip.counters().collisions >= 1);
  CHECK(b.chip.counters().sent == 1);  // it has lost the collision, and the reception has taken the SILO
  const Time received = b.log.entries.back().end;
  b.step(1_ms);
  CHECK_FALSE(b.chip.port().busy());  // without a demand it waits for the poll: 1.6 ms after the one that failed
  b.step(2_ms);
  CHECK(b.chip.counters().sent == 2);
  CHECK(b.log.entries.back().start - received > 1'300_us);
  CHECK(b.log.entries.back().start - received < 1'600_us);
}

TEST_CASE("a demand set during transmission is kept until after a reception", "[am7990][silo]") {
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

TEST_CASE("a frame for another station leaves the waiting one in the SILO", "[am7990][silo]") {
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
