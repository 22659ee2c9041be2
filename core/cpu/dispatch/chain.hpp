// SPDX-License-Identifier: GPL-2.0-or-later
// How the instructions of blocks that run by plan follow one another (Pentium): each ends with a jump to the next, and
// what the host does between two of them is only what that kind of instruction can need.
//
//   register-only  computes in registers and flags: no access, no fault, no clocks that depend on data, no use of EIP,
//                  the clock or a system flag. When it ran cannot be observed: its clocks are charged with those of the
//                  next instruction of another kind.
//   accessing      the same but for one access to memory, tried on the fast path first (FastPath): if the L0 line cache
//                  allows it, it costs nothing; if not, nothing has happened and the instruction runs like any other.
//   branch         near, the last of its block: decides where to go; its clocks and what follows come from that.
//   any other      may change everything: EIP is set, and afterwards the clock is compared with the deadline.
//
// A chain is entered where all its instructions will begin before stop_at if nothing happens (Op::Pentium::ahead), and
// the same is checked again behind whatever may have taken time or lowered stop_at. From block to block it goes on by
// known links, as long as nothing wants the boundary's attention (whatever does lowers stop_at). Running in a chain,
// without a plan and one block an instruction give the same state at the same clock (tests/core/cpu, tests/fuzz).
#pragma once

#include "core/cpu/mmu/access.hpp"

