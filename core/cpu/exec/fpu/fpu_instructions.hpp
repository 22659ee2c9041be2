// SPDX-License-Identifier: GPL-2.0-or-later
// Declarations shared by the FPU's files. Register instructions use only the FPU; those with a memory operand complete
// the access before they change anything, so that a fault leaves no trace.
#pragma once

#include "core/cpu/mmu/access.hpp"

namespace planar::cpu {

/// Address of a memory operand of `bytes`, after the segment and alignment checks. `for_write` also makes sure that no
/// part of the write will fault.
std::uint32_t fpu_operand(Engine& c, const Op& op, unsigned bytes, bool for_write);
std::uint64_t fpu_read64(Engine& c, std::uint32_t linear);
Float80 fpu_read80(Engine& c, std::uint32_t linear);
void fpu_write64(Engine& c, std::uint32_t linear, std::uint64_t v);
void fpu_write80(Engine& c, std::uint32_t linear, const Float80& v);
/// Records the addresses of the instruction and its operand.
void fpu_note_pointers(Engine& c, const Op& op);
/// A waiting instruction checks for a pending exception; true if it must not be executed now.
bool fpu_wait_for_error(Engine& c, const Op& op);

/// For an instruction that reads ST(0) and ST(i) and replaces ST(0), and one that replaces ST(0) and pushes: true if a
/// stack fault has already completed it.
bool fpu_missing(Fpu& f, unsigned i);
bool fpu_no_room(Fpu& f);
/// Replaces ST(0) by `compute(environment, ST(0))`.
template <class F>
void fpu_replace_top(Fpu& f, F&& compute) {
  if (fpu_missing(f, 0)) return;
  FloatEnvironment env = f.environment();
  const Float80 v = compute(env, f.st(0));
  if (f.settle(env)) f.set(0, v);
}

// ---- fpu_clocks.cpp -----------------------------------------------------------------------------
/// Clocks of an instruction beyond its row in the timing table, which holds the fewest of its group.
unsigned fpu_extra_clocks(Model model, const Op& op, unsigned precision);

// ---- fpu_load_store.cpp -------------------------------------------------------------------------
void fpu_load(Engine& c, const Op& op);
void fpu_store(Engine& c, const Op& op);
void fpu_load_register(Fpu& f, unsigned i);
void fpu_store_register(Fpu& f, unsigned i, bool pop);
/// FSTP1: FSTP that reports no stack fault.
void fpu_move_and_pop(Fpu& f, unsigned i);
void fpu_exchange(Fpu& f, unsigned i);
/// FLD1 FLDL2T FLDL2E FLDPI FLDLG2 FLDLN2 FLDZ, 0 to 6.
void fpu_load_constant(Fpu& f, unsigned which);

// ---- fpu_arithmetic.cpp -------------------------------------------------------------------------
/// A source operand from memory; `denormal` if it was a denormal in its own format.
struct FpuSource {
  Float80 value;
  bool denormal = false;
};
FpuSource fpu_read_source(Engine& c, const Op& op);
/// `operation` is the ModRM reg field: 0 ADD, 1 MUL, 4 SUB, 5 SUBR, 6 DIV, 7 DIVR of ST(0) and the source.
void fpu_arithmetic_memory(Fpu& f, unsigned operation, const FpuSource& source);
void fpu_arithmetic_register(Fpu& f, unsigned operation, unsigned i, bool to_top, bool pop);
void fpu_change_sign(Fpu& f);
void fpu_absolute(Fpu& f);
void fpu_square_root(Fpu& f);
void fpu_round(Fpu& f);
void fpu_scale(Fpu& f);
void fpu_extract(Fpu& f);
void fpu_remainder(Fpu& f, bool nearest);

// ---- fpu_compare.cpp ----------------------------------------------------------------------------
void fpu_compare_memory(Fpu& f, const FpuSource& source, bool pop);
void fpu_compare_register(Fpu& f, unsigned i, bool quiet, unsigned pops);
void fpu_test(Fpu& f);
void fpu_examine(Fpu& f);
/// FCOMI and FUCOMI (`quiet`): the result in ZF, PF and CF.
void fpu_compare_to_flags(Engine& c, unsigned i, bool quiet, bool pop);
/// FCMOVcc: `number` 0 below, 1 equal, 2 below or equal, 3 unordered; `negated` the opposite.
void fpu_conditional_move(Engine& c, unsigned number, bool negated, unsigned i);

// ---- fpu_transcendental.cpp ---------------------------------------------------------------------
void fpu_exp2_minus_1(Fpu& f);
void fpu_y_log2_x(Fpu& f, bool plus_1);
void fpu_arc_tangent(Fpu& f);
void fpu_tangent(Fpu& f);
void fpu_sine_or_cosine(Fpu& f, bool cosine);
void fpu_sine_cosine(Fpu& f);

// ---- fpu_control.cpp ----------------------------------------------------------------------------
void fpu_load_control(Engine& c, const Op& op);
void fpu_store_control(Engine& c, const Op& op);
void fpu_store_status(Engine& c, const Op& op);
void fpu_load_environment(Engine& c, const Op& op);
void fpu_store_environment(Engine& c, const Op& op);
void fpu_restore(Engine& c, const Op& op);
void fpu_save(Engine& c, const Op& op);

// ---- fpu_fxsave.cpp -----------------------------------------------------------------------------
void fxsave(Engine& c, const Op& op);
void fxrstor(Engine& c, const Op& op);

}  // namespace planar::cpu
