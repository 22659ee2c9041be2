// SPDX-License-Identifier: GPL-2.0-or-later
// Clocks of the x87's instructions on the 387 (with a 386), the i486's FPU and the Pentium: latencies, since nothing
// runs in parallel.
//
// Sources: the clock tables of Intel's 387 and i486 programmer's references and of the Pentium data book, as recalled
// (docs/hardware/processors.md#x87-clocks: MAME confirms the Pentium's FADD, FMUL, FDIV, FILD, FIST and FCOM);
// confidence "datasheet" where the manuals give one figure. Where they give a range that depends on the operand, its
// midpoint is used here: confidence "inferred". Penalties for denormals and the like are not modelled.
#include <algorithm>

#include "core/cpu/exec/fpu/fpu_instructions.hpp"
#include "core/cpu/timing/common/instruction_table.hpp"

namespace planar::cpu {

namespace {

struct FpuClocks {
  std::uint16_t i387, i487, pentium;
};

struct FpuRow {
  std::uint16_t code;  ///< opcode << 8 | ModRM; memory forms: reg field << 3
  std::uint8_t last;   ///< last ModRM of the range
  FpuClocks clocks;
};

constexpr FpuRow rows[] = {
    // -- D8, DC, DE in registers; m32 (D8), m64 (DC), integers (DA m32, DE m16)
    // clang-format off
    {0xD8C0, 0xC7, {29, 10, 3}},    {0xDCC0, 0xC7, {29, 10, 3}},    {0xDEC0, 0xC7, {29, 10, 3}},   // FADD
    {0xD8C8, 0xCF, {50, 16, 3}},    {0xDCC8, 0xCF, {50, 16, 3}},    {0xDEC8, 0xCF, {50, 16, 3}},   // FMUL
    {0xD8E0, 0xEF, {29, 10, 3}},    {0xDCE0, 0xEF, {29, 10, 3}},    {0xDEE0, 0xEF, {29, 10, 3}},   // FSUB FSUBR
    {0xD8F0, 0xFF, {88, 73, 39}},   {0xDCF0, 0xFF, {88, 73, 39}},   {0xDEF0, 0xFF, {91, 73, 39}},  // FDIV FDIVR
    {0xD8D0, 0xDF, {24, 4, 4}},     {0xDCD0, 0xDF, {24, 4, 4}},     {0xDED0, 0xDF, {26, 5, 4}},    // FCOM FCOMP FCOMPP
    {0xD800, 0x00, {28, 10, 3}},    {0xDC00, 0x00, {33, 10, 3}},    // FADD m
    {0xDA00, 0x00, {64, 22, 7}},    {0xDE00, 0x00, {78, 24, 7}},    // FIADD
    {0xD808, 0x08, {31, 11, 3}},    {0xDC08, 0x08, {45, 14, 3}},    // FMUL m
    {0xDA08, 0x08, {71, 23, 7}},    {0xDE08, 0x08, {82, 25, 7}},    // FIMUL
    {0xD810, 0x18, {26, 4, 4}},     {0xDC10, 0x18, {31, 4, 4}},     // FCOM m
    {0xDA10, 0x18, {60, 16, 8}},    {0xDE10, 0x18, {73, 18, 8}},    // FICOM
    {0xD820, 0x28, {28, 10, 3}},    {0xDC20, 0x28, {33, 10, 3}},    // FSUB m
    {0xDA20, 0x28, {70, 22, 7}},    {0xDE20, 0x28, {80, 24, 7}},    // FISUB
    {0xD830, 0x38, {89, 73, 39}},   {0xDC30, 0x38, {94, 73, 39}},   // FDIV m
    {0xDA30, 0x38, {124, 84, 42}},  {0xDE30, 0x38, {138, 86, 42}},  // FIDIV
    {0xDAE9, 0xE9, {26, 5, 4}},                                     // FUCOMPP
    // -- loads and stores
    {0xD900, 0x00, {20, 3, 1}},     {0xD910, 0x18, {44, 7, 2}},     // FLD FST m32
    {0xDD00, 0x00, {25, 3, 1}},     {0xDD10, 0x18, {45, 8, 2}},     // FLD FST m64
    {0xDB28, 0x28, {44, 6, 3}},     {0xDB38, 0x38, {53, 6, 3}},     // FLD FSTP m80
    {0xDB00, 0x00, {48, 11, 3}},    {0xDB10, 0x18, {86, 31, 6}},    // FILD FIST m32
    {0xDF00, 0x00, {63, 14, 3}},    {0xDF10, 0x18, {88, 32, 6}},    // m16
    {0xDF28, 0x28, {61, 14, 3}},    {0xDF38, 0x38, {88, 31, 6}},    // m64
    {0xDF20, 0x20, {270, 75, 53}},  {0xDF30, 0x30, {523, 175, 151}},  // FBLD FBSTP
    {0xD9C0, 0xC7, {14, 4, 1}},     {0xD9C8, 0xCF, {18, 4, 1}},     // FLD ST, FXCH
    {0xD9D0, 0xD0, {12, 3, 1}},     {0xD9D8, 0xDF, {12, 3, 1}},     // FNOP, FSTP1
    {0xDDC0, 0xC7, {18, 3, 1}},     {0xDDC8, 0xCF, {18, 4, 1}},     // FFREE, FXCH4
    {0xDDD0, 0xDF, {11, 3, 1}},     {0xDDE0, 0xEF, {24, 4, 4}},     // FST ST, FUCOM
    {0xDFC0, 0xC7, {18, 3, 1}},     {0xDFC8, 0xCF, {18, 4, 1}},     // FFREEP, FXCH7
    {0xDFD0, 0xDF, {12, 3, 1}},                                     // FSTP8 FSTP9
    // -- D9 in registers
    {0xD9E0, 0xE0, {24, 6, 1}},     {0xD9E1, 0xE1, {22, 3, 1}},     // FCHS FABS
    {0xD9E4, 0xE4, {28, 4, 4}},     {0xD9E5, 0xE5, {34, 8, 21}},    // FTST FXAM
    {0xD9E8, 0xE8, {24, 4, 2}},     {0xD9E9, 0xED, {40, 8, 5}},     // FLD1, FLDL2T to FLDLN2
    {0xD9EE, 0xEE, {20, 4, 2}},                                     // FLDZ
    {0xD9F0, 0xF0, {343, 242, 57}},                                 // F2XM1
    {0xD9F1, 0xF1, {329, 311, 103}},                                // FYL2X
    {0xD9F2, 0xF2, {344, 244, 115}},                                // FPTAN
    {0xD9F3, 0xF3, {400, 289, 115}},                                // FPATAN
    {0xD9F4, 0xF4, {73, 19, 13}},                                   // FXTRACT
    {0xD9F5, 0xF5, {140, 94, 45}},                                  // FPREM1
    {0xD9F6, 0xF6, {22, 3, 1}},     {0xD9F7, 0xF7, {21, 3, 1}},     // FDECSTP FINCSTP
    {0xD9F8, 0xF8, {114, 84, 40}},                                  // FPREM
    {0xD9F9, 0xF9, {402, 313, 103}},                                // FYL2XP1
    {0xD9FA, 0xFA, {125, 85, 70}},                                  // FSQRT
    {0xD9FB, 0xFB, {501, 291, 115}},                                // FSINCOS
    {0xD9FC, 0xFC, {73, 29, 14}},   {0xD9FD, 0xFD, {76, 31, 26}},   // FRNDINT FSCALE
    {0xD9FE, 0xFE, {446, 241, 83}}, {0xD9FF, 0xFF, {447, 241, 83}}, // FSIN FCOS
    // -- control
    {0xD920, 0x20, {71, 44, 37}},   {0xD928, 0x28, {19, 4, 7}},     // FLDENV FLDCW
    {0xD930, 0x30, {103, 67, 50}},  {0xD938, 0x38, {15, 3, 2}},     // FNSTENV FNSTCW
    {0xDD20, 0x20, {308, 131, 75}}, {0xDD30, 0x30, {375, 154, 127}},  // FRSTOR FNSAVE
    {0xDD38, 0x38, {15, 3, 2}},     {0xDFE0, 0xE0, {13, 3, 2}},     // FNSTSW
    {0xDBE0, 0xE2, {11, 7, 9}},     {0xDBE3, 0xE3, {33, 17, 16}},   // FNCLEX, FNINIT
    {0xDBE4, 0xE4, {11, 7, 9}},                                     // FSETPM
    // clang-format on
};

/// Clocks that a division saves at a lower precision. For 24, 53 and 64 bits: i486 35, 62, 73; Pentium 19, 33, 39.
unsigned shorter_division(Model model, const Op& op, unsigned precision) {
  const unsigned escape = op.opcode & 7;
  const bool division = op.reg >= 6 && (escape == 0 || escape == 4 || escape == 6 || (escape == 2 && op.has_memory));
  if (!division || model == Model::i386sx || precision == 64) return 0;
  if (model == Model::i486sx) return precision == 24 ? 73 - 35 : 73 - 62;
  return precision == 24 ? 39 - 19 : 39 - 33;
}

}  // namespace

unsigned fpu_extra_clocks(Model model, const Op& op, unsigned precision) {
  if (model == Model::p6) return 0;  // its micro-ops cover everything (timing/p6)
  const unsigned modrm = op.has_memory ? op.reg * 8u : op.modrm;
  const unsigned code = op.opcode << 8 | modrm;
  for (const FpuRow& row : rows) {
    if (code < row.code || code > ((row.code & 0xFF00u) | row.last)) continue;
    const unsigned whole = model == Model::i386sx   ? row.clocks.i387
                           : model == Model::i486sx ? row.clocks.i487
                                                    : row.clocks.pentium;
    const InstructionRow& base = instruction_row(op);
    const Clocks& column = model == Model::i386sx ? base.i386 : model == Model::i486sx ? base.i486 : base.pentium;
    const unsigned held = (op.has_memory ? column.mem : column.reg) + shorter_division(model, op, precision);
    return whole > held ? whole - held : 0;
  }
  return 0;
}

}  // namespace planar::cpu
