// SPDX-License-Identifier: GPL-2.0-or-later
// The P6's pipeline between two instructions as a value that can be compared: its times relative to the clock that
// renaming has reached, in 16 bits each. Two pipelines with the same value continue alike.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace planar::cpu {

struct PackedPipeline {
  static constexpr std::size_t most_words = 160;
  std::array<std::uint16_t, most_words> words;

  bool operator==(const PackedPipeline&) const = default;
  std::size_t hash() const {
    std::array<std::uint64_t, 4> h{1, 2, 3, 4};  // lanes in parallel: a multiplication has latency
    for (std::size_t n = 0; n < most_words; n += 16)
      for (std::size_t lane = 0; lane < h.size(); ++lane) {
        std::uint64_t four;
        std::memcpy(&four, &words[n + 4 * lane], sizeof four);
        h[lane] = (h[lane] ^ four) * 0xD1B54A32D192ED03u;
        h[lane] ^= h[lane] >> 32;
      }
    return ((h[0] * 31 + h[1]) * 31 + h[2]) * 31 + h[3];
  }
};
static_assert(PackedPipeline::most_words % 16 == 0);

/// Writes a PackedPipeline.
class Packer {
 public:
  Packer(PackedPipeline& to, std::uint64_t base) : to_(to), base_(base) {}

  /// A time; all times before `base` are equivalent.
  void time(std::uint64_t t) {
    const std::uint64_t since = std::max(t, base_) - base_;
    beyond_ |= since;
    put(static_cast<std::uint16_t>(since));
  }
  /// A time on either side of `base`.
  void time_about(const std::uint64_t& t) {
    const std::uint64_t since = t - base_ + 0x8000;
    beyond_ |= since;
    put(static_cast<std::uint16_t>(since));
  }
  template <class T>
  void bits(const T& value) {
    if constexpr (sizeof(T) == 1) return put(value);
    std::memcpy(&to_.words[at_], &value, sizeof value);
    at_ += sizeof(T) / sizeof(to_.words[0]);
  }
  /// Sets the rest to 0; returns whether all times fitted.
  bool finish() {
    std::fill(to_.words.begin() + static_cast<std::ptrdiff_t>(at_), to_.words.end(), std::uint16_t{0});
    return beyond_ <= 0xFFFF;
  }

 private:
  void put(std::uint16_t word) { to_.words[at_++] = word; }
  PackedPipeline& to_;
  std::uint64_t base_, beyond_ = 0;
  std::size_t at_ = 0;
};

/// Reads a PackedPipeline, with the same calls in the same order.
class Unpacker {
 public:
  Unpacker(const PackedPipeline& from, std::uint64_t base) : from_(from), base_(base) {}

  void time(std::uint64_t& t) { t = base_ + get(); }
  void time_about(std::uint64_t& t) { t = base_ + get() - 0x8000; }
  template <class T>
  void bits(T& value) {
    if constexpr (sizeof(T) == 1) {
      value = static_cast<T>(get());
    } else {
      std::memcpy(&value, &from_.words[at_], sizeof value);
      at_ += sizeof(T) / sizeof(from_.words[0]);
    }
  }

  void skip(unsigned words) { at_ += words; }

 private:
  std::uint16_t get() { return from_.words[at_++]; }
  const PackedPipeline& from_;
  std::uint64_t base_;
  std::size_t at_ = 0;
};

}  // namespace planar::cpu