namespace planar::cpu {

/// The links that are no particular instruction's: Op::execute, whatever it is, within a block, in front of another
/// code line, and as the last of its block.
void chain_selected(Engine& c, const Op& op);
void chain_selected_edge(Engine& c, const Op& op);
void chain_selected_last(Engine& c, const Op& op);

[[gnu::always_inline]] inline void chain_on(Engine& c, const Op& op) {
  const Op& next = (&op)[1];
  return next.chained(c, next);
}

// In a chain an instruction that is not register-only begins; the clocks of those in front of it are charged with it.
inline void Engine::begin_chained(const Op& op) {
  current_op = &op;
  timing.pentium().begin_planned_run(op);
  eip = block_eip + op.behind;
}
// Behind one that may have changed everything: goes on as the clock allows.
inline void Engine::check_deadline(const Op& op) {
  if (timing.clocks() + (&op)[1].pentium.ahead < stop_at) [[likely]]
    return chain_on(*this, op);
  return chain_near_deadline(op);
}
// In front of another code line.
inline void Engine::check_code_line(const Op& op) {
  if (timing.pentium().plan_holds_behind_seen(current_block->plan, op)) [[likely]]
    return chain_on(*this, op);
  return cross_line_in_chain(op);
}

template <Handler F>
[[gnu::noinline]] void chain_any(Engine& c, const Op& op) {
  c.begin_chained(op);
  F(c, op);
  return c.check_deadline(op);
}
template <Handler F>
[[gnu::noinline]] void chain_any_edge(Engine& c, const Op& op) {
  c.begin_chained(op);
  F(c, op);
  if (c.timing.clocks() + (&op)[1].pentium.ahead >= c.stop_at) [[unlikely]]
    return c.cross_line_in_chain(op);
  return c.check_code_line(op);
}

template <Handler F>
[[gnu::flatten]] void chain_register_only(Engine& c, const Op& op) {
  F(c, op);
  return chain_on(c, op);
}
template <Handler F>
[[gnu::flatten]] void chain_register_only_edge(Engine& c, const Op& op) {
  F(c, op);
  c.timing.pentium().begin_planned_run(op);
  return c.check_code_line(op);
}

/// The ways to memory, as a template parameter of accessing instructions: the full access, and the fast path, which
/// does nothing where the access is not free (step.hpp has one more). They say whether it has happened; `then` gets
/// what was read, `change` gives what to write.
struct ModrmOperand {
  static std::uint32_t address(const Engine& c, const Op& op) { return c.effective_address(op); }
};
struct FullAccess : ModrmOperand {
  template <class T, class F>
  static bool read(Engine& c, unsigned s, std::uint32_t offset, F&& then) {
    then(c.read<T>(s, offset));
    return true;
  }
  template <class T>
  static bool write(Engine& c, unsigned s, std::uint32_t offset, T value) {
    c.write<T>(s, offset, value);
    return true;
  }
  template <class T, class F>
  static bool modify(Engine& c, unsigned s, std::uint32_t offset, F&& change) {
    c.modify<T>(s, offset, change);
    return true;
  }
};
struct FastPath : ModrmOperand {
  template <class T, class F>
  static bool read(Engine& c, unsigned s, std::uint32_t offset, F&& then) {
    const L0Line& v = l0_line(c.l0, offset);
    if (!c.readable<T>(v, s, offset) || !c.timing.cached().settled()) [[unlikely]]
      return false;
    then(Engine::load<T>(v.at(offset)));
    return true;
  }
  template <class T>
  static bool write(Engine& c, unsigned s, std::uint32_t offset, T value) {
    const L0Line& v = l0_line(c.l0, offset);
    if (!c.writable<T>(v, s, offset)) [[unlikely]]
      return false;
    Engine::store<T>(v.at(offset), value);
    return true;
  }
  template <class T, class F>
  static bool modify(Engine& c, unsigned s, std::uint32_t offset, F&& change) {
    const L0Line& v = l0_line(c.l0, offset);
    if (!c.writable<T>(v, s, offset)) [[unlikely]]
      return false;
    Engine::store<T>(v.at(offset), change(Engine::load<T>(v.at(offset))));
    return true;
  }
};
/// The same ways for an operand with a 32-bit address that has no index: most have none.
inline bool has_plain_address(const Op& op) { return op.index == no_register && op.address32; }
template <class Way>
struct AtBase : Way {
  static std::uint32_t address(const Engine& c, const Op& op) { return c.gpr[op.base] + op.displacement; }
};
using Attempt = bool (*)(Engine&, const Op&);

template <Attempt F>
[[gnu::flatten]] void execute_full(Engine& c, const Op& op) {
  F(c, op);
}
template <Attempt F, Attempt OnFull>
[[gnu::flatten]] void chain_access(Engine& c, const Op& op) {
  if (!F(c, op)) [[unlikely]]
    return chain_any<execute_full<OnFull>>(c, op);
  c.timing.pentium().begin_planned_run(op);
  return chain_on(c, op);
}
template <Attempt F, Attempt OnFull>
[[gnu::flatten]] void chain_access_edge(Engine& c, const Op& op) {
  if (!F(c, op)) [[unlikely]]
    return chain_any_edge<execute_full<OnFull>>(c, op);
  c.timing.pentium().begin_planned_run(op);
  return c.check_code_line(op);
}

/// What a near branch decided. EIP is where it goes on already; the clocks follow from this.
struct Outcome {
  bool taken;
  std::uint32_t target;  ///< also where it was not taken
};
using Decision = Outcome (*)(Engine&, const Op&);
/// That of a branch with one access to memory: Form::decide is a template on the way to it.
template <class Form, class Way>
Outcome decide(Engine& c, const Op& op) {
  Outcome o;
  Form::template decide<Way>(c, op, o);
  return o;
}

template <Decision F>
[[gnu::flatten]] void execute_branch(Engine& c, const Op& op) {
  const Outcome o = F(c, op);
  c.timing.branch(op, o.taken, c.seg[CS].base + o.target);
}
template <Decision F>
[[gnu::flatten]] void chain_branch(Engine& c, const Op& op) {
  c.timing.pentium().finish_long_plan(c.current_block->plan);
  c.begin_chained(op);
  const Outcome o = F(c, op);
  const std::uint32_t target = c.seg[CS].base + o.target;
  if (!c.timing.pentium().branch_as_predicted(op, o.taken, target)) [[unlikely]]
    return c.chain_branch_unpredicted(op, o.taken, target);
  return c.chain_to_next(o.taken);
}

// Whether `b` is known to be the block at `linear` in the present mode.
inline bool Engine::is_block_at(const Block& b, std::uint32_t linear) const {
  const HostTlbEntry& e = host_entry(linear);
  return e.exec_tag == (linear & page_mask) && b.physical == e.physical + (linear & 0xFFF) && b.mode == mode &&
         within_code(b);
}
// A link that does not hold may still lead to the right block: all links end when any translation of code is given up,
// and most come back as they were.
inline bool Engine::renew(Block::Link& link, std::uint32_t linear) {
  if (!is_block_at(*link.to, linear)) return false;
  link.key = link_key(linear);
  return true;
}

// Behind a block's last instruction: into the block where execution goes on, if that is known and nothing has to be
// handled at the boundary in between.
inline void Engine::chain_to_next(bool branched) {
  Block::Link& link = current_block->links[branched];
  if (link.key != link_key(seg[CS].base + eip)) [[unlikely]]
    return chain_renewed(link);
  return chain_to(*link.to);
}
inline void Engine::chain_to(Block& b) {
  const Block& done = *current_block;
  const Op& first = *b.ops;
  if (timing.clocks() + first.pentium.ahead >= stop_at || !timing.pentium().enter_plan_seen(b.plan)) [[unlikely]]
    return;
  chain_room -= done.count;
  if (chain_room < 0) [[unlikely]] {
    chain_room += done.count;
    return;
  }
  current_block = &b;
  block_eip = eip;
  return first.chained(*this, first);
}

// Without a plan: the block in progress from current_op on, until its end or until stop_at. `begun`: current_op has
// begun already. Like all ways through a block it leaves current_op at the last instruction executed.
template <Model M>
inline void Engine::run_unplanned(bool begun) {
  if constexpr (M == Model::pentium) return run_lines(begun);
  const std::uint32_t start = block_eip, physical = current_block->physical;
  const Op* op = current_op;
  for (std::uint32_t at = physical + op->behind - op->length;; at = physical + op->behind, current_op = ++op) {
    if (!begun) [[likely]]
      timing.of<M>().begin(*op, at);
    begun = false;
    eip = start + op->behind;
    op->execute(*this, *op);
    if (op->edge == Op::Edge::end || timing.clocks() >= stop_at) return;
  }
}

}  // namespace planar::cpu
