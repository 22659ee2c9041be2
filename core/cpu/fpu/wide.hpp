// SPDX-License-Identifier: GPL-2.0-or-later
// Software floating point with a 128-bit significand, for the x87's transcendental functions. Results are truncated:
// the error of one operation is less than one unit of the 128th bit (for a sum, plus the bits that were shifted out).
#pragma once

#include "core/cpu/fpu/float80.hpp"

namespace planar::cpu {

/// significand / 2^127 * 2^exponent, bit 127 set; zero has significand 0.
struct Wide {
  bool negative = false;
  int exponent = 0;
  UInt128 significand = 0;

  bool zero() const { return significand == 0; }
};

constexpr UInt128 wide_bits(std::uint64_t high, std::uint64_t low) { return UInt128{high} << 64 | low; }

/// A finite Float80.
Wide to_wide(const Float80& v);
Wide wide_integer(std::int64_t v);
/// significand * 2^exponent / 2^127, normalised.
Wide wide_normalised(bool negative, int exponent, UInt128 significand);
Wide operator-(Wide a);
Wide operator+(const Wide& a, const Wide& b);
Wide operator-(const Wide& a, const Wide& b);
Wide operator*(const Wide& a, const Wide& b);
Wide operator/(const Wide& a, const Wide& b);
Wide operator/(const Wide& a, std::uint32_t b);
/// |a| < |b|
bool smaller(const Wide& a, const Wide& b);

}  // namespace planar::cpu
