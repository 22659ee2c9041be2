// SPDX-License-Identifier: GPL-2.0-or-later
// The P6: Pentium II and III.
//
// An instruction is a few micro-ops, each of which gets its clocks as it passes (window.hpp), so that loads, stores and
// arithmetic overlap as far as their operands, the ports and the sizes of the buffers let them. The processor's clock,
// as others see it, is that of retirement: what an instruction does on the pins begins when everything before it has
// retired and all stores have left; an interrupt comes between two retired instructions.
//
//   front_end.hpp    fetch, decoding          window.hpp        renaming, ports, retirement
//   predictor.hpp    branches                 store_buffer.hpp  stores on their way, forwarding
//   memory_p6.hpp    caches, buses, DRAM      micro_ops.hpp     what an instruction is made of
//   pipeline.hpp     all but memory, and how a loop in steady state returns to the same state
//   block_memo.hpp   what is known about blocks of code, so that it is not computed again
//
// Sources: docs/hardware/p6.md. Not modelled: fetch and loads of paths not taken; the latency of the MMX unit's
// register file; the stall that a single flag bit causes in a loop of TEST and LAHF (three groups of flags are kept).
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/cpu/timing/common/processor_timing.hpp"
#include "core/cpu/timing/p6/block_memo.hpp"
#include "core/cpu/timing/p6/memory_p6.hpp"
#include "core/cpu/timing/p6/micro_ops.hpp"
#include "core/cpu/timing/p6/pipeline.hpp"
#include "core/cpu/timing/p6/predictor.hpp"
#include "core/cpu/timing/p6/store_log.hpp"

namespace planar::cpu {

class TimingP6 final : public ProcessorTiming, private PipelineP6 {
 public:
  explicit TimingP6(const TimingConfig& config);

  void set_static_clocks(Op& op) const;
  void begin(const Op& op, std::uint32_t physical_eip) {
    if (!following_) return compute_from(op, physical_eip);
    op_ = &op;
    if (next_->after == op.after && next_->kind <= Kind::drain) follow_begin(op, physical_eip);
  }
  /// The instruction that began last has made its accesses.
  void end() {
    if (following_ && (next_->after != op_->after || follow_end())) [[likely]]
      done_ = op_;
    else
      compute_end();
  }
  /// It ends with a fault instead, or a REP does not continue.
  void abandon() {
    catch_up();
    forget_instruction();
    repeat_.end();
  }
  void read(std::uint32_t physical, unsigned bytes);
  void write(std::uint32_t physical, unsigned bytes);
  /// A load of no bytes: its micro-op is done when a hit would be, and the line is fetched.
  void prefetch(std::uint32_t physical) { read(physical, 0); }
  /// A repeated string instruction begins, of `count` elements (more than 0).
  void begin_repeat(std::uint32_t count, bool upwards);
  void read_aligned(std::uint32_t physical, unsigned bytes) {
    if (!read_quickly(physical, bytes)) read(physical, bytes);
  }
  void write_aligned(std::uint32_t physical, unsigned bytes) {
    if (!write_quickly(physical, bytes)) write(physical, bytes);
  }
  void branch(const Op& op, bool taken, std::uint32_t linear_target);

  void spend(unsigned clocks) {
    if (clocks == 0) return;
    catch_up();
    recording_ = false;
    clock_ += clocks;
  }

  std::uint64_t cycle_start(bool io);
  void wait_until(std::uint64_t clock);
  void steal(std::uint64_t from, unsigned clocks) { memory_.steal(from, clocks); }
  void share(const MemoryShare& share) { memory_.share(share); }
  void master_wrote(std::uint32_t address, std::uint32_t bytes) { memory_.invalidate(address, bytes); }
  void flush_caches(bool write_back);
  void set_cache_enabled(bool enabled);
  /// The current MTRRs.
  void set_memory_types(const MemoryTypeRanges& types) { memory_.set_types(types); }
  void interrupt_flush();
  void archive(Archive& a);
  void describe(Description& description) const;

