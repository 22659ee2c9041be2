// SPDX-License-Identifier: GPL-2.0-or-later
// Configuration space as firmware and Linux 2.2 probe it.
#include "core/common/error.hpp"
#include "tests/bus/pci_rig.hpp"

using namespace planar;
using namespace planar::test;

namespace {

struct PciRegisters final : Slave {
  std::uint32_t read(std::uint32_t offset, unsigned bytes, Time now) override {
    last_read = now;
    return peek(offset, bytes, now);
  }
  void write(std::uint32_t, unsigned, std::uint32_t value, Time now) override { written.push_back({value, now}); }
  std::uint32_t peek(std::uint32_t offset, unsigned, Time) const override { return 0x11223300u + offset; }
  std::vector<std::pair<std::uint32_t, Time>> written;
  Time last_read{};
};

struct PciDevice final : pci::Function {
  explicit PciDevice(pci::Slot& slot)
      : Function(slot, {.vendor = 0x10EC, .device = 0x8139, .revision = 0x10, .class_code = 0x020000}) {
    add_bar({pci::Bar::Kind::io, 0x100, &registers, {32, pci::CycleKind::io, 60_ns}});
    add_bar({pci::Bar::Kind::memory, 0x1000, &registers, {32, pci::CycleKind::memory, 60_ns}});
  }
  using Function::set_interrupt;
  PciRegisters registers;
};

struct PciFunctionBench {
  PciRig rig;
  pci::Slot slot{9, 1, rig.wiring()};
  PciDevice device{slot};
};

}  // namespace

TEST_CASE("configuration mechanism 1 answers Linux's probe") {
  PciFunctionBench b;
  b.rig.out(0xCFB, 0x01);
  const std::uint32_t before = b.rig.in(0xCF8, 4);
  b.rig.out(0xCF8, 0x80000000, 4);
  CHECK(b.rig.in(0xCF8, 4) == 0x80000000);
  b.rig.out(0xCF8, before, 4);
  CHECK(b.rig.config(9, 0) == 0x813910EC);
  CHECK(b.rig.config(9, 8) == 0x02000010);
  CHECK(b.rig.config(9, 0x0A, 2) == 0x0200);
  CHECK(b.rig.config(9, 0x0B, 1) == 0x02);
  CHECK(b.rig.config(9, 0x3D, 1) == 1);
  SECTION("byte and word accesses to CF8h do not reach the address register") {
    b.rig.out(0xCF8, 0x80004800, 4);
    b.rig.out(0xCF8, 0x12, 1);
    b.rig.out(0xCF8, 0x1234, 2);
    CHECK(b.rig.in(0xCF8, 4) == 0x80004800);
    CHECK(b.rig.in(0xCF8, 1) == 0xFF);
  }
  SECTION("reserved bits read 0") {
    b.rig.out(0xCF8, 0xFFFFFFFF, 4);
    CHECK(b.rig.in(0xCF8, 4) == 0x80FFFFFC);
  }
}

TEST_CASE("absent devices, functions and buses read ones and ignore writes") {
  PciFunctionBench b;
  CHECK(b.rig.config(8, 0) == 0xFFFFFFFF);
  CHECK(b.rig.config(9, 0, 2, 1) == 0xFFFF);
  b.rig.set_config(8, pci::COMMAND, 7, 2);
  b.rig.out(0xCF8, 0x80014800, 4);  // bus 1
  CHECK(b.rig.in(0xCFC, 4) == 0xFFFFFFFF);
  b.rig.out(0xCF8, 0x00004800, 4);  // not enabled
  CHECK(b.rig.in(0xCFC, 4) == 0xFFFFFFFF);
}

TEST_CASE("a peer segment is addressed by the bus number of its bridge") {
  PciFunctionBench b;
  pci::Segment peer{b.rig.scheduler, {}, b.rig.memory, b.rig.trace, "pci1"};
  b.rig.bus.attach(peer);
  b.rig.ports->add(peer);
  peer.set_bus_number(1);
  pci::SlotWiring wiring{
      b.rig.scheduler, b.rig.bus.io(), b.rig.memory, peer, b.rig.trace, [](unsigned, unsigned, bool, Time) {}};
  pci::Slot slot{4, 2, wiring};
  PciDevice device{slot};
  const auto config = [&](unsigned bus, unsigned at, unsigned reg) {
    b.rig.out(0xCF8, 0x80000000u | bus << 16 | at << 11 | reg, 4);
    return b.rig.in(0xCFC, 4);
  };
  CHECK(config(0, 9, 0) == 0x813910EC);
  CHECK(config(1, 9, 0) == 0xFFFFFFFF);
  CHECK(config(0, 4, 0) == 0xFFFFFFFF);
  CHECK(config(1, 4, 0) == 0x813910EC);
  peer.set_bus_number(3);
  CHECK(config(1, 4, 0) == 0xFFFFFFFF);
  CHECK(config(3, 4, 0) == 0x813910EC);
  // Its ranges are on the peer segment, where only masters of that segment keep the processor waiting.
  config(3, 4, pci::BAR0);
  b.rig.out(0xCFC, 0x6000, 4);
  config(3, 4, pci::COMMAND);
  b.rig.out(0xCFC, pci::IO_SPACE, 4);
  CHECK(b.rig.in(0x6010, 4) == 0x11223310);
  CHECK(device.registers.last_read == b.rig.now);
  const auto list = pci::segments_of(std::vector<bus::Bus*>{&b.rig.board, &b.rig.segment, &peer});
  CHECK(list == std::vector<pci::Segment*>{&b.rig.segment, &peer});
}

