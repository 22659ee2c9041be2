// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/cpu/timing/pentium/timing_pentium.hpp"

#include <algorithm>
#include <bit>

#include "core/cpu/timing/common/instruction_table.hpp"
#include "core/cpu/timing/common/static_clocks.hpp"

namespace planar::cpu {

TimingPentium::TimingPentium(const TimingConfig& config, const Events& events)
    : CachedTiming(config, events), pipeline_(code_cache().lines()) {}

void TimingPentium::set_static_clocks(Op& op) const {
  const StaticForm form = static_form(op, Model::pentium);
  unsigned pair = form.row->pair;
  // Prefixed instructions go to U only; long ones and those with displacement and immediate do not pair.
  if (form.prefixes != 0) pair &= pair_u;
  if (op.length > 7 || (op.has_memory && op.has_displacement && op.has_immediate)) pair = pair_none;
  op.clocks = static_cast<std::uint16_t>(form.clocks(form.row->pentium) + form.prefixes);
  op.pentium = {};
  op.pentium.pair = static_cast<std::uint8_t>(pair);
}

void TimingPentium::plan(Op* ops, unsigned count, std::uint32_t eip, IssuePlan& plan) const {
  plan = IssuePlan{};
  plan.first = ops;
  plan.eip = eip;
  plan.first_line = (eip + ops[0].length - 1) & line_mask_;
  unsigned issues = 0, clocks = 0;
  for (Op* op = ops; op != ops + count; eip += op->length, ++op) {
    plan.reach = clocks;
    const auto line = static_cast<std::uint8_t>(line_number(eip + op->length - 1) - line_number(plan.first_line));
    if (op != ops) {
      if (line != op[-1].pentium.line_after) op[-1].edge = Op::Edge::line;
      op[-1].pentium.line_after = line;
    }
    op->pentium.line_after = line;
    if (plan.end.takes(*op)) {
      clocks += plan.end.join(*op);
    } else {
      clocks += plan.end.open(*op, eip, 1);
      plan.marks[line] |= std::uint32_t{1} << (eip & 31);
      ++issues;
    }
    if (issues == 1) plan.entry_reads |= op->address_reads;
    op->pentium.at[0] = static_cast<std::uint16_t>(clocks);
  }
  plan.single = issues == 1;
  plan_cold_lines(ops, count, plan);
}

void TimingPentium::plan_cold_lines(Op* ops, unsigned count, IssuePlan& plan) const {
  // With only one set, a line could be displaced by the one after it while it executes.
  const bool several_sets = code_cache().lines() > config_.l1.ways;
  std::uint32_t eip = plan.eip;
  for (const Op* const end = ops + count; ops != end;) {
    ColdLine& cold = plan.cold[line_number(eip + ops->length - 1) - line_number(plan.first_line)];
    cold.first = several_sets ? ops : nullptr;
    unsigned issues = 0, clocks = 0;
    for (bool last = false; !last; eip += ops->length, ++ops) {
      last = ops->edge != Op::Edge::none || ops + 1 == end;
      cold.reach = clocks;
      if (cold.end.takes(*ops)) {
        clocks += cold.end.join(*ops);
      } else {
        const std::uint32_t start = std::uint32_t{1} << (eip & 31);
        const bool one_byte = ops->length == 1;
        if (cold.starts & start) cold.first = nullptr;  // starts at one offset in this line and in the one before
        cold.starts |= start;
        if ((ops->pentium.pair & pair_u) && !one_byte) cold.pairable |= start;
        clocks += cold.end.open(*ops, eip, one_byte);
        ++issues;
      }
      if (issues == 1) cold.entry_reads |= ops->address_reads;
      ops->pentium.at[1] = static_cast<std::uint16_t>(clocks);
    }
    cold.single = issues == 1;
  }
}

void TimingPentium::leave_cold_line(const Op* first, const Op* next, std::uint32_t eip) {
  end_cold_plan();
  for (const Op* op = first; op != next; eip += op->length, ++op) issue(*op, eip);
}

void TimingPentium::leave_plan(const IssuePlan& plan, const Op* next) {
  std::uint32_t eip = plan.eip;
  for (const Op* op = plan.first; op != next; eip += op->length, ++op) {
    if (pipeline_.issue.takes(*op))
      pipeline_.issue.join(*op);
    else
      pipeline_.issue.open(*op, eip, 1);
  }
}

void TimingPentium::branch(const Op& op, bool taken, std::uint32_t target) {
  if (op.branch == BranchKind::far) [[unlikely]]
    return taken ? interrupt_flush() : void();
  if (!branch_near(op, taken, target)) branch_after_prefetch(op, target);
}

void TimingPentium::branch_after_prefetch(const Op& op, std::uint32_t target) {
  settle_prefetch();
  predict(op, true, target);
}

void TimingPentium::flush_caches(bool write_back) {
  std::fill(pipeline_.marks.begin(), pipeline_.marks.end(), 0u);
  CachedTiming::flush_caches(write_back);
}

void TimingPentium::interrupt_flush() {
  drop_prefetch();
  state_.code_line = no_line;
  pipeline_.issue.last_writes = 0;
  pipeline_.issue.last_clocks = 0;
  pipeline_.issue.pair_open = 0;
}

void TimingPentium::archive(Archive& a) {
  archive_caches(a);
  pipeline_.archive(a);
}

}  // namespace planar::cpu
