// SPDX-License-Identifier: GPL-2.0-or-later
// The tags of a set-associative cache: which lines are present, which are dirty, which leaves next. The data stay in
// RAM.
//
// Replacement is the tree pseudo-LRU of the 486 and Pentium (7 bits per set with eight ways, 3 with four, 1 with two;
// i486 data book, [M*]). The tag of a set's most recently used way is also kept separately: one comparison settles most
// lookups, and the second-level cache's way guess (82497) is exactly that way.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "core/cpu/timing/cached/l0_line.hpp"
#include "core/cpu/timing/memory/geometry.hpp"
#include "core/state/archive.hpp"

namespace planar {
class Description;
}

namespace planar::cpu {

/// Compares the four tags of a set at once.
namespace four_tags {
/// The tags equal to `wanted` in the bits outside of `Ignored`, as bits 0 to 3; `wanted` has none of the ignored bits.
template <std::uint32_t Ignored = 0>
inline unsigned equal(const std::uint32_t* tags, std::uint32_t wanted) {
#if defined(__SSE2__)
  __m128i seen = _mm_loadu_si128(reinterpret_cast<const __m128i*>(tags));
  if (Ignored != 0) seen = _mm_andnot_si128(_mm_set1_epi32(static_cast<int>(Ignored)), seen);
  const __m128i same = _mm_cmpeq_epi32(seen, _mm_set1_epi32(static_cast<int>(wanted)));
  return static_cast<unsigned>(_mm_movemask_ps(_mm_castsi128_ps(same)));
#else
  unsigned found = 0;
  for (unsigned way = 0; way < 4; ++way) found |= static_cast<unsigned>((tags[way] & ~Ignored) == wanted) << way;
  return found;
#endif
}
}  // namespace four_tags

class TagCache {
 public:
  static constexpr std::uint32_t valid = 1;
  static constexpr std::uint32_t dirty = 2;

  TagCache() = default;
  /// `bytes`, `ways` (1, 2, 4, 8) and `line` (at least 4) are powers of two; bytes 0 makes an absent cache.
  TagCache(std::uint32_t bytes, unsigned ways, unsigned line);

  bool present() const { return ways_ != 0; }
  std::uint32_t line() const { return line_; }
  std::uint32_t line_of(std::uint32_t address) const { return address & line_mask_; }

  // Where `S` is given, it is the shape that the cache was made with, as constants.

  /// Whether the most recently used way of its set holds `address` (the guess of a way-predicting cache); no side
  /// effect.
  template <CacheShape S = any_shape>
  bool in_mru_way(std::uint32_t address) const {
    return same<S>(set<S>(address).mru_tag, tag_of<S>(address));
  }
  /// Likewise, and the line is already dirty: a write changes nothing.
  template <CacheShape S = any_shape>
  bool dirty_in_mru_way(std::uint32_t address) const {
    return set<S>(address).mru_tag == (tag_of<S>(address) | dirty);
  }
  /// Whether `address` is present; its line is marked as used.
  template <CacheShape S = any_shape>
  [[gnu::always_inline]] bool find(std::uint32_t address) {
    return in_mru_way<S>(address) || find_other<S>(address);
  }
  /// As find(), and marks the line dirty.
  template <CacheShape S = any_shape>
  [[gnu::always_inline]] bool find_for_write(std::uint32_t address) {
    if (!find<S>(address)) return false;
    Set& s = set<S>(address);
    s.mru_tag |= dirty;
    s.tags()[s.mru_way] |= dirty;
    return true;
  }
  /// Whether `address` is present; no side effect.
  template <CacheShape S = any_shape>
  [[gnu::always_inline]] bool holds(std::uint32_t address) const {
    const Set& s = set<S>(address);
    if (S.ways == 2) return same<S>(s.tags()[0], tag_of<S>(address)) || same<S>(s.tags()[1], tag_of<S>(address));
    return matching<S>(s, address) != 0;
  }
  /// The position of the most recently used line in the set of `address`, 0 .. lines-1.
  template <CacheShape S = any_shape>
  std::size_t slot(std::uint32_t address) const {
    return (set_of<S>(address) << way_bits<S>()) + set<S>(address).mru_way;
  }
  std::size_t lines() const { return std::size_t{set_mask_ + 1} * ways_; }

