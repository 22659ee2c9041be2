// SPDX-License-Identifier: GPL-2.0-or-later
// How the instructions of blocks that run by plan follow one another (486 and Pentium): each ends with a jump to the
// next, and between two of them the host does only what that kind of instruction can need.
//
//   register-only  computes in registers and flags: no access, no fault, no clocks that depend on data, no use of EIP,
//                  the clock or a system flag.
//   accessing      the same except for one access to memory, tried on the fast path first (FastPath): if the L0 line
//                  cache allows it, it costs nothing; if not, nothing has been done and the instruction runs like any
//                  other.
//   branch         near, the last of its block: decides where to go, which determines its clocks and what follows.
//   any other      may change everything: EIP and the clock are set, and afterwards the clock is compared with the
//                  deadline.
//
// A plan states in advance at which clock each instruction begins, counted from where the plan starts (Op::Planned).
// The first two kinds do not touch the clock: when they ran cannot be observed. For the others it is set from the plan,
// and the time they took moves the plan's start. The 486 has one plan per block; the Pentium has the block's plan and a
// first-execution plan for each of its code lines (cached/issue_plan.hpp).
//
// A plan is followed where all its instructions will begin before stop_at if nothing happens, and this is checked again
// after whatever may have taken time or lowered stop_at. Execution continues from block to block by known links, as
// long as nothing wants the boundary's attention (whatever does lowers stop_at). Running in a chain, without a plan,
// and with one block per instruction gives the same state at the same clock (tests/core/cpu, tests/fuzz).
#pragma once

#include "core/cpu/mmu/access.hpp"

