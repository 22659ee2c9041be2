// SPDX-License-Identifier: GPL-2.0-or-later
// Task switches.
#include "machine.hpp"

using namespace planar;
using namespace planar::cpu_test;

namespace {

constexpr std::uint32_t new_tss_at = 0x7000;

/// A second 32-bit TSS in `spare`.
void second_task(Board& b, std::uint32_t eip, unsigned access = 0x89) {
  b.descriptor(gdt_at + spare, new_tss_at, 0x67, access, 0);
  std::fill_n(&b.ram[new_tss_at], 0x68, 0);
  b.put32(new_tss_at + 0x20, eip);
  b.put32(new_tss_at + 0x24, 2);
  b.put32(new_tss_at + 0x28, 0xAAAAAAAA);
  b.put32(new_tss_at + 0x38, 0x30000);
  for (unsigned s = 0; s < 6; ++s) b.put16(new_tss_at + 0x48 + 4 * s, data0);
  b.put16(new_tss_at + 0x4C, code0);
}

}  // namespace

TEST_CASE("JMP to a TSS saves one task and starts the other", "[cpu][task]") {
  Board b;
  second_task(b, code_at + 0x100);
  b.flat({0xEA, 0, 0, 0, 0, spare, 0});
  b.change([](Registers& r) { r.gpr[EBX] = 0xB0B0B0B0; });
  b.step();
  const Registers r = b.cpu.registers();
  CHECK(r.eip == code_at + 0x100);
  CHECK(r.gpr[EAX] == 0xAAAAAAAAu);
  CHECK(r.gpr[ESP] == 0x30000);
  CHECK(r.tr.selector == spare);
  CHECK((r.cr0 & 8) != 0);  // TS
  CHECK(b.get32(tss_at + 0x20) == code_at + 7);
  CHECK(b.get32(tss_at + 0x34) == 0xB0B0B0B0u);
  CHECK((b.ram[gdt_at + tss_selector + 5] & 2) == 0);  // the old one is no longer busy
  CHECK((b.ram[gdt_at + spare + 5] & 2) != 0);
  CHECK((r.eflags & 0x4000) == 0);
}

TEST_CASE("CALL to a TSS nests, and IRET returns to the caller", "[cpu][task]") {
  Board b;
  second_task(b, code_at + 0x100);
  b.put(code_at + 0x100, {0xCF});
  b.flat({0x9A, 0, 0, 0, 0, spare, 0, 0x90});
  b.change([](Registers& r) { r.gpr[ECX] = 0xC0C0C0C0; });
  b.step();
  CHECK((b.flags() & 0x4000) != 0);  // NT
  CHECK(b.get16(new_tss_at) == tss_selector);
  CHECK((b.ram[gdt_at + tss_selector + 5] & 2) != 0);
  b.step();
  const Registers r = b.cpu.registers();
  CHECK(r.eip == code_at + 7);
  CHECK(r.gpr[ECX] == 0xC0C0C0C0u);
  CHECK(r.tr.selector == tss_selector);
  CHECK((b.ram[gdt_at + spare + 5] & 2) == 0);
  CHECK((r.eflags & 0x4000) == 0);
}

TEST_CASE("A busy task cannot be entered", "[cpu][task]") {
  Board b;
  second_task(b, code_at + 0x100, 0x8B);
  b.flat({0xEA, 0, 0, 0, 0, spare, 0});
  CHECK(b.step(2).vector() == 13);
  CHECK(b.stack(0) == spare);
}

TEST_CASE("A bad segment in the new TSS faults in the new task", "[cpu][task]") {
  Board b;
  second_task(b, code_at + 0x100);
  b.put16(new_tss_at + 0x54, code16 | 0x400);  // DS beyond the GDT
  b.flat({0xEA, 0, 0, 0, 0, spare, 0});
  b.change([](Registers& r) { r.gdtr.limit = 0x47; });
  CHECK(b.step(2).vector() == 10);
  CHECK(b.stack(0) == (code16 | 0x400));
  CHECK(b.stack(1) == code_at + 0x100);
  CHECK(b.cpu.registers().tr.selector == spare);
}

