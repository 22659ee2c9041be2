// SPDX-License-Identifier: GPL-2.0-or-later
// Instructions from a program's point of view: results, flags, addressing, differences between models.
#include "tests/core/cpu/flag_bits.hpp"
#include "tests/core/cpu/machine.hpp"

using namespace planar;
using namespace planar::cpu_test;

namespace {
constexpr std::uint32_t arithmetic = 0x8D5;
}

TEST_CASE("The state of a processor after reset is as in its manual", "[cpu]") {
  const auto [model, signature] = GENERATE(table<Model, std::uint32_t>(
      {{Model::i386sx, 0x2308u}, {Model::i486sx, 0x0423u}, {Model::pentium, 0x0525u}, {Model::p6, 0x0672u}}));
  Board b(model);
  const Registers r = b.cpu.registers();
  CHECK(r.segment[CS].selector == 0xF000);
  CHECK(r.segment[CS].base == 0xFFFF0000u);
  CHECK(r.eip == 0xFFF0);
  CHECK(r.eflags == 2);
  CHECK(r.gpr[EDX] == signature);
  CHECK((r.cr0 & 1) == 0);
  CHECK(r.idtr.limit == 0x3FF);
}

TEST_CASE("The first instruction is fetched at the top of the address space", "[cpu]") {
  // The 386SX has 24 address lines: FFFFFFF0h appears as FFFFF0h.
  const auto [model, top] =
      GENERATE(table<Model, std::uint32_t>({{Model::i386sx, 0xFF0000u}, {Model::pentium, 0xFFFF0000u}}));
  Board b(model);
  std::vector<std::uint8_t> rom(0x10000, 0x90);
  rom[0xFFF0] = 0xB8;  // MOV AX,1234h
  rom[0xFFF1] = 0x34;
  rom[0xFFF2] = 0x12;
  b.space.map_rom(top, rom);
  b.cpu.reset(Time{});
  b.step();
  CHECK((b.reg(EAX) & 0xFFFF) == 0x1234);
  b.space.unmap(top, 0x10000);
}

TEST_CASE("Reset restarts execution from any point", "[cpu]") {
  const auto model = GENERATE(Model::i386sx, Model::i486sx, Model::pentium, Model::p6);
  Board b(model);
  std::vector<std::uint8_t> rom(0x10000, 0x90);
  b.space.map_rom(model == Model::i386sx ? 0xFF0000 : 0xFFFF0000, rom);
  b.real({0x90, 0x90}).step();  // the next byte is at an odd address
  b.cpu.reset(b.cpu.time());
  b.step(3);
  CHECK(b.cpu.registers().eip == 0xFFF3);
  b.space.unmap(model == Model::i386sx ? 0xFF0000 : 0xFFFF0000, 0x10000);
}

