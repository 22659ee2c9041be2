// SPDX-License-Identifier: GPL-2.0-or-later
// What an instruction costs: the one interface between the executor and the three timing models.
//
// The executor calls, for each instruction, in this order:
//   begin(op, physical_eip)          issue: fetch, static clocks, pairing, address-generation interlock
//   read/write(physical, bytes)      each data access to RAM or ROM as it happens (page-table walks included)
//   branch(op, linear_eip, taken, linear_target)
//                                    every jump, call, return, loop, conditional jump
//   spend(clocks)                    microcode that depends on data: REP iterations, multiplier bits, descriptor loads,
//                                    interrupt and task-switch sequences (numbers from instruction_clocks.hpp)
//   wait_until(clock)                accesses through the pins: the CPU stands still until the cycle ends
// All clocks are the processor's own (90 MHz core clocks on the Pentium 90). State is plain data and part of the snapshot.
// Nothing here depends on how instructions are grouped into blocks.
#pragma once

#include <cstdint>
#include <memory>

#include "core/archive.hpp"
#include "core/cpu/op.hpp"

namespace planar::cpu {
// The implementation helper defines class Timing here.
}  // namespace planar::cpu
