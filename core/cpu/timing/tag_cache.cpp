// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/cpu/timing/tag_cache.hpp"

namespace planar::cpu {

// Tree bits: bit 0 = the upper pair (ways 2, 3) is the older one; bit 1 = way 1 is the older of 0 and 1; bit 2 = way 3 is
// the older of 2 and 3. With two ways only bit 1 is used.

void TagCache::touch(std::uint32_t set, unsigned way) {
  mru_[set] = static_cast<std::uint8_t>(way);
  mru_tag_[set] = tags_[(set << way_bits_) + way];
  unsigned bits = tree_[set];
  if (way < 2) {
    bits |= 1u;
    bits = way == 0 ? bits | 2u : bits & ~2u;
  } else {
    bits &= ~1u;
    bits = way == 2 ? bits | 4u : bits & ~4u;
  }
  tree_[set] = static_cast<std::uint8_t>(bits);
}

unsigned TagCache::oldest(std::uint32_t set) const {
  // An invalid way is filled first.
  for (unsigned way = 0; way < ways_; ++way)
    if (!(tags_[(set << way_bits_) + way] & valid)) return way;
  const unsigned bits = tree_[set];
  if (ways_ == 1) return 0;
  if (ways_ == 2 || !(bits & 1u)) return bits & 2u ? 1 : 0;
  return bits & 4u ? 3 : 2;
}

bool TagCache::find_other(std::uint32_t address) {
  const std::uint32_t set = (address >> shift_) & set_mask_;
  const std::uint32_t wanted = (address & line_mask_) | valid;
  for (unsigned way = 0; way < ways_; ++way)
    if ((tags_[(set << way_bits_) + way] & ~dirty) == wanted) {
      touch(set, way);
      return true;
    }
  return false;
}

bool TagCache::find_for_write(std::uint32_t address) {
  if (!find(address)) return false;
  const std::uint32_t set = (address >> shift_) & set_mask_;
  tags_[(set << way_bits_) + mru_[set]] |= dirty;
  mru_tag_[set] |= dirty;
  return true;
}

bool TagCache::holds_other(std::uint32_t address) const {
  const std::uint32_t set = (address >> shift_) & set_mask_;
  for (unsigned way = 0; way < ways_; ++way)
    if ((tags_[(set << way_bits_) + way] & ~dirty) == ((address & line_mask_) | valid)) return true;
  return false;
}

std::uint32_t TagCache::fill(std::uint32_t address) {
  const std::uint32_t set = (address >> shift_) & set_mask_;
  const unsigned way = oldest(set);
  std::uint32_t& tag = tags_[(set << way_bits_) + way];
  const std::uint32_t victim = tag;
  tag = (address & line_mask_) | valid;
  touch(set, way);
  return victim;
}

std::uint32_t TagCache::invalidate(std::uint32_t address) {
  if (!present()) return 0;
  const std::uint32_t set = (address >> shift_) & set_mask_;
  for (unsigned way = 0; way < ways_; ++way) {
    std::uint32_t& tag = tags_[(set << way_bits_) + way];
    if ((tag & ~dirty) == ((address & line_mask_) | valid)) {
      const std::uint32_t old = tag;
      tag = 0;
      if (way == mru_[set]) mru_tag_[set] = 0;
      return old;
    }
  }
  return 0;
}

unsigned TagCache::flush() {
  unsigned count = 0;
  for (auto& tag : tags_) {
    if (tag & dirty) ++count;
    tag = 0;
  }
  for (auto& m : mru_tag_) m = 0;
  for (auto& m : mru_) m = 0;
  for (auto& t : tree_) t = 0;
  return count;
}

void TagCache::archive(Archive& a) {
  a(tags_, mru_, tree_);
  if (a.loading())
    for (std::size_t set = 0; set < mru_.size(); ++set) mru_tag_[set] = tags_[(set << way_bits_) + mru_[set]];
}

}  // namespace planar::cpu
