// SPDX-License-Identifier: GPL-2.0-or-later
// Branch prediction of the P6: a branch target buffer of 512 entries, each with four bits of its branch's own history
// that choose one of sixteen two-bit counters (Yeh and Patt's adaptive scheme, as Intel describes it), and a return
// stack of 16. Sources: docs/hardware/p6.md; replacement is not documented and taken as least recently used of four.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "core/cpu/x86/branch_kind.hpp"
#include "core/state/archive.hpp"

namespace planar::cpu {

class Predictor {
 public:
  enum class Outcome : std::uint8_t {
    right,
    corrected,  ///< unknown to the buffer: the decoders find it, and fetch follows the static rule, correctly
    wrong       ///< found out when the branch executes
  };
  /// The contents before branches changed them, each set saved once: for loops in steady state
  /// (interpreter/loop_run.hpp).
  class Before;
  /// Saves there what changes from now on, starting afresh; null: stops.
  void watch(Before* before);
  /// Whether it is as it was then.
  bool is_as(const Before& before) const;

  /// The branch at physical address `at` goes to linear address `target`, or could have gone there and does not;
  /// `backward`: the target lies before it. The return stack compares only page offsets, which are the same in linear
  /// and physical addresses.
  [[gnu::always_inline]] Outcome branch(BranchKind kind, std::uint32_t at, bool taken, std::uint32_t target,
                                        bool backward) {
    if (kind == BranchKind::ret) return ((pop() ^ target) & 0xFFF) == 0 ? Outcome::right : Outcome::wrong;
    if (watched_ != nullptr) [[unlikely]]
      note(at);
    Entry* const e = find(at);
    const bool conditional = kind != BranchKind::direct && kind != BranchKind::indirect;
    Outcome outcome = Outcome::right;
    if (e != nullptr) {
      const bool predicted = !conditional || e->taken();
      if (predicted != taken || (taken && e->target != target)) outcome = Outcome::wrong;
    } else if (kind == BranchKind::indirect) {
      outcome = Outcome::wrong;
    } else {
      const bool guessed = !conditional || backward;
      outcome = guessed != taken ? Outcome::wrong : taken ? Outcome::corrected : Outcome::right;
    }
    if (e != nullptr)
      e->update(taken, target);
    else if (taken)
      allocate(at, target);
    return outcome;
  }
  /// A near call; `next` is its return address.
  void push(std::uint32_t next) {
    top_ = (top_ + 1) & (depth - 1);
    returns_[top_] = next;
  }

  void archive(Archive& a) {
    for (Entry& e : entries_) a(e.tag, e.target, e.counters, e.history, e.age);
    a(returns_, top_);
    top_ &= depth - 1;
  }

 private:
  static constexpr unsigned sets = 128, ways = 4, depth = 16;
  struct Entry {
    std::uint32_t tag = 0;  // the branch's address + 1; 0: empty
    std::uint32_t target = 0;
    std::uint32_t counters = 0;  // sixteen of two bits each
    std::uint8_t history = 0;
    std::uint8_t age = 0;  // 0: used last
    bool operator==(const Entry&) const = default;
    bool taken() const { return counters >> (2 * (history & 15u)) & 2; }
    void update(bool was_taken, std::uint32_t to) {
      // What follows a count of 0, 1, 2 and 3, in two bits each: one more up to 3, one less down to 0.
      constexpr unsigned after_taken = 0b11'11'10'01, after_not_taken = 0b10'01'00'00;
      const unsigned shift = 2 * (history & 15u), count = counters >> shift & 3;
      const unsigned next = (was_taken ? after_taken : after_not_taken) >> 2 * count & 3;
      counters ^= (count ^ next) << shift;
      history = static_cast<std::uint8_t>((history << 1 | was_taken) & 15);
      if (was_taken) target = to;
    }
  };

  static unsigned set_number(std::uint32_t at) { return at >> 4 & (sets - 1); }
  Entry* set_of(std::uint32_t at) { return &entries_[set_number(at) * ways]; }
  void note(std::uint32_t at);
  Entry* find(std::uint32_t at) {
    Entry* const set = set_of(at);
    for (unsigned way = 0; way < ways; ++way)
      if (set[way].tag == at + 1) {
        if (set[way].age != 0) use(set, way);  // only the one that was used last has 0
        return &set[way];
      }
    return nullptr;
  }
  [[gnu::noinline]] void allocate(std::uint32_t at, std::uint32_t target) {
    Entry* const set = set_of(at);
    unsigned oldest = 0;
    for (unsigned way = 1; way < ways; ++way)
      if (set[way].tag == 0 || (set[oldest].tag != 0 && set[way].age > set[oldest].age)) oldest = way;
    set[oldest] = {at + 1, target, 0xAAAAAAAA, 15, set[oldest].age};  // weakly taken
    use(set, oldest);
  }
  [[gnu::noinline]] static void use(Entry* set, unsigned used) {
    for (unsigned way = 0; way < ways; ++way)
      if (set[way].age <= set[used].age && way != used && set[way].age < ways - 1) ++set[way].age;
    set[used].age = 0;
  }
  std::uint32_t pop() {
    const std::uint32_t address = returns_[top_];
    top_ = (top_ + depth - 1) & (depth - 1);
    return address;
  }

  std::array<Entry, sets * ways> entries_{};
  std::array<std::uint32_t, depth> returns_{};
  std::uint32_t top_ = 0;
  Before* watched_ = nullptr;  // not state of the machine
};

class Predictor::Before {
 private:
  friend class Predictor;
  std::array<std::array<Entry, ways>, sets> entries_;
  std::array<std::uint64_t, sets / 64> noted_;  // a bit for each set
  std::array<std::uint32_t, depth> returns_;
  std::uint32_t top_ = 0;
};

inline void Predictor::watch(Before* before) {
  watched_ = before;
  if (before == nullptr) return;
  before->noted_ = {};
  before->returns_ = returns_;
  before->top_ = top_;
}

inline bool Predictor::is_as(const Before& b) const {
  if (top_ != b.top_ || returns_ != b.returns_) return false;
  for (unsigned word = 0; word < b.noted_.size(); ++word)
    for (std::uint64_t left = b.noted_[word]; left != 0; left &= left - 1) {
      const unsigned set = 64 * word + static_cast<unsigned>(std::countr_zero(left));
      if (!std::equal(b.entries_[set].begin(), b.entries_[set].end(), &entries_[set * ways])) return false;
    }
  return true;
}

[[gnu::noinline]] inline void Predictor::note(std::uint32_t at) {
  Before& b = *watched_;
  const unsigned set = set_number(at);
  std::uint64_t& noted = b.noted_[set / 64];
  if (noted >> set % 64 & 1) return;
  noted |= std::uint64_t{1} << set % 64;
  std::copy_n(set_of(at), ways, b.entries_[set].begin());
}

}  // namespace planar::cpu
