// SPDX-License-Identifier: GPL-2.0-or-later
// MMX: the result of each instruction, and how its registers are aliased to those of the x87. Intel Architecture
// Software Developer's Manual volume 1 chapter 8 and the instructions' pages. Random operands: tests/lockstep.
#include "core/cpu/fpu/fpu.hpp"
#include "tests/core/cpu/machine.hpp"

using namespace planar;
using namespace planar::cpu_test;

namespace {

void put64(Board& b, std::uint32_t at, std::uint64_t v) {
  b.put32(at, static_cast<std::uint32_t>(v));
  b.put32(at + 4, static_cast<std::uint32_t>(v >> 32));
}
std::uint64_t get64(const Board& b, std::uint32_t at) { return std::uint64_t{b.get32(at + 4)} << 32 | b.get32(at); }

/// `opcode` MM1,MM2 and MM3,[memory] must agree.
std::uint64_t compute(unsigned opcode, std::uint64_t a, std::uint64_t second) {
  Board b(Model::p6);
  b.flat({0x0F, 0x6F,   0x0D, 0,  0, 2, 0,    // MOVQ MM1,[20000h]
          0x0F, 0x6F,   0x15, 8,  0, 2, 0,    // MOVQ MM2,[20008h]
          0x0F, 0x6F,   0xD9,                 // MOVQ MM3,MM1
          0x0F, opcode, 0xCA,                 // op MM1,MM2
          0x0F, opcode, 0x1D, 8,  0, 2, 0,    // op MM3,[20008h]
          0x0F, 0x7F,   0x0D, 16, 0, 2, 0,    // MOVQ [20010h],MM1
          0x0F, 0x7F,   0x1D, 24, 0, 2, 0});  // MOVQ [20018h],MM3
  put64(b, data_at, a);
  put64(b, data_at + 8, second);
  b.step(7);
  CHECK(b.vector() == -1);
  CHECK(get64(b, data_at + 16) == get64(b, data_at + 24));
  return get64(b, data_at + 16);
}
std::uint64_t shift(unsigned opcode, unsigned group, std::uint64_t a, unsigned count) {
  Board b(Model::p6);
  b.flat({0x0F, 0x6F, 0x0D, 0, 0, 2, 0, 0x0F, opcode, 0xC1 | group << 3, count, 0x0F, 0x7F, 0x0D, 16, 0, 2, 0});
  put64(b, data_at, a);
  b.step(3);
  CHECK(b.vector() == -1);
  return get64(b, data_at + 16);
}

}  // namespace

TEST_CASE("MMX arithmetic wraps or saturates lane by lane", "[cpu][mmx]") {
  CHECK(compute(0xFC, 0xFF7F80017F80FF00, 0x0101010181800180) == 0x0080810200000080);  // PADDB
  CHECK(compute(0xFD, 0xFFFF7FFF80000001, 0x0001000180000001) == 0x0000800000000002);  // PADDW
  CHECK(compute(0xFE, 0xFFFFFFFF7FFFFFFF, 0x0000000100000001) == 0x0000000080000000);  // PADDD
  CHECK(compute(0xF8, 0x0001FF80007F0000, 0x01010180FF800001) == 0xFF00FE0001FF00FF);  // PSUBB
  CHECK(compute(0xF9, 0x0000800000010000, 0x000100010001FFFF) == 0xFFFF7FFF00000001);  // PSUBW
  CHECK(compute(0xFA, 0x0000000080000000, 0x0000000100000001) == 0xFFFFFFFF7FFFFFFF);  // PSUBD
  CHECK(compute(0xEC, 0x7F8001FF7F80FF00, 0x01FF01FF7F80FF80) == 0x7F8002FE7F80FE80);  // PADDSB
  CHECK(compute(0xED, 0x7FFF800000010000, 0x0001FFFF00018000) == 0x7FFF800000028000);  // PADDSW
  CHECK(compute(0xDC, 0xFF01807F00FE1020, 0x0101808000030102) == 0xFF02FFFF00FF1122);  // PADDUSB
  CHECK(compute(0xDD, 0xFFFF0001800012FF, 0x0001FFFF80000001) == 0xFFFFFFFFFFFF1300);  // PADDUSW
  CHECK(compute(0xE8, 0x807F00017F80FF00, 0x01FF0101FF7F0180) == 0x807FFF007F80FE7F);  // PSUBSB
  CHECK(compute(0xE9, 0x80007FFF00000001, 0x0001FFFF80000002) == 0x80007FFF7FFFFFFF);  // PSUBSW
  CHECK(compute(0xD8, 0x00FF80017F102030, 0x01FF7F0280011030) == 0x00000100000F1000);  // PSUBUSB
  CHECK(compute(0xD9, 0x0000FFFF80000001, 0x0001FFFE7FFF0002) == 0x0000000100010000);  // PSUBUSW
}

