// SPDX-License-Identifier: GPL-2.0-or-later
// The Pentium (P5, P54C): two pipes, split caches, branch prediction with its quirks.
//
// Pairing is carried from instruction to instruction, and planned for a block where possible: issue_plan.hpp. Flags
// never prevent a pair (CMP + Jcc pairs); nor do ESP changes implied by PUSH, POP, CALL and RET, which cause no
// interlock either.
//
// Prediction: the buffer is looked up with the issue before the branch (btb.hpp). A prediction of "taken" switches the
// prefetcher to its other queue, which it can do only every second clock [I]; while the pipeline refills after a
// misprediction it cannot do so at all, so that a branch in the first issue after one is treated as not taken [S]. In
// both cases the branch costs the penalty of a misprediction. A loop of a single one-clock issue is therefore never
// predicted, however well the buffer knows it (Linux's dec/jns: 1 + 4 = 5 clocks, the 0.40 BogoMIPS per MHz of the
// class), while a loop of two issues is.
// Penalties: 3 clocks, 4 for a conditional branch in V (docs/hardware/processors.md#pentium-branch-prediction).
//
// Not modelled: cache bank conflicts within a pair, stores into a line of the code cache (self-modifying code costs
// nothing extra), write-once (first store to a clean line), snoop stalls, FXCH pairing and x87 overlap.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "core/cpu/timing/cached/cached_timing.hpp"
#include "core/cpu/timing/cached/issue_plan.hpp"
#include "core/cpu/timing/pentium/pipeline_state.hpp"

namespace planar::cpu {

class TimingPentium final : public CachedTiming {
 public:
  static constexpr Model model = Model::pentium;
  TimingPentium(const TimingConfig& config, const Events& events);

  void set_static_clocks(Op& op) const;
  void begin(const Op& op, std::uint32_t physical_eip);
  void branch(const Op& op, bool taken, std::uint32_t linear_target);
  void flush_caches(bool write_back);
  [[gnu::noinline]] void interrupt_flush();
  void archive(Archive& a);

  // ---- blocks that run by plan ----
  /// Decode time: determines how `count` instructions with their static clocks, from `physical_eip` on, issue as a
  /// block. They end in at most IssuePlan::most_lines code lines.
  void plan(Op* ops, unsigned count, std::uint32_t physical_eip, IssuePlan& plan) const;
  /// The code line of the byte at `address`, counted from address 0.
  std::uint32_t line_number(std::uint32_t address) const { return address >> line_shift_; }
  /// Execution has continued with a block of that plan and is in its first line: whether the plan holds, or the line's
  /// first-execution plan (starts_cold_line). While the block's plan holds, its instructions begin with begin_planned()
  /// instead of begin(), those that end in the code line after that of `op` (Op::Edge) after a plan_holds_after(op).
  /// What the instructions leave in the pipes is put there when the last one has begun (finish_plan) or where the block
  /// is left early.
  BlockEntry starts_block(const IssuePlan& plan, const Op& first) {
    if (pipes_suit(plan) && knows_starts(plan, 0)) {
      start_plan(plan.reach);
      return BlockEntry::planned;
    }
    return start_cold(plan.cold[0], first) ? BlockEntry::cold : BlockEntry::unplanned;
  }
  /// Execution has continued in the line after `op`.
  bool plan_holds_after(const IssuePlan& plan, const Op& op) const { return knows_starts(plan, op.pentium.line_after); }
  std::uint32_t line_after(const IssuePlan& plan, const Op& op) const {
    return plan.first_line + (std::uint32_t{op.pentium.line_after} << line_shift_);
  }
  /// starts_block() where execution stays in its line and the block's plan holds; if not, nothing has been done.
  bool start_plan_in_line(const IssuePlan& plan, const Op&) {
    if (plan.first_line != state_.code_line || !pipes_suit(plan) || !knows_starts(plan, 0)) return false;
    start_plan(plan.reach);
    return true;
  }
  void finish_plan(const IssuePlan& plan);
  /// The same for a block of several issues.
  void finish_long_plan(const IssuePlan& plan) { pipeline_.issue = plan.end; }
  /// The block ends early, before `next`, which is not its first instruction.
  void leave_plan(const IssuePlan& plan, const Op* next);
  // ---- code lines executed for the first time ----
  /// Execution has continued with `op` of a block with that plan, and is in its line: whether the cost of the line's
  /// instructions is known. If so, they begin with begin_planned() instead of begin(), and finish_cold_line() comes
  /// after the last one's beginning, or leave_cold_line() where they end early, before `next`.
  bool starts_cold_line(const IssuePlan& plan, const Op& op) { return start_cold(cold_line(plan), op); }
  /// The line in which `op` ends, of a block at `physical`.
  std::uint32_t line_of(const Op& op, std::uint32_t physical) const { return (physical + op.after - 1) & line_mask_; }
  void finish_cold_line(const IssuePlan& plan);
  void leave_cold_line(const Op* first, const Op* next, std::uint32_t eip);

