// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/time/time.hpp"
#include "tests/catch.hpp"

using namespace planar;

TEST_CASE("a clock of 33.333... MHz does not drift") {
  const ClockDomain clock(100'000'000, 3);
  REQUIRE(clock.at(0) == 0_ns);
  REQUIRE(clock.at(1) == 30_ns);
  REQUIRE(clock.at(100'000'000ull * 3600) == 3600_s * 3);
}

TEST_CASE("a clock of 90 MHz places whole seconds exactly although its period is not a whole number of picoseconds") {
  const ClockDomain clock(90'000'000);
  REQUIRE(clock.at(1).ps == 11'111);
  REQUIRE(clock.at(9).ps == 100'000);
  REQUIRE(clock.at(90'000'000) == 1_s);
  REQUIRE(clock.at(90'000'000ull * 86'400) == 86'400_s);
}

TEST_CASE("the first cycle at or after a time and the cycle in progress agree with the cycle's own start time") {
  for (const ClockDomain clock : {ClockDomain(90'000'000), ClockDomain(100'000'000, 3), ClockDomain(14'318'180, 12)}) {
    for (std::uint64_t cycle : {1ull, 2ull, 7ull, 1'000'003ull, 5'400'000'000ull}) {
      const Time start = clock.at(cycle);
      CHECK(clock.first_at_or_after(start) == cycle);
      CHECK(clock.first_at_or_after(start + Time{1}) == cycle + 1);
      CHECK(clock.index_at(start) == cycle);
      CHECK(clock.index_at(start - Time{1}) == cycle - 1);
      CHECK(clock.index_at(start + Time{1}) == cycle);
    }
  }
}
