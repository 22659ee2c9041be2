// SPDX-License-Identifier: GPL-2.0-or-later
// What selection finds for an instruction: how it executes by itself, and how it and what follows it run in a block on
// the processors that run blocks (the 486 executes one instruction after the other).
#pragma once

#include "core/cpu/dispatch/chain.hpp"
#include "core/cpu/dispatch/step.hpp"

namespace planar::cpu {

struct Handlers {
  /// By itself, on 486 and Pentium.
  Handler execute = nullptr;
  /// Whether it touches registers and flags alone (chain.hpp).
  bool register_only = false;

  struct I386sx {
    Handler execute = nullptr;          ///< by itself
    Handler step = step_selected;       ///< as a step within a block (step.hpp),
    Handler last = step_selected_last;  ///< where the block ends because of it
  } i386sx;
  struct Pentium {
    Handler link = chain_selected;       ///< as a link of a chain within a block (chain.hpp),
    Handler edge = chain_selected_edge;  ///< in front of another code line,
    Handler last = chain_selected_last;  ///< where the block ends because of it
  } pentium;

  Handlers() = default;
  /// Any handler. Null: the encoding is undefined.
  Handlers(Handler handler) : execute(handler) { i386sx.execute = handler; }
  Handlers(std::nullptr_t) {}
  explicit operator bool() const { return execute != nullptr; }
};

template <Handler F>
Handlers any() {
  Handlers h = F;
  h.pentium.link = chain_any<F>;
  h.pentium.edge = chain_any_edge<F>;
  h.i386sx.step = step<F>;
  return h;
}
template <Handler F>
Handlers register_only() {
  Handlers h = F;
  h.pentium.link = chain_register_only<F>;
  h.pentium.edge = chain_register_only_edge<F>;
  h.i386sx.step = step_register_only<F>;
  h.register_only = true;
  return h;
}
/// `OnFull` and so on: the instruction with each way to memory.
template <Attempt OnFull, Attempt OnUncached, Attempt OnUncachedAtBase, Attempt OnFast, Attempt OnFastAtBase>
Handlers accessing(const Op& op) {
  Handlers h = execute_full<OnFull>;
  h.i386sx.execute = execute_full<OnUncached>;
  const bool at_base = has_plain_address(op);
  h.pentium.link = at_base ? chain_access<OnFastAtBase, OnFull> : chain_access<OnFast, OnFull>;
  h.pentium.edge = at_base ? chain_access_edge<OnFastAtBase, OnFull> : chain_access_edge<OnFast, OnFull>;
  h.i386sx.step = at_base ? step<execute_full<OnUncachedAtBase>> : step<execute_full<OnUncached>>;
  return h;
}
template <Decision F>
Handlers branch() {
  Handlers h = execute_branch<F>;
  h.pentium.last = chain_branch<F>;
  h.i386sx.last = step_last<execute_branch<F>>;
  return h;
}
template <Decision F>
Handlers special_branch() {
  return execute_branch<F>;
}

}  // namespace planar::cpu
