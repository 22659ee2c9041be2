// SPDX-License-Identifier: GPL-2.0-or-later
// The branch target buffer of the P5/P54C: 256 entries, 4 ways, two bits of history, last target.
//
// An entry hangs on the address of the issue that *precedes* the branch, because the lookup must be one clock ahead
// (docs/hardware/processors.md#pentium-branch-prediction). A branch gets an entry when it is first taken. [S] from the
// well-known studies of the chip: a new entry starts as strongly taken, and so does "strongly not taken" after one
// taken branch. Not modelled: an entry that fires for an instruction which is no branch, because another path leads
// through the same preceding issue. Replacement is round robin (the chip's is undocumented).
#pragma once

#include <array>
#include <cstdint>

#include "core/state/archive.hpp"

namespace planar::cpu {

class BranchTargetBuffer {
 public:
  struct Prediction {
    bool taken;
    bool target_right;
  };

  /// What is predicted for the branch behind `key`, whose real target is `target`; then learns the outcome. `hint` is
  /// where the branch was found last; it saves the search and decides nothing.
  Prediction lookup(std::uint32_t key, bool taken, std::uint32_t target, std::uint8_t& hint) {
    if (const Entry& e = entries_[hint]; e.key != key || e.state == absent) {
      const unsigned first = ((key >> 2) & 63) * 4;
      unsigned at = first;
      while (at < first + 4 && (entries_[at].key != key || entries_[at].state == absent)) ++at;
      if (at == first + 4) {
        if (taken) insert(key, target);
        return {false, false};
      }
      hint = static_cast<std::uint8_t>(at);
    }
    Entry& e = entries_[hint];
    const Prediction p{e.state >= weakly_taken, e.target == target};
    e.state = after[taken][e.state];
    if (taken) e.target = target;
    return p;
  }

  /// Whether lookup() would find `key` at `hint`, strongly taken to `target` (or strongly not taken), and learn nothing
  /// from being right.
  bool always_taken(std::uint8_t hint, std::uint32_t key, std::uint32_t target) const {
    const Entry& e = entries_[hint];
    return e.key == key && e.target == target && e.state == strongly_taken;
  }
  bool never_taken(std::uint8_t hint, std::uint32_t key) const {
    const Entry& e = entries_[hint];
    return e.key == key && e.state == strongly_not_taken;
  }

  void archive(Archive& a) {
    for (auto& e : entries_) {
      std::uint8_t history = static_cast<std::uint8_t>(e.state == absent ? 0 : e.state - strongly_not_taken);
      bool valid = e.state != absent;
      a(e.key, e.target, history, valid);
      e.state = valid ? static_cast<State>(strongly_not_taken + (history & 3)) : absent;
    }
    a(next_);
    for (auto& way : next_) way &= 3;
  }

 private:
  enum State : std::uint8_t { absent, strongly_not_taken, weakly_not_taken, weakly_taken, strongly_taken };
  struct Entry {
    std::uint32_t key = 0;
    std::uint32_t target = 0;
    State state = absent;
  };
  static constexpr State after[2][5] = {
      {absent, strongly_not_taken, strongly_not_taken, weakly_not_taken, weakly_taken},
      {absent, strongly_taken, weakly_taken, strongly_taken, strongly_taken}};

  void insert(std::uint32_t key, std::uint32_t target) {
    std::uint8_t& way = next_[(key >> 2) & 63];
    entries_[((key >> 2) & 63) * 4 + way] = {key, target, strongly_taken};
    way = (way + 1) & 3;
  }

  std::array<Entry, 256> entries_{};
  std::array<std::uint8_t, 64> next_{};
};

}  // namespace planar::cpu
