// SPDX-License-Identifier: GPL-2.0-or-later
// `planar netperf --receive`: the station sends, the guest receives.
#include "tests/catch.hpp"
#include "tests/frontend/guest_benchmarks/netio_run.hpp"

using namespace program;
using Catch::Matchers::Contains;

TEST_CASE("a guest receives the station's stream and its datagrams", "[netperf][receive]") {
  const std::string test = GENERATE("tcp_stream", "udp_stream");
  const auto command =
      "netperf --receive --machine model77 --card smc8013 --quiet --json - --seconds 0.2 --test " + test;
  const auto said = run_planar(command);
  INFO(said.err);
  REQUIRE(said.status == 0);
  const auto j = said.json();
  CHECK(j.at("test") == test);
  CHECK(j.at("direction") == "receive");
  CHECK(j.at("repeatable") == true);
  REQUIRE(j.at("rows").size() == 1);
  const auto& row = j.at("rows")[0];
  CHECK(row.at("received_bytes").get<std::uint64_t>() > 20000);
  CHECK(row.at("mbit_per_s").get<double>() > 2);
  CHECK(row.at("mbit_per_s").get<double>() < 12);  // datagrams that were queued when the time was over count, too
  CHECK(j.at("frames").at("received").get<unsigned>() > j.at("frames").at("sent").get<unsigned>());
  CHECK(run_planar(command).json().at("state_hash") == j.at("state_hash"));
}

TEST_CASE("--receive says what the station's client cannot do", "[netperf][receive]") {
  CHECK_THAT(run_planar("netperf --receive --test tcp_rr").err, Contains("one way"));
  CHECK_THAT(run_planar("netperf --receive --against model77").err, Contains("--receive and --against"));
  CHECK_THAT(run_planar("netperf --receive --sizes 1024").err, Contains("udp_stream only"));
  CHECK_THAT(run_planar("netperf --receive --test udp_stream --sizes 1024,2048").err, Contains("one size"));
  CHECK_THAT(run_planar("netperf --receive --serve 2").err, Contains("--serve"));
  CHECK_THAT(run_planar("netperf --receive --net none").err, Contains("--net"));
}
