// SPDX-License-Identifier: GPL-2.0-or-later
#include <bit>

#include "core/cpu/fpu/float80.hpp"

namespace planar::cpu {

namespace {

using enum FloatClass;

/// Packs s / 2^63 * 2^exponent, not normalised, into a Float80. Always exact for remainders.
Float80 pack_exact(FloatEnvironment& env, bool negative, int exponent, std::uint64_t s) {
  if (s == 0) return float80_zero(negative);
  const int zeros = std::countl_zero(s);
  return round_pack(env, negative, exponent - zeros, UInt128{s << zeros} << 64);
}

constexpr int smallest_normal_exponent = -16382;

FloatEnvironment full_precision(const FloatEnvironment& env) {
  FloatEnvironment e = env;
  e.precision = 64;
  return e;
}

}  // namespace

Float80 scale(FloatEnvironment& caller, const Float80& a, const Float80& b) {
  Float80 result;
  if (propagate_nan(caller, a, b, result)) return result;
  const FloatClass ca = classify(a), cb = classify(b);
  if (cb == infinity) {
    if ((ca == zero && !b.sign()) || (ca == infinity && b.sign())) return invalid(caller);
    if (ca == denormal) caller.raise(float_denormal);
    return b.sign() ? float80_zero(a.sign()) : float80_infinity(a.sign());
  }
  if (ca == denormal || cb == denormal) caller.raise(float_denormal);
  if (ca == zero || ca == infinity || caller.stopped()) return a;
  FloatEnvironment env = full_precision(caller);
  const Unpacked x = unpack(a);
  int by = 0;
  if (cb != zero) {
    const Unpacked y = unpack(b);
    if (y.exponent >= 0) by = y.exponent > 16 ? 0x1FFFF : static_cast<int>(y.significand >> (63 - y.exponent));
    if (y.negative) by = -by;
  }
  const int exponent = x.exponent + by;
  // Beyond what an adjusted exponent can express, the result is infinity or zero.
  constexpr int reach = 24576;
  if (env.unmasked(float_overflow) && exponent - reach > 16383) {
    env.raise(float_overflow | float_inexact);
    env.rounded_up = true;
    result = float80_infinity(x.negative);
  } else if (env.unmasked(float_underflow) && exponent + reach < smallest_normal_exponent) {
    env.raise(float_underflow | float_inexact);
    env.rounded_up = false;
    result = float80_zero(x.negative);
  } else {
    result = round_pack(env, x.negative, exponent, UInt128{x.significand} << 64);
  }
  caller.raise(env.raised);
  caller.rounded_up = env.rounded_up;
  return result;
}

Float80 extract(FloatEnvironment& env, const Float80& a, Float80& significand) {
  if (propagate_nan(env, a, significand)) return significand;
  const FloatClass c = classify(a);
  significand = a;
  if (c == infinity) return float80_infinity(false);
  if (c == zero) {
    env.raise(float_zero_divide);
    return float80_infinity(true);
  }
  if (c == denormal) env.raise(float_denormal);
  const Unpacked u = unpack(a);
  significand = {u.significand, static_cast<std::uint16_t>((u.negative ? 0x8000 : 0) | 0x3FFF)};
  return from_integer(u.exponent);
}

Remainder remainder(FloatEnvironment& caller, const Float80& a, const Float80& b, bool nearest) {
  Remainder r;
  if (propagate_nan(caller, a, b, r.value)) return r;
  const FloatClass ca = classify(a), cb = classify(b);
  if (ca == infinity || cb == zero) {
    r.value = invalid(caller);
    return r;
  }
  if (ca == denormal || cb == denormal) caller.raise(float_denormal);
  r.value = a;
  r.divided = true;
  if (ca == zero || caller.stopped()) return r;
  FloatEnvironment env = full_precision(caller);
  const Unpacked x = unpack(a), y = unpack(b);
  const int difference = x.exponent - y.exponent;
  // A denormal divided by an infinity is returned unchanged, without #U. Processors differ here when underflow is
  // unmasked: Intel's (family 6 model 207) leave the operand alone; AMD's (family 25) deliver the result of an unmasked
  // underflow, its exponent biased by 24576. For the 387 and the Pentium, Intel's behaviour is inferred: the tables of
  // FPREM and FPREM1 in Intel's manuals show ST(0) as the result for an infinite divisor, but a rounded result for a
  // small finite quotient.
  if (cb == infinity && x.exponent < smallest_normal_exponent) return r;
  if (cb == infinity || difference < -1 || (difference < 0 && !nearest)) {
    // a itself; normalised if it was a pseudo-denormal, with the underflow response if it is tiny.
    r.value = round_pack(env, x.negative, x.exponent, UInt128{x.significand} << 64);
    caller.raise(env.raised);
    return r;
  }
  // Long division of x by y, one quotient bit per step; a partial remainder takes 32 to 63 steps.
  const int steps = difference < 64 ? difference : (difference & 31) | 32;
  UInt128 rest = x.significand;
  std::uint64_t quotient = 0;
  int exponent = y.exponent;
  bool negative = x.negative;
  if (difference < 0) {  // nearest only: |a| in [|b|/4, |b|)
    // rest / 2 against y: compare 2 * (rest / 2) = rest with y.
    if (rest > y.significand) {
      // |b| - |a|, at half of y's unit
      rest = (UInt128{y.significand} << 1) - rest;
      quotient = 1;
      negative = !negative;
    }
    exponent = x.exponent;
  } else {
    for (int i = 0;; ++i) {
      quotient <<= 1;
      if (rest >= y.significand) {
        rest -= y.significand;
        quotient |= 1;
      }
      if (i == steps) break;
      rest <<= 1;
    }
    if (difference >= 64) {
      r.complete = false;
      exponent = x.exponent - steps;
    } else if (nearest) {
      const UInt128 twice = rest << 1;
      if (twice > y.significand || (twice == y.significand && (quotient & 1))) {
        rest = y.significand - rest;
        ++quotient;
        negative = !negative;
      }
    }
  }
  if (r.complete) r.quotient = static_cast<std::uint8_t>(quotient & 7);
  r.value =
      rest == 0 ? float80_zero(x.negative) : pack_exact(env, negative, exponent, static_cast<std::uint64_t>(rest));
  caller.raise(env.raised);
  return r;
}

}  // namespace planar::cpu
