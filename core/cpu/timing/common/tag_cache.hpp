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

#include "core/state/archive.hpp"
#include "core/state/description.hpp"

namespace planar::cpu {

/// The host's short cut to 32 bytes of RAM that lie in the way used last of their set in a cache (of 16-byte lines: of
/// both sets), under the linear addresses that some context gives them: empty again as soon as the set changes. No
/// state of the machine.
struct alignas(32) LineView {
  static constexpr std::uint32_t mask = ~31u;
  static constexpr unsigned count =
      128;  ///< of views: by bits 11-5 of the address, which are the same in linear and physical ones
  static unsigned number(std::uint32_t address) { return (address & 0xFE0) / 32; }
  static LineView& of(std::array<LineView, count>& views, std::uint32_t address) {
    static_assert(sizeof(LineView) == 32);
    return *reinterpret_cast<LineView*>(reinterpret_cast<std::uint8_t*>(views.data()) + (address & 0xFE0));
  }
  std::uint64_t reads =
      0;  ///< context + linear address: reads within cost nothing, unless a line is on its way; 0: none
  std::uint64_t writes = 0;    ///< likewise; the line is dirty and so not on its way
  std::uintptr_t base = 0;     ///< + linear address: of the host's byte
  std::uint32_t physical = 0;  ///< address of the first byte
  std::uint8_t* at(std::uint32_t linear) const { return reinterpret_cast<std::uint8_t*>(base + linear); }
};

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

  /// Keeps `views`, all LineView::count of them, true from now on. Not of every shape of cache: a change of a set may
  /// concern two views at most.
  void show(LineView* views) {
    const std::uint32_t sets = set_mask_ + 1;
    if (sets < LineView::count || (line_ != 32 && line_ != 16)) return;
    views_ = views;
    second_view_ = line_ == 16 && sets == LineView::count ? LineView::count / 2 : 0;
  }
  /// Whether the view of `address` may be open.
  bool in_view(std::uint32_t address) const {
    return views_ != nullptr && in_mru_way(address) && (line_ == 32 || in_mru_way(address ^ 16));
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
    if (views_ == nullptr) return;
    const unsigned first = LineView::number(set << shift_);
    for (const unsigned v : {first, first ^ second_view_}) views_[v].reads = views_[v].writes = 0;
  }
  bool find_among(std::uint32_t address);
  std::uint32_t fill_among(std::uint32_t address);
  bool holds_other(std::uint32_t address) const;
  void touch(std::uint32_t set, unsigned way);
  unsigned oldest(std::uint32_t set) const;

  std::vector<std::uint32_t> tags_;                      // line address | valid | dirty; 0 = empty
  std::vector<Recent> recent_ = std::vector<Recent>(1);  // an absent cache has one set, and nothing in it
  std::uint64_t changes_ = 1;
  LineView* views_ = nullptr;
  std::uint32_t second_view_ = 0;  ///< beside the first one of a set
  std::uint32_t line_ = 0;
  std::uint32_t line_mask_ = 0;
  std::uint32_t set_mask_ = 0;
  std::uint8_t ways_ = 0;
  std::uint8_t way_bits_ = 0;
  std::uint8_t shift_ = 0;
};

}  // namespace planar::cpu
