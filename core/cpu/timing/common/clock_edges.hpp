// SPDX-License-Identifier: GPL-2.0-or-later
// Converts a clock's edges to times and back, with the same results as ClockDomain but without its divisions: every I/O
// access converts both ways.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/time/time.hpp"

namespace planar::cpu {

class ClockEdges {
 public:
  explicit ClockEdges(const ClockDomain& domain) : domain_(domain) {
    // The smallest number of clocks that lasts whole picoseconds; if there is none up to the limit, every call goes to
    // the domain.
    constexpr std::uint64_t most_clocks = 1000, many = 1'000'000'000;
    for (std::uint64_t n = 1; n <= most_clocks; ++n) {
      const auto whole = static_cast<std::uint64_t>(domain.at(n).ps);
      if (whole == 0 || static_cast<std::uint64_t>(domain.at(n * many).ps) != whole * many) continue;
      clocks_ = {n};
      picoseconds_ = {whole};
      last_clock_ = UINT64_MAX / whole;
      last_time_ = std::min<std::uint64_t>((UINT64_MAX - whole) / n, INT64_MAX);
      return;
    }
  }

  /// The smallest number of clocks that lasts whole picoseconds; 0 if there is no usable one.
  std::uint64_t even_clocks() const { return last_clock_ != 0 ? clocks_.value : 0; }
  /// ClockDomain::at().
  Time at(std::uint64_t clock) const {
    if (clock > last_clock_) [[unlikely]]
      return domain_.at(clock);
    return {static_cast<std::int64_t>(clocks_.divide(clock * picoseconds_.value))};
  }
  /// The clocks from an edge to the first edge at least `t` later; 0 if that depends on the edge.
  std::uint64_t span(Time t) const { return clocks_.value == 1 && last_clock_ != 0 ? first_at_or_after(t) : 0; }
  /// ClockDomain::first_at_or_after().
  std::uint64_t first_at_or_after(Time t) const {
    const auto ps = static_cast<std::uint64_t>(t.ps);
    if (ps - 1 >= last_time_) [[unlikely]]
      return domain_.first_at_or_after(t);  // also for zero and below
    return picoseconds_.divide(ps * clocks_.value + picoseconds_.value - 1);
  }

 private:
  /// A divisor and 2^64 divided by it, rounded down: the high half of a product is the quotient or one less.
  struct Divisor {
    std::uint64_t value = 1;
    std::uint64_t inverse =
        value == 1 ? UINT64_MAX : static_cast<std::uint64_t>((static_cast<unsigned __int128>(1) << 64) / value);
    std::uint64_t divide(std::uint64_t n) const {
      if (value == 1) return n;
      const auto q = static_cast<std::uint64_t>((static_cast<unsigned __int128>(n) * inverse) >> 64);
      return q + (n - q * value >= value);
    }
  };

  ClockDomain domain_;
  Divisor clocks_, picoseconds_;
  std::uint64_t last_clock_ = 0;  // later clocks go to the domain
  std::uint64_t last_time_ = 0;
};

}  // namespace planar::cpu
