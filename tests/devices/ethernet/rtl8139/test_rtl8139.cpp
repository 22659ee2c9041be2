// SPDX-License-Identifier: GPL-2.0-or-later
// The RTL8139 driven by the sequence of its Linux driver: registers, set-up, link, frames in both directions.
#include "tests/devices/ethernet/rtl8139/rtl8139_bench.hpp"

using namespace planar;
using namespace planar::test;

namespace {

const Description& part(const Description& d, std::string_view name) {
  const Description* found = d.find_part(name);
  INFO("part " << std::string(name));
  REQUIRE(found);
  return *found;
}
std::uint64_t value(const Description& d, std::string_view name) {
  const Field* found = d.find_field(name);
  INFO("field " << std::string(name));
  REQUIRE(found);
  return found->value;
}

}  // namespace

TEST_CASE("RTL8139: configuration header and base addresses", "[rtl8139]") {
  Rtl8139Bench b;
  CHECK(b.rig.config(9, 0x00) == 0x813910EC);
  CHECK(b.rig.config(9, 0x08) == 0x02000010);
  CHECK(b.rig.config(9, 0x2C) == 0x813910EC);
  CHECK(b.rig.config(9, 0x3C) >> 16 == 0x4020);
  b.rig.set_config(9, 0x10, UINT32_MAX);
  CHECK(b.rig.config(9, 0x10) == 0xFFFFFF01);
  b.rig.set_config(9, 0x14, UINT32_MAX);
  CHECK(b.rig.config(9, 0x14) == 0xFFFFFF00);
  b.rig.set_config(9, 0x10, Rtl8139Bench::io_base);
  b.rig.set_config(9, 0x14, Rtl8139Bench::memory_base);
  CHECK(b.in(0x5E) == 0x10);
  CHECK(b.rig.load(Rtl8139Bench::memory_base + 0x40) == 0x70000000);  // the same registers, revision A
}

TEST_CASE("RTL8139: the probe reads the EEPROM, with doubleword reads as delays, and powers the chip down",
          "[rtl8139]") {
  Rtl8139Bench b;
  b.probe();
  CHECK(b.found == std::array<std::uint16_t, 4>{0x8129, 0x0000, 0x12E8, 0x5634});
  CHECK(b.in(0x52) == 0x0F);  // power down and sleep, in addition to the two mapping bits
  // Without 9346CR at C0h CONFIG1 is locked.
  b.out(0x50, 0x00);
  b.out(0x52, 0x00);
  CHECK(b.in(0x52) == 0x0F);
}

TEST_CASE("RTL8139: open leaves power-down: reset, addresses, thresholds after the enables", "[rtl8139]") {
  Rtl8139Bench b;
  b.step(2_ms);
  b.probe();
  const int polls = b.open();
  CHECK(polls > 2);
  CHECK(polls < 1000);
  CHECK(b.partner == 0x41E1);
  CHECK(b.in(0x37) == (Rtl8139::RE | Rtl8139::TE | Rtl8139::BUFE));
  CHECK(b.in(0x44, 4) == 0x9C0E);
  CHECK(b.in(0x40, 4) == 0x73000400);
  CHECK(b.in(0x52) == 0x6C);
  CHECK(b.in(0x38, 4) == 0x0000FFF0);
  CHECK(b.in(0x3C, 2) == 0xC07F);
  CHECK(b.in(0x00, 4) == 0x12E80000);
  CHECK(b.in(0x04, 2) == 0x5634);
  CHECK(b.in(0x60, 2) == 0x000F);  // four slots, all owned by the driver
}

TEST_CASE("RTL8139: thresholds cannot be set before the enables; addresses are written as doublewords", "[rtl8139]") {
  Rtl8139Bench b;
  b.out(0x44, 0x9C0F, 4);
  b.out(0x40, 0x03000400, 4);
  CHECK(b.in(0x44, 4) == 0);
  CHECK(b.in(0x40, 4) == 0x70000000);
  b.out(0x00, 0x55);
  b.out(0x02, 0x5555, 2);
  CHECK(b.in(0x00, 4) == 0x12E80000);
  b.out(0x00, 0x44332211, 4);
  CHECK(b.in(0x00, 4) == 0x12E80000);
  b.out(0x50, 0xC0);  // also with the configuration unlocked
  b.out(0x00, 0x55);
  CHECK(b.in(0x00, 4) == 0x12E80000);
  b.out(0x00, 0x44332211, 4);
  CHECK(b.in(0x01) == 0x22);
  b.out(0x50, 0x40);  // autoload
  CHECK(b.in(0x00, 4) == 0x12E80000);
  CHECK(b.in(0x50) == 0);
  b.out(0x08, 0x12345678, 4);
  b.out(0x08, 0, 1);
  CHECK(b.in(0x0A, 2) == 0x1234);
}

