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
#include <bit>
#include <cstdint>

#include "core/cpu/timing/common/tag_cache.hpp"
#include "core/state/archive.hpp"

namespace planar::cpu {

class BranchTargetBuffer {
 public:
  /// The entry of the branch behind `key`, if there is one: its position.
  [[gnu::always_inline]] int find(std::uint32_t key) const {
    const unsigned number = (key >> 2) & 63;
    const Set& set = sets_[number];
    const unsigned found = four_tags::equal(set.keys.data(), key) & set.present;
    return found == 0 ? -1 : static_cast<int>(number * 4) + std::countr_zero(found);
  }
  bool predicts_taken(std::uint8_t position) const {
    return sets_[position / 4].histories[position % 4] >= weakly_taken;
  }
  std::uint32_t target(std::uint8_t position) const { return sets_[position / 4].targets[position % 4]; }
  /// A branch that has an entry went that way.
  void learn(std::uint8_t position, bool taken, std::uint32_t target) {
    Set& set = sets_[position / 4];
    std::uint8_t& history = set.histories[position % 4];
    history = after[taken][history];
    if (taken) set.targets[position % 4] = target;
  }
  /// One that has none was taken.
  void insert(std::uint32_t key, std::uint32_t target) {
    Set& set = sets_[(key >> 2) & 63];
    const unsigned way = set.next;
    set.keys[way] = key;
    set.targets[way] = target;
    set.histories[way] = strongly_taken;
    set.present = static_cast<std::uint8_t>(set.present | 1u << way);
    set.next = static_cast<std::uint8_t>((way + 1) & 3);
  }

  /// Whether find() would find `key` at `hint`, strongly taken to `target` (or strongly not taken), and nothing would
  /// be learnt from being right.
  bool always_taken(std::uint8_t hint, std::uint32_t key, std::uint32_t target) const {
    const Set& set = sets_[hint / 4];
    const unsigned way = hint % 4;
    return set.keys[way] == key && set.targets[way] == target && set.histories[way] == strongly_taken;
  }
  bool never_taken(std::uint8_t hint, std::uint32_t key) const {
    const Set& set = sets_[hint / 4];
    const unsigned way = hint % 4;
    return set.keys[way] == key && set.histories[way] == strongly_not_taken && (set.present >> way & 1);
  }

  void archive(Archive& a) {
    for (Set& set : sets_)
      for (unsigned way = 0; way < 4; ++way) {
        bool valid = set.present >> way & 1;
        a(set.keys[way], set.targets[way], set.histories[way], valid);
        set.histories[way] &= 3;
        set.present = static_cast<std::uint8_t>((set.present & ~(1u << way)) | unsigned{valid} << way);
        if (!valid) set.histories[way] = 0;
      }
    for (Set& set : sets_) {
      a(set.next);
      set.next &= 3;
    }
  }

 private:
  enum History : std::uint8_t { strongly_not_taken, weakly_not_taken, weakly_taken, strongly_taken };
  /// Side by side, so that one line of the host's cache has all.
  struct alignas(64) Set {
    std::array<std::uint32_t, 4> keys{};
    std::array<std::uint32_t, 4> targets{};
    std::array<std::uint8_t, 4> histories{};
    std::uint8_t present = 0;  ///< ways that hold an entry, as bits
    std::uint8_t next = 0;     ///< way that is replaced next
  };
  static constexpr std::uint8_t after[2][4] = {{strongly_not_taken, strongly_not_taken, weakly_not_taken, weakly_taken},
                                               {strongly_taken, weakly_taken, strongly_taken, strongly_taken}};

  std::array<Set, 64> sets_{};
};

}  // namespace planar::cpu
