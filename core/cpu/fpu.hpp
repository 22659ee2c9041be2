// SPDX-License-Identifier: GPL-2.0-or-later
// x87 state and control. Present on the Pentium, absent on 386SX and 486SX.
//
// Modelled: FNINIT, FNCLEX, FLDCW, FNSTCW, FNSTSW, FNSTENV/FLDENV, FNSAVE/FRSTOR, FWAIT, FFREE, FINCSTP/FDECSTP, FNOP
// with #NM by CR0.EM, TS and MP and with unmasked exceptions reported by FWAIT (#MF with CR0.NE, else FERR#).
// Not modelled: loads, stores, arithmetic, comparisons and transcendentals; they raise #UD, so no program can mistake
// them for working.
// Without an FPU an ESC instruction is executed as on a bus where nobody answers: results read as ones, memory operands
// of stores receive ones for FNSTCW and FNSTSW, everything else does nothing.
#pragma once

#include <array>
#include <cstdint>

#include "core/archive.hpp"

namespace planar::cpu {

struct Engine;
struct Op;

struct Fpu {
  struct Register {
    std::uint64_t mantissa = 0;
    std::uint16_t exponent = 0;  ///< sign in bit 15
    void archive(Archive& a) { a(mantissa, exponent); }
  };
  std::array<Register, 8> registers;  ///< physical, R0..R7
  std::uint16_t control = 0x037F;
  std::uint16_t status = 0;
  std::uint16_t tags = 0xFFFF;
  std::uint16_t opcode = 0;  ///< last non-control instruction
  std::uint32_t instruction_offset = 0, operand_offset = 0;
  std::uint16_t instruction_selector = 0, operand_selector = 0;

  unsigned top() const { return status >> 11 & 7; }
  void set_top(unsigned t) { status = static_cast<std::uint16_t>((status & ~0x3800u) | (t & 7) << 11); }
  /// FNINIT.
  void initialise();
  /// Recomputes the error summary (bits 7 and 15) from flags and masks.
  void summarise();
  void archive(Archive& a);
};

void fpu_escape(Engine& c, const Op& op);
void fpu_wait(Engine& c, const Op& op);

}  // namespace planar::cpu
