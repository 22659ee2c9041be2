// SPDX-License-Identifier: GPL-2.0-or-later
// The processor's two clocks: times on its bus are in ticks of 1/core_per_bus_den of a core clock, so that a 60 MHz bus
// on a 90 MHz core (3 ticks per bus clock, 2 per core clock) stays integer. The bus clock's edges are the multiples of
// core_per_bus_num ticks. Where both clocks are the same, a tick is a clock.
#pragma once

#include <bit>
#include <cstdint>
#include <numeric>

#include "core/cpu/timing/common/config.hpp"
#include "core/cpu/timing/memory/geometry.hpp"

namespace planar::cpu {

class BusClock {
 public:
  explicit BusClock(const TimingConfig& config)
      : den_shift_(static_cast<std::uint8_t>(std::countr_zero(config.core_per_bus_den))),
        period_(config.core_per_bus_num) {}

  /// `clocks` bus clocks in ticks.
  template <Geometry G = any_geometry>
  std::uint64_t bus(unsigned clocks) const {
    return std::uint64_t{clocks} * (G.known ? G.clock_num : period_);
  }
  /// Ticks per bus clock.
  std::uint8_t period() const { return period_; }
  /// The smallest number of core clocks that is a whole number of bus clocks.
  unsigned even_clocks() const { return period_ / std::gcd(unsigned{period_}, 1u << den_shift_); }
  template <Geometry G = any_geometry>
  std::uint64_t ticks(std::uint64_t core_clock) const {
    return core_clock << shift<G>();
  }
  /// Whether core(t) is before `core_clock`.
  template <Geometry G = any_geometry>
  bool before(std::uint64_t t, std::uint64_t core_clock) const {
    return t + (1u << shift<G>()) <= ticks<G>(core_clock);
  }
  /// The first core clock at or after tick `t`.
  template <Geometry G = any_geometry>
  std::uint64_t core(std::uint64_t t) const {
    return (t + (1u << shift<G>()) - 1) >> shift<G>();
  }
  /// The bus clock's first edge at or after tick `t`. Divides by constants where it matters: a division is as slow as a
  /// cache hit of the guest.
  template <Geometry G = any_geometry>
  std::uint64_t edge(std::uint64_t t) const {
    if constexpr (G.known) return G.clock_num == 1 ? t : (t + G.clock_num - 1) / G.clock_num * G.clock_num;
    if (period_ == 1) return t;
    if (period_ == 3) return (t + 2) / 3 * 3;
    return (t + period_ - 1) / period_ * period_;
  }

 private:
  template <Geometry G>
  unsigned shift() const {
    return G.known ? static_cast<unsigned>(std::countr_zero(G.clock_den)) : den_shift_;
  }

  std::uint8_t den_shift_;
  std::uint8_t period_;
};

}  // namespace planar::cpu
