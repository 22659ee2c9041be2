// SPDX-License-Identifier: GPL-2.0-or-later
// Seeded generator (SplitMix64, Steele et al. 2014): the only source of randomness in a lab, saved by its owner.
#pragma once

#include <cstdint>

#include "core/state/archive.hpp"

namespace planar {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }
  /// Uniform in [0, bound); bound > 0. The bias of the multiply-shift is below bound / 2^64.
  std::uint64_t below(std::uint64_t bound) {
    return static_cast<std::uint64_t>((static_cast<unsigned __int128>(next()) * bound) >> 64);
  }
  void archive(Archive& a) { a(state_); }

 private:
  std::uint64_t state_;
};

}  // namespace planar