TEST_CASE("MMX multiplies words", "[cpu][mmx]") {
  CHECK(compute(0xD5, 0x7FFF8000FFFF0003, 0x000280000002FFFF) == 0xFFFE0000FFFEFFFD);  // PMULLW
  CHECK(compute(0xE5, 0x7FFF8000FFFF0003, 0x000280000002FFFF) == 0x00004000FFFFFFFF);  // PMULHW
  CHECK(compute(0xF5, 0x0002000380008000, 0x0004FFFF80008000) == 0x0000000580000000);  // PMADDWD, which wraps here
}

TEST_CASE("MMX compares, and the logical instructions work on all 64 bits", "[cpu][mmx]") {
  CHECK(compute(0x74, 0x0011223344556677, 0x0012223444556670) == 0xFF00FF00FFFFFF00);  // PCMPEQB
  CHECK(compute(0x75, 0x0011223344556677, 0x0011223444556677) == 0xFFFF0000FFFFFFFF);  // PCMPEQW
  CHECK(compute(0x76, 0x0011223344556677, 0x0011223344556670) == 0xFFFFFFFF00000000);  // PCMPEQD
  CHECK(compute(0x64, 0x017F80FF00000000, 0x00807FFE00010000) == 0xFFFF00FF00000000);  // PCMPGTB, signed
  CHECK(compute(0x65, 0x7FFF8000FFFF0001, 0x80007FFFFFFE0001) == 0xFFFF0000FFFF0000);  // PCMPGTW
  CHECK(compute(0x66, 0x00000001FFFFFFFF, 0xFFFFFFFF00000000) == 0xFFFFFFFF00000000);  // PCMPGTD
  CHECK(compute(0xDB, 0xFF00FF00F0F0F0F0, 0x0FF00FF0FFFF0000) == 0x0F000F00F0F00000);  // PAND
  CHECK(compute(0xDF, 0xFF00FF00F0F0F0F0, 0x0FF00FF0FFFF0000) == 0x00F000F00F0F0000);  // PANDN inverts its destination
  CHECK(compute(0xEB, 0xFF00FF00F0F0F0F0, 0x0FF00FF0FFFF0000) == 0xFFF0FFF0FFFFF0F0);  // POR
  CHECK(compute(0xEF, 0xFF00FF00F0F0F0F0, 0x0FF00FF0FFFF0000) == 0xF0F0F0F00F0FF0F0);  // PXOR
}

