// SPDX-License-Identifier: GPL-2.0-or-later
// POS registers 2 to 7 of a Micro Channel card: latches that setup cycles write and the card's logic reads.
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
    std::uint8_t latched = 0xFF;  ///< bits that keep what is written
    std::uint8_t ones = 0;        ///< bits that always read 1
  };

  /// POS 2 and the registers after it, at most six; the card has no others.
  PosRegisters(std::initializer_list<Register> registers);

  /// One past the last register.
  unsigned end() const { return first + count_; }
  bool has(unsigned reg) const { return reg >= first && reg < end(); }
  /// The latch of register `reg`, 2 to 7; 0 if the card does not have it.
  std::uint8_t operator[](unsigned reg) const { return latch_[reg - first]; }
  /// The value a setup cycle reads: FFh for a missing register; POS 5 bit 7 reads 1 (a card that raises -CHCK clears
  /// it).
  std::uint8_t peek(unsigned reg) const;
  /// Returns true if the write changed the register.
  bool write(unsigned reg, std::uint8_t value);
  /// POS 2 bit 0: the card responds to normal cycles.
  bool card_enabled() const { return latch_[0] & 1; }
  /// CHRESET: all latched bits to 0.
  void reset();
  /// The existing latches, one byte each.
  void archive(Archive& a);

 private:
  unsigned count_ = 0;
  std::array<Register, most> registers_{};
  std::array<std::uint8_t, most> latch_{};
};

/// A register in which all eight bits are latched.
inline constexpr PosRegisters::Register whole_byte{};

}  // namespace planar
