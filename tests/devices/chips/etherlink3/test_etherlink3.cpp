// SPDX-License-Identifier: GPL-2.0-or-later
// EtherLink III: EEPROM, windows, interrupts, statistics, loopback, reset, invalid requests, snapshots.
#include "core/common/random.hpp"
#include "tests/devices/chips/etherlink3/etherlink3_bench.hpp"

using namespace planar;
using namespace planar::test;

// ---- registers and interrupts ----

TEST_CASE("an EEPROM read takes 162 us, during which busy is set and the old word is read", "[etherlink3]") {
  El3Bench b;
  b.window(0);
  CHECK(b.read_eeprom(0) == 0x0020);
  b.outw(0xA, 0x81);
  b.step(160_us);
  CHECK((b.inw(0xA) & 0x8000) != 0);
  CHECK(b.inw(0xC) == 0x0020);
  b.step(3_us);
  CHECK_FALSE(b.inw(0xA) & 0x8000);
  CHECK(b.inw(0xC) == 0xAF12);
}

TEST_CASE("an EEPROM word can be written only between write enable and write disable", "[etherlink3]") {
  El3Bench b;
  b.window(0);
  const auto store = [&](unsigned cell, unsigned value) {
    b.outw(0xC, value);
    b.outw(0xA, 0x40 | cell);
    b.step(11_ms);
  };
  store(0x20, 0x1234);
  CHECK(b.read_eeprom(0x20) == 0);
  b.outw(0xA, 0x30);
  store(0x20, 0x1234);
  CHECK(b.read_eeprom(0x20) == 0x1234);
  b.outw(0xA, 0xC0 | 0x20);
  b.step(11_ms);
  CHECK(b.read_eeprom(0x20) == 0xFFFF);
  b.outw(0xA, 0x00);
  store(0x20, 0x4321);
  CHECK(b.read_eeprom(0x20) == 0xFFFF);
}

TEST_CASE("window 5 reads back what commands have set", "[etherlink3]") {
  El3Bench b;
  b.open();
  b.command(EtherLink3::SetTxStart, 100);
  b.command(EtherLink3::SetTxAvailable, 1537);
  b.command(EtherLink3::SetRxEarly, 61);
  b.window(5);
  CHECK(b.inw(0) == 100);
  CHECK(b.inw(2) == 1536);  // the FIFOs count in units of four
  CHECK(b.inw(6) == 60);
  CHECK(b.inw(8) == 5);
  CHECK(b.inw(0xA) == 0x9D);
  CHECK(b.inw(0xC) == 0xFF);
  CHECK(b.status() >> 13 == 5);
}

TEST_CASE("a command written as two bytes takes effect with the second", "[etherlink3]") {
  El3Bench b;
  b.out(0xE, 3);
  CHECK(b.status() >> 13 == 0);
  b.out(0xF, EtherLink3::SelectWindow << 3);
  CHECK(b.status() >> 13 == 3);
}

TEST_CASE("the interrupt latch is set again if acknowledged while a cause is pending", "[etherlink3][interrupt]") {
  El3Bench b;
  b.open();
  b.hear(b.for_us(60));
  b.command(EtherLink3::AcknowledgeInterrupt, 0xFF);  // RX Complete cannot be acknowledged
  CHECK((b.status() & 0xFF) == (EtherLink3::InterruptLatch | EtherLink3::RxComplete));
  CHECK(b.interrupt());
  b.rx();
  CHECK((b.status() & 0xFF) == EtherLink3::InterruptLatch);
  CHECK(b.interrupt());
  b.command(EtherLink3::AcknowledgeInterrupt, 0x01);
  CHECK((b.status() & 0xFF) == 0);
  CHECK_FALSE(b.interrupt());
}

TEST_CASE("a hidden cause reads zero, a masked one does not interrupt, window 0 disables interrupts",
          "[etherlink3][interrupt]") {
  El3Bench b;
  b.open();
  b.command(EtherLink3::SetReadZeroMask, 0xEF);
  b.hear(b.for_us(60));
  CHECK((b.status() & 0xFF) == 0);
  CHECK_FALSE(b.interrupt());
  b.command(EtherLink3::SetInterruptMask, 0x8D);
  b.command(EtherLink3::SetReadZeroMask, 0xFF);
  CHECK((b.status() & 0xFF) == EtherLink3::RxComplete);
  CHECK_FALSE(b.interrupt());
  b.command(EtherLink3::SetInterruptMask, 0x9D);
  CHECK(b.interrupt());
  b.window(0);
  CHECK_FALSE(b.interrupt());
  b.window(1);
  CHECK(b.interrupt());
}

