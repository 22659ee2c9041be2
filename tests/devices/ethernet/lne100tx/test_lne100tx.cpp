// SPDX-License-Identifier: GPL-2.0-or-later
// The LNE100TX driven by the sequence of Linux's tulip.c: probe, address, negotiation, transmission, reception, the
// filter.
#include "tests/devices/ethernet/lne100tx/lne100tx_bench.hpp"

using namespace planar;
using namespace planar::test;
using ethernet::Lne100tx;
using ethernet::Tulip;

namespace {

Bytes to_card(const Lne100txBench& b, std::size_t bytes, std::uint8_t fill = 0) {
  return make_frame(bytes, b.mac, fill);
}

}  // namespace

TEST_CASE("LNE100TX: configuration space and both register windows", "[lne100tx]") {
  Lne100txBench b;
  CHECK(b.rig.config(b.device, 0) == 0xC11511AD);
  CHECK(b.rig.config(b.device, 8) == 0x02000025);
  CHECK(b.rig.config(b.device, 0x2C) == 0xC00111AD);
  b.rig.set_config(b.device, pci::BAR0, ~0u);
  CHECK(b.rig.config(b.device, pci::BAR0) == 0xFFFFFF01);
  b.rig.set_config(b.device, pci::BAR0, b.io_base);
  b.out(3, 0x12345678);
  CHECK(b.in(3) == 0x12345678);
  CHECK(b.rig.load(b.memory_base + 0x18) == 0x12345678);
  b.rig.store(b.memory_base + 0x18, 0xAB, 1);
  CHECK(b.in(3) == 0x123456A8);  // doubleword aligned
  CHECK(b.rig.in(b.io_base + 0x19, 1) == 0x56);
  CHECK(b.rig.in(b.io_base + 0x1A, 2) == 0x1234);
  CHECK(b.rig.in(b.io_base + 0x1C, 4) == 0);  // between registers
  CHECK(b.rig.in(b.io_base + 0xA4, 4) == 0);
}

TEST_CASE("LNE100TX: the address is in the serial ROM, and the MII pins have no PHY", "[lne100tx]") {
  Lne100txBench b;
  b.out(6, b.in(6) & ~0x2002u);
  CHECK(b.in(8) == 0);
  REQUIRE(b.srom_address_bits() == 6);
  std::array<std::uint16_t, 64> words{};
  for (unsigned n = 0; n < 64; ++n) words[n] = static_cast<std::uint16_t>(b.read_srom(n, 6));
  CHECK(words[0] == 0x11AD);
  CHECK(words[10] == 0xA000);
  CHECK(words[11] == 0x12CC);
  CHECK(words[12] == 0x5634);
  CHECK(words[0x38] == 20);                                  // as FreeBSD finds it
  CHECK_FALSE(std::equal(&words[0], &words[4], &words[8]));  // Digital's layout, not only addresses
  for (const unsigned phy : {0u, 1u, 31u}) CHECK(b.mdio_read(phy, 1) == 0xFFFF);
}

TEST_CASE("LNE100TX: negotiation with the segment selects port and duplex", "[lne100tx]") {
  const auto at = [](std::uint64_t rate, bool full) {
    Lne100txBench b({.bits_per_second = rate, .full_duplex = full});
    b.open();
    CHECK((b.in(12) & 0x7006) == 0x1006);  // under way, no link
    b.up();
    CHECK((b.seen & Tulip::LNP) != 0);
    CHECK((b.in(12) & 0xF000) == 0xD000);
    CHECK((b.in(12) & 6) == (rate == 100'000'000 ? 4 : 2));
    return b.if_port;
  };
  CHECK(at(100'000'000, true) == 5);
  CHECK(at(100'000'000, false) == 3);
  CHECK(at(10'000'000, true) == 4);
  CHECK(at(10'000'000, false) == 0);
}

