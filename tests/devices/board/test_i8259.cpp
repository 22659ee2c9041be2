// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/board/at/system/i8259.hpp"

#include "tests/catch.hpp"
#include "tests/devices/board/bench.hpp"

using namespace planar;
using planar::tests::PlanarBench;
using planar::tests::Probe;

namespace {

struct Pics : PlanarBench {
  I8259Pair pair;
  Probe intr;
  explicit Pics(Trigger trigger = Trigger::level) : pair(trace, trigger) {
    pair.claim_ports(io);
    pair.intr().connect(intr);
  }
  /// Linux's initialisation on every machine: edge mode (11h), vectors 20h and 28h, cascade on 2, 8086 mode.
  void linux_init(std::uint8_t icw4 = 0x01) {
    out(0x21, 0xFF);
    out(0xA1, 0xFF);
    out(0x20, 0x11);
    out(0x21, 0x20);
    out(0x21, 0x04);
    out(0x21, icw4);
    out(0xA0, 0x11);
    out(0xA1, 0x28);
    out(0xA1, 0x02);
    out(0xA1, icw4);
  }
  void irq(unsigned n, bool level) {
    step(1_us);
    pair.set_irq(n, level, now);
  }
  int acknowledge() {
    step(1_us);
    return pair.acknowledge(now);
  }
};

}  // namespace

TEST_CASE("8259: ICW1 = 11h leaves the inputs level-sensitive", "[planar][i8259]") {
  Pics p;
  p.linux_init();
  p.irq(3, true);
  REQUIRE(p.intr.level);
  CHECK(p.acknowledge() == 0x23);
  CHECK_FALSE(p.intr.level);  // in service: nothing until EOI
  p.out(0x20, 0x20);
  // A shared line that is still active requests again; an edge-triggered controller would not.
  REQUIRE(p.intr.level);
  CHECK(p.acknowledge() == 0x23);
  p.irq(3, false);
  p.out(0x20, 0x63);
  CHECK_FALSE(p.intr.level);
}

TEST_CASE("8259: uninitialised controllers request nothing, and ICW1 clears the mask", "[planar][i8259]") {
  Pics p;
  p.irq(1, true);
  CHECK_FALSE(p.intr.level);
  p.out(0x21, 0xFF);
  p.linux_init();
  CHECK(p.in(0x21) == 0x00);
  CHECK(p.intr.level);
}

TEST_CASE("8259: the mask can be read back and holds requests", "[planar][i8259]") {
  Pics p;
  p.linux_init();
  p.out(0x21, 0xFB);
  p.out(0xA1, 0xFF);
  CHECK(p.in(0x21) == 0xFB);
  CHECK(p.in(0xA1) == 0xFF);
  p.irq(9, true);
  CHECK_FALSE(p.intr.level);
  CHECK((p.in(0xA0) & 2) != 0);  // IRR after initialisation
  p.out(0xA1, 0xFD);
  CHECK(p.intr.level);
  CHECK(p.acknowledge() == 0x29);
}

TEST_CASE("8259: lower-numbered lines interrupt higher ones; the slave is at line 2", "[planar][i8259]") {
  Pics p;
  p.linux_init();
  p.irq(4, true);
  p.irq(12, true);
  CHECK(p.acknowledge() == 0x2C);  // 12 is cascaded at 2, above 4
  CHECK_FALSE(p.intr.level);
  p.irq(0, true);
  CHECK(p.acknowledge() == 0x20);
  p.out(0x20, 0x0B);
  CHECK(p.in(0x20) == 0x05);  // 0 and the cascade in service
  p.out(0xA0, 0x0B);
  CHECK(p.in(0xA0) == 0x10);
  p.irq(0, false);
  p.irq(12, false);
  p.out(0x20, 0x60);
  CHECK_FALSE(p.intr.level);  // 4 waits for the cascade's EOI
  p.out(0xA0, 0x64);
  p.out(0x20, 0x62);
  CHECK(p.acknowledge() == 0x24);
}

TEST_CASE("8259: a request withdrawn before INTA becomes a spurious IRQ 7", "[planar][i8259]") {
  Pics p;
  p.linux_init();
  p.irq(5, true);
  p.irq(5, false);
  CHECK(p.acknowledge() == 0x27);
  p.out(0x20, 0x0B);
  CHECK(p.in(0x20) == 0x00);  // how a handler distinguishes it from a real IRQ 7
  p.irq(7, true);
  CHECK(p.acknowledge() == 0x27);
  CHECK(p.in(0x20) == 0x80);
}

