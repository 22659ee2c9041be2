// SPDX-License-Identifier: GPL-2.0-or-later
// RTL8139's transmitter: the order of its slots, short frames, thresholds and bursts, the gap between frames, and
// faults: a late bus, collisions, no link, missing memory.
#include "tests/devices/ethernet/rtl8139/rtl8139_bench.hpp"

using namespace planar;
using namespace planar::test;

namespace {

void allow_master(Rtl8139Bench& b, bool on) {
  b.rig.set_config(9, pci::COMMAND, pci::IO_SPACE | pci::MEMORY_SPACE | (on ? unsigned{pci::BUS_MASTER} : 0u), 2);
}
void put_frame(Rtl8139Bench& b, unsigned slot, const Bytes& frame) {
  b.rig.put(Rtl8139Bench::bounce + slot * Rtl8139Bench::bounce_bytes, frame);
  b.out(0x20 + 4 * slot, Rtl8139Bench::bounce + slot * Rtl8139Bench::bounce_bytes, 4);
}
void hand_over(Rtl8139Bench& b, unsigned slot, std::size_t bytes, unsigned threshold = 256) {
  b.out(0x10 + 4 * slot, threshold << 11 | static_cast<std::uint32_t>(bytes), 4);
}
std::vector<std::size_t> lengths(const Rtl8139Bench& b) {
  std::vector<std::size_t> all;
  for (const auto& a : b.other.arrivals) all.push_back(a.length);
  return all;
}

}  // namespace

TEST_CASE("RTL8139: the gap between queued frames is 11.2 us, whatever their size", "[rtl8139]") {
  Rtl8139Bench b;
  b.start();
  const std::size_t bytes = GENERATE(256, 600, 1514);
  for (unsigned n = 0; n < 4; ++n) b.start_xmit(body(bytes, static_cast<std::uint8_t>(n)));
  b.step(1_ms);
  b.handle();
  CHECK(b.sent.size() == 4);
  const auto pauses = b.pauses();
  REQUIRE(pauses.size() == 3);
  for (const Time pause : pauses) {
    CAPTURE(pause.ps);
    CHECK(pause > 11150_ns);
    CHECK(pause < 11270_ns);
  }
}

TEST_CASE("RTL8139: the gap is the next frame's first burst and a configurable time", "[rtl8139]") {
  Rtl8139Bench b(Rtl8139Bench::Settings{{"phy.negotiation", "1000us"}, {"tx.next_frame_fetch_after", "0ns"}});
  b.start();
  for (unsigned n = 0; n < 4; ++n) b.start_xmit(body(1514));
  b.step(1_ms);
  const auto pauses = b.pauses();
  REQUIRE(pauses.size() == 3);
  for (const Time pause : pauses) {
    CHECK(pause > 2_us);
    CHECK(pause < 3_us);
  }
}

TEST_CASE("RTL8139: a frame after a long pause is read immediately", "[rtl8139]") {
  Rtl8139Bench b;
  b.start();
  b.start_xmit(body(1514));
  b.step(1_ms);
  b.handle();
  const Time asked = b.now();
  b.start_xmit(body(1514));
  b.step(200_us);
  REQUIRE(b.other.begins.size() == 2);
  CHECK(b.other.begins[1] - asked < 6_us);
}

