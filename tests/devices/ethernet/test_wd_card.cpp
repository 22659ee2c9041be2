// SPDX-License-Identifier: GPL-2.0-or-later
// SMC 8013EP/A and IBM Adapter/A for Ethernet as seen by drivers of the period: Linux 2.2 smc-mca.c and 8390.c, and
// NetBSD's findings.
#include <numeric>

#include "devices/ethernet/common/wd_card.hpp"
#include "tests/bus/rig.hpp"
#include "tests/catch.hpp"
#include "tests/devices/medium/wire.hpp"

using namespace planar;
using namespace planar::test;
using ethernet::Dp8390;
using ethernet::WdCard;

namespace {

struct WdBench {
  static constexpr std::uint16_t base = 0x1800, nic = base + 0x10;
  static constexpr std::uint32_t ram = 0xD0000;
  static constexpr std::uint8_t rx_page = 0x0C, stop_page = 0x40;
  MacAddress mac{0x00, 0x00, 0xC0, 0x12, 0x34, 0x56};
  Rig rig;
  EthernetSegment segment;
  bus::Slot slot{0, 16, rig.wiring()};
  std::unique_ptr<bus::Adapter> card = WdCard::smc8013.make({slot, &segment, "00:00:c0:12:34:56", {}, 1}).card;
  Recorder other{rig.scheduler, &segment, "other", 77};

  WdBench() {
    card->pos_write(3, 0x18, Time{});  // D0000h, 16 KB
    card->pos_write(5, 0x00, Time{});  // IRQ 3
    card->pos_write(2, 0x11, Time{});  // 1800h, enable
  }
  std::uint8_t in(unsigned port) { return static_cast<std::uint8_t>(rig.in(port)); }
  void out(unsigned port, unsigned value) { rig.out(port, value); }
  bool interrupt() const { return rig.irqs.level[3]; }

  /// smc-mca.c's probe: returns the address bytes that it reads, then writes as if the bus chip were a later one.
  MacAddress probe() {
    const unsigned set = in(base + 4) & 0x7F;
    out(base + 4, set);
    MacAddress address{};
    for (unsigned n = 0; n < 6; ++n) address[n] = in(base + 8 + n);
    out(base + 4, 0x80 | set);
    out(base + 0xC, 0x80 | in(base + 0xC));
    out(base + 4, set);
    return address;
  }
  void open() {
    out(base, 0x40);
    out(base + 5, 0x80);
    out(base + 6, 0x01);
    out(base + 5, 0x04);
    out(nic, 0x21);
    out(nic + 0xE, 0x49);
    out(nic + 0xC, 0x20);
    out(nic + 0xD, 0x02);
    out(nic + 1, rx_page);
    out(nic + 3, stop_page - 1);
    out(nic + 2, stop_page);
    out(nic + 7, 0xFF);
    out(nic, 0x61);
    for (unsigned n = 0; n < 6; ++n) out(nic + 1 + n, mac[n]);
    out(nic + 7, rx_page);
    out(nic, 0x21);
    out(nic + 7, 0xFF);
    out(nic + 0xF, 0x3F);
    out(nic, 0x22);
    out(nic + 0xD, 0);
    out(nic + 0xC, 4);
  }
  void store(std::uint32_t address, const Bytes& bytes) {
    for (std::size_t n = 0; n < bytes.size(); n += 2)
      rig.store(address + static_cast<std::uint32_t>(n), bytes[n] | (n + 1 < bytes.size() ? bytes[n + 1] : 0) << 8, 2);
  }
  Bytes load(std::uint32_t address, std::size_t count) {
    Bytes bytes;
    for (std::size_t n = 0; n < count; ++n)
      bytes.push_back(static_cast<std::uint8_t>(rig.load(address + static_cast<std::uint32_t>(n), 1)));
    return bytes;
  }
  void send(const Bytes& frame, unsigned page = 0) {
    store(ram + page * 256, frame);
    out(nic, 0x20);
    REQUIRE_FALSE(in(nic)&Dp8390::TXP);
    out(nic + 5, frame.size() & 0xFF);
    out(nic + 6, static_cast<unsigned>(frame.size() >> 8));
    out(nic + 4, page);
    out(nic, 0x26);
  }
  void hear(const Bytes& frame) {
    other.port.transmit(frame, rig.now);
    const std::size_t before = other.outcomes.size();
    while (other.outcomes.size() == before) rig.step(10_us);
    rig.step(20_us);
  }
};

}  // namespace

TEST_CASE("WD: the driver's probe reads the address and leaves it intact", "[wd]") {
  WdBench b;
  CHECK(b.probe() == b.mac);
  CHECK(b.probe() == b.mac);  // its write to +Ch went to an address byte
  unsigned sum = 0;
  for (unsigned n = 8; n < 16; ++n) sum += b.in(WdBench::base + n);
  CHECK((sum & 0xFF) == 0xFF);
  CHECK(b.in(WdBench::base + 0xE) == 0xA7);  // Micro Channel, 8013EP
  CHECK((b.in(WdBench::base + 1) & 1) == 1);
}

