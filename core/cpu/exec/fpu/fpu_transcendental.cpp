// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/cpu/exec/fpu/fpu_instructions.hpp"
#include "core/cpu/fpu/float80_functions.hpp"

namespace planar::cpu {

namespace {

/// ST(1) = f(ST(0), ST(1)), then pop.
template <class F>
void two_operands(Fpu& f, F&& compute) {
  if (f.empty(0) || f.empty(1)) {
    if (!f.stack_underflow()) return;
    f.set(1, float80_indefinite);
  } else {
    FloatEnvironment env = f.environment();
    const Float80 v = compute(env, f.st(0), f.st(1));
    if (!f.settle(env)) return;
    f.set(1, v);
  }
  f.pop();
}

void set_c2(Fpu& f, bool on) { f.status = static_cast<std::uint16_t>(on ? f.status | fpu_c2 : f.status & ~fpu_c2); }

void out_of_range(Fpu& f) {
  f.set_c1(false);
  set_c2(f, true);
}

}  // namespace

void fpu_exp2_minus_1(Fpu& f) {
  fpu_replace_top(f, [](FloatEnvironment& env, const Float80& v) { return exp2_minus_1(env, v); });
}

void fpu_y_log2_x(Fpu& f, bool plus_1) {
  two_operands(f, [plus_1](FloatEnvironment& env, const Float80& x, const Float80& y) {
    return plus_1 ? y_log2_x_plus_1(env, x, y) : y_log2_x(env, x, y);
  });
}

void fpu_arc_tangent(Fpu& f) {
  two_operands(f, [](FloatEnvironment& env, const Float80& x, const Float80& y) { return arc_tangent(env, y, x); });
}

void fpu_tangent(Fpu& f) {
  set_c2(f, false);
  if (fpu_no_room(f)) return;
  FloatEnvironment env = f.environment();
  Float80 v;
  if (!tangent(env, f.st(0), v)) {
    out_of_range(f);
    return;
  }
  if (!f.settle(env)) return;
  f.set(0, v);
  f.push(is_nan(classify(v)) ? v : float80_one);
}

void fpu_sine_or_cosine(Fpu& f, bool cosine) {
  set_c2(f, false);
  if (fpu_missing(f, 0)) return;
  FloatEnvironment env = f.environment();
  Float80 v;
  if (!sine_cosine(env, f.st(0), cosine ? nullptr : &v, cosine ? &v : nullptr))
    out_of_range(f);
  else if (f.settle(env))
    f.set(0, v);
}

void fpu_sine_cosine(Fpu& f) {
  set_c2(f, false);
  if (fpu_no_room(f)) return;
  FloatEnvironment env = f.environment();
  Float80 s, c;
  if (!sine_cosine(env, f.st(0), &s, &c)) {
    out_of_range(f);
    return;
  }
  if (!f.settle(env)) return;
  f.set(0, s);
  f.push(c);
}

}  // namespace planar::cpu
