// SPDX-License-Identifier: GPL-2.0-or-later
// The chip beyond what a correct driver sees: errors, tallies, stop and start, loopback, special cases of remote DMA.
#include "tests/devices/ethernet/bench.hpp"

using namespace planar;
using namespace planar::test;

namespace {

void send(Ne2Bench& b, std::size_t bytes = 60) {
  b.block_output(without_fcs(make_frame(bytes)), 0x40);
  b.trigger_send(static_cast<unsigned>(bytes), 0x40);
}

}  // namespace

TEST_CASE("a frame with a CRC error is counted and reported, but not kept", "[dp8390]") {
  Ne2Bench b;
  b.init(true);
  b.hear(damaged(b.for_us(100)));
  CHECK((b.in(7) & 0x3F) == Dp8390::RXE);
  CHECK(b.in(0xC) == Dp8390::RSR_CRC);
  CHECK(b.receive().empty());
  CHECK(b.in(0xD) == 0);
  CHECK(b.in(0xE) == 1);
  CHECK(b.in(0xE) == 0);  // cleared by reading
  // The next good frame takes its place.
  b.hear(b.for_us(100));
  CHECK(b.receive().size() == 1);
}

TEST_CASE("with RCR.SEP a frame with an error is kept with its status", "[dp8390]") {
  Ne2Bench b;
  b.init(true);
  b.out(0xC, 0x05);
  b.hear(damaged(b.for_us(100)));
  CHECK((b.in(7) & 0x3F) == Dp8390::RXE);
  const auto frames = b.receive();
  REQUIRE(frames.size() == 1);
  CHECK(frames[0].status == Dp8390::RSR_CRC);
  CHECK(frames[0].bytes == without_fcs(damaged(b.for_us(100))));
}

