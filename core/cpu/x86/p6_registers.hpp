// SPDX-License-Identifier: GPL-2.0-or-later
// The P6's model-specific registers. Intel Architecture Software Developer's Manual volume 3 (243192), appendix B.
//
// SYSENTER's registers and the MTRRs are modelled. The performance counters keep what is written to them but count
// nothing; the debug control register keeps its bits, without branch records and branch traps. The local APIC and the
// machine check architecture are absent: APICBASE shows the APIC as disabled, and accesses to MCG_CAP and the banks
// raise #GP. The registers with which a BIOS sets up the second-level cache (BBL_CR) keep what is written. Microcode
// updates are not applied: the revision is 0, or what was written there.
#pragma once

#include <array>
#include <cstdint>

#include "core/cpu/x86/memory_type.hpp"

namespace planar::cpu {

struct P6Registers {
  std::uint32_t sysenter_cs = 0, sysenter_esp = 0, sysenter_eip = 0;  ///< 174h to 176h
  MemoryTypeRanges memory_types;
  std::uint64_t apic_base = 0xFEE00100u;         ///< 1Bh; bit 8: the bootstrap processor
  std::uint64_t power_on = 0;                    ///< 2Ah, EBL_CR_POWERON
  std::uint64_t update_revision = 0;             ///< 8Bh
  std::array<std::uint64_t, 2> counters{};       ///< C1h, C2h: 40 bits
  std::array<std::uint64_t, 2> event_selects{};  ///< 186h, 187h
  std::uint64_t debug_control = 0;               ///< 1D9h
  std::array<std::uint64_t, 9> bus_logic{};      ///< 88h to 8Ah, 116h, 118h to 11Bh, 11Eh: BBL_CR

  /// RDMSR, WRMSR: false for #GP (no such register, read-only, reserved bits).
  bool read(std::uint32_t number, std::uint64_t& value) const;
  bool write(std::uint32_t number, std::uint64_t value);

  void archive(Archive& a) {
    a(sysenter_cs, sysenter_esp, sysenter_eip, memory_types, apic_base, power_on, update_revision, counters,
      event_selects, debug_control, bus_logic);
  }
};

}  // namespace planar::cpu