  // ---- blocks of code (block_memo.hpp) ----
  /// The instructions from `ops` on, contiguous at `physical`, follow one another up to the one at Op::Edge::end; what
  /// happens at `limit` or later is looked for after each instruction, so that clocks() must be exact then. From here
  /// to leave(), clocks() is not updated as long as it is before `limit` anyway.
  void enter(BlockOfP6& block, const Op* ops, std::uint32_t physical, std::uint64_t limit);
  /// The block has ended, or is left early.
  void leave() {
    if (following_) [[unlikely]]
      catch_up();
    if (recording_) [[unlikely]]
      leave_recorded();
  }
  /// Makes clocks() exact from here to the end of the instruction.
  void bring_clock();
  /// During a cycle on the pins: something is due at `limit`, which may be before the limit that enter() was given.
  void limit_block(std::uint64_t limit) { limit_ = std::min(limit_, limit); }
  /// Whether an instruction may ask for things other than those of BlockMemo::Kind: no block with it can be learnt.
  static bool asks_more(const Op& op);
  /// Marks those of a block's `count` instructions, contiguous at `physical`, that never ask anything
  /// (Op::asks_nothing).
  static void find_silent(Op* ops, unsigned count, std::uint32_t physical);
  /// Whether the block is known so far; and if so, the position (Op::after) of the instruction that has the next
  /// question, or after which the block ends. Those before it that ask nothing need no begin() and end().
  bool follows() const { return following_; }
  unsigned next_to_ask() const { return next_->after; }
  BlockMemo& memo() { return memo_; }
  /// From now on all blocks are computed and compared with what was known of them; a difference throws Error.
  void verify_memo() { verify_ = true; }

  // ---- between two instructions, for loops in steady state (interpreter/loop_run.hpp) ----
  const PipelineP6& pipeline() {
    catch_up();
    settle();
    return *this;
  }
  /// From now on, records what the passes of a loop store and what they change in the predictor.
  void watch_pass(StoreLog& stores, Predictor::Before& before) {
    log_ = &stores;
    predictor_.watch(&before);
  }
  /// Stops recording.
  void forget_pass() {
    log_ = nullptr;
    predictor_.watch(nullptr);
  }
  /// Whether a pass of a loop that began `clocks` ago, with the pipeline as it was `before` and the predictor as it was
  /// `predictor_before`, takes the same clocks again, provided it makes the same accesses and all hit the first level.
  bool recurs(const PipelineP6& before, const Predictor::Before& predictor_before, std::uint64_t clocks) {
    pipeline();
    return memory_.quiet(before.window_.rename_clock()) && PipelineP6::recurs(before, clocks) &&
           predictor_.is_as(predictor_before);
  }
  /// Advances by `times` such passes at once, each with `mispredictions`.
  void advance(const PipelineP6& before, std::uint64_t clocks, std::uint64_t mispredictions, std::uint64_t times);

 private:
  using Kind = BlockMemo::Kind;

  /// When all micro-ops so far have retired and all stores have left.
  std::uint64_t in_order() const { return std::max(window_.retire_clock(), stores_.last()); }
  /// Empties the window at the processor's clock, which something else has moved.
  void follow_clock();
  /// When all of `registers` are ready.
  std::uint64_t ready_of(unsigned registers) const;
  std::uint64_t operands_ready() const;
  /// Those of `registers` whose value has retired before renaming reaches the next micro-op.
  unsigned retired_of(unsigned registers) {
    for (unsigned left = registers & ~unsigned{retired_}; left != 0; left &= left - 1)
      if (const auto r = static_cast<unsigned>(std::countr_zero(left)); registers_[r].retired <= window_.rename_clock())
        retired_ = static_cast<std::uint8_t>(retired_ | 1u << r);
    return registers & retired_;
  }
  void set_register(unsigned r, Value value);
  /// Renames, executes and retires a micro-op of the current instruction, which reads `registers`. Returns when it
  /// began.
  std::uint64_t micro_op(std::uint64_t ready, unsigned ports, unsigned latency, unsigned registers, unsigned busy = 1);
  void wait_for_parts(unsigned registers, unsigned flags);
  void compute();
  void move_stack_pointer();
  void write_results();
  void repeated_access(std::uint32_t physical, unsigned bytes, bool store);

  /// The usual access in a known block: to a multiple of `bytes`, a hit, and nothing happens before the next question.
  /// False: nothing has been done.
  bool read_quickly(std::uint32_t physical, unsigned bytes);
  bool write_quickly(std::uint32_t physical, unsigned bytes);
  void forget_instruction();
  void compute_from(const Op& op, std::uint32_t physical_eip);
  void compute_end();
  void compute_read(std::uint32_t physical, unsigned bytes);
  void compute_write(std::uint32_t physical, unsigned bytes);
  void compute_branch(const Op& op, bool taken, std::uint32_t linear_target);
  void start(const Op& op, std::uint32_t physical_eip);
  void finish();
  void decide(bool taken, Predictor::Outcome outcome);
  bool second_half(std::uint32_t physical) const;
  void end_repeat();

