// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/cpu/timing/common/tag_cache.hpp"

#include "core/state/description.hpp"

namespace planar::cpu {

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