TEST_CASE("RTL8139: transmit slots are used in strict rotation", "[rtl8139]") {
  Rtl8139Bench b;
  b.start();
  SECTION("a slot out of turn waits for the slots before it") {
    put_frame(b, 1, body(101));
    hand_over(b, 1, 101);
    b.step(1_ms);
    CHECK(b.other.arrivals.empty());
    CHECK_FALSE(b.in(0x14, 4) & Rtl8139::OWN);
    put_frame(b, 0, body(100));
    hand_over(b, 0, 100);
    b.step(1_ms);
    CHECK(lengths(b) == std::vector<std::size_t>{104, 105});
  }
  SECTION("the first slot twice: the second frame waits for the three other slots") {
    put_frame(b, 0, body(100));
    hand_over(b, 0, 100);
    b.step(1_ms);
    hand_over(b, 0, 90);
    b.step(1_ms);
    CHECK(lengths(b) == std::vector<std::size_t>{104});
    for (unsigned slot = 1; slot < 4; ++slot) {
      put_frame(b, slot, body(100 + slot));
      hand_over(b, slot, 100 + slot);
    }
    b.step(1_ms);
    CHECK(lengths(b) == std::vector<std::size_t>{104, 105, 106, 107, 94});
  }
  SECTION("written twice before its turn: the second size is used") {
    put_frame(b, 0, body(1514));
    hand_over(b, 0, 1514);
    put_frame(b, 1, body(200));
    hand_over(b, 1, 200);
    hand_over(b, 1, 100);
    b.step(1_ms);
    CHECK(lengths(b) == std::vector<std::size_t>{1518, 104});
  }
  SECTION("written again during transmission: the frame is complete, the slot waits for its next turn") {
    put_frame(b, 0, body(1514));
    hand_over(b, 0, 1514);
    b.step(60_us);
    hand_over(b, 0, 100);
    b.step(1_ms);
    CHECK(lengths(b) == std::vector<std::size_t>{1518});
    CHECK_FALSE(b.in(0x10, 4) & Rtl8139::OWN);
  }
  SECTION("a write with OWN set or of a word hands over nothing") {
    put_frame(b, 0, body(100));
    b.out(0x10, Rtl8139::OWN | 100, 4);
    b.out(0x10, 100, 2);
    b.step(1_ms);
    CHECK(b.other.arrivals.empty());
  }
  SECTION("a reset restarts at slot 0") {
    b.start_xmit(body(100));
    b.step(1_ms);
    b.open();
    b.start_xmit(body(101));
    b.step(1_ms);
    CHECK(lengths(b) == std::vector<std::size_t>{104, 105});
  }
}

TEST_CASE("RTL8139: a short frame is not padded; an address is rounded down to a doubleword", "[rtl8139]") {
  Rtl8139Bench b;
  b.start();
  put_frame(b, 0, body(42));
  b.out(0x20, Rtl8139Bench::bounce + 3, 4);
  hand_over(b, 0, 42);
  b.step(100_us);
  REQUIRE(b.other.arrivals.size() == 1);
  CHECK(b.other.arrivals[0].length == 46);  // a runt
  CHECK(without_fcs(b.other.arrivals[0].bytes) == body(42));
  CHECK(b.in(0x10, 4) & Rtl8139::TOK);
}

TEST_CASE("RTL8139: the frame starts at the slot's threshold", "[rtl8139]") {
  const auto delay = [](unsigned threshold, unsigned burst) {
    Rtl8139Bench b;
    b.start();
    b.out(0x40, burst << 8 | 0x03000000, 4);
    put_frame(b, 0, body(1514));
    const Time asked = b.now();
    hand_over(b, 0, 1514, threshold);
    b.step(300_us);
    REQUIRE(b.other.arrivals.size() == 1);
    CHECK(b.other.arrivals[0].ok);
    CHECK(without_fcs(b.other.arrivals[0].bytes) == body(1514));
    return b.other.begins[0] - asked;
  };
  const Time eight = delay(0, 0), quarter = delay(256, 4), whole = delay(1536, 4), one_burst = delay(256, 7);
  CHECK(eight + 1_us < quarter);
  CHECK(quarter + 9_us < whole);
  CHECK(quarter < 5_us);
  CHECK(one_burst > quarter + 6_us);  // 2048 bytes at a time: the whole frame is there at once, but late
  CHECK(one_burst < whole);
}

TEST_CASE("RTL8139: a frame is read in bursts of the programmed size", "[rtl8139]") {
  const unsigned burst = GENERATE(0, 2, 4, 6, 7);
  Rtl8139Bench b;
  b.start();
  b.out(0x40, burst << 8 | 0x03000000, 4);
  put_frame(b, 0, body(1514));
  b.rig.set_config(9, pci::LATENCY_TIMER, 255, 1);
  const auto before = b.rig.segment.counters();
  hand_over(b, 0, 1514, 1536);
  b.step(300_us);
  const auto after = b.rig.segment.counters();
  const unsigned bytes = 16u << burst;
  CHECK(after.bytes - before.bytes == 1514);
  CHECK(after.transactions - before.transactions == (1514 + bytes - 1) / bytes);
}

