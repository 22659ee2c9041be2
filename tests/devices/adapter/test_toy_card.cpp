// SPDX-License-Identifier: GPL-2.0-or-later
// A card that exists only in the test build uses what the shared parts give to every card: POS, interrupt pin, claims,
// medium, counters, description, snapshot. Nothing outside this folder knows about it.
#include "tests/devices/adapter/toy_card.hpp"

#include "tests/devices/ethernet/card_bench.hpp"

using namespace planar;
using namespace planar::test;

namespace {

constexpr std::uint16_t base = 0x3000;

struct ToyBench : CardBench {
  ToyBench() : CardBench(ToyCard::entry, "02:00:00:00:00:01", {}) {}
  void enable(unsigned irq_choice = 1) {
    card->pos_write(2, static_cast<std::uint8_t>(0x31 | irq_choice << 1), rig.now);
  }
  void send(std::size_t bytes) {
    for (const std::uint8_t byte : body(bytes)) rig.out(base, byte);
    rig.out(base + 1, 1);
  }
  void wait_until_sent() {
    while (rig.in(base + 1) & 1) rig.step(10_us);
  }
};

}  // namespace

TEST_CASE("an enabled card claims what POS selects, and nothing else", "[toy]") {
  ToyBench b;
  CHECK(b.card->pos_peek(0) == 0x01);
  CHECK(b.card->pos_peek(1) == 0x77);
  CHECK(b.rig.bus.io().find(base) == nullptr);
  b.enable();
  CHECK(b.rig.bus.io().find(base) != nullptr);
  CHECK(b.rig.bus.io().find(base + 3) == nullptr);
  CHECK(b.card->pos_peek(2) == 0x33);
  CHECK(b.card->pos_peek(3) == 0xFF);  // it has no further registers
  b.card->pos_write(2, 0x53, b.rig.now);
  CHECK(b.rig.bus.io().find(base) == nullptr);
  CHECK(b.rig.bus.io().find(0x5000) != nullptr);
  b.card->channel_reset(b.rig.now);
  CHECK(b.rig.bus.io().find(0x5000) == nullptr);
  CHECK(b.card->pos_peek(2) == 0);
}

TEST_CASE("the interrupt depends on the selected line, the enable bit and the cause", "[toy]") {
  ToyBench b;
  b.enable(1);
  b.send(60);
  b.wait_until_sent();
  CHECK(b.rig.irqs.level[9]);
  b.enable(2);  // another line takes over
  CHECK_FALSE(b.rig.irqs.level[9]);
  CHECK(b.rig.irqs.level[10]);
  b.card->pos_write(2, 0x34, b.rig.now);  // disabled: no line is driven
  CHECK_FALSE(b.rig.irqs.level[10]);
  b.enable(2);
  CHECK(b.rig.irqs.level[10]);
  b.rig.out(base + 1, 2);
  CHECK_FALSE(b.rig.irqs.level[10]);
}

TEST_CASE("frames pass through the medium, and counters and description show it", "[toy]") {
  ToyBench b;
  b.enable();
  b.send(100);
  b.wait_until_sent();
  b.hear(make_frame(80));
  CHECK(b.other.arrivals.size() == 1);
  CHECK(b.made.network->counters().sent == 1);
  CHECK(b.made.network->counters().received == 1);
  CHECK(b.made.network->port().plugged());

  Description d(std::string(b.made.network->name()));
  b.made.network->describe(d);
  CHECK(d.name() == "toy");
  REQUIRE(d.find_field("POS 2"));
  CHECK(d.find_field("POS 2")->value == b.card->pos_peek(2));
  REQUIRE(d.find_field("status"));
  CHECK(d.find_field("status")->value == b.rig.in(base + 1));
  REQUIRE(d.find_field("interrupt"));
  CHECK(d.find_field("interrupt")->value == 1);
  CHECK(d.find_field("interrupt line")->value == 9);
}

TEST_CASE("a snapshot contains the card's POS, claims and interrupt", "[toy][snapshot]") {
  ToyBench a, b;
  a.enable(3);
  a.send(60);
  a.wait_until_sent();
  Archive saved = Archive::saver();
  a.archive(saved);
  Archive loaded = Archive::loader(saved.stream());
  b.archive(loaded);
  CHECK(b.rig.irqs.level[11] == false);  // the recorder is not part of the snapshot; the line is
  CHECK(b.rig.interrupts.level(11));
  CHECK(b.rig.bus.io().find(base) != nullptr);
  b.rig.out(base + 1, 2);
  CHECK_FALSE(b.rig.interrupts.level(11));
}
