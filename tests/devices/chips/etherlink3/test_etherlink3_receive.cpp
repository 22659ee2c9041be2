// SPDX-License-Identifier: GPL-2.0-or-later
// EtherLink III: RX FIFO, address filter, errors, overruns and underrun, early receive, discard.
#include "tests/devices/chips/etherlink3/etherlink3_bench.hpp"

using namespace planar;
using namespace planar::test;

TEST_CASE("RX Status counts the bytes received, and bit 15 is set until the end", "[etherlink3][receive]") {
  El3Bench b;
  b.open();
  b.other.port.transmit(b.for_us(1000), b.now());
  b.step(6'400_ns + 500_ns + 40'000_ns);  // preamble, cable, 50 bytes
  CHECK(b.rx_status() == 0x8000);
  b.step(400_us - 40_us);
  const unsigned s = b.rx_status();
  CHECK((s & 0xF800) == 0x8000);
  CHECK((s & 0x7FF) >= 490);
  CHECK((s & 0x7FF) <= 496);
  CHECK((b.fifo_diagnostics() & EtherLink3::RxReceiving) != 0);
  // The host may read them now.
  Bytes head = b.for_us(1000);
  head.resize(400);
  CHECK(b.take(400) == head);
  CHECK((b.rx_status() & 0x7FF) < 300);
  b.step(1_ms);
  CHECK(b.rx_status() == 600);
  CHECK_FALSE(b.status() & EtherLink3::AdapterFailure);
}

TEST_CASE("the address filter: own, broadcast, multicast, promiscuous", "[etherlink3][receive]") {
  El3Bench b;
  b.open();
  const auto accepted = [&](unsigned filter, const MacAddress& to) {
    b.command(EtherLink3::SetRxFilter, filter);
    b.hear(make_frame(60, to));
    const bool yes = b.rx_status() == 60;
    b.rx();
    return yes;
  };
  const MacAddress stranger{0x00, 0x20, 0xAF, 1, 1, 1}, group{0x01, 0x00, 0x5E, 0, 0, 1};
  CHECK(accepted(1, b.mac));
  CHECK_FALSE(accepted(1, broadcast_mac));
  CHECK(accepted(5, broadcast_mac));
  CHECK_FALSE(accepted(5, group));
  CHECK_FALSE(accepted(5, stranger));
  CHECK(accepted(7, group));
  CHECK(accepted(2, broadcast_mac));
  CHECK_FALSE(accepted(2, b.mac));
  CHECK(accepted(8, stranger));
  CHECK_FALSE(accepted(0, b.mac));
}

TEST_CASE("damaged frames are kept with their error, and the driver waits for the discard", "[etherlink3][receive]") {
  El3Bench b;
  b.open();
  b.hear(damaged(b.for_us(1000)));
  CHECK(b.rx_status() == (EtherLink3::CrcError | 1000u));
  b.hear(b.for_us(1600));
  b.hear(b.for_us(100));
  b.serve();
  REQUIRE(b.received.size() == 2);
  CHECK((b.received[0].status & 0x7800) == EtherLink3::CrcError);
  CHECK((b.received[1].status & 0x7800) == EtherLink3::Overrun);  // 1000 and 1600 bytes do not fit together
  CHECK(b.waits > 0);
  b.hear(b.for_us(1600));
  CHECK((b.rx_status() & 0x7800) == EtherLink3::Oversize);
  b.serve();
  b.hear(b.for_us(100));
  b.serve();
  CHECK(b.received.back().bytes == without_fcs(b.for_us(100)));
}

