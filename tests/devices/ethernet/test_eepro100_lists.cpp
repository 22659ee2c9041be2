// SPDX-License-Identifier: GPL-2.0-or-later
// EtherExpress PRO/100+ beyond its Linux driver: command lists, both memory models, filters, loop-back.
#include "tests/devices/ethernet/eepro100_bench.hpp"

using namespace planar;
using namespace planar::test;
using ethernet::I8255x;

namespace {

/// Commands from 8000h on, 40h per block.
struct EePro100Lists : EePro100Bench {
  static constexpr std::uint32_t EL = 0x80000000, S = 0x40000000, I = 0x20000000;
  static constexpr std::uint32_t list = 0x8000;
  explicit EePro100Lists(bool wait = true) : EePro100Bench(true, wait) {}
  std::uint32_t block(unsigned n, std::uint32_t command, const Bytes& parameters = {}) {
    const std::uint32_t at = list + 0x40 * n;
    rig.put32(at, command);
    rig.put32(at + 4, at + 0x40);
    rig.put(at + 8, parameters);
    return at;
  }
  std::uint16_t status(unsigned n) const { return static_cast<std::uint16_t>(rig.get32(list + 0x40 * n)); }
  void command(std::uint8_t c, std::uint32_t pointer = 0) {
    wait_for_command();
    put(I8255x::SCB_POINTER, pointer, 4);
    put(I8255x::SCB_COMMAND, c, 1);
  }
  void start(std::uint32_t at = list) {
    command(0x10, at);
    rig.step(50_us);
  }
  std::uint8_t causes() { return static_cast<std::uint8_t>(get(I8255x::SCB_STAT_ACK, 1)); }
  void acknowledge() { put(I8255x::SCB_STAT_ACK, 0xFF, 1); }
  /// Configures with these changes from the defaults.
  void configure(std::vector<std::pair<unsigned, std::uint8_t>> changes) {
    Bytes bytes(ethernet::I8255xConfiguration::defaults.begin(), ethernet::I8255xConfiguration::defaults.end());
    for (const auto& c : changes) bytes[c.first] = c.second;
    block(0, EL | 0x20000, bytes);
    start();
    acknowledge();
  }
  void set_address() {
    block(0, EL | 0x10000, {own.begin(), own.end()});
    start();
    acknowledge();
  }
};

Bytes doublewords(std::initializer_list<std::uint32_t> list) {
  Bytes bytes;
  for (const std::uint32_t w : list)
    for (unsigned n = 0; n < 4; ++n) bytes.push_back(static_cast<std::uint8_t>(w >> (8 * n)));
  return bytes;
}

}  // namespace

TEST_CASE("8255x: a list of commands runs to its end; EL raises CNA and idles the unit, I raises CX") {
  EePro100Lists b(false);
  b.block(0, 0);
  b.block(1, b.I | 0x70000);  // diagnose
  b.block(2, b.EL);
  b.start();
  for (unsigned n = 0; n < 3; ++n) CHECK(b.status(n) == 0xA000);
  CHECK(b.causes() == (I8255x::CX | I8255x::CNA));
  CHECK((b.get(I8255x::SCB_STATUS, 1) & 0xC0) == 0);
}

TEST_CASE("8255x: a resume checks the suspend bit again") {
  EePro100Lists b(false);
  b.block(0, b.S);
  b.block(1, b.EL);
  b.start();
  CHECK(b.get(I8255x::SCB_STATUS, 1) == 0x40);
  CHECK(b.causes() == I8255x::CNA);
  b.acknowledge();
  b.command(0x20);  // the bit is still set
  b.rig.step(20_us);
  CHECK(b.get(I8255x::SCB_STATUS, 1) == 0x40);
  CHECK(b.status(1) == 0);
  b.rig.put32(b.list, 0xA000);
  b.command(0x20);
  b.rig.step(20_us);
  CHECK(b.status(1) == 0xA000);
  CHECK(b.get(I8255x::SCB_STATUS, 1) == 0);
  b.command(0x20);  // idle: ignored
  b.rig.step(20_us);
  CHECK(b.get(I8255x::SCB_STATUS, 1) == 0);
}

TEST_CASE("8255x: with CI configured only the idle state interrupts; CID delays CNA") {
  EePro100Lists b(false);
  b.configure({{6, 0x3A}});
  b.block(0, b.S);
  b.block(1, b.EL);
  b.start();
  CHECK(b.causes() == 0);
  b.rig.put32(b.list, 0);
  b.command(0x20);
  b.rig.step(20_us);
  CHECK(b.causes() == I8255x::CNA);
  b.configure({});
  b.block(0, b.EL | 5u << 24);
  b.start();
  CHECK(b.get(I8255x::SCB_STATUS, 1) == 0);
  CHECK(b.causes() == I8255x::CNA);  // 40 us later, for which start() waits
  b.acknowledge();
  b.block(0, b.EL | 31u << 24);
  b.start();
  CHECK(b.causes() == 0);
  b.rig.step(200_us);
  CHECK(b.causes() == I8255x::CNA);
}

