// SPDX-License-Identifier: GPL-2.0-or-later
// The loop: instruction boundaries, blocks, faults, reset.
#include <algorithm>
#include <utility>

#include "core/cpu/decode/decoder.hpp"
#include "core/cpu/dispatch/chain.hpp"
#include "core/cpu/interpreter/loop_run.hpp"

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
  flush_tlb();
  tlb = host_tlb[0].data();
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
  flag_result = 1;
  flag_aux = 0;
  set_arithmetic(0);
  system_flags = 0;
  for (unsigned s = 0; s < 6; ++s) seg[s] = Segment{};
  for (auto& s : seg) s.derive();
  seg[CS].selector = 0xF000;
  seg[CS].base = 0xFFFF0000u;
  seg[CS].derive();
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

void Engine::update_mode() {
  v86 = protected_mode && (system_flags & flag_vm);
  mode = static_cast<std::uint8_t>((seg[CS].big ? 1 : 0) | (protected_mode ? 2 : 0) | (v86 ? 4 : 0));
  break_loop();
}

std::uint32_t Engine::flags_supported() const {
  std::uint32_t mask = arithmetic_flags | flag_tf | flag_if | flag_df | flag_iopl | flag_nt | flag_rf | flag_vm;
  if (model != Model::i386sx) mask |= flag_ac;
  if (model >= Model::pentium) mask |= flag_id;
  return mask;
}

void Engine::set_eflags(std::uint32_t value, std::uint32_t mask) {
  mask &= flags_supported();
  const std::uint32_t arithmetic_mask = mask & arithmetic_flags, system_mask = mask & ~arithmetic_flags;
  if (arithmetic_mask) set_arithmetic((arithmetic() & ~arithmetic_mask) | (value & arithmetic_mask));
  const std::uint32_t before = system_flags;
  system_flags = (system_flags & ~system_mask) | (value & system_mask);
  const std::uint32_t changed = before ^ system_flags;
  if (!changed) return;
  if (changed & flag_vm) update_mode();
  attention = system_flags & flag_tf ? attention | attend_step : attention & ~attend_step;
  attention = system_flags & flag_rf ? attention | attend_rf : attention & ~attend_rf;
  if (changed & (flag_if | flag_tf | flag_rf)) break_loop();
}

void Engine::lower_horizon(Time horizon) {
  const std::uint64_t at = clock.first_at_or_after(horizon);
  if (at < horizon_clock) horizon_clock = at;
  if (at < stop_at) stop_at = at;
  if (timing.is_p6()) timing.p6().limit_block(at);
}

void Engine::run(Time horizon) {
  running = true;
  forget_loop(*this);  // there has been an event
  horizon_clock = clock.first_at_or_after(horizon);
  while (timing.clocks() < horizon_clock) {
    if (observer) [[unlikely]] {
      step_observed();
      continue;
    }
    stop_at = horizon_clock;
    run_block();
  }
  running = false;
}

// One instruction, with the observers called before it and after it. One that stops the run lowers the horizon.
void Engine::step_observed() {
  stop_at = 0;
  observers.before_step();
  if (timing.clocks() >= horizon_clock) return;
  current_op = nullptr;
  const bool executed = run_block();
  observers.after_step(executed, current_op);
}

void Engine::step() {
  running = true;
  horizon_clock = timing.clocks() + 1;
  if (observer) {
    step_observed();
  } else {
    stop_at = 0;
    run_block();
  }
  running = false;
}

bool Engine::run_block() {
  resumed = false;
  if (attention && !boundary()) return false;
  try {
    execute();
  } catch (const Fault& fault) { take_fault(fault); }
  current_block = nullptr;
  if (step_armed) {
    step_armed = false;
    pending_debug |= 0x4000;
    attention |= attend_debug;
  }
  return true;
}