TEST_CASE("a frame truncated between bytes is an alignment error; a fragment is ignored", "[etherlink3][receive]") {
  El3Bench b;
  b.open();
  b.other.port.transmit(b.for_us(1000), b.now());
  b.step(300'350_ns);
  b.other.port.set_plugged(false, b.now());
  b.step(100_us);
  CHECK((b.rx_status() & 0x7800) == EtherLink3::Alignment);
  b.serve();
  b.other.port.set_plugged(true, b.now());
  b.step(2_ms);
  b.received.clear();
  b.hear(b.for_us(40));
  b.hear(b.for_us(6));
  CHECK(b.rx_status() == 0x8000);
  CHECK_FALSE(b.interrupt());
  b.hear(b.for_us(60));
  b.serve();
  CHECK(b.received.size() == 1);
}

TEST_CASE("a full FIFO overruns, and accepts frames again after it is read", "[etherlink3][receive]") {
  El3Bench b;
  b.open();
  b.hear(b.for_us(1514, 1));
  b.hear(b.for_us(1514, 2));  // 524 bytes of it fit
  b.hear(b.for_us(60, 3));    // no byte of it fits
  CHECK((b.fifo_diagnostics() & EtherLink3::RxOverrun) != 0);
  CHECK(b.made.network->counters().overruns == 2);
  b.serve();
  REQUIRE(b.received.size() == 2);
  CHECK(b.received[0].bytes == without_fcs(b.for_us(1514, 1)));
  CHECK(b.received[1].status == (EtherLink3::Overrun | 524u));
  CHECK(b.counter(5) == 2);
  b.hear(b.for_us(1514, 4));
  b.serve();
  CHECK(b.received.back().bytes == without_fcs(b.for_us(1514, 4)));
}

TEST_CASE("reading in time makes room for the frame being received", "[etherlink3][receive]") {
  El3Bench b;
  b.open();
  b.hear(b.for_us(1514, 1));
  b.other.port.transmit(b.for_us(1514, 2), b.now());
  b.step(300_us);
  b.rx();
  b.step(2_ms);
  b.rx();
  REQUIRE(b.received.size() == 2);
  CHECK(b.received[1].bytes == without_fcs(b.for_us(1514, 2)));
}

TEST_CASE("eight packets fill the receive status FIFO, however small they are", "[etherlink3][receive]") {
  El3Bench b;
  b.open();
  for (std::uint8_t n = 0; n < 10; ++n) b.hear(b.for_us(60, n));
  CHECK((b.fifo_diagnostics() & EtherLink3::RxStatusOverrun) != 0);
  b.serve();
  CHECK(b.received.size() == 8);
  CHECK_FALSE(b.fifo_diagnostics() & EtherLink3::RxStatusOverrun);
  CHECK(b.counter(5) == 2);
}

TEST_CASE("reading past a packet is an adapter failure, which the driver's RX reset clears", "[etherlink3][receive]") {
  El3Bench b;
  b.open();
  b.hear(b.for_us(61));
  b.take(64);  // the padding is part of it
  CHECK_FALSE(b.status() & EtherLink3::AdapterFailure);
  CHECK(b.inw(0) == 0xFFFF);
  CHECK((b.status() & EtherLink3::AdapterFailure) != 0);
  CHECK((b.fifo_diagnostics() & EtherLink3::RxUnderrun) != 0);
  b.hear(b.for_us(100));
  b.serve();
  CHECK_FALSE(b.status() & EtherLink3::AdapterFailure);
  b.hear(b.for_us(100));
  b.serve();
  CHECK(b.received.back().bytes == without_fcs(b.for_us(100)));
}

TEST_CASE("RX Early is set at its threshold and replaced by RX Complete", "[etherlink3][receive]") {
  El3Bench b;
  b.open();
  b.command(EtherLink3::SetInterruptMask, 0x31);
  b.command(EtherLink3::SetRxEarly, 200);
  b.other.port.transmit(b.for_us(1000), b.now());
  const Time start = b.now();
  while (!b.interrupt()) b.step(100_ns);
  const Time early = b.now() - start - 500_ns;
  CHECK(early >= 800_ns * (8 + 205));
  CHECK(early <= 800_ns * (8 + 205) + 100_ns);
  CHECK((b.status() & 0xFF) == (EtherLink3::InterruptLatch | EtherLink3::RxEarly));
  b.command(EtherLink3::AcknowledgeInterrupt, 0x21);
  CHECK((b.status() & 0xFF) == 0);
  b.step(1_ms);
  CHECK((b.status() & 0xFF) == (EtherLink3::InterruptLatch | EtherLink3::RxComplete));
}

TEST_CASE("a threshold written during a frame counts the bytes that have not been read", "[etherlink3][receive]") {
  El3Bench b;
  b.open();
  b.command(EtherLink3::SetInterruptMask, 0x31);
  b.command(EtherLink3::SetRxEarly, 200);
  b.other.port.transmit(b.for_us(1000), b.now());
  const Time start = b.now();
  while (!b.interrupt()) b.step(100_ns);
  // As FreeBSD's ep does: read what is there, and ask for the same number again.
  for (unsigned n = 0; n < 50; ++n) b.rig.in(El3Bench::base, 4);
  b.command(EtherLink3::AcknowledgeInterrupt, 0x21);
  b.command(EtherLink3::SetRxEarly, 200);
  while (!b.interrupt()) b.step(100_ns);
  const Time again = b.now() - start;
  CHECK(again >= 800_ns * (8 + 405));
  CHECK(again <= 800_ns * (8 + 406));
  CHECK((b.status() & 0xFF) == (EtherLink3::InterruptLatch | EtherLink3::RxEarly));
}

TEST_CASE("discarding a packet being received is busy until its end, and the next one is complete",
          "[etherlink3][receive]") {
  El3Bench b;
  b.open();
  b.other.port.transmit(b.for_us(1000), b.now());
  b.step(400_us);
  b.command(EtherLink3::RxDiscard);
  CHECK((b.status() & EtherLink3::CommandInProgress) != 0);
  CHECK(b.rx_status() == 0x8000);
  b.step(1_ms);
  CHECK_FALSE(b.status() & EtherLink3::CommandInProgress);
  CHECK_FALSE(b.status() & EtherLink3::RxComplete);
  b.hear(b.for_us(100));
  b.serve();
  CHECK(b.received.back().bytes == without_fcs(b.for_us(100)));
  b.window(3);
  CHECK(b.inw(0xA) == EtherLink3::fifo_bytes);
}
