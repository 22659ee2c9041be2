// SPDX-License-Identifier: GPL-2.0-or-later
// The coverage table: opcode x operand size x mode x register or memory, with how often each was executed and compared.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/lockstep/masks.hpp"

namespace planar::lockstep {

class Coverage {
 public:
  Coverage();
  void count(Mode mode, const Cell& cell) { ++counts_[index(mode, cell)]; }
  std::uint64_t of(Mode mode, const Cell& cell) const { return counts_[index(mode, cell)]; }
  void excuse(Mask mask) { ++masked_[static_cast<unsigned>(mask)]; }
  std::uint64_t masked(Mask mask) const { return masked_[static_cast<unsigned>(mask)]; }
  void add(const Coverage& other);

  struct Gap {
    Mode mode;
    Cell cell;
    std::uint64_t count;
    const char* reason;  ///< null: unexplained
  };
  /// Cells with fewer than `least` executions.
  std::vector<Gap> gaps(std::uint64_t least) const;
  /// Markdown: the table (a row a form and operand kind, a column a mode and size), the gaps, the masks.
  std::string report(std::uint64_t least) const;

 private:
  static std::size_t index(Mode mode, const Cell& cell) {
    return ((cell.form * 2u + cell.size32) * 2u + cell.memory) * mode_count + static_cast<unsigned>(mode);
  }
  std::vector<std::uint64_t> counts_;
  std::array<std::uint64_t, static_cast<unsigned>(Mask::count)> masked_{};
};

}  // namespace planar::lockstep
