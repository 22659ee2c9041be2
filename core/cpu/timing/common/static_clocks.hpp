// SPDX-License-Identifier: GPL-2.0-or-later
// Decode time: what an instruction's static clocks depend on, the same for every processor.
#pragma once

#include "core/cpu/timing/common/instruction_table.hpp"
#include "core/cpu/x86/model.hpp"
#include "core/cpu/x86/op.hpp"

namespace planar::cpu {

struct StaticForm {
  const InstructionRow* row = nullptr;
  unsigned prefixes = 0;  ///< prefix bytes that cost a clock of their own
  bool memory = false;
  bool repeated = false;       ///< a string instruction under REP
  unsigned repeat_clocks = 0;  ///< its clocks with a count of zero
  std::uint16_t sources = 0;   ///< registers that the operation reads, not those that form the address

  /// The clocks in one processor's `column` of the row.
  unsigned clocks(const Clocks& column) const { return repeated ? repeat_clocks : memory ? column.mem : column.reg; }
};

/// Finds the row of `op` and fills its branch kind and register sets (Op::reads, writes, address_reads).
StaticForm static_form(Op& op, Model model);

/// Whether the ModRM or opcode register is a byte register (4 to 7 are then AH CH DH BH).
bool byte_operand(std::uint16_t opcode);

}  // namespace planar::cpu
