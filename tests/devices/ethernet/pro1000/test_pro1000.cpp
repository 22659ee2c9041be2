// SPDX-License-Identifier: GPL-2.0-or-later
// PRO/1000 as used by Intel's driver 2.5.11: identity, EEPROM, reset, link, transmission and reception, statistics.
#include "core/common/error.hpp"
#include "tests/devices/ethernet/pro1000/pro1000_bench.hpp"

using namespace planar;
using namespace planar::test;

TEST_CASE("PRO/1000: identity in configuration space") {
  const bool is_82543 = GENERATE(false, true);
  Pro1000Bench b({.is_82543 = is_82543});
  CHECK(b.rig.config(9, pci::VENDOR_ID) == (is_82543 ? 0x10018086u : 0x10008086u));
  CHECK(b.rig.config(9, pci::REVISION_ID, 1) == (is_82543 ? 2 : 3));
  CHECK(b.rig.config(9, 0x0A, 2) == 0x0200);
  CHECK(b.rig.config(9, pci::SUBSYSTEM_VENDOR_ID) == (is_82543 ? 0x10038086u : 0x10008086u));
  CHECK(((b.rig.config(9, pci::STATUS, 2) & pci::CAPABLE_66MHZ) != 0) == is_82543);
  b.rig.set_config(9, pci::BAR0, ~0u);
  CHECK(b.rig.config(9, pci::BAR0) == 0xFFFE0000);
}

TEST_CASE("PRO/1000: the EEPROM holds the address and a correct checksum") {
  Pro1000Bench b({.is_82543 = GENERATE(false, true)});
  b.stop();
  std::uint16_t sum = 0;
  for (unsigned n = 0; n < 64; ++n) sum = static_cast<std::uint16_t>(sum + b.eeprom(n));
  CHECK(sum == 0xBABA);
  CHECK(b.eeprom(0) == 0x0300);
  CHECK(b.eeprom(1) == 0x0147);
  CHECK(b.eeprom(2) == 0x0302);
  CHECK((b.eeprom(0x0F) & 0x3000) == 0x3000);
  // The chip has loaded its address.
  CHECK(b.get(e1000::RA) == 0x01470300);
  CHECK(b.get(e1000::RA + 4) == 0x80000302);
}

TEST_CASE("PRO/1000: each chip has its registers only at the addresses of its map") {
  const bool is_82543 = GENERATE(false, true);
  Pro1000Bench b({.is_82543 = is_82543});
  b.stop();
  const std::uint32_t base = b.memory_base;
  b.rig.store(base + 0x2800, 0x12340);
  b.rig.step(1_us);
  CHECK(b.rig.load(base + 0x2800) == (is_82543 ? 0x12340u : 0u));
  CHECK(b.rig.load(base + 0x110) == (is_82543 ? 0x12340u : 0u));
  b.rig.store(base + 0x110, 0x43210);  // the 82543 answers there, too
  b.rig.step(1_us);
  CHECK(b.rig.load(base + 0x110) == (is_82543 ? 0x43210u : 0x43000u));  // the 82542's rings begin at pages
  CHECK(b.rig.load(base + 0x2828) == (is_82543 ? 0x01010000u : 0u));
  b.rig.store(base + 0x200 + 4 * 5, 0xA5A5A5A5);
  b.rig.step(1_us);
  CHECK(b.rig.load(base + 0x5200 + 4 * 5) == (is_82543 ? 0xA5A5A5A5u : 0u));
  CHECK(b.rig.load(base + 0x1F000) == 0);
  CHECK((b.get(e1000::STATUS) >> 5 & 1) == (is_82543 ? 1 : 0));
}

