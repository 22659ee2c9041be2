// SPDX-License-Identifier: GPL-2.0-or-later
// What an instruction costs: the one interface between the executor and the three timing models.
//
// The executor calls, for each instruction, in this order:
//   begin(op, physical_eip)          issue: fetch, static clocks, pairing, address-generation interlock
//   read/write(physical, bytes)      each data access to RAM or ROM as it happens (page-table walks included)
//   branch(op, taken, linear_target)
//                                    every near jump, call, return, loop, conditional jump, taken or not; also behind
//                                    far transfers, INT and IRET (taken)
//   spend(clocks)                    microcode that depends on data, from timing/instruction_clocks.hpp
// Accesses through the pins (I/O, device memory, INTA):
//   cycle_start(io)                  write buffers drained, bus idle: the clock at which the cycle starts
//   wait_until(clock)                the CPU stands still until the cycle ends, the bus is taken until then
// All clocks are the processor's own (90 MHz core clocks on the Pentium 90). State is plain data and part of the
// snapshot. Nothing here depends on how instructions are grouped into blocks, nor on where a run is cut.
//
// Sources: docs/hardware/processors.md; memory: docs/hardware/memory-timing.md, where the machines' values stand. What
// each model leaves out stands at the top of its file (i386sx.cpp, i486sx.cpp, pentium.cpp).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/cpu/decode/op.hpp"
#include "core/cpu/timing/common/config.hpp"
#include "core/cpu/timing/common/instruction_clocks.hpp"
#include "core/cpu/timing/common/memory_path.hpp"
#include "core/cpu/timing/common/tag_cache.hpp"
#include "core/cpu/timing/pentium/btb.hpp"
#include "core/cpu/timing/pentium/issue.hpp"
#include "core/state/archive.hpp"
#include "core/state/description.hpp"

namespace planar::cpu {

class Steady386;

class Timing {
 public:
  /// Throws Error if the configuration is out of range.
  explicit Timing(const TimingConfig& config);
  const TimingConfig& config() const { return config_; }
  Model model() const { return model_; }

  /// Decode time: fills op.clocks, pair_class, timing_flags, reads, writes, address_reads.
  void price(Op& op) const;

  /// `physical_eip` is the address of the instruction's first byte, prefixes included.
  void begin(const Op& op, std::uint32_t physical_eip);
  /// The same for callers that know the model.
  template <Model M>
  void begin_as(const Op& op, std::uint32_t physical_eip);
  /// The same on the 386SX for the instruction behind the one that began last, with no branch or flush in between.
  void begin_next_386(const Op& op);
  /// Decode time, Pentium: settles how `count` priced instructions from `physical_eip` on issue as a block. They end in
  /// at most IssuePlan::most_lines code lines.
  void plan(Op* ops, unsigned count, std::uint32_t physical_eip, IssuePlan& plan) const;
  /// The code line of the byte at `address`, counted from address 0.
  std::uint32_t line_number(std::uint32_t address) const { return address >> line_shift_; }
  /// Whether a block's plan holds here: then its instructions begin with begin_planned() instead of begin(), those that
  /// end in the code line behind that of `op` (Op::Edge) behind a plan_holds_behind(op). What the instructions leave in
  /// the pipes is put there in front of the last one (finish_plan) or where the block is left early.
  bool enter_plan(const IssuePlan& plan);
  bool plan_holds_behind(const IssuePlan& plan, const Op& op);
  /// The same for where that was the case before and takes no time now; if not, nothing has happened and they are to be
  /// asked.
  bool enter_plan_seen(const IssuePlan& plan);
  bool plan_holds_behind_seen(const IssuePlan& plan, const Op& op);
  void begin_planned(const Op& op) { clock_ += op.issue_clocks; }
  /// The same for the quiet instructions in front of `op`, which have executed already, and for `op`.
  void begin_planned_run(const Op& op) { clock_ += op.run_clocks; }
  void finish_plan(const IssuePlan& plan);
  /// The same for a block of several issues.
  void finish_long_plan(const IssuePlan& plan) { issue_ = plan.end; }
  /// The block ends early, in front of `next`, not the first.
  void leave_plan(const IssuePlan& plan, const Op* next);

