// SPDX-License-Identifier: GPL-2.0-or-later
// RTL8139's receiver: full rings and FIFOs with the driver's recovery, bad frames, hostile values, and snapshots.
#include "core/common/error.hpp"
#include "tests/devices/ethernet/rtl8139/rtl8139_bench.hpp"

using namespace planar;
using namespace planar::test;

namespace {

void let_master(Rtl8139Bench& b, bool on) {
  b.rig.set_config(9, pci::COMMAND, pci::IO_SPACE | pci::MEMORY_SPACE | (on ? unsigned{pci::BUS_MASTER} : 0u), 2);
}
/// With an 8 KB ring.
void small_ring(Rtl8139Bench& b, unsigned more = 0) { b.out(0x44, 4 << 13 | 4 << 8 | 0x0E | more, 4); }
void check_alive(Rtl8139Bench& b) {
  b.open();
  b.received.clear();
  b.start_xmit(body(100));
  b.hear(b.for_us(200, 7));
  b.handle();
  REQUIRE(b.received.size() == 1);
  CHECK(b.received[0] == b.for_us(200, 7));
  CHECK(b.other.arrivals.back().ok);
  CHECK(without_fcs(b.other.arrivals.back().bytes) == body(100));
}

}  // namespace

TEST_CASE("RTL8139: a full ring holds the next frame in the FIFO until there is room and RXOVW is written",
          "[rtl8139]") {
  Rtl8139Bench b;
  b.start();
  small_ring(b);
  for (std::uint8_t n = 0; n < 5; ++n) b.hear(b.for_us(1514, n));
  CHECK(b.in(0x3E, 2) == Rtl8139::ROK);
  CHECK(b.in(0x3A, 2) == 5 * 1524);
  b.hear(b.for_us(1514, 5));
  CHECK(b.in(0x3E, 2) == (Rtl8139::ROK | Rtl8139::RXOVW));
  CHECK(b.in(0x3A, 2) == 5 * 1524);
  CHECK(b.in(0x4C, 4) == 0);
  // Acknowledged without room: it is set again at once.
  b.out(0x3E, Rtl8139::RXOVW, 2);
  CHECK(b.in(0x3E, 2) & Rtl8139::RXOVW);
  // One frame is read and RXOVW written: the one in the FIFO follows.
  b.out(0x38, 1524 - 16, 2);
  b.step(100_us);
  CHECK(b.in(0x3A, 2) == 5 * 1524);
  b.out(0x3E, Rtl8139::RXOVW | Rtl8139::ROK, 2);
  b.step(100_us);
  CHECK(b.in(0x3E, 2) == Rtl8139::ROK);
  CHECK(b.in(0x3A, 2) == 6 * 1524 - 8192);
  CHECK(b.rig.get32(Rtl8139Bench::ring + 5 * 1524) == (1518u << 16 | Rtl8139::PAM | Rtl8139::RSR_ROK));
}

TEST_CASE("RTL8139: with ring and FIFO full frames are lost and counted until RXOVW is written", "[rtl8139]") {
  Rtl8139Bench b;
  b.start();
  small_ring(b);
  for (std::uint8_t n = 0; n < 9; ++n) b.hear(b.for_us(1514, n));
  CHECK(b.in(0x3E, 2) == (Rtl8139::ROK | Rtl8139::RXOVW | Rtl8139::FOVW));
  CHECK(b.in(0x4C, 4) == 3);  // one of nine is in the FIFO, five are in the ring
  CHECK(b.made.network->counters().overruns == 3);
  CHECK(b.made.network->counters().fifo == 0);
  b.out(0x38, 5 * 1524 - 16, 2);
  b.out(0x3E, Rtl8139::FOVW, 2);  // does not acknowledge it (Realtek's programming guide)
  b.hear(b.for_us(64, 20));
  CHECK(b.in(0x4C, 4) == 4);
  b.out(0x3E, Rtl8139::RXOVW, 2);
  b.hear(b.for_us(64, 21));
  CHECK(b.in(0x4C, 4) == 4);
  CHECK(b.in(0x3A, 2) == 6 * 1524 + 72 - 8192);
  b.out(0x4C, 0, 4);
  CHECK(b.in(0x4C, 4) == 0);
}

