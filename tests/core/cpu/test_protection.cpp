// SPDX-License-Identifier: GPL-2.0-or-later
// Segmentation, privilege, gates, V86 and their exceptions with error codes.
#include "machine.hpp"

using namespace planar;
using namespace planar::cpu_test;

TEST_CASE("A word across the end of a real-mode segment faults", "[cpu][protection]") {
  Board b;
  b.real({0xA1, 0xFF, 0xFF});  // MOV AX,[FFFFh]
  CHECK(b.step(2).vector() == 13);
  b.real({0xBD, 0xFF, 0xFF, 0x8B, 0x46, 0x00});  // MOV AX,[BP] with BP=FFFFh
  CHECK(b.step(3).vector() == 12);
}

TEST_CASE("A real-mode exception pushes three words and no error code", "[cpu][protection]") {
  Board b;
  b.real({0x31, 0xC9, 0xF7, 0xF1}).step(3);  // XOR CX,CX; DIV CX
  CHECK(b.vector() == 0);
  CHECK(b.stack16(0) == 2);       // IP of the DIV
  CHECK(b.stack16(1) == 0x1000);  // CS
  CHECK((b.reg(ESP) & 0xFFFF) == 0x8000 - 6);
}

TEST_CASE("A large limit loaded in protected mode survives in real mode", "[cpu][protection]") {
  Board b;
  b.real({0x66, 0x67, 0xA1, 0x00, 0x00, 0x10, 0x00});  // MOV EAX,[100000h]
  b.change([](Registers& r) { r.segment[DS] = {0, 0, 0xFFFFFFFF, 0x93, false}; });
  b.put32(0x100000, 0x600DF00D);
  b.step();
  CHECK(b.reg(EAX) == 0x600DF00Du);
}

TEST_CASE("Loading a segment register checks the descriptor", "[cpu][protection]") {
  Board b;
  const auto load = [&](unsigned ring, std::uint16_t selector, unsigned modrm) {
    b.flat({0x66, 0xB8, selector & 0xFFu, unsigned{selector} >> 8, 0x8E, modrm}, ring);  // MOV AX,sel; MOV Sreg,AX
    b.step(2);
    return b.vector();
  };
  const auto ds = 0xD8u, ss = 0xD0u;
  SECTION("a null selector may be loaded into DS but not used, and may not be loaded into SS") {
    CHECK(load(0, 0, ds) == -1);
    b.flat({0x31, 0xC0, 0x8E, 0xD8, 0xA0, 0, 0, 0, 0});
    CHECK(b.step(4).vector() == 13);
    CHECK(b.stack(0) == 0);
    CHECK(load(0, 0, ss) == 13);
    CHECK(b.stack(0) == 0);
  }
  SECTION("beyond the descriptor table: #GP(selector)") {
    CHECK(load(0, 0x800, ds) == 13);
    CHECK(b.stack(0) == 0x800);
  }
  SECTION("not present: #NP, for SS #SS") {
    b.descriptor(gdt_at + spare, 0, 0xFFFFF, 0x13, 0xC);
    CHECK(load(0, spare, ds) == 11);
    CHECK(b.stack(0) == spare);
    CHECK(load(0, spare, ss) == 12);
    CHECK(b.stack(0) == spare);
  }
  SECTION("privilege: a ring 3 program cannot load a ring 0 data segment") {
    CHECK(load(3, data0, ds) == 13);
    CHECK(b.stack(0) == data0);
  }
  SECTION("an execute-only segment cannot be read, a system segment cannot be loaded") {
    b.descriptor(gdt_at + spare, 0, 0xFFFFF, 0x99, 0xC);
    CHECK(load(0, spare, ds) == 13);
    CHECK(load(0, tss_selector, ds) == 13);
    CHECK(b.stack(0) == tss_selector);
  }
  SECTION("the accessed bit is set") {
    b.descriptor(gdt_at + spare, 0, 0xFFFFF, 0x92, 0xC);
    CHECK(load(0, spare, ds) == -1);
    CHECK(b.ram[gdt_at + spare + 5] == 0x93);
  }
}

