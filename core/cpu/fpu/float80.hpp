// SPDX-License-Identifier: GPL-2.0-or-later
// The x87's 80-bit extended real and the FPU's operations on it, in integer arithmetic only: the same bits on every
// host. Sources: IEEE 754-1985, Intel 387 and Pentium manuals (chapters on numeric exceptions and special values).
//
//   float80.cpp             classes, NaN rules, rounding and packing
//   float80_arithmetic.cpp  add, subtract, multiply, divide, square root, compare
//   float80_convert.cpp     32- and 64-bit reals, integers, packed BCD, round to integer
//   float80_scale.cpp       FSCALE, FXTRACT, FPREM, FPREM1
//   float80_functions.cpp   transcendentals, on wide.hpp's 128-bit significands
//
// Every operation takes a FloatEnvironment: modes and masks go in, exceptions and the rounding direction come out.
// After an unmasked invalid operation, zero divide or denormal operand, the returned value must not be stored. After an
// unmasked overflow or underflow it is the result with its exponent adjusted by 24576 (for register destinations), and
// must not be stored if the destination is a 32- or 64-bit real in memory.
#pragma once

#include <bit>
#include <cstdint>

#include "core/state/archive.hpp"

namespace planar::cpu {

__extension__ using UInt128 = unsigned __int128;

/// 128 for zero.
constexpr unsigned leading_zeros(UInt128 v) {
  const auto high = static_cast<std::uint64_t>(v >> 64);
  if (high) return static_cast<unsigned>(std::countl_zero(high));
  return 64u + static_cast<unsigned>(std::countl_zero(static_cast<std::uint64_t>(v)));
}

struct Float80 {
  std::uint64_t mantissa = 0;  ///< with the explicit integer bit
  std::uint16_t exponent = 0;  ///< biased by 16383; sign in bit 15

  bool sign() const { return exponent >> 15; }
  int biased() const { return exponent & 0x7FFF; }
  bool operator==(const Float80&) const = default;
  void archive(Archive& a) { a(mantissa, exponent); }
};

inline constexpr Float80 float80_indefinite{0xC000000000000000u, 0xFFFF};  ///< the default NaN
inline constexpr Float80 float80_one{0x8000000000000000u, 0x3FFF};
constexpr Float80 float80_infinity(bool negative) {
  return {0x8000000000000000u, static_cast<std::uint16_t>(negative ? 0xFFFF : 0x7FFF)};
}
constexpr Float80 float80_zero(bool negative) { return {0, static_cast<std::uint16_t>(negative ? 0x8000 : 0)}; }
constexpr Float80 negated(Float80 v, bool negate = true) {
  if (negate) v.exponent ^= 0x8000;
  return v;
}

enum class FloatClass : std::uint8_t {
  // clang-format off
  zero, denormal /*and pseudo-denormal*/, normal, infinity, quiet_nan, signaling_nan, unsupported
  // clang-format on
};
FloatClass classify(const Float80& v);
constexpr bool is_nan(FloatClass c) { return c == FloatClass::quiet_nan || c == FloatClass::signaling_nan; }

/// Exceptions, as in the status word.
// clang-format off
enum : std::uint8_t { float_invalid = 1, float_denormal = 2, float_zero_divide = 4, float_overflow = 8,
                      float_underflow = 16, float_inexact = 32 };
// clang-format on

/// RC of the control word.
enum class Rounding : std::uint8_t { nearest, down, up, chop };

struct FloatEnvironment {
  Rounding rounding = Rounding::nearest;
  std::uint8_t precision = 64;  ///< significand bits of a result: 24, 53 or 64
  std::uint8_t masks = 0x3F;
  std::uint8_t raised = 0;
  bool rounded_up = false;  ///< the last rounding increased the magnitude (C1)

