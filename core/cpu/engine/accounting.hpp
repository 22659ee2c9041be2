// SPDX-License-Identifier: GPL-2.0-or-later
// The interpreter's only hook for accounting: counting what a guest spends its clocks on. It is called when
// instructions are decoded, so it costs nothing while no accounting is attached, and nothing for instructions that are
// not counted.
#pragma once

#include <cstdint>
#include <span>

#include "core/cpu/x86/op.hpp"

namespace planar::cpu {

struct DecodeMode;

class Accounting {
 public:
  virtual ~Accounting() = default;
  /// `op` has been decoded; its handlers may be replaced by ones that do the same and also count.
  virtual void decoded(Op& op, const DecodeMode& mode) = 0;
  /// `op` ends a block; `before` holds the bytes of code before it: `reach` of them, or fewer if memory ends sooner.
  virtual void block_ends(std::span<const std::uint8_t> before, Op& op, const DecodeMode& mode) = 0;
  static constexpr unsigned reach = 32 * 15;
  /// An interrupt or exception is delivered, or the processor is reset.
  virtual void interrupted() = 0;
  /// Clocks counted so far; asked between two instructions.
  virtual std::uint64_t counted() const { return 0; }
  /// Passes of a loop that would have counted this many clocks are skipped.
  virtual void add(std::uint64_t) {}
};

}  // namespace planar::cpu