// Linux from 2.4 on: tulip_up(), pnic2_start_nway() and pnic2_lnk_change().
TEST_CASE("LNE100TX: later drivers negotiate without CSR13, which a reset clears", "[lne100tx]") {
  Lne100txBench b;
  b.out(13, 0);
  b.out(14, 0);
  b.out(0, 1);
  b.rig.step(100_us);
  b.out(0, 0x01A08000);
  CHECK((b.in(13) & 1) == 0);
  b.out(14, (b.in(14) & 0xFFF0EE39) | 0x30000 | 0x40 | 0x1184);
  b.csr6 = (b.in(6) & 0xFE3BD1FD) | 0x01000200;
  b.out(6, b.csr6);
  b.rig.step(100_us);
  b.out(12, (b.in(12) & 0xFFFF8FFF) | 0x1000);
  b.out(5, 0x0801FBFF);
  b.out(7, 0x0801FBFF);
  for (int n = 0; n < 4000 && !b.interrupt(); ++n) b.rig.step(1_ms);
  const std::uint32_t csr5 = b.in(5);
  CHECK((csr5 & Tulip::LNP) != 0);
  b.out(5, csr5 & 0x1FFFF);
  const std::uint32_t csr12 = b.in(12);
  CHECK((csr12 & 0x7000) == 0x5000);
  CHECK((csr12 >> 16 & 0x01E0) == 0x01E0);
  b.out(14, b.in(14) & 0xFFFFFF7F);
  b.csr6 = (b.in(6) & 0xFE3BD1FD) | 0x01840200;
  b.out(13, 1);
  b.out(6, b.csr6 | 0x2002);
  b.rig.step(10_ms);
  CHECK((b.in(12) & ethernet::TulipNway::LS100) == 0);
  CHECK((b.in(5) & (Tulip::LNP | Tulip::LNF | Tulip::LC)) == 0);  // no link event follows
}

// Etherboot's tulip.c (iPXE): tulip_reset(), tulip_transmit(). Becker's tulip.c 0.92 does the same for the PNIC-II.
TEST_CASE("LNE100TX: the NWAY port negotiates by itself and carries either rate", "[lne100tx]") {
  const auto at = [](std::uint64_t rate) {
    Lne100txBench b({.bits_per_second = rate, .full_duplex = false});
    b.out(7, 0);
    b.out(6, b.in(6) & ~0x2002u);
    b.out(0, 1);
    b.rig.step(10_ms);
    b.out(0, 0x01A08000);
    b.init_rings();
    b.out(3, b.rx_list);
    b.out(4, b.tx_list);
    b.csr6 = 0x01000000;  // CSR12 to CSR14 as the reset leaves them
    b.out(6, b.csr6);
    CHECK((b.in(12) & 0x7006) == 0x1006);
    b.out(6, b.csr6 | 0x2082);
    b.rig.step(3_s);
    CHECK((b.in(12) & 0xF000) == 0xD000);
    CHECK((b.in(12) & 6) == (rate == 100'000'000 ? 4 : 2));
    REQUIRE(b.send(body(600)));
    b.rig.step(2_ms);
    CHECK((b.tx_status(0) & (Tulip::OWN | Tulip::T_ES)) == 0);
    REQUIRE(b.other.arrivals.size() == 1);
    b.other.port.transmit(make_frame(700, {0x01, 0x80, 0xC2, 1, 2, 3}, 7), b.rig.now);
    b.rig.step(2_ms);
    b.take();
    CHECK(b.frames.size() == 1);
    static_cast<Lne100tx&>(*b.card).port().set_plugged(false, b.rig.now);
    CHECK((b.in(12) & 6) == 6);
  };
  at(100'000'000);
  at(10'000'000);
}