TEST_CASE("8255x: the bases are added to pointers and links, and a reset clears them") {
  EePro100Lists b(false);
  b.command(0x60, 0x4000);
  b.rig.put32(b.list, 0);
  b.rig.put32(b.list + 4, 0x4100);
  b.rig.put32(0x8100, b.EL);
  b.start(0x4000);
  CHECK(b.rig.get32(0x8100) == (b.EL | 0xA000));
  b.port_reset();
  b.block(0, b.EL);
  b.start();
  CHECK(b.status(0) == 0xA000);
}

TEST_CASE("8255x: a selective reset keeps configuration and address, a software reset does not") {
  EePro100Lists b(false);
  b.configure({{15, 0xC9}});
  b.command(0x01, b.rx(0));
  CHECK(b.get(I8255x::SCB_STATUS, 1) == 0x10);
  b.put(I8255x::PORT, 2, 4);
  b.rig.step(10_us);
  CHECK(b.get(I8255x::SCB_STATUS, 1) == 0);
  CHECK(b.chip.configuration().promiscuous());
  b.port_reset();
  CHECK(b.chip.configuration() == ethernet::I8255xConfiguration{});
}

// Linux 6.1's e100 configures byte 6 so, and reads no statistics until the mark is there.
TEST_CASE("8255x: with TCO counters configured a dump of statistics has its mark at offset 80") {
  EePro100Lists b;
  b.set_address();
  b.configure({{6, 0x26}});
  b.block(0, b.EL | 0x40000, doublewords({0xFFFFFFFF, 0x00208000 | 100}));
  b.start();
  b.command(0x40, b.stats);
  b.rig.put(b.stats, Bytes(88, 0xEE));
  b.command(0x70);
  b.rig.step(10_us);
  CHECK(b.rig.get32(b.stats) == 1);                                                // sent
  for (unsigned at = 64; at < 80; at += 4) CHECK(b.rig.get32(b.stats + at) == 0);  // pause frames, TCO frames
  CHECK(b.rig.get32(b.stats + 80) == 0xA007);
  CHECK(b.rig.get32(b.stats + 84) == 0xEEEEEEEE);
}

TEST_CASE("8255x: microcode is accepted, and dumps are written") {
  EePro100Lists b(false);
  b.configure({{3, 0x5A}});
  b.rig.put32(b.list + 0x40, 0);
  b.rig.put32(b.list, 0x50000);  // 134 doublewords follow
  b.rig.put32(b.list + 4, 0x9000);
  b.rig.put32(0x9000, b.EL | 0x60000);
  b.rig.put32(0x9008, 0xA000);
  b.start();
  CHECK(b.status(0) == 0xA000);
  CHECK((b.rig.get32(0x9000) & 0xFFFF) == 0xA000);
  CHECK(b.rig.ram[0xA003] == 0x5A);
  b.put(I8255x::PORT, 0xB000 | 3, 4);
  b.rig.step(50_us);
  CHECK(b.rig.ram[0xB003] == 0x5A);
}

TEST_CASE("8255x: frames are sent from the block itself, from arrays and from extended blocks") {
  EePro100Lists b;
  b.set_address();
  const Bytes frame = body(200);
  SECTION("simplified") {
    Bytes p = doublewords({0xFFFFFFFF, 0x00208000 | 200});
    p.insert(p.end(), frame.begin(), frame.end());
    b.block(0, b.EL | 0x40000, p);
  }
  SECTION("flexible: 20 bytes in the block, three buffers") {
    Bytes p = doublewords({0x9000, 0x03208000 | 20});
    p.insert(p.end(), frame.begin(), frame.begin() + 20);
    b.block(0, b.EL | 0xC0000, p);
    b.rig.put(0x9000, doublewords({0xA001, 80, 0xB002, 50, 0xC003, 50}));
    b.rig.put(0xA001, {frame.begin() + 20, frame.begin() + 100});
    b.rig.put(0xB002, {frame.begin() + 100, frame.begin() + 150});
    b.rig.put(0xC003, {frame.begin() + 150, frame.end()});
  }
  SECTION("extended: two buffers in the block, the rest in the array") {
    b.configure({{6, 0x22}});
    b.block(0, b.EL | 0xC0000, doublewords({0x9000, 0x04208000, 0xA001, 90, 0xB002, 0, 0, 0}));
    b.rig.put(0x9000, doublewords({0xB002, 60, 0xC003, 50}));
    b.rig.put(0xA001, {frame.begin(), frame.begin() + 90});
    b.rig.put(0xB002, {frame.begin() + 90, frame.begin() + 150});
    b.rig.put(0xC003, {frame.begin() + 150, frame.end()});
  }
  SECTION("dynamic: the last buffer is marked") {
    b.configure({{7, 0x83}});
    b.block(0, b.EL | 0xC0000, doublewords({0x9000, 0xFF208000}));
    b.rig.put(0x9000, doublewords({0xA001, 90, 0xB002, 110 | 1u << 16, 0xC003, 1000}));
    b.rig.put(0xA001, {frame.begin(), frame.begin() + 90});
    b.rig.put(0xB002, {frame.begin() + 90, frame.end()});
  }
  b.start();
  b.rig.step(100_us);
  CHECK(b.status(0) == 0xA000);
  REQUIRE(b.other.arrivals.size() == 1);
  CHECK(b.other.arrivals[0].ok);
  CHECK(without_fcs(b.other.arrivals[0].bytes) == frame);
}