TEST_CASE("MMX packs with saturation and unpacks by interleaving", "[cpu][mmx]") {
  CHECK(compute(0x63, 0x7FFF8000007FFF80, 0x0080FF7F00010000) == 0x7F8001007F807F80);  // PACKSSWB
  CHECK(compute(0x67, 0x7FFF800000FFFFFF, 0x0100FF0000010080) == 0xFF000180FF00FF00);  // PACKUSWB
  CHECK(compute(0x6B, 0x00008000FFFF7FFF, 0x7FFFFFFF80000000) == 0x7FFF80007FFF8000);  // PACKSSDW
  CHECK(compute(0x60, 0x7766554433221100, 0xFFEEDDCCBBAA9988) == 0xBB33AA2299118800);  // PUNPCKLBW
  CHECK(compute(0x61, 0x7766554433221100, 0xFFEEDDCCBBAA9988) == 0xBBAA332299881100);  // PUNPCKLWD
  CHECK(compute(0x62, 0x7766554433221100, 0xFFEEDDCCBBAA9988) == 0xBBAA998833221100);  // PUNPCKLDQ
  CHECK(compute(0x68, 0x7766554433221100, 0xFFEEDDCCBBAA9988) == 0xFF77EE66DD55CC44);  // PUNPCKHBW
  CHECK(compute(0x69, 0x7766554433221100, 0xFFEEDDCCBBAA9988) == 0xFFEE7766DDCC5544);  // PUNPCKHWD
  CHECK(compute(0x6A, 0x7766554433221100, 0xFFEEDDCCBBAA9988) == 0xFFEEDDCC77665544);  // PUNPCKHDQ
}

TEST_CASE("MMX shifts by any count", "[cpu][mmx]") {
  CHECK(compute(0xD1, 0x8001000200FF8000, 4) == 0x08000000000F0800);  // PSRLW
  CHECK(compute(0xD2, 0x8000000100000010, 4) == 0x0800000000000001);  // PSRLD
  CHECK(compute(0xD3, 0x8000000100000010, 4) == 0x0800000010000001);  // PSRLQ
  CHECK(compute(0xE1, 0x8001000200FF8000, 4) == 0xF8000000000FF800);  // PSRAW
  CHECK(compute(0xE2, 0x8000000100000010, 4) == 0xF800000000000001);  // PSRAD
  CHECK(compute(0xF1, 0x8001000200FF8000, 4) == 0x001000200FF00000);  // PSLLW
  CHECK(compute(0xF2, 0x8000000110000010, 4) == 0x0000001000000100);  // PSLLD
  CHECK(compute(0xF3, 0x8000000110000010, 4) == 0x0000001100000100);  // PSLLQ
  CHECK(compute(0xF1, 0xFFFFFFFFFFFFFFFF, 16) == 0);
  CHECK(compute(0xF3, 0xFFFFFFFFFFFFFFFF, 64) == 0);
  CHECK(compute(0xD2, 0xFFFFFFFFFFFFFFFF, 0x100000001) == 0);  // all 64 bits of the count
  CHECK(compute(0xE1, 0x8000000000007FFF, 0x8000000000000000) == 0xFFFF000000000000);
  CHECK(shift(0x71, 2, 0x8001000200FF8000, 4) == 0x08000000000F0800);
  CHECK(shift(0x71, 4, 0x8001000200FF8000, 200) == 0xFFFF00000000FFFF);
  CHECK(shift(0x71, 6, 0x8001000200FF8000, 4) == 0x001000200FF00000);
  CHECK(shift(0x72, 2, 0x8000000100000010, 32) == 0);
  CHECK(shift(0x72, 4, 0x8000000100000010, 32) == 0xFFFFFFFF00000000);
  CHECK(shift(0x72, 6, 0x8000000110000010, 4) == 0x0000001000000100);
  CHECK(shift(0x73, 2, 0x8000000100000010, 63) == 1);
  CHECK(shift(0x73, 6, 0x8000000110000011, 63) == 0x8000000000000000);
}

TEST_CASE("MOVD moves 32 bits between MMX and a general register or memory", "[cpu][mmx]") {
  Board b(Model::p6);
  b.flat({0x0F, 0x6E, 0xE8,                // MOVD MM5,EAX
          0x0F, 0x7E, 0xEB,                // MOVD EBX,MM5
          0x0F, 0x7F, 0x2D, 0, 0, 2, 0,    // MOVQ [20000h],MM5
          0x0F, 0x6E, 0x35, 0, 0, 2, 0,    // MOVD MM6,[20000h]
          0x0F, 0x7E, 0x35, 8, 0, 2, 0});  // MOVD [20008h],MM6
  put64(b, data_at + 8, 0xFFFFFFFFFFFFFFFF);
  put64(b, data_at, 0xFFFFFFFFFFFFFFFF);
  b.change([](Registers& r) { r.gpr[EAX] = 0x89ABCDEF; });
  b.step(5);
  CHECK(b.reg(EBX) == 0x89ABCDEF);
  CHECK(get64(b, data_at) == 0x89ABCDEF);
  CHECK(get64(b, data_at + 8) == 0xFFFFFFFF89ABCDEF);
}

