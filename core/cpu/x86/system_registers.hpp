// SPDX-License-Identifier: GPL-2.0-or-later
// The operating system's registers: segments, control, debug and test registers, descriptor tables, and what is derived
// from them.
#pragma once

#include <array>
#include <cstdint>

#include "core/cpu/x86/architecture.hpp"
#include "core/cpu/x86/descriptor.hpp"
#include "core/cpu/x86/p6_registers.hpp"

namespace planar::cpu {

struct SystemRegisters {
  std::array<Segment, 6> seg;
  Segment ldt, task;
  std::uint32_t gdt_base = 0, idt_base = 0;
  std::uint16_t gdt_limit = 0, idt_limit = 0xFFFF;
  std::uint32_t cr0 = 0, cr2 = 0, cr3 = 0, cr4 = 0;
  std::array<std::uint32_t, 8> dr{};
  std::array<std::uint32_t, 5> tr{};   ///< test registers TR3..TR7: stored only, no test function
  std::array<std::uint64_t, 6> msr{};  ///< machine check address and type, TR12, performance counting
  std::uint64_t tsc_offset = 0;        ///< TSC = clocks + offset
  P6Registers p6;                      ///< P6 only

  // Derived from the above.
  unsigned cpl = 0;
  bool protected_mode = false;  ///< CR0.PE
  bool v86 = false;             ///< CR0.PE and EFLAGS.VM
  std::uint8_t mode = 0;        ///< block cache key: bit 0 CS.D, bit 1 PE, bit 2 VM
};

}  // namespace planar::cpu
