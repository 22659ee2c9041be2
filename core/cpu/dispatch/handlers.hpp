// SPDX-License-Identifier: GPL-2.0-or-later
// What selection finds for an instruction: how it executes on its own, and how it and what follows it run in a block.
#pragma once

#include "core/cpu/dispatch/chain.hpp"
#include "core/cpu/dispatch/step.hpp"

namespace planar::cpu {

struct Handlers {
  /// On its own, on 486 and Pentium, and on the P6.
  Handler execute = nullptr, execute_on_p6 = nullptr;
  /// Whether it touches only registers and flags (chain.hpp).
  bool register_only = false;

  struct I386sx {
    Handler execute = nullptr;          ///< on its own
    Handler step = step_selected;       ///< as a step within a block (step.hpp)
    Handler last = step_selected_last;  ///< the same if it ends the block
  } i386sx;
  /// 486 and Pentium: as a link of a chain within a block (chain.hpp), and if it ends the block.
  Handler link = chain_selected;
  Handler last_i486sx = chain_selected_last<Model::i486sx>, last_pentium = chain_selected_last<Model::pentium>;

  Handlers() = default;
  /// Any handler. Null: the encoding is undefined.
  Handlers(Handler handler) : execute(handler), execute_on_p6(handler) { i386sx.execute = handler; }
  explicit operator bool() const { return execute != nullptr; }
};
using Selector = Handlers (*)(const Op&);

/// Functions that find the handlers of an instruction, one for each kind of instruction. Any:
template <Handler F>
Handlers any(const Op&) {
  Handlers h = F;
  h.link = chain_any<F>;
  h.i386sx.step = step<F>;
  return h;
}
/// Touches only registers and flags.
template <Handler F>
Handlers register_only(const Op&) {
  Handlers h = F;
  h.link = chain_register_only<F>;
  h.i386sx.step = step_register_only<F>;
  h.register_only = true;
  return h;
}
/// The same except for one access to memory: Form::mem is a template on the path to it.
template <class Form>
Handlers accessing(const Op&) {
  constexpr Attempt full = Form::template mem<FullAccess>, uncached = Form::template mem<Uncached>,
                    fast = Form::template mem<FastPath>, checked = Form::template mem<CheckedAccess>;
  Handlers h = execute_full<full>;
  h.execute_on_p6 = execute_full<checked>;
  h.link = chain_access<fast, checked>;
  h.i386sx.execute = execute_full<uncached>;
  h.i386sx.step = step<execute_full<uncached>>;
  return h;
}
/// An instruction with a register form, Form::reg, and a memory form, Form::mem.
template <class Form>
Handlers forms(const Op& op) {
  return op.has_memory ? accessing<Form>(op) : register_only<Form::reg>(op);
}
/// A near branch, which ends its block.
template <Decision F>
Handlers branch(const Op&) {
  Handlers h = execute_branch<F>;
  h.last_i486sx = chain_branch<F, Model::i486sx>;
  h.last_pentium = chain_branch<F, Model::pentium>;
  h.i386sx.last = step_last<execute_branch<F>>;
  return h;
}
/// A near branch that costs more than its prediction says (is_special).
template <Decision F>
Handlers special_branch(const Op&) {
  return execute_branch<F>;
}

}  // namespace planar::cpu
