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

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "core/cpu/timing/common/geometry.hpp"
#include "core/cpu/timing/common/l0_line.hpp"
#include "core/state/archive.hpp"

namespace planar {
class Description;
}

namespace planar::cpu {

/// The four tags of a set at once.
namespace four_tags {
/// Those equal to `wanted` in the bits outside of `ignored`, as bits 0 to 3; `wanted` has none of the ignored bits.
inline unsigned equal(const std::uint32_t* tags, std::uint32_t wanted, std::uint32_t ignored) {
#if defined(__SSE2__)
  const __m128i seen = _mm_andnot_si128(_mm_set1_epi32(static_cast<int>(ignored)),
                                        _mm_loadu_si128(reinterpret_cast<const __m128i*>(tags)));
  const __m128i same = _mm_cmpeq_epi32(seen, _mm_set1_epi32(static_cast<int>(wanted)));
  return static_cast<unsigned>(_mm_movemask_ps(_mm_castsi128_ps(same)));
#else
  unsigned found = 0;
  for (unsigned way = 0; way < 4; ++way) found |= static_cast<unsigned>((tags[way] & ~ignored) == wanted) << way;
  return found;
#endif
}
}  // namespace four_tags

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

  // Where `S` is given it is the shape that the cache was made with, as constants.

  /// Whether the way of its set that was used last holds `address` (the guess of a way-predicting cache); no side
  /// effect.
  template <CacheShape S = any_shape>
  bool in_mru_way(std::uint32_t address) const {
    return (recent_[set_of<S>(address)].tag & ~dirty) == tag_of<S>(address);
  }
  /// Likewise, and the line is dirty already: a write changes nothing.
  template <CacheShape S = any_shape>
  bool dirty_in_mru_way(std::uint32_t address) const {
    return recent_[set_of<S>(address)].tag == (tag_of<S>(address) | dirty);
  }
  /// Whether `address` is in; its line is marked as used.
  template <CacheShape S = any_shape>
  bool find(std::uint32_t address) {
    return in_mru_way<S>(address) || find_other<S>(address);
  }
  /// As find(), and marks the line dirty.
  template <CacheShape S = any_shape>
  bool find_for_write(std::uint32_t address) {
    if (!find<S>(address)) return false;
    const std::uint32_t set = set_of<S>(address);
    recent_[set].tag |= dirty;
    tags_[(set << way_bits<S>()) + recent_[set].way] |= dirty;
    return true;
  }
  /// Whether `address` is in; no side effect.
  template <CacheShape S = any_shape>
  bool holds(std::uint32_t address) const {
    return in_mru_way<S>(address) || matching<S>(set_of<S>(address), address) != 0;
  }
  /// The position of the line that was used last in the set of `address`, 0 .. lines-1.
  template <CacheShape S = any_shape>
  std::size_t slot(std::uint32_t address) const {
    const std::uint32_t set = set_of<S>(address);
    return (set << way_bits<S>()) + recent_[set].way;
  }
  std::size_t lines() const { return tags_.size(); }
  /// Counts whatever can change in_mru_way() and slot(). The host's, not part of a snapshot.
  std::uint64_t changes() const { return changes_; }