TEST_CASE("RTL8139: writing TCR needs TE and RCR needs RE, in any width; clearing the enables keeps the values",
          "[rtl8139]") {
  Rtl8139Bench b;
  const bool receiver = GENERATE(false, true);
  b.out(0x37, receiver ? Rtl8139::RE : Rtl8139::TE);
  b.out(0x44, 0x9C0F, 4);
  b.out(0x40, 0x03000400, 4);
  CHECK(b.in(0x44, 4) == (receiver ? 0x9C0Fu : 0u));
  CHECK(b.in(0x40, 4) == (receiver ? 0x70000000u : 0x73000400u));
  b.out(0x44, 0x05);
  b.out(0x45, 0x83);
  b.out(0x40, 0x06F0, 2);
  CHECK(b.in(0x44, 4) == (receiver ? 0x8305u : 0u));
  CHECK(b.in(0x40, 4) == (receiver ? 0x70000000u : 0x730006F0u));
  b.out(0x37, 0);
  b.out(0x44, 0, 4);
  b.out(0x40, 0, 4);
  CHECK(b.in(0x44, 4) == (receiver ? 0x8305u : 0u));
  CHECK(b.in(0x40, 4) == (receiver ? 0x70000000u : 0x730006F0u));
}

TEST_CASE("RTL8139: link, media status and partner, before and after the link is up, in any width", "[rtl8139]") {
  Rtl8139Bench b(Rtl8139Bench::Settings{{"phy.negotiation", "5000us"}});
  CHECK(b.in(0x58) == (Rtl8139::LINKB | Rtl8139::SPEED_10));
  CHECK(b.in(0x64, 2) == 0x7809);
  CHECK(b.in(0x68, 2) == 0);
  CHECK(b.in(0x62, 2) == 0x3000);
  CHECK((b.in(0x74, 2) & 0x0C00) == 0);
  b.step(6_ms);
  CHECK(b.in(0x58) == 0);
  CHECK((b.in(0x74, 4) & 0x0C00) == 0x0C00);
  CHECK((b.in(0x74, 2) & 0x0C00) == 0x0400);
  CHECK(b.in(0x68) == 0xE1);
  CHECK(b.in(0x69) == 0x41);
  CHECK(b.in(0x68, 4) == 0x000341E1);
  CHECK(b.in(0x6A, 2) == 1);  // the page received bit has been read
  CHECK(b.in(0x64, 4) == 0x01E17829);
  CHECK(b.in(0x64, 2) == 0x782D);
  // Three bits of BMCR are locked with the configuration: speed, negotiation, duplex. ANAR is not.
  b.out(0x62, 0x2100, 2);
  CHECK(b.in(0x62, 2) == 0x3000);
  b.out(0x66, 0x0081, 2);
  CHECK(b.in(0x66, 2) == 0x0081);
  b.out(0x62, 0x3200, 2);  // restarts the negotiation
  CHECK(b.in(0x58) & Rtl8139::LINKB);
  b.step(6_ms);
  CHECK_FALSE(b.in(0x58) & Rtl8139::LINKB);
  b.out(0x50, 0xC0);
  b.out(0x62, 0x2100, 2);
  CHECK(b.in(0x62, 2) == 0x2100);
}

TEST_CASE("RTL8139: a 10 Mbit/s half-duplex segment is reported as one", "[rtl8139]") {
  Rtl8139Bench b(Rtl8139Bench::Settings{{"phy.negotiation", "1000us"}}, EthernetConfig{});
  b.start();
  CHECK(b.partner == 0x4021);
  CHECK(b.in(0x58) == Rtl8139::SPEED_10);
  CHECK(b.in(0x52) == 0x2C);
  b.start_xmit(body(100));
  b.step(200_us);
  b.handle();
  REQUIRE(b.sent.size() == 1);
  CHECK((b.sent[0] & 0xF000F000) == 0xA000);  // TOK and OWN; no carrier bit at 10 Mbit/s
}

