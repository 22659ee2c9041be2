// SPDX-License-Identifier: GPL-2.0-or-later
// Numbers by keys of 64 bits: a hash table with open addressing, in which most lookups touch one line of the host's
// cache.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace planar::cpu {

class NumberTable {
 public:
  static constexpr std::uint32_t none = 0xFFFFFFFF;

  /// The number of `key`, which is not 0; null if there is none.
  const std::uint32_t* find(std::uint64_t key) const {
    for (std::size_t n = place(key);; n = (n + 1) & (entries_.size() - 1)) {
      if (entries_[n].key == key) return &entries_[n].number;
      if (entries_[n].key == 0) return nullptr;
    }
  }
  /// The same; a new key gets `none`. The reference is valid until the next call.
  std::uint32_t& at(std::uint64_t key) {
    if (2 * used_ >= entries_.size()) grow();
    std::size_t n = place(key);
    while (entries_[n].key != key && entries_[n].key != 0) n = (n + 1) & (entries_.size() - 1);
    if (entries_[n].key == 0) {
      entries_[n].key = key;
      ++used_;
    }
    return entries_[n].number;
  }
  void clear() { *this = NumberTable(); }
  std::size_t bytes() const { return entries_.size() * sizeof(Entry); }

 private:
  struct Entry {
    std::uint64_t key = 0;
    std::uint32_t number = none;
  };
  static constexpr unsigned first_bits = 4;

  std::size_t place(std::uint64_t key) const { return key * 0x9E3779B97F4A7C15u >> shift_; }
  void grow() {
    const std::vector<Entry> before = std::exchange(entries_, std::vector<Entry>(2 * entries_.size()));
    --shift_;
    used_ = 0;
    for (const Entry& e : before)
      if (e.key != 0) at(e.key) = e.number;
  }

  std::vector<Entry> entries_ = std::vector<Entry>(std::size_t{1} << first_bits);
  unsigned shift_ = 64 - first_bits;
  std::size_t used_ = 0;
};

}  // namespace planar::cpu