  /// find() where in_mru_way() is false.
  template <CacheShape S = any_shape>
  [[gnu::always_inline]] bool find_other(std::uint32_t address) {
    if (S.ways == 1) return false;
    Set& s = set<S>(address);
    if (ways<S>() == 2) {
      const unsigned other = s.mru_way ^ 1u;
      if (!same<S>(s.tags()[other], tag_of<S>(address))) return false;
      touch<S>(s, address, other);
      return true;
    }
    const unsigned found = matching<S>(s, address);
    if (found == 0) return false;
    touch<S>(s, address, static_cast<unsigned>(std::countr_zero(found)));
    return true;
  }
  /// Puts in the line of `address` (which must not be present), clean; returns the tag that it displaced (0: none).
  template <CacheShape S = any_shape>
  [[gnu::always_inline]] std::uint32_t fill(std::uint32_t address) {
    Set& s = set<S>(address);
    const unsigned way = way_to_fill<S>(s);
    if (s.empty != 0) [[unlikely]]
      s.empty = static_cast<std::uint8_t>(s.empty & (s.empty - 1));
    std::uint32_t& tag = s.tags()[way];
    const std::uint32_t victim = tag;
    tag = tag_of<S>(address);
    touch<S>(s, address, way);
    return victim;
  }
  /// The tag that fill() would displace.
  template <CacheShape S = any_shape>
  [[gnu::always_inline]] std::uint32_t next_victim(std::uint32_t address) const {
    const Set& s = set<S>(address);
    return s.tags()[way_to_fill<S>(s)];
  }
  /// Marks the line of `address` clean if it is present; returns whether it was dirty.
  bool clean(std::uint32_t address);
  /// Drops the line of `address`; returns its tag (0 if it was not present).
  std::uint32_t invalidate(std::uint32_t address);
  /// Drops everything; returns the number of dirty lines.
  unsigned flush();

  /// Keeps `lines` valid from now on: the entries of a set are dropped when it changes. Not for every shape of cache: a
  /// change of a set may affect two entries at most.
  void attach(L0Lines& lines) {
    const std::uint32_t sets = set_mask_ + 1;
    if (sets < L0Line::count / 2 || (line_ != 32 && line_ != 16)) return;
    l0_ = &lines;
    second_l0_ = second_l0_of(line_, sets);
  }
  /// The tag of the line of `address` if its L0 line may be filled, else 0.
  template <CacheShape S = any_shape>
  std::uint32_t l0_tag(std::uint32_t address) const {
    const std::uint32_t tag = set<S>(address).mru_tag;
    if ((S.watcher != Watcher::l0 && l0_ == nullptr) || !same<S>(tag, tag_of<S>(address))) return 0;
    return S.clean ? tag_of<S>(address) : tag;
  }

  void archive(Archive& a);
  /// Geometry, valid and dirty lines.
  void describe(Description& description) const;

