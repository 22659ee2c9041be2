// SPDX-License-Identifier: GPL-2.0-or-later
// The tags of a set-associative cache: what is in, what is dirty, who leaves next. Data stay in RAM.
//
// Replacement is the tree pseudo-LRU of the 486 and Pentium (3 bits a set with four ways, 1 bit with two; i486 data
// book, [M*]). The tag of a set's most recently used way is kept beside: one compare settles most lookups, and the
// second-level cache's way guess (82497) is that very way.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "core/archive.hpp"

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

  /// Whether the way of its set that was used last holds `address` (the guess of a way-predicting cache); no side effect.
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

  /// Puts the line of `address` in (it must not be in), clean; returns the tag that it displaced (0: none).
  std::uint32_t fill(std::uint32_t address);
  /// Drops the line of `address`; returns its tag (0 if it was not in).
  std::uint32_t invalidate(std::uint32_t address);
  /// Drops everything; returns the number of dirty lines.
  unsigned flush();

  void archive(Archive& a);

 private:
  /// What is known of a set beside its tags: the tag and number of the way used last, and the tree's bits.
  struct Recent {
    std::uint32_t tag = 0;
    std::uint8_t way = 0;
    std::uint8_t tree = 0;
  };

  std::uint32_t set_of(std::uint32_t address) const { return (address >> shift_) & set_mask_; }
  /// find() where in_mru_way() is false. With two ways there is one other, and the tree follows from the way.
  bool find_other(std::uint32_t address) {
    if (ways_ != 2) return find_among(address);
    const std::uint32_t set = set_of(address);
    Recent& r = recent_[set];
    const unsigned other = r.way ^ 1u;
    const std::uint32_t tag = tags_[set * 2 + other];
    if ((tag & ~dirty) != ((address & line_mask_) | valid)) return false;
    ++changes_;
    r = {tag, static_cast<std::uint8_t>(other), static_cast<std::uint8_t>(3u - 2u * other)};
    return true;
  }
  bool find_among(std::uint32_t address);
  bool holds_other(std::uint32_t address) const;
  void touch(std::uint32_t set, unsigned way);
  unsigned oldest(std::uint32_t set) const;

  std::vector<std::uint32_t> tags_;  // line address | valid | dirty; 0 = empty
  std::vector<Recent> recent_ = std::vector<Recent>(1);  // an absent cache has one set, and nothing in it
  std::uint64_t changes_ = 1;
  std::uint32_t line_ = 0;
  std::uint32_t line_mask_ = 0;
  std::uint32_t set_mask_ = 0;
  std::uint8_t ways_ = 0;
  std::uint8_t way_bits_ = 0;
  std::uint8_t shift_ = 0;
};

}  // namespace planar::cpu
