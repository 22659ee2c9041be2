// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/cpu/fpu/float80_functions.hpp"

#include <utility>

#include "core/cpu/fpu/wide.hpp"

namespace planar::cpu {

namespace {

using enum FloatClass;

constexpr Wide ln2{false, -1, wide_bits(0xB17217F7D1CF79ABu, 0xC9E3B39803F2F6AFu)};
constexpr Wide two_by_ln2{false, 1, wide_bits(0xB8AA3B295C17F0BBu, 0xBE87FED0691D3E89u)};
constexpr Wide pi{false, 1, wide_bits(0xC90FDAA22168C234u, 0xC4C6628B80DC1CD1u)};
constexpr Wide one{false, 0, UInt128{1} << 127};
/// atan(k / 8)
constexpr Wide arc_tangents[9] = {
    {},
    {false, -4, wide_bits(0xFEADD4D5617B6E32u, 0xC897989F3E888EF8u)},
    {false, -3, wide_bits(0xFADBAFC96406EB15u, 0x6DC79EF5F7A217E6u)},
    {false, -2, wide_bits(0xB7B0CA0F26F78473u, 0x8AA32122DCFE4483u)},
    {false, -2, wide_bits(0xED63382B0DDA7B45u, 0x6FE445ECBC3A8D03u)},
    {false, -1, wide_bits(0x8F005D5EF7F59F9Bu, 0x5C835E1665C43748u)},
    {false, -1, wide_bits(0xA4BC7D1934F70924u, 0x19A87F2A457DAC9Fu)},
    {false, -1, wide_bits(0xB8053E2BC2319E73u, 0xCB2DA55210A4443Du)},
    {false, -1, wide_bits(0xC90FDAA22168C234u, 0xC4C6628B80DC1CD1u)},
};
/// The chip's pi/2: 66 bits, in units of 2^-65.
constexpr UInt128 half_pi_66 = wide_bits(3, 0x243F6A8885A308D3u);

Wide times_power(Wide v, int n) {
  v.exponent += n;
  return v;
}

/// The next value towards zero: stands for "a little less than v" where v itself would round as if exact.
Wide a_little_less(Wide v) {
  if (v.significand == UInt128{1} << 127) return {v.negative, v.exponent - 1, ~UInt128{0}};
  --v.significand;
  return v;
}

/// For a product of exactly known factors, which may be exact.
Float80 finish_exact(FloatEnvironment& caller, const Wide& v) {
  FloatEnvironment env = caller;
  env.precision = 64;
  const Float80 r = round_pack(env, v.negative, v.exponent, v.significand);
  caller.raised = env.raised;
  caller.rounded_up = env.rounded_up;
  return r;
}

/// For any other result: what lies below the last bit is not zero.
Float80 finish(FloatEnvironment& env, Wide v) {
  v.significand |= 1;
  return finish_exact(env, v);
}

/// Taylor series of sine for |r| <= pi/4, r not zero.
Wide sine_series(const Wide& r) {
  const Wide square = r * r;
  if (r.exponent < -64) return a_little_less(r);
  Wide t = one;
  for (std::uint32_t n = 34; n >= 2; n -= 2) t = one - square * t / (n * (n + 1));
  return r * t;
}

Wide cosine_series(const Wide& r) {
  if (r.exponent < -64) return a_little_less(one);
  const Wide square = r * r;
  Wide t = one;
  for (std::uint32_t n = 35; n > 1;) {
    n -= 2;
    t = one - square * t / (n * (n + 1));
  }
  return t;
}

/// atanh(s) / s * s for |s| <= 0.1716.
Wide inverse_tanh(const Wide& s) {
  const Wide square = s * s;
  Wide sum = one / 59u;
  for (std::uint32_t n = 59; n > 1;) sum = one / (n -= 2) + square * sum;
  return s * sum;
}

/// atan(t) for |t| <= 1/16.
Wide arc_tangent_series(const Wide& t) {
  const Wide square = t * t;
  Wide sum = one / 37u;
  for (std::uint32_t n = 37; n > 1;) sum = one / (n -= 2) - square * sum;
  return t * sum;
}

/// log2(x) for finite x > 0, x not a power of two.
Wide log2_of(const Wide& x) {
  // x = 2^k * m with m in [sqrt(1/2), sqrt(2))
  constexpr UInt128 root_two = wide_bits(0xB504F333F9DE6484u, 0);
  const int k = x.exponent + (x.significand > root_two ? 1 : 0);
  const Wide m = times_power(x, -k);
  const Wide fraction = inverse_tanh((m - one) / (m + one)) * two_by_ln2;
  return wide_integer(k) + fraction;
}

struct Reduced {
  Wide angle;         ///< |angle| <= pi/4, from the magnitude of the argument
  unsigned quadrant;  ///< multiples of pi/2 that were subtracted
};

/// `x` finite, not zero, |x| < 2^63.
Reduced reduce(const Unpacked& x) {
  const Wide whole{false, x.exponent, UInt128{x.significand} << 64};
  if (x.exponent < -1) return {whole, 0};
  const UInt128 units = UInt128{x.significand} << (x.exponent + 2);  // of 2^-65
  const UInt128 quotient = units / half_pi_66;
  UInt128 rest = units % half_pi_66;
  auto quadrant = static_cast<unsigned>(quotient & 3);
  bool negative = false;
  if (rest * 2 > half_pi_66) {
    rest = half_pi_66 - rest;
    negative = true;
    quadrant = (quadrant + 1) & 3;
  }
  return {wide_normalised(negative, 127 - 65, rest), quadrant};
}

/// NaN, infinity, range and denormals of the trigonometric functions; `settled`: `result` is the outcome.
enum class Start { proceed, settled, out_of_range };
Start start_trigonometric(FloatEnvironment& env, const Float80& x, Float80& result) {
  if (propagate_nan(env, x, result)) return Start::settled;
  const FloatClass c = classify(x);
  if (c == infinity) {
    result = invalid(env);
    return Start::settled;
  }
  if (c == normal && x.biased() >= 16383 + 63) return Start::out_of_range;
  if (c == denormal) env.raise(float_denormal);
  return Start::proceed;
}

}  // namespace

bool sine_cosine(FloatEnvironment& env, const Float80& x, Float80* sine, Float80* cosine) {
  Float80 settled = float80_indefinite;
  const Start start = start_trigonometric(env, x, settled);
  if (start == Start::out_of_range) return false;
  if (start == Start::settled || env.stopped()) {
    if (sine) *sine = settled;
    if (cosine) *cosine = settled;
    return true;
  }
  if (classify(x) == zero) {
    if (sine) *sine = x;
    if (cosine) *cosine = float80_one;
    return true;
  }
  const Reduced r = reduce(unpack(x));
  if (sine) {
    Wide v = r.quadrant & 1 ? cosine_series(r.angle) : sine_series(r.angle);
    if ((r.quadrant & 2) != 0) v = -v;
    *sine = finish(env, x.sign() ? -v : v);
  }
  if (cosine) {
    Wide v = r.quadrant & 1 ? sine_series(r.angle) : cosine_series(r.angle);
    if (r.quadrant == 1 || r.quadrant == 2) v = -v;
    *cosine = finish(env, v);
  }
  return true;
}

bool tangent(FloatEnvironment& env, const Float80& x, Float80& result) {
  result = float80_indefinite;
  const Start start = start_trigonometric(env, x, result);
  if (start == Start::out_of_range) return false;
  if (start == Start::settled || env.stopped()) return true;
  if (classify(x) == zero) {
    result = x;
    return true;
  }
  const Reduced r = reduce(unpack(x));
  Wide v;
  if (r.angle.exponent < -64 && r.quadrant % 2 == 0) {
    v = r.angle;  // the tangent is a little more, as finish() assumes
  } else {
    const Wide s = sine_series(r.angle), c = cosine_series(r.angle);
    v = r.quadrant & 1 ? -(c / s) : s / c;
  }
  result = finish(env, x.sign() ? -v : v);
  return true;
}

Float80 exp2_minus_1(FloatEnvironment& env, const Float80& x) {
  Float80 result;
  if (propagate_nan(env, x, result)) return result;
  const FloatClass c = classify(x);
  if (c == zero) return x;
  if (c == infinity) return x.sign() ? negated(float80_one) : x;
  if (c == denormal) env.raise(float_denormal);
  if (env.stopped()) return float80_indefinite;
  if (x.biased() >= 16383) {
    if (x == negated(float80_one)) return {float80_one.mantissa, 0xBFFE};  // -1/2
    return x;                                                              // 1 gives 1; beyond, undefined
  }
  const Wide y = to_wide(x) * ln2;
  Wide t = one;
  if (y.exponent >= -130)
    for (std::uint32_t n = 36; n >= 2; --n) t = one + y * t / n;
  return finish(env, y * t);
}

Float80 y_log2_x(FloatEnvironment& env, const Float80& x, const Float80& y) {
  Float80 result;
  if (propagate_nan(env, x, y, result)) return result;
  const FloatClass cx = classify(x), cy = classify(y);
  if (cx == zero) {
    if (cy == zero) return invalid(env);
    if (cy == infinity) return float80_infinity(!y.sign());
    env.raise(float_zero_divide);
    if (!env.stopped() && cy == denormal) env.raise(float_denormal);
    return float80_infinity(!y.sign());
  }
  if (x.sign()) return invalid(env);
  const bool below_one = x.biased() < 16383, is_one = x == float80_one;
  if (cx == infinity && cy == zero) return invalid(env);
  if (cy == infinity && is_one) return invalid(env);
  if (cx == denormal || cy == denormal) env.raise(float_denormal);
  if (env.stopped()) return float80_indefinite;
  if (cx == infinity) return float80_infinity(y.sign());
  if (cy == infinity) return float80_infinity(y.sign() != below_one);
  if (cy == zero) return float80_zero(y.sign() != below_one);
  if (is_one) return float80_zero(y.sign());
  const Wide v = to_wide(x);
  if (v.significand == one.significand) {
    env.raise(float_inexact);  // even if it is exact, as the silicon does
    return finish_exact(env, wide_integer(v.exponent) * to_wide(y));
  }
  return finish(env, log2_of(v) * to_wide(y));
}

Float80 y_log2_x_plus_1(FloatEnvironment& env, const Float80& x, const Float80& y) {
  Float80 result;
  if (propagate_nan(env, x, y, result)) return result;
  const FloatClass cx = classify(x), cy = classify(y);
  if (cx == infinity && (x.sign() || cy == zero)) return invalid(env);
  if (cx == zero && cy == infinity) return invalid(env);
  if (cx == denormal || cy == denormal) env.raise(float_denormal);
  if (env.stopped()) return float80_indefinite;
  const bool negative = x.sign() != y.sign();
  if (cx == infinity || cy == infinity) return float80_infinity(negative);
  if (cx == zero || cy == zero) return float80_zero(negative);
  const Wide v = to_wide(x), sum = one + v;
  if (x.sign() && x.biased() >= 16383) {
    if (sum.negative) return invalid(env);
    env.raise(float_zero_divide);  // log2(0)
    return float80_infinity(!y.sign());
  }
  // 1 - sqrt(1/2) = 0.29289...: up to there, one series suffices without loss of precision.
  constexpr Wide limit{false, -2, wide_bits(0x95F619980C4336F7u, 0)};
  const Wide log = smaller(v, limit)                    ? inverse_tanh(v / (one + sum)) * two_by_ln2
                   : sum.significand == one.significand ? wide_integer(sum.exponent)
                                                        : log2_of(sum);
  return finish(env, log * to_wide(y));
}

Float80 arc_tangent(FloatEnvironment& env, const Float80& y, const Float80& x) {
  Float80 result;
  if (propagate_nan(env, x, y, result)) return result;
  const FloatClass cx = classify(x), cy = classify(y);
  if (cx == denormal || cy == denormal) env.raise(float_denormal);
  if (env.stopped()) return float80_indefinite;
  const auto with_sign = [&](Wide v) {
    v.negative = y.sign();
    return finish(env, v);
  };
  if (cy == infinity) {
    if (cx != infinity) return with_sign(times_power(pi, -1));
    return with_sign(x.sign() ? times_power(pi * wide_integer(3), -2) : times_power(pi, -2));
  }
  if (cx == infinity || cy == zero) {
    if (x.sign()) return with_sign(pi);
    return float80_zero(y.sign());
  }
  if (cx == zero) return with_sign(times_power(pi, -1));

  Wide a = to_wide(y), b = to_wide(x);
  a.negative = b.negative = false;
  const bool swapped = smaller(b, a);
  if (swapped) std::swap(a, b);
  // a/b = tan(angle), 0 < a/b <= 1: atan(a/b) = atan(k/8) + atan((8a - kb) / (8b + ka))
  Wide angle;
  if (a.exponent - b.exponent < -66) {
    const Wide ratio = a / b;
    // Whether or not the quotient of the 64-bit numbers is exact, the arc is a little less.
    angle = a_little_less(ratio);
  } else {
    const Wide ratio = times_power(a / b, 3) + times_power(one, -1);
    const unsigned k = ratio.exponent < 0 ? 0 : static_cast<unsigned>(ratio.significand >> (127 - ratio.exponent));
    const Wide factor = wide_integer(k);
    const Wide a8 = times_power(a, 3), b8 = times_power(b, 3);
    angle = arc_tangents[k] + arc_tangent_series((a8 - factor * b) / (b8 + factor * a));
  }
  if (swapped) angle = times_power(pi, -1) - angle;
  if (x.sign()) angle = pi - angle;
  return with_sign(angle);
}

}  // namespace planar::cpu
