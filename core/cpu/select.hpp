// SPDX-License-Identifier: GPL-2.0-or-later
// From a decoded instruction to its handler: one function a topic. Each returns nullptr for an encoding that is
// undefined on the model, which the decoder turns into #UD.
#pragma once

#include "core/cpu/engine.hpp"

namespace planar::cpu {

/// What selection may depend on beyond the instruction itself.
struct Target {
  Model model;
  bool fpu;
};

Handler select_alu(const Op& op, const Target& target);
Handler select_shift(const Op& op, const Target& target);
Handler select_multiply(const Op& op, const Target& target);
Handler select_move(const Op& op, const Target& target);
Handler select_stack(const Op& op, const Target& target);
Handler select_string(const Op& op, const Target& target);
Handler select_io(const Op& op, const Target& target);
Handler select_control(const Op& op, const Target& target);
Handler select_segment(const Op& op, const Target& target);
Handler select_system(const Op& op, const Target& target);

/// #UD.
void undefined_opcode(Engine& c, const Op& op);

/// Picks the instantiation for the operand size of opcodes with a byte form (bit 0 clear) and a word form.
#define PLANAR_SIZED(op, f, ...)                                                       \
  (!((op).opcode & 1) ? Handler(f<__VA_ARGS__ __VA_OPT__(,) std::uint8_t>)             \
   : (op).operand32   ? Handler(f<__VA_ARGS__ __VA_OPT__(,) std::uint32_t>)            \
                      : Handler(f<__VA_ARGS__ __VA_OPT__(,) std::uint16_t>))
/// Likewise for opcodes that have word forms only.
#define PLANAR_WORD(op, f, ...)                                                        \
  ((op).operand32 ? Handler(f<__VA_ARGS__ __VA_OPT__(,) std::uint32_t>)                \
                  : Handler(f<__VA_ARGS__ __VA_OPT__(,) std::uint16_t>))

}  // namespace planar::cpu