TEST_CASE(
    "RTL8139: the driver recovers from a full ring; after a FIFO overflow it receives nothing until it sets its mode",
    "[rtl8139]") {
  Rtl8139Bench b;
  b.start();
  for (unsigned n = 0; n < 44; ++n) b.hear(b.for_us(1514, static_cast<std::uint8_t>(n)));
  CHECK(b.in(0x3E, 2) == (Rtl8139::ROK | Rtl8139::RXOVW));  // 43 frames fill 64 KB except for 4 bytes
  CHECK(b.handle() & Rtl8139::RXOVW);
  b.step(100_us);
  b.handle();  // the frame that was in the FIFO
  CHECK(b.received.size() == 44);
  CHECK(b.missed == 0);
  const std::size_t before = b.received.size();
  b.hear(b.for_us(100, 99));
  b.handle();
  CHECK(b.received.size() == before + 1);
  CHECK(b.received.back() == b.for_us(100, 99));

  let_master(b, false);
  for (std::uint8_t n = 0; n < 3; ++n) b.hear(b.for_us(1514, n));
  CHECK(b.in(0x3E, 2) == Rtl8139::FOVW);
  let_master(b, true);
  b.step(100_us);
  CHECK(b.handle() & Rtl8139::FOVW);
  CHECK(b.missed == 2);
  CHECK(b.made.network->counters().fifo == 2);
  // 1.07 writes RCR without its accept bits.
  b.hear(b.for_us(100));
  CHECK(b.in(0x37) & Rtl8139::BUFE);
  b.set_rx_mode(0x0E);
  b.hear(b.for_us(101, 1));
  b.handle();
  CHECK(b.received.back() == b.for_us(101, 1));
  CHECK(b.cur_rx == 112);  // from the start of the ring
}

TEST_CASE("RTL8139: a bus delay shorter than the FIFO's depth loses nothing", "[rtl8139]") {
  Rtl8139Bench b;
  b.start();
  b.other.to_send = {b.for_us(1514, 1), b.for_us(1514, 2)};
  b.other.port.transmit(b.for_us(1514, 0), b.now());
  b.step(30_us);
  let_master(b, false);
  b.step(130_us);
  let_master(b, true);
  b.step(500_us);
  b.handle();
  REQUIRE(b.received.size() == 3);
  for (std::uint8_t n = 0; n < 3; ++n) CHECK(b.received[n] == b.for_us(1514, n));
}

TEST_CASE("RTL8139: CAPR written while the ring is empty is a packet underrun", "[rtl8139]") {
  Rtl8139Bench b;
  b.start();
  b.out(0x38, 0xFFF0, 2);
  CHECK(b.in(0x3E, 2) == Rtl8139::PUN);
  CHECK(b.handle() == Rtl8139::PUN);
  CHECK(b.link_changes == 0);
}

TEST_CASE("RTL8139: runts and damaged frames are received only if RCR accepts them", "[rtl8139]") {
  Rtl8139Bench b;
  b.start();
  b.hear(make_frame(40, Rtl8139Bench::mac));
  b.hear(damaged(b.for_us(600)));
  CHECK(b.in(0x3E, 2) == Rtl8139::RER);
  CHECK(b.in(0x3A, 2) == 0);
  b.out(0x3E, 0xFFFF, 2);
  b.out(0x44, Rtl8139Bench::rx_config | 0x3E, 4);
  b.hear(make_frame(40, Rtl8139Bench::mac));
  b.hear(damaged(b.for_us(600)));
  b.hear(b.for_us(100));
  b.handle();
  REQUIRE(b.headers.size() == 3);
  CHECK(b.headers[0] == (44u << 16 | Rtl8139::PAM | Rtl8139::RUNT));
  CHECK(b.headers[1] == (604u << 16 | Rtl8139::PAM | Rtl8139::CRC));
  CHECK(b.headers[2] == (104u << 16 | Rtl8139::PAM | Rtl8139::RSR_ROK));
}

TEST_CASE("RTL8139: a frame of more than 4 KB is an error, a shorter one is received", "[rtl8139]") {
  Rtl8139Bench b;
  b.start();
  b.hear(b.for_us(3000));
  b.hear(b.for_us(6000));
  b.hear(b.for_us(100));
  CHECK(b.handle() == (Rtl8139::ROK | Rtl8139::RER));
  REQUIRE(b.received.size() == 2);
  CHECK(b.received[0] == b.for_us(3000));
  CHECK(b.received[1] == b.for_us(100));
}

