// SPDX-License-Identifier: GPL-2.0-or-later
// The x87's transcendental functions.
//
// Evaluated with 128-bit significands (wide.hpp), by argument reduction and Taylor series, to a relative error below
// 2^-120, then rounded once to 64 bits by RC, so the result is correctly rounded except for about one argument in 2^55.
// The Pentium's own results are within one unit in the last place [Pentium manual, appendix G]: an emulated result may
// differ from the silicon's in that last bit, and with it C1. Precision control has no effect.
//
// FSIN, FCOS, FSINCOS and FPTAN reduce their argument exactly, by the chip's pi of 66 significant bits (C90FDAA2
// 2168C234 C, last hexadecimal digit at 2^-66); near multiples of pi, their results therefore differ from the
// mathematical ones as they do on the chip. Outside the documented ranges, F2XM1 returns its operand and FYL2XP1 uses
// log2 of 1+x; the manuals leave both undefined. Every result raises the inexact exception except zeros, infinities,
// the 1 of FCOS and FPTAN, and F2XM1 of 1 and -1.
#pragma once

#include "core/cpu/fpu/float80.hpp"

namespace planar::cpu {

/// 2^x - 1, |x| <= 1.
Float80 exp2_minus_1(FloatEnvironment& env, const Float80& x);
/// y * log2(x).
Float80 y_log2_x(FloatEnvironment& env, const Float80& x, const Float80& y);
/// y * log2(x + 1), |x| < 1 - sqrt(1/2).
Float80 y_log2_x_plus_1(FloatEnvironment& env, const Float80& x, const Float80& y);
/// The angle of the point (x, y).
Float80 arc_tangent(FloatEnvironment& env, const Float80& y, const Float80& x);

/// False if |x| >= 2^63: nothing is done, and C2 tells the program to reduce the argument itself. A null pointer: that
/// result is not wanted.
bool sine_cosine(FloatEnvironment& env, const Float80& x, Float80* sine, Float80* cosine);
bool tangent(FloatEnvironment& env, const Float80& x, Float80& result);

}  // namespace planar::cpu