TEST_CASE("RTL8139: after an underrun the frame is read again and retransmitted completely", "[rtl8139]") {
  Rtl8139Bench b;
  b.start();
  b.start_xmit(body(1514));
  b.step(6_us);
  allow_master(b, false);
  b.step(300_us);
  REQUIRE(b.other.arrivals.size() == 1);
  CHECK_FALSE(b.other.arrivals[0].ok);
  CHECK(b.other.arrivals[0].length < 1514);
  CHECK_FALSE(b.interrupt());
  CHECK(b.in(0x60, 2) == 0x010E);  // TUN, and the slot belongs to the chip
  allow_master(b, true);
  b.step(300_us);
  REQUIRE(b.other.arrivals.size() == 2);
  CHECK(b.other.arrivals[1].ok);
  CHECK(without_fcs(b.other.arrivals[1].bytes) == body(1514));
  CHECK(b.handle() == Rtl8139::TOK_INT);
  REQUIRE(b.sent.size() == 1);
  CHECK((b.sent[0] & (Rtl8139::TUN | Rtl8139::TOK)) == Rtl8139::TUN);
  CHECK(b.tx_flag >> 11 == 320);  // the driver's next threshold
  CHECK(b.chip().counters().underruns == 1);
}

TEST_CASE("RTL8139: a frame longer than the FIFO that underruns twice is abandoned, and the next slot follows",
          "[rtl8139]") {
  Rtl8139Bench b;
  b.start();
  put_frame(b, 0, body(8000));
  hand_over(b, 0, 8000);
  for (int round = 0; round < 2; ++round) {
    b.step(60_us);
    allow_master(b, false);
    b.step(600_us);
    allow_master(b, true);
  }
  b.step(20_us);
  CHECK(b.in(0x3E, 2) == Rtl8139::TER);
  CHECK((b.in(0x10, 4) & (Rtl8139::TUN | Rtl8139::TOK)) == Rtl8139::TUN);
  put_frame(b, 1, body(100));
  hand_over(b, 1, 100);
  b.step(100_us);
  CHECK(b.other.arrivals.back().ok);
  CHECK(b.other.arrivals.back().length == 104);
}

TEST_CASE("RTL8139: sizes 0 and 8191 are sent unchanged", "[rtl8139]") {
  Rtl8139Bench b;
  b.start();
  hand_over(b, 0, 0);
  b.step(100_us);
  put_frame(b, 1, body(8191));
  hand_over(b, 1, 8191);
  b.step(1_ms);
  CHECK(lengths(b) == std::vector<std::size_t>{4, 8195});
  CHECK(b.other.arrivals[1].ok);
  CHECK(b.in(0x60, 2) == 0x300F);
}

TEST_CASE("RTL8139: sixteen collisions abort; CLRABT retransmits the frame, and the queue continues", "[rtl8139]") {
  Rtl8139Bench b(Rtl8139Bench::Settings{{"phy.negotiation", "1000us"}},
                 EthernetConfig{.bits_per_second = 100'000'000, .full_duplex = false});
  b.start();
  {
    RelentlessSender crowd(b.rig.scheduler, b.wire, MacAddress{0, 0, 0xE8, 1, 2, 3});
    crowd.port.transmit(make_frame(1514, crowd.to), b.now());
    b.start_xmit(body(200));
    b.start_xmit(body(201));
    for (int n = 0; n < 500 && !b.interrupt(); ++n) b.step(100_us);
    CHECK(b.in(0x3E, 2) == Rtl8139::TER);
    CHECK((b.in(0x10, 4) & (Rtl8139::TABT | Rtl8139::NCC)) == (Rtl8139::TABT | Rtl8139::NCC));
    CHECK(b.in(0x60, 2) == 0x001D);
    b.step(5_ms);
    CHECK(b.in(0x60, 2) == 0x001D);  // it waits
  }
  b.step(1_ms);
  b.other.arrivals.clear();
  CHECK(b.handle() & Rtl8139::TER);
  b.step(1_ms);
  CHECK(lengths(b) == std::vector<std::size_t>{204, 205});
}

