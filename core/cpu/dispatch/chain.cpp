// SPDX-License-Identifier: GPL-2.0-or-later
// The ways through a block and out of it: by plan (chain.hpp).
#include "core/cpu/dispatch/chain.hpp"

namespace planar::cpu {

// Behind `op`: the rest of the block runs without a plan.
void Engine::leave_chain(const Op& op) {
  current_op = &op + 1;
  planned = false;
  timing.pentium().leave_plan(current_block->plan, current_op);
  run_unplanned<Model::pentium>(false);
}

// The Pentium's: code line by code line, for of a new one it is known beforehand what its instructions cost.
void Engine::run_lines(bool begun) {
  const std::uint32_t start = block_eip, physical = current_block->physical;
  const IssuePlan& plan = current_block->plan;
  TimingPentium& pentium = timing.pentium();
  for (const Op* op = current_op;; current_op = ++op) {
    std::uint32_t at = physical + op->behind - op->length;
    if (!begun && pentium.enter_cold_line(plan, *op, at)) {
      for (cold_from = op;; current_op = ++op) {
        pentium.begin_cold(*op);
        if (op->edge != Op::Edge::none) {
          pentium.finish_cold_line(plan);
          cold_from = nullptr;
        }
        eip = start + op->behind;
        op->execute(*this, *op);
        if (op->edge == Op::Edge::end || timing.clocks() >= stop_at) return;
        if (op->edge == Op::Edge::line) break;
      }
    } else {
      for (;; at = physical + op->behind, current_op = ++op) {
        if (!begun) [[likely]]
          pentium.begin(*op, at);
        begun = false;
        eip = start + op->behind;
        op->execute(*this, *op);
        if (op->edge == Op::Edge::end || timing.clocks() >= stop_at) return;
        if (op->edge == Op::Edge::line) break;
      }
    }
  }
}

// The block may not end before stop_at: from here on the clock is compared behind each instruction.
void Engine::chain_near_deadline(const Op& op) {
  if (timing.clocks() < stop_at) leave_chain(op);
}

namespace {
void as_selected(Engine& c, const Op& op) { op.execute(c, op); }
}  // namespace

void chain_selected(Engine& c, const Op& op) { return chain_any<as_selected>(c, op); }
void chain_selected_edge(Engine& c, const Op& op) { return chain_any_edge<as_selected>(c, op); }
void chain_selected_last(Engine& c, const Op& op) {
  c.timing.pentium().finish_plan(c.current_block->plan);
  c.begin_chained(op);
  op.execute(c, op);
  return c.chain_to_next(c.branched());
}

// In front of another code line. Once that has been fetched, the next instruction runs whatever the clock says.
void Engine::cross_line_in_chain(const Op& op) {
  if (timing.clocks() >= stop_at) return;
  const bool holds = timing.pentium().plan_holds_behind(current_block->plan, op);
  if (holds && timing.clocks() + (&op)[1].pentium.ahead < stop_at) return chain_on(*this, op);
  leave_chain(op);
}

void Engine::chain_branch_unpredicted(const Op& op, bool taken, std::uint32_t target) {
  timing.branch(op, taken, target);
  return chain_to_next(taken);
}

void Engine::chain_renewed(Block::Link& link) {
  if (renew(link, seg[CS].base + eip)) return chain_to(*link.to);
}

// The Pentium's way into the block in progress where nothing is known yet, or stop_at is near.
void Engine::enter_slowly(const Op& first, bool goes_on) {
  const auto in_time = [&] { return timing.clocks() + first.pentium.ahead < stop_at; };
  planned = !goes_on && in_time() && timing.pentium().enter_plan(current_block->plan) && in_time();
  if (planned) return first.chained(*this, first);
  current_op = &first;
  run_unplanned<Model::pentium>(goes_on);
}

}  // namespace planar::cpu
