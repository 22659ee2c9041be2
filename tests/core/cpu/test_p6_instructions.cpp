// SPDX-License-Identifier: GPL-2.0-or-later
// Instructions introduced with the P6: CMOVcc, FCMOVcc, FCOMI, hints, RDPMC, SYSENTER and SYSEXIT. Intel Architecture
// Software Developer's Manual volume 2.
#include "core/cpu/fpu/fpu.hpp"
#include "tests/core/cpu/flag_bits.hpp"
#include "tests/core/cpu/machine.hpp"

using namespace planar;
using namespace planar::cpu_test;

namespace {

/// All combinations of the flags that conditions test.
std::vector<std::uint32_t> flag_combinations() {
  std::vector<std::uint32_t> list;
  for (unsigned i = 0; i < 32; ++i)
    list.push_back(2 | (i & 1 ? cf : 0) | (i & 2 ? pf : 0) | (i & 4 ? zf : 0) | (i & 8 ? sf : 0) | (i & 16 ? of : 0));
  return list;
}

}  // namespace

TEST_CASE("CMOVcc moves on the same condition as SETcc", "[cpu][p6]") {
  Board b(Model::p6);
  for (unsigned condition = 0; condition < 16; ++condition)
    for (const std::uint32_t flags : flag_combinations()) {
      INFO("condition " << condition << " flags " << flags);
      // SETcc CL; CMOVcc EAX,EBX; CMOVcc EDX,[20000h]
      b.flat({0x0F, 0x90 | condition, 0xC1, 0x0F, 0x40 | condition, 0xC3, 0x0F, 0x40 | condition, 0x15, 0, 0, 2, 0});
      b.put32(data_at, 0x33333333);
      b.change([&](Registers& r) {
        r.gpr[EAX] = r.gpr[EDX] = 0x11111111;
        r.gpr[EBX] = 0x22222222;
        r.eflags = flags;
      });
      b.step(3);
      const bool holds = b.reg(ECX) & 1;
      CHECK(b.reg(EAX) == (holds ? 0x22222222u : 0x11111111u));
      CHECK(b.reg(EDX) == (holds ? 0x33333333u : 0x11111111u));
      CHECK(b.flags() == flags);
    }
}

TEST_CASE("CMOVcc of a word preserves the upper half, and reads memory even if the condition is false", "[cpu][p6]") {
  Board b(Model::p6);
  b.flat({0x66, 0x0F, 0x45, 0xC3});  // CMOVNE AX,BX
  b.change([](Registers& r) {
    r.gpr[EAX] = 0x11111111;
    r.gpr[EBX] = 0x22222222;
  });
  CHECK(b.step().reg(EAX) == 0x11112222u);
  b.paged({0x0F, 0x44, 0x05, 0, 0, 6, 0});  // CMOVE EAX,[60000h] with ZF clear
  b.pte(0x60000, 0);
  CHECK(b.step(2).vector() == 14);
  CHECK(b.cpu.registers().cr2 == 0x60000);
}

TEST_CASE("FCMOVcc moves ST(i) on eight conditions", "[cpu][p6][fpu]") {
  struct Row {
    unsigned escape, modrm;
    std::uint32_t flags;
    bool negated;
  };
  const Row rows[] = {{0xDA, 0xC1, cf, false},     {0xDA, 0xC9, zf, false}, {0xDA, 0xD1, cf | zf, false},
                      {0xDA, 0xD9, pf, false},     {0xDB, 0xC1, cf, true},  {0xDB, 0xC9, zf, true},
                      {0xDB, 0xD1, cf | zf, true}, {0xDB, 0xD9, pf, true}};
  Board b(Model::p6);
  for (const Row& row : rows)
    for (const std::uint32_t flags : flag_combinations()) {
      INFO(row.escape << " " << row.modrm << " flags " << flags);
      b.flat({0xDB, 0xE3, 0xD9, 0xEB, 0xD9, 0xE8, row.escape, row.modrm});  // FNINIT; FLDPI; FLD1; FCMOVcc ST(0),ST(1)
      b.change([&](Registers& r) { r.eflags = flags; });
      b.step(4);
      const bool moves = ((flags & row.flags) != 0) != row.negated;
      CHECK(b.cpu.fpu().registers[6].exponent == (moves ? 0x4000 : 0x3FFF));
      CHECK(b.flags() == flags);
    }
  // An empty register is a stack fault whatever the condition is.
  b.flat({0xDB, 0xE3, 0xD9, 0xE8, 0xDA, 0xC1}).step(3);  // FNINIT; FLD1; FCMOVB ST(0),ST(1) with CF clear
  CHECK((b.cpu.fpu().status & 0x241) == 0x41);
  CHECK(b.cpu.fpu().registers[7] == cpu::float80_indefinite);
}