TEST_CASE("a requested interrupt starts the latency timer", "[etherlink3][interrupt]") {
  El3Bench b;
  b.open();
  b.command(EtherLink3::SetInterruptMask, 0x40);
  b.command(EtherLink3::RequestInterrupt);
  CHECK(b.interrupt());
  CHECK((b.status() & 0xFF) == (EtherLink3::InterruptLatch | EtherLink3::InterruptRequested));
  b.step(32_us);
  CHECK(b.in(0xA) == 10);
  b.step(2_ms);
  CHECK(b.in(0xA) == 0xFF);
  b.command(EtherLink3::AcknowledgeInterrupt, 0x41);
  CHECK_FALSE(b.interrupt());
}

// ---- statistics, loopback, reset ----

TEST_CASE("statistics count, clear when read, and stop while disabled", "[etherlink3][statistics]") {
  El3Bench b;
  b.open();
  b.start_xmit(El3Bench::data(100));
  b.hear(b.for_us(200));
  b.step(1_ms);
  b.serve();
  CHECK(b.counter(6) == 1);
  CHECK(b.counter(6) == 0);
  CHECK(b.counter(7) == 1);
  CHECK(b.counter(12) == 100);
  CHECK(b.counter(10) == 200);
  b.command(EtherLink3::StatisticsDisable);
  b.hear(b.for_us(200));
  CHECK(b.counter(7) == 0);
}

TEST_CASE("a counter whose top bit is set interrupts until it is read", "[etherlink3][statistics]") {
  El3Bench b;
  b.open();
  unsigned frames = 0;
  while (!(b.status() & EtherLink3::UpdateStatistics)) {
    b.hear(b.for_us(1514));
    b.rx();
    b.command(EtherLink3::AcknowledgeInterrupt, 0x01);
    ++frames;
    REQUIRE(frames < 100);
  }
  CHECK(frames == 0x8000 / 1514 + 1);
  CHECK(b.interrupt());
  b.serve();
  CHECK(b.statistics[9] == frames * 1514);
  CHECK_FALSE(b.interrupt());
}

TEST_CASE("internal loopback stays in the chip, external loopback uses the transceiver", "[etherlink3][loopback]") {
  const unsigned modes[] = {0x1000, 0x2000, 0x4000, 0x8000};
  for (unsigned mode : modes) {
    El3Bench b;
    b.open();
    b.window(4);
    b.outw(6, mode);
    CHECK((b.inw(6) & 0xFC00) == (mode | EtherLink3::TxEnabled | EtherLink3::RxEnabled));
    b.window(1);
    Bytes frame = without_fcs(b.for_us(301, 9));
    b.start_xmit(frame);
    b.step(1_ms);
    CHECK(b.log.entries.size() == (mode == 0x8000 ? 1 : 0));
    b.rx();
    REQUIRE(b.received.size() == 1);
    CHECK(b.received[0].status == 301);
    CHECK(b.received[0].bytes == frame);
    CHECK(b.tx_free() == El3Bench::room);
  }
}

TEST_CASE("a global reset takes 310 us and restores the power-on state", "[etherlink3]") {
  El3Bench b;
  b.open();
  b.start_xmit(El3Bench::data(1514));
  b.hear(b.for_us(100));
  b.command(EtherLink3::GlobalReset);
  CHECK((b.status() & EtherLink3::CommandInProgress) != 0);
  CHECK_FALSE(b.interrupt());
  b.step(310_us);
  CHECK(b.status() == 0);
  b.window(2);
  CHECK(b.inw(0) == 0);
  b.window(1);
  CHECK(b.rx_status() == 0x8000);
  CHECK(b.tx_free() == El3Bench::room);
  b.window(0);
  CHECK(b.inw(6) >> 14 == EtherLink3::Coax);
  b.open();
  b.hear(b.for_us(100));
  CHECK(b.rx_status() == 100);
}