// Linux 6.1's e1000_reg_test() (ethtool -t): what is written, and which of its bits read back.
TEST_CASE("PRO/1000: the registers keep the bits that the real driver's register test expects") {
  const bool is_82543 = GENERATE(false, true);
  Pro1000Bench b({.is_82543 = is_82543});
  b.stop();
  const auto pattern = [&](std::uint32_t reg, std::uint32_t mask, std::uint32_t write) {
    for (const std::uint32_t value : {0x5A5A5A5Au, 0xA5A5A5A5u, 0u, ~0u}) {
      CAPTURE(is_82543, reg, value);
      b.put(reg, value & write);
      CHECK(b.get(reg) == (value & write & mask));
    }
  };
  const auto check = [&](std::uint32_t reg, std::uint32_t mask, std::uint32_t write) {
    CAPTURE(is_82543, reg, write);
    b.put(reg, write & mask);
    CHECK((b.get(reg) & mask) == (write & mask));
  };
  constexpr std::uint32_t toggle = 0xFFFFF833;
  const std::uint32_t status = b.get(e1000::STATUS);
  b.put(e1000::STATUS, toggle);
  CHECK((b.get(e1000::STATUS) & toggle) == (status & toggle));
  pattern(e1000::FCAL, ~0u, ~0u);
  pattern(e1000::FCAH, 0xFFFF, ~0u);
  pattern(e1000::FCT, 0xFFFF, ~0u);
  pattern(e1000::VET, 0xFFFF, ~0u);
  pattern(e1000::RDTR, 0xFFFF, ~0u);
  pattern(e1000::RDBAH, ~0u, ~0u);
  pattern(e1000::RDLEN, 0xFFF80, 0xFFFFF);
  pattern(e1000::RDH, 0xFFFF, 0xFFFF);
  pattern(e1000::RDT, 0xFFFF, 0xFFFF);
  pattern(e1000::FCRTH, 0xFFF8, 0xFFF8);
  pattern(e1000::FCTTV, 0xFFFF, 0xFFFF);
  pattern(e1000::TIPG, 0x3FFFFFFF, 0x3FFFFFFF);
  pattern(e1000::TDBAH, ~0u, ~0u);
  pattern(e1000::TDLEN, 0xFFF80, 0xFFFFF);
  check(e1000::RCTL, ~0u, 0);
  check(e1000::RCTL, 0x06DFB3FE, 0x003FFFFB);
  check(e1000::TCTL, ~0u, 0);
  if (is_82543) {
    check(e1000::RCTL, 0x06DFB3FE, ~0u);
    pattern(e1000::RDBAL, 0xFFFFFFF0, ~0u);
    pattern(e1000::TXCW, 0xC000FFFF, 0xFFFF);
    pattern(e1000::TDBAL, 0xFFFFFFF0, ~0u);
    pattern(e1000::TIDV, 0xFFFF, 0xFFFF);
    for (unsigned n = 0; n < 16; ++n) pattern(e1000::RA + 8 * n + 4, 0x8003FFFF, ~0u);
  } else {
    check(e1000::RCTL, ~0u, 0x01FFFFFF);
    pattern(e1000::RDBAL, 0xFFFFF000, ~0u);
    pattern(e1000::TXCW, 0xFFFF, 0xFFFF);
    pattern(e1000::TDBAL, 0xFFFFF000, ~0u);
  }
  for (unsigned n = 0; n < 128; ++n) pattern(e1000::MTA + 4 * n, ~0u, ~0u);
}

TEST_CASE("PRO/1000: CTRL.RST restores the reset values and clears itself") {
  Pro1000Bench b;
  b.open();
  b.set(e1000::RDTR, 77);
  b.put(e1000::CTRL, 1u << 26);
  b.rig.step(10_us);
  CHECK_FALSE(b.get(e1000::CTRL) & 1u << 26);
  CHECK(b.get(e1000::CTRL) & 8);  // the link is held in reset, as specified by the EEPROM
  CHECK(b.get(e1000::RDTR) == 0);
  CHECK(b.get(e1000::RDLEN) == 0);
  CHECK(b.get(e1000::IMS) == 0);
  CHECK_FALSE(b.get(e1000::STATUS) & 2);
}

TEST_CASE("PRO/1000: STATUS reports the bus") {
  CHECK((Pro1000Bench({.width = 64, .clock = 15_ns}).get(e1000::STATUS) & 0x1800) == 0x1800);
  CHECK((Pro1000Bench({.width = 64}).get(e1000::STATUS) & 0x1800) == 0x1000);
  CHECK((Pro1000Bench().get(e1000::STATUS) & 0x1800) == 0);
  // An 82542 reduces its segment's clock.
  Pro1000Bench old({.is_82543 = false, .width = 64, .clock = 15_ns});
  CHECK(old.rig.segment.timing().clock == 30_ns);
}