// Handles everything that waits for an instruction boundary. Returns whether an instruction is to be executed; sets
// stop_at to 0 if only a single one may be. Priorities: 386 PRM section 9.4.
bool Engine::boundary() {
  if (attention & attend_test) {
    if (flush_at_random && flush_random.below(8) == 0) attention |= attend_flush;
  }
  if (attention & attend_flush) {
    attention &= ~attend_flush;
    flush_blocks();
    const std::uint64_t stop = stop_at;
    flush_host_tlb();
    stop_at = stop;
  }
  if (attention & attend_reset) {
    perform_reset();
    return false;
  }
  if (attention & attend_shutdown) {
    wait_halted();
    return false;
  }
  const bool inhibited = attention & attend_inhibit;
  if (!(inhibited && inhibit_all)) {
    if (attention & attend_debug) {
      attention &= ~attend_debug;
      const std::uint32_t bits = pending_debug;
      pending_debug = 0;
      if (bits) {
        forget_loop(*this);
        dr[6] |= bits;
        deliver(Fault{vec_db});
        return false;
      }
    }
    if ((attention & attend_nmi) && !nmi_masked) {
      attention &= ~attend_nmi;
      nmi_masked = true;
      take_interrupt(vec_nmi);
      return false;
    }
    if ((attention & attend_intr) && (system_flags & flag_if) && !inhibited) {
      const Cycle cycle = pins.acknowledge_interrupt(clock.at(timing.cycle_start(true)));
      wait_for(cycle.end);
      take_interrupt(static_cast<std::uint8_t>(cycle.value));
      return false;
    }
  }
  if (attention & attend_halted) {
    wait_halted();
    return false;
  }
  const std::uint32_t before = attention;
  if (inhibited) {
    attention &= ~attend_inhibit;
    stop_at = 0;
  }
  if (before & (attend_breakpoint | attend_step | attend_rf)) {
    if ((before & attend_breakpoint) && !(before & attend_rf)) {
      const std::uint32_t hits = instruction_breakpoints(seg[CS].base + eip);
      if (hits) {
        forget_loop(*this);
        dr[6] |= hits;
        attention &= ~attend_rep;
        deliver(Fault{vec_db});
        return false;
      }
    }
    // RF is in force for one instruction.
    if (before & attend_rf) {
      system_flags &= ~flag_rf;
      attention &= ~attend_rf;
    }
    if (before & attend_step) step_armed = true;
    stop_at = 0;
  }
  resumed = before & attend_rep;
  attention &= ~attend_rep;
  return true;
}

// HLT and shutdown: time passes to the horizon, at which every event that could wake the CPU has fired.
void Engine::wait_halted() {
  const std::uint64_t from = timing.clocks();
  if (horizon_clock > from) {
    timing.jump_to(horizon_clock);
    halted_clocks += timing.clocks() - from;
  }
}

void Engine::take_interrupt(std::uint8_t vector) {
  forget_loop(*this);
  timing.abandon();
  try {
    trace(TraceCategory::irq, now(), "cpu", "interrupt {:02X} at {:04X}:{:08X}", vector, seg[CS].selector, eip);
    interrupt(vector, Source::external, false, 0);
  } catch (const Fault& fault) {
    attention &= ~(attend_rep | attend_halted);
    deliver(fault);
  }
}

void Engine::take_fault(const Fault& fault) {
  forget_loop(*this);
  step_armed = false;
  attention &= ~attend_rep;
  lone_goes_on = false;
  if (!fault.committed) eip -= current_op_length;
  deliver(fault);
}

void Engine::execute() {
  switch (model) {
    case Model::i386sx: execute_blocks<Model::i386sx>(); break;
    case Model::i486sx: execute_blocks<Model::i486sx>(); break;
    case Model::pentium: execute_blocks<Model::pentium>(); break;
    case Model::p6: execute_blocks<Model::p6>(); break;
  }
}

// The block at `linear`, by translation and table, or one of the instruction there alone (lone).
Block* Engine::block_at(std::uint32_t linear) {
  current_op_length = 0;  // faults of the fetch leave EIP where it is
  Block* const known = blocks[block_slot(host_entry(linear).physical + (linear & 0xFFF))];
  if (is_block_at(*known, linear)) return known;
  if (eip > seg[CS].limit) raise(vec_gp, 0);
  const std::uint32_t physical = translate_code(linear);
  if (fetch_across(linear, physical)) return &lone->block;
  const Page& page = space.page(physical);
  Block* const b = page.is_memory() ? find_block(physical) : nullptr;
  if (b && within_code(*b)) return b;
  fetch_alone(linear, physical);
  return &lone->block;
}

