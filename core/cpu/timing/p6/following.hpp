// SPDX-License-Identifier: GPL-2.0-or-later
// What a block of code that is known asks as it is followed, in line: nearly all that the host does for the timing of a
// P6. Included by timing_p6.hpp.
#pragma once

#include "core/cpu/timing/p6/timing_p6.hpp"

namespace planar::cpu {

inline void TimingP6::answered(Kind kind, std::uint64_t answer, std::uint32_t address, unsigned bytes) {
  const Question& q = *next_;
  answered_ = &q;
  way_[steps_++] = {static_cast<std::uint32_t>(answer), address, kind, static_cast<std::uint8_t>(bytes), q.behind};
  const Question* const next = memo_.after(q, answer);
  // Between two questions of one instruction, and after the last one of the last, no instruction ends.
  if (next != nullptr && (after_base(next->reach) < limit_ || next->behind == q.behind)) [[likely]]
    next_ = next;
  else
    catch_up();
}

inline void TimingP6::follow_begin(const Op& op, std::uint32_t eip) {
  if (next_->kind == Kind::code) {
    const std::uint64_t t = after_base(next_->at);
    answered(Kind::code, memory_.fetch(t, eip) - t);
  }
  if (following_ && asked(Kind::code_end)) {
    const std::uint64_t t = after_base(next_->at);
    answered(Kind::code_end, memory_.fetch(t, eip + op.length - 1) - t);
  }
  if (following_ && asked(Kind::drain)) {
    const std::uint64_t t = after_base(next_->at);
    answered(Kind::drain, memory_.drain(t) - t);
  }
}

inline bool TimingP6::follow_load(std::uint32_t physical, unsigned bytes) {
  if (!asked(Kind::load) || memory_.reads_each(physical)) return false;
  last_read_ = physical;
  const std::uint64_t t = after_base(next_->at);
  const bool at_hand =
      stores_.surely_clear(t, physical, bytes) && memory_.at_hand(t, physical) && !splits(physical, bytes);
  answered(Kind::load, at_hand ? MemoryP6::load_latency : load_at(t, physical, bytes, 0) - t, physical, bytes);
  return true;
}

inline bool TimingP6::follow_store(std::uint32_t physical, unsigned bytes) {
  if (!asked(Kind::store)) return false;
  last_write_ = physical;
  const std::uint64_t leaves = after_base(next_->at), taken = store_at(leaves, physical, bytes);
  displaced_[stores_given_++] = {stores_.oldest(), stores_.last()};
  stores_.add(physical, bytes, after_base(next_->data), taken);
  answered(Kind::store, taken - leaves, physical, bytes);
  return true;
}

inline bool TimingP6::follow_branch(const Op& op, bool taken, std::uint32_t target) {
  if (!asked(Kind::branch)) return false;
  answered(Kind::branch, branch_answer(taken, predict(op, physical_ + op.behind - op.length, taken, target)));
  return true;
}

// The instruction has nothing more to ask, but more is expected of it; or the block ends.
inline bool TimingP6::follow_end() {
  if (next_->kind == Kind::drain_at_end) {
    const std::uint64_t t = after_base(next_->at);
    answered(Kind::drain_at_end, memory_.drain(t) - t);
    if (following_ && next_->behind != op_->behind) return true;
  }
  if (!following_ || next_->kind != Kind::end) return false;
  clock_ = base_clock_ = after_base(next_->reach);
  base_ = after_base(next_->at);
  state_ = next_->other;
  ended_ = next_;
  op_ = nullptr;
  following_ = false;
  ++memo_.counts.followed;
  return true;
}

}  // namespace planar::cpu