TEST_CASE("WD: MSR enables the memory at the address in POS 3", "[wd][pos]") {
  WdBench b;
  CHECK(b.rig.load(WdBench::ram, 1) == 0xFF);
  b.out(WdBench::base, 0x40);
  b.rig.store(WdBench::ram + 0x3FFE, 0x1234, 2);
  CHECK(b.rig.load(WdBench::ram + 0x3FFE, 2) == 0x1234);
  CHECK((b.in(WdBench::base)&0x3F) == (WdBench::ram >> 13 & 0x3F));
  b.card->pos_write(3, 0x1A, b.rig.now);
  CHECK(b.rig.load(WdBench::ram + 0x3FFE, 2) == 0xFFFF);
  CHECK(b.rig.load(0xD4000 + 0x3FFE, 2) == 0x1234);
  b.card->pos_write(3, 0x08, b.rig.now);  // 8 KB
  CHECK(b.rig.load(0xD0000 + 0x2000, 2) == 0xFFFF);
  b.out(WdBench::base, 0);
  CHECK(b.rig.load(0xD0000, 2) == 0xFFFF);
}

TEST_CASE("WD: interrupts depend on LAAR bit 2, not on bit 7 of the IRR", "[wd]") {
  WdBench b;
  b.open();
  b.out(WdBench::base + 5, 0x80);
  b.hear(make_frame(100, b.mac, 1));
  CHECK_FALSE(b.interrupt());
  b.out(WdBench::base + 5, 0x04);
  CHECK(b.interrupt());
  CHECK((b.in(WdBench::base + 4) & 0x80) == 0);
  b.out(WdBench::nic + 7, 0xFF);
  CHECK_FALSE(b.interrupt());
}

TEST_CASE("WD: a frame is sent from the shared RAM, and one is received after its header", "[wd]") {
  WdBench b;
  b.open();
  const Bytes frame = make_frame(1514, broadcast_mac, 7);
  b.send(frame);
  b.rig.step(1400_us);
  CHECK((b.in(WdBench::nic + 7) & Dp8390::PTX) != 0);
  CHECK(b.interrupt());
  b.out(WdBench::nic + 7, Dp8390::PTX);
  const Bytes answer = make_frame(66, b.mac, 9);
  b.hear(answer);
  REQUIRE((b.in(WdBench::nic + 7) & Dp8390::PRX) != 0);
  const std::uint32_t header = b.rig.load(WdBench::ram + WdBench::rx_page * 256, 2) |
                               b.rig.load(WdBench::ram + WdBench::rx_page * 256 + 2, 2) << 16;
  CHECK((header & 0xFF) == 0x01);
  CHECK((header >> 8 & 0xFF) == WdBench::rx_page + 1u);
  CHECK(header >> 16 == answer.size());  // the FCS is counted, the four bytes of the header are not
  CHECK(b.load(WdBench::ram + WdBench::rx_page * 256 + 4, answer.size()) == answer);
}

TEST_CASE("WD: the reset hook pulses the chip and preserves the memory", "[wd]") {
  WdBench b;
  b.open();
  b.rig.store(WdBench::ram, 0xBEEF, 2);
  b.out(WdBench::base, 0x80);
  CHECK((b.in(WdBench::nic + 7) & Dp8390::RST) != 0);
  CHECK(b.rig.load(WdBench::ram, 2) == 0xBEEF);
}

TEST_CASE("WD: the host waits while the chip has the local bus", "[wd][timing]") {
  WdBench b;
  b.open();
  const auto read_time = [&] {
    const Time before = b.rig.now;
    b.rig.load(WdBench::ram + 0x2000, 2);
    return b.rig.now - before;
  };
  const Time idle = read_time();
  CHECK(read_time() == idle);
  b.send(make_frame(1514, broadcast_mac, 7));
  Time longest{};
  for (int n = 0; n < 200; ++n) longest = std::max(longest, read_time());
  CHECK(longest > idle);
  CHECK(longest < idle + 1_us);
}

TEST_CASE("WD: IBM's board has the 8003's POS and an 8-bit data path", "[wd][pos]") {
  Rig rig;
  bus::Slot slot(0, 16, rig.wiring());
  const auto card = WdCard::ethernet_a.make({slot, nullptr, {}, {}, 1}).card;
  CHECK(card->pos_peek(0) == 0xE5);
  CHECK(card->pos_peek(1) == 0xEF);
  card->pos_write(3, 0xD2, rig.now);
  card->pos_write(5, 0x03, rig.now);
  card->pos_write(2, 0x29, rig.now);  // 280h
  CHECK(rig.bus.io().find(0x280) != nullptr);
  CHECK(rig.bus.io().find(0x2A0) == nullptr);
  rig.out(0x280, 0x40);
  rig.store(0xD0000, 0x55AA, 2);
  const Time before = rig.now;
  CHECK(rig.load(0xD0000, 2) == 0x55AA);
  const Time word = rig.now - before;
  rig.load(0xD0000, 1);
  CHECK(word > rig.now - before - word + 150_ns);  // two 8-bit cycles
  CHECK((card->pos_peek(5) & 0x80) != 0);          // no channel check
}
