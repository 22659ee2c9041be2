// SPDX-License-Identifier: GPL-2.0-or-later
#include <utility>

#include "core/cpu/fpu/float80.hpp"

namespace planar::cpu {

namespace {

using enum FloatClass;

void note_denormals(FloatEnvironment& env, FloatClass a, FloatClass b) {
  if (a == denormal || b == denormal) env.raise(float_denormal);
}

Float80 round_value(FloatEnvironment& env, const Float80& v) {
  const Unpacked u = unpack(v);
  return round_pack(env, u.negative, u.exponent, UInt128{u.significand} << 64);
}

Float80 add_finite(FloatEnvironment& env, Unpacked a, Unpacked b) {
  if (a.exponent < b.exponent) std::swap(a, b);
  int exponent = a.exponent;
  // One bit of room above for the carry, 62 below for the part that is shifted out.
  UInt128 x = UInt128{a.significand} << 63;
  const UInt128 y = shift_right_sticky(UInt128{b.significand} << 63, static_cast<unsigned>(a.exponent - b.exponent));
  bool negative = a.negative;
  if (a.negative == b.negative) {
    x += y;
  } else if (x >= y) {
    x -= y;
  } else {
    x = y - x;
    negative = b.negative;
  }
  if (x == 0) return float80_zero(env.rounding == Rounding::down);
  const unsigned zeros = leading_zeros(x);
  exponent += 1 - static_cast<int>(zeros);
  return round_pack(env, negative, exponent, x << zeros);
}

}  // namespace

Float80 add(FloatEnvironment& env, const Float80& a, const Float80& b) {
  Float80 result;
  if (propagate_nan(env, a, b, result)) return result;
  const FloatClass ca = classify(a), cb = classify(b);
  if (ca == infinity && cb == infinity) return a.sign() == b.sign() ? a : invalid(env);
  note_denormals(env, ca, cb);
  if (ca == infinity) return a;
  if (cb == infinity) return b;
  if (env.stopped()) return float80_indefinite;
  if (ca == zero && cb == zero) return a.sign() == b.sign() ? a : float80_zero(env.rounding == Rounding::down);
  if (ca == zero) return round_value(env, b);
  if (cb == zero) return round_value(env, a);
  return add_finite(env, unpack(a), unpack(b));
}

Float80 subtract(FloatEnvironment& env, const Float80& a, const Float80& b) {
  Float80 result;
  if (propagate_nan(env, a, b, result)) return result;  // a NaN keeps its sign
  return add(env, a, negated(b));
}

Float80 multiply(FloatEnvironment& env, const Float80& a, const Float80& b) {
  Float80 result;
  if (propagate_nan(env, a, b, result)) return result;
  const FloatClass ca = classify(a), cb = classify(b);
  const bool negative = a.sign() != b.sign();
  if ((ca == infinity && cb == zero) || (ca == zero && cb == infinity)) return invalid(env);
  note_denormals(env, ca, cb);
  if (ca == infinity || cb == infinity) return float80_infinity(negative);
  if (ca == zero || cb == zero) return float80_zero(negative);
  if (env.stopped()) return float80_indefinite;
  const Unpacked x = unpack(a), y = unpack(b);
  UInt128 product = UInt128{x.significand} * y.significand;
  int exponent = x.exponent + y.exponent + 1;
  if (!(product >> 127)) {
    product <<= 1;
    --exponent;
  }
  return round_pack(env, negative, exponent, product);
}

Float80 divide(FloatEnvironment& env, const Float80& a, const Float80& b) {
  Float80 result;
  if (propagate_nan(env, a, b, result)) return result;
  const FloatClass ca = classify(a), cb = classify(b);
  const bool negative = a.sign() != b.sign();
  if ((ca == infinity && cb == infinity) || (ca == zero && cb == zero)) return invalid(env);
  if (cb == zero && ca != infinity) {
    env.raise(float_zero_divide);  // takes precedence over a denormal dividend
    return float80_infinity(negative);
  }
  note_denormals(env, ca, cb);
  if (ca == infinity) return float80_infinity(negative);
  if (cb == infinity || ca == zero) return float80_zero(negative);
  if (env.stopped()) return float80_indefinite;
  const Unpacked x = unpack(a), y = unpack(b);
  int exponent = x.exponent - y.exponent;
  UInt128 dividend = UInt128{x.significand} << 64;
  if (x.significand >= y.significand)
    dividend >>= 1;  // quotient in [2^63, 2^64)
  else
    --exponent;
  const auto high = static_cast<std::uint64_t>(dividend / y.significand);
  const auto rest = static_cast<std::uint64_t>(dividend % y.significand);
  dividend = UInt128{rest} << 64;
  const auto low = static_cast<std::uint64_t>(dividend / y.significand);
  const bool sticky = dividend % y.significand != 0;
  return round_pack(env, negative, exponent, UInt128{high} << 64 | low | sticky);
}

Float80 square_root(FloatEnvironment& env, const Float80& a) {
  Float80 result;
  if (propagate_nan(env, a, result)) return result;
  const FloatClass ca = classify(a);
  if (ca == zero) return a;
  if (a.sign()) return invalid(env);
  if (ca == denormal) env.raise(float_denormal);
  if (ca == infinity) return a;
  if (env.stopped()) return float80_indefinite;
  const Unpacked x = unpack(a);
  const bool odd = x.exponent & 1;
  // Digit by digit: the radicand's bits enter two at a time from the top; 66 bits of root, the remainder is sticky.
  const UInt128 radicand = UInt128{x.significand} << (odd ? 64 : 63);  // 1 <= value < 4, times 2^126
  UInt128 root = 0, rest = 0;
  for (int i = 0; i < 66; ++i) {
    const unsigned pair = i < 64 ? static_cast<unsigned>(radicand >> (126 - 2 * i)) & 3u : 0u;
    rest = rest << 2 | pair;
    const UInt128 trial = root << 2 | 1;
    root <<= 1;
    if (rest >= trial) {
      rest -= trial;
      root |= 1;
    }
  }
  const unsigned zeros = leading_zeros(root);
  const int half = (x.exponent - odd) / 2;
  return round_pack(env, false, half, root << zeros | (rest != 0));
}

Order compare(FloatEnvironment& env, const Float80& a, const Float80& b, bool quiet) {
  const FloatClass ca = classify(a), cb = classify(b);
  if (ca == unsupported || cb == unsupported) {
    env.raise(float_invalid);
    return Order::unordered;
  }
  if (is_nan(ca) || is_nan(cb)) {
    if (!quiet || ca == signaling_nan || cb == signaling_nan) env.raise(float_invalid);
    return Order::unordered;
  }
  note_denormals(env, ca, cb);
  if (ca == zero && cb == zero) return Order::equal;
  if (ca == zero) return b.sign() ? Order::greater : Order::less;
  if (cb == zero) return a.sign() ? Order::less : Order::greater;
  if (a.sign() != b.sign()) return a.sign() ? Order::less : Order::greater;
  // A pseudo-denormal has the exponent of the smallest normal number.
  const int ea = a.biased() == 0 && a.mantissa >> 63 ? 1 : a.biased();
  const int eb = b.biased() == 0 && b.mantissa >> 63 ? 1 : b.biased();
  if (ea == eb && a.mantissa == b.mantissa) return Order::equal;
  const bool larger = ea != eb ? ea > eb : a.mantissa > b.mantissa;
  return larger != a.sign() ? Order::greater : Order::less;
}

}  // namespace planar::cpu