TEST_CASE("Limits and rights are checked on every access", "[cpu][protection]") {
  Board b;
  const auto with_ds = [&](std::uint32_t limit, unsigned access, unsigned flags, std::initializer_list<unsigned> code) {
    b.descriptor(gdt_at + spare, 0, limit, access, flags);
    b.flat(code);
    b.change([&](Registers& r) { r.segment[DS] = b.segment(spare); });
    return b.step(2).vector();
  };
  CHECK(with_ds(0xFFF, 0x93, 4, {0xA1, 0xFC, 0x0F, 0, 0}) == -1);  // MOV EAX,[FFCh]
  CHECK(with_ds(0xFFF, 0x93, 4, {0xA1, 0xFD, 0x0F, 0, 0}) == 13);
  CHECK(with_ds(0xFFF, 0x91, 4, {0xA3, 0x00, 0x00, 0, 0}) == 13);  // read-only
  CHECK(with_ds(0xFFF, 0x97, 4, {0xA1, 0xFF, 0x0F, 0, 0}) == 13);  // expand-down: at the limit
  CHECK(with_ds(0xFFF, 0x97, 4, {0xA1, 0x00, 0x10, 0, 0}) == -1);  // above it
  CHECK(with_ds(0xFFF, 0x97, 0, {0xA1, 0x00, 0x00, 1, 0}) == 13);  // 16-bit expand-down ends at FFFFh
}

TEST_CASE("Execution past the code segment's end faults with the EIP after it", "[cpu][protection]") {
  Board b;
  b.descriptor(gdt_at + spare, 0, code_at + 1, 0x9B, 4);
  b.flat({0x90, 0x90, 0x90});
  b.change([&](Registers& r) { r.segment[CS] = b.segment(spare); });
  b.step(3);
  CHECK(b.cpu.registers().eip == handlers_at + 13);
  CHECK(b.stack(1) == code_at + 2);
}

TEST_CASE("A far jump requires a code segment of the same privilege", "[cpu][protection]") {
  Board b;
  const auto jump = [&](std::uint16_t selector, unsigned ring) {
    b.flat({0xEA, 0x00, 0x02, 0x01, 0x00, selector & 0xFFu, unsigned{selector} >> 8}, ring);
    return b.step().vector();
  };
  CHECK(jump(code0, 0) == -1);
  CHECK(b.cpu.registers().eip == 0x10200);
  CHECK(jump(data0, 0) == 13);
  CHECK(b.stack(0) == data0);
  CHECK(jump(code0, 3) == 13);
  CHECK(b.stack(0) == code0);
}

TEST_CASE("A call gate enters the inner ring with its parameters, and RETF returns", "[cpu][gates]") {
  Board b;
  b.gate(gdt_at + spare, code0, code_at + 0x100, 0xEC, 2);
  // PUSH 11h; PUSH 22h; CALL spare:0
  b.flat({0x6A, 0x11, 0x6A, 0x22, 0x9A, 0, 0, 0, 0, spare | 3, 0}, 3);
  b.put(code_at + 0x100, {0xCA, 0x08, 0x00});  // RETF 8
  b.change([](Registers& r) { r.segment[FS] = {data0, 0, 0xFFFFFFFF, 0x93, true}; });
  b.step(3);
  Registers r = b.cpu.registers();
  CHECK(r.cpl == 0);
  CHECK(r.eip == code_at + 0x100);
  CHECK(r.segment[SS].selector == data0);
  CHECK(r.gpr[ESP] == ring0_stack_at - 24);
  CHECK(b.stack(0) == code_at + 11);
  CHECK(b.stack(1) == code3);
  CHECK(b.stack(2) == 0x22);
  CHECK(b.stack(3) == 0x11);
  CHECK(b.stack(4) == stack_at - 8);
  CHECK(b.stack(5) == data3);
  b.step();
  r = b.cpu.registers();
  CHECK(r.cpl == 3);
  CHECK(r.eip == code_at + 11);
  CHECK(r.gpr[ESP] == stack_at);
  CHECK(r.segment[FS].selector == 0);  // a ring 0 data segment is not kept in the outer ring
  CHECK(r.segment[DS].selector == data3);
}

TEST_CASE("A gate that the caller may not use faults with the gate's selector", "[cpu][gates]") {
  Board b;
  b.gate(gdt_at + spare, code0, code_at + 0x100, 0x8C, 0);  // DPL 0
  b.flat({0x9A, 0, 0, 0, 0, spare | 3, 0}, 3);
  CHECK(b.step(2).vector() == 13);
  CHECK(b.stack(0) == spare);
}

