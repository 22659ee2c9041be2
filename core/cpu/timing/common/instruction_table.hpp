// SPDX-License-Identifier: GPL-2.0-or-later
// The clock table of the whole instruction set, one row per form, one column per processor.
//
// Figures are Intel's (386 DX programmer's reference, i486 and Pentium data books) as collected and cross-checked in
// docs/hardware/processors.md#instruction-clocks [M*]. Rows missing from that page are recalled from the same manuals.
// 386: operands on a 32-bit bus without wait states, prefetched; the 386SX bus unit adds the rest. 486, Pentium: cache
// hits.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/cpu/x86/op.hpp"

namespace planar::cpu {

/// Pipes in which a Pentium instruction can issue together with another: bit 0 = U, bit 1 = V.
enum : std::uint8_t { pair_none = 0, pair_u = 1, pair_v = 2, pair_uv = 3 };

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

/// The mode or operand size for which a row holds.
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

// ---- for any table whose rows have opcode, mask and extension ----

/// Masks of rows that match several opcodes.
namespace opcode_mask {
inline constexpr std::uint16_t one = 0xFFFF;  ///< exactly this opcode
inline constexpr std::uint16_t two = 0xFFFE;  ///< byte and full-size form
inline constexpr std::uint16_t eight = 0xFFF8, sixteen = 0xFFF0;
inline constexpr std::uint16_t alu = 0xFFC6;  ///< the eight ALU operations, both sizes
}  // namespace opcode_mask

/// One place for each opcode and ModRM extension.
inline constexpr unsigned opcode_places = 512 * 8;
inline unsigned opcode_place(const Op& op) {
  return ((op.opcode & 0xFFu) | (op.opcode >= 0x0F00 ? 256u : 0u)) * 8 + op.extension();
}
/// Calls `f(place, number)` for each place and every row that matches there, earlier rows first.
template <class Row, std::size_t Count, class F>
void for_each_place(const Row (&rows)[Count], F&& f) {
  for (unsigned slot = 0; slot < 512; ++slot) {
    const unsigned opcode = slot < 256 ? slot : 0x0F00u | (slot - 256);
    for (std::size_t n = 0; n < Count; ++n) {
      if ((opcode & rows[n].mask) != rows[n].opcode) continue;
      for (unsigned extension = 0; extension < 8; ++extension)
        if (rows[n].extension < 0 || static_cast<unsigned>(rows[n].extension) == extension) f(slot * 8 + extension, n);
    }
  }
}

}  // namespace planar::cpu