TEST_CASE("8259: rotation", "[planar][i8259]") {
  Pics p;
  p.linux_init();
  p.irq(3, true);
  p.irq(6, true);
  CHECK(p.acknowledge() == 0x23);
  p.out(0x20, 0xA0);  // rotate on non-specific EOI: 3 becomes the lowest
  CHECK(p.acknowledge() == 0x26);
  p.out(0x20, 0xE6);  // rotate on specific EOI: 6 becomes the lowest
  p.irq(6, false);
  CHECK(p.acknowledge() == 0x23);
  p.irq(3, false);
  p.out(0x20, 0x63);
  p.out(0x20, 0xC3);  // set priority: 3 the lowest, 4 the highest
  p.irq(1, true);
  p.irq(5, true);
  CHECK(p.acknowledge() == 0x25);
}

TEST_CASE("8259: special mask mode lets lower levels through", "[planar][i8259]") {
  Pics p;
  p.linux_init();
  p.irq(1, true);
  CHECK(p.acknowledge() == 0x21);
  p.irq(6, true);
  CHECK_FALSE(p.intr.level);
  p.out(0x21, 0x02);  // the handler masks itself
  CHECK_FALSE(p.intr.level);
  p.out(0x20, 0x68);
  REQUIRE(p.intr.level);
  CHECK(p.acknowledge() == 0x26);
  p.irq(6, false);
  p.out(0x20, 0x20);  // non-specific EOI skips the masked level
  p.out(0x20, 0x0B);
  CHECK(p.in(0x20) == 0x02);
  p.out(0x20, 0x48);
  p.irq(7, true);
  CHECK_FALSE(p.intr.level);
}

TEST_CASE("8259: the poll command acts as the acknowledge", "[planar][i8259]") {
  Pics p;
  p.linux_init();
  p.irq(4, true);
  p.out(0x20, 0x0C);
  CHECK(p.peek(0x20) == 0x84);  // without side effects
  CHECK(p.in(0x20) == 0x84);
  CHECK_FALSE(p.intr.level);
  p.out(0x20, 0x0B);
  CHECK(p.in(0x20) == 0x10);
  p.out(0x20, 0x0C);
  CHECK(p.in(0x20) == 0x00);  // nothing above the level in service
}

TEST_CASE("8259: automatic EOI", "[planar][i8259]") {
  Pics p;
  p.linux_init(0x03);
  p.irq(4, true);
  CHECK(p.acknowledge() == 0x24);
  CHECK(p.intr.level);  // the line is still active, nothing is in service
  p.out(0x20, 0x80);    // rotate in AEOI mode
  p.irq(5, true);
  CHECK(p.acknowledge() == 0x24);
  CHECK(p.acknowledge() == 0x25);
  CHECK(p.acknowledge() == 0x24);
}

TEST_CASE("8259: special fully nested mode", "[planar][i8259]") {
  Pics p;
  p.linux_init();
  p.out(0x20, 0x11);
  p.out(0x21, 0x20);
  p.out(0x21, 0x04);
  p.out(0x21, 0x11);
  p.irq(12, true);
  CHECK(p.acknowledge() == 0x2C);
  p.irq(8, true);
  REQUIRE(p.intr.level);  // a higher line of the same slave
  CHECK(p.acknowledge() == 0x28);
}

TEST_CASE("8259: a slave with the wrong ID leaves the vector to the floating bus", "[planar][i8259]") {
  Pics p;
  p.linux_init();
  p.out(0xA0, 0x11);
  p.out(0xA1, 0x28);
  p.out(0xA1, 0x03);
  p.out(0xA1, 0x01);
  p.irq(10, true);
  CHECK(p.acknowledge() == 0xFF);
}

TEST_CASE("8259: a snapshot in the middle of initialisation and service", "[planar][i8259]") {
  Pics p, q;
  p.linux_init();
  p.irq(14, true);
  p.acknowledge();
  p.out(0x20, 0x11);
  p.out(0x21, 0x40);
  REQUIRE(tests::survives_snapshot(p.pair, q.pair));
  q.out(0x21, 0x04);
  q.out(0x21, 0x01);
  q.irq(1, true);
  CHECK(q.acknowledge() == 0x41);
}

TEST_CASE("8259: an edge is latched until acknowledged, and requests once", "[planar][i8259]") {
  Pics p{Trigger::elcr};
  p.linux_init();
  p.irq(0, true);
  REQUIRE(p.intr.level);
  CHECK((p.in(0x20) & 0x01) != 0);
  CHECK(p.acknowledge() == 0x20);
  CHECK((p.in(0x20) & 0x01) == 0);
  p.out(0x20, 0x20);
  CHECK_FALSE(p.intr.level);  // still active, but no new edge
  p.irq(0, false);
  p.irq(0, true);
  REQUIRE(p.intr.level);
  // The next edge arrives while the first is in service: it waits for the EOI.
  CHECK(p.acknowledge() == 0x20);
  p.irq(0, false);
  p.irq(0, true);
  CHECK_FALSE(p.intr.level);
  p.out(0x20, 0x20);
  CHECK(p.intr.level);
  CHECK(p.acknowledge() == 0x20);
}

