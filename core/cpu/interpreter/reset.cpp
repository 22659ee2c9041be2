// SPDX-License-Identifier: GPL-2.0-or-later
// A processor's state when it is constructed, and after RESET.
#include <algorithm>

#include "core/cpu/engine/engine.hpp"

namespace planar::cpu {

Engine::Engine(Scheduler& scheduler_, AddressSpace& space_, Pins& pins_, Trace& trace_, const CpuConfig& config_)
    // clang-format off
    : timing(config_.timing), scheduler(scheduler_), space(space_), pins(pins_), trace(trace_), config(config_),
      clock(config_.clock), model(config_.model) {
  // clang-format on
  // The 386SX has 24 address lines.
  address_lines = model == Model::i386sx ? 0x00FFFFFFu : 0xFFFFFFFFu;
  address_mask = address_lines;
  data_tlb.sets = model >= Model::pentium ? 16 : 8;
  code_tlb.sets = 8;
  large_tlb.sets = 2;
  large_tlb.shift = ModelTlb::large_page_shift;
  large_code_tlb.sets = 1;
  large_code_tlb.ways = 2;
  large_code_tlb.shift = ModelTlb::large_page_shift;
  if (timing.has_cache()) timing.cached().attach(l0);
  no_block.links.fill(no_link());
  blocks.assign(block_slots, &no_block);
  do_reset();
}

std::uint32_t Engine::signature() const {
  if (config.signature != 0) return config.signature;
  switch (model) {
    case Model::i386sx: return i386sx_signature;
    case Model::i486sx: return i486sx_signature;
    case Model::pentium: return pentium_signature;
    case Model::p6: return p6_signature;
  }
  return 0;
}

// Register values at reset: 386 PRM chapter 10, 486 and Pentium manuals. EDX holds the signature.
void Engine::do_reset() {
  for (auto& r : gpr) r = 0;
  gpr[EDX] = signature();
  eip = 0xFFF0;
  set_arithmetic(0);
  system_flags = 0;
  seg.fill({});
  seg[CS].selector = 0xF000;
  seg[CS].base = 0xFFFF0000u;
  cr0 = model == Model::i386sx ? 0 : cr0_et | cr0_cd | cr0_nw;
  cr2 = cr3 = cr4 = 0;
  dr.fill(0);
  dr[6] = 0xFFFF0FF0u;
  tr.fill(0);
  msr.fill(0);
  p6 = {};
  gdt_base = idt_base = 0;
  gdt_limit = 0xFFFF;
  idt_limit = 0x03FF;
  ldt = Segment{};
  ldt.access = 0x82;
  task = Segment{};
  task.access = 0x8B;
  if (fpu.error_line) pins.fpu_error(false, now());
  fpu = Fpu{};
  protected_mode = v86 = false;
  nmi_masked = false;
  inhibit_all = step_armed = false;
  pending_debug = 0;
  lone_goes_on = false;
  fast_data = true;
  attention &= attend_intr | attend_flush | attend_test;
  set_cpl(0);
  set_dr7(0);
  flush_tlb();
  timing.set_cache_enabled(model == Model::i386sx);
  timing.set_memory_types(p6.memory_types);
  timing.flush_caches();
  timing.interrupt_flush();
  if (accounting) accounting->interrupted();
  tsc_offset = 0 - timing.clocks();
  update_mode();
}

void Engine::reset(Time at) {
  const std::uint64_t edge = clock.first_at_or_after(at);
  reset_clock = std::max(reset_clock, edge);
  if (running) {
    attend(attend_reset);
  } else {
    perform_reset();
  }
}

void Engine::perform_reset() {
  attention &= ~(attend_reset | attend_halted | attend_shutdown | attend_nmi);
  timing.jump_to(reset_clock);
  reset_clock = 0;
  do_reset();
}

}  // namespace planar::cpu