TEST_CASE("mechanism 2 has key, function and windows") {
  PciRig rig({}, pci::ConfigMechanism::two);
  pci::Slot slot{9, 1, rig.wiring()};
  PciDevice device{slot};
  rig.out(0xCFB, 0);
  rig.out(0xCF8, 0);
  rig.out(0xCFA, 0);
  CHECK(rig.in(0xCF8) == 0);
  CHECK(rig.in(0xCFA) == 0);
  CHECK(rig.in(0xC900, 4) == 0xFFFFFFFF);
  rig.out(0xCF8, 0xF0);
  CHECK(rig.in(0xC900, 4) == 0x813910EC);
  CHECK(rig.in(0xC800, 4) == 0xFFFFFFFF);
  rig.out(0xCFA, 1);
  CHECK(rig.in(0xC900, 4) == 0xFFFFFFFF);
  rig.out(0xCFA, 0);
  rig.out(0xC90D, 64);
  CHECK(rig.in(0xC90D) == 64);
  rig.out(0xCF8, 0);
  CHECK(rig.in(0xC900, 4) == 0xFFFFFFFF);
}

TEST_CASE("a base address is sized by writing ones, and decodes when enabled") {
  PciFunctionBench b;
  b.rig.set_config(9, pci::BAR0, 0xFFFFFFFF);
  CHECK(b.rig.config(9, pci::BAR0) == 0xFFFFFF01);
  b.rig.set_config(9, pci::BAR0 + 4, 0xFFFFFFFF);
  CHECK(b.rig.config(9, pci::BAR0 + 4) == 0xFFFFF000);
  b.rig.set_config(9, pci::BAR0 + 8, 0xFFFFFFFF);
  CHECK(b.rig.config(9, pci::BAR0 + 8) == 0);
  b.rig.set_config(9, pci::EXPANSION_ROM, 0xFFFFFFFE);
  CHECK(b.rig.config(9, pci::EXPANSION_ROM) == 0);
  b.rig.set_config(9, pci::BAR0, 0x6000);
  b.rig.set_config(9, pci::BAR0 + 4, 0xFEB00000);
  CHECK(b.rig.in(0x6004, 4) == 0xFFFFFFFF);
  b.rig.set_config(9, pci::COMMAND, 0xFFFF, 2);
  CHECK(b.rig.config(9, pci::COMMAND, 2) == 0x0157);
  CHECK(b.rig.in(0x6004, 4) == 0x11223304);
  CHECK(b.rig.load(0xFEB00008) == 0x11223308);
  SECTION("it moves with its register") {
    b.rig.set_config(9, pci::BAR0, 0x7000);
    CHECK(b.rig.in(0x6004, 4) == 0xFFFFFFFF);
    CHECK(b.rig.in(0x7004, 4) == 0x11223304);
  }
  SECTION("it does not cover RAM, for the processor or a master") {
    b.rig.set_config(9, pci::BAR0 + 4, 0x4000);
    b.rig.put32(0x4008, 0x12345678);
    CHECK(b.rig.load(0x4008) == 0x12345678);
    std::vector<std::uint8_t> read(4);
    b.rig.memory.master_read(0x4008, read, b.rig.now);
    CHECK(read == std::vector<std::uint8_t>{0x78, 0x56, 0x34, 0x12});
    b.rig.set_config(9, pci::BAR0 + 4, 0xFEB00000);
    CHECK(b.rig.load(0xFEB00008) == 0x11223308);
  }
  SECTION("I/O beyond 64 KB is never decoded") {
    b.rig.set_config(9, pci::BAR0, 0x00016000);
    CHECK(b.rig.in(0x6004, 4) == 0xFFFFFFFF);
  }
  SECTION("RST# disables decoding") {
    b.rig.segment.reset(b.rig.now);
    CHECK(b.rig.in(0x6004, 4) == 0xFFFFFFFF);
    CHECK(b.rig.config(9, pci::BAR0) == 1);
    CHECK(b.rig.config(9, pci::COMMAND, 2) == 0);
  }
  SECTION("a read-only byte beside a writable one keeps its value") {
    b.rig.set_config(9, 0x3C, 0xFFFFFF0A);
    CHECK(b.rig.config(9, 0x3C) == 0x0000010A);
  }
}