TEST_CASE("Arithmetic sets the six status flags", "[cpu][flags]") {
  Board b;
  SECTION("ADD with carry, overflow and adjust") {
    b.real({0xB0, 0x80, 0x04, 0x80}).step(2);  // MOV AL,80h; ADD AL,80h
    CHECK((b.flags() & arithmetic) == (cf | of | zf | pf));
    b.real({0xB0, 0x0F, 0x04, 0x01}).step(2);
    CHECK((b.flags() & arithmetic) == af);
    b.real({0xB8, 0xFF, 0x7F, 0x05, 0x01, 0x00}).step(2);  // MOV AX,7FFFh; ADD AX,1
    CHECK((b.flags() & arithmetic) == (of | sf | af | pf));
  }
  SECTION("SBB includes the borrow") {
    b.real({0xF9, 0x31, 0xC0, 0xF9, 0x83, 0xD8, 0x00}).step(4);  // STC; XOR AX,AX; STC; SBB AX,0
    CHECK((b.reg(EAX) & 0xFFFF) == 0xFFFF);
    CHECK((b.flags() & arithmetic) == (cf | sf | af | pf));
  }
  SECTION("INC and DEC do not change CF") {
    b.real({0xF9, 0xB8, 0xFF, 0xFF, 0x40}).step(3);  // STC; MOV AX,FFFFh; INC AX
    CHECK((b.flags() & arithmetic) == (cf | zf | af | pf));
    b.real({0xF8, 0xB8, 0x00, 0x80, 0x48}).step(3);  // CLC; MOV AX,8000h; DEC AX
    CHECK((b.flags() & arithmetic) == (of | af | pf));
  }
  SECTION("NEG of zero has no carry") {
    b.real({0x31, 0xC0, 0xF9, 0xF7, 0xD8}).step(3);
    CHECK((b.flags() & arithmetic) == (zf | pf));
  }
  SECTION("MUL overflows into the high half, IMUL only when the sign is lost") {
    b.real({0xB0, 0xFF, 0xB1, 0x02, 0xF6, 0xE1}).step(3);  // MUL CL
    CHECK((b.reg(EAX) & 0xFFFF) == 0x1FE);
    CHECK((b.flags() & (cf | of)) == (cf | of));
    b.real({0xB0, 0xFF, 0xB1, 0x02, 0xF6, 0xE9}).step(3);  // IMUL CL: -1 * 2
    CHECK((b.reg(EAX) & 0xFFFF) == 0xFFFE);
    CHECK((b.flags() & (cf | of)) == 0);
  }
  SECTION("rotates through carry count modulo 9 and 17") {
    b.real({0xF9, 0xB0, 0x01, 0xB1, 0x09, 0xD2, 0xD0}).step(4);  // STC; RCL AL,9
    CHECK((b.reg(EAX) & 0xFF) == 0x01);
    CHECK((b.flags() & cf) == cf);
    b.real({0xF8, 0xB0, 0x81, 0xD0, 0xD0}).step(3);  // CLC; RCL AL,1
    CHECK((b.reg(EAX) & 0xFF) == 0x02);
    CHECK((b.flags() & (cf | of)) == (cf | of));
  }
  SECTION("DAA after a decimal addition") {
    b.real({0xB0, 0x79, 0x04, 0x35, 0x27}).step(3);  // 79 + 35 = 114
    CHECK((b.reg(EAX) & 0xFF) == 0x14);
    CHECK((b.flags() & cf) == cf);
  }
}

TEST_CASE("Conditions follow signed and unsigned order", "[cpu][flags]") {
  Board b;
  // MOV AL,x; CMP AL,y; SETB BL; SETL BH; SETBE CL; SETLE CH
  const auto [x, y, below, less] = GENERATE(table<unsigned, unsigned, bool, bool>({{1, 2, true, true},
                                                                                   {2, 1, false, false},
                                                                                   {0x80, 1, false, true},
                                                                                   {1, 0x80, true, false},
                                                                                   {5, 5, false, false}}));
  b.real({0xB0, x, 0x3C, y, 0x0F, 0x92, 0xC3, 0x0F, 0x9C, 0xC7, 0x0F, 0x96, 0xC1, 0x0F, 0x9E, 0xC5}).step(6);
  CHECK((b.reg(EBX) & 0xFF) == (below ? 1u : 0u));
  CHECK((b.reg(EBX) >> 8 & 0xFF) == (less ? 1u : 0u));
  CHECK((b.reg(ECX) & 0xFF) == (below || x == y ? 1u : 0u));
  CHECK((b.reg(ECX) >> 8 & 0xFF) == (less || x == y ? 1u : 0u));
}

TEST_CASE("Addresses are formed in 16 and 32 bits", "[cpu]") {
  Board b;
  b.real({0xBB, 0xF0, 0xFF, 0xBE, 0x20, 0x00, 0x8A, 0x40, 0x05});  // MOV BX,FFF0h; MOV SI,20h; MOV AL,[BX+SI+5]
  b.put8(data_at + 0x15, 0x5A);                                    // wraps at 64 KB
  b.step(3);
  CHECK((b.reg(EAX) & 0xFF) == 0x5A);
  b.flat({0xBB, 0x00, 0x00, 0x02, 0x00, 0xB9, 0x04, 0x00, 0x00, 0x00, 0x8B, 0x44, 0x8B, 0x08});
  b.put32(data_at + 4 * 4 + 8, 0xCAFEF00D);  // MOV EAX,[EBX+ECX*4+8]
  b.step(3);
  CHECK(b.reg(EAX) == 0xCAFEF00Du);
}

