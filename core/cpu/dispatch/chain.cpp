// SPDX-License-Identifier: GPL-2.0-or-later
// The paths through a block and out of it: by plan (chain.hpp) and by steps (step.hpp).
#include <utility>

#include "core/cpu/dispatch/step.hpp"

namespace planar::cpu {

// The plan in force ends before `next`, before its own end: records what its instructions leave in the processor.
void Engine::leave_plan(const Op* next) {
  if (model == Model::i486sx) {
    if (planned) timing.i486sx().finish_plan(next[-1]);
  } else if (planned) {
    timing.pentium().leave_plan(current_block->plan, next);
  } else if (cold_from != nullptr) {
    const Op* const from = std::exchange(cold_from, nullptr);
    timing.pentium().leave_cold_line(from, next,
                                     current_block->plan.eip + from->after - from->length);  // the block may be gone
  }
  planned = false;
}

// The block might not end before stop_at: from here on the clock is compared after each instruction.
void Engine::chain_near_deadline(const Op& op) {
  if (timing.clocks() < stop_at) lines->leave(*this, op);
}

namespace {
void as_selected(Engine& c, const Op& op) { op.execute(c, op); }
}  // namespace

void chain_selected(Engine& c, const Op& op) { return chain_any<as_selected>(c, op); }
template <Model M>
void chain_selected_last(Engine& c, const Op& op) {
  c.begin_chained(op);
  if (M == Model::pentium && c.planned)
    c.timing.pentium().finish_plan(c.current_block->plan);
  else
    c.finish_plan<M>(op);
  op.execute(c, op);
  return c.chain_to_next<M>(c.branched());
}
template void chain_selected_last<Model::i486sx>(Engine&, const Op&);
template void chain_selected_last<Model::pentium>(Engine&, const Op&);

void step_selected(Engine& c, const Op& op) { return step<as_selected>(c, op); }
void step_selected_last(Engine& c, const Op& op) { return step_last<as_selected>(c, op); }

// `next` begins after an instruction of its block, and the queue is not known to hold it.
void Engine::step_in_row(const Op& next) {
  if (!timing.i386sx().begin_in_row(next)) [[unlikely]]
    return step_in_new_row(next);
  return next.chained(*this, next);
}
void Engine::step_in_new_row(const Op& next) {
  timing.i386sx().begin_in_new_row(next);
  return next.chained(*this, next);
}

// After a block's last instruction: enters the block where execution continues, as chain_to_next() does.
void Engine::step_to_next() {
  if (timing.clocks() >= stop_at) [[unlikely]]
    return;
  const Block::Link& link = current_block->links[branched()];
  if (!holds(link, seg[CS].base + eip) || !enter_block(*link.to)) [[unlikely]]
    return;
  Timing386sx& i386sx = timing.i386sx();
  const Op& first = *link.to->ops;
  if (!i386sx.goes_on_at(link.to->physical)) return step_afresh(first);
  if (!i386sx.begin_from_queue(first)) return step_in_row(first);
  return first.chained(*this, first);
}
void Engine::step_afresh(const Op& first) {
  timing.i386sx().begin_afresh(first, current_block->physical);
  return first.chained(*this, first);
}

// The 386SX leaves a block before its end. Where an instruction that is not register-only has set EIP, EIP stays: a REP
// that was cut points at itself.
void Engine::stop_after(const Op& op) {
  if (op.register_only) arrive_at(op);
}

// After a near branch of the Pentium that may not have gone as predicted.
void Engine::chain_branch_unpredicted(const Op& op, bool taken, std::uint32_t target) {
  if (!timing.pentium().branch_near(op, taken, target)) [[unlikely]]
    return chain_branch_after_prefetch(op, target);
  return chain_to_next<Model::pentium>(taken);
}
void Engine::chain_branch_after_prefetch(const Op& op, std::uint32_t target) {
  timing.pentium().branch_after_prefetch(op, target);
  return chain_to_next<Model::pentium>(true);
}

void Engine::chain_branch_after_prefetch_486() {
  timing.i486sx().branch_after_prefetch();
  return chain_to_next<Model::i486sx>(true);
}

// Enters a block that might not end before stop_at.
template <Model M>
void Engine::chain_to_last(Block& b) {
  if (timing.clocks() < stop_at && enter_block(b)) return lines->enter(*this, *b.ops);
}
template void Engine::chain_to_last<Model::i486sx>(Block&);
template void Engine::chain_to_last<Model::pentium>(Block&);

// `link` does not hold: enters the block where execution continues, if there is one already.
template <Model M>
void Engine::chain_elsewhere(Block::Link& link) {
  const std::uint32_t linear = seg[CS].base + eip;
  const HostTlbEntry& e = host_entry(linear);
  Block* const b = blocks[block_slot(e.physical + (linear & 0xFFF))];
  if (!is_block_at(*b, linear)) return;
  link = {link_key(linear), e.code(), b};
  return chain_to<M>(*b);
}
template void Engine::chain_elsewhere<Model::i486sx>(Block::Link&);
template void Engine::chain_elsewhere<Model::pentium>(Block::Link&);

}  // namespace planar::cpu
