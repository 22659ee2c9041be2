// SPDX-License-Identifier: GPL-2.0-or-later
// How the instructions of a block that runs by plan follow one another (Pentium): each ends with a jump to the next, and what
// the host does between two of them is only what that kind of instruction can need.
//
//   quiet      computes in registers and flags: no access, no fault, no clocks that depend on data, no look at EIP, the clock
//              or a system flag. Nobody can tell when it ran: its clocks pass with those of the next that is not quiet.
//   accessing  is quiet but for one access to memory, written so that it can be tried (Glance): if a view allows the access
//              it is free and harmless; if not, nothing has happened and the instruction runs like any other.
//   any other  may change everything: EIP is set, and afterwards the clock is looked at.
//
// A chain is entered where all its instructions will begin before stop_at if nothing happens (Op::ahead), and the same is
// asked again behind whatever may have taken time or lowered stop_at. Running in a chain, singly and one block an instruction
// give the same state at the same clock (tests/core/cpu, fuzz/cpu).
#pragma once

#include "core/cpu/engine.hpp"

namespace planar::cpu {

/// What selection finds for an instruction: its handler, the handler for a processor without a cache, and the handler as a
/// link of a chain.
struct Handlers {
  Handler execute = nullptr;
  Handler uncached = nullptr;
  Handler chained = nullptr;
  bool quiet = false;

  Handlers() = default;
  /// Any handler. Null: the encoding is undefined.
  Handlers(Handler handler) : execute(handler), uncached(handler), chained(chain_any) {}
  Handlers(std::nullptr_t) {}
  Handlers(Handler handler, Handler plain, Handler link, bool is_quiet)
      : execute(handler), uncached(plain), chained(link), quiet(is_quiet) {}
  explicit operator bool() const { return execute != nullptr; }

  /// The links that are no particular instruction's: any other, the one in front of another code line, the block's last.
  static void chain_any(Engine& c, const Op& op);
  static void chain_edge(Engine& c, const Op& op);
  static void chain_last(Engine& c, const Op& op);
};

[[gnu::always_inline]] inline void chain_on(Engine& c, const Op& op) {
  const Op& next = (&op)[1];
  return next.chained(c, next);
}

template <Handler F>
[[gnu::flatten]] void chain_quiet(Engine& c, const Op& op) {
  F(c, op);
  return chain_on(c, op);
}

/// The ways to memory, as a template parameter of accessing instructions: an access as it is; the same on a processor without
/// a cache, where no view is ever open; and one that only happens where it has no effect but its own. They say whether it has
/// happened; `then` gets what was read, `change` gives what to write. address() is that of the ModRM operand.
struct Whole {
  static std::uint32_t address(const Engine& c, const Op& op) { return c.effective_address(op); }
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
struct Uncached {
  static std::uint32_t address(const Engine& c, const Op& op) { return c.effective_address(op); }
  template <class T, class F>
  static bool read(Engine& c, unsigned s, std::uint32_t offset, F&& then) {
    then(c.read_linear<T, Model::i386sx>(c.linear_for_read(s, offset, sizeof(T))));
    return true;
  }
  template <class T>
  static bool write(Engine& c, unsigned s, std::uint32_t offset, T value) {
    c.write_linear<T, Model::i386sx>(c.linear_for_write(s, offset, sizeof(T)), value);
    return true;
  }
  template <class T, class F>
  static bool modify(Engine& c, unsigned s, std::uint32_t offset, F&& change) {
    c.modify_checked<T>(s, offset, change);
    return true;
  }
};
struct Glance {
  static std::uint32_t address(const Engine& c, const Op& op) { return c.effective_address(op); }
  template <class T, class F>
  static bool read(Engine& c, unsigned s, std::uint32_t offset, F&& then) {
    const LineView& v = c.timing.view(offset);
    if (v.reads != Engine::seen_as<T>(c.seg[s].reads, offset) || !c.timing.settled()) [[unlikely]] return false;
    then(Engine::load<T>(v.at(offset)));
    return true;
  }
  template <class T>
  static bool write(Engine& c, unsigned s, std::uint32_t offset, T value) {
    const LineView& v = c.timing.view(offset);
    if (v.writes != Engine::seen_as<T>(c.seg[s].writes, offset)) [[unlikely]] return false;
    Engine::store<T>(v.at(offset), value);
    return true;
  }
  template <class T, class F>
  static bool modify(Engine& c, unsigned s, std::uint32_t offset, F&& change) {
    const LineView& v = c.timing.view(offset);
    if (v.writes != Engine::seen_as<T>(c.seg[s].writes, offset)) [[unlikely]] return false;
    Engine::store<T>(v.at(offset), change(Engine::load<T>(v.at(offset))));
    return true;
  }
};
/// With a 32-bit address that has no index: most have none.
struct GlanceAtBase : Glance {
  static bool suits(const Op& op) { return op.index == no_register && op.address32; }
  static std::uint32_t address(const Engine& c, const Op& op) { return c.gpr[op.base] + op.displacement; }
};
using Attempt = bool (*)(Engine&, const Op&);

template <Attempt F>
[[gnu::flatten]] void execute_whole(Engine& c, const Op& op) { F(c, op); }
template <Attempt F>
[[gnu::flatten]] void chain_access(Engine& c, const Op& op) {
  if (!F(c, op)) [[unlikely]] return Handlers::chain_any(c, op);
  c.timing.begin_planned_run(op);
  return chain_on(c, op);
}

/// The kinds of instructions, for selection.
template <Handler F>
Handlers any() { return F; }
template <Handler F>
Handlers quiet() { return {F, F, chain_quiet<F>, true}; }
template <Attempt OnWhole, Attempt OnUncached, Attempt OnGlance, Attempt OnGlanceAtBase>
Handlers accessing(const Op& op) {
  return {execute_whole<OnWhole>, execute_whole<OnUncached>,
          GlanceAtBase::suits(op) ? chain_access<OnGlanceAtBase> : chain_access<OnGlance>, false};
}

// Without a plan: the block in progress from current_op on, which has begun already, until its end or until stop_at. Like all ways
// through a block it leaves current_op at the last instruction executed.
template <Model M>
inline void Engine::run_begun() {
  const std::uint32_t start = block_eip, physical = current_block->physical;
  for (const Op* op = current_op;;) {
    eip = start + op->behind;
    op->execute(*this, *op);
    if (op->edge == Op::Edge::end || timing.clocks() >= stop_at) return;
    const std::uint32_t at = physical + op->behind;
    current_op = ++op;
    timing.begin_as<M>(*op, at);
  }
}

}  // namespace planar::cpu
