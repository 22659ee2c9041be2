// SPDX-License-Identifier: GPL-2.0-or-later
// Shapes of caches and buses that are known when planar is compiled: the timing's memory events are instantiated for
// them, and once more for any other shape, which is then looked up as configured. Both give the same clocks
// (tests/core/cpu/timing/test_timing_memory.cpp).
#pragma once

#include "core/cpu/timing/common/config.hpp"

namespace planar::cpu {

/// Of a cache; 0: as configured.
struct CacheShape {
  unsigned ways = 0, line = 0;
};
inline constexpr CacheShape any_shape{};

/// Of a first-level cache and of what lies between it and memory.
struct Geometry {
  bool known = false;  ///< false: all as configured
  CacheShape l1;
  bool split = false, write_back = false;
  CacheShape l2;  ///< 0 ways: none
  unsigned clock_num = 1, clock_den = 1;

  bool matches(const TimingConfig& c) const {
    return c.l1.ways == l1.ways && c.l1.line == l1.line && c.l1.split == split && c.l1.write_back == write_back &&
           (l2.ways == 0 ? c.l2.bytes == 0 : c.l2.bytes != 0 && c.l2.ways == l2.ways && c.l2.line == l2.line) &&
           c.core_per_bus_num == clock_num && c.core_per_bus_den == clock_den;
  }
};
inline constexpr Geometry any_geometry{};
/// A 486 that writes through to DRAM, on a bus with its own clock.
inline constexpr Geometry plain_486{.known = true, .l1 = {.ways = 4, .line = 16}, .l2 = {}};
/// A Pentium at three clocks for two of the bus, with a second-level cache on it.
inline constexpr Geometry pentium_with_l2{.known = true,
                                          .l1 = {.ways = 2, .line = 32},
                                          .split = true,
                                          .write_back = true,
                                          .l2 = {.ways = 2, .line = 32},
                                          .clock_num = 3,
                                          .clock_den = 2};

}  // namespace planar::cpu
