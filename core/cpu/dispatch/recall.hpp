// SPDX-License-Identifier: GPL-2.0-or-later
// How the instructions of blocks follow one another on the 386SX. A block falls into stretches: register-only
// instructions (chain.hpp) and the one of another kind behind them. What a stretch costs depends on what the prefetch
// queue and the bus have been doing, so there is no plan; but it is the same each time that it begins in the same phase
// of the bus unit, and is recalled then (timing/i386sx/recall.hpp):
//
//   register-only  runs by itself: its clocks are those of its stretch.
//   accessing      the same but for one access to memory (Recalling): the stretch ends as it did when the row was open,
//                  or closed, as it is now. If the access is none of the simple kind, or that end is not known, nothing
//                  has happened: the bus unit's figures are settled as behind the issue, and it runs like any other.
//   branch         near, the last of its block: the stretch ends as it did when it was taken, or was not.
//   any other      may ask for everything: the figures are settled in front of it.
//
// A stretch is begun by recall only if no deadline and no refresh can fall into it. Otherwise, and where its phase is
// new, it is issued instruction by instruction and written down (Engine::work_out). From block to block the links lead
// on; translation and block confirm them. A chain's length bounds the stack where the compiler makes no tail calls.
#pragma once

#include "core/cpu/dispatch/chain.hpp"

namespace planar::cpu {

/// Those that are no particular instruction's: Op::execute, whatever it is.
void recall_selected(Engine& c, const Op& op);

/// The way to memory of a processor without a cache, whose L0 line cache is always empty.
struct Uncached : ModrmOperand {
  template <class T, class F>
  static bool read(Engine& c, unsigned s, std::uint32_t offset, F&& then) {
    const std::uint32_t linear = c.linear_for_read(s, offset, sizeof(T));
    note<T>(c, linear, c.host_entry(linear).read_tag);
    then(c.read_linear<T, Model::i386sx>(linear));
    return true;
  }
  template <class T>
  static bool write(Engine& c, unsigned s, std::uint32_t offset, T value) {
    const std::uint32_t linear = c.linear_for_write(s, offset, sizeof(T));
    note<T>(c, linear, c.host_entry(linear).write_tag);
    c.write_linear<T, Model::i386sx>(linear, value);
    return true;
  }
  template <class T, class F>
  static bool modify(Engine& c, unsigned s, std::uint32_t offset, F&& change) {
    const std::uint32_t linear = c.linear_for_write(s, offset, sizeof(T));
    note<T>(c, linear, c.host_entry(linear).write_tag);
    c.modify_checked<T>(s, offset, change);
    return true;
  }

 private:
  // An access that can be recalled.
  template <class T>
  static void note(Engine& c, std::uint32_t linear, std::uint32_t tag) {
    if (tag == (linear & (page_mask | (sizeof(T) - 1))))
      c.timing.i386sx().note_access(c.host_entry(linear).physical + (linear & 0xFFF));
  }
};

/// The way to memory of an instruction whose stretch is recalled: aligned, in RAM, translated. False: nothing has been
/// done.
struct Recalling : ModrmOperand {
  template <class T, class F>
  static bool read(Engine& c, unsigned s, std::uint32_t offset, F&& then) {
    const Segment& g = c.seg[s];
    const std::uint32_t linear = g.base + offset;
    const HostTlbEntry& e = c.host_entry(linear);
    if (!within<T>(g, g.read_span, offset) || e.read_tag != (linear & (page_mask | (sizeof(T) - 1)))) [[unlikely]]
      return false;
    if (!c.timing.i386sx().end_with_access(e.physical + (linear & 0xFFF), false)) [[unlikely]]
      return false;
    then(Engine::load<T>(e.host + (linear & 0xFFF)));
    return true;
  }
  template <class T>
  static bool write(Engine& c, unsigned s, std::uint32_t offset, T value) {
    return change<T>(c, s, offset, [value](std::uint8_t*) { return value; });
  }
  template <class T, class F>
  static bool modify(Engine& c, unsigned s, std::uint32_t offset, F&& change_to) {
    return change<T>(c, s, offset, [&](std::uint8_t* p) { return change_to(Engine::load<T>(p)); });
  }

