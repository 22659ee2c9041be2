// SPDX-License-Identifier: GPL-2.0-or-later
// The south bridge as used by firmware and Linux: interrupt routes with ELCR and the interrupt controllers, resets,
// port 61h.
#include <memory>

#include "bus/common/interrupts.hpp"
#include "core/common/error.hpp"
#include "devices/board/at/clocks/rtc_cmos.hpp"
#include "devices/board/piix3/elcr.hpp"
#include "devices/board/piix3/piix3_isa.hpp"
#include "devices/board/piix3/piix3_ports.hpp"
#include "tests/archived.hpp"
#include "tests/bus/pci_rig.hpp"
#include "tests/devices/board/bench.hpp"

using namespace planar;
using planar::tests::PlanarBench;
using planar::tests::Probe;

namespace {

/// A network card, as far as its interrupts are concerned.
struct Card final : pci::Function {
  Card(pci::Slot& slot, unsigned pin)
      : Function(slot, {.vendor = 0x1011, .device = 0x0009, .class_code = 0x020000, .interrupt_pin = pin}) {}
  using Function::set_interrupt;
};

struct Piix3Bench {
  test::PciRig rig;
  I8259Pair pic{rig.trace, Trigger::elcr};
  bus::InterruptLines lines;
  PirqRouter router{lines, PirqTable::rotation(9)};
  Elcr elcr{pic};
  pci::Slot place{7, 0, wiring()};
  Piix3Isa isa{place, router};
  Probe intr;

  Piix3Bench() {
    lines.connect(pic);
    rig.bus.connect(pic);
    pic.claim_ports(rig.bus.io());
    elcr.claim_ports(rig.bus.io());
    pic.intr().connect(intr);
  }
  pci::SlotWiring wiring() {
    pci::SlotWiring w = rig.wiring();
    w.interrupt = [this](unsigned device, unsigned pin, bool asserted, Time now) {
      router.set_pin(device, pin, asserted, now);
    };
    return w;
  }
  void out(std::uint16_t port, std::uint8_t value) { rig.out(port, value); }
  /// The firmware's set-up: one line for a wire, in the route, in ELCR and in the device.
  void route(unsigned device, unsigned wire, unsigned irq) {
    rig.set_config(7, 0x60 + wire, irq, 1);
    const auto port = static_cast<std::uint16_t>(0x4D0 + irq / 8);
    rig.out(port, rig.in(port) | 1u << (irq & 7));
    rig.set_config(device, pci::INTERRUPT_LINE, irq, 1);
  }
  void linux_init() {
    for (const std::uint16_t base : {0x20, 0xA0}) {
      out(base, 0x11);
      out(static_cast<std::uint16_t>(base + 1), base == 0x20 ? 0x20 : 0x28);
      out(static_cast<std::uint16_t>(base + 1), base == 0x20 ? 0x04 : 0x02);
      out(static_cast<std::uint16_t>(base + 1), 0x01);
    }
  }
  int acknowledge() {
    const auto cycle = rig.bus.acknowledge_interrupt(rig.now);
    rig.now = cycle.end;
    return static_cast<int>(cycle.value);
  }
  void end_of_interrupt() {
    out(0xA0, 0x20);
    out(0x20, 0x20);
  }
  void archive(Archive& a) {
    rig.archive(a);
    a(pic, lines, elcr, isa);
  }
};

}  // namespace

TEST_CASE("PIIX3: function 0 is what Linux and firmware expect", "[planar][piix3]") {
  Piix3Bench s;
  CHECK(s.rig.config(7, 0) == 0x70008086);
  CHECK(s.rig.config(7, 8) == 0x06010001);
  CHECK(s.rig.config(7, 0x0E, 1) == 0x80);
  CHECK(s.rig.config(7, 4) == 0x02800007);
  s.rig.set_config(7, 4, 0, 2);
  CHECK(s.rig.config(7, 4, 2) == 0x0007);
  s.rig.set_config(7, 4, 0xFFFF, 2);
  CHECK(s.rig.config(7, 4, 2) == 0x010F);
  CHECK(s.rig.config(7, 0x4C, 1) == 0x4D);
  CHECK(s.rig.config(7, 0x4E, 2) == 0x0003);
  CHECK(s.rig.config(7, 0x60) == 0x80808080);
  CHECK(s.rig.config(7, 0x69, 1) == 0x02);
  CHECK(s.rig.config(7, 0x3C) == 0);
  s.rig.set_config(7, 0x0C, 0xFFFFFFFF);
  CHECK(s.rig.config(7, 0x0C) == 0x00800000);
  // Reserved bits stay 0, and a doubleword write reaches all four registers.
  s.rig.set_config(7, 0x60, 0xFFFFFFFF);
  CHECK(s.rig.config(7, 0x60) == 0x8F8F8F8F);
  s.rig.set_config(7, 0x4E, 0xFFFF, 2);
  CHECK(s.rig.config(7, 0x4E, 2) == 0x01FF);
  s.rig.set_config(7, 0x82, 0xFF, 1);
  CHECK(s.rig.config(7, 0x82, 1) == 0x0F);
  s.rig.segment.reset(s.rig.now);
  CHECK(s.rig.config(7, 0x60) == 0x80808080);
  CHECK(s.rig.config(7, 0x82, 1) == 0);
}

