// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/cpu/exec/fpu/fpu_instructions.hpp"

namespace planar::cpu {

namespace {

Float80 compute(FloatEnvironment& env, unsigned operation, const Float80& top, const Float80& other) {
  switch (operation) {
    case 0: return add(env, top, other);
    case 1: return multiply(env, top, other);
    case 4: return subtract(env, top, other);
    case 5: return subtract(env, other, top);
    case 6: return divide(env, top, other);
    default: return divide(env, other, top);
  }
}

}  // namespace

FpuSource fpu_read_source(Engine& c, const Op& op) {
  switch (op.opcode & 7) {
    case 0: {
      const std::uint32_t v = c.read<std::uint32_t>(op.segment, c.effective_address(op));
      return {widen_real32(v), (v & 0x7F800000u) == 0 && (v & 0x007FFFFFu) != 0};
    }
    case 4: {
      const std::uint64_t v = fpu_read64(c, fpu_operand(c, op, 8, false));
      return {widen_real64(v), (v & 0x7FF0000000000000u) == 0 && (v & 0x000FFFFFFFFFFFFFu) != 0};
    }
    case 2:
      return {from_integer(static_cast<std::int32_t>(c.read<std::uint32_t>(op.segment, c.effective_address(op))))};
    default:
      return {from_integer(static_cast<std::int16_t>(c.read<std::uint16_t>(op.segment, c.effective_address(op))))};
  }
}

bool fpu_missing(Fpu& f, unsigned i) {
  if (!f.empty(0) && !f.empty(i)) return false;
  if (f.stack_underflow()) f.set(0, float80_indefinite);
  return true;
}

bool fpu_no_room(Fpu& f) {
  if (!f.empty(0) && f.empty(7)) return false;
  if (f.empty(0) ? f.stack_underflow() : f.stack_overflow()) {
    f.set(0, float80_indefinite);
    f.push(float80_indefinite);
  }
  return true;
}

void fpu_arithmetic_memory(Fpu& f, unsigned operation, const FpuSource& source) {
  fpu_replace_top(f, [&](FloatEnvironment& env, const Float80& top) {
    FloatEnvironment trial = env;
    const Float80 v = compute(trial, operation, top, source.value);
    // The source was a denormal in its own format; NaNs, invalid operations and zero divides take precedence.
    if (source.denormal && !is_nan(classify(v)) && !(trial.raised & float_zero_divide)) {
      trial.raise(float_denormal);
      if (env.unmasked(float_denormal)) trial.raised = env.raised | float_denormal, trial.rounded_up = false;
    }
    env = trial;
    return v;
  });
}

void fpu_arithmetic_register(Fpu& f, unsigned operation, unsigned i, bool to_top, bool pop) {
  const unsigned destination = to_top ? 0 : i;
  if (f.empty(0) || f.empty(i)) {
    if (!f.stack_underflow()) return;
    f.set(destination, float80_indefinite);
  } else {
    FloatEnvironment env = f.environment();
    const Float80 v = compute(env, operation, f.st(0), f.st(i));
    if (!f.settle(env)) return;
    f.set(destination, v);
  }
  if (pop) f.pop();
}

void fpu_change_sign(Fpu& f) {
  fpu_replace_top(f, [](FloatEnvironment&, const Float80& v) { return negated(v); });
}

void fpu_absolute(Fpu& f) {
  fpu_replace_top(f, [](FloatEnvironment&, const Float80& v) { return negated(v, v.sign()); });
}

void fpu_square_root(Fpu& f) {
  fpu_replace_top(f, [](FloatEnvironment& env, const Float80& v) { return square_root(env, v); });
}

void fpu_round(Fpu& f) {
  fpu_replace_top(f, [](FloatEnvironment& env, const Float80& v) { return round_to_integer(env, v); });
}

void fpu_scale(Fpu& f) {
  if (fpu_missing(f, 1)) return;
  fpu_replace_top(f, [&](FloatEnvironment& env, const Float80& v) { return scale(env, v, f.st(1)); });
}

void fpu_extract(Fpu& f) {
  if (fpu_no_room(f)) return;
  FloatEnvironment env = f.environment();
  Float80 significand;
  const Float80 exponent = extract(env, f.st(0), significand);
  if (!f.settle(env)) return;
  f.set(0, exponent);
  f.push(significand);
}

void fpu_remainder(Fpu& f, bool nearest) {
  f.status &= static_cast<std::uint16_t>(~fpu_c2);
  if (fpu_missing(f, 1)) return;
  FloatEnvironment env = f.environment();
  const Remainder r = remainder(env, f.st(0), f.st(1), nearest);
  env.rounded_up = false;
  if (!f.settle(env)) return;
  if (!r.divided) {
    f.set(0, r.value);
    return;
  }
  unsigned codes = r.complete ? 0 : fpu_c2;
  if (r.quotient & 4) codes |= fpu_c0;
  if (r.quotient & 2) codes |= fpu_c3;
  if (r.quotient & 1) codes |= fpu_c1;
  f.set_condition(static_cast<std::uint16_t>(codes));
  f.set(0, r.value);
}

}  // namespace planar::cpu
