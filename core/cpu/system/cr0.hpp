// SPDX-License-Identifier: GPL-2.0-or-later
// CR0 as programs see it: docs/hardware/processors.md#cr0-and-the-machine-status-word
#pragma once

#include <cstdint>

#include "core/cpu/architecture.hpp"
#include "core/cpu/model.hpp"

namespace planar::cpu {

/// The bits that a program can change, and those that read as ones whatever is written.
struct Cr0Bits {
  std::uint32_t writable, ones;
};
inline constexpr Cr0Bits cr0_bits(Model model) {
  if (model == Model::i386sx) return {cr0_pe | cr0_mp | cr0_em | cr0_ts | cr0_pg, 0x7FFEFFF0u};
  return {cr0_pe | cr0_mp | cr0_em | cr0_ts | cr0_ne | cr0_wp | cr0_am | cr0_nw | cr0_cd | cr0_pg, cr0_et};
}

/// The register as MOV and SMSW read it; Engine::cr0 holds only the bits that can be changed.
inline constexpr std::uint32_t read_cr0(std::uint32_t cr0, Model model) { return cr0 | cr0_bits(model).ones; }

}  // namespace planar::cpu
