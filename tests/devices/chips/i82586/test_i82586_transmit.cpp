// SPDX-License-Identifier: GPL-2.0-or-later
// The 82586's command unit transmits: chains of frames and buffers, status, collisions, underrun, abort.
#include "tests/devices/chips/i82586/i82586_bench.hpp"

using namespace planar;
using namespace planar::test;

TEST_CASE("chained frames are sent without the host", "[i82586][transmit]") {
  ethernet::I82586Timing fast;
  fast.clock_hz = 10'000'000;
  for (const auto& timing : {ethernet::I82586Timing{}, fast}) {
    I82586Bench b(timing);
    b.start_up();
    b.configure();
    b.start_nop_loop();
    const Bytes one = without_fcs(make_frame(1514, broadcast_mac, 1)),
                two = without_fcs(make_frame(1514, broadcast_mac, 2));
    b.send_after(0x40, 0x80, 0xC0, one, 0x3000);
    b.send_after(0xC0, 0x100, 0x140, two, 0x2800);
    b.step(3_ms);
    REQUIRE(b.log.entries.size() == 2);
    CHECK(without_fcs(b.log.entries[0].bytes) == one);
    CHECK(without_fcs(b.log.entries[1].bytes) == two);
    // The 10 MHz part is ready again within the interframe gap, the 8 MHz part 2 us too late.
    const Time gap = b.log.entries[1].start - b.log.entries[0].end;
    if (timing.clock_hz == 10'000'000)
      CHECK(gap == 9'600_ns);
    else
      CHECK((gap > 10_us && gap < 13_us));
  }
}

// The 8 MHz part begins 11.5 us after its own frame. The other station begins 9.6 us after it has heard the end of that
// frame, and is heard one propagation delay later: if the delay is short it is first, if it is long both begin.
TEST_CASE("a waiting station sends before the chained frame if near, and collides with it if far",
          "[i82586][transmit]") {
  for (const Time way : {100_ns, 500_ns, 900_ns, 1'000_ns, 2'000_ns}) {
    net::EthernetConfig wire;
    wire.propagation = way;
    I82586Bench b({}, true, wire);
    b.start_up();
    b.configure();
    b.start_nop_loop();
    b.send_after(0x40, 0x80, 0xC0, without_fcs(make_frame(1514, broadcast_mac, 1)), 0x3000);
    b.send_after(0xC0, 0x100, 0x140, without_fcs(make_frame(1514, broadcast_mac, 2)), 0x2800);
    b.step(300_us);
    b.other.port.transmit(b.for_us(66), b.now());  // an acknowledgement, ready in the middle of the first frame
    b.step(10_ms);
    const bool meet = b.segment.counters().collisions > 0;
    CHECK(meet == (way > 950_ns));
    CHECK(b.segment.counters().frames == 3);
    if (meet) continue;
    CHECK(b.log.entries.at(1).bytes.size() < 100);
    CHECK(b.log.entries.at(1).start == b.log.entries.at(0).end + way + 9'600_ns);
  }
}

TEST_CASE("a frame can be in several buffers, at odd addresses and of odd lengths", "[i82586][transmit]") {
  I82586Bench b;
  b.start_up();
  b.configure();
  const Bytes frame = without_fcs(make_frame(301));
  b.fill(0x3001, Bytes(frame.begin(), frame.begin() + 101));
  b.fill(0x2800, Bytes(frame.begin() + 101, frame.end()));
  b.w16(0x100, 101);
  b.w16(0x102, 0x110);
  b.w24(0x104, I82586Bench::base + 0x3001);
  b.w16(0x110, 0);  // an empty one in between
  b.w16(0x112, 0x120);
  b.w16(0x120, 0x8000 | 200);
  b.w24(0x124, I82586Bench::base + 0x2800);
  CHECK(b.run(I82586::transmit, {0x100}) == 0xA000);
  REQUIRE(b.log.entries.size() == 1);
  CHECK(without_fcs(b.log.entries[0].bytes) == frame);
}

TEST_CASE("with addresses in the command block the chip inserts its own address", "[i82586][transmit]") {
  I82586Bench b;
  b.start_up();
  b.configure(0, 0x40, 0x26);
  b.fill(0x3000, Bytes(50, 0xAB));
  b.w16(0x100, 0x8000 | 50);
  b.w24(0x104, I82586Bench::base + 0x3000);
  CHECK(b.run(I82586::transmit, {0x100, 0x0201, 0x0403, 0x0605, 0x0008}) == 0xA000);
  Bytes expected{1, 2, 3, 4, 5, 6};
  for (const std::uint8_t byte : b.mac) expected.push_back(byte);
  expected.push_back(8);
  expected.push_back(0);
  expected.insert(expected.end(), 50, 0xAB);
  CHECK(without_fcs(b.log.entries.at(0).bytes) == expected);
}

TEST_CASE("the status reports deferral, lost carrier and the heartbeat", "[i82586][transmit]") {
  I82586Bench b;
  b.start_up();
  b.configure();
  const Bytes frame = without_fcs(make_frame(60));
  CHECK(b.send(frame) == 0xA000);  // after a reset nothing has been heard yet
  CHECK(b.send(frame) == (0xA000 | I82586::HRT_BEAT));
  b.other.port.transmit(make_frame(1000), b.now());
  b.step(100_us);
  CHECK(b.send(frame) == (0xA000 | I82586::HRT_BEAT | I82586::DEFERRED));
  b.chip.port().set_plugged(false, b.now());
  b.step(20_us);
  CHECK(b.send(frame) == (I82586::C | I82586::HRT_BEAT | I82586::NO_CRS));
}

TEST_CASE("the low status bits count collisions; sixteen abort the frame", "[i82586][transmit]") {
  I82586Bench b;
  b.start_up();
  b.configure();
  const Bytes frame = without_fcs(make_frame(60));
  // Both wait for the end of the same frame and start at the end of the gap.
  b.other.to_send = {make_frame(60), make_frame(60)};
  b.other.port.transmit(make_frame(1514), b.now());
  b.step(100_us);
  const std::uint16_t status = b.send(frame);
  CHECK((status & I82586::OK) != 0);
  const unsigned collisions = status & 15;
  CHECK(collisions >= 1);
  CHECK(b.chip.counters().collisions == collisions);

  // CONFIGURE with retry number 0: the first collision exceeds the limit.
  b.run(I82586::configure, {0x080C, 0x2E40, 0x6000, 0x0200, 0, 0x0040});
  b.other.sent_next = 0;
  b.other.port.transmit(make_frame(1514), b.now());
  b.step(100_us);
  CHECK((b.send(frame) & (I82586::OK | I82586::MAX_COLL | 15)) == (I82586::MAX_COLL | 1));
}

TEST_CASE("a collision after the slot time is late and aborts the frame", "[i82586][transmit]") {
  I82586Bench b;
  b.begin_frame();
  Recorder deaf(b.scheduler, nullptr, "deaf", 9);
  deaf.port.attach(b.segment);
  deaf.port.transmit(make_frame(60), b.now());
  b.step(2_ms);
  CHECK((b.r16(0x80) & (I82586::C | I82586::OK | I82586::LATE_COLL)) == (I82586::C | I82586::LATE_COLL));
  CHECK(b.chip.parked());
  CHECK(b.chip.counters().transmit_errors == 1);
}

TEST_CASE("buffers too small for the DMA rate cause an underrun", "[i82586][transmit]") {
  I82586Bench b;
  b.start_up();
  b.configure();
  // One byte per descriptor: five bus words for 0.8 us on the wire.
  for (unsigned i = 0; i < 100; ++i) {
    const unsigned tbd = 0x1000 + 8 * i;
    b.w16(tbd, (i == 99 ? 0x8000 : 0) | 1);
    b.w16(tbd + 2, tbd + 8);
    b.w24(tbd + 4, I82586Bench::base + 0x3000 + i);
  }
  const std::uint16_t status = b.run(I82586::transmit, {0x1000});
  CHECK((status & (I82586::OK | I82586::UNDERRUN)) == I82586::UNDERRUN);
  REQUIRE(b.log.entries.size() == 1);
  CHECK_FALSE(b.log.entries[0].good);
  CHECK(b.log.entries[0].bytes.size() < 40);
}

TEST_CASE("empty buffers at the start use up the preamble, and the frame underruns without a byte",
          "[i82586][malformed]") {
  I82586Bench b;
  b.start_up();
  b.configure();
  for (unsigned i = 0; i < 5; ++i) {
    b.w16(0x100 + 8 * i, i == 4 ? 0x3FFF : 0);
    b.w16(0x102 + 8 * i, i == 4 ? 0x120 : 0x108 + 8 * i);
    b.w24(0x104 + 8 * i, I82586Bench::base + 0x3000);
  }
  const std::uint16_t status = b.run(I82586::transmit, {0x100});
  CHECK((status & (I82586::OK | I82586::UNDERRUN)) == I82586::UNDERRUN);
  REQUIRE(b.log.entries.size() == 1);
  CHECK(b.log.entries[0].bytes.empty());
  CHECK(b.log.entries[0].end - b.log.entries[0].start == 6'400_ns);
}

TEST_CASE("an endless chain of full buffers is cut by the serial interface's watchdog", "[i82586][malformed]") {
  I82586Bench b;
  b.start_up();
  b.configure();
  b.w16(0x100, 1000);
  b.w16(0x102, 0x100);
  b.w24(0x104, I82586Bench::base + 0x3000);
  b.block(0x40, I82586::transmit | I82586::EL, 0xFFFF, {0x100});
  b.w16(4, 0x40);
  b.scb_command(0x0100);
  b.step(24_ms);
  CHECK(b.cu() == 2);
  b.step(2_ms);
  CHECK(b.cu() == 0);
  CHECK((b.r16(0x40) & (I82586::OK | I82586::UNDERRUN)) == I82586::UNDERRUN);
}

TEST_CASE("an endless chain of empty buffers keeps the CU busy until it is aborted", "[i82586][malformed]") {
  I82586Bench b;
  b.start_up();
  b.configure();
  b.w16(0x100, 0);
  b.w16(0x102, 0x100);
  b.block(0x40, I82586::transmit | I82586::EL, 0xFFFF, {0x100});
  b.w16(4, 0x40);
  b.scb_command(0x0100);
  b.step(10_ms);
  CHECK(b.cu() == 2);
  CHECK(b.r16(0x40) == I82586::B);
  b.scb_command(0x0400);
  CHECK(b.cu() == 0);
  CHECK(b.r16(0x40) == (I82586::C | I82586::A));
  CHECK(b.send(without_fcs(make_frame(60))) == 0xA000);
}

TEST_CASE("abort truncates the frame on the wire; the next one waits for its end", "[i82586][transmit]") {
  I82586Bench b;
  b.begin_frame();
  b.scb_command(0x0400);
  CHECK(b.r16(0x80) == (I82586::C | I82586::A));
  CHECK((b.status() & 0xF000) == I82586::CNA);
  b.step(2_ms);
  REQUIRE(b.log.entries.size() == 1);
  CHECK_FALSE(b.log.entries[0].good);
  CHECK(b.send(without_fcs(make_frame(60))) == 0xA000);
}
