// SPDX-License-Identifier: GPL-2.0-or-later
// From a decoded instruction to its handlers: one function per topic. Each returns none for an encoding that is
// undefined on the model, which the decoder turns into #UD.
#pragma once

#include "core/cpu/dispatch/handlers.hpp"
#include "core/cpu/x86/model.hpp"

namespace planar::cpu {

/// Searches all topics. On models before the P6, those that came with it are left out.
Handlers select(const Op& op, Model model);
Handlers select_alu(const Op& op, Model model);
Handlers select_shift(const Op& op);
Handlers select_multiply(const Op& op);
Handlers select_move(const Op& op, Model model);
Handlers select_stack(const Op& op);
Handlers select_string(const Op& op);
Handlers select_io(const Op& op);
Handlers select_control(const Op& op);
Handlers select_segment(const Op& op);
Handlers select_system(const Op& op, Model model);
Handlers select_mmx(const Op& op);

/// #UD.
void undefined_opcode(Engine& c, const Op& op);

/// `make` gives a selector (handlers.hpp) for an operand type: `make.operator()<T>()`. The operand size of `op` chooses
/// the type. For opcodes that have word forms only:
template <class Make>
Handlers by_word(const Op& op, Make make) {
  return op.operand32 ? make.template operator()<std::uint32_t>()(op) : make.template operator()<std::uint16_t>()(op);
}
/// For opcodes with a byte form (bit 0 clear) and word forms:
template <class Make>
Handlers by_size(const Op& op, Make make) {
  return op.opcode & 1 ? by_word(op, make) : make.template operator()<std::uint8_t>()(op);
}

}  // namespace planar::cpu
