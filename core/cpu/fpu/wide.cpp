// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/cpu/fpu/wide.hpp"

#include <utility>

namespace planar::cpu {

Wide wide_normalised(bool negative, int exponent, UInt128 significand) {
  if (significand == 0) return {};
  const unsigned zeros = leading_zeros(significand);
  return {negative, exponent - static_cast<int>(zeros), significand << zeros};
}

Wide to_wide(const Float80& v) {
  if (v.mantissa == 0) return {};
  const Unpacked u = unpack(v);
  return {u.negative, u.exponent, UInt128{u.significand} << 64};
}

Wide wide_integer(std::int64_t v) {
  const std::uint64_t magnitude = v < 0 ? 0 - static_cast<std::uint64_t>(v) : static_cast<std::uint64_t>(v);
  return wide_normalised(v < 0, 127, magnitude);
}

Wide operator-(Wide a) {
  a.negative = !a.negative;
  return a;
}

Wide operator+(const Wide& a, const Wide& b) {
  if (a.zero()) return b;
  if (b.zero()) return a;
  const Wide& x = smaller(a, b) ? b : a;
  const Wide& y = smaller(a, b) ? a : b;
  const auto distance = static_cast<unsigned>(x.exponent - y.exponent);
  if (distance > 127) return x;
  if (x.negative != y.negative) {
    // The larger significand leaves room above; bits lost from the smaller may make the difference too large by one.
    return wide_normalised(x.negative, x.exponent, x.significand - (y.significand >> distance));
  }
  const UInt128 sum = x.significand + (y.significand >> distance);
  if (sum < x.significand) return {x.negative, x.exponent + 1, sum >> 1 | UInt128{1} << 127};
  return {x.negative, x.exponent, sum};
}

Wide operator-(const Wide& a, const Wide& b) { return a + -b; }

Wide operator*(const Wide& a, const Wide& b) {
  if (a.zero() || b.zero()) return {};
  const auto ah = static_cast<std::uint64_t>(a.significand >> 64), al = static_cast<std::uint64_t>(a.significand);
  const auto bh = static_cast<std::uint64_t>(b.significand >> 64), bl = static_cast<std::uint64_t>(b.significand);
  const UInt128 low = UInt128{al} * bl, middle_a = UInt128{ah} * bl, middle_b = UInt128{al} * bh;
  const UInt128 carry = (low >> 64) + static_cast<std::uint64_t>(middle_a) + static_cast<std::uint64_t>(middle_b);
  UInt128 high = UInt128{ah} * bh + (middle_a >> 64) + (middle_b >> 64) + (carry >> 64);
  int exponent = a.exponent + b.exponent + 1;
  if (!(high >> 127)) {
    high = high << 1 | (static_cast<std::uint64_t>(carry) >> 63);
    --exponent;
  }
  return {a.negative != b.negative, exponent, high};
}

Wide operator/(const Wide& a, const Wide& b) {
  if (a.zero()) return {};
  UInt128 rest = a.significand, quotient = 0;
  int exponent = a.exponent - b.exponent;
  bool carry = false;  // bit 128 of rest
  if (rest < b.significand) {
    carry = rest >> 127;
    rest <<= 1;
    --exponent;
  }
  for (int i = 0; i < 128; ++i) {
    quotient <<= 1;
    if (carry || rest >= b.significand) {
      rest -= b.significand;
      quotient |= 1;
    }
    carry = rest >> 127;
    rest <<= 1;
  }
  return {a.negative != b.negative, exponent, quotient};
}

Wide operator/(const Wide& a, std::uint32_t b) {
  if (a.zero()) return {};
  // Divide, then divide the remainder once more for the bits that normalising shifts in.
  const UInt128 quotient = a.significand / b;
  const auto rest = static_cast<std::uint64_t>(a.significand % b);
  const unsigned zeros = leading_zeros(quotient);
  if (zeros == 0) return {a.negative, a.exponent, quotient};
  const UInt128 tail = (UInt128{rest} << zeros) / b;
  return {a.negative, a.exponent - static_cast<int>(zeros), quotient << zeros | tail};
}

bool smaller(const Wide& a, const Wide& b) {
  if (a.zero() || b.zero()) return !b.zero();
  return a.exponent != b.exponent ? a.exponent < b.exponent : a.significand < b.significand;
}

}  // namespace planar::cpu