TEST_CASE("the processor waits for port accesses and memory reads; memory writes are posted") {
  PciFunctionBench b;
  b.rig.set_config(9, pci::BAR0, 0x6000);
  b.rig.set_config(9, pci::BAR0 + 4, 0xFEB00000);
  b.rig.set_config(9, pci::COMMAND, 7, 2);
  const auto& t = b.rig.segment.timing();
  const Time access = t.synchronisation + t.clocks(t.transaction) + t.completion + 60_ns;
  b.rig.in(0x6000, 4);
  CHECK(b.rig.took == access);
  b.rig.out(0x6000, 1, 4);
  CHECK(b.rig.took == access);
  b.rig.step(1_us);
  auto& written = b.device.registers.written;
  written.clear();
  b.rig.store(0xFEB00000, 0xA, 4);
  CHECK(b.rig.took == t.post);
  b.rig.store(0xFEB00000, 0xB, 2);
  CHECK(written.empty());
  SECTION("posted writes arrive in order") {
    b.rig.step(1_us);
    REQUIRE(written.size() == 2);
    CHECK(written[0].first == 0xA);
    CHECK(written[1].first == 0xB);
    CHECK(written[0].second < written[1].second);
  }
  SECTION("a read waits until the posted writes are done") {
    b.rig.load(0xFEB00000);
    REQUIRE(written.size() == 2);
    CHECK(written[1].second < b.device.registers.last_read);
    CHECK(b.rig.took > access);
  }
  SECTION("a full buffer makes the processor wait") {
    for (unsigned n = 2; n < 2 * t.post_depth; ++n) b.rig.store(0xFEB00000, n);
    CHECK(b.rig.took.ps > 2 * t.post.ps);
    b.rig.step(10_us);
    CHECK(written.size() == 2 * t.post_depth);
  }
}

TEST_CASE("an interrupt pin is a level that RST# deasserts") {
  PciFunctionBench b;
  b.device.set_interrupt(true, b.rig.now);
  CHECK(b.rig.interrupts[1]);
  b.rig.segment.reset(b.rig.now);
  CHECK_FALSE(b.rig.interrupts[1]);
}

TEST_CASE("a function may use only its fifth base address register") {
  struct Ide final : pci::Function {
    explicit Ide(pci::Slot& slot)
        : Function(slot, {.vendor = 0x8086, .device = 0x7010, .class_code = 0x010180, .interrupt_pin = 0}) {
      add_bar(4, {pci::Bar::Kind::io, 16, &registers, {32, pci::CycleKind::io, 60_ns}});
    }
    void again() { add_bar(4, {pci::Bar::Kind::io, 16, &registers, {32, pci::CycleKind::io, 60_ns}}); }
    void seventh() { add_bar(6, {pci::Bar::Kind::io, 16, &registers, {32, pci::CycleKind::io, 60_ns}}); }
    PciRegisters registers;
  };
  PciRig rig;
  pci::Slot slot{7, 0, rig.wiring()};
  Ide ide{slot};
  for (unsigned n = 0; n < 6; ++n) {
    rig.set_config(7, pci::BAR0 + 4 * n, 0xFFFFFFFF);
    CHECK(rig.config(7, pci::BAR0 + 4 * n) == (n == 4 ? 0xFFFFFFF1u : 0u));
    CHECK(ide.base(n) == (n == 4 ? 0xFFFFFFF0u : 0u));
    CHECK_FALSE(ide.decodes(n));
  }
  rig.set_config(7, 0x20, 0xF000);
  rig.set_config(7, pci::COMMAND, pci::IO_SPACE, 2);
  CHECK(ide.decodes(4));
  CHECK(rig.in(0xF002, 1) == 0x02);
  CHECK_THROWS_AS(ide.again(), Error);
  CHECK_THROWS_AS(ide.seventh(), Error);
}

TEST_CASE("a power management capability is in the list, and only its declared bits are writable") {
  struct Managed final : pci::Function {
    explicit Managed(pci::Slot& slot)
        : Function(slot, {.vendor = 0x10B7, .device = 0x9055, .class_code = 0x020000, .mhz_66 = true}) {
      add(pci::PowerManagement{.at = 0x48, .pmc = 0x7E01, .pmcsr = 0x2000, .writable = 0x0103, .data = 0x55});
    }
  };
  PciRig rig;
  pci::Slot slot{7, 0, rig.wiring()}, other{8, 0, rig.wiring()};
  Managed managed{slot};
  const pci::Function plain{other, {.vendor = 0x10EC, .device = 0x8139}};
  CHECK(rig.config(7, pci::STATUS, 2) == 0x02B0);  // in addition to the function's own bits
  CHECK(rig.config(8, pci::STATUS, 2) == 0x0280);
  CHECK(rig.config(8, pci::CAPABILITIES) == 0);
  REQUIRE(rig.config(7, pci::CAPABILITIES) == 0x48);
  CHECK(rig.config(7, 0x48) == 0x7E010001);
  CHECK(rig.config(7, 0x4C) == 0x55002000);
  for (unsigned reg = 0x48; reg < 0x50; reg += 4) rig.set_config(7, reg, 0xFFFFFFFF);
  CHECK(rig.config(7, 0x48) == 0x7E010001);
  CHECK(rig.config(7, 0x4C) == 0x55002103);
  managed.bus_reset(rig.now);
  CHECK(rig.config(7, 0x4C) == 0x55002000);
  CHECK(rig.config(7, pci::STATUS, 2) == 0x02B0);
}