TEST_CASE("INT n from ring 3 needs a gate of DPL 3", "[cpu][gates]") {
  Board b;
  b.flat({0xCD, 0x40}, 3);
  CHECK(b.step(2).vector() == 13);
  CHECK(b.stack(0) == 0x40 * 8 + 2);
  CHECK(b.stack(1) == code_at);  // restarts at the INT
  b.gate(idt_at + 0x40 * 8, code0, handlers_at + 0x40, 0xEF);
  b.flat({0xCD, 0x40}, 3);
  b.change([](Registers& r) { r.eflags |= 0x200; });
  CHECK(b.step(2).vector() == 0x40);
  CHECK(b.stack(0) == code_at + 2);
  CHECK(b.stack(1) == code3);
  CHECK(b.stack(3) == stack_at);
  CHECK(b.stack(4) == data3);
  CHECK((b.flags() & 0x200) != 0);  // a trap gate does not clear IF
}

TEST_CASE("Sensitive instructions obey CPL and IOPL", "[cpu][protection]") {
  Board b;
  CHECK(b.flat({0xFA}, 3).step(2).vector() == 13);
  CHECK(b.flat({0xF4}, 3).step(2).vector() == 13);
  CHECK(b.flat({0x0F, 0x20, 0xC0}, 3).step(2).vector() == 13);
  CHECK(b.flat({0x0F, 0x01, 0x15, 0, 0, 2, 0}, 3).step(2).vector() == 13);  // LGDT
  b.flat({0x9D}, 3);                                                        // POPFD cannot change IF or IOPL
  b.put32(stack_at, 0x3202);
  CHECK((b.step().flags() & 0x3200) == 0);
  b.flat({0xFA}, 3);
  b.change([](Registers& r) { r.eflags |= 0x3200; });
  CHECK((b.step().flags() & 0x200) == 0);
}

TEST_CASE("The I/O permission bitmap permits individual ports", "[cpu][protection]") {
  Board b;
  b.put8(tss_at + 0x68 + 0x60 / 8, 0xFE);  // port 60h
  b.pins.input = 0x9C;
  b.flat({0xE4, 0x60, 0xE4, 0x61}, 3).step();
  CHECK((b.reg(EAX) & 0xFF) == 0x9C);
  CHECK(b.step(2).vector() == 13);
  b.flat({0x66, 0xE5, 0x60}, 3);  // a word covers port 61h as well
  CHECK(b.step(2).vector() == 13);
}

TEST_CASE("An exception while another is delivered becomes a double fault", "[cpu][exceptions]") {
  Board b;
  b.gate(idt_at + 13 * 8, 0, 0, 0x8E);  // #GP's own gate has a null selector
  b.flat({0x0F, 0x01, 0x15, 0, 0, 2, 0}, 3);
  CHECK(b.step(2).vector() == 8);
  CHECK(b.stack(0) == 0);
}

TEST_CASE("A triple fault shuts the processor down until reset", "[cpu][exceptions]") {
  Board b;
  b.flat({0xCD, 0x20});
  b.change([](Registers& r) { r.idtr.limit = 0; });
  b.step();
  CHECK(b.cpu.in_shutdown());
  CHECK(b.pins.shutdowns == 1);
  b.cpu.reset(b.cpu.time());
  CHECK_FALSE(b.cpu.in_shutdown());
}

TEST_CASE("A faulting instruction changes no register", "[cpu][exceptions]") {
  Board b;
  SECTION("PUSH beyond the stack's limit") {
    b.flat({0x50});
    b.change([](Registers& r) {
      r.segment[SS].limit = 0xFFF;
      r.gpr[ESP] = 0x2000;
      r.idtr.limit = 0x7FF;
    });
    b.gate(idt_at + 12 * 8, 0, 0, 0x85);  // checked below through the double fault's frame
    b.step();
    CHECK(b.cpu.in_shutdown());  // no stack for the delivery
    CHECK(b.reg(ESP) == 0x2000);
  }
  SECTION("POP to an invalid address does not change ESP") {
    b.flat({0x8F, 0x05, 0, 0, 2, 0}, 3);
    b.change([](Registers& r) { r.segment[DS] = {0, 0, 0, 0, false}; });
    b.step();
    CHECK(b.vector() == 13);
    CHECK(b.stack(4) == stack_at);
  }
  SECTION("XADD that cannot write changes neither source nor flags") {
    b.descriptor(gdt_at + spare, 0, 0xFFFFF, 0x91, 0xC);
    b.flat({0x0F, 0xC1, 0x1D, 0, 0, 2, 0});
    b.change([&](Registers& r) {
      r.segment[DS] = b.segment(spare);
      r.gpr[EBX] = 7;
      r.eflags = 2 | 0x8D5;
    });
    b.step();
    CHECK(b.vector() == 13);
    CHECK(b.reg(EBX) == 7);
    CHECK((b.stack(3) & 0x8D5) == 0x8D5);
  }
}

