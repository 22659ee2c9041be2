// SPDX-License-Identifier: GPL-2.0-or-later
// What lockstep checking of a machine's run does not compare, and why. Everything else is compared.
#pragma once

#include <array>
#include <cstdint>

#include "core/cpu/cpu.hpp"
#include "core/cpu/x86/op.hpp"

namespace planar::lockstep {

/// Why an instruction (or part of its result) is copied from the interpreter instead of compared.
enum class Exclusion : std::uint8_t {
  none,
  device_code,  ///< executed from device memory
  chip,         ///< CPUID, RDTSC, MSRs, debug and test registers: specific to the chip
  undefined,    ///< result undefined according to the manuals
  limits,       ///< Unicorn does not check limits, access rights, I/O permission or alignment
  model,        ///< Unicorn has no 386 model and accepts later instructions
  no_fpu,       ///< a processor without x87
  fpu_image,    ///< x87 environment in memory, also in FXSAVE's image: pointers and exception flags
  fpu_trap,     ///< an unmasked x87 exception: Unicorn stores the result anyway
  single_step,  ///< TF
  task,         ///< task switches
  erratum,      ///< POPAD on a 386 with a 16-bit stack, ENTER whose operand and stack sizes differ
  count
};
inline constexpr std::array<const char*, static_cast<unsigned>(Exclusion::count)> exclusion_names{
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

/// Whether Unicorn can check an instruction at all. `before`: the registers before it.
Exclusion exclusion(const cpu::Op& op, const cpu::Registers& before, const cpu::CpuConfig& config);
/// Flags left undefined by the instruction: Pentium manual volume 3, appendix A, and the instruction pages.
std::uint32_t undefined_flags(const cpu::Op& op, const cpu::Registers& before);
/// Whether the destination register is undefined too (BSF and BSR of zero).
bool undefined_destination(const cpu::Op& op, const cpu::Registers& after);
/// Whether it is an MMX instruction.
bool is_mmx(const cpu::Op& op);
/// Whether the instruction loads CS.
bool far_transfer(const cpu::Op& op);
/// Whether it is an x87 function that Unicorn computes in double precision.
bool transcendental(const cpu::Op& op);
/// Whether Unicorn may not raise an exception that the interpreter raised.
bool unicorn_may_miss(std::uint8_t vector, const cpu::Op* op, const cpu::Registers& before,
                      const cpu::CpuConfig& config, Exclusion& why);

}  // namespace planar::lockstep