namespace planar::cpu {

/// The links of no particular instruction, which run Op::execute, whatever it is: within a block, and as the last of
/// its block. Before another code line every instruction has Lines::execute_before_line.
void chain_selected(Engine& c, const Op& op);
template <Model M>
void chain_selected_last(Engine& c, const Op& op);

[[gnu::always_inline]] inline void chain_on(Engine& c, const Op& op) {
  const Op& next = (&op)[1];
  return next.chained(c, next);
}

// An instruction that may use the clock or EIP begins in a chain.
inline void Engine::begin_chained(const Op& op) {
  current_op = &op;
  timing.cached().begin_planned(op);
  eip = block_eip + op.after;
}
// After one that may have changed everything: continues as the clock allows.
inline void Engine::check_deadline(const Op& op) {
  timing.cached().move_plan(op);
  if (timing.cached().plan_fits(stop_at)) [[likely]]
    return chain_on(*this, op);
  return chain_near_deadline(op);
}

template <Handler F>
[[gnu::noinline]] void chain_any(Engine& c, const Op& op) {
  c.begin_chained(op);
  F(c, op);
  return c.check_deadline(op);
}
template <Handler F>
[[gnu::flatten]] void chain_register_only(Engine& c, const Op& op) {
  F(c, op);
  return chain_on(c, op);
}

/// The paths to memory, as a template parameter of accessing instructions: the full access, and the fast path, which
/// does nothing where the access is not free (step.hpp has one more). They return whether the access has happened;
/// `then` receives what was read, `change` returns what to write.
struct FullAccess {
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
/// The full access where the fast path has failed or does not exist (P6).
struct CheckedAccess {
  template <class T, class F>
  static bool read(Engine& c, unsigned s, std::uint32_t offset, F&& then) {
    then(c.read_checked<T>(s, offset));
    return true;
  }
  template <class T>
  static bool write(Engine& c, unsigned s, std::uint32_t offset, T value) {
    c.write_checked<T>(s, offset, value);
    return true;
  }
  template <class T, class F>
  static bool modify(Engine& c, unsigned s, std::uint32_t offset, F&& change) {
    c.modify_checked<T>(s, offset, change);
    return true;
  }
};
struct FastPath {
  template <class T, class F>
  static bool read(Engine& c, unsigned s, std::uint32_t offset, F&& then) {
    const L0Line& v = l0_line(c.l0, offset);
    if (!c.readable<T>(v, s, offset) || c.timing.cached().may_be_filling(v, offset)) [[unlikely]]
      return false;
    then(load_little<T>(v.at(offset)));
    return true;
  }
  template <class T>
  static bool write(Engine& c, unsigned s, std::uint32_t offset, T value) {
    const L0Line& v = l0_line(c.l0, offset);
    if (!c.writable<T>(v, s, offset)) [[unlikely]]
      return false;
    store_little<T>(v.at(offset), value);
    return true;
  }
  template <class T, class F>
  static bool modify(Engine& c, unsigned s, std::uint32_t offset, F&& change) {
    const L0Line& v = l0_line(c.l0, offset);
    if (!c.writable<T>(v, s, offset)) [[unlikely]]
      return false;
    store_little<T>(v.at(offset), change(load_little<T>(v.at(offset))));
    return true;
  }
};
using Attempt = bool (*)(Engine&, const Op&);

template <Attempt F>
[[gnu::flatten]] void execute_full(Engine& c, const Op& op) {
  F(c, op);
}
/// The access has failed on the fast path.
template <Attempt F>
[[gnu::noinline, gnu::flatten]] void chain_checked(Engine& c, const Op& op) {
  c.begin_chained(op);
  F(c, op);
  return c.check_deadline(op);
}
template <Attempt F, Attempt Checked>
[[gnu::flatten]] void chain_access(Engine& c, const Op& op) {
  if (!F(c, op)) [[unlikely]]
    return chain_checked<Checked>(c, op);
  return chain_on(c, op);
}

/// What a near branch decided. EIP is already where execution continues; the clocks follow from this.
struct Outcome {
  bool taken;
  std::uint32_t target;  ///< also if not taken
};
using Decision = Outcome (*)(Engine&, const Op&);

template <Decision F>
[[gnu::flatten]] void execute_branch(Engine& c, const Op& op) {
  const Outcome o = F(c, op);
  c.timing.branch(op, o.taken, c.seg[CS].base + o.target);
}
// The same as the last instruction of a code line executed for the first time (Pentium). It never takes the shortcut
// for branches that go as predicted.
template <Decision F>
[[gnu::noinline, gnu::flatten]] void chain_branch_of_new_line(Engine& c, const Op& op) {
  c.begin_chained(op);
  c.finish_cold_line();
  const Outcome o = F(c, op);
  return c.chain_branch_unpredicted(op, o.taken, c.seg[CS].base + o.target);
}
template <Decision F, Model M>
[[gnu::flatten]] void chain_branch(Engine& c, const Op& op) {
  if (M == Model::pentium && !c.planned) [[unlikely]]
    return chain_branch_of_new_line<F>(c, op);
  c.begin_chained(op);
  c.finish_plan<M>(op);
  const Outcome o = F(c, op);
  return o.taken ? c.chain_branched<M>(op, true, o.target) : c.chain_branched<M>(op, false, o.target);
}
// After a near branch that goes to `offset` in the code segment.
template <Model M>
[[gnu::always_inline]] inline void Engine::chain_branched(const Op& op, bool taken, std::uint32_t offset) {
  if constexpr (M == Model::pentium) {
    const std::uint32_t target = seg[CS].base + offset;
    if (!timing.pentium().branch_as_predicted(op, taken, target)) [[unlikely]]
      return chain_branch_unpredicted(op, taken, target);
  } else if (!timing.i486sx().branch_near(op, taken)) [[unlikely]] {
    return chain_branch_after_prefetch_486();
  }
  return chain_to_next<M>(taken);
}

// Whether `b` is known to be the block at `linear` in the current mode.
inline bool Engine::is_block_at(const Block& b, std::uint32_t linear) const {
  const HostTlbEntry& e = host_entry(linear);
  return e.exec_tag == (linear & page_mask) && b.physical == e.physical + (linear & 0xFFF) && b.mode == mode &&
         within_code(b);
}
// Whether `link` leads to the block at `linear`.
inline bool Engine::holds(const Block::Link& link, std::uint32_t linear) const {
  return link.key == link_key(linear) && link.code == host_entry(linear).code();
}

// The last instruction of a code line's first execution has begun. What follows is assumed to be under a block's plan,
// until it turns out not to be.
inline void Engine::finish_cold_line() {
  timing.pentium().finish_cold_line(current_block->plan);
  cold_from = nullptr;
  planned = true;
}

// A block's last instruction has begun: records what the plan, of several issues, leaves in the processor.
template <Model M>
inline void Engine::finish_plan(const Op& op) {
  if constexpr (M == Model::i486sx)
    timing.i486sx().finish_plan(op);
  else if (planned) [[likely]]
    timing.pentium().finish_long_plan(current_block->plan);
  else
    finish_cold_line();
}

// After a block's last instruction: enters the block where execution continues, if that is known and nothing has to be
// handled at the boundary in between.
template <Model M>
inline void Engine::chain_to_next(bool branched) {
  Block::Link& link = current_block->links[branched];
  if (!holds(link, seg[CS].base + eip)) [[unlikely]]
    return chain_elsewhere<M>(link);
  return chain_to<M>(*link.to);
}
template <Model M>
inline void Engine::chain_to(Block& b) {
  if (timing.clocks() + b.plan.reach >= stop_at) [[unlikely]]
    return chain_to_last<M>(b);
  if (!enter_block(b)) [[unlikely]]
    return;
  const Op& first = *b.ops;
  if (enter_plan<M>(b)) [[likely]]
    return first.chained(*this, first);
  return lines->enter(*this, first);
}
// The chain continues in `b`, unless it is long enough.
inline bool Engine::enter_block(Block& b) {
  const int count = current_block->count;
  chain_room -= count;
  if (chain_room < 0) [[unlikely]] {
    chain_room += count;
    return false;
  }
  current_block = &b;
  block_eip = eip;
  return true;
}

// Enters the block in progress, whose plan fits: whether the plan is known to hold, and still fits. If so, `planned`
// must be set.
template <Model M>
inline bool Engine::enter_plan(const Block& b) {
  return timing.of<M>().start_plan_in_line(b.plan, *b.ops) &&
         (M == Model::pentium || timing.cached().plan_fits(stop_at));
}

// Runs without a plan: the instructions from current_op on, until the end of their code line, the block's end or
// stop_at. `begun`: current_op has begun already. Like all paths through a block, it leaves current_op at the last
// instruction executed. False: the block goes no further.
template <Model M>
inline bool Engine::run_unplanned(bool begun) {
  const std::uint32_t start = block_eip, physical = current_block->physical;
  const Op* op = current_op;
  for (std::uint32_t at = physical + op->after - op->length;; at = physical + op->after, current_op = ++op) {
    if (!begun) [[likely]]
      timing.of<M>().begin(*op, at);
    begun = false;
    eip = start + op->after;
    op->execute(*this, *op);
    if (op->edge == Op::Edge::end || timing.clocks() >= stop_at) return false;
    if (op->edge == Op::Edge::line) return true;
  }
}

}  // namespace planar::cpu