  // ---- what the pipeline asks; in a block that is partly learnt the answer is already known ----
  std::uint64_t code_line(std::uint64_t t, std::uint32_t address, bool last);
  std::uint64_t drained(std::uint64_t t, Kind kind);
  std::uint64_t datum(std::uint64_t t, std::uint32_t physical, unsigned bytes);
  std::uint64_t take(std::uint64_t leaves, std::uint32_t physical, unsigned bytes, std::uint64_t data);
  Predictor::Outcome prediction(const Op& op, bool taken, std::uint32_t target);
  // ---- and those who answer ----
  bool splits(std::uint32_t physical, unsigned bytes) const {
    return MemoryP6::line_of(physical) != MemoryP6::line_of(physical + bytes - 1);
  }
  std::uint64_t load_at(std::uint64_t t, std::uint32_t physical, unsigned bytes, std::uint64_t in_order);
  std::uint64_t store_at(std::uint64_t leaves, std::uint32_t physical, unsigned bytes) {
    if (splits(physical, bytes)) [[unlikely]]
      return split_store_at(leaves, physical, bytes);
    return memory_.store(leaves, physical, bytes);
  }
  std::uint64_t split_store_at(std::uint64_t leaves, std::uint32_t physical, unsigned bytes);
  [[gnu::always_inline]] Predictor::Outcome predict(const Op& op, std::uint32_t at, bool taken, std::uint32_t target) {
    const bool backward = static_cast<std::int32_t>(op.immediate) < 0;
    const Predictor::Outcome outcome = predictor_.branch(op.branch, at, taken, target, backward);
    if (outcome == Predictor::Outcome::wrong) ++counters_.mispredictions;
    const bool jumps = op.branch == BranchKind::direct || op.branch == BranchKind::indirect;
    if (jumps && micro_ops(op.p6.micro_ops).stack) predictor_.push(at + op.length);  // a call
    return outcome;
  }

  // ---- blocks of code (timing_p6_blocks.cpp) ----
  using Question = BlockMemo::Question;
  static constexpr std::uint32_t longest_way = BlockMemo::longest_way;
  /// Brings the pipeline up to date with whatever has been skipped.
  void catch_up() {
    if (state_ != BlockMemo::none) [[unlikely]]
      materialize();
  }
  void materialize();
  void retrace();
  bool retracing() const { return retraced_ < steps_recorded_; }
  /// Makes the pipeline's state one that has a number; false: it cannot have one.
  bool find_state() { return (state_ != BlockMemo::none && clock_ == base_clock_) || make_state(); }
  bool make_state();
  bool number_pipeline();
  void enter_slowly(BlockOfP6& block, const Op* ops, std::uint32_t physical, std::uint64_t limit);
  const Question* first_as_before(const BlockOfP6& block) const;
  void begin_block(BlockOfP6& block, const Op* ops, std::uint32_t physical, std::uint64_t limit);
  void follow(const Question& first);
  void begin_recording(const Question* from);
  void leave_recorded();
  BlockMemo::Place recorded_place() const;
  std::optional<std::int16_t> clock_before_cut() const;
  std::optional<Question> end_after(const Op& last);
  void write_way_down(const Op& last);
  void follow_begin(const Op& op, std::uint32_t physical_eip);
  void follow_begin_slowly(const Op& op, std::uint32_t physical_eip);
  bool follow_load(std::uint32_t physical, unsigned bytes);
  bool follow_store(std::uint32_t physical, unsigned bytes);
  [[gnu::noinline]] void branched_elsewhere(std::uint64_t answer);
  /// The instruction has nothing more to ask, but more is expected of it; or the block ends.
  bool follow_end() {
    if (next_->kind != Kind::end) return follow_end_slowly();
    end_block();
    return true;
  }
  bool follow_end_slowly();
  void end_block() {
    clock_ = base_clock_ = after_base(next_->reach);
    base_ = after_base(next_->at);
    state_ = next_->other;
    ended_ = next_;
    op_ = nullptr;
    following_ = false;
    ++memo_.counts.followed;
  }
  void follow_cycle(std::uint64_t end);
  /// Whether that is what the instruction is expected to ask next.
  bool asked(Kind kind) const { return BlockMemo::What(*next_) == BlockMemo::What{op_->after, kind}; }
  void answered(std::uint64_t answer, std::uint32_t address = 0, unsigned bytes = 0);
  /// Whether `answer` is the first one met and nothing happens before the next question, so that go_on() can replace
  /// answered().
  bool goes_on_with(std::uint64_t answer) const {
    const Question& next = *(next_ + 1);
    return next_->answer == answer && (after_base(next.reach) < limit_ || next.after == next_->after);
  }
  /// What answered() does in that case.
  void go_on(std::uint64_t answer, std::uint32_t address = 0, unsigned bytes = 0) {
    note_step(answer, address, bytes);
    ++next_;
  }
  void note_step(std::uint64_t answer, std::uint32_t address, unsigned bytes) {
    answered_ = next_;
    Step& step = way_[steps_++];
    static_cast<BlockMemo::What&>(step) = *next_;
    step.bytes = static_cast<std::uint8_t>(bytes);
    step.answer = static_cast<std::uint32_t>(answer);
    step.address = address;
  }
  void note_store(std::uint32_t physical, unsigned bytes, std::uint64_t taken) {
    displaced_[stores_given_++] = {stores_.oldest(), stores_.last()};
    stores_.add(physical, bytes, after_base(next_->data), taken);
  }
  static std::uint64_t branch_answer(bool taken, Predictor::Outcome outcome) {
    return static_cast<std::uint64_t>(outcome) | (taken ? 4u : 0u);
  }
  void note(Kind kind, std::uint64_t at, std::uint64_t answer, std::uint32_t address = 0, unsigned bytes = 0,
            std::uint64_t data = 0);
  /// What follows depends on more than what the pipeline asks.
  void leave_to_others() {
    catch_up();
    if (recording_) block_->unfit = true;
    recording_ = false;
  }
  std::uint64_t after_base(std::int16_t clocks) const {
    return base_ + static_cast<std::uint64_t>(std::int64_t{clocks});
  }
  std::int64_t since_base(std::uint64_t clock) const { return static_cast<std::int64_t>(clock - base_); }
  /// Whether that many clocks, possibly below zero, fit in a question.
  static bool is_near(std::uint64_t clocks) { return clocks + 0x8000 <= 0xFFFF; }

