// SPDX-License-Identifier: GPL-2.0-or-later
// PRO/1000 with bad descriptors, resets at any time, a bus that is not granted, no link, and snapshots.
#include "core/common/error.hpp"
#include "tests/devices/ethernet/pro1000/pro1000_bench.hpp"

using namespace planar;
using namespace planar::test;

namespace {

/// The driver opens the card again and sends and receives one frame.
void check_alive(Pro1000Bench& b) {
  b.received.clear();
  b.statuses.clear();
  if (!b.other.port.plugged()) b.other.port.set_plugged(true, b.rig.now);
  b.rig.set_config(9, pci::BAR0, b.memory_base);
  b.rig.set_config(9, pci::COMMAND, pci::MEMORY_SPACE | pci::BUS_MASTER, 2);
  b.open();
  const std::size_t before = b.other.arrivals.size();
  const unsigned n = b.send(body(300, 77));
  b.rig.step(300_us);
  CHECK(b.sent(n));
  REQUIRE(b.other.arrivals.size() > before);
  CHECK(b.other.arrivals.back().ok);
  CHECK(without_fcs(b.other.arrivals.back().bytes) == body(300, 77));
  b.hear(make_frame(400, b.own, 5));
  b.handle();
  REQUIRE(b.received.size() == 1);
  CHECK(b.received[0] == without_fcs(make_frame(400, b.own, 5)));
}

}  // namespace

