// SPDX-License-Identifier: GPL-2.0-or-later
// A pass of a loop in steady state, as the parts of the P6's pipeline see it: each of them can tell whether it is at
// the end of the pass as it was at the beginning, shifted in time, and can advance by many passes at once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace planar::cpu {

struct Period {
  std::uint64_t clocks = 0;   ///< of the pass; not 0
  std::uint64_t settled = 0;  ///< times before this clock, at the beginning, no longer affect anything

  /// Whether a time that was `before` has moved with the clock.
  bool moves(std::uint64_t now, std::uint64_t before) const { return now == before + clocks; }
  /// Whether it has moved, or is unchanged and no longer matters.
  bool recurs(std::uint64_t now, std::uint64_t before) const {
    return moves(now, before) || (now == before && now < settled);
  }
  /// `now` as it is `times` passes later.
  void advance(std::uint64_t& now, std::uint64_t before, std::uint64_t times) const {
    if (now != before) now += clocks * times;
  }
};

/// Whether the entries of two rings are the same by age; `at` and `before_at` are the places of the oldest ones.
template <class Ring, class Same>
bool same_by_age(const Ring& now, unsigned at, const Ring& before, unsigned before_at, Same&& same) {
  for (std::size_t n = 0; n < now.size(); ++n)
    if (!same(now[(at + n) % now.size()], before[(before_at + n) % now.size()])) return false;
  return true;
}
/// The ring after `times` passes, each of which moves its place as from `before_at` to `at`, with the ages unchanged.
/// Returns the oldest entry's place.
template <class Ring>
unsigned turn(Ring& ring, unsigned at, unsigned before_at, std::uint64_t times) {
  const std::uint64_t size = ring.size();
  const std::uint64_t by = (at + size - before_at) % size * (times % size) % size;
  std::rotate(ring.begin(), ring.end() - static_cast<std::ptrdiff_t>(by), ring.end());
  return static_cast<unsigned>((at + by) % size);
}

}  // namespace planar::cpu