TEST_CASE("PIIX3: ELCR cannot set IRQ 0, 1, 2, 8 and 13", "[planar][piix3]") {
  Piix3Bench s;
  s.out(0x4D0, 0xFF);
  s.out(0x4D1, 0xFF);
  CHECK(s.rig.in(0x4D0) == 0xF8);
  CHECK(s.rig.in(0x4D1) == 0xDE);
  CHECK(s.elcr.levels() == 0xDEF8);
}

TEST_CASE("PIIX3: a card's pin drives the line given by route, ELCR and INTERRUPT_LINE", "[planar][piix3]") {
  Piix3Bench s;
  pci::Slot slot9{9, 1, s.wiring()}, slot10{10, 2, s.wiring()};
  Card one{slot9, 1}, other{slot10, 1};
  s.linux_init();
  one.set_interrupt(true, s.rig.now);
  CHECK_FALSE(s.intr.level);  // not routed yet
  s.route(9, 0, 11);
  s.route(10, 1, 10);
  CHECK(s.router.line_of(9, 1) == static_cast<int>(s.rig.config(9, pci::INTERRUPT_LINE, 1)));
  CHECK(s.router.line_of(10, 1) == static_cast<int>(s.rig.config(10, pci::INTERRUPT_LINE, 1)));
  CHECK(s.router.line_of(9, 2) == s.router.line_of(10, 1));  // INTB# of one is INTA# of the next
  REQUIRE(s.intr.level);
  CHECK(s.acknowledge() == 0x2B);
  one.set_interrupt(false, s.rig.now);
  s.end_of_interrupt();
  CHECK_FALSE(s.intr.level);
  other.set_interrupt(true, s.rig.now);
  CHECK(s.acknowledge() == 0x2A);
}

TEST_CASE("PIIX3: cards on one line hold it until each is served", "[planar][piix3]") {
  Piix3Bench s;
  pci::Slot slot9{9, 1, s.wiring()}, slot10{10, 2, s.wiring()}, slot13{13, 3, s.wiring()};
  Card one{slot9, 1}, wired{slot13, 1}, routed{slot10, 1};
  s.linux_init();
  s.route(9, 0, 9);
  s.route(10, 1, 9);
  CHECK(s.router.line_of(13, 1) == 9);  // the same wire as device 9
  one.set_interrupt(true, s.rig.now);
  wired.set_interrupt(true, s.rig.now);
  routed.set_interrupt(true, s.rig.now);
  for (Card* card : {&one, &routed, &wired}) {
    REQUIRE(s.intr.level);
    CHECK(s.acknowledge() == 0x29);
    card->set_interrupt(false, s.rig.now);
    s.end_of_interrupt();
  }
  CHECK_FALSE(s.intr.level);
}

TEST_CASE("PIIX3: the interrupt lines record which slots assert them", "[planar][piix3]") {
  bus::InterruptLines lines;
  const std::array<unsigned, 2> slots{9, 13};
  PirqRouter router(lines, PirqTable::rotation(9), slots);
  router.set_route(0, 9, {});
  router.set_pin(9, 1, true, {});
  CHECK(lines.sources(9) == 0b01);
  router.set_pin(13, 1, true, {});  // the same wire
  CHECK(lines.sources(9) == 0b11);
  router.set_pin(9, 1, false, {});
  CHECK(lines.sources(9) == 0b10);
  router.set_pin(5, 1, true, {});  // a device on the board
  CHECK(lines.sources(9) == (0b10 | 1u << bus::InterruptLines::slot_sources));
  std::vector<unsigned> began;
  lines.watch([&](unsigned, unsigned source, Time) { began.push_back(source); });
  router.set_route(0, 11, {});
  CHECK(lines.sources(9) == 0);
  CHECK(began == std::vector<unsigned>{1, bus::InterruptLines::slot_sources});
}