  /// A data access of 1, 2 or 4 bytes at any alignment (wider operands are several calls). Both halves of an access
  /// that crosses a page may be given as one call at the first address if the executor does not split it.
  void read(std::uint32_t physical, unsigned bytes);
  void write(std::uint32_t physical, unsigned bytes);
  /// The same for an address that is a multiple of `bytes`. `M`: the model if the caller knows it.
  template <Model... M>
  void read_aligned(std::uint32_t physical, unsigned bytes);
  template <Model... M>
  void write_aligned(std::uint32_t physical, unsigned bytes);
  /// Whether an access within a doubleword would cost nothing and change nothing: then it need not be told. Never on
  /// the 386SX.
  bool read_hits(std::uint32_t physical) const { return data_.in_mru_way(physical) && settled(); }
  bool write_hits(std::uint32_t physical) const { return data_.dirty_in_mru_way(physical); }
  /// The view in which `address` may be seen, whether there may be one for this physical address, and whether no line
  /// is on its way.
  LineView& view(std::uint32_t address) { return LineView::of(views_, address); }
  bool in_view(std::uint32_t physical) const { return data_.in_view(physical); }
  bool settled() const { return clock_ >= fills_until_; }
  /// A read through `view` while a line is on its way.
  void read_view(const LineView& view, std::uint32_t address) {
    wait_for_fill(data_.line_of(view.physical | (address & ~LineView::mask)));
  }
  /// Aligned writes one behind the other from `address` on, all in one line and none across a datum, `each` clocks
  /// spent between one and the next: as many of `count` as can begin before the clock reaches `stop_at`. Returns their
  /// number; 0 if they must be told one by one, with nothing done.
  unsigned write_run(std::uint32_t address, unsigned count, unsigned each, std::uint64_t stop_at);
  /// Whether write_run() is worth asking: a first level that writes back.
  bool writes_back() const { return config_.l1.write_back; }
  std::uint32_t data_line() const { return data_.line(); }
  void branch(const Op& op, bool taken, std::uint32_t linear_target);
  /// branch() on the Pentium, in a block by plan of several issues, where a branch that is not special goes where it
  /// went all the last times and is predicted so: known as strongly taken to this target or strongly not taken, with
  /// nothing in the prefetcher's way. If not, nothing has happened.
  bool branch_as_ever(const Op& op, bool taken, std::uint32_t linear_target);

  /// Microcode beyond the table, before or behind the accesses that belong to it: the 386's figures contain a zero-wait
  /// cycle for each of them, which is counted once.
  void spend(unsigned clocks) {
    spend_before_write(clocks);
    tail_ = clocks > 2 ? clocks - 2 : 0;
  }
  /// The same for an iteration that ends with the write of what it has read: nothing lies between its read and that
  /// write, nor between the write and the read of the next one (386 PRM: four clocks for a word of REP MOVS, two of
  /// them the read's and two the write's).
  void spend_before_write(unsigned clocks) {
    const unsigned held = credit_ < clocks ? credit_ : clocks;
    credit_ = 0;
    clock_ += clocks - held;
    tail_ = 0;
  }
  std::uint64_t clocks() const { return clock_; }

  /// Before a cycle on the pins (I/O, device memory, INTA): posted writes are finished and the bus is free; returns the
  /// clock at which the cycle starts, at an edge of the bus clock. For a 386SX memory operand (`io` false) that is two
  /// clocks back: the table holds them for a zero-wait cycle.
  std::uint64_t cycle_start(bool io);
  /// Locked cycles, serialising instructions: waits until posted writes have reached memory.
  void drain();
  /// The cycle on the pins ends at `clock`: the CPU and its bus stand still until then. Earlier clocks change nothing.
  void wait_until(std::uint64_t clock);
  /// HLT: time passes, nothing else happens. Earlier clocks change nothing.
  void jump_to(std::uint64_t clock) {
    if (clock > clock_) clock_ = clock;
  }

  /// Another master has the memory path for `clocks` core clocks from clock `from` (single-path planars: every cycle of
  /// the master; dual-path planars: its transfers to planar memory).
  void steal(std::uint64_t from, unsigned clocks);
  /// A master wrote RAM: tags that hold these bytes become invalid.
  void master_wrote(std::uint32_t address, std::uint32_t bytes);

  /// INVD (lines dropped) and WBINVD (`write_back`: dirty lines are written first, in time).
  void flush_caches(bool write_back = false);
  /// CR0.CD and NW: with CD set nothing new is cached; what is in still hits (the manuals' frozen cache) until flushed.
  void set_cache_enabled(bool enabled) { cache_enabled_ = enabled; }
  /// Interrupt or exception taken, serialising instruction: prefetch queue and pairing start afresh.
  void interrupt_flush();