// Executes block `b` and those chained after it; false if the last one ended early: at stop_at, or by a fault, which
// has been delivered.
template <Model M>
inline bool Engine::pass_through(Block& b, bool goes_on) {
  current_block = &b;
  block_eip = eip;
  const Op& first = *b.ops;
  try {
    if constexpr (M == Model::i386sx) {
      if (!goes_on) timing.of<M>().begin(first, b.physical);
      first.chained(*this, first);
    } else if constexpr (M == Model::p6) {
      current_op = &first;
      if (!goes_on && &b != &lone->block) timing.p6().enter(b.of_p6, b.ops, b.physical, stop_at);
      run_unplanned<M>(goes_on);
      timing.p6().leave();
    } else if (!goes_on && timing.clocks() + b.plan.reach < stop_at && enter_plan<M>(b)) [[likely]] {
      planned = true;
      first.chained(*this, first);
    } else if (goes_on) {
      lines->go_on_with(*this, first);
    } else {
      lines->enter(*this, first);
    }
  } catch (const Fault& fault) {
    if constexpr (M == Model::p6) timing.p6().leave();
    settle_chain();
    leave_block(false);
    if (!fault.committed) eip = block_eip + current_op->after;  // in a chain EIP is not kept up to date
    current_op_length = current_op->length;
    take_fault(fault);
    return false;
  }
  settle_chain();
  if (attention & attend_rep) [[unlikely]]
    lone_goes_on = current_block == &lone->block;
  if (current_op->edge != Op::Edge::end) [[unlikely]] {
    leave_block(true);
    return false;
  }
  instructions += current_block->count;
  return true;
}

// A REP instruction that was cut by the end of a time slice goes on.
template <Model M>
void Engine::resume() {
  Block* const b = std::exchange(lone_goes_on, false) ? &lone->block : block_at(seg[CS].base + eip);
  if (!b->ops->rep && !b->ops->repne) resumed = false;  // the code has changed since
  pass_through<M>(*b, resumed);
}

// Block after block until the clock reaches stop_at, something must be handled at a boundary, or a fault has been
// delivered. What changes the code segment, the mode or the privilege on the way sets stop_at to 0 (update_mode).
template <Model M>
void Engine::execute_blocks() {
  enter_link_context();
  if (resumed) [[unlikely]]
    return resume<M>();
  Block::Link* link = &no_block.links[0];
  do {
    const std::uint32_t linear = seg[CS].base + eip;
    Block* b = link->to;
    if (!holds(*link, linear)) [[unlikely]] {
      b = block_at(linear);
      if (b == &lone->block)
        forget_loop(*this);
      else
        *link = {link_key(linear), host_entry(linear).code(), b};
    }
    if constexpr (M == Model::p6)
      if (b != &lone->block && loop_watch.due(eip)) [[unlikely]]
        watch_loop(*this, *b);
    if (!pass_through<M>(*b, false)) return;
    link = &current_block->links[branched()];
  } while (timing.clocks() < stop_at && !attention);
}

// Links are made only to blocks within the segment's limit: another limit or base ends them all.
inline void Engine::enter_link_context() {
  const bool limited = seg[CS].limit != 0xFFFFFFFFu;
  if (seg[CS].limit != linked_limit || (limited && seg[CS].base != linked_base)) {
    linked_limit = seg[CS].limit;
    linked_base = seg[CS].base;
    forget_links();
  }
  code_context = (code_context & ~(link_age - 1)) | std::uint64_t{mode | cpl << 4} << 32;
}

// The block ends early after current_op, whether that has been executed or has faulted.
void Engine::leave_block(bool executed) {
  if (current_op->edge != Op::Edge::end) leave_plan(current_op + 1);
  instructions += static_cast<std::uint64_t>(current_op - current_block->ops) + executed;
}

}  // namespace planar::cpu
