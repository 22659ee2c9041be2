// SPDX-License-Identifier: GPL-2.0-or-later
// The clock table of the whole instruction set, one row a form, a column a processor.
//
// Figures are Intel's (386 DX programmer's reference, i486 and Pentium data books) as collected and cross-checked in
// docs/hardware/processors.md#instruction-clocks [M*]. Rows that the page lacks are recalled from the same manuals.
// 386: operands of a 32-bit bus without wait states, prefetched; the 386SX bus unit adds the rest. 486, Pentium: cache
// hits.
#pragma once

#include <cstdint>

#include "core/cpu/x86/op.hpp"

namespace planar::cpu {

/// Pipes in which a Pentium instruction can issue together with another: bit 0 = U, bit 1 = V.
enum : std::uint8_t { pair_none = 0, pair_u = 1, pair_v = 2, pair_uv = 3, pair_mask = 3 };

/// Which registers a form reads and writes (pairing and address-generation interlock).
enum class Form : std::uint8_t {
  none,
  rm_reg,       ///< rm op= reg
  reg_rm,       ///< reg op= rm
  rm_reg_test,  ///< reads both
  rm_reg_move,  ///< rm = reg
  reg_rm_move,  ///< reg = rm
  reg_address,  ///< LEA
  rm,           ///< rm op=
  rm_test,      ///< reads rm
  rm_move,      ///< writes rm
  acc,          ///< accumulator op=
  acc_test,
  acc_move,   ///< writes the accumulator
  acc_store,  ///< reads the accumulator
  low,        ///< register in the opcode, op=
  low_test,
  low_move,
  exchange,  ///< both written
  acc_data,  ///< EAX and EDX written
  string,    ///< ESI, EDI (ECX with REP)
  count,     ///< ECX
  all,       ///< every register written
};

/// In which mode or operand size a row holds.
enum class When : std::uint8_t { always, protected_mode, v86, operand32 };

struct Clocks {
  std::uint8_t reg, mem;
};

struct InstructionRow {
  std::uint16_t opcode;   ///< as Op::opcode
  std::uint16_t mask;     ///< bits of the opcode that count
  std::int8_t extension;  ///< ModRM reg field, -1 = any
  When when;
  Clocks i386, i486, pentium;
  std::uint8_t pair;  ///< on the Pentium
  Form form;
};

/// The row for a decoded instruction; later rows of the table override earlier ones.
const InstructionRow& instruction_row(const Op& op);

}  // namespace planar::cpu
