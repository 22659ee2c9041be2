// SPDX-License-Identifier: GPL-2.0-or-later
// Clocks that the decoder cannot know: what the executor passes to Timing::spend().
//
// Who charges what:
//   set_static_clocks()
//             base clocks of the form that was decoded, in the column of its mode (real and V86, or protected with
//             CPL <= IOPL), with prefix, index and immediate+displacement penalties. Conditional branches: not taken.
//             Multiply: shortest. REP strings: count zero. Far transfers, INT and IRET: zero.
//             Memory time without wait states is included. The bus cycle of IN, OUT, INS, OUTS is not: the pins charge
//             it.
//   branch()  what a branch costs if taken, refill, prediction.
//   read(), write()   what memory costs beyond the table.
//   spend()   the functions below.
// Figures: Intel's programmer's manuals as collected in docs/hardware/processors.md; exceptions are marked.
#pragma once

#include <cstdint>

#include "core/cpu/timing/common/config.hpp"
#include "core/cpu/x86/model.hpp"
#include "core/cpu/x86/op.hpp"

namespace planar::cpu {

/// MUL, IMUL: clocks beyond the shortest, from the early-out on the multiplier (the r/m operand of MUL and one-operand
/// IMUL, the immediate or r/m source of the others). `bits` is 8, 16 or 32; `is_signed` for IMUL.
unsigned multiply_extra(Model model, unsigned bits, std::uint32_t multiplier, bool is_signed);

/// RCL and RCR by a count other than one: clocks beyond the static ones for `count` (masked to 5 bits).
unsigned rotate_carry_extra(Model model, unsigned count);

/// BSF, BSR: clocks beyond the static ones when `zeros` zero bits were stepped over (operand zero: pass the operand
/// size).
unsigned bit_scan_extra(Model model, bool reverse, unsigned zeros);

/// ENTER with nesting `level` (0..31): clocks beyond the static ones, which cover level 0.
unsigned enter_extra(Model model, unsigned level);

/// REP strings: clocks charged once if the count is not zero, and clocks of one iteration. A REP that resumes after an
/// interrupt starts again and is charged the start again.
unsigned repeat_zero(Model model, const Op& op);  ///< the static clocks
unsigned repeat_start(Model model, const Op& op);
unsigned repeat_iteration(Model model, const Op& op);

/// IN, OUT, INS, OUTS that consulted the permission bitmap (protected mode with CPL > IOPL, or V86): clocks beyond
/// the static ones. The bitmap's own reads are included as zero-wait accesses: call read() for them as well.
unsigned io_permission_extra(Model model, const Op& op);

/// A TLB miss: microcode around the two table reads (call read() for each, write() for accessed/dirty updates).
unsigned page_walk(const TimingConfig& config);

enum class Transfer : std::uint8_t { call, jump, ret, interrupt, iret };
/// How far a transfer goes.
enum class Reach : std::uint8_t {
  real,       ///< real mode, and V86 where no monitor is entered
  same,       ///< protected mode, same privilege, no gate
  gate_same,  ///< through a call gate, same privilege
  inner,      ///< to a more privileged level (CALL through a gate, INT from ring 3)
  outer,      ///< RET or IRET to a less privileged level
  from_v86,   ///< INT out of V86 mode
  to_v86,     ///< IRET into V86 mode
  task,       ///< task switch
};
/// Whole cost of a far CALL, JMP or RET, of an interrupt or exception (without INTA cycles, which the pins charge), or
/// of IRET; `params` is the number of parameters copied through a gate.
unsigned transfer_clocks(Model model, Transfer transfer, Reach reach, unsigned params = 0);
/// The same for an interrupt or IRET. A P6's configuration gives the clocks between rings; the others are in
/// proportion.
unsigned interrupt_clocks(const TimingConfig& config, Transfer transfer, Reach reach);

}  // namespace planar::cpu
