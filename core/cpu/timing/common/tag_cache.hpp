// SPDX-License-Identifier: GPL-2.0-or-later
// The tags of a set-associative cache: what is in, what is dirty, who leaves next. Data stay in RAM.
//
// Replacement is the tree pseudo-LRU of the 486 and Pentium (3 bits a set with four ways, 1 bit with two; i486 data
// book, [M*]). The tag of a set's most recently used way is kept beside: one compare settles most lookups, and the
// second-level cache's way guess (82497) is that very way.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "core/cpu/timing/common/l0_line.hpp"
#include "core/state/archive.hpp"

namespace planar {
class Description;
}

namespace planar::cpu {

class TagCache {
 public:
  static constexpr std::uint32_t valid = 1;
  static constexpr std::uint32_t dirty = 2;

  TagCache() = default;
  /// `bytes`, `ways` (1, 2, 4) and `line` (at least 4) are powers of two; bytes 0 makes a cache that is absent.
  TagCache(std::uint32_t bytes, unsigned ways, unsigned line) {
    if (bytes == 0) return;
    ways_ = static_cast<std::uint8_t>(ways);
    way_bits_ = static_cast<std::uint8_t>(std::countr_zero(ways));
    line_ = line;
    line_mask_ = ~(line - 1);
    shift_ = static_cast<std::uint8_t>(std::countr_zero(line));
    const std::uint32_t sets = bytes / (ways * line);
    set_mask_ = sets - 1;
    tags_.assign(sets * ways, 0);
    recent_.assign(sets, Recent{});
  }

  bool present() const { return ways_ != 0; }
  std::uint32_t line() const { return line_; }
  std::uint32_t line_of(std::uint32_t address) const { return address & line_mask_; }

  /// Whether the way of its set that was used last holds `address` (the guess of a way-predicting cache); no side
  /// effect.
  bool in_mru_way(std::uint32_t address) const {
    return (recent_[set_of(address)].tag & ~dirty) == ((address & line_mask_) | valid);
  }
  /// Likewise, and the line is dirty already: a write changes nothing.
  bool dirty_in_mru_way(std::uint32_t address) const {
    return recent_[set_of(address)].tag == ((address & line_mask_) | valid | dirty);
  }
  /// Whether `address` is in; its line is marked as used.
  bool find(std::uint32_t address) { return in_mru_way(address) || find_other(address); }
  /// As find(), and marks the line dirty.
  bool find_for_write(std::uint32_t address) {
    if (!find(address)) return false;
    const std::uint32_t set = set_of(address);
    recent_[set].tag |= dirty;
    tags_[(set << way_bits_) + recent_[set].way] |= dirty;
    return true;
  }
  /// Whether `address` is in; no side effect.
  bool holds(std::uint32_t address) const { return in_mru_way(address) || holds_other(address); }
  /// The position of the line that was used last in the set of `address`, 0 .. lines-1.
  std::size_t slot(std::uint32_t address) const {
    const std::uint32_t set = set_of(address);
    return (set << way_bits_) + recent_[set].way;
  }
  std::size_t lines() const { return tags_.size(); }
  /// Counts whatever can change in_mru_way() and slot(). The host's, not part of a snapshot.
  std::uint64_t changes() const { return changes_; }

  /// find() where in_mru_way() is false. With two ways there is one other, and the tree follows from the way.
  bool find_other(std::uint32_t address) {
    if (ways_ != 2) return find_among(address);
    const std::uint32_t set = set_of(address);
    const unsigned other = recent_[set].way ^ 1u;
    if ((tags_[set * 2 + other] & ~dirty) != ((address & line_mask_) | valid)) return false;
    touch_of_two(set, other);
    return true;
  }
  /// Puts the line of `address` in (it must not be in), clean; returns the tag that it displaced (0: none).
  std::uint32_t fill(std::uint32_t address) {
    if (ways_ != 2) return fill_among(address);
    const std::uint32_t set = set_of(address);
    std::uint32_t* const tags = &tags_[set * 2];
    const unsigned way = !(tags[0] & valid) ? 0 : !(tags[1] & valid) ? 1 : recent_[set].way ^ 1u;
    const std::uint32_t victim = tags[way];
    tags[way] = (address & line_mask_) | valid;
    touch_of_two(set, way);
    return victim;
  }
  /// Drops the line of `address`; returns its tag (0 if it was not in).
  std::uint32_t invalidate(std::uint32_t address);
  /// Drops everything; returns the number of dirty lines.
  unsigned flush();

  /// Keeps `lines` true from now on: the entries of a set are dropped when it changes. Not of every shape of cache: a
  /// change of a set may concern two entries at most.
  void attach(L0Lines& lines) {
    const std::uint32_t sets = set_mask_ + 1;
    if (sets < L0Line::count || (line_ != 32 && line_ != 16)) return;
    l0_ = lines.data();
    second_l0_ = line_ == 16 && sets == L0Line::count ? L0Line::count / 2 : 0;
  }
  /// Whether the L0 line of `address` may be filled.
  bool in_l0(std::uint32_t address) const {
    return l0_ != nullptr && in_mru_way(address) && (line_ == 32 || in_mru_way(address ^ 16));
  }

  void archive(Archive& a);
  /// Geometry, lines valid and dirty.
  void describe(Description& description) const;

 private:
  /// What is known of a set beside its tags: the tag and number of the way used last, and the tree's bits.
  struct Recent {
    std::uint32_t tag = 0;
    std::uint8_t way = 0;
    std::uint8_t tree = 0;
  };

  std::uint32_t set_of(std::uint32_t address) const { return (address >> shift_) & set_mask_; }
  void touch_of_two(std::uint32_t set, unsigned way) {
    changed(set);
    recent_[set] = {tags_[set * 2 + way], static_cast<std::uint8_t>(way), static_cast<std::uint8_t>(3u - 2u * way)};
  }
  /// The way used last in `set` is another, or gone.
  void changed(std::uint32_t set) {
    ++changes_;
    if (l0_ == nullptr) return;
    const unsigned first = L0Line::number(set << shift_);
    for (const unsigned n : {first, first ^ second_l0_}) l0_[n].reads = l0_[n].writes = 0;
  }
  bool find_among(std::uint32_t address);
  std::uint32_t fill_among(std::uint32_t address);
  bool holds_other(std::uint32_t address) const;
  void touch(std::uint32_t set, unsigned way);
  unsigned oldest(std::uint32_t set) const;

  std::vector<std::uint32_t> tags_;                      // line address | valid | dirty; 0 = empty
  std::vector<Recent> recent_ = std::vector<Recent>(1);  // an absent cache has one set, and nothing in it
  std::uint64_t changes_ = 1;
  L0Line* l0_ = nullptr;
  std::uint32_t second_l0_ = 0;  // ^ the first entry of a set: its other one
  std::uint32_t line_ = 0;
  std::uint32_t line_mask_ = 0;
  std::uint32_t set_mask_ = 0;
  std::uint8_t ways_ = 0;
  std::uint8_t way_bits_ = 0;
  std::uint8_t shift_ = 0;
};

}  // namespace planar::cpu