 private:
  /// A set as it lies in the host's memory, so that one host cache line holds all of it: the tag and number of the way
  /// used last, the tree's bits, the empty ways as bits, and after that the tags of its ways (line address | valid |
  /// dirty; 0 = empty).
  struct Set {
    std::uint32_t mru_tag = 0;
    std::uint8_t mru_way = 0;
    std::uint8_t tree = 0;
    std::uint8_t empty = 0;
    std::uint8_t unused = 0;
    std::uint32_t* tags() { return reinterpret_cast<std::uint32_t*>(this + 1); }
    const std::uint32_t* tags() const { return reinterpret_cast<const std::uint32_t*>(this + 1); }
  };
  struct alignas(32) Storage {
    std::byte bytes[32];
  };
  /// log2 of a set's bytes with that many ways.
  static constexpr unsigned set_shift_of(unsigned ways) { return ways == 8 ? 6 : ways == 4 ? 5 : 4; }

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
    return (address >> (S.line ? static_cast<unsigned>(std::countr_zero(S.line)) : shift_)) &
           (S.sets ? S.sets - 1 : set_mask_);
  }
  /// The byte offset of the set of `address`.
  template <CacheShape S = any_shape>
  std::size_t place(std::uint32_t address) const {
    if constexpr (S.ways == 0) {
      return std::size_t{set_of(address)} << set_shift_;
    } else {
      constexpr unsigned line = S.line, bytes = 1u << set_shift_of(S.ways);
      const std::size_t offset = address & (S.sets - 1) * line;
      return line > bytes ? offset / (line / bytes) : offset * (bytes / line);
    }
  }
  template <CacheShape S = any_shape>
  Set& set(std::uint32_t address) {
    return *reinterpret_cast<Set*>(reinterpret_cast<std::byte*>(storage_.data()) + place<S>(address));
  }
  template <CacheShape S = any_shape>
  const Set& set(std::uint32_t address) const {
    return *reinterpret_cast<const Set*>(reinterpret_cast<const std::byte*>(storage_.data()) + place<S>(address));
  }
  /// Any address of a line that may be in the set with that number.
  std::uint32_t address_in(std::uint32_t set) const { return set << shift_; }
  Set& numbered(std::uint32_t set_number) { return set(address_in(set_number)); }
  const Set& numbered(std::uint32_t set_number) const { return set(address_in(set_number)); }
  template <CacheShape S = any_shape>
  std::uint32_t tag_of(std::uint32_t address) const {
    return (address & (S.line ? ~(S.line - 1) : line_mask_)) | valid;
  }
  /// Whether `tag` is that of the line whose clean tag is `wanted`.
  template <CacheShape S = any_shape>
  static bool same(std::uint32_t tag, std::uint32_t wanted) {
    return (S.clean ? tag : tag & ~dirty) == wanted;
  }
  /// An address XOR this is one whose L0 line the same set may also affect. A line of 32 bytes has two; and the L0 line
  /// cache is as large as a page, to which a way half that size maps twice.
  static constexpr std::uint32_t second_l0_of(unsigned line, unsigned sets) {
    return line == 32 ? 16 : line * sets < L0Line::bytes * L0Line::count ? line * sets : 0;
  }
  /// The most recently used way in the set of `address` has changed or is gone.
  template <CacheShape S = any_shape>
  void changed(std::uint32_t address) {
    if (S.watcher == Watcher::none || l0_ == nullptr) return;
    l0_line(*l0_, address).drop();
    const std::uint32_t second = S.watcher == Watcher::l0 ? second_l0_of(S.line, S.sets) : second_l0_;
    l0_line(*l0_, address ^ second).drop();
  }
  /// The ways of `s` that hold `address`, as bits from 0.
  template <CacheShape S = any_shape>
  unsigned matching(const Set& s, std::uint32_t address) const {
    const std::uint32_t wanted = tag_of<S>(address);
    if (ways<S>() == 4) return four_tags::equal < S.clean ? 0 : dirty > (s.tags(), wanted);
    unsigned found = 0;
    for (unsigned way = 0; way < ways<S>(); ++way) found |= unsigned{same<S>(s.tags()[way], wanted)} << way;
    return found;
  }
  // Tree bits: bit 0 = the upper pair (ways 2, 3) is the older one; bit 1 = way 1 is the older of 0 and 1; bit 2 = way
  // 3 is the older of 2 and 3. With two ways only bit 1 has a meaning, the same as that of the way used last. With
  // eight ways, bits 3 to 5 describe ways 4 to 7 as bits 0 to 2 describe the lower four, and bit 6 = the lower four are
  // the older half.
  static constexpr std::uint8_t oldest_of_four[8] = {0, 2, 1, 2, 0, 3, 1, 3};
  static constexpr unsigned oldest_of_eight(unsigned tree) {
    return tree & 0x40 ? oldest_of_four[tree & 7] : 4u + oldest_of_four[tree >> 3 & 7];
  }
  template <CacheShape S = any_shape>
  [[gnu::always_inline]] unsigned way_to_fill(const Set& s) const {
    if (s.empty != 0) [[unlikely]]
      return static_cast<unsigned>(std::countr_zero(s.empty));  // an empty way is filled first
    return ways<S>() == 2   ? s.mru_way ^ 1u
           : ways<S>() == 4 ? oldest_of_four[s.tree & 7]
           : ways<S>() == 8 ? oldest_of_eight(s.tree)
                            : 0;
  }
  /// `way` of `s`, the set of `address`, is now the one used last.
  template <CacheShape S = any_shape>
  [[gnu::always_inline]] void touch(Set& s, std::uint32_t address, unsigned way) {
    static constexpr std::uint8_t kept[8] = {0x3C, 0x3C, 0x3A, 0x3A, 0x27, 0x27, 0x17, 0x17},
                                  marked[8] = {0x03, 0x01, 0x04, 0x00, 0x58, 0x48, 0x60, 0x40};
    changed<S>(address);
    s.mru_tag = s.tags()[way];
    s.mru_way = static_cast<std::uint8_t>(way);
    s.tree = static_cast<std::uint8_t>(ways<S>() == 2 ? 3u - 2u * way : (s.tree & kept[way]) | marked[way]);
  }

  std::vector<Storage> storage_ = std::vector<Storage>(1);  // an absent cache has one set, which is empty
  L0Lines* l0_ = nullptr;
  std::uint32_t second_l0_ = 0;
  std::uint32_t line_ = 0;
  std::uint32_t line_mask_ = 0;
  std::uint32_t set_mask_ = 0;
  std::uint8_t ways_ = 0;
  std::uint8_t way_bits_ = 0;
  std::uint8_t shift_ = 0;
  std::uint8_t set_shift_ = 4;
};

}  // namespace planar::cpu
