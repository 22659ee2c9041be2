// SPDX-License-Identifier: GPL-2.0-or-later
// The guest's placements: the same kernel with its functions, variables and pages at different addresses.
#include <set>

#include "frontend/guest/guest_image.hpp"
#include "tests/catch.hpp"
#include "tests/frontend/guest_diskette.hpp"
#include "tests/frontend/program.hpp"

using Catch::Matchers::Contains;
using namespace program;

namespace {
const std::string one_run = " --machine model56sx --card 3c529 --seconds 0.1 --sizes 1024,8192 --quiet --json -";
}

TEST_CASE("each placement runs the same benchmark at other addresses, and is recorded", "[placement]") {
  std::set<std::string> states;
  double least = 1e9, most = 0;
  for (unsigned n = 0; n < planar::guest_placements; ++n) {
    const auto said = run_planar("netio --placement " + std::to_string(n) + one_run);
    INFO(said.err);
    REQUIRE(said.status == 0);
    const auto j = said.json();
    CHECK(j["placement"] == n);
    states.insert(j["state_hash"].get<std::string>());
    const double figure = j["rows"][1]["kb_per_s"];
    least = std::min(least, figure);
    most = std::max(most, figure);
  }
  CHECK(states.size() == planar::guest_placements);
  CHECK(least < most);
  CHECK(least > 0.85 * most);
  CHECK(run_planar("netio" + one_run).json()["placement"] == 0);
}

TEST_CASE("a placement that does not exist is refused by the program and the guest", "[placement]") {
  const auto said = run_planar("netio --placement 8");
  CHECK(said.status == 2);
  CHECK_THAT(said.err, Contains("--placement"));
  const Scratch scratch;
  const auto guest = run_planar("run model95 --card ne2 --quiet --serial stdio --until 'serial:@done' --image " +
                                guest_with(scratch, {{"placement", "8"}}));
  CHECK_THAT(guest.out, Contains("@fail setting not understood: placement"));
}

TEST_CASE("a restored guest keeps its placement", "[placement]") {
  const Scratch scratch;
  const auto file = scratch.file("snapshot");
  REQUIRE(run_planar("netio --placement 2 --snapshot-at '3 s' " + file + one_run).status == 0);
  const auto on = run_planar("netio --restore " + file + " --quiet --json -");
  INFO(on.err);
  CHECK(on.json()["placement"] == 2);
  const auto refused = run_planar("netio --placement 1 --restore " + file);
  CHECK(refused.status == 2);
  CHECK_THAT(refused.err, Contains("the guest in the snapshot runs with 2"));
}

TEST_CASE("a baseline belongs to one placement", "[placement]") {
  const Scratch scratch;
  const std::string regress =
      "regress --machines model56sx --cards ne2 --seconds 0.05 --sizes 1024 --quiet --baseline " +
      scratch.file("baseline.json");
  REQUIRE(run_planar(regress + " --accept test --placement 3").status == 0);
  CHECK(run_planar(regress + " --placement 3").status == 0);
  const auto other = run_planar(regress);
  CHECK(other.status == 2);
  CHECK_THAT(other.err, Contains("made with placement 3 instead of 0"));
}