  MemoryP6 memory_;
  Predictor predictor_;
  StoreLog* log_ = nullptr;

  // ---- the current instruction: from begin() to end() ----
  const Op* op_ = nullptr;
  const MicroOps* made_of_ = nullptr;
  std::uint32_t address_of_op_ = 0;
  std::uint64_t decoded_ = 0, address_ = 0, loaded_ = 0, computed_ = 0;
  unsigned given_ = 0;  // micro-ops so far
  bool has_loaded_ = false, has_computed_ = false, stack_moved_ = false;

  // ---- blocks of code: not state of the machine ----
  /// A question of the current block, as it was answered.
  struct Step : BlockMemo::What {
    std::uint32_t answer, address;
  };
  /// What a store displaced in the store buffer, and when the one before it was taken.
  struct Displaced {
    StoreBuffer::Store store;
    std::uint64_t last;
  };
  BlockMemo memo_;
  std::uint32_t state_ = BlockMemo::none;    // number of the pipeline's state at base_; none: only the members hold it
  bool current_ = true;                      // the members hold it, too
  std::uint64_t base_ = 0, base_clock_ = 0;  // clocks of renaming and of the processor at the block's beginning
  const Question* ended_ = nullptr;          // the end of the previous block, if that was followed
  BlockOfP6* block_ = nullptr;
  const Op* ops_ = nullptr;
  std::uint32_t physical_ = 0;
  std::uint64_t limit_ = 0;
  // The last block that cannot be learnt: whether it recurs again and again, with a few others in between.
  const BlockOfP6* unfit_ = nullptr;
  unsigned since_unfit_ = 0;
  bool waits_ = false;
  // The path so far.
  std::array<Step, longest_way> way_;
  std::array<Displaced, longest_way> displaced_;
  std::uint32_t steps_ = 0, stores_given_ = 0;
  // While it is followed.
  bool following_ = false;
  const Question* next_ = nullptr;
  const Question* answered_ = nullptr;  // the last one that was answered; null: none yet
  const Op* done_ = nullptr;            // the last instruction that has ended
  // While it is computed.
  bool recording_ = false;
  std::uint32_t begins_ = BlockMemo::none;  // the pipeline's state at the beginning of the block
  const Question* recorded_from_ = nullptr;
  std::uint32_t steps_recorded_ = 0;  // recording begins at this step
  std::vector<Question> recorded_;
  const Op* last_ = nullptr;        // the last instruction that has been computed,
  std::uint64_t before_last_ = 0;   // and the processor's clock before it
  std::uint64_t cycle_wanted_ = 0;  // when the current cycle on the pins could begin if the bus were free
  std::uint32_t retraced_ = 0;      // the next step, while the pipeline computes a block again
  bool verify_ = false;
};

[[gnu::always_inline]] inline bool TimingP6::read_quickly(std::uint32_t physical, unsigned bytes) {
  if (!following_ || !asked(Kind::load)) return false;
  const std::uint64_t t = after_base(next_->at);
  if (!stores_.surely_clear(t, physical) || !memory_.at_hand(t, physical) || !goes_on_with(MemoryP6::load_latency))
    return false;
  last_read_ = physical;
  go_on(MemoryP6::load_latency, physical, bytes);
  return true;
}

[[gnu::always_inline]] inline bool TimingP6::write_quickly(std::uint32_t physical, unsigned bytes) {
  if (!following_ || log_ != nullptr || !asked(Kind::store)) return false;
  const std::uint64_t leaves = after_base(next_->at);
  if (!memory_.takes_at_once(leaves, physical) || !goes_on_with(0)) return false;
  last_write_ = physical;
  note_store(physical, bytes, leaves);
  go_on(0, physical, bytes);
  return true;
}

}  // namespace planar::cpu
