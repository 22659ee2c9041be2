// SPDX-License-Identifier: GPL-2.0-or-later
// Bugs found by the fuzz target tests/fuzz/cpu.cpp and by code review, each with a guest program that shows it.
#include "machine.hpp"

using namespace planar;
using namespace planar::cpu_test;

TEST_CASE("A REP that executes in device memory does not save stale bytes of an earlier fetch", "[cpu][determinism]") {
  // C0000h is unmapped: every fetch goes to the pins. A longer instruction before it must not make a difference.
  const auto state = [](bool long_one_before) {
    struct Pins : BoardPins {
      std::uint64_t code = 0;
      cpu::Cycle memory_read(std::uint32_t address, unsigned, Time start) override {
        return {static_cast<std::uint32_t>(code >> (8 * (address & 4))), done(start)};
      }
    } pins;
    Scheduler scheduler;
    AddressSpace space;
    Trace trace;
    cpu::Cpu processor(scheduler, space, pins, trace, Board::config(Model::i486sx));
    Registers r;
    for (auto& s : r.segment) s = {0xC000, 0xC0000, 0xFFFF, 0x93, false};
    r.idtr = {0, 0x3FF};
    r.cr0 = 0x10;
    r.gpr[ECX] = 100;
    const Registers start = r;
    if (long_one_before) {
      pins.code = 0xB866666666666666u;  // six prefixes and further bytes
      processor.set_registers(start);
      processor.step();
    }
    pins.code = 0xACF3;  // REP LODSB
    processor.set_registers(start);
    processor.step();
    Archive a = Archive::saver();
    processor.archive(a);
    // uncached_bytes differed; clocks differ too, so only the bytes are compared
    const std::vector<std::uint8_t> leftover = {0x66, 0x66, 0x66};
    return std::search(a.stream().begin(), a.stream().end(), leftover.begin(), leftover.end()) != a.stream().end();
  };
  CHECK_FALSE(state(false));
  CHECK_FALSE(state(true));
}

TEST_CASE("Two tasks that endlessly raise exceptions in each other end in shutdown", "[cpu][task]") {
  // Each task's back link overlaps the other's access byte: the switch writes the selector there, 89h, an available
  // TSS.
  constexpr std::uint16_t a = 0x89, b_task = 0x189;
  Board b;
  const auto task = [&](std::uint16_t selector, std::uint32_t base, std::uint16_t cs) {
    b.descriptor(gdt_at + (selector & 0xFFF8), base, 0x67, 0x89, 0);
    b.put32(base + 0x24, 2);
    b.put16(base + 0x4C, cs);
  };
  task(a, gdt_at + (b_task & 0xFFF8) + 5, data0);  // CS is data: #TS
  task(b_task, gdt_at + (a & 0xFFF8) + 5, spare);  // CS is not present: #NP
  b.descriptor(gdt_at + spare, 0, 0xFFFFF, 0x1B, 0xC);
  b.gate(idt_at + 6 * 8, a, 0, 0x85);
  b.gate(idt_at + 10 * 8, b_task, 0, 0x85);
  b.gate(idt_at + 11 * 8, a, 0, 0x85);
  b.flat({0x0F, 0x0B});
  b.change([](Registers& r) { r.tr.selector = 0x289; });
  b.step();
  CHECK(b.cpu.in_shutdown());
}
