// SPDX-License-Identifier: GPL-2.0-or-later
// The queue of keys in a snapshot.
#include "core/common/error.hpp"
#include "frontend/scenario/typist.hpp"
#include "tests/archived.hpp"
#include "tests/catch.hpp"

using namespace planar;

namespace {

constexpr std::size_t first_action = 4 + 6 + 4 + 4, action_bytes = 2 + 3 + 8;  // after the part's mark and the count

std::vector<std::uint8_t> typed() {
  Typist typist;
  typist.type("A", 1_s);
  return test::saved_state(typist);
}

void restore(const std::vector<std::uint8_t>& state) {
  Typist typist;
  test::restore_state(typist, state);
  CHECK(typist.busy());
}

}  // namespace

TEST_CASE("a snapshot contains the keys still to be typed", "[snapshot]") {
  const auto state = typed();
  REQUIRE(state[first_action - 4] == 2);  // down and up
  CHECK_NOTHROW(restore(state));
}

TEST_CASE("a damaged key queue is refused", "[snapshot]") {
  auto state = typed();
  SECTION("a key that needs shift but is never released") {
    state[first_action - 4] = 1;
    const auto second = state.begin() + first_action + action_bytes;
    state.erase(second, second + action_bytes);
  }
  SECTION("a delay that ends before it begins") { state[first_action + action_bytes - 1] = 0xFF; }
  CHECK_THROWS_AS(restore(state), Error);
}
