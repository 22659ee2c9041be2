// SPDX-License-Identifier: GPL-2.0-or-later
// The Pentium (P5, P54C): two pipes, split caches, branch prediction with its habits.
//
// Pairing is carried from instruction to instruction, and planned for a block where possible: issue.hpp. Flags never
// prevent a pair (CMP + Jcc pairs); ESP changes implied by PUSH, POP, CALL and RET do not either and cause no
// interlock.
//
// Prediction: the buffer is looked up with the issue before the branch (btb.hpp). A prediction that says "taken" turns
// the prefetcher to its other queue, and it can do so only every second clock [I]; while the pipeline refills after a
// misprediction it cannot at all, so that a branch in the first issue behind one falls through in the processor's eyes
// [S]. Either way the branch costs the penalty of a misprediction. A loop of a single one-clock issue therefore never
// gets predicted, however well the buffer knows it (Linux's dec/jns: 1 + 4 = 5 clocks, the 0.40 BogoMIPS a MHz of the
// class), while a loop of two issues does.
// Penalties: 3 clocks, 4 for a conditional branch in V (docs/hardware/processors.md#pentium-branch-prediction).
//
// Not modelled: cache bank conflicts within a pair, stores into a line of the code cache (self-modifying code costs
// nothing extra), write-once (first store to a clean line), snoop stalls, FXCH pairing and x87 overlap.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/cpu/timing/common/cached_timing.hpp"
#include "core/cpu/timing/pentium/issue.hpp"
#include "core/cpu/timing/pentium/pipeline_state.hpp"

namespace planar::cpu {

class TimingPentium final : public CachedTiming {
 public:
  explicit TimingPentium(const TimingConfig& config);

  void set_static_clocks(Op& op) const override;
  void begin(const Op& op, std::uint32_t physical_eip) override;
  void branch(const Op& op, bool taken, std::uint32_t linear_target) override;
  void flush_caches(bool write_back) override;
  [[gnu::noinline]] void interrupt_flush() override;
  void archive(Archive& a) override;

  // ---- blocks that run by plan ----
  /// Decode time: settles how `count` instructions with their static clocks, from `physical_eip` on, issue as a block.
  /// They end in at most IssuePlan::most_lines code lines.
  void plan(Op* ops, unsigned count, std::uint32_t physical_eip, IssuePlan& plan) const;
  /// The code line of the byte at `address`, counted from address 0.
  std::uint32_t line_number(std::uint32_t address) const { return address >> line_shift_; }
  enum class Entry : std::uint8_t { unplanned, planned, cold };
  /// Code goes on with a block of that plan: whether the plan holds, or that of its first line as a new one
  /// (enter_cold_line). While the block's holds, its instructions begin with begin_planned() instead of begin(), those
  /// that end in the code line behind that of `op` (Op::Edge) behind a plan_holds_behind(op). What the instructions
  /// leave in the pipes is put there when the last one has begun (finish_plan) or where the block is left early.
  /// `Events`: of the geometry (cached/memory_events.hpp).
  template <class Events>
  [[gnu::always_inline]] Entry enter_block(const IssuePlan& plan) {
    if (plan.first_line != state_.code_line) Events::fetch(*this, plan.eip, plan.first_line);
    if (pipes_suit(plan) && knows_starts(plan, 0, plan.first_line)) {
      start_plan(plan.reach);
      return Entry::planned;
    }
    return start_cold(plan.cold[0], *plan.first) ? Entry::cold : Entry::unplanned;
  }
  template <class Events>
  [[gnu::always_inline]] bool plan_holds_behind(const IssuePlan& plan, const Op& op) {
    const std::uint32_t line = line_behind(plan, op);
    if (line != state_.code_line) Events::fetch(*this, line, line);
    return knows_starts(plan, op.pentium.line_behind, line);
  }
  /// The same for where that was the case before and takes no time now; if not, nothing has happened and the two above
  /// are to be asked.
  bool enter_plan_seen(const IssuePlan& plan) {
    return pipes_suit(plan) && fetch_seen(plan, 0, plan.first_line) && (start_plan(plan.reach), true);
  }
  bool plan_holds_behind_seen(const IssuePlan& plan, const Op& op) {
    return fetch_seen(plan, op.pentium.line_behind, line_behind(plan, op));
  }
  void finish_plan(const IssuePlan& plan);
  /// The same for a block of several issues.
  void finish_long_plan(const IssuePlan& plan) { pipeline_.issue = plan.end; }
  /// The block ends early, in front of `next`, not the first.
  void leave_plan(const IssuePlan& plan, const Op* next);
  // ---- lines of code that are new ----
  /// Code goes on with `op` of the block at `physical` with that plan: whether what its line's instructions cost is
  /// known. Then they begin with begin_planned() instead of begin(), and a finish_cold_line() comes behind the last
  /// one's beginning, or a leave_cold_line() where they end before, in front of `next`.
  template <class Events>
  [[gnu::always_inline]] bool enter_cold_line(const IssuePlan& plan, const Op& op, std::uint32_t physical) {
    const std::uint32_t line = (physical + op.behind - 1) & line_mask_;
    if (line != state_.code_line) Events::fetch(*this, physical + op.behind - op.length, line);
    return start_cold(cold_line(plan), op);
  }
  void finish_cold_line(const IssuePlan& plan);
  void leave_cold_line(const Op* first, const Op* next, std::uint32_t eip);