TEST_CASE("a frame truncated between bytes is an alignment error", "[dp8390]") {
  Ne2Bench b;
  b.init(true);
  b.other.port.transmit(b.for_us(1000), b.now());
  b.step(300'350_ns);
  b.other.port.set_plugged(false, b.now());
  b.step(100_us);
  CHECK((b.in(0xC) & 0x07) == (Dp8390::RSR_CRC | Dp8390::FAE));
  CHECK(b.in(0xD) == 1);
  CHECK(b.in(0xE) == 0);
}

TEST_CASE("runts are rejected silently unless RCR.AR accepts them", "[dp8390]") {
  Ne2Bench b;
  b.init(true);
  b.hear(b.for_us(40));
  CHECK(b.in(7) == 0);
  b.out(0xC, 0x06);
  b.hear(b.for_us(40));
  CHECK((b.in(7) & 0x3F) == Dp8390::PRX);
  CHECK(b.header(b.current_page).count == 44);
}

TEST_CASE("an overlong frame is received completely", "[dp8390]") {
  Ne2Bench b;
  b.init(true);
  b.hear(b.for_us(3000));
  const auto frames = b.receive();
  REQUIRE(frames.size() == 1);
  CHECK(frames[0].bytes.size() == 3000);
}

TEST_CASE("monitor mode counts frames for this station and stores none", "[dp8390]") {
  Ne2Bench b;
  b.init(true);
  b.out(0xC, 0x24);
  b.hear(b.for_us(100));
  b.hear(make_frame(100, {0x00, 1, 2, 3, 4, 5}));
  CHECK((b.in(0xC) & 0x7F) == (Dp8390::MPA | Dp8390::DIS));
  CHECK(b.in(0xF) == 1);
  CHECK(b.receive().empty());
  b.out(0xC, 0x04);
  CHECK_FALSE(b.in(0xC) & Dp8390::DIS);
}

TEST_CASE("tally counters stop at 192 and CNT rises with their top bit", "[dp8390]") {
  Ne2Bench b;
  b.init(true);
  b.out(0xC, 0x24);
  for (int i = 0; i < 127; ++i) b.hear(b.for_us(60));
  CHECK_FALSE(b.in(7) & Dp8390::CNT);
  b.hear(b.for_us(60));
  CHECK((b.in(7) & Dp8390::CNT) != 0);
  CHECK(b.interrupt());
  for (int i = 0; i < 100; ++i) b.hear(b.for_us(60));
  CHECK(b.in(0xF) == 192);
  CHECK(b.in(0xF) == 0);
  b.out(7, 0x3F);
  CHECK_FALSE(b.interrupt());
}

TEST_CASE("IMR masks causes without clearing them; RST and RDC do not drive the interrupt pin under Linux",
          "[dp8390]") {
  Ne2Bench b;
  b.init(true);
  b.out(0xF, 0);
  b.hear(b.for_us(60));
  CHECK_FALSE(b.interrupt());
  CHECK((b.in(7) & Dp8390::PRX) != 0);
  b.out(0xF, 0x3F);
  CHECK(b.interrupt());
  b.out(7, 0x01);
  CHECK_FALSE(b.interrupt());
  b.block_input(4, 0x4C00);
  b.out(0xF, 0xFF);
  b.out(0, 0x21);
  CHECK((b.in(7) & Dp8390::RST) != 0);
  CHECK_FALSE(b.interrupt());
}

TEST_CASE("a stop lets the frame on the wire finish and keeps its cause, then RST is set", "[dp8390]") {
  Ne2Bench b;
  b.init(true);
  send(b, 1514);
  b.step(200_us);
  b.out(0, 0x21);
  CHECK_FALSE(b.in(7) & Dp8390::RST);
  CHECK((b.in(0) & 0x04) != 0);
  b.step(2_ms);
  CHECK((b.in(7) & (Dp8390::RST | Dp8390::PTX)) == (Dp8390::RST | Dp8390::PTX));
  CHECK(b.log.entries.at(0).good);
  CHECK_FALSE(b.in(0) & 0x04);
}

TEST_CASE("a stop drops a frame that waits for the medium, without a status", "[dp8390]") {
  Ne2Bench b;
  b.init(true);
  b.other.port.transmit(make_frame(1514, {0x00, 1, 2, 3, 4, 5}), b.now());
  b.step(100_us);
  send(b);
  b.out(0, 0x21);
  CHECK((b.in(7) & (Dp8390::RST | Dp8390::PTX | Dp8390::TXE)) == Dp8390::RST);
  CHECK_FALSE(b.in(0) & 0x04);
  b.step(5_ms);
  CHECK(b.log.entries.size() == 1);
  // The driver's path for a retransmission: start and TXP in one write.
  b.out(0, 0x26);
  b.step(1_ms);
  CHECK(b.log.entries.size() == 2);
  CHECK((b.in(7) & Dp8390::PTX) != 0);
}

TEST_CASE("a started chip keeps STA while STP is set", "[dp8390]") {
  Ne2Bench b;
  b.init(true);
  b.out(0, 0x21);
  CHECK((b.in(0) & 0x03) == 0x03);
  b.hear(b.for_us(60));
  CHECK(b.in(7) == Dp8390::RST);  // nothing received
  b.out(0, 0x22);
  CHECK((b.in(0) & 0x03) == 0x02);
  CHECK(b.in(7) == 0);
}

TEST_CASE("a frame that begins while the chip is stopped is not received", "[dp8390]") {
  Ne2Bench b;
  b.init(true);
  b.out(0, 0x21);
  b.other.port.transmit(b.for_us(500), b.now());
  b.step(100_us);
  b.out(0, 0x22);
  b.step(2_ms);
  CHECK(b.receive().empty());
}

TEST_CASE("collisions set NCR and TSR.COL, and the frame is sent", "[dp8390]") {
  Ne2Bench b;
  b.init(true);
  b.block_output(without_fcs(make_frame(200)), 0x40);
  // Both wait for the end of a third station's frame.
  Recorder third(b.rig.scheduler, &b.segment, "third", 4);
  third.port.transmit(make_frame(500, {0x00, 1, 2, 3, 4, 5}), b.now());
  b.step(50_us);
  b.other.port.transmit(make_frame(200, {0x00, 1, 2, 3, 4, 6}), b.now());
  b.trigger_send(200, 0x40);
  b.step(100_ms);
  const unsigned collisions = b.in(5);
  CHECK(collisions >= 1);
  CHECK(b.in(4) == (Dp8390::TSR_PTX | Dp8390::COL));  // deferred, so ND is 0
  CHECK((b.in(7) & 0x0A) == Dp8390::PTX);
  CHECK(b.ne2().chip().counters().collisions == collisions);
}

TEST_CASE("sixteen collisions set ABT and TXE, and NCR wraps to 0", "[dp8390]") {
  Ne2Bench b;
  b.init(true);
  b.block_output(without_fcs(make_frame(1514)), 0x40);
  RelentlessSender other(b.rig.scheduler, b.segment);
  other.port.transmit(make_frame(1514), b.now());
  b.step(100_us);
  b.trigger_send(1514, 0x40);
  b.step(10_s);
  CHECK((b.in(7) & (Dp8390::PTX | Dp8390::TXE)) == Dp8390::TXE);
  CHECK(b.in(4) == (Dp8390::ABT | Dp8390::COL));
  CHECK(b.in(5) == 0);
  CHECK_FALSE(b.in(0) & 0x04);
}

TEST_CASE("without a cable the frame takes its time, and CRS reports lost carrier", "[dp8390]") {
  Ne2Bench b({}, false);
  b.init(true);
  send(b);
  const Time start = b.now();
  while (!b.interrupt()) b.step(1_us);
  CHECK(b.now() - start >= 57'600_ns);
  CHECK((b.in(7) & 0x0A) == Dp8390::PTX);
  CHECK((b.in(4) & (Dp8390::TSR_PTX | Dp8390::CRS)) == (Dp8390::TSR_PTX | Dp8390::CRS));
  CHECK(b.made.network->counters().sent == 0);
}

TEST_CASE("transmit status and PTX follow the heartbeat window, 6.4 us after the last bit", "[dp8390]") {
  Ne2Bench b;
  b.init(true);
  send(b);
  b.out(0xF, Dp8390::PTX);
  while (b.log.entries.empty()) b.step(100_ns);
  const Time end = b.log.entries[0].end;
  b.until(end + 5_us);
  CHECK_FALSE(b.interrupt());
  CHECK((b.in(0) & 0x04) != 0);
  b.until(end + 6'390_ns);
  CHECK_FALSE(b.interrupt());
  b.until(end + 6'400_ns);
  CHECK(b.interrupt());
  CHECK((b.in(0) & 0x04) == 0);
  CHECK((b.in(7) & 0x0A) == Dp8390::PTX);
  CHECK((b.in(4) & Dp8390::TSR_PTX) != 0);
}

TEST_CASE("a stop within the heartbeat window: the status is still set, then RST", "[dp8390]") {
  Ne2Bench b;
  b.init(true);
  send(b);
  while (b.log.entries.empty()) b.step(100_ns);
  b.out(0, 0x21);
  CHECK((b.in(7) & (Dp8390::RST | Dp8390::PTX)) == 0);
  b.step(10_us);
  CHECK((b.in(7) & (Dp8390::RST | Dp8390::PTX)) == (Dp8390::RST | Dp8390::PTX));
  CHECK((b.in(4) & Dp8390::TSR_PTX) != 0);
}

TEST_CASE("a late collision is reported and the frame is retransmitted", "[dp8390]") {
  Ne2Bench b;
  b.init(true);
  send(b, 1514);
  b.step(500_us);
  Recorder deaf(b.rig.scheduler, nullptr, "deaf", 9);
  deaf.port.attach(b.segment);
  deaf.port.transmit(make_frame(60, {0x00, 1, 2, 3, 4, 5}), b.now());
  b.step(100_ms);
  CHECK((b.in(4) & (Dp8390::OWC | Dp8390::TSR_PTX)) == (Dp8390::OWC | Dp8390::TSR_PTX));
  CHECK(b.in(5) == 1);
}

TEST_CASE("a reset in mid-frame truncates the frame, and the next one is sound", "[dp8390]") {
  Ne2Bench b;
  b.init(true);
  send(b, 1514);
  b.step(200_us);
  b.out(0x20, b.in(0x20));
  b.init(true);
  send(b, 100);
  b.step(5_ms);
  REQUIRE(b.log.entries.size() == 2);
  CHECK_FALSE(b.log.entries[0].good);
  CHECK(b.log.entries[1].good);
  CHECK((b.in(7) & 0x0A) == Dp8390::PTX);
}

TEST_CASE("a local bus denied for too long causes FIFO overrun or underrun", "[dp8390]") {
  Ne2Bench b;
  b.init(true);
  b.other.port.transmit(b.for_us(1000), b.now());
  b.step(300_us);
  b.ne2().chip().local_bus_denied(b.now() - 6_us, b.now());  // eight bytes take 6.4 us: the FIFO holds them
  b.step(2_ms);
  CHECK(b.receive().size() == 1);
  b.other.port.transmit(b.for_us(1000), b.now());
  b.step(300_us);
  b.ne2().chip().local_bus_denied(b.now() - 7_us, b.now());
  b.step(2_ms);
  CHECK((b.in(7) & Dp8390::RXE) != 0);
  CHECK((b.in(0xC) & Dp8390::FO) != 0);
  b.out(7, 0xFF);
  send(b, 1000);
  b.step(300_us);
  b.ne2().chip().local_bus_denied(b.now() - 7_us, b.now());
  b.step(2_ms);
  CHECK((b.in(7) & 0x0A) == Dp8390::TXE);
  CHECK((b.in(4) & Dp8390::FU) != 0);
}

TEST_CASE("loopback sets TSR, RSR and ISR as in the data sheet's tables", "[dp8390][loopback]") {
  Ne2Bench b;
  b.init(true);
  const auto loop = [&](unsigned tcr, const Bytes& frame) {
    b.out(0, 0x21);
    b.out(0xE, 0x40);  // byte transfers, loopback
    b.out(0xC, 0x1F);
    b.out(0xD, tcr);
    b.out(0, 0x22);
    b.out(7, 0xFF);
    b.remote(static_cast<unsigned>(frame.size()), 0x4000);
    b.out(0, 0x12);
    for (std::uint8_t byte : frame) b.out(0x10, byte);
    b.out(5, static_cast<unsigned>(frame.size()));
    b.out(6, 0);
    b.out(4, 0x40);
    b.out(7, 0xFF);
    b.out(0, 0x26);
    b.step(1_ms);
    return std::tuple(int{b.in(4)}, int{b.in(0xC)}, int{b.in(7)});
  };
  const Bytes body = without_fcs(b.for_us(60)), with_crc = b.for_us(60);
  CHECK(loop(0x02, body) == std::tuple(0x53, 0x02, 0x02));
  CHECK(loop(0x04, body) == std::tuple(0x43, 0x02, 0x02));
  CHECK(b.log.entries.empty());  // nothing has been sent
  CHECK(loop(0x03, with_crc) == std::tuple(0x53, 0x01, 0x02));
  // The FIFO's last bytes: 64 bytes are eight times round, then the count is in the first three positions.
  CHECK(b.in(6) == 64);
  CHECK(b.in(6) == 0);
  CHECK(b.in(6) == 0);
  CHECK(b.in(6) == with_crc[59]);
  CHECK(b.in(6) == with_crc[60]);
  CHECK(loop(0x03, damaged(with_crc)) == std::tuple(0x53, 0x02, 0x02));
  b.out(0xC, 0x00);
  CHECK(std::get<1>(loop(0x03, with_crc)) == 0x01);
  CHECK(std::get<0>(loop(0x06, body)) == 0x03);  // through the transceiver
  CHECK(b.log.entries.size() == 1);
}

TEST_CASE("in loopback no frame from the wire is stored in the ring", "[dp8390][loopback]") {
  Ne2Bench b;
  b.init(true);
  b.out(0xD, 0x02);
  b.hear(b.for_us(60));
  CHECK(b.receive().empty());
  CHECK(b.in(7) == 0);
}

TEST_CASE("byte mode moves one byte per access", "[dp8390][remote]") {
  Ne2Bench b;
  b.init(true);
  b.out(0xE, 0x48);
  b.remote(5, 0x4001);
  b.out(0, 0x12);
  for (unsigned i = 0; i < 5; ++i) b.out(0x10, 0xA0 + i);
  b.step(1_us);
  CHECK((b.in(7) & 0x40) != 0);
  b.out(7, 0x40);
  b.remote(5, 0x4001);
  b.out(0, 0x0A);
  for (unsigned i = 0; i < 5; ++i) CHECK(b.in(0x10) == 0xA0 + i);
  CHECK(b.in(8) == 0x06);  // CRDA
  CHECK(b.in(9) == 0x40);
  CHECK((b.in(7) & 0x40) != 0);
  const std::uint8_t last = b.in(0x10);
  CHECK(last == 0xA4);  // nothing in progress: the latch keeps its contents
}

TEST_CASE("a remote read beyond PSTOP continues at PSTART", "[dp8390][remote]") {
  Ne2Bench b;
  b.init(true);
  b.block_output(Bytes{1, 2, 3, 4}, 0x4C);
  b.remote(2, 0x7FFE);
  b.out(0, 0x12);
  b.data_out(0xBBAA);
  b.step(1_us);
  CHECK(b.block_input(6, 0x7FFE) == Bytes{0xAA, 0xBB, 1, 2, 3, 4});
}

TEST_CASE("the abort command ends a remote DMA; a count of zero completes at once", "[dp8390][remote]") {
  Ne2Bench b;
  b.init(true);
  b.remote(100, 0x4000);
  b.out(0, 0x12);
  b.data_out(0x1111);
  b.out(0, 0x22);
  b.data_out(0x2222);
  CHECK_FALSE(b.in(7) & 0x40);
  CHECK(b.block_input(4, 0x4000) == Bytes{0x11, 0x11, 0, 0});
  b.remote(0, 0x4000);
  b.out(0, 0x12);
  CHECK((b.in(7) & 0x40) != 0);
}

TEST_CASE("send packet reads the next frame automatically and advances BNRY", "[dp8390][remote]") {
  Ne2Bench b;
  b.init(true);
  b.out(0, 0x60);
  b.out(0, 0x20);
  b.out(3, 0x4C);  // for this command BNRY points to the frame itself
  b.out(0, 0x61);
  b.out(7, 0x4C);
  b.out(0, 0x22);
  const Bytes frame = b.for_us(100);
  b.hear(frame);
  b.out(0xE, 0x59);
  b.out(0, 0x1A);
  Bytes got;
  while (!(b.in(7) & 0x40)) {
    const unsigned w = b.data_in();
    got.push_back(static_cast<std::uint8_t>(w));
    got.push_back(static_cast<std::uint8_t>(w >> 8));
    REQUIRE(got.size() < 300);
  }
  CHECK(got.size() == 104);
  CHECK(got[0] == 0x01);
  CHECK(got[1] == 0x4D);
  CHECK(std::equal(got.begin() + 4, got.end(), frame.begin()));
  CHECK(b.in(3) == 0x4D);
}

TEST_CASE("page 2 reads the configuration", "[dp8390]") {
  Ne2Bench b;
  b.init(true);
  b.out(0, 0xA2);
  CHECK(b.in(1) == Ne2Bench::rx_page);
  CHECK(b.in(2) == Ne2Bench::stop_page);
  CHECK(b.in(4) == Ne2Bench::tx_page);
  CHECK(b.in(0xC) == (0xC0 | 0x04));
  CHECK(b.in(0xD) == 0xE0);
  CHECK(b.in(0xE) == (0x80 | 0x49));
  CHECK(b.in(0xF) == (0x80 | 0x3F));
  b.out(0, 0x22);
  CHECK(b.in(3) == Ne2Bench::stop_page - 1);
}

TEST_CASE("CLDA follows a frame while it arrives", "[dp8390]") {
  Ne2Bench b;
  b.init(true);
  b.other.port.transmit(b.for_us(1514), b.now());
  b.step(500_us);
  const unsigned early = b.in(1) | b.in(2) << 8;
  b.step(500_us);
  const unsigned late = b.in(1) | b.in(2) << 8;
  // In bursts of eight bytes; 500 us are 625 byte times.
  CHECK(early >= 0x4C04 + 600);
  CHECK(late - early >= 617);
  CHECK(late - early <= 633);
}

TEST_CASE("peeking at the registers has no side effects", "[dp8390]") {
  Ne2Bench b;
  b.init(true);
  b.hear(damaged(b.for_us(60)));
  Archive before = Archive::saver();
  b.archive(before);
  for (unsigned reg = 0; reg < 0x30; ++reg) b.rig.bus.io().peek(static_cast<std::uint16_t>(0x1000 + reg), b.rig.now);
  Archive after = Archive::saver();
  b.archive(after);
  CHECK(before.stream() == after.stream());
  CHECK(b.rig.bus.io().peek(0x100E, b.rig.now) == 1);
  CHECK(b.in(0xE) == 1);
}

TEST_CASE("an invalid ring configuration does no harm", "[dp8390]") {
  Random random(12345);
  Ne2Bench b;
  b.init(true);
  for (int round = 0; round < 300; ++round) {
    for (int i = 0; i < 20; ++i) {
      const auto reg = static_cast<unsigned>(random.below(0x30));
      if (reg < 0x20)
        b.out(reg, static_cast<unsigned>(random.below(256)));
      else if (random.below(20) == 0)
        b.out(reg, 0);
      b.in(static_cast<unsigned>(random.below(0x20)));
    }
    b.out(0, 0x22 | (random.below(4) == 0 ? 4 : 0));
    b.hear(make_frame(60 + random.below(1500), broadcast_mac, static_cast<std::uint8_t>(round)));
  }
  // The card works again for a driver that starts over.
  b.step(200_ms);
  CHECK(b.probe());
  CHECK(b.init(true));
  b.hear(b.for_us(60));
  CHECK(b.receive().size() == 1);
}
