// SPDX-License-Identifier: GPL-2.0-or-later
// The ways through a block and out of it: by plan (chain.hpp) and by steps (step.hpp).
#include "core/cpu/dispatch/step.hpp"

namespace planar::cpu {

// Behind `op`, in front of another code line: whether the plan goes on to hold. If not, the rest of the block has run.
inline bool Engine::cross_line(const Op& op) {
  current_op = &op + 1;
  if (timing.plan_holds_behind(current_block->plan, op)) return true;
  planned = false;
  timing.leave_plan(current_block->plan, current_op);
  run_unplanned<Model::pentium>(false);
  return false;
}

// With stop_at near: the block from current_op on, looking at the clock behind each instruction.
void Engine::run_singly() {
  for (;;) {
    const Op& op = *current_op;
    timing.begin_planned(op);
    if (op.edge == Op::Edge::end) timing.finish_plan(current_block->plan);
    eip = block_eip + op.behind;
    op.execute(*this, op);
    if (op.edge == Op::Edge::end || timing.clocks() >= stop_at) return;
    if (op.edge == Op::Edge::none)
      ++current_op;
    else if (!cross_line(op))
      return;
  }
}

void Engine::go_on_singly(const Op& op) {
  if (timing.clocks() >= stop_at) return;
  current_op = &op + 1;
  run_singly();
}

namespace {
void as_selected(Engine& c, const Op& op) { op.execute(c, op); }
}  // namespace

void chain_selected(Engine& c, const Op& op) { return chain_any<as_selected>(c, op); }
void chain_selected_edge(Engine& c, const Op& op) { return chain_any_edge<as_selected>(c, op); }
void chain_selected_last(Engine& c, const Op& op) {
  c.timing.finish_plan(c.current_block->plan);
  c.begin_chained(op);
  op.execute(c, op);
  return c.chain_to_next(c.branched());
}

void step_selected(Engine& c, const Op& op) { return step<as_selected>(c, op); }
void step_selected_last(Engine& c, const Op& op) { return step_last<as_selected>(c, op); }

// The 386SX's way out of a block in front of its end. Where one that is not quiet has put EIP it stays: a REP that was
// cut points at itself.
void Engine::stop_behind(const Op& op) {
  if (op.quiet) arrive_at(op);
}

void Engine::cross_line_in_chain(const Op& op) {
  if (timing.clocks() >= stop_at || !cross_line(op)) return;
  if (timing.clocks() + (&op)[1].ahead < stop_at) return chain_on(*this, op);
  run_singly();  // the next one has been fetched and must run
}

void Engine::chain_branch_as_new(const Op& op, bool taken, std::uint32_t target) {
  timing.branch(op, taken, target);
  return chain_to_next(taken);
}

// The Pentium's way into the block in progress where nothing is known yet, or stop_at is near.
void Engine::enter_slowly(const Op& first, bool goes_on) {
  planned = !goes_on && timing.enter_plan(current_block->plan);
  if (planned && timing.clocks() + first.ahead < stop_at) return first.chained(*this, first);
  current_op = &first;
  if (planned) return run_singly();
  run_unplanned<Model::pentium>(goes_on);
}

}  // namespace planar::cpu