TEST_CASE("8255x: the chip inserts its address and an FCS, or leaves both to the host") {
  EePro100Lists b;
  b.set_address();
  b.configure({{10, 0x26}});
  const Bytes frame = make_frame(200);
  for (const std::uint32_t no_crc : {0u, 0x100000u}) {
    Bytes p = doublewords({0xFFFFFFFF, 0x00208000 | (no_crc ? 204u : 200u)});
    p.insert(p.end(), frame.begin(), frame.end());
    b.block(0, b.EL | 0x40000 | no_crc, p);
    b.start();
    b.rig.step(50_us);
  }
  REQUIRE(b.other.arrivals.size() == 2);
  CHECK(b.other.arrivals[0].ok);
  CHECK(std::equal(b.own.begin(), b.own.end(), b.other.arrivals[0].bytes.begin() + 6));
  CHECK(b.other.arrivals[1].bytes == frame);
}

TEST_CASE("8255x: receive filters") {
  EePro100Bench b;
  const net::MacAddress group{0x01, 0x00, 0x5E, 0, 0, 1}, stranger{2, 0, 0, 0, 0, 9};
  std::size_t own = 1, all = 1, to_group = 0, to_stranger = 0;
  SECTION("individual address and broadcasts") { b.opened(); }
  SECTION("a multicast group of the list") {
    b.opened();
    b.set_rx_mode(0, {group});
    to_group = 1;
  }
  SECTION("all multicast") {
    b.opened(1);
    to_group = 1;
  }
  SECTION("promiscuous") {
    b.opened(3);
    to_group = to_stranger = 1;
  }
  SECTION("no broadcasts") {
    b.config_changes = {{15, 0x6A}};
    b.opened();
    all = 0;
  }
  b.rig.step(20_us);
  for (const auto& to : {b.own, net::broadcast_mac, group, stranger}) b.hear(make_frame(80, to));
  b.handle();
  std::size_t counts[4]{};
  for (const Bytes& f : b.received) ++counts[f[0] == 0xFF ? 1 : f[0] == 1 ? 2 : f[0] == 2 ? 3 : 0];
  CHECK(counts[0] == own);
  CHECK(counts[1] == all);
  CHECK(counts[2] == to_group);
  CHECK(counts[3] == to_stranger);
  if (to_stranger) CHECK((b.statuses.back() & 6) == 6);
}

TEST_CASE("8255x: bad and short frames are dropped and their descriptor reused, or saved with their status") {
  EePro100Bench b;
  const bool save = GENERATE(false, true);
  if (save) b.config_changes = {{6, 0xA2}, {7, 0x02}};
  b.opened();
  b.hear(damaged(make_frame(1000, b.own)));
  b.hear(make_frame(36, b.own));
  b.hear(make_frame(90, b.own));
  b.handle();
  REQUIRE(b.received.size() == (save ? 3 : 1));
  CHECK(b.received.back() == without_fcs(make_frame(90, b.own)));
  if (!save) return;
  CHECK((b.statuses[0] & 0xA800) == 0x8800);
  CHECK((b.statuses[1] & 0xA080) == 0x8080);
}

TEST_CASE("8255x: a frame longer than its buffer is truncated") {
  EePro100Bench b;
  b.open();
  b.rig.step(50_us);
  b.rig.put32(b.rx(1) + 12, 100u << 16);  // rx(0) has been read by now
  b.rig.put32(b.rx(1) + 16 + 100, 0x12345678);
  for (unsigned n = 0; n < 3; ++n) b.hear(make_frame(1514, b.own));
  b.handle();
  REQUIRE(b.received.size() == 3);
  CHECK((b.statuses[1] & 0xA200) == 0x8200);
  CHECK(b.received[1].size() == 100);
  CHECK(b.received[2].size() == 1514);
  CHECK(b.rig.get32(b.rx(1) + 16 + 100) == 0x12345678);
}