TEST_CASE("FCOMI and FUCOMI set ZF, PF and CF and clear the other flags", "[cpu][p6][fpu]") {
  Board b(Model::p6);
  const auto result = [&](std::initializer_list<unsigned> loads_and_compare, unsigned steps) {
    b.flat(loads_and_compare);
    b.change([](Registers& r) { r.eflags = 2 | of | sf | af | cf | pf; });
    return b.step(steps).flags() & ~2u;
  };
  // FNINIT; load ST(1); load ST(0); compare
  CHECK(result({0xDB, 0xE3, 0xD9, 0xE8, 0xD9, 0xEB, 0xDB, 0xF1}, 4) == 0);   // FCOMI: pi above 1
  CHECK(result({0xDB, 0xE3, 0xD9, 0xEB, 0xD9, 0xE8, 0xDB, 0xF1}, 4) == cf);  // 1 below pi
  CHECK(result({0xDB, 0xE3, 0xD9, 0xE8, 0xD9, 0xE8, 0xDB, 0xE9}, 4) == zf);  // FUCOMI: equal
  CHECK((b.cpu.fpu().status & 0x4700) == 0);                                 // C3 to C0 unchanged
  CHECK(b.cpu.fpu().top() == 6);
  CHECK(result({0xDB, 0xE3, 0xD9, 0xE8, 0xD9, 0xEE, 0xDF, 0xF1}, 4) == cf);  // FCOMIP: 0 below 1
  CHECK(b.cpu.fpu().top() == 7);
  CHECK(result({0xDB, 0xE3, 0xD9, 0xEE, 0xD9, 0xEE, 0xD8, 0xF1, 0xD9, 0xE8, 0xDF, 0xE9}, 6) == (zf | pf | cf));
  CHECK((b.cpu.fpu().status & 0x3F) == 1);                                   // 0 / 0; not set again by the quiet NaN
  CHECK(result({0xDB, 0xE3, 0xD9, 0xE8, 0xDB, 0xF1}, 3) == (zf | pf | cf));  // empty ST(1)
  CHECK((b.cpu.fpu().status & 0x41) == 0x41);
  // An unmasked invalid operation: the result flags are unchanged, the others are cleared, nothing is popped.
  b.flat({0xDB, 0xE3, 0xD9, 0x2D, 0, 0, 2, 0, 0xD9, 0xE8, 0xDF, 0xF1});  // FNINIT; FLDCW; FLD1; FCOMIP
  b.put16(data_at, 0x037E);
  b.change([](Registers& r) { r.eflags = 2 | of | sf | af | cf; });
  CHECK(b.step(4).flags() == (2 | cf));
  CHECK(b.cpu.fpu().top() == 7);
}

TEST_CASE("Hint instructions do nothing, whatever their operand", "[cpu][p6]") {
  Board b(Model::p6);
  for (unsigned opcode = 0x18; opcode <= 0x1F; ++opcode) {
    b.paged({0x0F, opcode, 0x84, 0x00, 0, 0, 6, 0, 0x0F, opcode, 0xC0}, 3);  // [EAX+EAX+60000h]; EAX
    b.pte(0x60000, 0);
    b.step(2);
    CHECK(b.cpu.registers().eip == code_at + 11);
  }
}

