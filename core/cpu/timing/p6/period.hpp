// SPDX-License-Identifier: GPL-2.0-or-later
// A pass of a loop in steady state, as the parts of the P6's pipeline see it: each of them can say whether it stands at
// the end of the pass as it stood at the beginning but for the time, and can go on by many passes at once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace planar::cpu {

struct Period {
  std::uint64_t clocks = 0;   ///< of the pass; not 0
  std::uint64_t settled = 0;  ///< times before this clock, of the beginning, decide nothing any more

  /// Whether what was at `before` has moved with the clock.
  bool moves(std::uint64_t now, std::uint64_t before) const { return now == before + clocks; }
  /// Whether it has moved, or was left alone and matters no more.
  bool recurs(std::uint64_t now, std::uint64_t before) const {
    return moves(now, before) || (now == before && now < settled);
  }
  /// `now`, `times` passes later.
  void advance(std::uint64_t& now, std::uint64_t before, std::uint64_t times) const {
    if (now != before) now += clocks * times;
  }
};

/// Whether the entries of a ring are the same by age; `at` and `before_at` are the oldest ones' places.
template <class Ring, class Same>
bool same_by_age(const Ring& now, unsigned at, const Ring& before, unsigned before_at, Same&& same) {
  for (std::size_t n = 0; n < now.size(); ++n)
    if (!same(now[(at + n) % now.size()], before[(before_at + n) % now.size()])) return false;
  return true;
}
/// The ring as it is when each of `times` passes has gone on from place `before_at` to `at`, the ages left as they are.
/// Returns the oldest entry's place.
template <class Ring>
unsigned turn(Ring& ring, unsigned at, unsigned before_at, std::uint64_t times) {
  const std::uint64_t size = ring.size();
  const std::uint64_t by = (at + size - before_at) % size * (times % size) % size;
  std::rotate(ring.begin(), ring.end() - static_cast<std::ptrdiff_t>(by), ring.end());
  return static_cast<unsigned>((at + by) % size);
}

}  // namespace planar::cpu