  /// Counters for people and tests; they influence nothing and are not part of a snapshot.
  struct Counters {
    std::uint64_t code_misses = 0;  ///< line fills and, on the 386SX, starvations of the prefetch queue
    std::uint64_t read_misses = 0;
    std::uint64_t write_misses = 0;
    std::uint64_t mispredictions = 0;
    std::uint64_t pin_clocks =
        0;  ///< in which the CPU stood still for cycles on the pins, the wait for the bus included
  };
  const Counters& counters() const { return counters_; }
  /// For whoever wants pin_clocks to go on counting behind a snapshot.
  void archive_counters(Archive& a) { a(counters_.pin_clocks, pins_until_); }

  void archive(Archive& a);
  /// The caches, as parts: geometry, lines valid and dirty.
  void describe(Description& description) const;

 private:
  friend class Steady386;
  static constexpr std::uint32_t no_line = 1;  // never a line's address
  // Clocks between two predicted jumps; informed by the class's BogoMIPS, as published.
  static constexpr std::uint64_t redirect_distance = 2;
  static constexpr std::uint32_t misprediction_mark = 3;  // as an issue's address: the pipeline was refilled behind it

  // -- timing/i386sx.cpp
  static constexpr std::uint32_t queue_bytes = 16;
  void begin_386(const Op& op, std::uint32_t eip);
  void issue_386(const Op& op, std::uint32_t end);
  void read_386(std::uint32_t address, unsigned bytes);
  void write_386(std::uint32_t address, unsigned bytes);
  void read_aligned_386(std::uint32_t address, unsigned bytes);
  void write_aligned_386(std::uint32_t address, unsigned bytes);
  void branch_386(const Op& op, bool taken);
  void supply_386(const Op& op);
  void supply_in_new_row_386(const Op& op, std::uint32_t eip);
  void starve_386();
  void supply_afresh_386(const Op& op, std::uint32_t eip);
  void supplied_386(std::uint32_t line);
  bool prefetch_plain_386(std::uint64_t until);
  void prefetch_386(std::uint64_t until);
  void finish_read_386();
  void refill_386();

  // -- timing/i486sx.cpp
  void begin_486(const Op& op, std::uint32_t eip);
  void fetch_486(std::uint32_t eip, std::uint32_t last_line);
  void branch_486(const Op& op, bool taken);
  void bypass_read_miss(std::uint32_t address);

  // -- timing/pentium.cpp
  void begin_pentium(const Op& op, std::uint32_t eip);
  bool pipes_suit(const IssuePlan& plan) const;
  std::uint32_t line_behind(const IssuePlan& plan, const Op& op) const;
  bool fetch_seen(const IssuePlan& plan, unsigned number, std::uint32_t line);
  bool fetch_planned(const IssuePlan& plan, unsigned number, std::uint32_t line);
  void fetch_pentium(std::uint32_t eip, std::uint32_t last_line);
  void forget_marks(std::size_t slot);
  void branch_pentium(const Op& op, bool taken, std::uint32_t target);

  // -- timing/cached.cpp: what 486 and Pentium share
  TagCache& code_cache() { return config_.l1.split ? code_ : data_; }
  void enter_line(std::uint32_t line);
  void settle_prefetch() {
    if (prefetch_line_ != no_line) settle_wanted_prefetch();
  }
  void settle_wanted_prefetch();
  void read_miss(std::uint32_t address, unsigned bytes);
  void read_misaligned(std::uint32_t address, unsigned bytes);
  void write_misaligned(std::uint32_t address, unsigned bytes);
  void write_slow(std::uint32_t address, unsigned bytes);
  void post(MemoryPath::Burst burst) {
    write_start_[write_next_] = burst.first;
    write_done_[write_next_] = burst.done;
    write_next_ = static_cast<std::uint8_t>(write_next_ + 1u < config_.write_buffers ? write_next_ + 1u : 0u);
  }
  void wait_for_buffer() {
    if (clock_ < write_done_[write_next_]) clock_ = write_done_[write_next_];
  }
  void wait_for_fill(std::uint32_t line) {
    for (unsigned which = 0; which < 2; ++which)
      if (fill_line_[which] == line && clock_ < fill_done_[which]) clock_ = fill_done_[which];
  }
  void note_fill(unsigned which, std::uint32_t line, std::uint64_t done);
  MemoryPath::Burst fill(TagCache& cache, std::uint32_t address, std::uint64_t at);
  MemoryPath::Burst fill_cacheable(TagCache& cache, std::uint32_t address, std::uint64_t at);

  TimingConfig config_;
  Model model_;
  std::uint32_t line_mask_ = ~15u;  // of a first-level line's address
  std::uint8_t line_shift_ = 4;
  bool cache_enabled_ = true;
  std::uint64_t clock_ = 0;
  MemoryPath path_;

