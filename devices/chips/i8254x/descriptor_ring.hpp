// SPDX-License-Identifier: GPL-2.0-or-later
// A ring of 16-byte descriptors in memory, as the chip processes it: descriptors between head and tail belong to the
// chip, which fetches them in bursts into a cache of its own, never beyond the tail (8254x manual, 3.2.4).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <span>

#include "core/state/archive.hpp"

namespace planar::ethernet {

struct Descriptor {
  static constexpr std::uint32_t bytes = 16;
  std::uint32_t index = 0;
  std::array<std::uint8_t, bytes> raw{};

  std::uint64_t address() const { return get(0, 8); }
  std::uint64_t get(std::size_t offset, std::size_t count) const {
    std::uint64_t value = 0;
    for (std::size_t n = 0; n < count; ++n) value |= std::uint64_t{raw[offset + n]} << (8 * n);
    return value;
  }
  void put(std::size_t offset, std::size_t count, std::uint64_t value) {
    for (std::size_t n = 0; n < count; ++n) raw[offset + n] = static_cast<std::uint8_t>(value >> (8 * n));
  }
  void archive(Archive& a) { a(index, raw); }
};

class DescriptorRing {
 public:
  /// In descriptors; of RXDCTL and TXDCTL.
  struct Thresholds {
    std::uint32_t prefetch = 0, host = 0, write_back = 0;
  };

  /// Software has moved the head, or the ring: what was fetched is discarded.
  void restart(std::uint32_t head) {
    cache_.clear();
    next_ = head;
  }

  /// Descriptors in memory up to the tail. A tail outside the ring is never reached.
  std::uint32_t in_memory(std::uint32_t size, std::uint32_t tail) const {
    if (next_ >= size) return 0;
    if (tail >= size) return size - next_;
    return tail >= next_ ? tail - next_ : size - next_ + tail;
  }
  /// All that belong to the chip: in memory and in the cache.
  std::uint32_t free(std::uint32_t size, std::uint32_t tail) const {
    return in_memory(size, tail) + static_cast<std::uint32_t>(cache_.size());
  }
  /// How many the next burst fetches; 0: none yet. `capacity` is that of the cache, `first` the address of the ring
  /// divided by 16; `per_line` descriptors make up a line of the processor's cache.
  std::uint32_t wanted(std::uint32_t size, std::uint32_t tail, const Thresholds& t, std::uint32_t capacity,
                       std::uint64_t first, std::uint32_t per_line) const {
    const std::uint32_t there = in_memory(size, tail), have = static_cast<std::uint32_t>(cache_.size());
    if (there == 0 || have >= capacity) return 0;
    if (have && (have >= t.prefetch || there < t.host)) return 0;
    std::uint32_t count = std::min({there, capacity - have, size - next_});
    // A burst that does not reach the tail ends at the end of a line, so that the next one begins with a line.
    const auto over = static_cast<std::uint32_t>((first + next_ + count) % per_line);
    if (count < there && over < count) count -= over;
    return count;
  }
  std::uint32_t next() const { return next_; }
  /// They have arrived.
  void take(std::span<const std::uint8_t> data, std::uint32_t size) {
    for (std::size_t at = 0; at + Descriptor::bytes <= data.size(); at += Descriptor::bytes) {
      Descriptor d;
      d.index = next_;
      std::copy_n(data.begin() + static_cast<std::ptrdiff_t>(at), Descriptor::bytes, d.raw.begin());
      cache_.push_back(d);
      if (++next_ >= size) next_ = 0;
    }
  }
  bool empty() const { return cache_.empty(); }
  std::size_t cached() const { return cache_.size(); }
  const Descriptor& front() const { return cache_.front(); }
  Descriptor pop() {
    const Descriptor d = cache_.front();
    cache_.pop_front();
    return d;
  }

  void archive(Archive& a) { a(next_, cache_); }

 private:
  std::uint32_t next_ = 0;        // to be fetched
  std::deque<Descriptor> cache_;  // fetched and not used yet
};

}  // namespace planar::ethernet
