// SPDX-License-Identifier: GPL-2.0-or-later
// The loop: from boundary to boundary, and through blocks.
#include <utility>

#include "core/cpu/dispatch/chain.hpp"
#include "core/cpu/interpreter/loop_run.hpp"

namespace planar::cpu {

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

// One instruction, with the observers called before and after it. An observer that stops the run lowers the horizon.
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

void Engine::execute() {
  switch (model) {
    case Model::i386sx: execute_blocks<Model::i386sx>(); break;
    case Model::i486sx: execute_blocks<Model::i486sx>(); break;
    case Model::pentium: execute_blocks<Model::pentium>(); break;
    case Model::p6: execute_blocks<Model::p6>(); break;
  }
}

// The block at `linear`, by translation and table, or a block with only the instruction there (lone).
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

// Executes the block in progress on the P6, from current_op on; `begun`: it has already begun. Leaves current_op at the
// last instruction executed. Instructions about which the timing of a known block asks no question are only executed.
inline void Engine::run_on_p6(bool begun) {
  TimingP6& p6 = timing.p6();
  const std::uint32_t start = block_eip, physical = current_block->physical;
  for (const Op* op = current_op;; current_op = op) {
    if (!begun) [[likely]]
      p6.begin(*op, physical + op->after - op->length);
    begun = false;
    eip = start + op->after;
    op->execute(*this, *op);
    if (!(attention & attend_rep)) p6.end();  // a suspended REP will resume
    if (op->edge == Op::Edge::end || timing.clocks() >= stop_at) return;
    ++op;
    if (!op->asks_nothing || !p6.follows()) continue;
    for (const unsigned asks = p6.next_to_ask(); op->asks_nothing && op->after != asks; ++op) op->execute(*this, *op);
  }
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
      run_on_p6(goes_on);
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
    if (!fault.committed) eip = block_eip + current_op->after;  // EIP is not kept up to date within a chain
    current_op_length = current_op->length;
    take_fault(fault);
    return false;
  }
  if constexpr (M != Model::p6) settle_chain();
  if (attention & attend_rep) [[unlikely]]
    lone_goes_on = current_block == &lone->block;
  if (current_op->edge != Op::Edge::end) [[unlikely]] {
    leave_block(true);
    return false;
  }
  instructions += current_block->count;
  return true;
}

// Resumes a REP instruction that the end of a time slice suspended.
template <Model M>
void Engine::resume() {
  Block* const b = std::exchange(lone_goes_on, false) ? &lone->block : block_at(seg[CS].base + eip);
  if (!b->ops->rep && !b->ops->repne) resumed = false;  // the code has changed since
  pass_through<M>(*b, resumed);
}

// Executes block after block until the clock reaches stop_at, something must be handled at a boundary, or a fault has
// been delivered. Anything that changes the code segment, the mode or the privilege sets stop_at to 0 (update_mode).
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
      if (b != &lone->block) *link = {link_key(linear), host_entry(linear).code(), b};
    }
    if constexpr (M == Model::p6)
      if (loop_watch.due(eip)) [[unlikely]]
        watch_loop(*this, *b);
    if (!pass_through<M>(*b, false)) return;
    link = &current_block->links[branched()];
  } while (timing.clocks() < stop_at && !attention);
}

// Links are made only to blocks within the segment's limit: another limit or base invalidates them all.
inline void Engine::enter_link_context() {
  const bool limited = seg[CS].limit != 0xFFFFFFFFu;
  if (seg[CS].limit != linked_limit || (limited && seg[CS].base != linked_base)) {
    linked_limit = seg[CS].limit;
    linked_base = seg[CS].base;
    forget_links();
  }
  code_context = (code_context & ~(link_age - 1)) | std::uint64_t{mode | cpl << 4} << 32;
}

// The block ends early after current_op, which has been executed (`executed`) or has faulted.
void Engine::leave_block(bool executed) {
  if (current_op->edge != Op::Edge::end) leave_plan(current_op + 1);
  instructions += static_cast<std::uint64_t>(current_op - current_block->ops) + executed;
}

}  // namespace planar::cpu
