// SPDX-License-Identifier: GPL-2.0-or-later
// The 486: unified cache, write-through with four posted writes, one instruction after the other.
//
// Code: a 32-byte prefetch queue of two lines, modelled as "the executing line and the one after it": entering a line
// requests the next one, which is fetched when the bus is free and dropped if a branch leaves before that. A read miss
// overtakes posted writes that have not reached the bus if all of them hit the cache (i486 data book [M*]). After a
// jump, a target instruction that lies across two lines costs one clock more (docs/hardware/processors.md#486 has 1 to
// 2).
//
// Not modelled: the cache port shared between prefetch and data (the table's figures include the usual case), the cost
// of a read hit in a line that was just written, burst orders other than "wanted first".
#pragma once

#include "core/cpu/timing/cached/cached_timing.hpp"
#include "core/cpu/timing/cached/issue_plan.hpp"

namespace planar::cpu {

class Timing486 final : public CachedTiming {
 public:
  static constexpr Model model = Model::i486sx;
  Timing486(const TimingConfig& config, const Events& events) : CachedTiming(config, events) {}

  void set_static_clocks(Op& op) const;
  void begin(const Op& op, std::uint32_t physical_eip);
  void branch(const Op& op, bool taken, std::uint32_t linear_target);
  /// branch() inline; it omits part of a far branch that is not taken. False: the branch is taken, and the code
  /// prefetched after it is on the bus by now; branch_after_prefetch() does the rest.
  [[gnu::always_inline]] bool branch_near(const Op& op, bool taken) {
    if (!taken) return true;
    clock_ += clocks_if_taken(op.branch);
    if (prefetch_started()) [[unlikely]]
      return false;
    state_.prefetch_line = no_line;
    note_jump();
    return true;
  }
  void branch_after_prefetch() {
    drop_prefetch();
    note_jump();
  }
  void interrupt_flush();
  void archive(Archive& a);

  // ---- blocks that run by plan: only the first instruction's cost depends on what came before ----
  /// Decode time: determines when each of `count` instructions begins, and where they enter other code lines.
  void plan(Op* ops, unsigned count, std::uint32_t physical_eip, IssuePlan& plan) const;
  /// Execution has continued with a block of that plan, whose first instruction is `first`, and is in its first line.
  /// The plan always holds.
  BlockEntry starts_block(const IssuePlan& plan, const Op& first) {
    jumped_ = false;
    start_plan(plan.reach, static_cast<int>(clocks_of(first)) - first.clocks);
    return BlockEntry::planned;
  }
  /// The same if code stays in its line; if not, nothing has been done.
  bool start_plan_in_line(const IssuePlan& plan, const Op& first) {
    if (plan.first_line != state_.code_line) return false;
    starts_block(plan, first);
    return true;
  }
  /// The line in which an instruction `op` at `eip` ends.
  std::uint32_t line_of(const Op& op, std::uint32_t eip) const { return (eip + op.length - 1) & line_mask_; }
  /// To be called after the beginning of a plan's last instruction, or of the one after which it is left.
  void finish_plan(const Op& op) {
    last_writes_ = op.writes;
    last_clocks_ = op.clocks;
    jumped_ = false;
  }

 private:
  template <class, Geometry>
  friend class MemoryEvents;

  /// Additional clocks of a branch that is taken, compared with the same one not taken.
  static unsigned clocks_if_taken(BranchKind kind) {
    switch (kind) {
      case BranchKind::conditional: return 2;  // 3 against 1
      case BranchKind::loop: return 1;         // 7 against 6
      case BranchKind::loop_z: return 3;       // 9 against 6
      case BranchKind::jcxz: return 3;         // 8 against 5
      default: return 0;
    }
  }
  void note_jump() {
    jumped_ = true;
    last_clocks_ = 3;  // decoding restarts: nothing of the target's prefixes is hidden twice
  }

  // For MemoryEvents.
  bool second_line_waits() const { return jumped_; }
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
  /// When the first posted write that a read miss overtakes begins on the bus; UINT64_MAX if there is none.
  template <Geometry G>
  std::uint64_t first_overtaken() const;
  /// The read has taken the bus: the writes that began at `from` or later, and had it until `until`, come after it.
  template <Geometry G>
  void delay_writes(std::uint64_t from, std::uint64_t until);
  template <Geometry G>
  unsigned write_buffers() const {
    return G.known ? G.write_buffers : config_.write_buffers;
  }

  /// Clocks of `op` after the previous instruction.
  unsigned clocks_of(const Op& op) const { return clocks_after(op, last_writes_, last_clocks_); }
  static unsigned clocks_after(const Op& op, unsigned writes, unsigned clocks);

  std::uint16_t last_writes_ = 0;  // registers written by the previous instruction
  std::uint16_t last_clocks_ = 0;  // of the previous instruction
  bool jumped_ = false;            // the previous instruction was a taken branch
};

inline void Timing486::begin(const Op& op, std::uint32_t eip) {
  const std::uint32_t last_line = (eip + op.length - 1) & line_mask_;
  if (last_line != state_.code_line) [[unlikely]]
    fetch(eip, last_line);
  clock_ += clocks_of(op);
  finish_plan(op);
}

/// The clocks of `op` after an instruction that writes `writes` and takes `before` clocks.
inline unsigned Timing486::clocks_after(const Op& op, unsigned writes, unsigned before) {
  unsigned clocks = op.clocks + ((op.address_reads & writes) != 0);
  // Prefixes decode while a longer predecessor still executes.
  const unsigned prefixes = op.i486sx.prefixes;
  if (prefixes != 0 && before > 1) clocks -= prefixes < before ? prefixes : before - 1u;
  return clocks;
}

// Only if all waiting posted writes hit the cache.
template <Geometry G>
std::uint64_t Timing486::first_overtaken() const {
  if (!writes_wait()) return UINT64_MAX;
  const unsigned count = write_buffers<G>();
  std::uint64_t first = UINT64_MAX;
  unsigned waiting = 0;
  for (unsigned n = 0, i = state_.write_next; n < count; ++n, i = i + 1 < count ? i + 1 : 0) {  // oldest first
    if (state_.write_done[i] <= clock_ || state_.write_start[i] <= clock_) continue;
    if (first == UINT64_MAX) first = state_.write_start[i];
    ++waiting;
  }
  return waiting > state_.write_hits ? UINT64_MAX : first;
}

template <Geometry G>
void Timing486::delay_writes(std::uint64_t from, std::uint64_t until) {
  const std::uint64_t delay = path_.free<G>() - from;
  path_.give_back(until + delay);
  for (unsigned i = 0; i < write_buffers<G>(); ++i)
    if (state_.write_done[i] > clock_ && state_.write_start[i] >= from) {
      state_.write_start[i] += delay;
      state_.write_done[i] += delay;
    }
}

}  // namespace planar::cpu