TEST_CASE("RTL8139: without wrapping a frame extends beyond the ring's end, and the next one starts inside",
          "[rtl8139]") {
  Rtl8139Bench b;
  b.start();
  small_ring(b, Rtl8139::NOWRAP);
  for (std::uint8_t n = 0; n < 6; ++n) {
    b.hear(b.for_us(1514, n));
    b.out(0x38, b.in(0x3A, 2) - 16, 2);
  }
  const Bytes last = b.for_us(1514, 5);
  CHECK(b.rig.get(Rtl8139Bench::ring + 5 * 1524 + 4, last.size()) == last);
  CHECK(b.in(0x3A, 2) == 6 * 1524 - 8192);
}

TEST_CASE("RTL8139: without a threshold a frame is moved when it is complete", "[rtl8139]") {
  Rtl8139Bench b;
  b.start();
  b.out(0x44, 7 << 13 | 3 << 11 | 7 << 8 | 0x0E, 4);
  const auto before = b.rig.segment.counters().transactions;
  b.other.port.transmit(b.for_us(1000), b.now());
  b.step(80_us);
  CHECK(b.rig.segment.counters().transactions == before);
  b.step(100_us);
  b.handle();
  REQUIRE(b.received.size() == 1);
  CHECK(b.received[0] == b.for_us(1000));
}

TEST_CASE("RTL8139: the cable is pulled during reception", "[rtl8139][cable]") {
  Rtl8139Bench b;
  b.start();
  b.other.port.transmit(b.for_us(1514), b.now());
  b.step(60_us);
  b.chip().port().set_plugged(false, b.now());
  b.step(100_us);
  CHECK(b.handle() == (Rtl8139::RER | Rtl8139::PUN));
  CHECK(b.in(0x3A, 2) == 0);
  b.chip().port().set_plugged(true, b.now());
  b.step(2_ms);
  b.hear(b.for_us(300, 4));
  b.handle();
  REQUIRE(b.received.size() == 1);
  CHECK(b.received[0] == b.for_us(300, 4));
}

TEST_CASE("RTL8139: a powered-down chip receives and sends nothing", "[rtl8139]") {
  Rtl8139Bench b;
  b.start();
  b.out(0x50, 0xC0);
  b.out(0x52, 0x23);
  b.hear(b.for_us(100));
  b.start_xmit(body(100));
  b.step(1_ms);
  CHECK(b.in(0x37) & Rtl8139::BUFE);
  CHECK(b.other.begins.empty());
  b.out(0x52, 0x20);
  b.step(1_ms);
  CHECK(b.other.arrivals.size() == 1);
}

TEST_CASE("RTL8139: rings and pointers at any address", "[rtl8139]") {
  Rtl8139Bench b;
  b.start();
  SECTION("outside memory") {
    b.out(0x30, 0xE0000001, 4);
    b.hear(b.for_us(1514));
    CHECK(b.in(0x3E, 2) & Rtl8139::SERR);
  }
  SECTION("the end of the address space") { b.out(0x30, 0xFFFFFFF0, 4); }
  SECTION("its own registers: a byte of a looped-back frame stops the receiver while another frame is read") {
    for (std::uint32_t at = 1000; at < 1500; at += 8) {
      b.out(0x37, Rtl8139::RST);
      b.step(10_us);
      b.out(0x37, Rtl8139::RE | Rtl8139::TE);
      b.out(0x44, 0xFC0F, 4);
      b.out(0x40, 0x03060400, 4);
      b.out(0x30, (b.memory_base + 0x33 - at) & ~3u, 4);
      b.cur_tx = 0;
      b.start_xmit(Bytes(1500, Rtl8139::TE));
      b.start_xmit(Bytes(64, Rtl8139::TE));
      b.step(1_ms);
    }
    b.out(0x66, 0x01E1, 2);  // the bytes reach ANAR and BMCR, too, and isolate the PHY
    b.out(0x62, 0x3200, 2);
    b.step(2_ms);
    b.open();
  }
  SECTION("CAPR changes at any time") {
    for (unsigned n = 0; n < 200; ++n) {
      b.out(0x38, n * 7919, 2);
      b.out(0x3E, 0xFFFF, 2);
      if (n % 20 == 0) b.other.port.transmit(b.for_us(1514), b.now());
      b.step(5_us);
    }
  }
  SECTION("the ring size changes during a frame") {
    for (unsigned n = 0; n < 100; ++n) {
      b.other.port.transmit(b.for_us(1514), b.now());
      b.step(70_us);
      b.out(0x44, n << 8 | 0x0F | n << 11, 4);
      b.step(70_us);
      b.out(0x3E, 0xFFFF, 2);
    }
  }
  b.hear(b.for_us(1514));
  check_alive(b);
}