TEST_CASE("PIIX3: a shared line that ELCR leaves edge-triggered loses the second card's interrupt", "[planar][piix3]") {
  Piix3Bench s;
  pci::Slot slot9{9, 1, s.wiring()}, slot13{13, 3, s.wiring()};
  Card one{slot9, 1}, other{slot13, 1};
  s.linux_init();
  s.route(9, 0, 5);
  s.out(0x4D0, 0);  // firmware that omitted this
  one.set_interrupt(true, s.rig.now);
  other.set_interrupt(true, s.rig.now);
  CHECK(s.acknowledge() == 0x25);
  one.set_interrupt(false, s.rig.now);
  s.end_of_interrupt();
  CHECK_FALSE(s.intr.level);  // no new edge: the other card waits for ever
  s.out(0x4D0, 0x20);
  CHECK(s.intr.level);
}

TEST_CASE("PIIX3: a PCI line is shared with an ISA source", "[planar][piix3]") {
  Piix3Bench s;
  const unsigned isa = s.lines.add_source("isa");
  pci::Slot slot9{9, 1, s.wiring()};
  Card card{slot9, 1};
  s.linux_init();
  s.route(9, 0, 5);
  s.lines.set(5, isa, true, s.rig.now);
  card.set_interrupt(true, s.rig.now);
  CHECK(s.acknowledge() == 0x25);
  s.lines.set(5, isa, false, s.rig.now);
  s.end_of_interrupt();
  CHECK(s.intr.level);
  card.set_interrupt(false, s.rig.now);
  CHECK_FALSE(s.intr.level);
}

TEST_CASE("PIIX3: a changed route moves an active interrupt; reserved lines are not driven", "[planar][piix3]") {
  Piix3Bench s;
  pci::Slot slot9{9, 1, s.wiring()};
  Card card{slot9, 1};
  s.linux_init();
  s.route(9, 0, 10);
  card.set_interrupt(true, s.rig.now);
  CHECK(s.lines.level(10));
  s.rig.set_config(7, 0x60, 11, 1);
  CHECK_FALSE(s.lines.level(10));
  CHECK(s.lines.level(11));
  for (const unsigned reserved : {0, 1, 2, 8, 13, 0x8B}) {
    s.rig.set_config(7, 0x60, reserved, 1);
    CHECK(s.router.line(0) == -1);
    for (unsigned line = 0; line < 16; ++line) CHECK_FALSE(s.lines.level(line));
  }
  s.rig.set_config(7, 0x60, 15, 1);
  CHECK(s.lines.level(15));
  s.rig.segment.reset(s.rig.now);
  CHECK_FALSE(s.lines.level(15));
}

TEST_CASE("PIIX3: every pin of every device maps to its PIRQ", "[planar][piix3]") {
  const PirqTable table = PirqTable::rotation(9);
  CHECK(table.wire(9, 1) == 0);
  CHECK(table.wire(9, 4) == 3);
  CHECK(table.wire(12, 1) == 3);
  CHECK(table.wire(12, 2) == 0);
  CHECK(table.wire(7, 4) == 1);
}

TEST_CASE("PIIX3: routes and wires survive a snapshot; a damaged one is refused", "[planar][piix3]") {
  Piix3Bench s, t;
  pci::Slot slot9{9, 1, s.wiring()}, twin{9, 1, t.wiring()};
  Card card{slot9, 1}, copy{twin, 1};
  s.linux_init();
  s.route(9, 0, 10);
  card.set_interrupt(true, s.rig.now);
  const auto state = test::saved_state(s);
  test::restore_state(t, state);
  CHECK(test::saved_state(t) == state);
  CHECK(t.acknowledge() == 0x2A);
  t.router.set_pin(9, 1, false, t.rig.now);
  CHECK_FALSE(t.lines.level(10));
  auto broken = state;
  broken.resize(broken.size() - 3);
  CHECK_THROWS_AS(test::restore_state(t, broken), Error);
}

namespace {

struct Ports : PlanarBench {
  I8254 timers{scheduler, trace, TimerBoard::at};
  RtcCmos rtc{scheduler, trace};
  Piix3Ports ports{timers, trace};
  Probe nmi, a20, init, reset;
  Ports() {
    timers.claim_ports(io);
    rtc.claim_ports(io);
    ports.claim_ports(io);
    rtc.nmi_mask.connect(ports.nmi_mask());
    ports.nmi.connect(nmi);
    ports.a20.connect(a20);
    ports.init.connect(init);
    ports.hard_reset.connect(reset);
  }
};

}  // namespace