 private:
  template <class T>
  static bool within(const Segment& g, std::int64_t span, std::uint32_t offset) {
    return std::int64_t{offset - g.low} + static_cast<std::int64_t>(sizeof(T) - 1) <= span;
  }
  template <class T, class F>
  [[gnu::always_inline]] static bool change(Engine& c, unsigned s, std::uint32_t offset, F&& to) {
    const Segment& g = c.seg[s];
    const std::uint32_t linear = g.base + offset;
    const HostTlbEntry& e = c.host_entry(linear);
    if (!within<T>(g, g.write_span, offset) || e.write_tag != (linear & (page_mask | (sizeof(T) - 1))) ||
        e.holds_code(linear)) [[unlikely]]
      return false;
    if (!c.timing.i386sx().end_with_access(e.physical + (linear & 0xFFF), true)) [[unlikely]]
      return false;
    std::uint8_t* const p = e.host + (linear & 0xFFF);
    Engine::store<T>(p, to(p));
    return true;
  }
};

// In front of an instruction that may ask for everything.
inline void Engine::arrive_at(const Op& op) {
  current_op = &op;
  eip = block_eip + op.behind;
}

// Into the stretch that begins with `first`.
[[gnu::always_inline]] inline void Engine::enter_stretch(const Op& first) {
  Timing386sx& t = timing.i386sx();
  Recalled& r = recalls[t.recall_place(first.i386sx.stretch)];
  if (!t.recalls(r, t.recall_key(first.i386sx.stretch))) [[unlikely]]
    return enter_stretch_slowly(first);
  t.begin_recalled(r);
  return first.chained(*this, first);
}
// Behind a block's last instruction, which has branched or not: into the block where execution goes on, if that is
// known and nothing has to be handled at the boundary in between.
[[gnu::always_inline]] inline void Engine::enter_next_block(bool branched) {
  const Block& done = *current_block;
  Block& b = *done.links[branched].to;
  if (timing.clocks() >= stop_at || !is_block_at(b, seg[CS].base + eip) || chain_room <= done.count) [[unlikely]]
    return leave_recalling();
  if (!branched && b.physical - done.physical != done.bytes) [[unlikely]]
    return leave_recalling();
  if (!timing.i386sx().in_row(b.physical)) [[unlikely]]
    return enter_next_row(b);
  chain_room -= done.count;
  current_block = &b;
  block_eip = eip;
  return enter_stretch(*b.ops);
}

template <Handler F>
[[gnu::flatten]] void recall_register_only(Engine& c, const Op& op) {
  F(c, op);
  const Op& next = (&op)[1];
  return next.chained(c, next);
}
template <Attempt F>
[[gnu::flatten]] void recall_access(Engine& c, const Op& op) {
  if (!F(c, op)) [[unlikely]]
    return c.finish_slowly(op);
  return c.enter_stretch((&op)[1]);
}
template <Decision F>
[[gnu::flatten]] void recall_branch(Engine& c, const Op& op) {
  c.arrive_at(op);
  const Outcome o = F(c, op);
  if (!c.timing.i386sx().end_with_branch(o.taken)) [[unlikely]]
    return c.finish_branch_slowly(op, o.taken, o.target);
  if (o.taken) c.timing.i386sx().fetch_from_target();
  return c.enter_next_block(o.taken);
}
/// The same for one that accesses memory: Form::decide is a template on the way to it. The target is known behind the
/// access only, so that there must be no limit for it to violate.
template <class Form>
[[gnu::flatten]] void recall_accessing_branch(Engine& c, const Op& op) {
  c.arrive_at(op);
  Outcome o;
  if (c.seg[CS].limit != 0xFFFFFFFFu || !Form::template decide<Recalling>(c, op, o)) [[unlikely]]
    return c.finish_slowly(op);
  c.timing.i386sx().fetch_from_target();
  return c.enter_next_block(true);
}
template <Handler F>
[[gnu::noinline]] void recall_any(Engine& c, const Op& op) {
  c.settle_issued(op);
  c.arrive_at(op);
  F(c, op);
  return c.recall_on(op);
}

}  // namespace planar::cpu