TEST_CASE("8259: ELCR mixes edge and level triggering", "[planar][i8259]") {
  Pics p{Trigger::elcr};
  p.linux_init();
  p.pair.set_levels(1u << 10 | 1u << 5, p.now);
  p.irq(10, true);
  CHECK(p.acknowledge() == 0x2A);
  p.out(0xA0, 0x20);
  p.out(0x20, 0x20);
  REQUIRE(p.intr.level);  // a second device still pulls the line
  CHECK(p.acknowledge() == 0x2A);
  p.irq(11, true);  // an edge meanwhile
  p.irq(10, false);
  p.out(0xA0, 0x20);
  p.out(0x20, 0x20);
  REQUIRE(p.intr.level);
  CHECK(p.acknowledge() == 0x2B);
  p.out(0xA0, 0x20);
  p.out(0x20, 0x20);
  CHECK_FALSE(p.intr.level);
  // A line that becomes level-triggered requests while it is active; one that becomes edge-triggered waits for its next
  // rising edge.
  p.pair.set_levels(1u << 11, p.now);
  REQUIRE(p.intr.level);
  CHECK(p.acknowledge() == 0x2B);
  p.out(0xA0, 0x20);
  p.out(0x20, 0x20);
  REQUIRE(p.intr.level);
  p.pair.set_levels(0, p.now);
  CHECK_FALSE(p.intr.level);
}

TEST_CASE("8259: an edge withdrawn before INTA is spurious, also from the slave", "[planar][i8259]") {
  Pics p{Trigger::elcr};
  p.linux_init();
  p.irq(4, true);
  p.irq(4, false);
  CHECK_FALSE(p.intr.level);
  CHECK(p.acknowledge() == 0x27);
  p.irq(12, true);
  p.irq(12, false);  // the slave's INT goes with it
  CHECK(p.acknowledge() == 0x27);
  p.out(0x20, 0x0B);
  p.out(0xA0, 0x0B);
  CHECK(p.in(0x20) == 0);
  CHECK(p.in(0xA0) == 0);
}

TEST_CASE("8259: a masked edge stays pending while its line is active", "[planar][i8259]") {
  Pics p{Trigger::elcr};
  p.linux_init();
  p.out(0x21, 0xFF);
  p.irq(1, true);
  CHECK_FALSE(p.intr.level);
  p.out(0x21, 0xFD);
  CHECK(p.intr.level);
  p.out(0x21, 0xFF);
  p.irq(1, false);
  p.out(0x21, 0xFD);
  CHECK_FALSE(p.intr.level);
}

TEST_CASE("8259: ICW1 clears latched edges; LTIM has an effect only without ELCR", "[planar][i8259]") {
  Pics p{Trigger::elcr};
  p.linux_init();
  p.irq(3, true);
  p.linux_init();
  CHECK_FALSE(p.intr.level);
  p.out(0x20, 0x19);  // LTIM
  p.out(0x21, 0x20);
  p.out(0x21, 0x04);
  p.out(0x21, 0x01);
  CHECK_FALSE(p.intr.level);
  Pics at{Trigger::icw1};
  at.linux_init();
  at.irq(3, true);
  at.linux_init();
  CHECK_FALSE(at.intr.level);
  at.out(0x20, 0x19);
  at.out(0x21, 0x20);
  at.out(0x21, 0x04);
  at.out(0x21, 0x01);
  CHECK(at.intr.level);
}

TEST_CASE("8259: automatic EOI with cascaded edges", "[planar][i8259]") {
  Pics p{Trigger::elcr};
  p.linux_init(0x03);
  p.irq(8, true);
  p.irq(12, true);
  CHECK(p.acknowledge() == 0x28);
  REQUIRE(p.intr.level);
  CHECK(p.acknowledge() == 0x2C);
  CHECK_FALSE(p.intr.level);
}

TEST_CASE("8259: latched edges and ELCR survive a snapshot", "[planar][i8259]") {
  Pics p{Trigger::elcr}, q{Trigger::elcr};
  p.linux_init();
  p.pair.set_levels(1u << 9, p.now);
  p.out(0x21, 0xFF);
  p.irq(3, true);
  p.irq(6, true);
  p.out(0x21, 0x00);
  CHECK(p.acknowledge() == 0x23);
  p.irq(9, true);
  REQUIRE(tests::survives_snapshot(p.pair, q.pair));
  q.now = p.now;
  CHECK(q.acknowledge() == 0x29);
  q.out(0xA0, 0x20);
  q.out(0x20, 0x62);
  REQUIRE(q.pair.intr().level());
  CHECK(q.acknowledge() == 0x29);
  q.irq(9, false);
  q.out(0xA0, 0x20);
  q.out(0x20, 0x62);
  q.out(0x20, 0x63);
  CHECK(q.acknowledge() == 0x26);
  q.out(0x20, 0x20);
  CHECK_FALSE(q.pair.intr().level());
}
