// SPDX-License-Identifier: GPL-2.0-or-later
// Complete runs: power-on, POST, boot from diskette, a real TCP conversation, the guest's own figures.

#include "tests/catch.hpp"
#include "tests/frontend/guest_benchmarks/netio_run.hpp"

using program::brief;
using program::run_planar;
using program::without_host_time;

TEST_CASE("netio runs in each machine, and two runs give the same bytes except for host time") {
  for (const char* machine : {"model56sx", "model77", "model95"}) {
    INFO(machine);
    const auto command = std::string("netio --card ne2 --machine ") + machine + brief();
    const auto first = run_planar(command);
    INFO(first.err);
    REQUIRE(first.status == 0);
    const auto j = first.json();
    CHECK(j.at("schema") == "planar.netio/2");
    CHECK(j.at("machine") == machine);
    CHECK(j.at("card") == "ne2");
    CHECK(j.at("rows").size() == 2);
    for (const auto& row : j.at("rows")) CHECK(row.at("kb_per_s").get<double>() > 100);
    CHECK(j.at("frames").at("sent").get<int>() > 20);
    CHECK(j.at("frames").at("received").get<int>() > 10);
    CHECK(j.at("state_hash").get<std::string>().size() == 64);
    CHECK(without_host_time(run_planar(command).json()) == without_host_time(j));
  }
}

TEST_CASE("a guest whose station is on another cable fails with a reason and does not hang") {
  const program::Scratch scratch;
  const auto lab = scratch.write("lab.toml",
                                 "machine = \"model95\"\n[slot.1]\ncard = \"ne2\"\nmedium = \"own\"\n"
                                 "[medium.own]\nkind = \"ethernet\"\n[medium.far]\nkind = \"ethernet\"\n"
                                 "[net]\nmedium = \"far\"\n");
  const auto run = run_planar("netio --machine " + lab + " --seconds 0.1 --quiet");
  INFO(run.err);
  CHECK((run.status == 1 || run.status == 5));
  CHECK_THAT(run.err, Catch::Matchers::Contains("netio"));
}

TEST_CASE("netio runs with cards whose interface is hypothetical, and marks them") {
  for (const std::string card : {"oc2335", "etherstreamer", "ne2"}) {
    INFO(card);
    const bool hypothetical = card != "ne2";
    const auto said = run_planar("netio --machine model56sx --card " + card + " --quiet --seconds 0.05 --sizes 4096");
    REQUIRE(said.status == 0);
    CHECK((said.out.find(card + " (hypothetical interface)") != std::string::npos) == hypothetical);
    const auto run =
        run_planar("netio --machine model56sx --card " + card + " --quiet --seconds 0.05 --sizes 4096 --json -");
    CHECK(run.json().at("hypothetical") == hypothetical);
  }
}