TEST_CASE("8255x: flexible receive mode fills a list of buffers across frames") {
  EePro100Bench b;
  b.opened();
  b.put(I8255x::SCB_COMMAND, 0x04, 1);  // abort
  b.rig.step(10_us);
  CHECK(b.get(I8255x::SCB_STATUS, 1) >> 2 == 0x10);
  CHECK(b.get(I8255x::SCB_STAT_ACK, 1) & I8255x::RNR);
  b.put(I8255x::SCB_STAT_ACK, 0xFF, 1);
  const auto rfd = [&](std::uint32_t at, std::uint32_t rbd) { b.rig.put(at, doublewords({0x80000, at + 32, rbd, 0})); };
  rfd(0x9000, 0xA000);
  rfd(0x9020, 0xFFFFFFFF);
  rfd(0x9040, 0xFFFFFFFF);
  for (std::uint32_t n = 0; n < 5; ++n)
    b.rig.put(0xA000 + 16 * n, doublewords({0, 0xA010 + 16 * n, 0xB000 + 0x100 * n, 60u | (n == 4 ? 0x8000u : 0u)}));
  b.put(I8255x::SCB_POINTER, 0x9000, 4);
  b.put(I8255x::SCB_COMMAND, 0x01, 1);
  b.hear(make_frame(150, b.own));
  CHECK((b.rig.get32(0xA000) & 0xFFFF) == (0x4000 | 60));
  CHECK((b.rig.get32(0xA010) & 0xFFFF) == (0x4000 | 60));
  CHECK((b.rig.get32(0xA020) & 0xFFFF) == (0xC000 | 30));
  CHECK((b.rig.get32(0x9000) & 0xFFFF) == 0xA020);
  CHECK(b.rig.get32(0x9028) == 0xA030);  // passed on to the next descriptor
  const Bytes frame = without_fcs(make_frame(150, b.own));
  CHECK(b.rig.get(0xB100, 60) == Bytes(frame.begin() + 60, frame.begin() + 120));
  b.hear(make_frame(120, b.own));  // uses the last two
  CHECK((b.get(I8255x::SCB_STATUS, 1) >> 2 & 15) == 10);
  CHECK(b.get(I8255x::SCB_STAT_ACK, 1) & I8255x::RNR);
  // More buffers after the last: RBD resume.
  b.rig.put(0xA050, doublewords({0, 0, 0xC000, 2000 | 0x8000}));
  b.rig.put(0xA040, doublewords({b.rig.get32(0xA040), 0xA050, 0xB400, 60}));
  b.put(I8255x::SCB_COMMAND, 0x07, 1);
  b.rig.step(10_us);
  CHECK((b.get(I8255x::SCB_STATUS, 1) >> 2 & 15) == 4);
  b.hear(make_frame(300, b.own));
  CHECK(b.rig.get(0xC000, 300) == without_fcs(make_frame(300, b.own)));
}

TEST_CASE("8255x: a receive unit suspended by a descriptor continues after a resume") {
  EePro100Bench b;
  b.open();
  b.rig.put32(b.rx(1), 0x40000000);
  b.rig.step(50_us);
  for (unsigned n = 0; n < 3; ++n) b.hear(make_frame(80, b.own, static_cast<std::uint8_t>(n)));
  CHECK((b.get(I8255x::SCB_STATUS, 1) & 0x3C) == 4);
  CHECK(b.get(I8255x::SCB_STAT_ACK, 1) & I8255x::RNR);
  CHECK_FALSE(b.rig.get32(b.rx(2)) & 0x8000);
  b.put(I8255x::SCB_COMMAND, 0x02, 1);
  b.rig.step(20_us);
  CHECK((b.get(I8255x::SCB_STATUS, 1) & 0x3C) == 0x10);
  CHECK(b.rig.get32(b.rx(2)) & 0x8000);  // it was in the FIFO
}

TEST_CASE("8255x: looped-back frames are received and never sent; otherwise the card does not receive its own frames") {
  EePro100Bench b;
  const unsigned where = GENERATE(0u, 1u, 2u);  // nowhere, the chip, the PHY
  if (where == 1) b.config_changes = {{10, 0x6E}};
  b.opened();
  if (where == 2) {
    b.set(I8255x::MDI, 0x04000000 | 1 << 21 | 0x7100, 4);
    b.rig.step(100_us);
  }
  b.send(without_fcs(make_frame(500, b.own)));
  b.rig.step(200_us);
  b.handle();
  CHECK(b.other.arrivals.size() == (where ? 0 : 1));
  REQUIRE(b.received.size() == (where ? 1 : 0));
  if (where) CHECK(b.received[0] == without_fcs(make_frame(500, b.own)));
}
