// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/cpu/account/copy_account.hpp"

#include "core/cpu/account/copy_loop.hpp"
#include "core/cpu/dispatch/select.hpp"
#include "core/cpu/mmu/access.hpp"

namespace planar::cpu {

namespace {

bool repeated_copy(const Op& op) {
  if (!op.rep && !op.repne) return false;
  return (op.opcode & 0xFE) == 0xA4 || (op.opcode >= 0x6C && op.opcode <= 0x6F);
}

CopyAccount& counting(Engine& c) { return static_cast<CopyAccount&>(*c.accounting); }

/// Executes a repeated instruction that copies, and counts the clocks that it takes.
void counted_copy(Engine& c, const Op& op) {
  const CopyAccount::Repeat repeat(counting(c), c.timing);
  select_string(op).execute(c, op);
}

/// Executes the branch that ends a pass of a loop that copies.
void counted_pass(Engine& c, const Op& branch) {
  const std::uint32_t next = c.eip;
  select_control(branch).execute(c, branch);
  c.timing.bring_clock();
  counting(c).pass(c.seg[CS].base + next, c.timing, c.eip != next);
}

}  // namespace

void CopyAccount::decoded(Op& op, const DecodeMode& mode) {
  if (!repeated_copy(op)) return;
  op.execute = counted_copy;
  op.chained = mode.model == Model::i386sx ? step_selected : chain_selected;
}

static_assert(Accounting::reach >= longest_copy_loop * 15);

// A block's last instruction is chained by its kind of end (blocks.cpp), which finds the handler replaced.
void CopyAccount::block_ends(std::span<const std::uint8_t> before, Op& op, const DecodeMode& mode) {
  if (closes_copy_loop(before, op, mode)) op.execute = counted_pass;
}

bool counts_passes(const Op& op) { return op.execute == counted_pass; }

CopyAccount& copy_account(Engine& c) {
  if (!c.accounting) {
    c.accounting = std::make_unique<CopyAccount>();
    c.attend(attend_flush);  // code decoded so far does not count
  }
  return counting(c);
}

}  // namespace planar::cpu
