// SPDX-License-Identifier: GPL-2.0-or-later
// What the 386SX's bus unit remembers. Part of the snapshot.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/state/archive.hpp"

namespace planar::cpu {

/// The one posted write, which waits here for the bus.
struct WriteLatch {
  std::uint64_t starts = 0;  ///< when the write leaves for the bus

  /// When an instruction that has reached `clock` may post its write: once the previous one has left.
  std::uint64_t free_at(std::uint64_t clock) const { return std::max(clock, starts); }
};

/// State, part of a snapshot.
struct BusUnitState {
  std::uint32_t fetch_next = 0;  ///< address of the next code word to fetch
  std::uint32_t fetch_eip = 0;   ///< address of the next byte to be consumed
  std::uint64_t fetch_from = 0;  ///< when the queue last got room
  WriteLatch latch;
  bool refill = true;  ///< the queue was flushed

  void archive(Archive& a) { a(fetch_next, fetch_eip, fetch_from, latch.starts, refill); }
};

}  // namespace planar::cpu
