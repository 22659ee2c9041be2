// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/cpu/timing/cached/tag_cache.hpp"

#include <algorithm>
#include <utility>

#include "core/state/description.hpp"

namespace planar::cpu {

TagCache::TagCache(std::uint32_t bytes, unsigned ways, unsigned line) {
  if (bytes == 0) return;
  ways_ = static_cast<std::uint8_t>(ways);
  way_bits_ = static_cast<std::uint8_t>(std::countr_zero(ways));
  set_shift_ = static_cast<std::uint8_t>(set_shift_of(ways));
  line_ = line;
  line_mask_ = ~(line - 1);
  shift_ = static_cast<std::uint8_t>(std::countr_zero(line));
  set_mask_ = bytes / (ways * line) - 1;
  storage_.assign((((std::size_t{set_mask_} + 1) << set_shift_) + sizeof(Storage) - 1) / sizeof(Storage), Storage{});
  flush();
}

bool TagCache::clean(std::uint32_t address) {
  if (!present()) return false;
  Set& s = set(address);
  const unsigned found = matching(s, address);
  if (found == 0) return false;
  const auto way = static_cast<unsigned>(std::countr_zero(found));
  std::uint32_t& tag = s.tags()[way];
  if (!(tag & dirty)) return false;
  tag &= ~dirty;
  changed(address);
  if (way == s.mru_way) s.mru_tag = tag;
  return true;
}

std::uint32_t TagCache::invalidate(std::uint32_t address) {
  if (!present()) return 0;
  Set& s = set(address);
  const unsigned found = matching(s, address);
  if (found == 0) return 0;
  const auto way = static_cast<unsigned>(std::countr_zero(found));
  const std::uint32_t old = std::exchange(s.tags()[way], 0);
  s.empty = static_cast<std::uint8_t>(s.empty | 1u << way);
  changed(address);
  if (way == s.mru_way) s.mru_tag = 0;
  return old;
}

unsigned TagCache::flush() {
  if (!present()) return 0;
  unsigned count = 0;
  for (std::uint32_t n = 0; n <= set_mask_; ++n) {
    changed(address_in(n));
    Set& s = numbered(n);
    for (unsigned way = 0; way < ways_; ++way)
      if (std::exchange(s.tags()[way], 0) & dirty) ++count;
    s = {.empty = static_cast<std::uint8_t>((1u << ways_) - 1)};
  }
  return count;
}

void TagCache::archive(Archive& a) {
  const std::uint32_t sets = present() ? set_mask_ + 1 : 0;
  std::vector<std::uint32_t> tags(lines());
  std::vector<std::uint8_t> way(sets), tree(sets);
  for (std::uint32_t n = 0; n < sets; ++n) {
    const Set& s = numbered(n);
    std::copy_n(s.tags(), ways_, tags.begin() + std::ptrdiff_t{n} * ways_);
    way[n] = s.mru_way;
    tree[n] = s.tree;
  }
  a(tags, way, tree);
  if (!a.loading()) return;
  tags.resize(lines());
  way.resize(sets);
  tree.resize(sets);
  for (std::uint32_t n = 0; n < sets; ++n) {
    changed(address_in(n));
    Set& s = numbered(n);
    std::copy_n(tags.begin() + std::ptrdiff_t{n} * ways_, ways_, s.tags());
    s = {.mru_way = static_cast<std::uint8_t>(way[n] & (ways_ - 1u)),  // damaged snapshots name ways that are not there
         .tree = tree[n]};
    s.mru_tag = s.tags()[s.mru_way];
    for (unsigned w = 0; w < ways_; ++w)
      if (!(s.tags()[w] & valid)) s.empty = static_cast<std::uint8_t>(s.empty | 1u << w);
  }
}

void TagCache::describe(Description& description) const {
  std::uint64_t valid_lines = 0, dirty_lines = 0;
  for (std::uint32_t n = 0; present() && n <= set_mask_; ++n) {
    const std::uint32_t* const tags = numbered(n).tags();
    for (unsigned way = 0; way < ways_; ++way) {
      valid_lines += (tags[way] & valid) != 0;
      dirty_lines += (tags[way] & dirty) != 0;
    }
  }
  description.number("bytes", lines() * line_).number("ways", ways_).number("line", line_);
  description.number("valid lines", valid_lines).number("dirty lines", dirty_lines);
}

}  // namespace planar::cpu
