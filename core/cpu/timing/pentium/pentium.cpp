// SPDX-License-Identifier: GPL-2.0-or-later
// The Pentium (P5, P54C): two pipes, split caches, branch prediction with its habits.
//
// Pairing is carried from instruction to instruction, and planned for a block where possible: issue.hpp. Flags never
// prevent a pair (CMP + Jcc pairs); ESP changes implied by PUSH, POP, CALL and RET do not either and cause no
// interlock.
//
// Prediction: the buffer is looked up with the issue before the branch (btb.hpp). A prediction that says "taken" turns
// the prefetcher to its other queue, and it can do so only every second clock [I]; while the pipeline refills after a
// misprediction it cannot at all, so that a branch in the first issue behind one falls through in the processor's eyes
// [S]. Either way the branch costs the penalty of a misprediction. A loop of a single one-clock issue therefore never
// gets predicted, however well the buffer knows it (Linux's dec/jns: 1 + 4 = 5 clocks, the 0.40 BogoMIPS a MHz of the
// class), while a loop of two issues does.
// Penalties: 3 clocks, 4 for a conditional branch in V (docs/hardware/processors.md#pentium-branch-prediction).
//
// Not modelled: cache bank conflicts within a pair, stores into a line of the code cache (self-modifying code costs
// nothing extra), write-once (first store to a clean line), snoop stalls, FXCH pairing and x87 overlap.
#include "core/cpu/timing/common/instruction_table.hpp"
#include "core/cpu/timing/timing.hpp"

namespace planar::cpu {
void Timing::forget_marks(std::size_t slot) {
  marks_[slot] = 0;
  if (slot != mark_slot_) return;
  // The line that executes was displaced; what executes now comes from the prefetch buffer.
  mark_slot_ = static_cast<std::uint32_t>(marks_.size() - 1);
  marks_[mark_slot_] = 0;
}

void Timing::fetch_pentium(std::uint32_t eip, std::uint32_t last_line) {
  const std::uint32_t first_line = eip & line_mask_;
  if (first_line != code_line_) enter_line(first_line);
  if (last_line != first_line) enter_line(last_line);
  code_line_ = last_line;
  TagCache& cache = code_cache();
  // Uncached code has the spare slot behind the cache's lines.
  mark_slot_ = static_cast<std::uint32_t>(cache.in_mru_way(last_line) ? cache.slot(last_line) : cache.lines());
}

bool Timing::fetch_planned(const IssuePlan& plan, unsigned number, std::uint32_t line) {
  const bool two_lines = number == 0 && plan.crosses;
  if (line != code_line_) fetch_pentium(two_lines ? plan.eip : line, line);
  if ((marks_[mark_slot_] & plan.marks[number]) != plan.marks[number]) return false;
  const TagCache& cache = code_cache();
  if (&cache == &code_ && !two_lines && cache.in_mru_way(line) && cache.in_mru_way(line + cache.line()))
    plan.memos[number] = {cache.changes(), static_cast<std::uint32_t>(cache.slot(line))};
  return true;
}

bool Timing::enter_plan(const IssuePlan& plan) { return pipes_suit(plan) && fetch_planned(plan, 0, plan.first_line); }
bool Timing::plan_holds_behind(const IssuePlan& plan, const Op& op) {
  return fetch_planned(plan, op.line_behind, line_behind(plan, op));
}

void Timing::plan(Op* ops, unsigned count, std::uint32_t eip, IssuePlan& plan) const {
  plan = IssuePlan{};
  plan.first = ops;
  plan.eip = eip;
  plan.first_line = (eip + ops[0].length - 1) & line_mask_;
  plan.crosses = (eip & line_mask_) != plan.first_line;
  unsigned issues = 0;
  for (Op* op = ops; op != ops + count; eip += op->length, ++op) {
    const auto line = static_cast<std::uint8_t>(line_number(eip + op->length - 1) - line_number(plan.first_line));
    if (op != ops) {
      if (line != op[-1].line_behind) op[-1].edge = Op::Edge::line;
      op[-1].line_behind = line;
    }
    op->line_behind = line;
    if (plan.end.takes(*op)) {
      op->issue_clocks = static_cast<std::uint16_t>(plan.end.join(*op));
    } else {
      op->issue_clocks = static_cast<std::uint16_t>(plan.end.open(*op, eip, 1));
      plan.marks[line] |= std::uint32_t{1} << (eip & 31);
      ++issues;
    }
    if (issues == 1) plan.entry_reads |= op->address_reads;
  }
  plan.single = issues == 1;
  std::uint16_t run = 0;
  for (Op* op = ops; op != ops + count; ++op) {
    op->quiet = op->quiet && op->edge == Op::Edge::none;
    op->run_clocks = run = static_cast<std::uint16_t>(run + op->issue_clocks);
    if (!op->quiet) run = 0;
  }
  ops[count - 1].ahead = 0;
  for (Op* op = ops + count - 1; op-- != ops;) op->ahead = static_cast<std::uint16_t>(op->issue_clocks + op[1].ahead);
}

void Timing::leave_plan(const IssuePlan& plan, const Op* next) {
  std::uint32_t eip = plan.eip;
  for (const Op* op = plan.first; op != next; eip += op->length, ++op) {
    if (issue_.takes(*op))
      issue_.join(*op);
    else
      issue_.open(*op, eip, 1);
  }
}

void Timing::branch_pentium(const Op& op, bool taken, std::uint32_t target) {
  const BranchKind kind = branch_kind(op);
  if (is_special_branch(op)) [[unlikely]] {
    if (kind == BranchKind::far) {
      if (taken) interrupt_flush();
      return;
    }
    if (taken) clock_ += 1;  // JCXZ 6 against 5, LOOPZ 8 against 7
  }
  const bool shadowed = issue_.previous_eip == misprediction_mark;
  const auto predicted = btb_.lookup(shadowed ? mispredicted_issue_ : issue_.previous_eip, taken, target, op.btb_entry);
  const bool followed = predicted.taken && !shadowed && clock_ >= redirected_ + redirect_distance;
  const bool right = taken ? followed && predicted.target_right : !followed;
  if (taken) {
    settle_prefetch();
    prefetch_line_ = no_line;
  }
  if (right) {
    if (taken) redirected_ = clock_;
    return;
  }
  ++counters_.mispredictions;
  clock_ += kind == BranchKind::conditional && issue_.in_v ? 4 : 3;
  mispredicted_issue_ = issue_.eip;
  issue_.eip = misprediction_mark;
  issue_.pair_open = 0;
  issue_.last_writes = 0;  // the pipeline stood still: no interlock with the target
  redirected_ = clock_;
}

}  // namespace planar::cpu
