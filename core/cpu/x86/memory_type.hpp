// SPDX-License-Identifier: GPL-2.0-or-later
// The P6's memory type range registers (MTRRs): which memory may be cached, and how. Intel Architecture Software
// Developer's Manual volume 3 (243192), section 9.12.
#pragma once

#include <array>
#include <cstdint>

#include "core/state/archive.hpp"

namespace planar::cpu {

/// As encoded in the registers; the first two are not cached at all.
enum class MemoryType : std::uint8_t {
  uncacheable = 0,
  write_combining = 1,
  write_through = 4,
  write_protected = 5,
  write_back = 6,
};

struct MemoryTypeRanges {
  static constexpr unsigned variable_count = 8;
  struct Variable {
    std::uint64_t base = 0;  ///< address bits 35 to 12, type in bits 7 to 0
    std::uint64_t mask = 0;  ///< address bits that are compared; bit 11: in force
    void archive(Archive& a) { a(base, mask); }
  };
  std::array<Variable, variable_count> variable;
  std::array<std::uint64_t, 11> fixed{};  ///< one byte per range: 8 of 64 KB, 16 of 16 KB, 64 of 4 KB, from 0 to 1 MB
  std::uint64_t defaults = 0;             ///< MTRRdefType: type, FE (bit 10), E (bit 11)

  /// The type of the memory at a physical address, regardless of page tables and CR0.CD. Uncacheable where the manual
  /// leaves overlapping ranges undefined, and when the MTRRs are off.
  MemoryType type(std::uint32_t physical) const;
  /// MTRRdefType.E: the MTRRs are in force.
  bool on() const { return defaults >> 11 & 1; }
  /// Whether any memory is of this type.
  bool any(MemoryType type) const;

  /// RDMSR, WRMSR of FEh, 200h to 20Fh, 250h, 258h, 259h, 268h to 26Fh and 2FFh. False (#GP) if the number is none of
  /// these, the register is read-only, or a reserved bit or type is written.
  bool read(std::uint32_t number, std::uint64_t& value) const;
  bool write(std::uint32_t number, std::uint64_t value);

  void archive(Archive& a) { a(variable, fixed, defaults); }
};

}  // namespace planar::cpu
