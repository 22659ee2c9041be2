// SPDX-License-Identifier: GPL-2.0-or-later
// How the instructions of a block that runs by plan follow one another (Pentium): each ends with a jump to the next, and what
// the host does between two of them is only what that kind of instruction can need.
//
//   quiet      computes in registers and flags: no access, no fault, no clocks that depend on data, no look at EIP, the clock
//              or a system flag. Nobody can tell when it ran: its clocks pass with those of the next that is not quiet.
//   accessing  reads or writes memory by Engine::read(), write() and modify(), and is quiet otherwise. An access that a view
//              allows is free and harmless; any other leaves `eventful` behind.
//   any other  may change everything: EIP is set, and afterwards the clock is looked at (Engine::go_on_singly).
//
// A chain is entered where all its instructions would begin before stop_at if nothing happened (Op::ahead), and the same is
// asked again behind whatever may have cost clocks or lowered stop_at. Running in a chain, singly and one block an instruction
// give the same state at the same clock (tests/core/cpu, fuzz/cpu).
#pragma once

#include "core/cpu/engine.hpp"

namespace planar::cpu {

/// What selection finds for an instruction: its handler, and the handler as a link of a chain.
struct Handlers {
  Handler execute = nullptr;
  Handler chained = nullptr;
  bool quiet = false;

  Handlers() = default;
  /// Any handler. Null: the encoding is undefined.
  Handlers(Handler handler) : execute(handler), chained(chain_any) {}
  Handlers(std::nullptr_t) {}
  Handlers(Handler handler, Handler link, bool is_quiet) : execute(handler), chained(link), quiet(is_quiet) {}
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

template <Handler F>
[[gnu::flatten]] void chain_access(Engine& c, const Op& op) {
  c.current_op = &op;
  c.timing.begin_planned_run(op);
  F(c, op);
  if (c.eventful) [[unlikely]] return c.access_took_time(op);
  return chain_on(c, op);
}

/// The kinds of instructions, for selection.
template <Handler F>
Handlers any() { return F; }
template <Handler F>
Handlers quiet() { return {F, chain_quiet<F>, true}; }
template <Handler F>
Handlers accessing() { return {F, chain_access<F>, false}; }

}  // namespace planar::cpu