TEST_CASE("RTL8139: without a link frames are lost and their slots returned", "[rtl8139][cable]") {
  Rtl8139Bench b;
  b.start();
  b.chip().port().set_plugged(false, b.now());
  for (unsigned n = 0; n < 6; ++n) {
    b.start_xmit(body(1514));
    b.step(200_us);
    b.handle();
  }
  CHECK(b.sent.size() == 6);
  CHECK((b.sent[5] & (Rtl8139::TOK | Rtl8139::CRS)) == (Rtl8139::TOK | Rtl8139::CRS));
  CHECK(b.other.begins.empty());
  CHECK(b.chip().counters().sent == 0);
}

TEST_CASE("RTL8139: the cable is pulled during transmission", "[rtl8139][cable]") {
  Rtl8139Bench b;
  b.start();
  b.start_xmit(body(1514));
  b.step(60_us);
  b.chip().port().set_plugged(false, b.now());
  b.step(200_us);
  b.handle();
  REQUIRE(b.sent.size() == 1);
  CHECK((b.sent[0] & (Rtl8139::TOK | Rtl8139::CRS)) == (Rtl8139::TOK | Rtl8139::CRS));
  CHECK_FALSE(b.other.arrivals[0].ok);
}

TEST_CASE("RTL8139: in loopback the station receives its own frame, and nothing is sent", "[rtl8139]") {
  Rtl8139Bench b;
  b.start();
  b.out(0x40, 0x03060400, 4);
  b.start_xmit(body(300, 9));  // a broadcast
  b.step(200_us);
  b.handle();
  REQUIRE(b.received.size() == 1);
  CHECK(without_fcs(b.received[0]) == body(300, 9));
  CHECK(b.other.begins.empty());
}

TEST_CASE("RTL8139: a frame outside memory is a bus error, and the queue continues", "[rtl8139]") {
  Rtl8139Bench b;
  b.start();
  b.out(0x20, 0xE0000000, 4);
  hand_over(b, 0, 100);
  b.step(100_us);
  CHECK(b.in(0x3E, 2) == (Rtl8139::SERR | Rtl8139::TOK_INT));
  CHECK(b.rig.config(9, pci::COMMAND) >> 16 & pci::RECEIVED_MASTER_ABORT);
  put_frame(b, 1, body(100));
  hand_over(b, 1, 100);
  b.step(100_us);
  CHECK(without_fcs(b.other.arrivals.back().bytes) == body(100));
}

TEST_CASE("RTL8139: clearing TE in mid-frame finishes the frame, TE reads 1 until then, queued slots are returned",
          "[rtl8139]") {
  Rtl8139Bench b;
  b.start();
  for (unsigned n = 0; n < 3; ++n) b.start_xmit(body(1514, static_cast<std::uint8_t>(n)));
  b.step(5_us);
  b.out(0x37, Rtl8139::RE);
  CHECK(b.in(0x37) & Rtl8139::TE);
  CHECK(b.in(0x60, 2) == 0x000F);
  b.step(300_us);
  CHECK_FALSE(b.in(0x37) & Rtl8139::TE);
  CHECK(lengths(b) == std::vector<std::size_t>{1518});
  CHECK(b.other.arrivals[0].ok);
  b.out(0x37, Rtl8139::RE | Rtl8139::TE);
  put_frame(b, 0, body(100));
  hand_over(b, 0, 100);
  b.step(100_us);
  CHECK(lengths(b) == std::vector<std::size_t>{1518, 104});
}

TEST_CASE("RTL8139: a reset in the middle of a burst or frame truncates it", "[rtl8139]") {
  const int when = GENERATE(1, 2, 3, 5, 20, 100);
  CAPTURE(when);
  Rtl8139Bench b;
  b.start();
  for (unsigned n = 0; n < 3; ++n) b.start_xmit(body(1514));
  b.other.port.transmit(b.for_us(1514), b.now());
  b.step(1_us * std::int64_t{when});
  if (when % 2) {  // as close() does
    b.out(0x37, 0);
    CHECK(b.in(0x60, 2) == 0x000F);
  }
  b.open();
  CHECK(b.in(0x60, 2) == 0x000F);
  b.step(1_ms);
  for (const auto& a : b.other.arrivals) CHECK_FALSE(a.ok);
  b.start_xmit(body(100));
  b.hear(b.for_us(200));
  b.handle();
  CHECK(b.other.arrivals.back().ok);
  CHECK(b.other.arrivals.back().length == 104);
  REQUIRE_FALSE(b.received.empty());
  CHECK(b.received.back() == b.for_us(200));
}
