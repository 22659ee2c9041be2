// SPDX-License-Identifier: GPL-2.0-or-later
// EtherLink III: TX FIFO, thresholds, collisions, underrun and overrun, carrier.
#include "tests/devices/chips/etherlink3/etherlink3_bench.hpp"

using namespace planar;
using namespace planar::test;

TEST_CASE("the chip pads short frames to the Ethernet minimum", "[etherlink3][transmit]") {
  El3Bench b;
  b.open();
  b.fill(El3Bench::data(20));
  b.fill({});
  b.step(1_ms);
  REQUIRE(b.log.entries.size() == 2);
  CHECK(b.log.entries[0].bytes.size() == 64);
  CHECK(b.log.entries[0].good);
  CHECK(b.log.entries[1].bytes.size() == 64);
  CHECK(b.tx_free() == El3Bench::room);
}

TEST_CASE("a packet leaves a status on request, and its FCS can be suppressed", "[etherlink3][transmit]") {
  El3Bench b;
  b.open();
  b.fill(El3Bench::data(60), EtherLink3::Notify);
  b.fill(El3Bench::data(64), EtherLink3::NoCrc);
  b.step(1_ms);
  CHECK(b.interrupt());
  CHECK((b.status() & EtherLink3::TxComplete) != 0);
  CHECK(b.in(0xB) == 0xC0);
  CHECK(b.in(0xB) == 0xC0);  // reading does not pop
  b.out(0xB, 0);
  CHECK(b.in(0xB) == 0);
  CHECK_FALSE(b.status() & EtherLink3::TxComplete);
  REQUIRE(b.log.entries.size() == 2);
  CHECK(b.log.entries[1].bytes == El3Bench::data(64));
}

TEST_CASE("the thirty-second status overflows the stack and stops the transmitter", "[etherlink3][transmit]") {
  El3Bench b;
  b.open();
  for (unsigned n = 0; n < 33; ++n) {
    b.fill(El3Bench::data(60), EtherLink3::Notify);
    b.step(100_us);
  }
  CHECK(b.log.entries.size() == 32);
  for (unsigned n = 1; n < 31; ++n) {
    CHECK(b.in(0xB) == 0xC0);
    b.out(0xB, 0);
  }
  CHECK(b.in(0xB) == 0xC4);
  b.pop_tx_status();  // Linux enables the transmitter again
  b.step(1_ms);
  CHECK(b.log.entries.size() == 33);
}

TEST_CASE("a disabled transmitter keeps its packets", "[etherlink3][transmit]") {
  El3Bench b;
  b.open();
  b.command(EtherLink3::TxDisable);
  b.fill(El3Bench::data(100));
  b.step(1_ms);
  CHECK(b.log.entries.empty());
  b.command(EtherLink3::TxEnable);
  b.step(1_ms);
  CHECK(b.log.entries.size() == 1);
}

TEST_CASE("TX Available is set once per threshold command, at once if there is room", "[etherlink3][transmit]") {
  El3Bench b;
  b.open();
  b.command(EtherLink3::SetTxAvailable, 1536);
  CHECK((b.status() & EtherLink3::TxAvailable) != 0);
  b.command(EtherLink3::AcknowledgeInterrupt, 0x09);
  CHECK_FALSE(b.status() & EtherLink3::TxAvailable);
  b.fill(El3Bench::data(1514));
  b.step(2_ms);
  CHECK_FALSE(b.status() & EtherLink3::TxAvailable);
  b.command(EtherLink3::SetTxAvailable, 2044);  // never
  CHECK_FALSE(b.status() & EtherLink3::TxAvailable);
}

TEST_CASE("with TX Start Threshold a frame starts early, and is complete if the host keeps up",
          "[etherlink3][transmit]") {
  El3Bench b;
  b.open();
  b.command(EtherLink3::SetTxStart, 64);
  const Bytes frame = El3Bench::data(1514);
  const Time start = b.now();
  b.fill(frame, EtherLink3::Notify);
  b.step(2_ms);
  REQUIRE(b.log.entries.size() == 1);
  CHECK(b.log.entries[0].start - start < 10_us);
  CHECK(b.log.entries[0].good);
  CHECK(without_fcs(b.log.entries[0].bytes) == frame);
  CHECK(b.in(0xB) == 0xC0);
}

TEST_CASE("an underrun truncates the frame, and the driver's reset recovers", "[etherlink3][transmit]") {
  El3Bench b;
  b.open();
  b.command(EtherLink3::SetTxStart, 64);
  b.outw(0, 1000);
  b.outw(0, 0);
  for (unsigned i = 0; i < 50; ++i) b.outw(0, 0x5555);
  b.step(1_ms);
  REQUIRE(b.log.entries.size() == 1);
  CHECK_FALSE(b.log.entries[0].good);
  CHECK(b.log.entries[0].bytes.size() == 100);
  CHECK(b.interrupt());
  CHECK(b.in(0xB) == 0x90);
  b.command(EtherLink3::TxEnable);  // not enough
  b.window(4);
  CHECK((b.inw(6) & (EtherLink3::TxEnabled | EtherLink3::TxResetRequired)) == EtherLink3::TxResetRequired);
  b.window(1);
  b.serve();
  CHECK(b.popped == Bytes{0x90});
  CHECK(b.tx_free() == El3Bench::room);
  b.start_xmit(El3Bench::data(100));
  b.step(1_ms);
  CHECK(b.log.entries.back().good);
}

