// SPDX-License-Identifier: GPL-2.0-or-later
// The LANCE's transmitter: the poll timer, rings and chains of buffers, collisions, errors.
#include "tests/devices/chips/am7990/lance_bench.hpp"

using namespace planar;
using namespace planar::test;
using L = Am7990;

TEST_CASE("without TDMD a frame waits for the poll every 1.6 ms", "[am7990][poll]") {
  LanceBench b;
  b.init();
  const Time looked = b.now - 10_us;  // STRT polled at once
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

// Linux's sk_mca.c copies the descriptor into the window in ascending order: the word with OWN first, then the length.
TEST_CASE("a poll between the words of a descriptor being written still reads the new length", "[am7990][poll]") {
  LanceBench b;
  b.init();
  const Time look = b.now - 10_us + 1'600_us;
  b.put(0, body(1514), 0);
  b.set(b.tx_ring + 2, 0);
  b.set(b.tx_ring + 4, 0x10000 - 1266);  // from the previous frame
  b.step(look - 100_ns - b.now);
  b.set(b.tx_ring + 2, L::OWN | L::STP | L::ENP);
  b.step(300_ns);
  CHECK(b.chip.local_bus_free(b.now) == look + 600_ns);  // the host may access memory after each word
  b.step(500_ns);
  CHECK(b.chip.local_bus_free(b.now) == look + 1'200_ns);
  b.set(b.tx_ring + 4, 0x10000 - 1514);
  b.wait(L::TINT);
  REQUIRE(b.log.entries.size() == 1);
  CHECK(b.log.entries[0].start == look + 2'400_ns);
  CHECK(b.log.entries[0].bytes.size() == 1518);
}

TEST_CASE("STOP while a descriptor is read sends nothing", "[am7990][poll]") {
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

TEST_CASE("with a poll interval of 0 only TDMD starts transmission", "[am7990][poll]") {
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

TEST_CASE("queued frames are sent back to back, each with its interrupt", "[am7990][transmit]") {
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

TEST_CASE("a chain of buffers makes one frame; each is returned when it is read", "[am7990][chain]") {
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

TEST_CASE("an incomplete chain sets BUFF and UFLO and stops the transmitter until initialisation", "[am7990][chain]") {
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

TEST_CASE("owned descriptors that do not start a frame are returned and skipped", "[am7990][chain]") {
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

TEST_CASE("a collision sets ONE or MORE, and the frame is sent", "[am7990][collision]") {
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

TEST_CASE("sixteen collisions, or one with retries disabled, set RTRY and the TDR count", "[am7990][collision]") {
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

TEST_CASE("late collision and loss of carrier are reported", "[am7990][collision]") {
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

TEST_CASE("a cable pulled in mid-frame loses the carrier, and the chip continues", "[am7990]") {
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

TEST_CASE("a frame of more than 1518 bytes sets BABL and continues", "[am7990]") {
  LanceBench b;
  b.init();
  b.set(LanceBench::tx_ring + 4, 0xF000);  // a count of zero means 4096
  b.set(LanceBench::tx_ring + 2, L::OWN | L::STP | L::ENP);
  b.demand();
  b.wait(L::BABL);
  CHECK((b.csr0() & L::ERR) != 0);
  CHECK(b.irq);
  b.wait(L::TINT);
  CHECK(b.log.entries.at(0).bytes.size() == 4100);
}

TEST_CASE("an endless ring of owned descriptors is sent once round and underruns", "[am7990][malformed]") {
  LanceBench b;
  b.init();
  for (unsigned i = 0; i < 4; ++i) b.put(i, body(1000), i ? 0 : L::STP);
  b.demand();
  b.wait(L::TINT, 100_ms);
  CHECK((b.tmd3(3) & 0xFC00) == (L::BUFF | L::UFLO));
  CHECK_FALSE(b.csr0() & L::TXON);
}