  /// branch() where a branch that is not special goes where it went all the last times and is predicted so: known as
  /// strongly taken to this target or strongly not taken, with nothing in the prefetcher's way. If not, nothing has
  /// happened.
  bool branch_as_predicted(const Op& op, bool taken, std::uint32_t linear_target);

 private:
  template <class, Geometry>
  friend class MemoryEvents;

  /// Clocks between two predicted jumps; informed by the class's BogoMIPS, as published.
  static constexpr std::uint64_t redirect_distance = 2;
  /// As an issue's address: the pipeline was refilled behind it.
  static constexpr std::uint32_t misprediction_mark = 3;

  bool pipes_suit(const IssuePlan& plan) const {
    const IssueState& issue = pipeline_.issue;
    return issue.pair_open == 0 && !(issue.last_writes & plan.entry_reads);
  }
  std::uint32_t line_behind(const IssuePlan& plan, const Op& op) const {
    return plan.first_line + (std::uint32_t{op.pentium.line_behind} << line_shift_);
  }
  const ColdLine& cold_line(const IssuePlan& plan) const {
    return plan.cold[(state_.code_line - plan.first_line) >> line_shift_];
  }
  void plan_cold_lines(Op* ops, unsigned count, IssuePlan& plan) const;
  unsigned issue(const Op& op, std::uint32_t eip);
  /// branch() where no code line prefetched behind the branch is on its way any more.
  [[gnu::always_inline]] void predict(const Op& op, bool taken, std::uint32_t target);
  [[gnu::noinline]] void predict_behind_prefetch(const Op& op, std::uint32_t target);
  bool fetch_seen(const IssuePlan& plan, unsigned number, std::uint32_t line);
  bool knows_starts(const IssuePlan& plan, unsigned number, std::uint32_t line);
  void note_line(const IssuePlan& plan, unsigned number, std::uint32_t line);
  bool start_cold(const ColdLine& cold, const Op& op);

  // For MemoryEvents. Read misses wait for posted writes.
  void second_line() {}
  static constexpr std::size_t uncached = SIZE_MAX;
  /// Uncached code has the spare slot behind the cache's lines.
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
  // The line that executes was displaced; what executes now comes from the prefetch buffer.
  pipeline_.mark_slot = static_cast<std::uint32_t>(pipeline_.marks.size() - 1);
  pipeline_.marks[pipeline_.mark_slot] = 0;
}

inline void TimingPentium::begin(const Op& op, std::uint32_t eip) {
  const std::uint32_t last_line = (eip + op.length - 1) & line_mask_;
  if (last_line != state_.code_line) [[unlikely]]
    fetch(eip, last_line);
  clock_ += issue(op, eip);
}

/// The clocks of `op` at `eip`, which goes to one of the pipes.
inline unsigned TimingPentium::issue(const Op& op, std::uint32_t eip) {
  IssueState& issue = pipeline_.issue;
  if (issue.takes(op)) return issue.join(op);
  // Until a line has been executed once the processor does not know where its instructions end: no pairing then.
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

/// Whether the plan's line `number`, which executes, knows of all bytes that the plan needs as an instruction's first.
inline bool TimingPentium::knows_starts(const IssuePlan& plan, unsigned number, std::uint32_t line) {
  if ((pipeline_.marks[pipeline_.mark_slot] & plan.marks[number]) != plan.marks[number]) return false;
  LineMemo& memo = plan.memos[number];
  const auto changes = static_cast<std::uint32_t>(code_cache().changes());
  if (memo.once == changes) [[unlikely]]
    note_line(plan, number, line);
  memo.once = changes;
  return true;
}

inline void TimingPentium::finish_cold_line(const IssuePlan& plan) {
  end_cold_plan();
  const ColdLine& cold = cold_line(plan);
  pipeline_.marks[pipeline_.mark_slot] |= cold.starts;
  pipeline_.follow(cold.end, cold.single);
}

/// Where a memo says that the line and its successor are in, each as the one used last in its set, with all that the
/// plan relies on known, and nothing is on its way: enters the plan's line `number`, or goes on in it. If not, nothing
/// has happened.
inline bool TimingPentium::fetch_seen(const IssuePlan& plan, unsigned number, std::uint32_t line) {
  const LineMemo& memo = plan.memos[number];
  if (memo.changes != state_.code.changes()) [[unlikely]]
    return false;
  if (line == state_.code_line) return true;
  if (state_.prefetch_line != no_line || !settled()) [[unlikely]]
    return false;
  state_.code_line = line;
  pipeline_.mark_slot = memo.slot;
  return true;
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

}  // namespace planar::cpu
