// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/cpu/timing/common/tag_cache.hpp"

#include "core/state/description.hpp"

namespace planar::cpu {

// Tree bits: bit 0 = the upper pair (ways 2, 3) is the older one; bit 1 = way 1 is the older of 0 and 1; bit 2 = way 3
// is the older of 2 and 3. With two ways only bit 1 means anything, and it says the same as Recent::way.

void TagCache::touch(std::uint32_t set, unsigned way) {
  changed(set);
  unsigned bits = recent_[set].tree;
  if (way < 2) {
    bits |= 1u;
    bits = way == 0 ? bits | 2u : bits & ~2u;
  } else {
    bits &= ~1u;
    bits = way == 2 ? bits | 4u : bits & ~4u;
  }
  recent_[set] = {tags_[(set << way_bits_) + way], static_cast<std::uint8_t>(way), static_cast<std::uint8_t>(bits)};
}

unsigned TagCache::oldest(std::uint32_t set) const {
  // An invalid way is filled first.
  for (unsigned way = 0; way < ways_; ++way)
    if (!(tags_[(set << way_bits_) + way] & valid)) return way;
  const unsigned bits = recent_[set].tree;
  if (ways_ == 1) return 0;
  if (!(bits & 1u)) return bits & 2u ? 1 : 0;
  return bits & 4u ? 3 : 2;
}

bool TagCache::find_among(std::uint32_t address) {
  const std::uint32_t set = set_of(address);
  const std::uint32_t wanted = (address & line_mask_) | valid;
  for (unsigned way = 0; way < ways_; ++way)
    if ((tags_[(set << way_bits_) + way] & ~dirty) == wanted) {
      touch(set, way);
      return true;
    }
  return false;
}

bool TagCache::holds_other(std::uint32_t address) const {
  const std::uint32_t set = set_of(address);
  for (unsigned way = 0; way < ways_; ++way)
    if ((tags_[(set << way_bits_) + way] & ~dirty) == ((address & line_mask_) | valid)) return true;
  return false;
}

std::uint32_t TagCache::fill_among(std::uint32_t address) {
  const std::uint32_t set = set_of(address);
  const unsigned way = oldest(set);
  std::uint32_t& tag = tags_[(set << way_bits_) + way];
  const std::uint32_t victim = tag;
  tag = (address & line_mask_) | valid;
  touch(set, way);
  return victim;
}

std::uint32_t TagCache::invalidate(std::uint32_t address) {
  if (!present()) return 0;
  const std::uint32_t set = set_of(address);
  for (unsigned way = 0; way < ways_; ++way) {
    std::uint32_t& tag = tags_[(set << way_bits_) + way];
    if ((tag & ~dirty) == ((address & line_mask_) | valid)) {
      const std::uint32_t old = tag;
      tag = 0;
      changed(set);
      if (way == recent_[set].way) recent_[set].tag = 0;
      return old;
    }
  }
  return 0;
}

unsigned TagCache::flush() {
  for (std::uint32_t set = 0; set < recent_.size(); ++set) changed(set);
  unsigned count = 0;
  for (auto& tag : tags_) {
    if (tag & dirty) ++count;
    tag = 0;
  }
  for (auto& r : recent_) r = Recent{};
  return count;
}

void TagCache::archive(Archive& a) {
  if (!present()) {
    std::vector<std::uint8_t> way, tree;
    a(tags_, way, tree);
    return;
  }
  std::vector<std::uint8_t> way(recent_.size()), tree(recent_.size());
  for (std::size_t set = 0; set < recent_.size(); ++set) {
    way[set] = recent_[set].way;
    tree[set] = recent_[set].tree;
  }
  a(tags_, way, tree);
  if (!a.loading()) return;
  for (std::uint32_t set = 0; set < recent_.size(); ++set) {
    changed(set);
    const std::uint8_t w = way[set] & (ways_ - 1u);  // a damaged snapshot names no way that is not there
    recent_[set] = {tags_[(set << way_bits_) + w], w, tree[set]};
  }
}

void TagCache::describe(Description& description) const {
  std::uint64_t valid_lines = 0, dirty_lines = 0;
  for (const std::uint32_t tag : tags_) {
    valid_lines += (tag & valid) != 0;
    dirty_lines += (tag & dirty) != 0;
  }
  description.number("bytes", tags_.size() * line_).number("ways", ways_).number("line", line_);
  description.number("valid lines", valid_lines).number("dirty lines", dirty_lines);
}

}  // namespace planar::cpu