TEST_CASE("Virtual-8086 mode: entry by IRET, exit by an interrupt, traps below IOPL 3", "[cpu][v86]") {
  Board b;
  b.flat({0xCF});
  const std::uint32_t frame[] = {0x0000, 0x1800, 0x20002, 0x0FFE, 0x2800, 0x2100, 0x2200, 0x2300, 0x2400};
  for (unsigned i = 0; i < 9; ++i) b.put32(stack_at + 4 * i, frame[i]);
  b.put(0x18000, {0xB8, 0x34, 0x12, 0xFA});  // MOV AX,1234h; CLI
  b.step();
  Registers r = b.cpu.registers();
  CHECK(r.cpl == 3);
  CHECK((r.eflags & 0x20000) != 0);
  CHECK(r.segment[CS].base == 0x18000);
  CHECK(r.segment[ES].base == 0x21000);
  CHECK(r.segment[GS].base == 0x24000);
  b.step();
  CHECK((b.reg(EAX) & 0xFFFF) == 0x1234);
  CHECK(b.step(2).vector() == 13);
  r = b.cpu.registers();
  CHECK(r.cpl == 0);
  CHECK((r.eflags & 0x20000) == 0);
  CHECK(b.stack(0) == 0);  // error code
  CHECK(b.stack(1) == 3);  // IP of the CLI
  CHECK(b.stack(2) == 0x1800);
  CHECK((b.stack(3) & 0x20000) != 0);
  CHECK(b.stack(4) == 0x0FFE);
  CHECK(b.stack(5) == 0x2800);
  CHECK(b.stack(6) == 0x2100);  // ES DS FS GS
  CHECK(b.stack(9) == 0x2400);
  CHECK(r.segment[DS].selector == 0);
}

TEST_CASE("IRET to virtual-8086 mode faults if EIP lies beyond 64 KB", "[cpu][v86]") {
  Board b;
  b.flat({0xCF});
  const std::uint32_t frame[] = {0x10000, 0x1800, 0x20002, 0x0FFE, 0x2800, 0x2100, 0x2200, 0x2300, 0x2400};
  for (unsigned i = 0; i < 9; ++i) b.put32(stack_at + 4 * i, frame[i]);
  CHECK(b.step(2).vector() == 13);
  CHECK(b.stack(0) == 0);
  CHECK(b.stack(1) == code_at);
  CHECK(b.reg(ESP) == stack_at - 16);
}

TEST_CASE("CMPXCHG8B's operand has an alignment of eight bytes", "[cpu][protection]") {
  Board b(Model::pentium);
  for (const unsigned low : {0x00u, 0x04u, 0x08u}) {
    b.flat({0x0F, 0xC7, 0x0D, low, 0x00, 0x02, 0x00, 0x90}, 3);  // CMPXCHG8B [20000h + low]
    b.change([](Registers& r) {
      r.cr0 |= 0x40000;
      r.eflags |= 0x40000;
    });
    CHECK(b.step().vector() == (low == 0x04 ? 17 : -1));
  }
}

TEST_CASE("LAR, LSL, VERR and VERW report access rights", "[cpu][protection]") {
  Board b;
  b.flat({0x66, 0xB9, code0, 0, 0x0F, 0x02, 0xC1, 0x0F, 0x03, 0xD9, 0x0F, 0x00, 0xE9}).step(4);
  CHECK(b.reg(EAX) == 0x00C09B00u);
  CHECK(b.reg(EBX) == 0xFFFFFFFFu);
  CHECK((b.flags() & 0x40) == 0);  // VERW of code
  b.flat({0x66, 0xB9, data0, 0, 0x0F, 0x00, 0xE1}, 3).step(2);
  CHECK((b.flags() & 0x40) == 0);  // VERR of ring 0 data from ring 3
  b.flat({0x66, 0xB9, data3, 0, 0x0F, 0x00, 0xE9}, 3).step(2);
  CHECK((b.flags() & 0x40) != 0);
}
