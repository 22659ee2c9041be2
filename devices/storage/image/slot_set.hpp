// SPDX-License-Identifier: GPL-2.0-or-later
// A set of slot numbers, stored as runs: an empty stretch of a file costs no memory, however long.
#pragma once

#include <cstdint>
#include <iterator>
#include <map>

namespace planar::storage {

class SlotSet {
 public:
  bool empty() const { return runs_.empty(); }
  /// The lowest slot. Not valid for an empty set.
  std::uint32_t first() const { return runs_.begin()->first; }
  bool contains(std::uint32_t slot) const {
    const auto after = runs_.upper_bound(slot);
    return after != runs_.begin() && slot < std::prev(after)->second;
  }

  void insert(std::uint32_t slot) { insert(slot, slot + 1); }
  /// Inserts the slots from `begin` up to but not including `end`.
  void insert(std::uint32_t begin, std::uint32_t end) {
    if (begin >= end) return;
    auto run = runs_.upper_bound(begin);
    if (run != runs_.begin() && std::prev(run)->second >= begin) --run;
    while (run != runs_.end() && run->first <= end) {  // overlaps or touches: merge
      if (run->first < begin) begin = run->first;
      if (run->second > end) end = run->second;
      run = runs_.erase(run);
    }
    runs_.emplace_hint(run, begin, end);
  }
  void erase(std::uint32_t slot) {
    auto run = runs_.upper_bound(slot);
    if (run == runs_.begin() || slot >= (--run)->second) return;
    const auto [begin, end] = *run;
    const auto next = runs_.erase(run);
    if (slot + 1 < end) runs_.emplace_hint(next, slot + 1, end);
    if (begin < slot) runs_.emplace(begin, slot);
  }
  void clear() { runs_.clear(); }

 private:
  std::map<std::uint32_t, std::uint32_t> runs_;  // first slot, and one past the last
};

}  // namespace planar::storage
