// SPDX-License-Identifier: GPL-2.0-or-later
// The 486: unified cache, write-through with four posted writes, one instruction after the other.
//
// Code: a 32-byte prefetch queue of two lines, modelled as "the line that executes and the one behind it": entering a
// line asks for the next one, which is fetched when the bus is free and dropped if a branch leaves before that. A read
// miss overtakes posted writes that have not reached the bus if all of them hit the cache (i486 data book [M*]). A
// target instruction that lies across two lines costs one clock more behind a jump (docs/hardware/processors.md#486 has
// 1 to 2).
//
// Not modelled: the cache port shared between prefetch and data (the table's figures contain the usual case), the cost
// of a read hit in a line that was just written, burst orders other than "wanted first".
#pragma once

#include "core/cpu/timing/common/cached_timing.hpp"

namespace planar::cpu {

class Timing486 final : public CachedTiming {
 public:
  explicit Timing486(const TimingConfig& config);

  void set_static_clocks(Op& op) const override;
  void begin(const Op& op, std::uint32_t physical_eip) override;
  void branch(const Op& op, bool taken, std::uint32_t linear_target) override;
  void interrupt_flush() override;
  void archive(Archive& a) override;

 private:
  template <class, Geometry>
  friend class MemoryEvents;

  // For MemoryEvents.
  void second_line() {
    if (jumped_) clock_ += 1;
  }
  static constexpr std::size_t uncached = 0;
  void line_entered(std::size_t) {}
  void code_line_replaced(std::size_t) {}
  /// Whether any posted write has not reached the bus yet.
  bool writes_wait() const {
    const unsigned latest = (state_.write_next ? state_.write_next : config_.write_buffers) - 1u;
    return state_.write_start[latest] > clock_;
  }
  /// When the first posted write that a read miss goes before begins on the bus; UINT64_MAX if there is none.
  std::uint64_t first_overtaken() const { return writes_wait() ? first_waiting() : UINT64_MAX; }
  std::uint64_t first_waiting() const;
  /// The read has taken the bus: the writes that began at `from` or later, and had it until `until`, come behind it.
  void delay_writes(std::uint64_t from, std::uint64_t until);

  std::uint16_t last_writes_ = 0;  // registers written by the previous instruction
  std::uint16_t last_clocks_ = 0;  // of the previous instruction
  bool jumped_ = false;            // the previous instruction was a taken branch
};

inline void Timing486::begin(const Op& op, std::uint32_t eip) {
  const std::uint32_t last_line = (eip + op.length - 1) & line_mask_;
  if (last_line != state_.code_line) [[unlikely]]
    fetch(eip, last_line);
  unsigned clocks = op.clocks + ((op.address_reads & last_writes_) != 0);
  // Prefixes decode while a longer predecessor still executes.
  const unsigned prefixes = op.i486sx.prefixes;
  if (prefixes != 0 && last_clocks_ > 1) clocks -= prefixes < last_clocks_ ? prefixes : last_clocks_ - 1u;
  last_writes_ = op.writes;
  last_clocks_ = op.clocks;
  jumped_ = false;
  clock_ += clocks;
}

}  // namespace planar::cpu