  void raise(std::uint8_t flags) { raised |= flags; }
  bool unmasked(std::uint8_t flags) const { return flags & ~masks; }
  /// An unmasked exception forbids the operation (invalid, denormal operand, zero divide).
  bool stopped() const { return raised & ~masks & (float_invalid | float_denormal | float_zero_divide); }
};

/// A finite value other than zero: significand / 2^63 * 2^exponent, bit 63 set.
struct Unpacked {
  bool negative;
  int exponent;
  std::uint64_t significand;
};
/// Only for classes denormal and normal.
Unpacked unpack(const Float80& v);

/// Right shift in which bits shifted out are ORed into bit 0.
UInt128 shift_right_sticky(UInt128 v, unsigned count);

/// A significand rounded to its upper `bits` bits.
struct RoundedBits {
  std::uint64_t significand;  ///< left-justified in 64 bits
  bool carry;                 ///< rounding reached the next power of two; significand is 2^63 then
  bool inexact;
  bool up;
};
RoundedBits round_bits(UInt128 significand, unsigned bits, Rounding rounding, bool negative);
/// Records how a result was rounded.
void note(FloatEnvironment& env, const RoundedBits& r);
/// For a result that is too large: with overflow masked it becomes infinity or, if this is false, the largest number.
bool overflows_to_infinity(FloatEnvironment& env, bool negative);

/// Rounds and packs significand / 2^127 * 2^exponent (bit 127 set; bit 0 is sticky) to `env.precision` bits, with
/// overflow and underflow.
Float80 round_pack(FloatEnvironment& env, bool negative, int exponent, UInt128 significand);

/// Handles operands of which one is a NaN or in an unsupported format; false if neither is. By the x87's rules, the
/// larger significand wins, and a quiet NaN wins over a signaling one.
bool propagate_nan(FloatEnvironment& env, const Float80& a, const Float80& b, Float80& result);
bool propagate_nan(FloatEnvironment& env, const Float80& a, Float80& result);
/// Invalid operation: raises it and returns the default NaN.
Float80 invalid(FloatEnvironment& env);

Float80 add(FloatEnvironment& env, const Float80& a, const Float80& b);
Float80 subtract(FloatEnvironment& env, const Float80& a, const Float80& b);
Float80 multiply(FloatEnvironment& env, const Float80& a, const Float80& b);
Float80 divide(FloatEnvironment& env, const Float80& a, const Float80& b);
Float80 square_root(FloatEnvironment& env, const Float80& a);

enum class Order : std::uint8_t { greater, less, equal, unordered };
/// `quiet`: only signaling NaNs are invalid (FUCOM).
Order compare(FloatEnvironment& env, const Float80& a, const Float80& b, bool quiet);

Float80 from_real32(FloatEnvironment& env, std::uint32_t v);
Float80 from_real64(FloatEnvironment& env, std::uint64_t v);
/// For use as an operand: a signaling NaN stays one, and a denormal is not reported; the operation does that.
Float80 widen_real32(std::uint32_t v);
Float80 widen_real64(std::uint64_t v);
std::uint32_t to_real32(FloatEnvironment& env, const Float80& v);
std::uint64_t to_real64(FloatEnvironment& env, const Float80& v);
Float80 from_integer(std::int64_t v);
/// Rounded by RC; out of range or NaN: invalid and the integer indefinite (sign bit only). `bits` is 16, 32 or 64.
std::int64_t to_integer(FloatEnvironment& env, const Float80& v, unsigned bits);

struct Bcd80 {
  std::uint64_t low = 0;   ///< 16 digits
  std::uint16_t high = 0;  ///< 2 digits, sign in bit 15
};
/// Digits above 9 have the value of their four bits.
Float80 from_bcd(const Bcd80& v);
Bcd80 to_bcd(FloatEnvironment& env, const Float80& v);
Float80 round_to_integer(FloatEnvironment& env, const Float80& v);

/// FSCALE: a * 2^chop(b).
Float80 scale(FloatEnvironment& env, const Float80& a, const Float80& b);
/// FXTRACT: the exponent as a number; `significand` receives the significand with a's sign.
Float80 extract(FloatEnvironment& env, const Float80& a, Float80& significand);

struct Remainder {
  Float80 value;
  std::uint8_t quotient = 0;  ///< the lowest three bits, if complete
  bool complete = true;       ///< false: partial, C2
  bool divided = false;       ///< false: a NaN; the quotient's bits are meaningless
};
/// FPREM (`nearest` false, quotient chopped) and FPREM1 (to nearest, ties to even).
Remainder remainder(FloatEnvironment& env, const Float80& a, const Float80& b, bool nearest);

}  // namespace planar::cpu
