// SPDX-License-Identifier: GPL-2.0-or-later
// The station's own cable is pulled in mid-frame, in both directions, and frames longer than Ethernet's: for the chips
// whose own tests do not cover this (those of the Am7990, the SONIC and the bus masters do).
#include "tests/devices/chips/etherlink3/etherlink3_bench.hpp"
#include "tests/devices/chips/i82586/i82586_bench.hpp"
#include "tests/devices/ethernet/bench.hpp"

using namespace planar;
using namespace planar::test;
using ethernet::EtherLink3;
using ethernet::I82586;

namespace {

/// The other station has received the frame truncated, and has not taken it for complete.
void cut_for_the_other(const Recorder& other, std::size_t whole) {
  REQUIRE_FALSE(other.arrivals.empty());
  CHECK_FALSE(other.arrivals.back().ok);
  CHECK(other.arrivals.back().length < whole);
}

void start_frame(Ne2Bench& b, std::size_t bytes) {
  b.block_output(without_fcs(make_frame(bytes)), 0x40);
  b.trigger_send(static_cast<unsigned>(bytes), 0x40);
}

}  // namespace

TEST_CASE("DP8390: a cable pulled during transmission ends the frame with CRS set, and the next one is sound",
          "[dp8390][cable]") {
  Ne2Bench b;
  b.init(true);
  start_frame(b, 1514);
  b.step(500_us);
  b.ne2().chip().port().set_plugged(false, b.now());
  const Time pulled = b.now();
  while (!b.interrupt()) b.step(1_us);
  CHECK(b.now() - pulled > 600_us);  // the chip sends the frame to its end
  CHECK((b.in(7) & 0x0A) == Dp8390::PTX);
  CHECK((b.in(4) & Dp8390::CRS) != 0);
  CHECK(b.made.network->counters().sent == 0);
  b.out(7, 0xFF);
  cut_for_the_other(b.other, 1514);
  b.ne2().chip().port().set_plugged(true, b.now());
  start_frame(b, 100);
  b.step(1_ms);
  CHECK((b.in(4) & (Dp8390::TSR_PTX | Dp8390::CRS)) == Dp8390::TSR_PTX);
  CHECK(b.other.arrivals.back().ok);
}

TEST_CASE("DP8390: a cable pulled during reception is an error, stores nothing, and the next frame is complete",
          "[dp8390][cable]") {
  Ne2Bench b;
  b.init(true);
  b.other.port.transmit(b.for_us(1000), b.now());
  b.step(300_us);
  b.ne2().chip().port().set_plugged(false, b.now());
  b.step(100_us);
  CHECK((b.in(7) & (Dp8390::PRX | Dp8390::RXE)) == Dp8390::RXE);
  CHECK((b.in(0xC) & Dp8390::RSR_CRC) != 0);
  CHECK(b.in(0xD) + b.in(0xE) >= 1);
  b.step(1_ms);
  b.out(7, 0xFF);
  b.ne2().chip().port().set_plugged(true, b.now());
  b.hear(b.for_us(200));
  const auto frames = b.receive();
  REQUIRE(frames.size() == 1);
  CHECK(frames[0].bytes == without_fcs(b.for_us(200)));
}

TEST_CASE("82586: a cable pulled during transmission reports no carrier, and the chain continues", "[i82586][cable]") {
  I82586Bench b;
  b.start_up();
  b.configure();
  b.start_nop_loop();
  const Bytes one = without_fcs(make_frame(1514, broadcast_mac, 1)),
              two = without_fcs(make_frame(100, broadcast_mac, 2));
  b.send_after(0x40, 0x80, 0xC0, one, 0x3000);
  b.step(500_us);
  b.chip.port().set_plugged(false, b.now());
  b.step(2_ms);
  CHECK((b.r16(0x80) & (I82586::C | I82586::NO_CRS)) == (I82586::C | I82586::NO_CRS));
  CHECK((b.r16(0x80) & 0x2000) == 0);  // not OK
  cut_for_the_other(b.other, 1514);
  b.chip.port().set_plugged(true, b.now());
  b.send_after(0xC0, 0x100, 0x140, two, 0x2800);
  b.step(2_ms);
  CHECK((b.r16(0x100) & 0xA000) == 0xA000);
  CHECK(b.other.arrivals.back().ok);
}

TEST_CASE("82586: an overlong frame fills as many buffers as it needs; a runt leaves them for the next frame",
          "[i82586][receive]") {
  I82586Bench b;
  b.start_up();
  b.configure();
  b.receive_area();
  b.hear(b.for_us(3000, 5));
  CHECK(b.rfd(0) == 0xA000);
  CHECK(b.rbd(0) == (0x4000 | 1524));
  CHECK(b.rbd(1) == (0xC000 | (3000 - 1524)));
  CHECK(b.bytes(I82586Bench::buffers, 3000) == without_fcs(b.for_us(3000, 5)));
  b.hear(b.for_us(20));
  CHECK(b.rfd(1) == 0);
  b.hear(b.for_us(100, 9));
  CHECK(b.rfd(1) == 0xA000);
  CHECK(b.rfd(1, 6) == I82586Bench::rbds + 12 * 2);
  CHECK(b.buffer(2, 100) == without_fcs(b.for_us(100, 9)));
}

TEST_CASE("EtherLink III: a cable pulled during transmission is counted as lost carrier, and the FIFO continues",
          "[etherlink3][cable]") {
  El3Bench b;
  b.open();
  b.start_xmit(El3Bench::data(1514));
  b.step(500_us);
  b.chip().port().set_plugged(false, b.now());
  b.step(2_ms);
  CHECK(b.made.network->counters().sent == 0);
  CHECK(b.counter(0) == 1);
  cut_for_the_other(b.other, 1514);
  b.chip().port().set_plugged(true, b.now());
  b.fill(El3Bench::data(100));
  b.step(1_ms);
  CHECK(b.other.arrivals.back().ok);
  CHECK(b.made.network->counters().sent == 1);
}

TEST_CASE(
    "EtherLink III: a cable pulled during reception is an error that the driver discards; the next frame is complete",
    "[etherlink3][cable]") {
  El3Bench b;
  b.open();
  b.other.port.transmit(b.for_us(1000), b.now());
  b.step(300_us);
  b.chip().port().set_plugged(false, b.now());
  b.step(100_us);
  CHECK((b.rx_status() & EtherLink3::RxError) != 0);
  b.serve();
  b.step(1_ms);
  b.chip().port().set_plugged(true, b.now());
  b.received.clear();
  b.hear(b.for_us(100));
  b.serve();
  REQUIRE(b.received.size() == 1);
  CHECK(b.received[0].bytes == without_fcs(b.for_us(100)));
}