TEST_CASE("MMX registers are the x87's significands", "[cpu][mmx][fpu]") {
  Board b(Model::p6);
  b.flat({0xDB, 0xE3, 0xD9, 0xE8,        // FNINIT; FLD1, into R7
          0x0F, 0x7E, 0x3D, 0, 0, 2, 0,  // MOVD [20000h],MM7
          0x0F, 0x6F, 0xC7,              // MOVQ MM0,MM7
          0x0F, 0x77});                  // EMMS
  b.step(3);
  CHECK(b.cpu.fpu().top() == 0);  // an MMX instruction sets the top to 0 and marks all as in use,
  CHECK(b.cpu.fpu().tags == 0);
  CHECK(b.cpu.fpu().registers[7] == cpu::float80_one);  // reading alone changes no register;
  b.step();
  CHECK(b.cpu.fpu().registers[0] == cpu::Float80{0x8000000000000000u, 0xFFFF});  // writing makes it a NaN or infinity
  b.step();
  CHECK(b.cpu.fpu().tags == 0xFFFF);
  CHECK(b.cpu.fpu().control == 0x37F);
}

TEST_CASE("MMX: CR0.EM raises #UD, TS raises #NM, a pending x87 exception raises #MF", "[cpu][mmx][fpu]") {
  const auto vector = [](std::uint32_t cr0, std::initializer_list<unsigned> code) {
    Board b(Model::p6);
    b.flat(code);
    b.put16(data_at, 0x037E);  // invalid operation unmasked
    b.change([&](Registers& r) { r.cr0 |= cr0; });
    return b.run().vector();
  };
  const std::initializer_list<unsigned> move = {0x0F, 0x6F, 0xC1, 0xF4}, emms = {0x0F, 0x77, 0xF4};
  CHECK(vector(0, move) == -1);
  CHECK(vector(4, move) == 6);
  CHECK(vector(8, move) == 7);
  CHECK(vector(12, move) == 6);
  CHECK(vector(8, emms) == 7);
  // FNINIT; FLDCW [20000h]; FLDZ; FDIV ST(0),ST(0); MOVQ MM0,MM1
  const std::initializer_list<unsigned> pending = {0xDB, 0xE3, 0xD9, 0x2D, 0,    0,    2,    0,
                                                   0xD9, 0xEE, 0xD8, 0xF0, 0x0F, 0x6F, 0xC1, 0xF4};
  CHECK(vector(0x20, pending) == 16);
}

TEST_CASE("An MMX access that faults leaves the x87 stack unchanged", "[cpu][mmx][fpu][paging]") {
  Board b(Model::p6);
  for (const unsigned opcode : {0x6Fu, 0x7Fu, 0x6Eu, 0x7Eu, 0xFCu, 0x60u}) {
    INFO("0F " << opcode);
    b.paged({0xDB, 0xE3, 0xD9, 0xE8, 0x0F, opcode, 0x05, 0, 0, 6, 0});
    b.pte(0x60000, 0);
    b.step(4);
    CHECK(b.vector() == 14);
    CHECK(b.cpu.fpu().top() == 7);
    CHECK(b.cpu.fpu().tags == 0x3FFF);
    b.pte(0x60000, 0x60007);
  }
  // Eight bytes across two pages, the second of which is not present: nothing is written.
  b.paged({0x0F, 0x76, 0xC0, 0x0F, 0x7F, 0x05, 0xFC, 0x0F, 6, 0});  // PCMPEQD MM0,MM0; MOVQ [60FFCh],MM0
  b.pte(0x61000, 0);
  CHECK(b.step(3).vector() == 14);
  CHECK(b.get32(0x60FFC) == 0);
}
