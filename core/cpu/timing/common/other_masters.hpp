// SPDX-License-Identifier: GPL-2.0-or-later
// What other bus masters do to the processor: they share its memory line by line, and snoop its caches.
#pragma once

#include <cstdint>

namespace planar::cpu {

/// A master that transfers lines to or from memory while the processor may use it in between: from core clock `from` to
/// `to`, each line keeps the memory busy for `each` clocks at the beginning of every `period`, and the processor's bus,
/// which snoops and write-backs need, for `bus` clocks.
struct MemoryShare {
  std::uint64_t from = 0, to = 0;
  std::uint32_t period = 1, each = 0, bus = 0;
};

/// What a master is about to do to `bytes` bytes from `address` on: the inquire cycles of the lines they lie in.
struct Snoop {
  std::uint32_t address = 0, bytes = 0;
  bool write = false;
  bool whole_lines = false;  ///< write and invalidate: a line's old contents are no longer needed
};
/// How many of these lines were dirty and are written back, by cache level; `first`: the state of the master's first
/// line.
struct SnoopHits {
  enum class Where : std::uint8_t { clean, first_level, second_level };
  std::uint32_t first_level = 0, second_level = 0;
  Where first = Where::clean;
};

}  // namespace planar::cpu