TEST_CASE("LNE100TX: a frame is sent as it is in memory, padded, with its FCS", "[lne100tx]") {
  Lne100txBench b;
  b.up();
  CHECK(b.other.arrivals.empty());  // the setup frame has not been on the wire
  CHECK(b.tx_status(0) == Tulip::setup_done);
  const std::size_t sizes[] = {1514, 60, 14, 61, 127, 128, 129, 1000};
  for (const std::size_t size : sizes) {
    REQUIRE(b.send(body(size, static_cast<std::uint8_t>(size))));
    b.run(200_us);
  }
  REQUIRE(b.other.arrivals.size() == std::size(sizes));
  for (std::size_t n = 0; n < std::size(sizes); ++n) {
    Bytes wanted = body(sizes[n], static_cast<std::uint8_t>(sizes[n]));
    wanted.resize(std::max<std::size_t>(wanted.size(), 60));
    CHECK(b.other.arrivals[n].ok);
    CHECK(same(without_fcs(b.other.arrivals[n].bytes), wanted));
  }
  for (const std::uint32_t status : b.tx_statuses)
    CHECK((status & 0x8000) == (status == Tulip::setup_done ? 0x8000 : 0));
  CHECK(b.frames.empty());  // it has not heard itself
  CHECK(b.chip().counters().sent == std::size(sizes));
}

TEST_CASE("LNE100TX: transmission starts at its threshold while the rest is read", "[lne100tx]") {
  const auto begins_after = [](std::uint32_t mode) {
    Lne100txBench b;
    b.up();
    b.out(6, b.csr6 | 0x2002 | mode);
    const Time asked = b.rig.now;
    b.send(body(1514));
    b.run(200_us);
    REQUIRE(b.other.arrivals.size() == 1);
    CHECK(b.other.arrivals[0].ok);
    return b.other.begins[0] - asked;
  };
  const Time at_128 = begins_after(0), at_1024 = begins_after(0xC000), whole = begins_after(Tulip::SF);
  CHECK(at_128 < 5_us);
  CHECK(at_1024 > at_128 + 6_us);  // 896 bytes more, four per clock
  CHECK(whole > at_1024 + 3_us);
  CHECK(whole < 25_us);
}

TEST_CASE("LNE100TX: a ring of sixteen is sent with minimum gaps and few interrupts", "[lne100tx]") {
  Lne100txBench b;
  b.up();
  b.tx_statuses.clear();
  unsigned sent = 0, interrupts = 0;
  const auto fill = [&] {
    while (sent < 64 && b.send(body(1514, static_cast<std::uint8_t>(sent)))) ++sent;
  };
  fill();
  CHECK(sent >= 13);
  for (int n = 0; n < 4000 && b.other.arrivals.size() < 64; ++n) {
    b.rig.step(5_us);
    if (!b.interrupt()) continue;
    ++interrupts;
    b.service();
    fill();
  }
  b.run(100_us);
  REQUIRE(b.other.arrivals.size() == 64);
  for (std::size_t n = 0; n < 64; ++n)
    CHECK(same(without_fcs(b.other.arrivals[n].bytes), body(1514, static_cast<std::uint8_t>(n))));
  CHECK(interrupts <= 20);
  CHECK(interrupts >= 4);
  const Time frame = 80_ns * (8 + 1518 + 12);
  for (std::size_t n = 1; n < 64; ++n) CHECK((b.other.begins[n] - b.other.begins[n - 1]).ps == frame.ps);
  b.take_sent();
  CHECK(b.tx_statuses.size() == 64);
  CHECK((b.in(5) & Tulip::TU) == 0);  // reported once, and acknowledged
}

TEST_CASE("LNE100TX: frames are received with their FCS, beyond one pass of the ring", "[lne100tx]") {
  Lne100txBench b;
  b.up();
  std::vector<Bytes> sent;
  for (unsigned n = 0; n < 80; ++n) {
    const std::size_t size = n % 3 == 0 ? 1514 : 60 + n;
    sent.push_back(to_card(b, size, static_cast<std::uint8_t>(n)));
    b.other.to_send.push_back(sent.back());
  }
  b.other.port.transmit(b.other.to_send[b.other.sent_next++], b.rig.now);
  b.run(8_ms);
  REQUIRE(b.frames.size() == 80);
  for (std::size_t n = 0; n < 80; ++n) CHECK(same(b.frames[n], without_fcs(sent[n])));
  CHECK(b.rx_statuses[0] == ((1518u << 16) | Tulip::R_FS | Tulip::R_LS | Tulip::R_FT));
  CHECK(b.missed == 0);
  CHECK(b.chip().counters().received == 80);
}

