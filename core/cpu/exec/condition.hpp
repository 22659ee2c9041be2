// SPDX-License-Identifier: GPL-2.0-or-later
// The sixteen conditions of Jcc and SETcc, from the lazy flags.
#pragma once

#include "core/cpu/mmu/access.hpp"

namespace planar::cpu {

template <unsigned CC>
bool condition(const Engine& c) {
  bool v;
  // clang-format off
  if constexpr (CC / 2 == 0) v = c.of();
  else if constexpr (CC / 2 == 1) v = c.cf();
  else if constexpr (CC / 2 == 2) v = c.zf();
  else if constexpr (CC / 2 == 3) v = c.cf() || c.zf();
  else if constexpr (CC / 2 == 4) v = c.sf();
  else if constexpr (CC / 2 == 5) v = c.pf();
  else if constexpr (CC / 2 == 6) v = c.sf() != c.of();
  else v = c.zf() || c.sf() != c.of();
  // clang-format on
  return v != static_cast<bool>(CC & 1);
}

}  // namespace planar::cpu