  /// branch() where a branch that is not special goes the way it went all the last times and is predicted so: known as
  /// strongly taken to this target or strongly not taken, with nothing occupying the prefetcher. If not, nothing has
  /// been done.
  bool branch_as_predicted(const Op& op, bool taken, std::uint32_t linear_target);
  /// branch() for a near branch, inline. False: it is taken, and the code prefetched after it is on the bus by now;
  /// branch_after_prefetch() does the rest.
  [[gnu::always_inline]] bool branch_near(const Op& op, bool taken, std::uint32_t linear_target);
  void branch_after_prefetch(const Op& op, std::uint32_t linear_target);

 private:
  template <class, Geometry>
  friend class MemoryEvents;

  /// Clocks between two predicted jumps, from the class's BogoMIPS (P: model95 Pentium redirect_distance).
  static constexpr std::uint64_t redirect_distance = 2;
  /// Stands for an issue's address: the pipeline was refilled after that issue.
  static constexpr std::uint32_t misprediction_mark = 3;

  bool pipes_suit(const IssuePlan& plan) const {
    const IssueState& issue = pipeline_.issue;
    return issue.pair_open == 0 && !(issue.last_writes & plan.entry_reads);
  }
  const ColdLine& cold_line(const IssuePlan& plan) const {
    return plan.cold[(state_.code_line - plan.first_line) >> line_shift_];
  }
  void plan_cold_lines(Op* ops, unsigned count, IssuePlan& plan) const;
  unsigned issue(const Op& op, std::uint32_t eip);
  [[gnu::always_inline]] void predict(const Op& op, bool taken, std::uint32_t target);
  /// Whether all bytes that the plan needs to begin an instruction are known in its line `number`, which executes.
  bool knows_starts(const IssuePlan& plan, unsigned number) const {
    return (pipeline_.marks[pipeline_.mark_slot] & plan.marks[number]) == plan.marks[number];
  }
  bool start_cold(const ColdLine& cold, const Op& op);

  // For MemoryEvents. Read misses wait for posted writes.
  static constexpr bool second_line_waits() { return false; }
  void second_line() {}
  static constexpr std::size_t uncached = SIZE_MAX;
  /// Uncached code uses the spare slot after the cache's lines.
  void line_entered(std::size_t slot) {
    pipeline_.mark_slot = static_cast<std::uint32_t>(slot == uncached ? pipeline_.marks.size() - 1 : slot);
  }
  void code_line_replaced(std::size_t slot);
  static constexpr bool writes_wait() { return false; }
  template <Geometry>
  static constexpr std::uint64_t first_overtaken() {
    return UINT64_MAX;
  }
  template <Geometry>
  void delay_writes(std::uint64_t, std::uint64_t) {}

