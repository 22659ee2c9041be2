// SPDX-License-Identifier: GPL-2.0-or-later
// Predicates used by runner.cpp (order of execution) and compare.cpp (what must be equal).
#pragma once

#include "tests/lockstep/harness/runner.hpp"

namespace planar::lockstep {

inline constexpr std::uint32_t flag_rf = 0x10000, flag_vm = 0x20000, flag_ac = 0x40000, flag_vif = 0x80000,
                               flag_vip = 0x100000, flag_id = 0x200000;

inline bool same_segment(const cpu::SegmentView& a, const cpu::SegmentView& b) {
  return a.selector == b.selector && a.base == b.base && a.limit == b.limit && a.access == b.access && a.big == b.big;
}
inline bool same_table(const cpu::TableView& a, const cpu::TableView& b) {
  return a.base == b.base && a.limit == b.limit;
}

/// State that ordinary instructions do not change.
inline bool same_system(const Registers& a, const Registers& b) {
  for (unsigned s = 0; s < 6; ++s)
    if (!same_segment(a.segment[s], b.segment[s])) return false;
  return same_segment(a.ldtr, b.ldtr) && same_segment(a.tr, b.tr) && same_table(a.gdtr, b.gdtr) &&
         same_table(a.idtr, b.idtr) && a.cr0 == b.cr0 && a.cr2 == b.cr2 && a.cr3 == b.cr3 && a.cr4 == b.cr4 &&
         a.dr == b.dr && a.cpl == b.cpl;
}

/// Stores more than one operand: the memory contents after a fault in the middle are specific to the chip.
inline bool several_stores(const Form& f) {
  return f.opcode == 0x60 || f.opcode == 0x0F01 || f.kind == Kind::enter || f.kind == Kind::far_pointer ||
         f.kind == Kind::far_indirect || f.kind == Kind::image || (f.kind == Kind::fpu && f.memory_form());
}
inline bool in_memory(const Store& s) { return s.address < memory_bytes && s.bytes <= memory_bytes - s.address; }
inline bool names_sysenter_register(std::uint32_t msr) { return msr >= sysenter_cs && msr <= sysenter_eip; }
inline bool is_far(Kind k) { return k == Kind::far_pointer || k == Kind::far_indirect || k == Kind::return_far; }

}  // namespace planar::lockstep
