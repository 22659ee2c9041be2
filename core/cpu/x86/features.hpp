// SPDX-License-Identifier: GPL-2.0-or-later
// Features by processor, under the names by which CPUID announces them. Opcodes introduced by the P6 are the decoder's
// topics in capitals; anything else that depends on a feature calls these functions instead of testing the model. The
// P6 is a Pentium II (Deschutes) or III, of its first stepping or a later one.
#pragma once

#include <cstdint>

#include "core/cpu/x86/architecture.hpp"
#include "core/cpu/x86/model.hpp"

namespace planar::cpu {

/// CMOVcc; with an x87 also FCMOVcc, FCOMI and FUCOMI.
constexpr bool has_cmov(Model m) { return m >= Model::p6; }
/// MMX.
constexpr bool has_mmx(Model m) { return m >= Model::p6; }
/// FXSAVE, FXRSTOR and CR4.OSFXSR: from the second Pentium II (Deschutes) on.
constexpr bool has_fxsr(Model m) { return m >= Model::p6; }
/// PREFETCHh fetches, from the first Pentium III (Katmai, model 7) on; before that it is a hint without effect.
constexpr bool has_prefetch(std::uint32_t signature) {
  return (signature >> 8 & 0xF) == 6 && (signature >> 4 & 0xF) >= 7;
}
/// SYSENTER, SYSEXIT.
constexpr bool has_sysenter(Model m) { return m >= Model::p6; }
/// Global pages and CR4.PGE.
constexpr bool has_global_pages(Model m) { return m >= Model::p6; }
/// Memory type range registers.
constexpr bool has_mtrr(Model m) { return m >= Model::p6; }
/// A separate TLB for code in 4 MB pages; the Pentium holds such code as 4 KB fragments.
constexpr bool has_large_code_tlb(Model m) { return m >= Model::p6; }

/// The bits of CR4 that can be set; setting any other raises #GP(0).
constexpr std::uint32_t cr4_supported(Model m) {
  if (m < Model::pentium) return 0;
  if (m == Model::pentium) return cr4_tsd | cr4_de | cr4_pse | cr4_mce;
  return cr4_tsd | cr4_de | cr4_pse | cr4_pge | cr4_pce | cr4_osfxsr;
}

}  // namespace planar::cpu