TEST_CASE("LNE100TX: an empty ring interrupts while its last frame is still being sent", "[lne100tx]") {
  Lne100txBench b;
  b.up();
  b.send(body(1514));
  b.rig.step(40_us);  // all of it is in the FIFO, a third of it on the wire
  CHECK(b.other.arrivals.empty());
  CHECK(b.interrupt());
  CHECK((b.in(5) & (Tulip::TU | Tulip::TI)) == Tulip::TU);
  CHECK((b.tx_status(b.dirty_tx) & Tulip::OWN));
  b.service();
  b.rig.step(200_us);
  CHECK(!b.interrupt());  // only its status says that it has been sent
  CHECK(!(b.tx_status(b.dirty_tx) & Tulip::OWN));
  CHECK(b.other.arrivals.size() == 1);
}

TEST_CASE("LNE100TX: a full frame takes a fixed number of bus transactions", "[lne100tx][bus]") {
  Lne100txBench b;
  b.up();
  const auto transactions = [&] { return b.rig.segment.counters().transactions; };
  auto before = transactions();
  b.hear(to_card(b, 1514));
  // 64 bytes at a time, the first transfer up to a boundary; status; next descriptor.
  CHECK(transactions() - before == 26);
  before = transactions();
  b.send(body(1514));
  b.rig.step(200_us);
  // Descriptor, a transfer up to a boundary, one up to the threshold, four as the wire allows, the next descriptor, and
  // status.
  CHECK(transactions() - before == 9);
}

TEST_CASE("LNE100TX: the receive FIFO is emptied while the frame arrives", "[lne100tx]") {
  Lne100txBench b;
  b.up();
  const unsigned entry = b.cur_rx;
  const Bytes frame = to_card(b, 1514);
  const std::uint32_t buffer = Lne100txBench::rx_buffers + Lne100txBench::buffer_bytes * entry + 0x10;
  b.other.port.transmit(frame, b.rig.now);
  b.rig.step(80_us);  // two thirds of it
  const auto moved = [&] {
    std::uint32_t bytes = 0;
    while (bytes < frame.size() && b.rig.ram[buffer + bytes] == frame[bytes]) ++bytes;
    return bytes;
  };
  CHECK(moved() >= 850);
  CHECK(moved() < 1000);
  CHECK((b.rx_status(entry) & Tulip::OWN) != 0);
  b.rig.step(60_us);
  CHECK((b.rx_status(entry) & Tulip::OWN) == 0);
  CHECK(b.interrupt());
}

TEST_CASE("LNE100TX: the perfect filter passes its own address and broadcast, with repeated entries", "[lne100tx]") {
  Lne100txBench b;
  b.up();
  const MacAddress stranger{0x00, 0xA0, 0xCC, 0x12, 0x34, 0x57}, group{0x01, 0x00, 0x5E, 0x00, 0x00, 0x01};
  b.hear(make_frame(60, stranger));
  b.hear(make_frame(60, group));
  b.hear(make_frame(60, broadcast_mac));
  b.hear(make_frame(60, b.mac));
  b.run(50_us);
  REQUIRE(b.frames.size() == 2);
  CHECK((b.rx_statuses[0] & Tulip::R_MF) != 0);
  CHECK((b.rx_statuses[1] & Tulip::R_MF) == 0);
  // CSR6 is changed while running: all groups, then all frames.
  b.out(6, b.csr6 | 0x2002 | Tulip::PM);
  b.hear(make_frame(60, group));
  b.hear(make_frame(60, stranger));
  b.run(50_us);
  CHECK(b.frames.size() == 3);
  b.out(6, b.csr6 | 0x2002 | Tulip::PR | Tulip::PM);
  b.hear(make_frame(60, stranger));
  b.run(50_us);
  CHECK(b.frames.size() == 4);
}

