// SPDX-License-Identifier: GPL-2.0-or-later
// What other masters of the bus do to the processor: they take its memory by the line, and look into its caches.
#pragma once

#include <cstdint>

namespace planar::cpu {

/// A master that moves lines to or from memory while the processor may use it in between: from core clock `from` to
/// `to` each line keeps the memory busy for `each` clocks at the beginning of every `period`, and the processor's bus,
/// which snoops and write-backs need, for `bus` clocks.
struct MemoryShare {
  std::uint64_t from = 0, to = 0;
  std::uint32_t period = 1, each = 0, bus = 0;
};

/// What a master is about to do to `bytes` bytes from `address` on: the inquire cycles of its lines.
struct Snoop {
  std::uint32_t address = 0, bytes = 0;
  bool write = false;
  bool whole_lines = false;  ///< write and invalidate: what a line held is not wanted any more
};
/// The lines among them that were dirty, by where, and are written back; `first`: how the master's first line was.
struct SnoopHits {
  enum class Where : std::uint8_t { clean, first_level, second_level };
  std::uint32_t first_level = 0, second_level = 0;
  Where first = Where::clean;
};

}  // namespace planar::cpu
