// SPDX-License-Identifier: GPL-2.0-or-later
// The x87: on the Pentium's chip, or a 387SX or 487 next to a 386SX or 486SX (CpuConfig::fpu).
//
// Modelled: all instructions of the 387, 486, Pentium and P6 with their undocumented aliases (FCOM2, FCOMP3, FCOMP5,
// FXCH4, FXCH7, FSTP1, FSTP8, FSTP9, FFREEP), rounding and precision control, denormals, NaNs, masked and unmasked
// responses, condition codes, stack faults, tags, the last instruction's address, operand and opcode. Numbers:
// float80.hpp; transcendentals and their accuracy: float80_functions.hpp.
//
//   fpu.cpp                 dispatch, #NM, waiting for a pending exception, no FPU present
//   fpu_state.cpp           stack, status, stack faults
//   fpu_load_store.cpp      FLD, FST, FILD, FIST, FBLD, FBSTP, FXCH, constants
//   fpu_arithmetic.cpp      basic arithmetic, FSQRT, FSCALE, FPREM, FRNDINT, FXTRACT, FABS, FCHS
//   fpu_compare.cpp         FCOM, FUCOM, FICOM, FTST, FXAM, FCOMI, FUCOMI, FCMOVcc
//   fpu_transcendental.cpp  F2XM1, FYL2X, FYL2XP1, FPTAN, FPATAN, FSIN, FCOS, FSINCOS
//   fpu_clocks.cpp          clocks of each form on 387, 487 and Pentium
//   fpu_control.cpp         control and status words, environment, FNSAVE, FRSTOR
//   fpu_fxsave.cpp          FXSAVE, FXRSTOR
//
// An unmasked exception stays pending until the next waiting instruction. With CR0.NE set, that instruction raises #MF.
// Without it, FERR# is asserted with the exception itself (the Pentium may delay it until that instruction), and that
// instruction stops the processor until an interrupt arrives, as BUSY# does in a 386 machine, unless the planar asserts
// IGNNE# (ignore_error; port F0h).
//
// Not modelled: execution in parallel with the integer unit (an instruction takes its full latency), FXCH's pairing,
// the range of clocks of iterative instructions within a precision, the data pointer of register forms (it keeps the
// last memory operand), the differences between 387, 486 and Pentium apart from timing, the Pentium's control word
// after RESET (0040h; here 037Fh and an empty stack, as after FNINIT). Where the manuals leave a bit undefined (C1 of
// FFREE, the order of two simultaneous stack faults), the model does what an AMD EPYC does. Without an FPU, an ESC
// instruction executes as on a bus where nothing responds: results read as ones, FNSTCW and FNSTSW store ones to
// memory, and everything else does nothing.
#pragma once

#include <array>
#include <cstdint>

#include "core/cpu/fpu/float80.hpp"
#include "core/state/archive.hpp"

namespace planar::cpu {

struct Engine;
struct Op;

// Status word.
inline constexpr std::uint16_t fpu_stack_fault = 0x40, fpu_summary = 0x8080, fpu_c0 = 0x0100, fpu_c1 = 0x0200,
                               fpu_c2 = 0x0400, fpu_c3 = 0x4000;

struct Fpu {
  std::array<Float80, 8> registers;  ///< physical, R0..R7
  std::uint16_t control = 0x037F;
  std::uint16_t status = 0;
  std::uint16_t tags = 0xFFFF;  ///< two bits per physical register: 3 empty, 0 in use; tag_word() is more specific
  std::uint16_t opcode = 0;     ///< last non-control instruction, 11 bits
  std::uint32_t instruction_offset = 0, operand_offset = 0;
  std::uint16_t instruction_selector = 0, operand_selector = 0;
  bool error_line = false;    ///< FERR# as last driven
  bool ignore_error = false;  ///< IGNNE#
  bool stopped = false;       ///< the processor waits at an instruction for the pending exception's interrupt

  unsigned top() const { return status >> 11 & 7; }
  void set_top(unsigned t) { status = static_cast<std::uint16_t>((status & ~0x3800u) | (t & 7) << 11); }
  /// Takes the existing bits of what a program loads; bit 6 always reads as one.
  void set_control(std::uint32_t word) { control = static_cast<std::uint16_t>((word & 0x1F3F) | 0x40); }
  /// FNINIT.
  void initialise();
  /// Recomputes the error summary (bits 7 and 15) from flags and masks.
  void summarise();
  bool pending() const { return status & 0x80; }

  // ---- stack: registers relative to the top; 7 is where the next push goes ----
  Float80& st(unsigned i) { return registers[(top() + i) & 7]; }
  bool empty(unsigned i) const { return (tags >> (2 * ((top() + i) & 7)) & 3) == 3; }
  void free(unsigned i) { tags |= static_cast<std::uint16_t>(3u << (2 * ((top() + i) & 7))); }
  /// Writes a register and marks it in use.
  void set(unsigned i, const Float80& v);
  void push(const Float80& v);
  void pop();
  /// The tag word as FNSTENV stores it: valid, zero, special, empty.
  std::uint16_t tag_word() const;

  // ---- exceptions ----
  FloatEnvironment environment() const;
  /// Takes an operation's exceptions and C1; returns whether its result is to be stored.
  bool settle(const FloatEnvironment& env);
  /// Stack faults; return whether to give the masked response (the indefinite).
  bool stack_underflow();
  bool stack_overflow();
  void set_c1(bool on) { status = static_cast<std::uint16_t>(on ? status | fpu_c1 : status & ~fpu_c1); }
  /// C3, C2, C0; C1 cleared.
  void set_condition(std::uint16_t codes) { status = static_cast<std::uint16_t>((status & ~0x4700u) | codes); }

  void archive(Archive& a);
};

/// MMX uses the same registers (exec/fpu/mmx.cpp).
void fpu_escape(Engine& c, const Op& op);
void fpu_wait(Engine& c, const Op& op);

}  // namespace planar::cpu
