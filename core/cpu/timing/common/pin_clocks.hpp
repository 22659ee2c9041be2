// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>

namespace planar::cpu {

/// Clocks in which the processor stands still for cycles on its pins, the wait for the bus included. Counted for
/// reports; they influence nothing.
struct PinClocks {
  std::uint64_t total = 0;
  std::uint64_t from = 0, until = 0;  ///< of the latest cycle

  void begin(std::uint64_t wanted) { from = std::max(wanted, until); }
  void end(std::uint64_t clock) {
    total += clock - from;
    until = clock;
  }
};

}  // namespace planar::cpu
