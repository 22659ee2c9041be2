// SPDX-License-Identifier: GPL-2.0-or-later
// The branch target buffer of the P5/P54C: 256 entries, 4 ways, two bits of history, last target.
//
// An entry is tagged with the address of the issue that *precedes* the branch, because the lookup must be one clock
// ahead (docs/hardware/processors.md#pentium-branch-prediction). A branch gets an entry when it is first taken. [S]
// from the well-known studies of the chip: a new entry starts as strongly taken, and one taken branch turns "strongly
// not taken" into strongly taken. Not modelled: an entry that fires for an instruction that is not a branch, because
// another path leads through the same preceding issue. Replacement is round robin (the chip's is undocumented).
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "core/cpu/timing/cached/tag_cache.hpp"
#include "core/state/archive.hpp"

namespace planar::cpu {

class BranchTargetBuffer {
 public:
  /// Four entries side by side, so that one line of the host's cache holds all of them: words 0 to 3 are the ways'
  /// keys, the next four their targets, the next four their histories; then the ways that hold an entry, as bits, and
  /// the way to be replaced next.
  class Set {
   public:
    explicit Set(std::uint32_t* words) : words_(words) {}

    /// The way that holds the branch with `key`, as a bit, or 0.
    [[gnu::always_inline]] unsigned holding(std::uint32_t key) const {
      return four_tags::equal(words_, key) & words_[present];
    }
    bool predicts_taken(unsigned way) const { return words_[histories + way] >= weakly_taken; }
    std::uint32_t target(unsigned way) const { return words_[targets + way]; }
    /// Records how the branch of `way` went.
    void learn(unsigned way, bool taken, std::uint32_t target) {
      words_[histories + way] = after[taken][words_[histories + way]];
      if (taken) words_[targets + way] = target;
    }
    /// Adds a branch that was taken and has no entry.
    void insert(std::uint32_t key, std::uint32_t target) {
      const unsigned way = words_[next];
      words_[way] = key;
      words_[targets + way] = target;
      words_[histories + way] = strongly_taken;
      words_[present] |= 1u << way;
      words_[next] = (way + 1) & 3;
    }

   private:
    std::uint32_t* words_;
  };
  /// The set that may hold the branch with `key`, and an entry's position as always_taken() and never_taken() expect
  /// it.
  Set set(std::uint32_t key) { return Set(&words_[number(key) * set_words]); }
  static std::uint16_t position(std::uint32_t key, unsigned way) {
    return static_cast<std::uint16_t>(number(key) * set_words + way);
  }

  /// Whether the buffer holds `key` at position `hint`, strongly taken to `target` (or strongly not taken), so that a
  /// correct prediction would change nothing.
  bool always_taken(std::size_t hint, std::uint32_t key, std::uint32_t target) const {
    return words_[hint] == key && words_[hint + targets] == target && words_[hint + histories] == strongly_taken;
  }
  bool never_taken(std::size_t hint, std::uint32_t key) const {
    return words_[hint] == key && words_[hint + histories] == strongly_not_taken;
  }

  void archive(Archive& a) {
    for (unsigned first = 0; first < words_.size(); first += set_words)
      for (unsigned at = first; at < first + 4; ++at) {
        const std::uint32_t bit = 1u << (at - first);
        std::uint32_t& held = words_[first + present];
        bool valid = held & bit;
        auto history = static_cast<std::uint8_t>(valid ? words_[at + histories] : 0);
        a(words_[at], words_[at + targets], history, valid);
        held = valid ? held | bit : held & ~bit;
        words_[at + histories] = valid ? history & 3u : unsigned{absent};
      }
    for (unsigned first = 0; first < words_.size(); first += set_words) {
      auto way = static_cast<std::uint8_t>(words_[first + next]);
      a(way);
      words_[first + next] = way & 3u;
    }
  }

  BranchTargetBuffer() {
    for (unsigned first = 0; first < words_.size(); first += set_words)
      for (unsigned way = 0; way < 4; ++way) words_[first + histories + way] = absent;
  }

 private:
  enum : unsigned { targets = 4, histories = 8, present = 12, next = 13, set_words = 16 };
  enum History : std::uint32_t { strongly_not_taken, weakly_not_taken, weakly_taken, strongly_taken, absent };
  static constexpr std::uint8_t after[2][4] = {{strongly_not_taken, strongly_not_taken, weakly_not_taken, weakly_taken},
                                               {strongly_taken, weakly_taken, strongly_taken, strongly_taken}};
  static std::uint32_t number(std::uint32_t key) { return (key >> 2) & 63; }

  alignas(64) std::array<std::uint32_t, 64 * set_words> words_{};
};

}  // namespace planar::cpu
