// SPDX-License-Identifier: GPL-2.0-or-later
// What selection finds for an instruction, by the instruction's kind: how it executes, and how it and what follows it
// run in a block.
#pragma once

#include "core/cpu/dispatch/chain.hpp"
#include "core/cpu/dispatch/step.hpp"

namespace planar::cpu {

struct Handlers {
  Handler execute = nullptr;
  Handler uncached = nullptr;  ///< on a processor without a cache
  // Pentium, as a link of a chain:
  Handler chained = chain_selected;    ///< within a block,
  Handler edge = chain_selected_edge;  ///< in front of another code line,
  Handler last = chain_selected_last;  ///< where the block ends because of it
  // 386SX, as a step:
  Handler step = step_selected;            ///< within a block,
  Handler last_step = step_selected_last;  ///< where the block ends because of it
  bool quiet = false;

  Handlers() = default;
  /// Any handler. Null: the encoding is undefined.
  Handlers(Handler handler) : execute(handler), uncached(handler) {}
  Handlers(std::nullptr_t) {}
  explicit operator bool() const { return execute != nullptr; }
};

template <Handler F>
Handlers any() {
  Handlers h = F;
  h.chained = chain_any<F>;
  h.edge = chain_any_edge<F>;
  h.step = step<F>;
  return h;
}
template <Handler F>
Handlers quiet() {
  Handlers h = F;
  h.chained = chain_quiet<F>;
  h.edge = chain_quiet_edge<F>;
  h.step = step_quiet<F>;
  h.quiet = true;
  return h;
}
/// `OnWhole` and so on: the instruction with each way to memory.
template <Attempt OnWhole, Attempt OnUncached, Attempt OnUncachedAtBase, Attempt OnGlance, Attempt OnGlanceAtBase>
Handlers accessing(const Op& op) {
  Handlers h = execute_whole<OnWhole>;
  h.uncached = execute_whole<OnUncached>;
  const bool at_base = has_plain_address(op);
  h.chained = at_base ? chain_access<OnGlanceAtBase, OnWhole> : chain_access<OnGlance, OnWhole>;
  h.edge = at_base ? chain_access_edge<OnGlanceAtBase, OnWhole> : chain_access_edge<OnGlance, OnWhole>;
  h.step = at_base ? step<execute_whole<OnUncachedAtBase>> : step<execute_whole<OnUncached>>;
  return h;
}
template <Decision F>
Handlers branch() {
  Handlers h = execute_branch<F>;
  h.last = chain_branch<F>;
  h.last_step = step_last<execute_branch<F>>;
  return h;
}
template <Decision F>
Handlers special_branch() {
  return execute_branch<F>;
}

}  // namespace planar::cpu
