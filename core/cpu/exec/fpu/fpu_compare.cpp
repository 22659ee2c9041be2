// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/cpu/exec/fpu/fpu_instructions.hpp"

namespace planar::cpu {

namespace {

constexpr std::uint16_t unordered = fpu_c3 | fpu_c2 | fpu_c0;

std::uint16_t condition_of(Order order) {
  switch (order) {
    case Order::greater: return 0;
    case Order::less: return fpu_c0;
    case Order::equal: return fpu_c3;
    default: return unordered;
  }
}

/// A comparison with an empty register; true if the operands are to be popped.
bool underflow(Fpu& f) {
  f.set_condition(unordered);
  return f.stack_underflow();
}

void pop(Fpu& f, unsigned count) {
  while (count--) f.pop();
}

bool compare_top(Fpu& f, FloatEnvironment& env, const Float80& other, bool quiet) {
  const Order order = compare(env, f.st(0), other, quiet);
  f.set_condition(condition_of(order));
  return f.settle(env);
}

}  // namespace

void fpu_compare_memory(Fpu& f, const FpuSource& source, bool pop_it) {
  bool done;
  if (f.empty(0)) {
    done = underflow(f);
  } else {
    FloatEnvironment env = f.environment();
    if (source.denormal && !is_nan(classify(f.st(0))) && classify(f.st(0)) != FloatClass::unsupported)
      env.raise(float_denormal);
    done = compare_top(f, env, source.value, false);
  }
  if (done && pop_it) f.pop();
}

void fpu_compare_register(Fpu& f, unsigned i, bool quiet, unsigned pops) {
  bool done;
  if (f.empty(0) || f.empty(i)) {
    done = underflow(f);
  } else {
    FloatEnvironment env = f.environment();
    done = compare_top(f, env, f.st(i), quiet);
  }
  if (done) pop(f, pops);
}

void fpu_test(Fpu& f) {
  if (f.empty(0)) {
    underflow(f);
    return;
  }
  FloatEnvironment env = f.environment();
  compare_top(f, env, float80_zero(false), false);
}

// OF, SF and AF are always cleared; the three flags that hold the result change only if there is one.
void fpu_compare_to_flags(Engine& c, unsigned i, bool quiet, bool pop) {
  static constexpr std::uint32_t results[] = {0, flag_cf, flag_zf, flag_zf | flag_pf | flag_cf};  // by Order
  Fpu& f = c.fpu;
  Order order = Order::unordered;
  bool done;
  if (f.empty(0) || f.empty(i)) {
    done = f.stack_underflow();
  } else {
    FloatEnvironment env = f.environment();
    order = compare(env, f.st(0), f.st(i), quiet);
    done = f.settle(env);
  }
  constexpr std::uint32_t result_flags = flag_zf | flag_pf | flag_cf;
  c.set_arithmetic(done ? results[static_cast<unsigned>(order)] : c.arithmetic() & result_flags);
  if (done && pop) f.pop();
}

void fpu_conditional_move(Engine& c, unsigned number, bool negated, unsigned i) {
  Fpu& f = c.fpu;
  if (fpu_missing(f, i)) return;
  const std::uint32_t flags = c.arithmetic();
  static constexpr std::uint32_t wanted[] = {flag_cf, flag_zf, flag_cf | flag_zf, flag_pf};
  if (((flags & wanted[number]) != 0) != negated) f.set(0, f.st(i));
}

void fpu_examine(Fpu& f) {
  unsigned codes = f.st(0).sign() ? fpu_c1 : 0;
  if (f.empty(0)) {
    codes |= fpu_c3 | fpu_c0;
  } else {
    switch (classify(f.st(0))) {
      case FloatClass::unsupported: break;
      case FloatClass::quiet_nan:
      case FloatClass::signaling_nan: codes |= fpu_c0; break;
      case FloatClass::normal: codes |= fpu_c2; break;
      case FloatClass::infinity: codes |= fpu_c2 | fpu_c0; break;
      case FloatClass::zero: codes |= fpu_c3; break;
      case FloatClass::denormal: codes |= fpu_c3 | fpu_c2; break;
    }
  }
  f.set_condition(static_cast<std::uint16_t>(codes));
}

}  // namespace planar::cpu