  // 386SX bus unit
  std::uint32_t fetch_next_ = 0;     // address of the next code word to fetch
  std::uint32_t fetch_eip_ = 0;      // address of the next byte to be consumed
  std::uint64_t fetch_from_ = 0;     // when the queue last got room
  std::uint64_t write_starts_ = 0;   // when the posted write leaves the bus unit's latch
  std::uint32_t tail_ = 0;           // clocks of the instruction behind the end of its next read
  std::uint32_t credit_ = 0;         // clocks of reads so far that the figure to be spent contains
  bool refill_ = true;               // the queue was flushed
  std::uint32_t fetch_mask_ = ~3u;   // of a prefetch request's address
  std::uint64_t fetch_put_off_ = 0;  // words that begin before are still to be counted; 0 in a snapshot

  // 486 and Pentium
  std::array<LineView, LineView::count> views_;  // into data_
  TagCache data_;                                // unified on the 486
  TagCache code_;
  std::uint32_t code_line_ = no_line;      // line of the byte before the next sequential one
  std::uint32_t prefetch_line_ = no_line;  // wanted, not yet on the bus
  std::uint64_t prefetch_from_ = 0;
  std::array<std::uint32_t, 2> fill_line_{no_line, no_line};  // data, code
  std::array<std::uint64_t, 2> fill_done_{};
  std::uint64_t fills_until_ = 0;
  std::array<std::uint64_t, 8> write_start_{};  // posted writes: on the bus, done
  std::array<std::uint64_t, 8> write_done_{};
  std::uint8_t write_next_ = 0;
  std::uint8_t write_hits_ = 0;  // consecutive latest posted writes that hit the cache
  IssueState issue_;
  bool jumped_ = false;

  // Pentium
  std::uint32_t mispredicted_issue_ = 0;  // behind misprediction_mark
  std::uint64_t redirected_ = 0;          // when the prefetcher last followed a jump
  std::uint32_t mark_slot_ = 0;           // the code line that executes, as an index into marks_
  std::vector<std::uint32_t> marks_;      // a code line's bytes at which an instruction was seen to begin
  BranchTargetBuffer btb_;

