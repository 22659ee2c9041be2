// SPDX-License-Identifier: GPL-2.0-or-later
// The coverage table: opcode x operand size x mode x register or memory, with the number of executions and comparisons
// of each.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/lockstep/harness/masks.hpp"

namespace planar::lockstep {

class Coverage {
 public:
  Coverage();
  void count(Mode mode, const Cell& cell) { ++counts_[index(mode, cell)]; }
  std::uint64_t of(Mode mode, const Cell& cell) const { return counts_[index(mode, cell)]; }
  /// A part of a result was not compared.
  void note(Mask mask) { ++masked_[static_cast<unsigned>(mask)]; }
  /// An execution was not compared at all.
  void exclude(Mode mode, const Cell& cell, Mask mask) {
    note(mask);
    ++excluded_[index(mode, cell)].times;
    excluded_[index(mode, cell)].why = mask;
  }
  std::uint64_t masked(Mask mask) const { return masked_[static_cast<unsigned>(mask)]; }

  struct Gap {
    Mode mode;
    Cell cell;
    std::uint64_t executed, compared;
    const char* reason;  ///< null: unexplained
  };
  /// Cells with fewer than `least` executions, or with fewer than that compared (with the mask as the reason).
  std::vector<Gap> gaps(std::uint64_t least) const;
  /// Markdown: the table (one row per form and operand kind, one column per mode and size), the gaps, the masks.
  std::string report(std::uint64_t least) const;

 private:
  static std::size_t index(Mode mode, const Cell& cell) {
    return ((cell.form * 2u + cell.size32) * 2u + cell.memory) * mode_count + static_cast<unsigned>(mode);
  }
  struct Excluded {
    std::uint64_t times = 0;
    Mask why = Mask::count;  ///< the last
  };
  std::vector<std::uint64_t> counts_;  ///< executed
  std::vector<Excluded> excluded_;     ///< of these, the number not compared
  std::array<std::uint64_t, static_cast<unsigned>(Mask::count)> masked_{};
};

}  // namespace planar::lockstep
