// SPDX-License-Identifier: GPL-2.0-or-later
// The slot connector: width limits, card-selected feedback, shared interrupts, channel check.
#include "tests/bus/rig.hpp"

using namespace planar;
using namespace planar::test;

TEST_CASE("a 16-bit slot limits the data size of its card") {
  Rig rig;
  const auto wiring = rig.wiring();
  Slot narrow(0, 16, wiring), wide(1, 32, wiring);
  RecordingSlave slave;
  auto a = narrow.claim_io(0x300, 0x303, slave, {32, CycleKind::standard, {}});
  auto b = wide.claim_io(0x310, 0x313, slave, {32, CycleKind::standard, {}});
  rig.in(0x300, 4);
  REQUIRE(rig.took == 400_ns);
  rig.in(0x310, 4);
  REQUIRE(rig.took == 200_ns);
}

TEST_CASE("a 16-bit slot cannot be selected above 16 MB") {
  Rig rig;
  const auto wiring = rig.wiring();
  Slot narrow(0, 16, wiring), wide(1, 32, wiring);
  RecordingSlave slave;
  REQUIRE_FALSE(narrow.claim_memory(0xFFF000, 0x2000, slave, {}));
  REQUIRE_FALSE(narrow.claim_memory(0x1000000, 0x1000, slave, {}));
  auto low = narrow.claim_memory(0xFFF000, 0x1000, slave, {});
  REQUIRE(low);
  auto high = wide.claim_memory(0x1000000, 0x1000, slave, {});
  REQUIRE(high);
}

TEST_CASE("port 91h latches that a card was selected until it is read") {
  Rig rig;
  Slot slot(0, 32, rig.wiring());
  RecordingSlave slave;
  auto io = slot.claim_io(0x300, 0x30F, slave, {});
  auto memory = slot.claim_memory(0xC8000, 0x1000, slave, {});
  REQUIRE(rig.in(0x91) == 0xFE);
  rig.in(0x300);
  REQUIRE(rig.pos.port_peek(0x91) == 0xFF);
  REQUIRE(rig.in(0x91) == 0xFF);
  REQUIRE(rig.in(0x91) == 0xFE);
  rig.store(0xC8000, 0, 1);
  REQUIRE(rig.in(0x91) == 0xFF);
  rig.in(0x20);  // not decoded in this rig
  rig.in(0x96);  // a planar register
  REQUIRE(rig.in(0x91) == 0xFE);
  io.release();
  rig.in(0x300);
  REQUIRE(rig.in(0x91) == 0xFE);
}

TEST_CASE("an interrupt line is the OR of all requests on it") {
  Rig rig;
  const auto wiring = rig.wiring();
  Slot one(0, 32, wiring), two(1, 32, wiring);
  const unsigned serial = rig.interrupts.add_source("serial");

  one.set_irq(3, true, 10_ns);
  REQUIRE(rig.irqs.level[3]);
  two.set_irq(3, true, 20_ns);
  rig.interrupts.set(3, serial, true, 30_ns);
  REQUIRE(rig.irqs.changes == 1);
  one.set_irq(3, false, 40_ns);
  rig.interrupts.set(3, serial, false, 50_ns);
  REQUIRE(rig.irqs.level[3]);
  REQUIRE(two.irq(3));
  REQUIRE_FALSE(one.irq(3));
  two.set_irq(3, false, 60_ns);
  REQUIRE_FALSE(rig.irqs.level[3]);
  REQUIRE(rig.irqs.changes == 2);
  REQUIRE(rig.irqs.last == 60_ns);
}

TEST_CASE("the connector carries IRQ 3 to 7, 9 to 12, 14 and 15; its IRQ 2 is 9") {
  Rig rig;
  Slot slot(0, 32, rig.wiring());
  for (unsigned line = 0; line < 40; ++line) slot.set_irq(line, true, 0_ns);
  const std::array<bool, 16> expected{0, 0, 0, 1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1};
  REQUIRE(rig.irqs.level == expected);
  slot.release_irqs(1_ns);
  REQUIRE(rig.irqs.level == std::array<bool, 16>{});
  slot.set_irq(2, true, 2_ns);
  REQUIRE(rig.irqs.level[9]);
}

TEST_CASE("channel check is shared by the slots and reaches the NMI logic") {
  Rig rig;
  const auto wiring = rig.wiring();
  Slot one(0, 32, wiring), two(1, 32, wiring);
  one.set_channel_check(true, 1_us);
  two.set_channel_check(true, 2_us);
  REQUIRE(rig.nmi.count == 1);
  one.set_channel_check(false, 3_us);
  REQUIRE(rig.nmi.level[NmiSource::channel_check]);
  two.set_channel_check(false, 4_us);
  REQUIRE_FALSE(rig.nmi.level[NmiSource::channel_check]);
}