TEST_CASE("RTL8139: random register writes leave a card that can be reset", "[rtl8139]") {
  Rtl8139Bench b;
  b.start();
  std::uint32_t random = GENERATE(1u, 2u, 3u, 4u);
  const auto next = [&] { return random = random * 1664525 + 1013904223; };
  for (int n = 0; n < 6000; ++n) {
    const unsigned bytes = 1u << (next() >> 30) % 3, reg = (next() >> 16) & 0x7F & ~(bytes - 1);
    std::uint32_t value = next();
    if (reg < 0x34 && reg >= 0x20) value &= 0xFFFFF;
    if (reg == 0x37 && n % 8) value |= 0x0C, value &= ~std::uint32_t{Rtl8139::RST};
    if (next() >> 31)
      b.out(reg, value, bytes);
    else
      b.in(reg, bytes);
    if (n % 16 == 0) b.other.port.transmit(b.for_us(60 + (next() >> 21), 1), b.now());
    b.step(1_us * std::int64_t{next() >> 28});
  }
  b.out(0x3C, 0, 2);
  b.rig.set_config(9, pci::COMMAND, pci::IO_SPACE | pci::MEMORY_SPACE | pci::BUS_MASTER, 2);
  b.out(0x37, Rtl8139::RST);
  b.step(1_ms);
  b.out(0x50, 0xC0);
  b.out(0x66, 0x01E1, 2);
  b.out(0x62, 0x3200, 2);
  b.out(0x50, 0x40);
  b.step(2_ms);
  check_alive(b);
}

TEST_CASE("RTL8139: a snapshot in the middle of both directions does not affect the run", "[rtl8139]") {
  const int when = GENERATE(0, 2, 4, 6, 9, 13, 20, 40, 90, 127, 135, 140, 300);
  CAPTURE(when);
  const auto prepare = [](Rtl8139Bench& b) {
    b.start();
    b.other.to_send = {b.for_us(1514, 1), b.for_us(64, 2)};
    b.other.port.transmit(b.for_us(1514), b.rig.now);
    for (unsigned n = 0; n < 3; ++n) b.start_xmit(body(1514, static_cast<std::uint8_t>(n)));
  };
  const auto state = [](Rtl8139Bench& b) {
    Archive a = Archive::saver();
    b.archive(a);
    return a.stream();
  };
  Rtl8139Bench first, second;
  prepare(first);
  first.step(1_us * std::int64_t{when});
  Archive loaded = Archive::loader(state(first));
  second.archive(loaded);
  loaded.expect_end();
  second.other.to_send = first.other.to_send;
  second.other.sent_next = first.other.sent_next;
  CHECK(second.chip().interrupt() == first.chip().interrupt());
  const std::size_t before = first.other.arrivals.size();
  first.step(1_ms);
  second.step(1_ms);
  CHECK(state(first) == state(second));
  CHECK(second.other.arrivals.size() == first.other.arrivals.size() - before);
  CHECK(first.other.arrivals.size() == 3);
  CHECK(first.chip().counters().received == 3);
}

TEST_CASE("RTL8139: a damaged snapshot is refused or gives a card that can be reset", "[rtl8139]") {
  Rtl8139Bench first;
  first.start();
  first.other.port.transmit(first.for_us(1514), first.rig.now);
  for (unsigned n = 0; n < 3; ++n) first.start_xmit(body(1514));
  first.step(30_us);
  Archive saved = Archive::saver();
  first.card->archive(saved);
  const auto whole = saved.stream();
  unsigned refused = 0;
  for (std::size_t at = 0; at < whole.size(); at += at < 400 ? 1 : 61) {
    CAPTURE(at);
    auto damaged_stream = whole;
    damaged_stream[at] ^= 0xFF;
    Rtl8139Bench second;
    second.step(first.now() - second.now());
    if (!loads(*second.card, damaged_stream)) {
      ++refused;
      continue;
    }
    second.out(0x3E, 0xFFFF, 2);
    second.step(3_ms);
    second.out(0x37, Rtl8139::RST);
    second.step(1_ms);
  }
  CHECK(refused > 10);
}
