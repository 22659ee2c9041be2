// SPDX-License-Identifier: GPL-2.0-or-later
// The branch target buffer of the P5/P54C: 256 entries, 4 ways, two bits of history, last target.
//
// An entry hangs on the address of the issue that *precedes* the branch, because the lookup must be one clock ahead
// (cpu-timing.md section 5). A branch gets an entry when it is first taken. [S] from the well-known studies of the chip:
// a new entry starts as strongly taken, and so does "strongly not taken" after one taken branch.
// Not modelled: an entry that fires for an instruction which is no branch, because another path leads through the same
// preceding issue. Replacement is round robin (the chip's is undocumented).
#pragma once

#include <array>
#include <cstdint>

#include "core/archive.hpp"

namespace planar::cpu {

class BranchTargetBuffer {
 public:
  struct Prediction { bool taken; bool target_right; };

  /// What is predicted for the branch behind `key`, whose real target is `target`; then learns the outcome.
  Prediction lookup(std::uint32_t key, bool taken, std::uint32_t target) {
    const unsigned set = (key >> 2) & 63;
    Entry* entries = &entries_[set * 4];
    for (unsigned way = 0; way < 4; ++way) {
      Entry& e = entries[way];
      if (!e.valid || e.key != key) continue;
      const Prediction p{e.history >= 2, e.target == target};
      if (taken) {
        e.history = e.history == 0 ? 3 : e.history < 3 ? static_cast<std::uint8_t>(e.history + 1) : 3;
        e.target = target;
      } else if (e.history > 0) {
        --e.history;
      }
      return p;
    }
    if (taken) {
      entries[next_[set]] = {key, target, 3, true};
      next_[set] = (next_[set] + 1) & 3;
    }
    return {false, false};
  }

  void archive(Archive& a) {
    for (auto& e : entries_) a(e.key, e.target, e.history, e.valid);
    a(next_);
  }

 private:
  struct Entry {
    std::uint32_t key = 0;
    std::uint32_t target = 0;
    std::uint8_t history = 0;  // 0 strongly not taken .. 3 strongly taken
    bool valid = false;
  };
  std::array<Entry, 256> entries_{};
  std::array<std::uint8_t, 64> next_{};
};

}  // namespace planar::cpu
