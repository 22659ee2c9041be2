// SPDX-License-Identifier: GPL-2.0-or-later
// The interpreter's one hook for accounting: counting what a guest spends its clocks on. It is called when instructions
// are decoded, so that it costs nothing while no accounting is attached and nothing for instructions not counted.
#pragma once

#include <cstdint>
#include <span>

#include "core/cpu/x86/op.hpp"

namespace planar::cpu {

struct DecodeMode;

class Accounting {
 public:
  virtual ~Accounting() = default;
  /// `op` has been decoded; its handlers may be replaced by ones that do the same and count.
  virtual void decoded(Op& op, const DecodeMode& mode) = 0;
  /// `op` ends a block; `before` are the bytes of code before it, `reach` of them if there is so much memory.
  virtual void block_ends(std::span<const std::uint8_t> before, Op& op, const DecodeMode& mode) = 0;
  static constexpr unsigned reach = 32 * 15;
  /// An interrupt or exception is delivered, or the processor is reset.
  virtual void interrupted() = 0;
  /// Clocks counted so far; asked between two instructions.
  virtual std::uint64_t counted() const { return 0; }
  /// Passes of a loop are left out that would have counted so many.
  virtual void add(std::uint64_t) {}
};

}  // namespace planar::cpu
