// SPDX-License-Identifier: GPL-2.0-or-later
// The POS registers of a Micro Channel card, 2 to 7: latches that setup cycles write and the card's logic reads.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>

#include "core/state/archive.hpp"

namespace planar {

class PosRegisters {
 public:
  static constexpr unsigned first = 2, most = 6;

  struct Register {
    std::uint8_t latched = 0xFF;  ///< the bits that keep what is written
    std::uint8_t ones = 0;        ///< bits that stand at 1 whatever is written
  };

  /// POS 2 and those after it; the card has no others. At most six.
  PosRegisters(std::initializer_list<Register> registers);

  /// One past the last register that exists.
  unsigned end() const { return first + count_; }
  bool has(unsigned reg) const { return reg >= first && reg < end(); }
  /// The latch of register `reg`, 2 to 7; 0 if the card does not have it.
  std::uint8_t operator[](unsigned reg) const { return latch_[reg - first]; }
  /// What a setup cycle reads: FFh where there is no register; POS 5 bit 7 stands at 1, since no card here raises
  /// -CHCK.
  std::uint8_t peek(unsigned reg) const;
  /// True if the write has changed the register.
  bool write(unsigned reg, std::uint8_t value);
  /// POS 2 bit 0: the card takes part in normal cycles.
  bool card_enabled() const { return latch_[0] & 1; }
  /// CHRESET: all latches to 0.
  void reset();
  /// The latches that exist, one byte each.
  void archive(Archive& a);

 private:
  unsigned count_ = 0;
  std::array<Register, most> registers_{};
  std::array<std::uint8_t, most> latch_{};
};

/// A register of eight latches.
inline constexpr PosRegisters::Register whole_byte{};

}  // namespace planar
