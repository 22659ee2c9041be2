// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/cpu/timing/common/clock_edges.hpp"

#include "core/common/random.hpp"
#include "tests/catch.hpp"

using namespace planar;

TEST_CASE("clock edges computed without division equal the clock domain's", "[cpu]") {
  // clang-format off
  // 20, 33.33 and 90 MHz, fractions whose edges rarely or never fall on a picosecond, and clocks so slow that times
  // overflow.
  const ClockDomain domains[] = {ClockDomain(20'000'000),      ClockDomain(100'000'000, 3), ClockDomain(90'000'000),
                                 ClockDomain(14'318'180),      ClockDomain(1'193'181'667, 1000), ClockDomain(999'983),
                                 ClockDomain(1'000'000'000),   ClockDomain(7),              ClockDomain(3'579'545)};
  // clang-format on
  Random random(5);
  for (const auto& domain : domains) {
    const cpu::ClockEdges edges(domain);
    std::uint64_t differences = 0;
    for (int i = 0; i < 20000; ++i) {
      const unsigned bits = static_cast<unsigned>(random.below(62));
      const std::uint64_t clock = random.below(std::uint64_t{1} << bits) + random.below(3);
      differences += edges.at(clock) != domain.at(clock);
      const Time t{static_cast<std::int64_t>(random.below(std::uint64_t{2} << bits)) - 1};
      differences += edges.first_at_or_after(t) != domain.first_at_or_after(t);
      // On, before and after an edge.
      const Time edge = domain.at(clock);
      for (std::int64_t off = -1; off <= 1; ++off) {
        const Time near{
            static_cast<std::int64_t>(static_cast<std::uint64_t>(edge.ps) + static_cast<std::uint64_t>(off))};
        differences += edges.first_at_or_after(near) != domain.first_at_or_after(near);
      }
    }
    CHECK(differences == 0);
    CHECK(edges.at(0) == Time{});
    CHECK(edges.first_at_or_after(Time{}) == 0);
    CHECK(edges.first_at_or_after(Time{-5}) == 0);
    CHECK(edges.first_at_or_after(Time::never()) == domain.first_at_or_after(Time::never()));
  }
}
