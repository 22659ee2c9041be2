// SPDX-License-Identifier: GPL-2.0-or-later
// A PRO/1000 with lists and buffers where there is no memory, in ROM and in its own registers (places.hpp).
#include "tests/devices/ethernet/places/places.hpp"
#include "tests/devices/ethernet/pro1000/pro1000_bench.hpp"

using namespace planar;
using namespace planar::test;

namespace {

/// A transmit descriptor's words.
std::vector<std::uint32_t> transmit_descriptor(std::uint32_t from, std::uint32_t bytes, std::uint32_t command) {
  return {from, 0, bytes | command, 0};
}
constexpr std::uint32_t done = 1, whole = Pro1000Bench::eop | Pro1000Bench::ifcs | Pro1000Bench::rs;
constexpr std::uint32_t own_table = Pro1000Bench::memory_base + e1000::MTA;

}  // namespace

TEST_CASE("PRO/1000: rings in ROM and in its own registers") {
  const bool is_82543 = GENERATE(false, true);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> words;
  const auto sent = transmit_descriptor(frame_at, 300, whole);
  for (std::uint32_t n = 0; n < 4; ++n) words.emplace_back(4 * n, sent[n]);
  for (std::uint32_t n = 0; n < 32; ++n) {
    const std::uint32_t received[] = {frame_at + 0x1000, 0, 0, 0};
    for (std::uint32_t k = 0; k < 4; ++k) words.emplace_back(0x100 + 16 * n + 4 * k, received[k]);
  }
  const auto rom = rom_of(words);
  Pair<Pro1000Bench> two(rom, Pro1000Setup{.is_82543 = is_82543});
  Pro1000Bench& b = two.b;
  const Time when = snapshot_after();
  b.rig.put(frame_at, body(300, 9));
  b.open();
  const Bytes arrived = without_fcs(make_frame(500, b.own, 3));
  // A ring at a page, as the 82542 has them; `first` is the descriptor that the chip begins with.
  const auto send = [&](std::uint32_t ring, std::uint32_t first) {
    b.set(e1000::TDBAL, ring);
    b.set(e1000::TDH, first);
    b.set(e1000::TDT, first + 1);
    two.go_on(when, 100_us);
  };
  const auto receive = [&](std::uint32_t ring, std::uint32_t first) {
    b.set(e1000::RDBAL, ring);
    b.set(e1000::RDLEN, 16 * (first + 32));
    b.set(e1000::RDH, first);
    b.set(e1000::RDT, first + 31);
    b.other.port.transmit(make_frame(500, b.own, 3), b.rig.now);
    two.go_on(when, 100_us);
  };
  SECTION("a transmit ring in ROM: sent, without a status") {
    send(rom_at, 0);
    CHECK(same(heard(b), body(300, 9)));
    CHECK(b.get(e1000::TDH) == 1);
    CHECK(same(two.rom, rom));
  }
  SECTION("a receive ring in ROM: received, without a status") {
    receive(rom_at, 0x10);
    CHECK(same(b.rig.get(frame_at + 0x1000, arrived.size()), arrived));
    CHECK(b.get(e1000::RDH) == 0x11);
    CHECK(same(two.rom, rom));
  }
  SECTION("a transmit ring in its multicast table: sent, with a status") {
    for (std::uint32_t n = 0; n < 4; ++n) b.set(e1000::MTA + 4 * n, sent[n]);
    send(b.memory_base, e1000::MTA / 16);
    CHECK(same(heard(b), body(300, 9)));
    CHECK(b.get(e1000::MTA + 8) == (300 | whole));
    CHECK((b.get(e1000::MTA + 12) & done) != 0);
  }
  SECTION("a receive ring in its multicast table: received, with a status") {
    for (std::uint32_t n = 0; n < 128; ++n) b.set(e1000::MTA + 4 * n, n % 4 ? 0 : frame_at + 0x1000);
    receive(b.memory_base, e1000::MTA / 16);
    CHECK(same(b.rig.get(frame_at + 0x1000, arrived.size()), arrived));
    CHECK((b.get(e1000::MTA + 8) & 0xFFFF) == 504);
    CHECK((b.get(e1000::MTA + 12) & 3) == 3);
    CHECK(b.get(e1000::MTA + 28) == 0);
  }
  CHECK_FALSE(master_abort(b));
  b.received.clear();
  b.open();
  b.hear(make_frame(400, b.own, 5));
  b.receive();
  CHECK(b.received.size() == 1);
}

TEST_CASE("PRO/1000: buffers outside memory, in ROM and in its own registers") {
  const bool is_82543 = GENERATE(false, true);
  const auto rom = rom_of({});
  Pair<Pro1000Bench> two(rom, Pro1000Setup{.is_82543 = is_82543});
  Pro1000Bench& b = two.b;
  const Time when = snapshot_after();
  b.open();
  const Bytes rest = body(300, 9), arrived = without_fcs(make_frame(500, b.own, 3));
  b.rig.put(frame_at, rest);
  const auto send = [&](std::uint32_t from, std::uint32_t bytes) {
    const auto first = transmit_descriptor(from, bytes, Pro1000Bench::ifcs | Pro1000Bench::rs);
    const auto last = transmit_descriptor(frame_at, 300, whole);
    for (std::uint32_t n = 0; n < 4; ++n)
      b.rig.put32(b.tx_ring + 4 * n, first[n]), b.rig.put32(b.tx_ring + 16 + 4 * n, last[n]);
    b.set(e1000::TDT, 2);
    two.go_on(when, 100_us);
    CHECK((b.rig.get32(b.tx_ring + 28) & done) != 0);
  };
  const auto receive = [&](std::uint32_t to) {
    for (unsigned n = 0; n < Pro1000Bench::descriptors; ++n) b.rig.put32(b.rx_ring + 16 * n, to);
    b.set(e1000::RDBAL, b.rx_ring);  // prefetched descriptors are discarded
    b.other.port.transmit(make_frame(500, b.own, 3), b.rig.now);
    two.go_on(when, 100_us);
    CHECK((b.rig.get32(b.rx_ring + 12) & 3) == 3);
    CHECK((b.rig.get32(b.rx_ring + 8) & 0xFFFF) == 504);
  };
  SECTION("sent from ROM") {
    send(rom_at + 0x10, 200);
    CHECK(same(heard(b), part(rom, 0x10, 200) + rest));
  }
  SECTION("sent from its registers: the station address") {
    send(Pro1000Bench::memory_base + e1000::RA, 6);
    CHECK(same(heard(b), Bytes(b.own.begin(), b.own.end()) + rest));
  }
  SECTION("sent from outside memory: all ones, and a PCI error on the 82542") {
    b.get(e1000::ICR);
    send(nowhere, 100);
    CHECK(same(heard(b), Bytes(100, 0xFF) + rest));
    CHECK(((b.get(e1000::ICR) & 0x200) != 0) == !is_82543);
    CHECK(master_abort(b));
    return;
  }
  SECTION("received into ROM") {
    receive(rom_at);
    CHECK(same(two.rom, rom));
  }
  SECTION("received into its registers: the multicast table holds the frame") {
    receive(own_table);
    Bytes table;
    for (std::uint32_t n = 0; n < 125; ++n) table = table + little_endian({b.get(e1000::MTA + 4 * n)});
    CHECK(same(table, arrived));
  }
  SECTION("received outside memory: lost, and a PCI error on the 82542") {
    b.get(e1000::ICR);
    receive(nowhere);
    CHECK(((b.get(e1000::ICR) & 0x200) != 0) == !is_82543);
    CHECK(master_abort(b));
    return;
  }
  CHECK_FALSE(master_abort(b));
}
