// SPDX-License-Identifier: GPL-2.0-or-later
// The processor's part of a snapshot: architectural and timing state, but none of the host's caches.
#include <algorithm>

#include "core/cpu/decode/decoder.hpp"

namespace planar::cpu {

namespace {
void archive_segment(Archive& a, Segment& s) {
  a(s.selector, s.access, s.big, s.base, s.limit);
  if (a.loading()) s.derive();
}
}  // namespace

void Engine::archive_p6(Archive& a) {
  a.section("p6", 1);
  a(p6, large_code_tlb);
  for (ModelTlb* t : {&data_tlb, &code_tlb, &large_tlb, &large_code_tlb})
    for (TlbEntry& e : t->entries) a(e.global);
}

void Engine::archive(Archive& a) {
  a.section("cpu", 2);
  for (unsigned r = 0; r < 8; ++r) a(gpr[r]);
  std::uint32_t arithmetic_bits = arithmetic();
  std::uint32_t level = cpl;
  a(eip, arithmetic_bits, system_flags, level, cr0, cr2, cr3, cr4, dr, tr, gdt_base, idt_base, gdt_limit, idt_limit,
    msr, tsc_offset, fpu);
  for (Segment& s : seg) archive_segment(a, s);
  archive_segment(a, ldt);
  archive_segment(a, task);
  std::uint32_t waiting = attention & ~(attend_flush | attend_test);
  std::uint8_t lone_length = lone_goes_on ? lone->op.length : 0;
  std::uint32_t lone_physical = lone_goes_on ? lone->block.physical : 0;
  std::array<std::uint8_t, 16> lone_bytes{};
  std::copy_n(lone->bytes.begin(), lone_length, lone_bytes.begin());
  a(waiting, nmi_masked, inhibit_all, pending_debug, reset_clock, lone_goes_on, lone_length, lone_bytes, lone_physical,
    instructions, halted_clocks, a20);
  a(data_tlb, code_tlb, large_tlb);
  if (model == Model::p6) archive_p6(a);
  if (a.loading()) timing.set_memory_types(p6.memory_types);
  timing.archive(a);
  if (!a.loading()) return;

  halted_from = halted_until = timing.clocks();
  set_arithmetic(arithmetic_bits);
  attention = waiting | (attention & attend_test);
  address_mask = a20 ? address_lines : address_lines & ~(1u << 20);
  protected_mode = cr0 & cr0_pe;
  set_cpl(level & 3);
  update_mode();
  set_dr7(dr[7]);
  flush_host_tlb();
  flush_blocks();
  lone->bytes = lone_bytes;
  if (lone_goes_on) lone_goes_on = decode({lone_bytes.data(), lone_length & 15u}, decode_mode(), lone->op);
  if (lone_goes_on) make_lone_block(*lone, seg[CS].base + eip, lone_physical);
}

}  // namespace planar::cpu
