// SPDX-License-Identifier: GPL-2.0-or-later
// The sixteen conditions of Jcc, SETcc and CMOVcc, from the lazy flags.
#pragma once

#include "core/cpu/mmu/access.hpp"

namespace planar::cpu {

/// By number, 0 to 15, as encoded in the opcodes.
[[gnu::always_inline]] inline bool condition(const Engine& c, unsigned number) {
  bool v;
  switch (number / 2) {
    // clang-format off
    case 0: v = c.of(); break;
    case 1: v = c.cf(); break;
    case 2: v = c.zf(); break;
    case 3: v = c.cf() || c.zf(); break;
    case 4: v = c.sf(); break;
    case 5: v = c.pf(); break;
    case 6: v = c.sf() != c.of(); break;
    default: v = c.zf() || c.sf() != c.of(); break;
      // clang-format on
  }
  return v != static_cast<bool>(number & 1);
}

}  // namespace planar::cpu
