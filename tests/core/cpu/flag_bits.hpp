// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>

namespace planar::cpu_test {

/// Bits of EFLAGS by their short names.
inline constexpr std::uint32_t cf = 1, pf = 4, af = 0x10, zf = 0x40, sf = 0x80, of = 0x800;

}  // namespace planar::cpu_test
