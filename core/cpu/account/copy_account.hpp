// SPDX-License-Identifier: GPL-2.0-or-later
// Counts the clocks that the processor spends copying: repeated MOVS, INS and OUTS, and loops that copy (copy_loop.hpp)
// from their second pass on. Cycles on the pins in between are counted as such (Timing::pin_clocks), not here. For
// reports: nothing else reads it, and it is not part of the machine's state.
#pragma once

#include <cstdint>

#include "core/cpu/engine/accounting.hpp"
#include "core/cpu/timing/timing.hpp"
#include "core/state/archive.hpp"

namespace planar::cpu {

class CopyAccount final : public Accounting {
 public:
  /// Up to now, even if an event asks within a repeated instruction, whose cycles on the pins let events happen.
  std::uint64_t clocks(const Timing& t) const { return clocks_ + (repeating_ ? since(repeat_began_, t) : 0); }

  /// Lives as long as a repeated instruction that copies runs; a fault may end it.
  class Repeat {
   public:
    Repeat(CopyAccount& account, const Timing& t) : account_(account), timing_(t) {
      account.repeat_began_ = account.mark(t);
      account.repeating_ = true;
    }
    ~Repeat() {
      account_.clocks_ = account_.clocks(timing_);
      account_.repeating_ = false;
    }
    Repeat(const Repeat&) = delete;
    Repeat& operator=(const Repeat&) = delete;

   private:
    CopyAccount& account_;
    const Timing& timing_;
  };

  /// The branch whose next instruction is at linear address `loop` ends a pass; `again`: it was taken.
  void pass(std::uint32_t loop, const Timing& t, bool again) {
    if (inside_ && loop == loop_) clocks_ += since(began_, t);
    inside_ = again;
    loop_ = loop;
    began_ = mark(t);
  }
  // Accounting
  void decoded(Op& op, const DecodeMode& mode) override;
  void block_ends(std::span<const std::uint8_t> before, Op& op, const DecodeMode& mode) override;
  /// The pass in progress is not counted.
  void interrupted() override { inside_ = false; }
  std::uint64_t counted() const override { return clocks_; }
  void add(std::uint64_t clocks) override { clocks_ += clocks; }

  void archive(Archive& a) { a(clocks_, inside_, loop_, began_.clock, began_.other); }

 private:
  struct Mark {
    std::uint64_t clock, other;
  };
  Mark mark(const Timing& t) const { return {t.clocks(), t.pin_clocks() + clocks_}; }
  std::uint64_t since(const Mark& from, const Timing& t) const {
    return t.clocks() - from.clock - (mark(t).other - from.other);
  }

  std::uint64_t clocks_ = 0;
  bool inside_ = false;
  std::uint32_t loop_ = 0;
  Mark began_{0, 0};
  bool repeating_ = false;  // never true between two instructions
  Mark repeat_began_{0, 0};
};

/// Whether `op` has been given a handler that counts passes.
bool counts_passes(const Op& op);
/// A processor's account; counts from the first call on.
CopyAccount& copy_account(Engine& c);

}  // namespace planar::cpu
