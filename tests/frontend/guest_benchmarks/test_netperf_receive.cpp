// SPDX-License-Identifier: GPL-2.0-or-later
// `planar netperf --receive`: the station sends, the guest receives.
#include <cmath>

#include "tests/catch.hpp"
#include "tests/frontend/guest_benchmarks/netio_run.hpp"

using namespace program;
using Catch::Matchers::Contains;

TEST_CASE("a guest receives the station's TCP stream and datagrams", "[netperf][receive]") {
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
  CHECK(row.at("mbit_per_s").get<double>() < 12);  // datagrams still queued at the end of the time are counted, too
  if (test == "udp_stream") {
    constexpr double wire = 8192 * 8 / 6838.4;  // 10^6 bit/s: six fragments, 5 x 1538 + 858 byte times
    CHECK(row.at("delivered_mbit_per_s").get<double>() > 2);
    CHECK(row.at("delivered_mbit_per_s").get<double>() <= wire * 1.01);
  }
  CHECK(j.at("frames").at("received").get<unsigned>() > j.at("frames").at("sent").get<unsigned>());
  CHECK(run_planar(command).json().at("state_hash") == j.at("state_hash"));
}

TEST_CASE("a test that the guest receives continues from a snapshot", "[netperf][receive]") {
  const Scratch scratch;
  const auto file = scratch.file("receive.snap");
  const std::string test = GENERATE("tcp_stream", "udp_stream");
  const std::string options = " --receive --quiet --json - --test " + test;
  const auto whole =
      run_planar("netperf --machine model77 --card smc8013 --seconds 0.2 --snapshot-at '9 s' " + file + options);
  INFO(whole.err);
  REQUIRE(whole.status == 0);
  const auto rest = run_planar("netperf --restore " + file + options);
  INFO(rest.err);
  REQUIRE(rest.status == 0);
  CHECK(rest.json().at("state_hash") == whole.json().at("state_hash"));
  CHECK(rest.json().at("rows") == whole.json().at("rows"));
}

TEST_CASE("a guest that works beyond the client's time reports at most 100 % load", "[netperf][receive]") {
  const auto said = run_planar("netperf --receive --machine model56sx --card ne2 --quiet --json - --seconds 0.3");
  REQUIRE(said.status == 0);
  CHECK(said.json().at("cpu_load_percent") == 100.0);
}

TEST_CASE("the busy share of repeated tests is of the tests, without what lies between them", "[netperf][receive]") {
  const auto busy = [](const std::string& options) {
    const auto said =
        run_planar("netperf --receive --machine model77 --card smc8013 --quiet --json - --seconds 0.3" + options);
    INFO(said.err);
    return said.json().at("true_busy_percent").get<double>();
  };
  CHECK(busy(" -i 3,3") == Approx(busy("")).margin(3));
}

TEST_CASE("lost datagrams are told as such, not as what a queue still holds", "[netperf][receive]") {
  const auto said = run_planar(
      "netperf --receive --test udp_stream --machine model77 --card tr16-4a-1994 --seconds 0.1 --runs 2 --quiet");
  INFO(said.out);
  REQUIRE(said.status == 0);
  CHECK_THAT(said.out, Contains("did not count all datagrams that were sent; lost: 9") && Contains("% at 8K") &&
                           !Contains("*") && !Contains("in a queue"));
}

TEST_CASE("--receive refuses what the station's client cannot do", "[netperf][receive]") {
  CHECK_THAT(run_planar("netperf --receive --test tcp_rr").err, Contains("one way"));
  CHECK_THAT(run_planar("netperf --receive --against model77").err, Contains("--receive and --against"));
  CHECK_THAT(run_planar("netperf --receive --sizes 1024").err, Contains("udp_stream only"));
  CHECK_THAT(run_planar("netperf --receive --test udp_stream --sizes 1024,2048").err, Contains("one size"));
  CHECK_THAT(run_planar("netperf --receive --serve 2").err, Contains("--serve"));
  CHECK_THAT(run_planar("netperf --receive --net none").err, Contains("--net"));
}

TEST_CASE("the station's netperf repeats its test for -i and -I, and requests the buffer sizes read back",
          "[netperf][receive]") {
  const std::string test = GENERATE("tcp_stream", "udp_stream");
  const std::string command =
      "netperf --receive --machine model95 --card smc8013 --quiet --json - --seconds 0.2 --test " + test +
      (test == "udp_stream" ? " -s 32768 -S 32768" : "");
  const auto said = run_planar(command + " -i 4,3 -I 99,100");
  INFO(said.err);
  REQUIRE(said.status == 0);
  const auto row = said.json().at("rows").at(0);
  const auto& confidence = row.at("confidence");
  INFO(row);
  CHECK(confidence.at("runs") == 3);
  CHECK(confidence.at("level_percent") == 99);
  CHECK(confidence.at("width_percent") == 100.0);
  CHECK(confidence.at("met") == (confidence.at("achieved_percent").get<double>() <= 100));
  REQUIRE(confidence.at("each").size() == 3);
  const bool asked = test == "udp_stream";
  double sum = 0, squares = 0;
  for (std::size_t n = 0; n < 3; ++n) {
    const auto& run = confidence.at("each").at(n);
    sum += run.at("mbit_per_s").get<double>();
    CHECK(run.at("socket_buffers").at("local_send") == (n ? 131070 : asked ? 65536 : 65535));
    CHECK(run.at("socket_buffers").at("remote_receive") == (n ? 131070 : asked ? 65536 : 65535));
  }
  for (const auto& run : confidence.at("each")) squares += std::pow(run.at("mbit_per_s").get<double>() - sum / 3, 2);
  CHECK(row.at("mbit_per_s").get<double>() == Approx(sum / 3).margin(0.001));
  const double width = 200 * 9.925 * std::sqrt(squares / 3) / (sum / 3 * std::sqrt(2.0));
  CHECK(confidence.at("achieved_percent").get<double>() == Approx(width).epsilon(0.02).margin(0.02));
  const auto table = run_planar(
      "netperf --receive --machine model95 --card smc8013 --quiet --seconds 0.1 -i 3,2 -I "
      "99,0.001");
  CHECK_THAT(table.out, Contains("mean of 2 runs, 99 % interval") && Contains("WARNING: wider than requested"));
}