TEST_CASE("RTL8139: unplugging and plugging the cable interrupts with the packet underrun bit", "[rtl8139][cable]") {
  Rtl8139Bench b;
  b.start();
  b.handle();
  b.chip().port().set_plugged(false, b.now());
  b.step(1_us);
  CHECK(b.interrupt());
  CHECK(b.handle() & Rtl8139::PUN);
  CHECK(b.link_changes == 1);
  CHECK(b.in(0x68, 2) == 0);
  b.chip().port().set_plugged(true, b.now());
  b.step(2_ms);
  b.handle();
  CHECK(b.link_changes == 2);
  CHECK_FALSE(b.interrupt());
}

TEST_CASE("RTL8139: a frame's slot is returned when it has been read; the interrupt follows when it has been sent",
          "[rtl8139]") {
  Rtl8139Bench b;
  b.start();
  const Bytes frame = body(1514);
  const unsigned slot = b.start_xmit(frame);
  CHECK_FALSE(b.in(0x10, 4) & Rtl8139::OWN);
  b.step(40_us);
  CHECK((b.in(0x10, 4) & (Rtl8139::OWN | Rtl8139::TOK)) == Rtl8139::OWN);
  CHECK(b.other.begins.size() == 1);
  CHECK(b.other.arrivals.empty());
  CHECK_FALSE(b.interrupt());
  b.step(200_us);
  CHECK(b.interrupt());
  CHECK(b.in(0x60, 2) == 0x100F);
  CHECK(b.handle() == Rtl8139::TOK_INT);
  CHECK_FALSE(b.interrupt());
  REQUIRE(b.sent.size() == 1);
  CHECK(b.sent[0] == (Rtl8139::CRS | 8 << 16 | Rtl8139::TOK | Rtl8139::OWN | 1514u));
  REQUIRE(b.other.arrivals.size() == 1);
  CHECK(without_fcs(b.other.arrivals[0].bytes) == frame);
  CHECK(b.other.arrivals[0].ok);
  CHECK(slot == 0);
  CHECK(b.received.empty());  // a station does not hear itself
}

TEST_CASE("RTL8139: a received frame is stored in the ring with its header, which is written last", "[rtl8139]") {
  Rtl8139Bench b;
  b.start();
  const Bytes frame = b.for_us(1514, 3);
  const auto bus = b.rig.segment.counters();
  b.other.port.transmit(frame, b.now());
  b.step(110_us);
  // Under way: the data are in the ring, the header and CBR are not yet.
  CHECK(b.rig.get(Rtl8139Bench::ring + 4, 512) == Bytes(frame.begin(), frame.begin() + 512));
  CHECK(b.rig.get32(Rtl8139Bench::ring) == 0);
  CHECK(b.in(0x37) & Rtl8139::BUFE);
  CHECK(b.in(0x3A, 2) == 0);
  b.step(30_us);
  CHECK(b.interrupt());
  CHECK(b.rig.segment.counters().transactions - bus.transactions == 7);
  CHECK(b.rig.segment.counters().bytes - bus.bytes == 1518 + 4);
  CHECK_FALSE(b.in(0x37) & Rtl8139::BUFE);
  CHECK(b.in(0x3A, 2) == 1524);  // header, frame and FCS, rounded up
  CHECK(b.handle() == Rtl8139::ROK);
  REQUIRE(b.headers.size() == 1);
  CHECK(b.headers[0] == (1518u << 16 | Rtl8139::PAM | Rtl8139::RSR_ROK));
  CHECK(b.received[0] == frame);
  CHECK(b.in(0x37) & Rtl8139::BUFE);
  CHECK(b.in(0x38, 2) == 1524 - 16);
}