  /// find() where in_mru_way() is false. With two ways there is one other, and the tree follows from the way.
  template <CacheShape S = any_shape>
  bool find_other(std::uint32_t address) {
    const std::uint32_t set = set_of<S>(address);
    if (ways<S>() == 2) {
      const unsigned other = recent_[set].way ^ 1u;
      if ((tags_[set * 2 + other] & ~dirty) != tag_of<S>(address)) return false;
      touch_of_two<S>(set, other);
      return true;
    }
    const unsigned found = matching<S>(set, address);
    if (found == 0) return false;
    touch<S>(set, static_cast<unsigned>(std::countr_zero(found)));
    return true;
  }
  /// Puts the line of `address` in (it must not be in), clean; returns the tag that it displaced (0: none).
  template <CacheShape S = any_shape>
  std::uint32_t fill(std::uint32_t address) {
    const std::uint32_t set = set_of<S>(address);
    std::uint32_t* const tags = tags_.data() + (set << way_bits<S>());
    unsigned way = 0;
    if (ways<S>() == 2)
      way = !(tags[0] & valid) ? 0 : !(tags[1] & valid) ? 1 : recent_[set].way ^ 1u;
    else if (ways<S>() == 4)
      way = oldest_of_four(tags, recent_[set].tree);
    const std::uint32_t victim = tags[way];
    tags[way] = tag_of<S>(address);
    if (ways<S>() == 2)
      touch_of_two<S>(set, way);
    else
      touch<S>(set, way);
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
  /// The tag of the line of `address` if its L0 line may be filled, else 0.
  std::uint32_t l0_tag(std::uint32_t address) const {
    const std::uint32_t tag = recent_[set_of(address)].tag;
    if (l0_ == nullptr || (tag & ~dirty) != tag_of(address)) return 0;
    return line_ == 32 || in_mru_way(address ^ 16) ? tag : 0;
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

  template <CacheShape S = any_shape>
  unsigned ways() const {
    return S.ways ? S.ways : ways_;
  }
  template <CacheShape S = any_shape>
  unsigned way_bits() const {
    return S.ways ? static_cast<unsigned>(std::countr_zero(S.ways)) : way_bits_;
  }
  template <CacheShape S = any_shape>
  std::uint32_t set_of(std::uint32_t address) const {
    return (address >> (S.line ? static_cast<unsigned>(std::countr_zero(S.line)) : shift_)) & set_mask_;
  }
  template <CacheShape S = any_shape>
  std::uint32_t tag_of(std::uint32_t address) const {
    return (address & (S.line ? ~(S.line - 1) : line_mask_)) | valid;
  }
  template <CacheShape S = any_shape>
  void touch_of_two(std::uint32_t set, unsigned way) {
    changed<S>(set);
    recent_[set] = {tags_[set * 2 + way], static_cast<std::uint8_t>(way), static_cast<std::uint8_t>(3u - 2u * way)};
  }
  /// The way used last in `set` is another, or gone.
  template <CacheShape S = any_shape>
  void changed(std::uint32_t set) {
    ++changes_;
    if (l0_ == nullptr) return;
    const unsigned first = L0Line::number(S.line ? set * S.line : set << shift_);
    l0_[first].reads = l0_[first].writes = 0;
    if (S.line != 32) l0_[first ^ second_l0_].reads = l0_[first ^ second_l0_].writes = 0;
  }
  /// The ways of `set` that hold `address`, as bits from 0.
  template <CacheShape S = any_shape>
  unsigned matching(std::uint32_t set, std::uint32_t address) const {
    const std::uint32_t* const tags = tags_.data() + (set << way_bits<S>());
    const std::uint32_t wanted = tag_of<S>(address);
    if (ways<S>() == 4) return four_tags::equal(tags, wanted, dirty);
    unsigned found = 0;
    for (unsigned way = 0; way < ways<S>(); ++way)
      if ((tags[way] & ~dirty) == wanted) found |= 1u << way;
    return found;
  }
  // Tree bits: bit 0 = the upper pair (ways 2, 3) is the older one; bit 1 = way 1 is the older of 0 and 1; bit 2 = way
  // 3 is the older of 2 and 3. With two ways only bit 1 means anything, and it says the same as Recent::way.
  template <CacheShape S = any_shape>
  void touch(std::uint32_t set, unsigned way) {
    static constexpr std::uint8_t kept[4] = {4, 4, 2, 2}, marked[4] = {3, 1, 4, 0};
    changed<S>(set);
    recent_[set] = {tags_[(set << way_bits<S>()) + way], static_cast<std::uint8_t>(way),
                    static_cast<std::uint8_t>((recent_[set].tree & kept[way]) | marked[way])};
  }
  static unsigned oldest_of_four(const std::uint32_t* tags, unsigned tree) {
    static constexpr std::uint8_t oldest[8] = {0, 2, 1, 2, 0, 3, 1, 3};
    const unsigned empty = four_tags::equal(tags, 0, ~valid);
    return empty ? static_cast<unsigned>(std::countr_zero(empty)) : oldest[tree & 7];  // an empty way is filled first
  }

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
