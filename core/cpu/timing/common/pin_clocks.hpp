// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>

namespace planar::cpu {

/// Clocks for which the processor is stalled by cycles on its pins, including the wait for the bus. Counted for
/// reports; they affect nothing.
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
