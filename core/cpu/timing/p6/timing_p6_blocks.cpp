// SPDX-License-Identifier: GPL-2.0-or-later
// Blocks of code on the P6: computed and recorded, or followed as far as they are known. Where that ends in the middle
// of a block, the pipeline computes the block again from its beginning, with the answers so far.
#include <optional>
#include <utility>

#include "core/common/error.hpp"
#include "core/cpu/timing/p6/timing_p6.hpp"

namespace planar::cpu {

namespace {
/// Following this many blocks from a pipeline state that has no number yet costs no more than computing them.
constexpr unsigned worthwhile = 6;

bool taken_of(std::uint64_t answer) { return (answer & 4) != 0; }
Predictor::Outcome outcome_of(std::uint64_t answer) { return static_cast<Predictor::Outcome>(answer & 3); }
}  // namespace

// Fetch requests the line in which an instruction ends if the one before it ended in another.
void TimingP6::find_silent(Op* ops, unsigned count, std::uint32_t physical) {
  for (unsigned n = 1; n + 1 < count; ++n) {
    Op& op = ops[n];
    const bool new_line =
        MemoryP6::line_of(physical + op.after - 1) != MemoryP6::line_of(physical + ops[n - 1].after - 1);
    op.asks_nothing = op.register_only && !new_line && !micro_ops(op.p6.micro_ops).serializing;
  }
}

// ---- at the edges of a block ----

bool TimingP6::make_state() {
  if (!memo_.learns()) return false;
  catch_up();
  follow_clock();
  if (!memo_.has_room()) memo_.clear();
  return number_pipeline();
}

// Gives the pipeline, which is up to date, its number; a block may begin.
bool TimingP6::number_pipeline() {
  PackedPipeline packed;
  if (!pack(packed, clock_)) return false;
  base_ = window_.rename_clock();
  base_clock_ = clock_;
  state_ = memo_.number_of(packed);
  current_ = true;
  ended_ = nullptr;
  return true;
}

void TimingP6::enter(BlockOfP6& block, const Op* ops, std::uint32_t physical, std::uint64_t limit) {
  ++memo_.counts.passed;
  const Question* const first = first_as_before(block);
  if (first == nullptr || after_base(first->reach) >= limit) [[unlikely]]
    return enter_slowly(block, ops, physical, limit);
  ++since_unfit_;
  begin_block(block, ops, physical, limit);
  follow(*first);
}

// What is asked first, if the block has followed the one before already; null: that must be looked up.
inline const BlockMemo::Question* TimingP6::first_as_before(const BlockOfP6& block) const {
  if (ended_ == nullptr || state_ == BlockMemo::none || clock_ != base_clock_ || block.unfit || waits_ || verify_)
    return nullptr;
  return memo_.follower(*ended_, block.number);
}

inline void TimingP6::begin_block(BlockOfP6& block, const Op* ops, std::uint32_t physical, std::uint64_t limit) {
  steps_ = stores_given_ = 0;
  block_ = &block;
  ops_ = ops;
  physical_ = physical;
  limit_ = limit;
  op_ = done_ = nullptr;
  answered_ = nullptr;
}

inline void TimingP6::follow(const Question& first) {
  next_ = &first;
  following_ = true;
  current_ = false;
}

void TimingP6::enter_slowly(BlockOfP6& block, const Op* ops, std::uint32_t physical, std::uint64_t limit) {
  if (block.unfit) {
    waits_ = &block == unfit_ && since_unfit_ < worthwhile;
    unfit_ = &block;
    since_unfit_ = 0;
    return;
  }
  ++since_unfit_;
  if ((waits_ && since_unfit_ < worthwhile) || limit <= clock_ || !find_state()) return;
  if (block.number == 0) block.number = memo_.new_block();
  const Question* first = ended_ != nullptr ? memo_.first(*ended_, block.number) : memo_.first(state_, block.number);
  if (first == nullptr || after_base(first->reach) >= limit)
    first = memo_.cut(BlockMemo::beginning(state_, block.number), since_base(limit));
  begin_block(block, ops, physical, limit);
  if (first != nullptr && !verify_) return follow(*first);
  catch_up();
  begin_recording(nullptr);
}

void TimingP6::begin_recording(const Question* from) {
  recording_ = true;
  recorded_from_ = from;
  recorded_.clear();
  steps_recorded_ = retraced_ = steps_;
  last_ = nullptr;
}

// Where the computed part begins.
BlockMemo::Place TimingP6::recorded_place() const {
  return recorded_from_ != nullptr ? memo_.place_after(*recorded_from_, way_[steps_recorded_ - 1].answer)
                                   : BlockMemo::beginning(begins_, block_->number);
}

// The processor's clock before the last instruction, if that is the one after which something happens and nothing was
// asked before it since recorded_place(), so that it will be the same one again; empty: it is not, or is already known.
std::optional<std::int16_t> TimingP6::clock_before_cut() const {
  if (verify_ || !recorded_.empty() || last_ == nullptr || before_last_ >= limit_ || clock_ < limit_) return {};
  if (recorded_from_ != nullptr && way_[steps_recorded_ - 1].answer > BlockMemo::longest_answer) return {};
  if (!is_near(before_last_ - base_) || memo_.cut(recorded_place(), since_base(limit_)) != nullptr) return {};
  return static_cast<std::int16_t>(before_last_ - base_);
}

// Gives the pipeline, which is up to date after `last`, its number; a block may begin. Returns the end of the previous
// one; empty: no such end can be kept.
std::optional<BlockMemo::Question> TimingP6::end_after(const Op& last) {
  const std::uint64_t base = base_, reach = clock_ - base;
  if (!number_pipeline()) return {};
  const std::uint64_t at = base_ - base;
  if (!is_near(at) || !is_near(reach)) return {};
  return Question{
      {last.after, Kind::end}, static_cast<std::int16_t>(at), 0, static_cast<std::int16_t>(reach), 0, state_};
}

// The block is left before its end.
void TimingP6::leave_recorded() {
  recording_ = false;
  if (op_ != nullptr || !memo_.has_room()) return;
  if (const auto before = clock_before_cut())
    if (const auto end = end_after(*last_)) memo_.add_cut(recorded_place(), *before, memo_.new_end(*end));
}

// The last instruction of the block has been computed.
void TimingP6::write_way_down(const Op& last) {
  recording_ = false;
  if (!memo_.has_room()) return;
  const auto before = clock_before_cut();
  const auto end = end_after(last);
  if (!end) return;
  for (std::uint32_t n = steps_recorded_; n < steps_; ++n)
    if (way_[n].answer > BlockMemo::longest_answer) return;
  const std::uint32_t answers = steps_recorded_;
  BlockMemo::Way way = recorded_from_ != nullptr ? BlockMemo::Way(memo_, *recorded_from_, way_[answers - 1].answer)
                                                 : BlockMemo::Way(memo_, begins_, block_->number);
  for (std::size_t n = 0; n < recorded_.size(); ++n) way.add(recorded_[n], way_[answers + n].answer);
  const std::uint32_t number = way.end(*end);
  if (before && number != BlockMemo::none) memo_.add_cut(recorded_place(), *before, number);
  if (way.contradicts())
    throw Error("a block of code took another way through the P6's pipeline than before; please report this",
                ExitCode::emulation_fault);
}

// ---- following ----

inline void TimingP6::answered(std::uint64_t answer, std::uint32_t address, unsigned bytes) {
  const Question& q = *next_;
  note_step(answer, address, bytes);
  const Question* const next = memo_.after(q, answer);
  // No instruction ends between two questions of one instruction, or after the last question of the last.
  if (next != nullptr && (after_base(next->reach) < limit_ || next->after == q.after)) [[likely]]
    next_ = next;
  else if (const Question* const cut = memo_.cut(memo_.place_after(q, answer), since_base(limit_)))
    next_ = cut;
  else
    catch_up();
}

void TimingP6::follow_begin(const Op& op, std::uint32_t eip) {
  if (next_->kind == Kind::code_end && goes_on_with(0) && memory_.fetched(eip + op.length - 1)) {
    go_on(0);
    if (!asked(Kind::drain)) [[likely]]
      return;
  }
  follow_begin_slowly(op, eip);
}

void TimingP6::follow_begin_slowly(const Op& op, std::uint32_t eip) {
  if (next_->kind == Kind::code) {
    const std::uint64_t t = after_base(next_->at);
    answered(memory_.fetch(t, eip) - t);
  }
  if (following_ && asked(Kind::code_end)) {
    const std::uint64_t t = after_base(next_->at);
    answered(memory_.fetch(t, eip + op.length - 1) - t);
  }
  if (following_ && asked(Kind::drain)) {
    const std::uint64_t t = after_base(next_->at);
    answered(memory_.drain(t) - t);
  }
}

inline bool TimingP6::follow_load(std::uint32_t physical, unsigned bytes) {
  if (!asked(Kind::load) || memory_.reads_each(physical)) return false;
  last_read_ = physical;
  const std::uint64_t t = after_base(next_->at);
  answered(load_at(t, physical, bytes, 0) - t, physical, bytes);
  return true;
}

inline bool TimingP6::follow_store(std::uint32_t physical, unsigned bytes) {
  if (!asked(Kind::store)) return false;
  last_write_ = physical;
  const std::uint64_t leaves = after_base(next_->at), taken = store_at(leaves, physical, bytes);
  note_store(physical, bytes, taken);
  answered(taken - leaves, physical, bytes);
  return true;
}

// The instruction has nothing more to ask, but more is expected of it.
bool TimingP6::follow_end_slowly() {
  if (next_->kind != Kind::drain_at_end) return false;
  const std::uint64_t t = after_base(next_->at);
  answered(memory_.drain(t) - t);
  if (following_ && next_->after != op_->after) return true;
  if (!following_ || next_->kind != Kind::end) return false;
  end_block();
  return true;
}

void TimingP6::read(std::uint32_t physical, unsigned bytes) {
  if (!following_ || !follow_load(physical, bytes)) [[unlikely]]
    compute_read(physical, bytes);
}

void TimingP6::write(std::uint32_t physical, unsigned bytes) {
  if (log_ != nullptr) [[unlikely]]
    log_->add(physical, bytes);
  if (!following_ || !follow_store(physical, bytes)) [[unlikely]]
    compute_write(physical, bytes);
}

void TimingP6::branch(const Op& op, bool taken, std::uint32_t target) {
  if (!following_ || !asked(Kind::branch)) [[unlikely]]
    return compute_branch(op, taken, target);
  const std::uint64_t answer = branch_answer(taken, predict(op, physical_ + op.after - op.length, taken, target));
  if (goes_on_with(answer)) [[likely]]
    return go_on(answer);
  branched_elsewhere(answer);
}
void TimingP6::branched_elsewhere(std::uint64_t answer) { answered(answer); }

void TimingP6::follow_cycle(std::uint64_t end) { answered(end - cycle_wanted_); }

void TimingP6::bring_clock() {
  if (following_ && asked(Kind::clock)) {
    clock_ = after_base(next_->reach);
    return answered(0);
  }
  catch_up();
  if (recording_) note(Kind::clock, base_, 0);
}

// ---- the pipeline itself ----

// A question has been computed and asked.
void TimingP6::note(Kind kind, std::uint64_t at, std::uint64_t answer, std::uint32_t address, unsigned bytes,
                    std::uint64_t data) {
  const std::uint64_t after = at - base_, reach = clock_ - base_, data_after = kind == Kind::store ? data - base_ : 0;
  if (op_ == nullptr || steps_ == longest_way || !is_near(after) || !is_near(reach) || !is_near(data_after)) {
    recording_ = false;
    return;
  }
  if (kind == Kind::store) displaced_[stores_given_++] = {stores_.oldest(), stores_.last()};
  way_[steps_++] = {{op_->after, kind, static_cast<std::uint8_t>(bytes)}, static_cast<std::uint32_t>(answer), address};
  recorded_.push_back({{op_->after, kind},
                       static_cast<std::int16_t>(after),
                       static_cast<std::int16_t>(data_after),
                       static_cast<std::int16_t>(reach)});
}

void TimingP6::materialize() {
  if (!current_) unpack(memo_.pipeline(state_), base_);
  current_ = true;
  begins_ = std::exchange(state_, BlockMemo::none);
  if (!following_) return;
  following_ = false;
  clock_ = base_clock_;
  begin_recording(answered_);
  retrace();
}

// From the beginning of the block to the present position: in the middle of op_, or after done_.
void TimingP6::retrace() {
  for (std::uint32_t n = stores_given_; n-- > 0;) stores_.take_back(displaced_[n].store, displaced_[n].last);
  const Op* const present = op_ != done_ ? op_ : nullptr;
  const Op* const last = op_;
  retraced_ = stores_given_ = 0;
  for (const Op* op = ops_; last != nullptr && op <= last; ++op) {
    start(*op, physical_ + op->after - op->length);
    while (retracing() && way_[retraced_].after == op->after && way_[retraced_].kind != Kind::drain_at_end) {
      const Step& s = way_[retraced_];
      switch (s.kind) {
        case Kind::load: compute_read(s.address, s.bytes); break;
        case Kind::store: compute_write(s.address, s.bytes); break;
        case Kind::clock: ++retraced_; break;
        case Kind::cycle:
          ++retraced_;
          jump_to(std::max(clock_, in_order()) + s.answer);
          break;
        default: ++retraced_; decide(taken_of(s.answer), outcome_of(s.answer));
      }
    }
    if (op != present) finish();
  }
}

}  // namespace planar::cpu