  Counters counters_;
  std::uint64_t pins_from_ = 0, pins_until_ = 0;  // the latest cycle on the pins, for the counter
};

template <Model M>
inline void Timing::begin_as(const Op& op, std::uint32_t eip) {
  if constexpr (M == Model::i386sx)
    begin_386(op, eip);
  else if constexpr (M == Model::i486sx)
    begin_486(op, eip);
  else
    begin_pentium(op, eip);
}

inline void Timing::begin_386(const Op& op, std::uint32_t eip) {
  if (!refill_ && eip == fetch_eip_) return begin_next_386(op);
  supply_afresh_386(op, eip);
  issue_386(op, eip + op.length);
}

inline void Timing::begin_next_386(const Op& op) {
  const std::uint32_t eip = fetch_eip_, end = eip + op.length;
  const std::uint64_t from = fetch_from_ > path_.word_free() ? fetch_from_ : path_.word_free();
  // If the queue holds the instruction and cannot have filled up since `from` (two clocks a word at least), nothing
  // that happened between is seen before the next cycle of another kind: the words are counted then.
  const auto room = static_cast<std::int32_t>((eip & fetch_mask_) + queue_bytes - fetch_next_);
  if (static_cast<std::int32_t>(fetch_next_ - ((end + ~fetch_mask_) & fetch_mask_)) >= 0 &&
      static_cast<std::int64_t>(clock_ - from) + 1 < room)
    fetch_put_off_ = clock_;
  else
    supply_386(op);
  issue_386(op, end);
}

// The queue has it: `end` is the address behind it.
inline void Timing::issue_386(const Op& op, std::uint32_t end) {
  fetch_eip_ = end;
  clock_ += op.clocks;
  tail_ = op.tail;
  credit_ = 0;
}

inline void Timing::begin_486(const Op& op, std::uint32_t eip) {
  const std::uint32_t last_line = (eip + op.length - 1) & line_mask_;
  if (last_line != code_line_) [[unlikely]]
    fetch_486(eip, last_line);
  unsigned clocks = op.clocks + ((op.address_reads & issue_.last_writes) != 0);
  // Prefixes decode while a longer predecessor still executes.
  if (op.timing_flags != 0 && issue_.last_clocks > 1)
    clocks -= op.timing_flags < issue_.last_clocks ? op.timing_flags : issue_.last_clocks - 1u;
  issue_.last_writes = op.writes;
  issue_.last_clocks = op.clocks;
  jumped_ = false;
  clock_ += clocks;
}

inline void Timing::begin_pentium(const Op& op, std::uint32_t eip) {
  const std::uint32_t last_line = (eip + op.length - 1) & line_mask_;
  if (last_line != code_line_) [[unlikely]]
    fetch_pentium(eip, last_line);
  if (issue_.takes(op)) {
    clock_ += issue_.join(op);
    return;
  }
  // Until a line has been executed once the processor does not know where its instructions end: no pairing then.
  const unsigned at = eip & 31;
  std::uint32_t& marks = marks_[mark_slot_];
  const unsigned seen = (marks >> at) | (op.length == 1);
  marks |= std::uint32_t{1} << at;
  clock_ += issue_.open(op, eip, seen);
}

/// Where a memo says that the line and its successor are in, each as the one used last in its set, with all that the
/// plan relies on known, and nothing is on its way: enters the plan's line `number`, or goes on in it. If not, nothing
/// has happened.
inline bool Timing::fetch_seen(const IssuePlan& plan, unsigned number, std::uint32_t line) {
  const LineMemo& memo = plan.memos[number];
  if (memo.changes != code_.changes()) [[unlikely]]
    return false;
  if (line == code_line_) return true;
  if (prefetch_line_ != no_line || clock_ < fills_until_) [[unlikely]]
    return false;
  code_line_ = line;
  mark_slot_ = memo.slot;
  return true;
}

inline bool Timing::pipes_suit(const IssuePlan& plan) const {
  return issue_.pair_open == 0 && !(issue_.last_writes & plan.entry_reads);
}
inline std::uint32_t Timing::line_behind(const IssuePlan& plan, const Op& op) const {
  return plan.first_line + (std::uint32_t{op.line_behind} << line_shift_);
}

inline bool Timing::enter_plan_seen(const IssuePlan& plan) {
  return pipes_suit(plan) && fetch_seen(plan, 0, plan.first_line);
}
inline bool Timing::plan_holds_behind_seen(const IssuePlan& plan, const Op& op) {
  return fetch_seen(plan, op.line_behind, line_behind(plan, op));
}

inline void Timing::finish_plan(const IssuePlan& plan) {
  const IssueState before = issue_;
  issue_ = plan.end;
  if (plan.single) {
    issue_.agi_writes = before.last_writes;
    issue_.previous_eip = before.eip;
  }
}

inline void Timing::read(std::uint32_t address, unsigned bytes) {
  if (model_ == Model::i386sx) {
    read_386(address, bytes);
    return;
  }
  if ((address & 3) + bytes <= 4) [[likely]]
    read_aligned(address, bytes);
  else
    read_misaligned(address, bytes);
}

template <Model... M>
inline void Timing::read_aligned(std::uint32_t address, unsigned bytes) {
  if (((M == Model::i386sx) || ...) || model_ == Model::i386sx) {
    read_aligned_386(address, bytes);
    return;
  }
  if (data_.find(address)) [[likely]] {
    if (clock_ < fills_until_) wait_for_fill(data_.line_of(address));
    return;
  }
  read_miss(address, bytes);
}

inline void Timing::write(std::uint32_t address, unsigned bytes) {
  if (model_ == Model::i386sx) {
    write_386(address, bytes);
    return;
  }
  if ((address & 3) + bytes <= 4) [[likely]]
    write_aligned(address, bytes);
  else
    write_misaligned(address, bytes);
}

template <Model... M>
inline void Timing::write_aligned(std::uint32_t address, unsigned bytes) {
  if (((M == Model::i386sx) || ...) || model_ == Model::i386sx) {
    write_aligned_386(address, bytes);
    return;
  }
  if (write_hits(address)) [[likely]]
    return;  // write-back only
  write_slow(address, bytes);
}

inline bool Timing::branch_as_ever(const Op& op, bool taken, std::uint32_t target) {
  if (!taken) return btb_.never_taken(op.btb_entry, issue_.previous_eip);
  if (prefetch_line_ != no_line || clock_ < redirected_ + redirect_distance) return false;
  if (!btb_.always_taken(op.btb_entry, issue_.previous_eip, target)) return false;
  redirected_ = clock_;
  return true;
}

inline void Timing::branch(const Op& op, bool taken, std::uint32_t target) {
  if (model_ == Model::pentium)
    branch_pentium(op, taken, target);
  else if (model_ == Model::i486sx)
    branch_486(op, taken);
  else
    branch_386(op, taken);
}

}  // namespace planar::cpu