TEST_CASE("LNE100TX: the hash filter of 128 bits, as FreeBSD's dc loads it", "[lne100tx]") {
  Lne100txBench b;
  b.up();
  const MacAddress group{0x01, 0x00, 0x5E, 0x01, 0x02, 0x03}, other_group{0x01, 0x00, 0x5E, 0x01, 0x02, 0x04};
  std::array<std::uint16_t, 8> table{};
  const auto set = [&](unsigned bit) {
    table[bit / 16] = static_cast<std::uint16_t>(table[bit / 16] | 1u << bit % 16);
  };
  const auto bit_of = [](const MacAddress& a) { return ~crc32(a) & 0x7F; };
  REQUIRE(bit_of(broadcast_mac) == 127);
  REQUIRE(bit_of(group) != bit_of(other_group));
  set(127);
  set(bit_of(group));
  Bytes setup(192, 0xFF);
  for (unsigned n = 0; n < 8; ++n)
    for (unsigned k = 0; k < 4; ++k) setup[4 * n + k] = static_cast<std::uint8_t>(table[n] >> (8 * (k & 1)));
  for (unsigned n = 0; n < 3; ++n)
    for (unsigned k = 0; k < 4; ++k) setup[156 + 4 * n + k] = b.mac[2 * n + (k & 1)];
  b.rig.put(Lne100txBench::setup_frame, setup);
  // A dummy entry before the setup frame, as the driver does.
  const std::uint32_t dummy = Lne100txBench::tx_list + 16 * (b.cur_tx++ % 16);
  const std::uint32_t entry = Lne100txBench::tx_list + 16 * (b.cur_tx++ % 16);
  b.rig.put32(dummy + 4, 0);
  b.rig.put32(dummy + 8, 0);
  b.rig.put32(dummy, Tulip::OWN);
  b.rig.put32(entry + 4, 0x08400000 | 192);
  b.rig.put32(entry + 8, Lne100txBench::setup_frame);
  b.rig.put32(entry, Tulip::OWN);
  b.out(1, 0);
  b.run(20_us);
  CHECK(b.rig.get32(dummy) == 0);
  CHECK(b.rig.get32(entry) == Tulip::setup_done);
  CHECK((b.in(6) & 0x15) == Tulip::HP);
  CHECK(b.other.arrivals.empty());
  for (const MacAddress& to :
       {group, other_group, broadcast_mac, b.mac, MacAddress{0x00, 0xA0, 0xCC, 0x12, 0x34, 0x57}})
    b.hear(make_frame(60, to));
  b.run(50_us);
  CHECK(b.frames.size() == 3);
}

TEST_CASE("LNE100TX: CSR8 counts frames without a descriptor, and a poll demand resumes reception", "[lne100tx]") {
  Lne100txBench b;
  b.up();
  const unsigned first = b.cur_rx;
  for (unsigned n = 0; n < 36; ++n) b.hear(to_card(b, 60, static_cast<std::uint8_t>(n)));
  CHECK((b.in(5) & Tulip::RU) != 0);
  CHECK((b.in(5) >> 17 & 7) == 4);  // suspended
  CHECK(b.made.network->counters().overruns == 4);
  CHECK(b.made.network->counters().fifo == 0);
  CHECK(b.in(8) == 4);
  CHECK(b.in(8) == 0);  // cleared by the read
  SECTION("the next frame uses the returned descriptors") {
    b.service();
    CHECK(b.frames.size() == 32);
    b.hear(to_card(b, 60, 99));
    b.run(50_us);
    CHECK(b.frames.size() == 33);
  }
  SECTION("RU is set once per transition") {
    b.out(5, Tulip::RU);
    b.hear(to_card(b, 60));
    CHECK((b.in(5) & Tulip::RU) == 0);
    CHECK(b.in(8) == 1);
    b.rig.put32(Lne100txBench::rx_list + 16 * (first % 32), Tulip::OWN);
    b.out(2, 0);
    b.rig.step(5_us);
    CHECK((b.in(5) >> 17 & 7) == 3);
    b.hear(to_card(b, 60));
    CHECK((b.in(5) & Tulip::RU) != 0);
  }
}

