// SPDX-License-Identifier: GPL-2.0-or-later
// CR0 as programs see it: docs/hardware/processors.md#cr0-and-the-machine-status-word
#pragma once

#include <cstdint>

#include "core/cpu/x86/architecture.hpp"
#include "core/cpu/x86/model.hpp"

namespace planar::cpu {

/// The value of Engine::cr0 after `v` is written: the bits that can be changed and, from the 486 on, ET, which is
/// hard-wired.
inline constexpr std::uint32_t written_cr0(std::uint32_t v, Model model) {
  v &= cr0_pe | cr0_mp | cr0_em | cr0_ts | cr0_ne | cr0_wp | cr0_am | cr0_nw | cr0_cd | cr0_pg;
  return model == Model::i386sx ? v & (cr0_pe | cr0_mp | cr0_em | cr0_ts | cr0_pg) : v | cr0_et;
}

/// As MOV and SMSW read it: on a 386SX, all other bits except bit 16 read as 1.
inline constexpr std::uint32_t read_cr0(std::uint32_t cr0, Model model) {
  return model == Model::i386sx ? cr0 | 0x7FFEFFF0u : cr0;
}

}  // namespace planar::cpu
