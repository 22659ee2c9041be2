// SPDX-License-Identifier: GPL-2.0-or-later
#include <bit>

#include "core/cpu/fpu/float80.hpp"

namespace planar::cpu {

namespace {

using enum FloatClass;

/// A real format with an implicit integer bit.
struct Format {
  unsigned fraction_bits, sign_bit;
  int bias;
  int largest;  ///< exponent field of infinities and NaNs
};
constexpr Format real32{23, 31, 127, 255}, real64{52, 63, 1023, 2047};

Float80 widen(std::uint64_t v, const Format& f) {
  const std::uint16_t sign = v >> f.sign_bit & 1 ? 0x8000 : 0;
  const int e = static_cast<int>(v >> f.fraction_bits) & f.largest;
  const std::uint64_t fraction = v & ((std::uint64_t{1} << f.fraction_bits) - 1);
  const std::uint64_t aligned = fraction << (63 - f.fraction_bits);
  constexpr std::uint64_t one = std::uint64_t{1} << 63;
  if (e == f.largest) return {one | aligned, static_cast<std::uint16_t>(sign | 0x7FFF)};
  if (e != 0) return {one | aligned, static_cast<std::uint16_t>(sign | (e - f.bias + 16383))};
  if (fraction == 0) return {0, sign};
  const int zeros = std::countl_zero(aligned);
  return {aligned << zeros, static_cast<std::uint16_t>(sign | (1 - f.bias + 16383 - zeros))};
}

bool denormal_field(std::uint64_t v, const Format& f) {
  const std::uint64_t fraction = v & ((std::uint64_t{1} << f.fraction_bits) - 1);
  return fraction != 0 && (static_cast<int>(v >> f.fraction_bits) & f.largest) == 0;
}

Float80 load(FloatEnvironment& env, std::uint64_t v, const Format& f) {
  if (denormal_field(v, f)) env.raise(float_denormal);
  Float80 r = widen(v, f);
  Float80 quiet;
  return propagate_nan(env, r, quiet) ? quiet : r;
}

std::uint64_t narrow(FloatEnvironment& env, const Float80& v, const Format& f) {
  const std::uint64_t sign = std::uint64_t{v.sign()} << f.sign_bit;
  const std::uint64_t infinite = static_cast<std::uint64_t>(f.largest) << f.fraction_bits;
  Float80 quiet;
  if (propagate_nan(env, v, quiet))
    return std::uint64_t{quiet.sign()} << f.sign_bit | infinite | (quiet.mantissa << 1 >> (64 - f.fraction_bits));
  const FloatClass c = classify(v);
  if (c == zero) return sign;
  if (c == infinity) return sign | infinite;
  const Unpacked u = unpack(v);
  const unsigned bits = f.fraction_bits + 1;
  const UInt128 significand = UInt128{u.significand} << 64;
  int e = u.exponent + f.bias;
  RoundedBits r = round_bits(significand, bits, env.rounding, u.negative);
  if (e + r.carry >= f.largest) {
    if (!env.unmasked(float_overflow)) return sign | (overflows_to_infinity(env, u.negative) ? infinite : infinite - 1);
    env.raise(float_overflow);
    return 0;
  }
  if (e <= 0) {
    const bool tiny = e < 0 || !r.carry;
    if (tiny && env.unmasked(float_underflow)) {
      env.raise(float_underflow);
      return 0;
    }
    r = round_bits(shift_right_sticky(significand, static_cast<unsigned>(1 - e)), bits, env.rounding, u.negative);
    if (tiny && r.inexact) env.raise(float_underflow);
    e = static_cast<int>(r.significand >> 63);
  } else {
    e += r.carry;
  }
  note(env, r);
  return sign | static_cast<std::uint64_t>(e) << f.fraction_bits | (r.significand << 1 >> (64 - f.fraction_bits));
}

/// The magnitude as an integer; false if it needs more than 64 bits. The caller raises exceptions.
bool integral(const FloatEnvironment& env, const Unpacked& u, RoundedBits& r) {
  if (u.exponent > 63) return false;
  // A 64.64 fixed-point number; bits shifted out are sticky.
  const UInt128 fixed = shift_right_sticky(UInt128{u.significand} << 64, static_cast<unsigned>(63 - u.exponent));
  r = round_bits(fixed, 64, env.rounding, u.negative);
  return !r.carry;
}

Float80 from_magnitude(std::uint64_t v) {
  if (v == 0) return {};
  const int zeros = std::countl_zero(v);
  return {v << zeros, static_cast<std::uint16_t>(16383 + 63 - zeros)};
}

constexpr std::uint64_t ten_to_18 = 1'000'000'000'000'000'000u;

}  // namespace

Float80 widen_real32(std::uint32_t v) { return widen(v, real32); }
Float80 widen_real64(std::uint64_t v) { return widen(v, real64); }
Float80 from_real32(FloatEnvironment& env, std::uint32_t v) { return load(env, v, real32); }
Float80 from_real64(FloatEnvironment& env, std::uint64_t v) { return load(env, v, real64); }
std::uint32_t to_real32(FloatEnvironment& env, const Float80& v) {
  return static_cast<std::uint32_t>(narrow(env, v, real32));
}
std::uint64_t to_real64(FloatEnvironment& env, const Float80& v) { return narrow(env, v, real64); }

Float80 from_integer(std::int64_t v) {
  const auto magnitude = static_cast<std::uint64_t>(v);
  return v < 0 ? negated(from_magnitude(0 - magnitude)) : from_magnitude(magnitude);
}

std::int64_t to_integer(FloatEnvironment& env, const Float80& v, unsigned bits) {
  const FloatClass c = classify(v);
  if (c == zero) return 0;
  RoundedBits r{};
  bool fits = c == normal || c == denormal;
  if (fits) fits = integral(env, unpack(v), r);
  const std::uint64_t largest = (std::uint64_t{1} << (bits - 1)) - (v.sign() ? 0 : 1);
  if (!fits || r.significand > largest) {
    env.raise(float_invalid);
    return static_cast<std::int64_t>(~std::uint64_t{0} << (bits - 1));
  }
  note(env, r);
  return static_cast<std::int64_t>(v.sign() ? 0 - r.significand : r.significand);
}

Float80 from_bcd(const Bcd80& v) {
  std::uint64_t magnitude = 0;
  for (int shift = 4; shift >= 0; shift -= 4) magnitude = magnitude * 10 + (v.high >> shift & 15);
  for (int shift = 60; shift >= 0; shift -= 4) magnitude = magnitude * 10 + (v.low >> shift & 15);
  return negated(from_magnitude(magnitude), v.high & 0x8000);
}

Bcd80 to_bcd(FloatEnvironment& env, const Float80& v) {
  const std::uint16_t sign = v.sign() ? 0x8000 : 0;
  const FloatClass c = classify(v);
  if (c == zero) return {0, sign};
  RoundedBits r{};
  bool fits = c == normal || c == denormal;
  if (fits) fits = integral(env, unpack(v), r);
  if (!fits || r.significand >= ten_to_18) {
    env.raise(float_invalid);
    return {0xC000000000000000u, 0xFFFF};  // packed BCD indefinite
  }
  note(env, r);
  std::uint64_t rest = r.significand, low = 0;
  for (int i = 0; i < 16; ++i, rest /= 10) low |= rest % 10 << (4 * i);
  return {low, static_cast<std::uint16_t>(sign | rest / 10 << 4 | rest % 10)};
}

Float80 round_to_integer(FloatEnvironment& env, const Float80& v) {
  Float80 result;
  if (propagate_nan(env, v, result)) return result;
  const FloatClass c = classify(v);
  if (c == denormal) env.raise(float_denormal);
  if (c == zero || c == infinity || env.stopped()) return v;
  const Unpacked u = unpack(v);
  if (u.exponent >= 63) return v;
  RoundedBits r{};
  integral(env, u, r);
  note(env, r);
  return negated(from_magnitude(r.significand), u.negative);  // up to 2^63
}

}  // namespace planar::cpu