TEST_CASE("LNE100TX: interrupts follow the mask; summary bits cover enabled causes", "[lne100tx]") {
  Lne100txBench b;
  b.up();
  b.out(7, 0);
  b.hear(to_card(b, 60));
  CHECK((b.in(5) & (Tulip::RI | Tulip::NIS)) == Tulip::RI);
  CHECK_FALSE(b.interrupt());
  b.out(7, Tulip::RI);
  CHECK((b.in(5) & Tulip::NIS) != 0);
  CHECK_FALSE(b.interrupt());  // the sum itself is masked
  b.out(7, Tulip::RI | Tulip::NIS);
  CHECK(b.interrupt());
  b.out(5, Tulip::RI);
  CHECK_FALSE(b.interrupt());
  b.out(11, 12);
  b.rig.step(Time{12 * 81'920'000} - 1_us);
  CHECK((b.in(5) & Tulip::GTE) == 0);
  CHECK(b.in(11) == 1);
  b.rig.step(2_us);
  CHECK((b.in(5) & Tulip::GTE) != 0);
  CHECK(b.in(11) == 0);
}

TEST_CASE("LNE100TX: a pulled cable is reported, and the link is restored afterwards", "[lne100tx]") {
  Lne100txBench b;
  b.up();
  b.seen = 0;
  static_cast<Lne100tx&>(*b.card).port().set_plugged(false, b.rig.now);
  b.run(100_us);
  CHECK((b.seen & Tulip::LC) != 0);
  CHECK_FALSE(b.nway_set);
  b.send(body(100));  // waits: with its new CSR6 the driver has stopped both processes
  b.rig.step(3_s);
  CHECK_FALSE(b.nway_set);
  static_cast<Lne100tx&>(*b.card).port().set_plugged(true, b.rig.now);
  for (int n = 0; n < 2000 && !b.nway_set; ++n) b.run(1_ms, 1_ms);
  CHECK(b.if_port == 5);
  b.send(body(100));
  b.hear(to_card(b, 100));
  b.run(100_us);
  CHECK(b.frames.size() == 1);
  CHECK(b.other.arrivals.size() == 2);
}

TEST_CASE("LNE100TX: without a link the setup frame is processed, and frames fail", "[lne100tx]") {
  Lne100txBench b({.bits_per_second = 100'000'000, .full_duplex = true}, {}, false);
  b.open();
  b.run(10_ms, 100_us);
  b.send(body(100));
  b.hear(to_card(b, 100));
  b.run(500_us);
  b.take_sent();
  REQUIRE(b.tx_statuses.size() == 2);
  CHECK(b.tx_statuses[0] == Tulip::setup_done);
  CHECK((b.tx_statuses[1] & 0xFFFF) == (Tulip::T_ES | Tulip::T_LF | Tulip::T_NC | Tulip::T_LO));
  CHECK(b.other.arrivals.empty());
  CHECK(b.frames.empty());
  b.rig.step(2_s);
  CHECK((b.in(12) & 0x7006) == 0x2006);  // waiting for a link partner
}

TEST_CASE("LNE100TX: the card receives its own frames only in loopback", "[lne100tx]") {
  Lne100txBench b;
  b.up();
  Bytes own = without_fcs(make_frame(200, b.mac));
  b.send(own);
  b.run(100_us);
  CHECK(b.frames.empty());
  CHECK(b.other.arrivals.size() == 1);
  b.out(6, b.csr6 | 0x2002 | Tulip::INTERNAL_LOOPBACK);
  b.send(own);
  b.hear(to_card(b, 300));  // not listening to the wire
  b.run(100_us);
  CHECK(b.other.arrivals.size() == 1);
  REQUIRE(b.frames.size() == 1);
  CHECK(b.frames[0] == own);
  CHECK((b.rx_statuses.back() & 0x3000) == Tulip::R_LOOP_INTERNAL);
  b.out(6, b.csr6 | 0x2002 | Tulip::EXTERNAL_LOOPBACK);
  b.send(own);
  b.run(100_us);
  CHECK(b.other.arrivals.size() == 2);
  CHECK(b.frames.size() == 2);
}