  PipelineState pipeline_;
};

inline void TimingPentium::code_line_replaced(std::size_t slot) {
  pipeline_.marks[slot] = 0;
  if (slot != pipeline_.mark_slot) return;
  // The executing line was displaced; what executes now comes from the prefetch buffer.
  pipeline_.mark_slot = static_cast<std::uint32_t>(pipeline_.marks.size() - 1);
  pipeline_.marks[pipeline_.mark_slot] = 0;
}

inline void TimingPentium::begin(const Op& op, std::uint32_t eip) {
  const std::uint32_t last_line = (eip + op.length - 1) & line_mask_;
  if (last_line != state_.code_line) [[unlikely]]
    fetch(eip, last_line);
  clock_ += issue(op, eip);
}

/// Issues `op` at `eip` to one of the pipes; returns its clocks.
inline unsigned TimingPentium::issue(const Op& op, std::uint32_t eip) {
  IssueState& issue = pipeline_.issue;
  if (issue.takes(op)) return issue.join(op);
  // Until a line has been executed once, the processor does not know where its instructions end: no pairing until then.
  const unsigned at = eip & 31;
  std::uint32_t& marks = pipeline_.marks[pipeline_.mark_slot];
  const unsigned seen = (marks >> at) | (op.length == 1);
  marks |= std::uint32_t{1} << at;
  return issue.open(op, eip, seen);
}

inline bool TimingPentium::start_cold(const ColdLine& cold, const Op& op) {
  const IssueState& issue = pipeline_.issue;
  if (cold.first != &op || (pipeline_.marks[pipeline_.mark_slot] & cold.pairable) ||
      (issue.pair_open & op.pentium.pair) || (issue.last_writes & cold.entry_reads))
    return false;
  start_cold_plan(cold.reach);
  return true;
}

inline void TimingPentium::finish_cold_line(const IssuePlan& plan) {
  end_cold_plan();
  const ColdLine& cold = cold_line(plan);
  pipeline_.marks[pipeline_.mark_slot] |= cold.starts;
  pipeline_.follow(cold.end, cold.single);
}

inline void TimingPentium::finish_plan(const IssuePlan& plan) { pipeline_.follow(plan.end, plan.single); }

inline bool TimingPentium::branch_as_predicted(const Op& op, bool taken, std::uint32_t target) {
  const std::uint32_t key = pipeline_.issue.previous_eip;
  if (!taken) return pipeline_.btb.never_taken(op.pentium.btb_entry, key);
  if (state_.prefetch_line != no_line || clock_ < pipeline_.redirected + redirect_distance) return false;
  if (!pipeline_.btb.always_taken(op.pentium.btb_entry, key, target)) return false;
  pipeline_.redirected = clock_;
  return true;
}

inline bool TimingPentium::branch_near(const Op& op, bool taken, std::uint32_t target) {
  if (taken) {
    if (is_special(op.branch)) [[unlikely]]
      clock_ += 1;  // JCXZ 6 against 5, LOOPZ 8 against 7
    if (prefetch_started()) [[unlikely]]
      return false;
  }
  predict(op, taken, target);
  return true;
}

inline void TimingPentium::predict(const Op& op, bool taken, std::uint32_t target) {
  IssueState& issue = pipeline_.issue;
  const bool shadowed = issue.previous_eip == misprediction_mark;
  const std::uint32_t key = shadowed ? pipeline_.mispredicted_issue : issue.previous_eip;
  if (taken) state_.prefetch_line = no_line;
  BranchTargetBuffer::Set set = pipeline_.btb.set(key);
  if (const unsigned found = set.holding(key)) {
    const auto way = static_cast<unsigned>(std::countr_zero(found));
    op.pentium.btb_entry = BranchTargetBuffer::position(key, way);
    const bool followed = !shadowed && clock_ >= pipeline_.redirected + redirect_distance && set.predicts_taken(way);
    const bool right = taken == followed && (!taken || set.target(way) == target);
    set.learn(way, taken, target);
    if (right) {
      if (taken) pipeline_.redirected = clock_;
      return;
    }
  } else {
    if (!taken) return;
    set.insert(key, target);
  }
  ++counters_.mispredictions;
  clock_ += op.branch == BranchKind::conditional && issue.in_v ? 4 : 3;
  pipeline_.mispredicted_issue = issue.eip;
  issue.eip = misprediction_mark;
  issue.pair_open = 0;
  issue.last_writes = 0;  // the pipeline was stalled: no interlock with the target
  pipeline_.redirected = clock_;
}

}  // namespace planar::cpu
