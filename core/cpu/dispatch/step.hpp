// SPDX-License-Identifier: GPL-2.0-or-later
// How the instructions of a block follow one another on the 386SX: each, once executed, begins the next one at the
// clock as it then is, and jumps to it. What an instruction costs depends on what the prefetch queue and the bus have
// been doing, so there is no plan; but within a block nothing flushes the queue between two instructions, and a
// register-only instruction (chain.hpp) does not use EIP. A block's length bounds the stack where the compiler makes no
// tail calls.
#pragma once

#include "core/cpu/dispatch/chain.hpp"

namespace planar::cpu {

/// The steps of no particular instruction, which run Op::execute, whatever it is: within a block and as its last.
void step_selected(Engine& c, const Op& op);
void step_selected_last(Engine& c, const Op& op);

// Before an instruction that has begun and is not register-only.
inline void Engine::arrive_at(const Op& op) {
  current_op = &op;
  eip = block_eip + op.after;
}
// After one that is not its block's last.
[[gnu::always_inline]] inline void Engine::step_on(const Op& op) {
  if (timing.clocks() >= stop_at) [[unlikely]]
    return stop_after(op);
  const Op& next = (&op)[1];
  if (!timing.i386sx().begin_from_queue(next)) return step_in_row(next);
  return next.chained(*this, next);
}

template <Handler F>
[[gnu::flatten]] void step(Engine& c, const Op& op) {
  c.arrive_at(op);
  F(c, op);
  return c.step_on(op);
}
template <Handler F>
[[gnu::flatten]] void step_register_only(Engine& c, const Op& op) {
  F(c, op);
  return c.step_on(op);
}
template <Handler F>
[[gnu::flatten]] void step_last(Engine& c, const Op& op) {
  c.arrive_at(op);
  F(c, op);
  return c.step_to_next();
}

/// The path to memory of a processor without a cache, whose L0 line cache is always empty.
struct Uncached {
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

}  // namespace planar::cpu