TEST_CASE("An exception through a task gate pushes its error code on the new stack", "[cpu][task]") {
  Board b;
  second_task(b, code_at + 0x100);
  b.gate(idt_at + 13 * 8, spare, 0, 0x85);
  b.flat({0x66, 0xB8, 0x00, 0x07, 0x8E, 0xD8});  // MOV AX,700h; MOV DS,AX: #GP(700h)
  b.change([](Registers& r) { r.gdtr.limit = 0x47; });
  b.step(2);
  CHECK(b.cpu.registers().eip == code_at + 0x100);
  CHECK(b.reg(ESP) == 0x30000 - 4);
  CHECK(b.stack(0) == 0x700);
  CHECK(b.get32(tss_at + 0x20) == code_at + 4);  // where the old task would restart its instruction
}

TEST_CASE("The error code of a fault during delivery has EXT unless INT n is delivered", "[cpu][task][exceptions]") {
  Board b;
  second_task(b, code_at + 0x100);
  SECTION("the stack for ring 0 is invalid") {
    b.put16(tss_at + 8, code16);
    b.gate(idt_at + 10 * 8, spare, 0, 0x85);
    b.gate(idt_at + 0x21 * 8, code0, handlers_at + 0x21, 0xEE);
    SECTION("INT n") {
      b.flat({0xCD, 0x21}, 3).step();
      CHECK(b.stack(0) == code16);
    }
    SECTION("exception") {
      b.flat({0x0F, 0x0B}, 3).step();
      CHECK(b.stack(0) == (code16 | 1));
    }
    SECTION("external interrupt") {
      b.flat({0x90}, 3).change([](Registers& r) { r.eflags |= 0x200; });
      b.cpu.set_intr(true);
      b.step();
      CHECK(b.stack(0) == (code16 | 1));
    }
    CHECK(b.cpu.registers().eip == code_at + 0x100);
  }
  SECTION("the task entered by an exception has an invalid segment") {
    b.put16(new_tss_at + 0x54, code16 | 0x400);  // DS beyond the GDT
    b.gate(idt_at + 6 * 8, spare, 0, 0x85);
    b.flat({0x0F, 0x0B});
    b.change([](Registers& r) { r.gdtr.limit = 0x47; });
    CHECK(b.step(2).vector() == 10);
    CHECK(b.stack(0) == (code16 | 0x401));
  }
}

TEST_CASE("A task's CR3 has the bits that MOV can set", "[cpu][task][paging]") {
  const auto model = GENERATE(Model::i386sx, Model::i486sx, Model::pentium);
  Board b(model);
  second_task(b, code_at + 0x100);
  b.put32(new_tss_at + 0x1C, page_directory_at | 0xFFF);
  b.put(code_at + 0x100, {0x0F, 0x20, 0xD8});  // MOV EAX,CR3
  b.paged({0xEA, 0, 0, 0, 0, spare, 0}).step(2);
  CHECK(b.reg(EAX) == (page_directory_at | (model == Model::i386sx ? 0u : 0x18u)));
}

TEST_CASE("A task switch faults in the old task, unchanged, if what it writes is read-only", "[cpu][task][paging]") {
  Board b;
  second_task(b, code_at + 0x100);
  b.put32(new_tss_at + 0x1C, page_directory_at);
  const auto switches = [&](unsigned opcode, std::uint32_t read_only) {
    b.paged({opcode, 0, 0, 0, 0, spare, 0});
    b.pte(read_only, read_only | 5);
    b.change([](Registers& r) { r.cr0 |= 0x10000; });
    b.step();
    if (b.vector() != 14) return true;
    CHECK(b.stack(1) == code_at);
    CHECK(b.get32(tss_at + 0x20) == 0);  // EIP has not been saved
    return false;
  };
  CHECK_FALSE(switches(0x9A, new_tss_at));  // CALL writes the link
  CHECK_FALSE(switches(0x9A, gdt_at));      // and the busy bit
  CHECK(switches(0xEA, new_tss_at));        // JMP only reads the new TSS
  CHECK((b.pte(new_tss_at) & 0x40) == 0);   // not dirty
}

TEST_CASE("After a task switch the first FPU instruction raises #NM", "[cpu][task][fpu]") {
  Board b(Model::pentium);
  second_task(b, code_at + 0x100);
  b.put(code_at + 0x100, {0xDB, 0xE3});
  b.flat({0xEA, 0, 0, 0, 0, spare, 0});
  CHECK(b.step(3).vector() == 7);
}