TEST_CASE("RDPMC in ring 3 needs CR4.PCE, and there are two counters", "[cpu][p6]") {
  Board b(Model::p6);
  const auto vector = [&](unsigned ring, std::uint32_t cr4, std::uint32_t counter) {
    b.flat({0x0F, 0x33}, ring);
    b.change([&](Registers& r) {
      r.cr4 = cr4;
      r.gpr[ECX] = counter;
    });
    return b.step().vector();
  };
  CHECK(vector(0, 0, 1) == -1);
  CHECK(vector(3, 0, 0) == 13);
  CHECK(vector(3, 0x100, 0) == -1);
  CHECK(vector(0, 0, 2) == 13);
  // MOV ECX,C2h; WRMSR; MOV ECX,1; RDPMC: the lower half, sign-extended to 40 bits.
  b.flat({0xB9, 0xC2, 0, 0, 0, 0x0F, 0x30, 0xB9, 1, 0, 0, 0, 0x0F, 0x33});
  b.change([](Registers& r) {
    r.gpr[EAX] = 0xFFFFFFF0u;
    r.gpr[EDX] = 0x12345678;
  });
  b.step(4);
  CHECK(b.reg(EAX) == 0xFFFFFFF0u);
  CHECK(b.reg(EDX) == 0xFF);
}

namespace {

/// WRMSR of the three SYSENTER registers in ring 0, then `code` after them.
void set_fast_call(Board& b, std::uint32_t selector, std::uint32_t esp, std::uint32_t eip) {
  const std::uint32_t values[] = {selector, esp, eip};
  for (unsigned i = 0; i < 3; ++i) {
    b.flat({0x0F, 0x30});
    b.change([&](Registers& r) {
      r.gpr[ECX] = 0x174 + i;
      r.gpr[EAX] = values[i];
    });
    b.step();
  }
}

}  // namespace

TEST_CASE("SYSENTER goes to ring 0 and SYSEXIT back, with flat segments", "[cpu][p6]") {
  Board b(Model::p6);
  set_fast_call(b, code0, ring0_stack_at, code_at + 0x100);
  b.flat({0x0F, 0x34}, 3);
  b.put(code_at + 0x100, {0x0F, 0x35});
  b.change([](Registers& r) {
    r.eflags = 0x3246;  // IOPL 3, IF
    r.gpr[ECX] = stack_at - 0x100;
    r.gpr[EDX] = code_at + 0x200;
  });
  b.step();
  Registers r = b.cpu.registers();
  CHECK(r.cpl == 0);
  CHECK(r.eip == code_at + 0x100);
  CHECK(r.gpr[ESP] == ring0_stack_at);
  CHECK(r.segment[CS].selector == code0);
  CHECK(r.segment[SS].selector == code0 + 8);
  CHECK(r.eflags == 0x3046);
  for (const unsigned s : {CS, SS}) {
    CHECK(r.segment[s].base == 0);
    CHECK(r.segment[s].limit == 0xFFFFFFFFu);
    CHECK(r.segment[s].access == (s == CS ? 0x9B : 0x93));
    CHECK(r.segment[s].big);
  }
  b.step();
  r = b.cpu.registers();
  CHECK(r.cpl == 3);
  CHECK(r.eip == code_at + 0x200);
  CHECK(r.gpr[ESP] == stack_at - 0x100);
  CHECK(r.segment[CS].selector == ((code0 + 16) | 3));
  CHECK(r.segment[SS].selector == ((code0 + 24) | 3));
  CHECK(r.segment[CS].access == 0xFB);
  CHECK(r.segment[SS].access == 0xF3);
  CHECK(r.eflags == 0x3046);
}

TEST_CASE("SYSENTER and SYSEXIT are refused without a segment, in real mode and at the wrong privilege level",
          "[cpu][p6]") {
  Board b(Model::p6);
  CHECK(b.flat({0x0F, 0x34}, 3).step(2).vector() == 13);  // SYSENTER_CS is 0
  CHECK(b.stack(0) == 0);
  CHECK(b.flat({0x0F, 0x35}, 0).step(2).vector() == 13);
  set_fast_call(b, code0, ring0_stack_at, code_at + 0x100);
  CHECK(b.flat({0x0F, 0x35}, 3).step(2).vector() == 13);
  b.real({0x0F, 0x34});
  CHECK(b.step(2).vector() == 13);
}
