// SPDX-License-Identifier: GPL-2.0-or-later
// Virtual time: a signed 64-bit count of picoseconds, and clocks of exact rational frequency.
#pragma once

#include <compare>
#include <cstdint>
#include <numeric>

namespace planar {

/// A point in, or a span of, virtual time. Unit: picoseconds; range about +/-106 days.
struct Time {
  std::int64_t ps = 0;

  friend constexpr auto operator<=>(Time, Time) = default;
  // clang-format off
  constexpr Time& operator+=(Time other) { ps += other.ps; return *this; }
  constexpr Time& operator-=(Time other) { ps -= other.ps; return *this; }
  // clang-format on
  friend constexpr Time operator+(Time a, Time b) { return {a.ps + b.ps}; }
  friend constexpr Time operator-(Time a, Time b) { return {a.ps - b.ps}; }
  friend constexpr Time operator*(Time a, std::int64_t n) { return {a.ps * n}; }
  friend constexpr Time operator*(std::int64_t n, Time a) { return {a.ps * n}; }
  /// Whole number of `b` spans in `a`, rounded towards zero.
  friend constexpr std::int64_t operator/(Time a, Time b) { return a.ps / b.ps; }

  static constexpr Time never() { return {INT64_MAX}; }
  /// For display only (progress, reports); never used in emulated arithmetic.
  constexpr double seconds() const { return static_cast<double>(ps) * 1e-12; }
};

inline namespace literals {
constexpr Time operator""_ps(unsigned long long n) { return {static_cast<std::int64_t>(n)}; }
constexpr Time operator""_ns(unsigned long long n) { return {static_cast<std::int64_t>(n) * 1'000}; }
constexpr Time operator""_us(unsigned long long n) { return {static_cast<std::int64_t>(n) * 1'000'000}; }
constexpr Time operator""_ms(unsigned long long n) { return {static_cast<std::int64_t>(n) * 1'000'000'000}; }
constexpr Time operator""_s(unsigned long long n) { return {static_cast<std::int64_t>(n) * 1'000'000'000'000}; }
}  // namespace literals

/// A clock of exactly `hz_num / hz_den` Hz. Cycle n begins at floor(n * period). Rounded periods are never accumulated,
/// so 33.333... MHz (100'000'000 / 3) does not drift.
class ClockDomain {
 public:
  constexpr explicit ClockDomain(std::uint64_t hz_num, std::uint64_t hz_den = 1) {
    // period in ps = 1e12 * den / num, reduced so that the products below stay small.
    unsigned __int128 n = static_cast<unsigned __int128>(1'000'000'000'000) * hz_den;
    std::uint64_t ps = static_cast<std::uint64_t>(n);
    std::uint64_t divisor = std::gcd(ps, hz_num);
    num_ = ps / divisor;
    den_ = hz_num / divisor;
  }

  /// The time at which cycle number `cycle` begins.
  constexpr Time at(std::uint64_t cycle) const {
    if (cycle <= UINT64_MAX / num_) return {static_cast<std::int64_t>(cycle * num_ / den_)};
    return {static_cast<std::int64_t>(static_cast<unsigned __int128>(cycle) * num_ / den_)};
  }

  /// The first cycle that begins at or after `t` (0 for t <= 0).
  constexpr std::uint64_t first_at_or_after(Time t) const {
    if (t.ps <= 0) return 0;
    const auto ps = static_cast<std::uint64_t>(t.ps);
    // cycle n qualifies when floor(n*num/den) >= ps, that is n*num >= ps*den.
    if (ps <= (UINT64_MAX - num_) / den_) return (ps * den_ + num_ - 1) / num_;
    return static_cast<std::uint64_t>((static_cast<unsigned __int128>(ps) * den_ + num_ - 1) / num_);
  }

  /// The cycle in progress at `t`: the last one that begins at or before it.
  constexpr std::uint64_t index_at(Time t) const {
    const std::uint64_t n = first_at_or_after(t);
    return n > 0 && at(n) > t ? n - 1 : n;
  }

 private:
  std::uint64_t num_;  // period in ps = num_ / den_
  std::uint64_t den_;
};

}  // namespace planar