TEST_CASE("RTL8139: the filter passes broadcasts, multicast groups, promiscuous", "[rtl8139]") {
  Rtl8139Bench b;
  b.start();
  const MacAddress group{0x01, 0x00, 0x5E, 0x00, 0x00, 0x05}, stranger{0x00, 0x00, 0xE8, 1, 2, 3};
  const unsigned bit = crc32_remainder(group) >> 26;
  const auto heard = [&](const MacAddress& to) {
    b.headers.clear();
    b.hear(make_frame(100, to));
    b.handle();
    return b.headers.empty() ? 0u : b.headers[0] & 0xFFFF;
  };
  CHECK(heard(broadcast_mac) == (Rtl8139::BAR | Rtl8139::RSR_ROK));
  CHECK(heard(group) == 0);
  CHECK(heard(stranger) == 0);
  b.set_rx_mode(0x0E, bit < 32 ? 1u << bit : 0, bit < 32 ? 0 : 1u << (bit - 32));
  CHECK(heard(group) == (Rtl8139::MAR | Rtl8139::RSR_ROK));
  b.set_rx_mode(0x0F, UINT32_MAX, UINT32_MAX);
  CHECK(heard(stranger) == Rtl8139::RSR_ROK);
  b.set_rx_mode(0x06);
  CHECK(heard(broadcast_mac) == 0);
  CHECK(heard(Rtl8139Bench::mac) == (Rtl8139::PAM | Rtl8139::RSR_ROK));
}

TEST_CASE("RTL8139: frames wrap at the ring's end, many times", "[rtl8139]") {
  Rtl8139Bench b;
  b.start();
  std::vector<Bytes> all;
  for (unsigned n = 0; n < 150; ++n) {
    all.push_back(b.for_us(700 + n * 5, static_cast<std::uint8_t>(n)));
    b.other.port.transmit(all.back(), b.now());
    b.step(140_us);
    if (n % 3 == 0) b.handle();
  }
  b.handle();
  CHECK(b.received == all);
  CHECK(b.missed == 0);
}

TEST_CASE("RTL8139: timer counts PCI clocks; TimerInt interrupts", "[rtl8139]") {
  Rtl8139Bench b;
  b.start();
  b.out(0x3E, 0xFFFF, 2);
  b.out(0x48, 1, 4);
  b.step(30_us);
  const std::uint32_t ticks = b.in(0x48, 4);
  CHECK(ticks >= 1000);
  CHECK(ticks < 1040);
  b.out(0x54, 10'000, 4);
  b.step(250_us);
  CHECK_FALSE(b.interrupt());
  b.step(30_us);
  CHECK(b.interrupt());
  CHECK(b.in(0x3E, 2) == Rtl8139::TIMEOUT);
  b.out(0x3E, Rtl8139::TIMEOUT, 2);
  CHECK_FALSE(b.interrupt());
}

TEST_CASE("RTL8139: its description matches its registers and has no side effects", "[rtl8139]") {
  Rtl8139Bench b;
  b.start();
  b.start_xmit(body(1514));
  b.other.port.transmit(b.for_us(1514), b.now());
  b.step(40_us);
  Archive before = Archive::saver(), after = Archive::saver();
  b.archive(before);
  Description d;
  b.card->describe(d);
  b.archive(after);
  CHECK(before.stream() == after.stream());
  const Description& chip = part(d, "RTL8139");
  CHECK(value(chip, "CR") == b.in(0x37));
  CHECK(value(chip, "RCR") == b.in(0x44, 4));
  CHECK(value(part(chip, "transmitter"), "TSD0") == b.in(0x10, 4));
  CHECK(value(part(chip, "receiver"), "CAPR") == b.in(0x38, 2));
}

TEST_CASE("RTL8139: close and reopen", "[rtl8139]") {
  Rtl8139Bench b;
  b.start();
  b.start_xmit(body(60));
  b.step(50_us);
  b.out(0x3C, 0, 2);
  b.out(0x37, 0);
  b.out(0x50, 0xC0);
  b.out(0x52, 0x03);
  b.out(0x5B, 'H');
  b.hear(b.for_us(100));
  CHECK(b.in(0x37) == Rtl8139::BUFE);
  b.open();
  b.start_xmit(body(61));
  b.hear(b.for_us(101));
  b.step(100_us);
  b.handle();
  REQUIRE(b.received.size() == 1);
  CHECK(b.received[0].size() == 105);
  REQUIRE(b.other.arrivals.size() == 2);
  CHECK(b.other.arrivals[1].length == 65);
}