TEST_CASE("BP addresses the stack segment, an override another", "[cpu]") {
  Board b;
  b.real({0xBD, 0x10, 0x00, 0x8A, 0x46, 0x00, 0x3E, 0x8A, 0x66, 0x00});  // MOV AL,[BP]; MOV AH,DS:[BP]
  b.put8(0x40010, 0x11);
  b.put8(data_at + 0x10, 0x22);
  b.step(3);
  CHECK((b.reg(EAX) & 0xFFFF) == 0x2211);
}

TEST_CASE("Each model has its own instructions and flags", "[cpu][model]") {
  const auto model = GENERATE(Model::i386sx, Model::i486sx, Model::pentium, Model::p6);
  Board b(model);
  const int ud = 6;
  const auto raises_ud = [&](std::initializer_list<unsigned> code) { return b.flat(code).step(2).vector() == ud; };
  CHECK(raises_ud({0x0F, 0xC8}) == (model == Model::i386sx));         // BSWAP EAX
  CHECK(raises_ud({0x0F, 0xB1, 0xC8}) == (model == Model::i386sx));   // CMPXCHG EAX,ECX
  CHECK(raises_ud({0x0F, 0xC1, 0xC8}) == (model == Model::i386sx));   // XADD
  CHECK(raises_ud({0x0F, 0x08}) == (model == Model::i386sx));         // INVD
  CHECK(raises_ud({0x0F, 0xA2}) == (model < Model::pentium));         // CPUID
  CHECK(raises_ud({0x0F, 0x31}) == (model < Model::pentium));         // RDTSC
  CHECK(raises_ud({0x0F, 0x20, 0xE0}) == (model < Model::pentium));   // MOV EAX,CR4
  CHECK(raises_ud({0x0F, 0x26, 0xF0}) == (model >= Model::pentium));  // MOV TR6,EAX
  CHECK(raises_ud({0xF0, 0x90}));                                     // LOCK NOP
  CHECK(raises_ud({0x0F, 0x0B}));

  // PUSHFD; XOR dword [ESP],240000h; POPFD: which of AC and ID toggle?
  b.flat({0x9C, 0x81, 0x34, 0x24, 0x00, 0x00, 0x24, 0x00, 0x9D}).step(3);
  CHECK((b.flags() & 0x40000) == (model == Model::i386sx ? 0 : 0x40000u));
  CHECK((b.flags() & 0x200000) == (model >= Model::pentium ? 0x200000u : 0));
}

TEST_CASE("CPUID identifies a Pentium, and reports an FPU only if there is one", "[cpu][model]") {
  Board b(Model::pentium);
  b.flat({0x31, 0xC0, 0x0F, 0xA2}).step(2);
  CHECK(b.reg(EBX) == 0x756E6547u);
  b.flat({0xB8, 1, 0, 0, 0, 0x0F, 0xA2}).step(2);
  CHECK((b.reg(EAX) >> 8 & 15) == 5);
  CHECK((b.reg(EDX) & 0x1BF) == 0x1BD);
}

TEST_CASE("RDTSC counts core clocks", "[cpu][model]") {
  Board b(Model::pentium);
  b.flat({0x0F, 0x31, 0x89, 0xC3, 0x0F, 0x31}).step(3);
  const auto difference = b.reg(EAX) - b.reg(EBX);
  CHECK(difference > 0);
  CHECK(difference < 100);
}

TEST_CASE("Without an FPU the BIOS's probe finds none", "[cpu][fpu]") {
  const auto model = GENERATE(Model::i386sx, Model::i486sx);
  Board b(model);
  // FNINIT; MOV word [0],5A5Ah; FNSTSW [0]; MOV AX,[0]
  b.real({0xDB, 0xE3, 0xC7, 0x06, 0, 0, 0x5A, 0x5A, 0xDD, 0x3E, 0, 0, 0xA1, 0, 0}).step(4);
  CHECK((b.reg(EAX) & 0xFF) != 0);
}

