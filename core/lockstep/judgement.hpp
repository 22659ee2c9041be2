// SPDX-License-Identifier: GPL-2.0-or-later
// What lockstep over a machine's run does not compare, and why. Everything else counts.
#pragma once

#include <array>
#include <cstdint>

#include "core/cpu/cpu.hpp"
#include "core/cpu/decode/op.hpp"

namespace planar::lockstep {

/// Why an instruction (or a part of its result) is taken over from the interpreter instead of compared.
enum class Excuse : std::uint8_t {
  none,
  device_code,  ///< executed out of device memory
  chip,         ///< CPUID, RDTSC, MSRs, debug and test registers: the chip's own
  undefined,    ///< the manuals leave the result undefined
  limits,       ///< Unicorn checks no limits, rights, I/O permission, alignment
  model,        ///< Unicorn has no 386: later instructions exist there
  no_fpu,       ///< a processor without x87
  fpu_image,    ///< x87 environment in memory: pointers and exception flags
  fpu_trap,     ///< an unmasked x87 exception: Unicorn stores the result all the same
  single_step,  ///< TF
  task,         ///< task switches
  erratum,      ///< POPAD on a 386 with a 16-bit stack, ENTER whose operand and stack sizes differ
  count
};
inline constexpr std::array<const char*, static_cast<unsigned>(Excuse::count)> excuse_names{
    "",
    "code in device memory",
    "CPUID, TSC, MSRs, debug registers",
    "undefined results",
    "limits, rights, I/O permission, alignment",
    "instructions the 386 lacks",
    "x87 absent",
    "x87 environment in memory",
    "unmasked x87 exceptions",
    "single step",
    "task switches",
    "stack sizes"};

/// Whether an instruction can be judged by Unicorn at all. `before`: the registers in front of it.
Excuse excuse(const cpu::Op& op, const cpu::Registers& before, const cpu::CpuConfig& config);
/// Flags undefined behind the instruction: Pentium manual volume 3, appendix A, and the instruction pages.
std::uint32_t undefined_flags(const cpu::Op& op, const cpu::Registers& before);
/// The destination register is undefined as well (BSF and BSR of zero).
bool undefined_destination(const cpu::Op& op, const cpu::Registers& after);
/// Loads CS.
bool far_transfer(const cpu::Op& op);
/// x87 functions, which Unicorn computes in double precision.
bool transcendental(const cpu::Op& op);
/// Exceptions of the interpreter that Unicorn need not have seen.
bool unicorn_may_miss(std::uint8_t vector, const cpu::Op* op, const cpu::Registers& before,
                      const cpu::CpuConfig& config, Excuse& why);

}  // namespace planar::lockstep
