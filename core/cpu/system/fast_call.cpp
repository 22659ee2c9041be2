// SPDX-License-Identifier: GPL-2.0-or-later
// SYSENTER and SYSEXIT: switch between rings 3 and 0 with flat segments, without reading descriptor tables. Intel
// Architecture Software Developer's Manual volume 2 (243191).
#include "core/cpu/system/system_instructions.hpp"

namespace planar::cpu {

namespace {

Segment flat(std::uint32_t selector, unsigned type, unsigned dpl) {
  Segment s;
  s.selector = static_cast<std::uint16_t>(selector);
  s.access = static_cast<std::uint8_t>(0x90 | dpl << 5 | type);
  s.big = true;
  s.limit = 0xFFFFFFFFu;
  s.derive();
  return s;
}

/// The code segment's selector in ring 0; the other three follow it in the table.
std::uint32_t first_selector(const Engine& c) {
  const std::uint32_t selector = c.p6.sysenter_cs & 0xFFFC;
  if (!c.protected_mode || selector == 0) raise(vec_gp, 0);
  return selector;
}

void enter_ring(Engine& c, std::uint32_t code, unsigned ring, std::uint32_t eip, std::uint32_t esp) {
  c.seg[CS] = flat(code | ring, 0x0B, ring);        // readable code, accessed
  c.seg[SS] = flat((code + 8) | ring, 0x03, ring);  // writable data, accessed
  c.eip = eip;
  c.gpr[ESP] = esp;
  c.set_cpl(ring);
  c.update_mode();
}

}  // namespace

void sysenter(Engine& c, const Op&) {
  const std::uint32_t code = first_selector(c);
  c.set_eflags(0, flag_vm | flag_if | flag_rf);
  enter_ring(c, code, 0, c.p6.sysenter_eip, c.p6.sysenter_esp);
}

void sysexit(Engine& c, const Op&) {
  const std::uint32_t code = first_selector(c);
  c.require_cpl0();
  enter_ring(c, code + 16, 3, c.gpr[EDX], c.gpr[ECX]);
}

}  // namespace planar::cpu