TEST_CASE("writing to a full FIFO is an adapter failure, which TX Reset clears", "[etherlink3][transmit]") {
  El3Bench b;
  b.open();
  b.outw(0, 2047);
  b.outw(0, 0);
  for (unsigned i = 0; i < 1100; ++i) b.outw(0, i);
  CHECK(b.tx_free() == 0);
  CHECK((b.status() & EtherLink3::AdapterFailure) != 0);
  CHECK((b.fifo_diagnostics() & EtherLink3::TxOverrun) != 0);
  b.step(5_ms);
  CHECK(b.log.entries.empty());
  b.command(EtherLink3::TxReset);
  b.command(EtherLink3::TxEnable);
  CHECK_FALSE(b.status() & EtherLink3::AdapterFailure);
  b.fill(El3Bench::data(60));
  b.step(1_ms);
  CHECK(b.log.entries.size() == 1);
}

TEST_CASE("after sixteen collisions the frame is dropped and the transmitter waits for TX Enable",
          "[etherlink3][transmit]") {
  El3Bench b;
  b.open();
  RelentlessSender other(b.rig.scheduler, b.segment);
  other.port.transmit(make_frame(1514), b.now());
  b.step(100_us);
  b.fill(El3Bench::data(1514));
  while (!(b.status() & EtherLink3::TxComplete)) b.step(1_ms);
  CHECK(b.in(0xB) == 0x88);
  CHECK(b.tx_free() == El3Bench::room);
  CHECK(b.chip().counters().collisions == 16);
  other.port.detach();
  b.serve();
  CHECK(b.popped == Bytes{0x88});
  b.start_xmit(El3Bench::data(60));
  b.step(5_ms);
  CHECK(b.log.entries.back().good);
}

TEST_CASE("single, multiple and late collisions are counted separately", "[etherlink3][transmit]") {
  El3Bench b;
  b.open();
  Recorder deaf(b.rig.scheduler, nullptr, "deaf", 9);
  b.fill(El3Bench::data(1514));
  b.step(10_us);
  deaf.port.attach(b.segment);  // attached too late to hear it
  deaf.port.transmit(make_frame(60, {0x00, 1, 2, 3, 4, 5}), b.now());
  b.step(20_ms);
  CHECK(b.counter(3) == 1);
  CHECK(b.counter(2) == 0);
  CHECK(b.counter(4) == 0);
  deaf.port.detach();
  b.fill(El3Bench::data(1514));
  b.step(500_us);
  deaf.port.attach(b.segment);
  deaf.port.transmit(make_frame(60, {0x00, 1, 2, 3, 4, 5}), b.now());
  b.step(20_ms);
  CHECK(b.counter(4) == 1);  // late, but sent again nevertheless
  CHECK(b.in(0xB) == 0);
  CHECK(b.made.network->counters().sent == 2);
}

TEST_CASE("TX Reset in mid-frame truncates the frame; the next one is sound", "[etherlink3][transmit]") {
  El3Bench b;
  b.open();
  b.fill(El3Bench::data(1514));
  b.step(300_us);
  b.command(EtherLink3::TxReset);
  b.command(EtherLink3::TxEnable);
  CHECK(b.tx_free() == El3Bench::room);
  b.fill(El3Bench::data(100));
  b.step(5_ms);
  REQUIRE(b.log.entries.size() == 2);
  CHECK_FALSE(b.log.entries[0].good);
  CHECK(b.log.entries[1].good);
  CHECK(without_fcs(b.log.entries[1].bytes) == El3Bench::data(100));
}

TEST_CASE("carrier loss is counted without a cable or with the coax transceiver off", "[etherlink3][transmit]") {
  El3Bench unplugged({}, false), off;
  unplugged.open();
  off.open();
  off.command(EtherLink3::StopCoax);
  for (El3Bench* b : {&unplugged, &off}) {
    b->start_xmit(El3Bench::data(1514));
    b->step(1'230_us);
    CHECK(b->interrupt());
    CHECK(b->counter(0) == 1);
    CHECK(b->counter(6) == 0);
    CHECK(b->in(0xB) == 0);
    CHECK(b->made.network->counters().sent == 0);
  }
  off.hear(off.for_us(60));
  CHECK(off.rx_status() == 0x8000);
  off.command(EtherLink3::StartCoax);
  off.hear(off.for_us(60));
  CHECK(off.rx_status() == 60);
}

TEST_CASE("link beat shows whether a twisted-pair cable is plugged", "[etherlink3]") {
  El3Bench b({{"adapter_id", "627d"}}, true, EtherLink3::TwistedPair);
  b.open(EtherLink3::TwistedPair);
  b.window(4);
  CHECK((b.inw(0xA) & 0x88C0) == 0x88C0);
  b.chip().port().set_plugged(false, b.now());
  CHECK((b.inw(0xA) & 0x88C0) == 0x80C0);
  b.window(1);
  b.chip().port().set_plugged(true, b.now());
  b.start_xmit(El3Bench::data(60));
  b.step(1_ms);
  CHECK(b.other.arrivals.size() == 1);
}