TEST_CASE("With an FPU FNINIT clears the status, and CR0 decides whether escapes raise #NM", "[cpu][fpu]") {
  Board b(Model::pentium);
  b.flat({0xDB, 0xE3, 0xDF, 0xE0, 0xD9, 0x3C, 0x24}).step(3);  // FNINIT; FNSTSW AX; FNSTCW [ESP]
  CHECK((b.reg(EAX) & 0xFFFF) == 0);
  CHECK((b.stack(0) & 0xFFFF) == 0x37F);
  b.flat({0xDB, 0xE3});
  b.change([](Registers& r) { r.cr0 |= 8; });  // TS
  CHECK(b.step(2).vector() == 7);
  b.flat({0x9B});
  b.change([](Registers& r) { r.cr0 |= 8; });  // FWAIT traps only with MP as well
  CHECK(b.step().vector() == -1);
  b.flat({0x9B});
  b.change([](Registers& r) { r.cr0 |= 10; });
  CHECK(b.step(2).vector() == 7);
}

TEST_CASE("With A20 masked the second megabyte aliases the first", "[cpu]") {
  Board b;
  b.flat({0xA0, 0x00, 0x00, 0x10, 0x00, 0xA0, 0x00, 0x00, 0x10, 0x00});  // MOV AL,[100000h] twice
  b.put8(0x100000, 0x77);
  b.put8(0x000000, 0x33);
  b.step();
  CHECK((b.reg(EAX) & 0xFF) == 0x77);
  b.cpu.set_a20(false);
  b.step();
  CHECK((b.reg(EAX) & 0xFF) == 0x33);
}

TEST_CASE("Code can be modified just before it executes, in the same block", "[cpu][smc]") {
  Board b;
  // MOV byte [10009h],2; NOP; MOV AL,1 (becomes MOV AL,2)
  b.flat({0xC6, 0x05, 0x09, 0x00, 0x01, 0x00, 0x02, 0x90, 0xB0, 0x01, 0xF4}).run();
  CHECK((b.reg(EAX) & 0xFF) == 2);
}

TEST_CASE("A bus master's write into decoded code takes effect in the next pass", "[cpu][smc]") {
  Board b;
  b.flat({0xB0, 0x01, 0xEB, 0xFC});  // MOV AL,1; JMP back
  b.step(4);
  CHECK((b.reg(EAX) & 0xFF) == 1);
  const std::uint8_t two = 2;
  b.space.master_write(code_at + 1, {&two, 1}, Time{});
  b.step(2);
  CHECK((b.reg(EAX) & 0xFF) == 2);
}

TEST_CASE("An instruction may span two pages", "[cpu]") {
  Board b;
  b.flat({0x90});
  b.put(code_at + 0xFFE, {0xB8, 0x78, 0x56, 0x34, 0x12});  // MOV EAX,12345678h
  b.change([](Registers& r) { r.eip = code_at + 0xFFE; });
  b.step();
  CHECK(b.reg(EAX) == 0x12345678u);
  CHECK(b.cpu.registers().eip == code_at + 0x1003);
}

TEST_CASE("An instruction longer than fifteen bytes raises #GP", "[cpu]") {
  Board b;
  b.flat({0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x90});
  CHECK(b.step(2).vector() == 13);
}

TEST_CASE("The Pentium keeps what is written to its performance counting registers", "[cpu][model]") {
  Board b(Model::pentium);
  const auto kept = [&](unsigned number) {
    b.flat({0x0F, 0x30, 0x31, 0xC0, 0x31, 0xD2, 0x0F, 0x32});  // WRMSR; XOR EAX,EAX; XOR EDX,EDX; RDMSR
    b.change([&](Registers& r) {
      r.gpr[ECX] = number;
      r.gpr[EAX] = 0x00C300C2;
      r.gpr[EDX] = number == 0x11 ? 0 : 0xFFFFFF12;
    });
    b.step(4);
    return std::uint64_t{b.reg(EDX)} << 32 | b.reg(EAX);
  };
  CHECK(kept(0x11) == 0x00C300C2);
  CHECK(kept(0x12) == 0x12'00C300C2u);  // 40 bits
  CHECK(kept(0x13) == 0x12'00C300C2u);
  kept(0x14);
  CHECK(b.vector() == 13);
}
