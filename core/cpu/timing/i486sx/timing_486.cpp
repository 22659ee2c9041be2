// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/cpu/timing/i486sx/timing_486.hpp"

#include "core/cpu/timing/common/instruction_table.hpp"
#include "core/cpu/timing/common/static_clocks.hpp"

namespace planar::cpu {

void Timing486::set_static_clocks(Op& op) const {
  const StaticForm form = static_form(op, Model::i486sx);
  unsigned clocks = form.clocks(form.row->i486) + form.prefixes;
  if (op.has_memory && op.index < no_register) clocks += 1;
  if (op.has_memory && op.has_displacement && op.has_immediate) clocks += 1;
  op.clocks = static_cast<std::uint16_t>(clocks);
  op.i486sx = {.at = {}, .prefixes = static_cast<std::uint8_t>(form.prefixes)};
}

void Timing486::plan(Op* ops, unsigned count, std::uint32_t eip, IssuePlan& plan) const {
  plan = IssuePlan{};
  plan.eip = eip;
  plan.first_line = (eip + ops->length - 1) & line_mask_;
  unsigned clocks = 0;
  for (Op* op = ops; op != ops + count; eip += op->length, ++op) {
    plan.reach = clocks;
    clocks += op == ops ? op->clocks : clocks_after(*op, op[-1].writes, op[-1].clocks);
    op->i486sx.at[0] = static_cast<std::uint16_t>(clocks);
    if (op != ops && ((eip + op->length - 1) ^ (eip - 1)) & line_mask_) op[-1].edge = Op::Edge::line;
  }
}

void Timing486::branch(const Op& op, bool taken, std::uint32_t) {
  if (!taken && op.branch == BranchKind::far) jumped_ = false;
  if (!branch_near(op, taken)) branch_after_prefetch();
}

void Timing486::interrupt_flush() {
  drop_prefetch();
  state_.code_line = no_line;
  last_writes_ = 0;
  last_clocks_ = 0;
  jumped_ = true;
}

void Timing486::archive(Archive& a) {
  archive_caches(a);
  a(last_writes_, last_clocks_, jumped_);
}

}  // namespace planar::cpu
