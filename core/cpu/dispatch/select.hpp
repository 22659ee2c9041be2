// SPDX-License-Identifier: GPL-2.0-or-later
// From a decoded instruction to its handlers: one function a topic. Each returns none for an encoding that is undefined
// on the model, which the decoder turns into #UD.
#pragma once

#include "core/cpu/dispatch/handlers.hpp"

namespace planar::cpu {

/// What selection may depend on beyond the instruction itself.
struct Target {
  Model model;
  bool fpu;
};

/// Of all topics.
Handlers select(const Op& op, const Target& target);
Handlers select_alu(const Op& op, const Target& target);
Handlers select_shift(const Op& op, const Target& target);
Handlers select_multiply(const Op& op, const Target& target);
Handlers select_move(const Op& op, const Target& target);
Handlers select_stack(const Op& op, const Target& target);
Handlers select_string(const Op& op, const Target& target);
Handlers select_io(const Op& op, const Target& target);
Handlers select_control(const Op& op, const Target& target);
Handlers select_segment(const Op& op, const Target& target);
Handlers select_system(const Op& op, const Target& target);

/// #UD.
void undefined_opcode(Engine& c, const Op& op);

/// Picks the instantiation for the operand size of opcodes with a byte form (bit 0 clear) and a word form, of a `kind`
/// (any, register_only),
#define PLANAR_SIZED_AS(kind, op, f, ...)                                   \
  (!((op).opcode & 1) ? kind<f<__VA_ARGS__ __VA_OPT__(, ) std::uint8_t>>()  \
   : (op).operand32   ? kind<f<__VA_ARGS__ __VA_OPT__(, ) std::uint32_t>>() \
                      : kind<f<__VA_ARGS__ __VA_OPT__(, ) std::uint16_t>>())
/// and likewise for opcodes that have word forms only.
#define PLANAR_WORD_AS(kind, op, f, ...)                                \
  ((op).operand32 ? kind<f<__VA_ARGS__ __VA_OPT__(, ) std::uint32_t>>() \
                  : kind<f<__VA_ARGS__ __VA_OPT__(, ) std::uint16_t>>())
#define PLANAR_SIZED(op, f, ...) PLANAR_SIZED_AS(any, op, f __VA_OPT__(, ) __VA_ARGS__)
#define PLANAR_WORD(op, f, ...) PLANAR_WORD_AS(any, op, f __VA_OPT__(, ) __VA_ARGS__)
/// Accessing instructions: the last parameter is the way to memory.
#define PLANAR_ALL_WAYS(op, ...)                                                                                       \
  accessing<__VA_ARGS__ FullAccess>, __VA_ARGS__ Uncached >, __VA_ARGS__ AtBase < Uncached >>, __VA_ARGS__ FastPath >, \
      __VA_ARGS__ AtBase < FastPath >>> (op)
#define PLANAR_SIZED_ACCESS(op, f, ...)                                                     \
  (!((op).opcode & 1) ? PLANAR_ALL_WAYS(op, f < __VA_ARGS__ __VA_OPT__(, ) std::uint8_t, )  \
   : (op).operand32   ? PLANAR_ALL_WAYS(op, f < __VA_ARGS__ __VA_OPT__(, ) std::uint32_t, ) \
                      : PLANAR_ALL_WAYS(op, f < __VA_ARGS__ __VA_OPT__(, ) std::uint16_t, ))
#define PLANAR_WORD_ACCESS(op, f, ...)                                                  \
  ((op).operand32 ? PLANAR_ALL_WAYS(op, f < __VA_ARGS__ __VA_OPT__(, ) std::uint32_t, ) \
                  : PLANAR_ALL_WAYS(op, f < __VA_ARGS__ __VA_OPT__(, ) std::uint16_t, ))
/// Those with a form f_reg that is register-only and a form f_mem that is accessing.
#define PLANAR_SIZED_RM(op, f, ...)                                              \
  ((op).has_memory ? PLANAR_SIZED_ACCESS(op, f##_mem __VA_OPT__(, ) __VA_ARGS__) \
                   : PLANAR_SIZED_AS(register_only, op, f##_reg __VA_OPT__(, ) __VA_ARGS__))
#define PLANAR_WORD_RM(op, f, ...)                                              \
  ((op).has_memory ? PLANAR_WORD_ACCESS(op, f##_mem __VA_OPT__(, ) __VA_ARGS__) \
                   : PLANAR_WORD_AS(register_only, op, f##_reg __VA_OPT__(, ) __VA_ARGS__))

}  // namespace planar::cpu