TEST_CASE("peeking has no side effects", "[etherlink3]") {
  El3Bench b;
  b.open();
  b.hear(b.for_us(100));
  b.take(20);
  b.start_xmit(El3Bench::data(100));
  for (unsigned window = 0; window < 8; ++window) {
    b.window(window);
    Archive before = Archive::saver(), after = Archive::saver();
    b.archive(before);
    for (unsigned port = 0; port < 16; ++port) b.chip().peek(port, port & 1 ? 1 : 2);
    b.archive(after);
    CHECK(before.stream() == after.stream());
  }
  b.window(1);
  CHECK(b.chip().peek(0, 2) == unsigned(b.for_us(100)[20] | b.for_us(100)[21] << 8));
}

TEST_CASE("invalid host accesses do not corrupt the FIFOs", "[etherlink3]") {
  El3Bench b;
  b.open();
  Random random(2002);
  for (unsigned n = 0; n < 40'000; ++n) {
    const auto port = static_cast<unsigned>(random.below(16));
    const auto value = static_cast<unsigned>(random.next());
    switch (random.below(12)) {
      case 0:
      case 1: b.in(port); break;
      case 2: b.rig.in(El3Bench::base, 4); break;
      case 3: b.out(port, value & 0xFF); break;
      case 4: b.outw(0xE, value & 0xFFFF); break;
      case 5: b.rig.out(El3Bench::base, value & 0x1FF, 4); break;
      case 6: b.rig.out(El3Bench::base, value, 4); break;
      case 7: b.window(random.below(4) ? 1 : value & 7); break;
      case 8: b.other.port.transmit(make_frame(random.below(1700), broadcast_mac), b.now()); break;
      case 9: b.step(Time{static_cast<std::int64_t>(random.below(400'000'000))}); break;
      case 10: b.command(random.below(2) ? EtherLink3::TxEnable : EtherLink3::RxEnable); break;
      default: b.command(EtherLink3::SetRxFilter, 15); break;
    }
    if (n % 1000 == 0) {  // a snapshot with inconsistent FIFO counts is refused
      Archive saved = Archive::saver();
      b.archive(saved);
      Archive loaded = Archive::loader(saved.stream());
      REQUIRE_NOTHROW(b.archive(loaded));
    }
  }
  b.step(2_s);
  b.command(EtherLink3::GlobalReset);
  b.step(1_ms);
  b.open();
  b.received.clear();
  b.hear(b.for_us(100));
  b.rx();
  REQUIRE(b.received.size() == 1);
  CHECK(b.received[0].bytes == without_fcs(b.for_us(100)));
}

TEST_CASE("a snapshot in the middle of two frames does not affect the run", "[etherlink3][snapshot]") {
  const auto prepare = [](El3Bench& b) {
    b.open();
    b.hear(b.for_us(500, 1));
    b.take(100);
    b.other.port.transmit(b.for_us(1200, 3), b.now());
    b.step(300_us);
    b.command(EtherLink3::SetTxStart, 64);
    b.outw(0, 300);
    b.outw(0, 0);
    for (int i = 0; i < 20; ++i) b.outw(0, static_cast<unsigned>(i));
  };
  const auto finish = [](El3Bench& b) {
    for (int i = 20; i < 150; ++i) b.outw(0, static_cast<unsigned>(i));
    b.take(400);
    b.command(EtherLink3::RxDiscard);
    b.step(5_ms);
    b.serve();
    REQUIRE(b.received.size() == 1);
    CHECK(b.received[0].bytes == without_fcs(b.for_us(1200, 3)));
    CHECK(b.other.arrivals.size() == 1);
    CHECK(b.other.arrivals[0].ok);
    Archive a = Archive::saver();
    b.archive(a);
    return sha256_hex(a.stream());
  };
  El3Bench whole, first, second;
  prepare(whole);
  prepare(first);
  Archive saved = Archive::saver();
  first.archive(saved);
  Archive loaded = Archive::loader(saved.stream());
  second.archive(loaded);
  loaded.expect_end();
  CHECK(finish(whole) == finish(second));
}
