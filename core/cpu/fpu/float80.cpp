// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/cpu/fpu/float80.hpp"

#include <bit>

namespace planar::cpu {

FloatClass classify(const Float80& v) {
  const int e = v.biased();
  if (e == 0) return v.mantissa == 0 ? FloatClass::zero : FloatClass::denormal;
  if (!(v.mantissa >> 63)) return FloatClass::unsupported;
  if (e != 0x7FFF) return FloatClass::normal;
  if (v.mantissa << 1 == 0) return FloatClass::infinity;
  return v.mantissa >> 62 & 1 ? FloatClass::quiet_nan : FloatClass::signaling_nan;
}

Unpacked unpack(const Float80& v) {
  const int e = v.biased() == 0 ? 1 : v.biased();  // a pseudo-denormal has the value it would have with exponent 1
  const int zeros = std::countl_zero(v.mantissa);
  return {v.sign(), e - 16383 - zeros, v.mantissa << zeros};
}

UInt128 shift_right_sticky(UInt128 v, unsigned count) {
  if (count == 0) return v;
  if (count > 127) return v != 0;
  return v >> count | (v << (128 - count) != 0);
}

RoundedBits round_bits(UInt128 significand, unsigned bits, Rounding rounding, bool negative) {
  const unsigned dropped = 128 - bits;
  const UInt128 rest = significand << bits;  // the bits below, left-justified
  const UInt128 half = UInt128{1} << 127;
  UInt128 kept = significand >> dropped;
  RoundedBits r{0, false, rest != 0, false};
  if (r.inexact) {
    switch (rounding) {
      case Rounding::nearest: r.up = rest > half || (rest == half && (kept & 1)); break;
      case Rounding::down: r.up = negative; break;
      case Rounding::up: r.up = !negative; break;
      case Rounding::chop: break;
    }
  }
  if (r.up) ++kept;
  if (kept >> bits) {
    r.carry = true;
    kept >>= 1;
  }
  r.significand = static_cast<std::uint64_t>(kept << (64 - bits));
  return r;
}

namespace {

constexpr int adjust = 24576;  // exponent adjustment after an unmasked overflow or underflow

Float80 pack(bool negative, int biased, std::uint64_t mantissa) {
  return {mantissa, static_cast<std::uint16_t>((negative ? 0x8000 : 0) | (biased & 0x7FFF))};
}

}  // namespace

void note(FloatEnvironment& env, const RoundedBits& r) {
  if (r.inexact) env.raise(float_inexact);
  env.rounded_up = r.up;
}

bool overflows_to_infinity(FloatEnvironment& env, bool negative) {
  env.raise(float_overflow | float_inexact);
  env.rounded_up = env.rounding == Rounding::nearest || env.rounding == (negative ? Rounding::down : Rounding::up);
  return env.rounded_up;
}

Float80 round_pack(FloatEnvironment& env, bool negative, int exponent, UInt128 significand) {
  const RoundedBits r = round_bits(significand, env.precision, env.rounding, negative);
  int biased = exponent + 16383;
  if (biased + r.carry >= 0x7FFF) {
    if (!env.unmasked(float_overflow))
      return overflows_to_infinity(env, negative) ? float80_infinity(negative)
                                                  : pack(negative, 0x7FFE, ~std::uint64_t{0} << (64 - env.precision));
    env.raise(float_overflow);
    note(env, r);
    return pack(negative, biased + r.carry - adjust, r.significand);
  }
  if (biased > 0) {
    note(env, r);
    return pack(negative, biased + r.carry, r.significand);
  }
  // Tininess is detected after rounding.
  const bool tiny = biased < 0 || !r.carry;
  if (tiny && env.unmasked(float_underflow)) {
    env.raise(float_underflow);
    note(env, r);
    return pack(negative, biased + r.carry + adjust, r.significand);
  }
  const RoundedBits d = round_bits(shift_right_sticky(significand, static_cast<unsigned>(1 - biased)), env.precision,
                                   env.rounding, negative);
  note(env, d);
  if (tiny && d.inexact) env.raise(float_underflow);
  return pack(negative, static_cast<int>(d.significand >> 63), d.significand);
}

Float80 invalid(FloatEnvironment& env) {
  env.raise(float_invalid);
  return float80_indefinite;
}

bool propagate_nan(FloatEnvironment& env, const Float80& a, Float80& result) {
  const FloatClass c = classify(a);
  if (c == FloatClass::unsupported) {
    result = invalid(env);
    return true;
  }
  if (!is_nan(c)) return false;
  if (c == FloatClass::signaling_nan) env.raise(float_invalid);
  result = a;
  result.mantissa |= std::uint64_t{1} << 62;
  return true;
}

bool propagate_nan(FloatEnvironment& env, const Float80& a, const Float80& b, Float80& result) {
  const FloatClass ca = classify(a), cb = classify(b);
  if (ca == FloatClass::unsupported || cb == FloatClass::unsupported) {
    result = invalid(env);
    return true;
  }
  if (!is_nan(ca) && !is_nan(cb)) return false;
  const bool signaling_a = ca == FloatClass::signaling_nan, signaling_b = cb == FloatClass::signaling_nan;
  if (signaling_a || signaling_b) env.raise(float_invalid);
  Float80 qa = a, qb = b;
  qa.mantissa |= std::uint64_t{1} << 62;
  qb.mantissa |= std::uint64_t{1} << 62;
  // clang-format off
  if (!is_nan(cb)) result = qa;
  else if (!is_nan(ca)) result = qb;
  else if (signaling_a != signaling_b) result = signaling_a ? qb : qa;
  else if (qa.mantissa != qb.mantissa) result = qa.mantissa > qb.mantissa ? qa : qb;
  else result = qa.sign() ? qb : qa;
  // clang-format on
  return true;
}

}  // namespace planar::cpu