TEST_CASE("PIIX3: a rise of CF9h bit 2 resets the processor, and everything if bit 1 is set", "[planar][piix3]") {
  Ports p;
  p.out(0xCF9, 0x04);
  CHECK(p.init.rises.size() == 1);
  p.out(0xCF9, 0x06);  // bit 2 is set already
  CHECK(p.reset.rises.empty());
  p.out(0xCF9, 0x02);
  CHECK(p.in(0xCF9) == 0x02);
  p.out(0xCF9, 0xFE);
  CHECK(p.reset.rises.size() == 1);
  CHECK(p.init.rises.size() == 1);
  CHECK(p.in(0xCF9) == 0x06);
}

TEST_CASE("PIIX3: CF9h lies within the configuration ports, which still take doublewords", "[planar][piix3]") {
  Piix3Bench s;
  I8254 timers{s.rig.scheduler, s.rig.trace, TimerBoard::at};
  Piix3Ports ports{timers, s.rig.trace};
  Probe init;
  ports.claim_ports(s.rig.bus.io());
  ports.init.connect(init);
  CHECK(s.rig.config(7, 0) == 0x70008086);
  s.out(0xCF9, 0x04);
  CHECK(init.rises.size() == 1);
  CHECK(s.rig.in(0xCF8, 4) == 0x80003800);
  s.rig.out(0xCF8, 0x80003808, 4);
  CHECK(init.rises.size() == 1);
  CHECK(s.rig.in(0xCFC, 4) == 0x06010001);
}

TEST_CASE("PIIX3: port 92h and the keyboard controller share A20", "[planar][piix3]") {
  Ports p;
  p.out(0x92, 0x02);
  CHECK(p.a20.level);
  p.ports.a20_from_keyboard().set(true, p.now);
  p.out(0x92, 0x00);
  CHECK(p.a20.level);
  p.ports.a20_from_keyboard().set(false, p.now);
  CHECK_FALSE(p.a20.level);
  p.out(0x92, 0xFF);
  CHECK(p.in(0x92) == 0x03);
  CHECK(p.init.rises.size() == 1);
  p.out(0x92, 0x03);
  CHECK(p.init.rises.size() == 1);
}

TEST_CASE("PIIX3: port 61h toggles every 15 us, shows timer 2 and stores four bits", "[planar][piix3]") {
  Ports p;
  unsigned edges = 0;
  bool last = p.in(0x61) & 0x10;
  for (int n = 0; n < 15'085; ++n) {
    const bool bit = p.in(0x61) & 0x10;
    edges += bit != last;
    last = bit;
  }
  CHECK(edges == 1000);
  p.out(0x61, 0xFF);
  CHECK((p.in(0x61) & 0xCF) == 0x0F);
  CHECK(p.ports.speaker_data());
  p.out(0x43, 0xB0);  // timer 2, mode 0: a delay loop of a BIOS
  p.out(0x42, 100);
  p.out(0x42, 0);
  CHECK((p.in(0x61) & 0x20) == 0);
  p.step(100_us);
  CHECK((p.in(0x61) & 0x20) != 0);
}

TEST_CASE("PIIX3: IOCHK# and SERR# latch, 61h clears them, 70h masks", "[planar][piix3]") {
  Ports p;
  p.out(0x70, 0x00);
  p.ports.set_nmi(bus::NmiSource::channel_check, true, p.now);
  p.ports.set_nmi(bus::NmiSource::channel_check, false, p.now);
  CHECK(p.nmi.level);
  CHECK((p.in(0x61) & 0xC0) == 0x40);
  p.out(0x61, 0x08);
  CHECK_FALSE(p.nmi.level);
  p.out(0x61, 0x00);
  CHECK((p.in(0x61) & 0xC0) == 0x00);
  p.out(0x70, 0x80);
  p.ports.set_nmi(bus::NmiSource::parity, true, p.now);
  CHECK_FALSE(p.nmi.level);
  CHECK((p.in(0x61) & 0xC0) == 0x80);
  p.out(0x70, 0x00);
  CHECK(p.nmi.level);
  p.ports.set_nmi(bus::NmiSource::watchdog, true, p.now);
  p.out(0x61, 0x04);
  CHECK_FALSE(p.nmi.level);
}

TEST_CASE("PIIX3: the ports keep their bytes, clear them at reset, and survive a snapshot", "[planar][piix3]") {
  Ports p, q;
  p.out(0xB2, 0x12);
  p.out(0xB3, 0x34);
  p.out(0x61, 0x03);
  p.out(0x92, 0x02);
  CHECK(p.in(0xB2) == 0x12);
  CHECK(p.in(0xB3) == 0x34);
  REQUIRE(tests::survives_snapshot(p.ports, q.ports));
  CHECK(q.in(0xB3) == 0x34);
  CHECK(q.ports.a20.level());
  p.ports.reset(p.now);
  CHECK(p.in(0xB2) == 0);
  CHECK_FALSE(p.a20.level);
}