TEST_CASE("PRO/1000: negotiation brings up the link three link timers after both ends are present") {
  Pro1000Bench b({.is_82543 = GENERATE(false, true)});
  b.set(e1000::IMC, ~0u);
  b.stop();
  CHECK_FALSE(b.get(e1000::STATUS) & 2);
  b.init();
  CHECK(b.looked == 3);
  CHECK(b.get(e1000::STATUS) & 3);
  CHECK(b.get(e1000::ICR) & e1000::LSC);
  CHECK(b.get(e1000::RXCW) >> 31);
  CHECK((b.get(e1000::RXCW) & 0x01FF) == 0x20);  // the other end does full duplex without pause
  CHECK((b.get(e1000::CTRL) & 3u << 27) == 0);
  SECTION("the other end is unplugged and plugged in again") {
    b.other.port.set_plugged(false, b.rig.now);
    CHECK_FALSE(b.get(e1000::STATUS) & 2);
    const std::uint32_t causes = b.get(e1000::ICR);
    CHECK(causes & e1000::LSC);
    CHECK(causes & e1000::RXSEQ);
    CHECK(b.get(e1000::CTRL) & 1u << 19);  // no light
    b.other.port.set_plugged(true, b.rig.now);
    b.rig.step(29'000_us);
    CHECK_FALSE(b.get(e1000::STATUS) & 2);
    b.rig.step(2'000_us);
    CHECK(b.get(e1000::STATUS) & 2);
    CHECK_FALSE(b.get(e1000::CTRL) & 1u << 19);
  }
  SECTION("a driver that advertises only pause, as NetBSD's wm does, has a link") {
    b.set(e1000::TXCW, 0x80000180);
    b.put(e1000::CTRL, b.get(e1000::CTRL) & ~0x40u);
    b.rig.step(31'000_us);
    CHECK(b.get(e1000::STATUS) & 2);
  }
  SECTION("an end that does not negotiate needs a forced link") {
    b.other.port.set_pcs({false, 0}, b.rig.now);
    b.rig.step(500'000_us);
    CHECK_FALSE(b.get(e1000::STATUS) & 2);
    CHECK_FALSE(b.get(e1000::RXCW) & 1u << 29);  // CheckForLink() looks for this
    b.set(e1000::TXCW, 0x1A0);
    b.put(e1000::CTRL, b.get(e1000::CTRL) | 0x41);
    CHECK(b.get(e1000::STATUS) & 2);
    b.other.port.set_pcs({true, 0x20}, b.rig.now);
    CHECK(b.get(e1000::RXCW) & 1u << 29);  // it negotiates now, and so does the driver
    b.set(e1000::TXCW, 0x800001A0);
    b.put(e1000::CTRL, b.get(e1000::CTRL) & ~0x40u);
    b.rig.step(31'000_us);
    CHECK(b.get(e1000::STATUS) & 2);
  }
}

TEST_CASE("PRO/1000: without a link partner there is no signal and no link") {
  Pro1000Bench b({.plugged = false});
  b.stop();
  b.init();
  CHECK(b.looked == 0);
  CHECK(b.get(e1000::CTRL) & 1u << 19);
  CHECK_FALSE(b.get(e1000::STATUS) & 2);
}

TEST_CASE("PRO/1000: frames are sent and received with the driver's rings") {
  Pro1000Bench b({.is_82543 = GENERATE(false, true)});
  b.open();
  for (unsigned n = 0; n < 200; ++n) {
    const unsigned entry = b.send(body(60 + n, static_cast<std::uint8_t>(n)));
    b.rig.step(20_us);
    REQUIRE(b.sent(entry));
    REQUIRE(b.other.arrivals.size() == n + 1);
    CHECK(b.other.arrivals.back().ok);
    CHECK(without_fcs(b.other.arrivals.back().bytes) == body(60 + n, static_cast<std::uint8_t>(n)));
    b.hear(make_frame(60 + n, b.own, static_cast<std::uint8_t>(n)));
    CHECK(b.interrupt());
    CHECK(b.handle() & e1000::RXT0);
    CHECK_FALSE(b.interrupt());
    REQUIRE(b.received.size() == n + 1);
    CHECK(b.received.back() == without_fcs(make_frame(60 + n, b.own, static_cast<std::uint8_t>(n))));
    CHECK((b.statuses.back() & 0xFF03) == 3);
  }
  CHECK(b.get(e1000::GPTC) == 200);
  CHECK(b.get(e1000::GPRC) == 200);
  CHECK(b.get(e1000::GPRC) == 0);  // reading clears
  std::uint32_t bytes = 0;
  for (unsigned n = 0; n < 200; ++n) bytes += 64 + n;
  CHECK(b.get(e1000::GOTCL) == bytes);
  CHECK(b.get(e1000::GOTCH) == 0);  // reading this one clears both halves
  CHECK(b.get(e1000::GOTCL) == 0);
}

TEST_CASE("PRO/1000: a short frame is padded with TCTL.PSP, and has no FCS without IFCS") {
  Pro1000Bench b;
  b.open();
  const Bytes one = body(20);
  b.queue(one, b.eop | b.ifcs | b.rs);
  b.put(e1000::TDT, b.next_tx);
  b.rig.step(20_us);
  REQUIRE(b.other.arrivals.size() == 1);
  CHECK(b.other.arrivals[0].length == 64);
  CHECK(b.other.arrivals[0].ok);
  b.queue(make_frame(100), b.eop | b.rs);
  b.put(e1000::TDT, b.next_tx);
  b.rig.step(20_us);
  REQUIRE(b.other.arrivals.size() == 2);
  CHECK(b.other.arrivals[1].length == 104);
  CHECK(b.other.arrivals[1].ok);
}

TEST_CASE("PRO/1000: a frame in several descriptors") {
  Pro1000Bench b({.is_82543 = GENERATE(false, true)});
  b.open();
  const Bytes whole = body(700, 3);
  b.queue(Bytes(whole.begin(), whole.begin() + 14), b.ifcs | b.rs);
  b.queue(Bytes(), b.ifcs | b.rs);
  b.queue(Bytes(whole.begin() + 14, whole.begin() + 400), b.ifcs);
  const unsigned last = b.queue(Bytes(whole.begin() + 400, whole.end()), b.eop | b.ifcs | b.rs);
  b.put(e1000::TDT, b.next_tx);
  b.rig.step(50_us);
  REQUIRE(b.other.arrivals.size() == 1);
  CHECK(without_fcs(b.other.arrivals[0].bytes) == whole);
  CHECK(b.sent(last));
  CHECK_FALSE(b.sent(last - 1));  // it did not request a report
}

TEST_CASE("PRO/1000: receive filters") {
  Pro1000Bench b({.is_82543 = GENERATE(false, true)});
  b.open();
  const MacAddress group{0x01, 0xAA, 0x00, 0x12, 0x34, 0x56}, stranger{0x00, 0x11, 0x22, 0x33, 0x44, 0x55};
  const auto comes = [&](const MacAddress& to) {
    b.received.clear();
    b.hear(make_frame(60, to));
    b.handle();
    return !b.received.empty();
  };
  CHECK(comes(b.own));
  CHECK(comes(broadcast_mac));
  CHECK_FALSE(comes(group));
  CHECK_FALSE(comes(stranger));
  SECTION("a second receive address") {
    b.set(e1000::RA + 8, 0x33221100);
    b.put(e1000::RA + 12, 0x80005544);
    CHECK(comes(stranger));
    b.put(e1000::RA + 12, 0x00005544);
    CHECK_FALSE(comes(stranger));
  }
  SECTION("the multicast table, by each choice of address bits") {
    // According to the driver's formulas.
    const std::uint32_t hashes[] = {0x563, 0xAC6, 0x58D, 0x634};
    for (std::uint32_t mo = 0; mo < 4; ++mo) {
      for (unsigned n = 0; n < 128; ++n) b.set(e1000::MTA + 4 * n, 0);
      b.put(e1000::RCTL, 2 | 1u << 15 | mo << 12);
      CHECK_FALSE(comes(group));
      b.put(e1000::MTA + 4 * (hashes[mo] >> 5), 1u << (hashes[mo] & 31));
      CHECK(comes(group));
      CHECK(b.statuses.back() & 0x80);  // passed, but not by an exact match
    }
  }
  SECTION("all multicast and promiscuous") {
    b.put(e1000::RCTL, 2 | 1u << 15 | 1u << 4);
    CHECK(comes(group));
    CHECK_FALSE(comes(stranger));
    b.put(e1000::RCTL, 2 | 1u << 3);
    CHECK(comes(stranger));
  }
  SECTION("no broadcasts") {
    b.put(e1000::RCTL, 2 | 1u << 3);  // all unicast frames, and no others
    CHECK_FALSE(comes(broadcast_mac));
    b.put(e1000::RCTL, 2 | 1u << 4);
    CHECK(comes(broadcast_mac));
    b.put(e1000::RCTL, 2);
    CHECK_FALSE(comes(broadcast_mac));
    b.put(e1000::MTA + 4 * 127, 1u << 31);
    CHECK(comes(broadcast_mac));
  }
  SECTION("damaged, short and long frames are dropped and counted") {
    b.received.clear();
    b.hear(damaged(make_frame(60, b.own)));
    b.hear(make_frame(30, b.own));
    b.hear(make_frame(1600, b.own));
    b.handle();
    CHECK(b.received.empty());
    const auto counted = [&] { return std::array{b.get(0x4000), b.get(0x40A4), b.get(0x40AC), b.get(e1000::RLEC)}; };
    CHECK(counted() == std::array{1u, 1u, 1u, 2u});
    for (const Bytes& bad : {damaged(make_frame(60, stranger)), make_frame(30, stranger), make_frame(1600, stranger)})
      b.hear(bad);
    CHECK(counted() == std::array{0u, 0u, 0u, 0u});  // nor does a filter accept them
    b.put(e1000::RCTL, 2 | 1u << 15 | 4 | 0x20);     // store bad packets, long packets
    b.hear(damaged(make_frame(60, b.own)));
    b.hear(make_frame(1600, b.own));
    b.handle();
    REQUIRE(b.received.size() == 2);
    CHECK(b.statuses[b.statuses.size() - 2] >> 8 == 1);  // CE
    CHECK(b.received[1].size() == 1600);
  }
}

TEST_CASE("PRO/1000: a frame longer than a buffer uses several") {
  Pro1000Bench b;
  b.open(0, 128, 3u << 16);  // 256 bytes
  b.hear(make_frame(600, b.own, 9));
  b.handle();
  REQUIRE(b.received.size() == 3);
  CHECK((b.statuses[0] & 3) == 1);
  CHECK((b.statuses[2] & 3) == 3);
  Bytes all;
  for (const Bytes& part : b.received) all.insert(all.end(), part.begin(), part.end());
  CHECK(all == without_fcs(make_frame(600, b.own, 9)));
}

TEST_CASE("PRO/1000: the 82543 checks and inserts checksums") {
  Pro1000Bench b;
  b.open();
  // IP 192.0.2.1 to 192.0.2.2, UDP 5000 to 9, data 1 2 3 4.
  const Bytes packet{0x00, 0x03, 0x47, 0x01, 0x02, 0x03, 0x02, 0,  0,    0,    0,   1, 0x08, 0x00, 0x45, 0,
                     0,    32,   0,    1,    0,    0,    64,   17, 0xF6, 0xC8, 192, 0, 2,    1,    192,  0,
                     2,    2,    0x13, 0x88, 0,    9,    0,    12, 0x64, 0x3B, 1,   2, 3,    4};
  Bytes framed = packet;
  framed.resize(60);
  Bytes good = framed;
  append_fcs(good);
  b.put(e1000::RXCSUM, 0x300 | 14);
  b.hear(good);
  b.handle();
  REQUIRE(b.statuses.size() == 1);
  CHECK((b.statuses[0] & 0xFF64) == 0x60);  // IPCS, TCPCS, no error
  Bytes bad = framed;
  bad[24] ^= 1;
  bad[42] ^= 1;
  append_fcs(bad);
  b.hear(bad);
  Bytes bad_udp = framed;
  bad_udp[42] ^= 1;
  append_fcs(bad_udp);
  b.hear(bad_udp);
  b.handle();
  REQUIRE(b.statuses.size() == 3);
  CHECK((b.statuses[1] & 0x4040) == 0x4040);  // IPE
  CHECK((b.statuses[2] & 0x6060) == 0x2060);  // TCPE
  b.put(e1000::RXCSUM, 0);
  b.hear(good);
  b.handle();
  CHECK((b.statuses.back() & 0x64) == 0x04);  // IXSM

  // The same packet, with its checksums left to the chip: a context descriptor, then the data.
  Bytes blank = packet;
  blank[24] = blank[25] = 0;
  // the pseudo header's sum as set by the protocol stack: addresses, protocol, length
  const std::uint32_t pseudo = 0xC000 + 0x0201 + 0xC000 + 0x0202 + 17 + 12;
  blank[40] = static_cast<std::uint8_t>((pseudo + (pseudo >> 16)) >> 8);
  blank[41] = static_cast<std::uint8_t>(pseudo + (pseudo >> 16));
  const std::uint32_t context = b.tx_ring + 16 * b.next_tx;
  b.rig.put(context, {14, 24, 33, 0, 34, 40, 0, 0});
  b.rig.put32(context + 8, 0x20000000);
  b.rig.put32(context + 12, 0);
  ++b.next_tx;
  const unsigned n = b.queue(blank, b.eop | b.ifcs | b.rs | 0x20100000);
  b.rig.put32(b.tx_ring + 16 * n + 12, 3 << 8);
  b.put(e1000::TDT, b.next_tx);
  b.rig.step(20_us);
  REQUIRE(b.other.arrivals.size() == 1);
  CHECK(b.other.arrivals[0].ok);
  CHECK(without_fcs(b.other.arrivals[0].bytes) == framed);
}

TEST_CASE("PRO/1000: VLAN tags are filtered, stripped and inserted") {
  Pro1000Bench b;
  b.open();
  b.set(e1000::VET, 0x8100);
  b.set(e1000::VFTA + 4 * (5 / 32), 1u << 5);
  b.put(e1000::RCTL, 2 | 1u << 15 | 1u << 18);
  Bytes plain = without_fcs(make_frame(80, b.own)), tagged = plain;
  const auto with_tag = [&](std::uint8_t vlan) {
    Bytes f = plain;
    const Bytes tag{0x81, 0x00, 0x20, vlan};
    f.insert(f.begin() + 12, tag.begin(), tag.end());
    append_fcs(f);
    return f;
  };
  b.hear(with_tag(6));
  b.hear(with_tag(5));
  b.handle();
  REQUIRE(b.received.size() == 1);
  CHECK(b.received[0] == without_fcs(with_tag(5)));
  b.put(e1000::CTRL, b.get(e1000::CTRL) | 1u << 30);
  b.hear(with_tag(5));
  b.handle();
  REQUIRE(b.received.size() == 2);
  CHECK(b.received[1] == plain);
  CHECK(b.statuses[1] & 8);
  CHECK(b.rig.get32(b.rx_ring + 16 + 12) >> 16 == 0x2005);
  const unsigned n = b.queue(plain, b.eop | b.ifcs | b.rs | 64u << 24);
  b.rig.put32(b.tx_ring + 16 * n + 12, 0x20050000);
  b.put(e1000::TDT, b.next_tx);
  b.rig.step(20_us);
  REQUIRE(b.other.arrivals.size() == 1);
  CHECK(b.other.arrivals[0].bytes == with_tag(5));
}

TEST_CASE("PRO/1000: in loopback a frame is received and not sent") {
  Pro1000Bench b;
  b.open(0, 128, 1u << 6);
  b.send(without_fcs(make_frame(200, b.own)));
  b.rig.step(20_us);
  b.handle();
  REQUIRE(b.received.size() == 1);
  CHECK(b.received[0] == without_fcs(make_frame(200, b.own)));
  CHECK(b.other.arrivals.empty());
}