TEST_CASE("PRO/1000: rings and buffers outside memory") {
  Pro1000Bench b({.is_82543 = GENERATE(false, true)});
  b.open();
  SECTION("a transmit ring") { b.set(e1000::TDBAL, 0xE0000000); }
  SECTION("above 4 GB") { b.set(e1000::TDBAH, 1); }
  SECTION("a receive ring") { b.set(e1000::RDBAL, 0xFFFFFFF0); }
  SECTION("a receive ring above 4 GB") { b.set(e1000::RDBAH, 0x80000000); }
  SECTION("rings of zero length") {
    b.set(e1000::TDLEN, 0);
    b.set(e1000::RDLEN, 0);
  }
  SECTION("tails and heads beyond the ring") {
    b.set(e1000::RDT, 0xFFFF);
    b.set(e1000::RDH, 0xFFF0);
    b.set(e1000::TDH, 0x7FFF);
  }
  SECTION("buffers above 4 GB") {
    for (unsigned n = 0; n < 80; ++n) b.rig.put32(b.tx_ring + 16 * n + 4, 1), b.rig.put32(b.rx_ring + 16 * n + 4, 1);
  }
  for (unsigned n = 0; n < 5; ++n) {
    b.send(body(100));
    b.hear(make_frame(100, b.own));
  }
  if (!b.is_82543) b.get(e1000::ICR);
  b.rig.step(1'000_us);
  check_alive(b);
}

TEST_CASE("PRO/1000: an aborted burst sets the 82542's PCI error") {
  const bool is_82543 = GENERATE(false, true);
  Pro1000Bench b({.is_82543 = is_82543});
  b.open();
  b.set(e1000::TDBAL, 0xE0000000);
  b.set(e1000::TDT, 1);
  b.rig.step(20_us);
  CHECK(((b.get(e1000::ICR) & 0x200) != 0) == !is_82543);
  CHECK(b.rig.config(9, pci::STATUS, 2) & pci::RECEIVED_MASTER_ABORT);
  check_alive(b);
}

TEST_CASE("PRO/1000: an address above 4 GB takes as long as any master abort on its segment") {
  const unsigned master_abort = GENERATE(6u, 20u);
  const Time clock = GENERATE(30_ns, 15_ns);
  const auto until_error = [&](std::uint32_t reg, std::uint32_t value) {
    constexpr std::uint32_t ICR = 0xC0, PCIE = 0x200;
    Pro1000Bench b({.is_82543 = false, .clock = clock, .master_abort = master_abort});
    b.open();
    b.put(reg, value);
    b.set(e1000::TDT, 1);
    const Time from = b.rig.now;
    while (!(b.chip.peek(ICR, 4) & PCIE) && b.rig.now < from + 10_us) b.rig.step(1_ns);
    return b.rig.now - from;
  };
  const Time below = until_error(e1000::TDBAL, 0xE0000000), above = until_error(e1000::TDBAH, 1);
  CHECK(below < 10_us);
  CHECK(above == below);
}

TEST_CASE("PRO/1000: a frame that cannot fit the packet buffer stops the transmitter until a reset") {
  Pro1000Bench b;
  b.open();
  SECTION("one descriptor") {
    const unsigned n = b.queue(body(60), b.eop | b.ifcs | b.rs | 0x20100000);
    b.rig.put32(b.tx_ring + 16 * n + 8, 0xFFFFF | b.eop | b.rs | 0x20100000);
  }
  SECTION("many descriptors without EOP") {
    for (unsigned n = 0; n < 70; ++n) b.rig.put32(b.tx_ring + 16 * b.queue(body(60), b.rs) + 8, 0x400 | b.rs);
  }
  SECTION("reports without room") {
    for (unsigned n = 0; n < 79; ++n) b.queue(Bytes(), b.rps);
  }
  b.set(e1000::TDT, b.next_tx);
  b.rig.step(3'000_us);
  CHECK(b.other.arrivals.empty());
  check_alive(b);
}

TEST_CASE("PRO/1000: with a tail outside the ring the chip goes round, and time passes") {
  Pro1000Bench b({.is_82543 = GENERATE(false, true)});
  b.open();
  for (unsigned n = 0; n < 80; ++n) b.rig.put32(b.tx_ring + 16 * n + 8, b.rs);
  b.set(e1000::TDT, 0x8000);
  b.rig.step(500_us);
  CHECK(b.other.arrivals.empty());
  check_alive(b);
}

TEST_CASE("PRO/1000: bursts wait for BUS_MASTER, and nothing is lost") {
  Pro1000Bench b;
  b.open();
  b.rig.set_config(9, pci::COMMAND, pci::MEMORY_SPACE, 2);
  const unsigned n = b.send(body(100));
  b.rig.step(500_us);
  CHECK(b.other.arrivals.empty());
  b.rig.set_config(9, pci::COMMAND, pci::MEMORY_SPACE | pci::BUS_MASTER, 2);
  b.rig.step(20_us);
  CHECK(b.other.arrivals.size() == 1);
  CHECK(b.sent(n));
}

TEST_CASE("PRO/1000: frames wait for the link and are sent when it is up") {
  Pro1000Bench b;
  b.open();
  b.other.port.set_plugged(false, b.rig.now);
  const unsigned n = b.send(body(100));
  b.rig.step(1'000_us);
  CHECK(b.sent(n));  // it has been read
  b.other.port.set_plugged(true, b.rig.now);
  b.rig.step(1'000_us);
  CHECK(b.other.arrivals.empty());
  b.rig.step(40'000_us);
  CHECK(b.other.arrivals.size() == 1);
}

TEST_CASE("PRO/1000: a reset at any time leaves a working card") {
  const int when = GENERATE(0, 1, 2, 3, 5, 8, 13, 20);
  Pro1000Bench b({.is_82543 = GENERATE(false, true)});
  b.open();
  const int how = GENERATE(0, 1, 2);
  b.other.port.transmit(make_frame(1514, b.own), b.rig.now);
  for (unsigned n = 0; n < 5; ++n) b.send(body(400));
  b.rig.step(1_us * std::int64_t{when});
  if (how == 0) b.put(e1000::CTRL, 1u << 26);
  if (how == 1) {
    b.put(e1000::RCTL, 1);
    b.put(e1000::TCTL, 1);
  }
  if (how == 2) b.made.function->bus_reset(b.rig.now);
  b.rig.step(100_us);
  CHECK_FALSE(b.interrupt());
  check_alive(b);
}

TEST_CASE("PRO/1000: heads, bases and lengths written while the rings are in use") {
  const std::uint32_t reg = GENERATE(0x2800u, 0x2808u, 0x2810u, 0x3800u, 0x3808u, 0x3810u);
  Pro1000Bench b({.is_82543 = GENERATE(false, true)});
  b.open();
  for (unsigned n = 0; n < 20; ++n) {
    b.send(body(1514));
    if (!b.other.port.busy()) b.other.port.transmit(make_frame(1514, b.own), b.rig.now);
    b.rig.step(500_ns * std::int64_t{n});
    b.put(reg, b.get(reg));
  }
  b.rig.step(1'000_us);
  check_alive(b);
}

TEST_CASE("PRO/1000: random accesses of any width") {
  Pro1000Bench b({.is_82543 = GENERATE(false, true)});
  b.open();
  std::uint32_t state = 12345;
  const auto next = [&] { return state = state * 1664525 + 1013904223; };
  constexpr std::uint32_t interesting[] = {0x000, 0x100, 0x108, 0x110, 0x118,  0x120,  0x128,  0x178,  0x400,  0x420,
                                           0x428, 0x430, 0x438, 0x440, 0x1000, 0x2160, 0x2800, 0x2820, 0x3800, 0x5000};
  for (unsigned n = 0; n < 2000; ++n) {
    const unsigned bytes = 1u << (next() >> 28) % 3;
    std::uint32_t offset = interesting[(next() >> 16) % std::size(interesting)] + ((next() >> 20) & 0x3C);
    if (n % 5 == 0) offset = (next() >> 8) & 0x1FFFF;
    offset &= ~(bytes - 1);
    if (next() & 0x10000)
      b.rig.store(b.memory_base + offset, next(), bytes);
    else
      b.rig.load(b.memory_base + offset, bytes);
    b.rig.step(1_us * std::int64_t{next() >> 28});
    if (n % 50 == 0 && !b.other.port.busy()) b.other.port.transmit(make_frame(100 + n % 1000, b.own), b.rig.now);
  }
  b.rig.step(5'000_us);
  check_alive(b);
}

TEST_CASE("PRO/1000: a snapshot during activity does not affect the run") {
  const int when = GENERATE(0, 1, 2, 3, 4, 6, 9, 14, 22, 40);
  const Pro1000Setup setup{.is_82543 = GENERATE(false, true), .width = 64};
  const auto prepare = [](Pro1000Bench& b) {
    b.open(16, 16);
    b.other.port.transmit(make_frame(1514, b.own), b.rig.now);
    for (unsigned n = 0; n < 5; ++n) b.send(body(700, static_cast<std::uint8_t>(n)));
  };
  const auto finish = [](Pro1000Bench& b) {
    b.rig.step(1'000_us);
    Archive a = Archive::saver();
    b.archive(a);
    return a.stream();
  };
  Pro1000Bench first(setup), second(setup);
  prepare(first);
  first.rig.step(1_us * std::int64_t{when});
  Archive saved = Archive::saver();
  first.archive(saved);
  Archive loaded = Archive::loader(saved.stream());
  second.archive(loaded);
  loaded.expect_end();
  const std::size_t before = first.other.arrivals.size();
  CHECK(finish(first) == finish(second));
  CHECK(second.other.arrivals.size() == first.other.arrivals.size() - before);
  CHECK(first.other.arrivals.size() == 5);
}

TEST_CASE("PRO/1000: a damaged snapshot is refused or gives a card that can be reset") {
  Pro1000Bench first;
  first.open();
  first.other.port.transmit(make_frame(1514, first.own), first.rig.now);
  for (unsigned n = 0; n < 3; ++n) first.send(body(1514));
  first.rig.step(14_us);
  Archive saved = Archive::saver();
  first.card->archive(saved);
  const auto whole = saved.stream();
  int refused = 0;
  for (std::size_t n = 0; n < whole.size(); n += 37) {
    auto bad = whole;
    bad[n] ^= 0x81;
    Pro1000Bench b;
    if (!loads(*b.card, bad)) {
      ++refused;
      continue;
    }
    b.rig.step(3'000_us);
    b.made.function->bus_reset(b.rig.now);
    b.rig.step(10_us);
  }
  CHECK(refused > 0);
}
