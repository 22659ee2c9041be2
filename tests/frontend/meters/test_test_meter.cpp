// SPDX-License-Identifier: GPL-2.0-or-later
// The load and rates of netperf are those of its tests: what happens before and after a test is not included.
#include <cmath>

#include "tests/catch.hpp"
#include "tests/frontend/guest_benchmarks/netio_run.hpp"

using Catch::Matchers::Contains;
using namespace program;

namespace {

/// The share of a data frame's time in which the processor executes or waits for the channel, in percent.
double busy_by_frame(const nlohmann::ordered_json& result) {
  const auto& frame = result.at("frame_time");
  const auto& parts = frame.at("parts_us");
  const double busy =
      parts.at("cpu_copy").get<double>() + parts.at("stack").get<double>() + parts.at("bus_wait").get<double>();
  return 100 * busy / frame.at("us").get<double>();
}

}  // namespace

TEST_CASE("netperf's true load covers the tests, not the pauses between them", "[netperf]") {
  const std::string test = "netperf --machine model95 --card smc8013 --quiet --json - --seconds 0.4";
  for (const std::string kind : {" --test tcp_stream --sizes 8192", " --test udp_stream --sizes 1472"}) {
    const auto said = run_planar(test + kind);
    INFO(kind << said.err);
    REQUIRE(said.status == 0);
    const auto j = said.json();
    INFO(j.at("true_busy_percent") << " % busy; by the frame " << busy_by_frame(j) << " %");
    // The server of udp_stream answers two seconds after the test: five times as long as the test itself.
    CHECK(std::abs(j.at("true_busy_percent").get<double>() - busy_by_frame(j)) < 6);
  }
  // With two tests the shares cover both.
  const auto both = run_planar(test + " --test udp_stream --sizes 1472,8192").json();
  CHECK(both.at("true_busy_percent").get<double>() > 0.75 * busy_by_frame(both));
}

TEST_CASE("the load of the machine that runs netperf's server is measured over the same time", "[netperf]") {
  const auto j = run_planar(
                     "netperf --machine model95 --card smc8013 --against model56sx:ne2 --test udp_stream --sizes 1472 "
                     "--quiet --json - --seconds 0.3")
                     .json();
  CHECK(j.at("against").at("true_busy_percent").get<double>() > 60);  // a 386SX that receives at wire speed
}

TEST_CASE("netperf reports the datagrams delivered within the time, with a warning if it counts more", "[netperf]") {
  const std::string run = "netperf --machine model95 --card 3c523 --test udp_stream --sizes 8192 --quiet --seconds ";
  const auto j = run_planar(run + "0.2 --json -").json();
  const auto& row = j.at("rows").at(0);
  INFO(row);
  constexpr double wire = 8192 * 8 / 6838.4;  // 10^6 bit/s: six fragments, 5 x 1538 + 858 byte times
  CHECK(row.at("delivered_mbit_per_s").get<double>() <= wire * 1.01);
  CHECK(row.at("delivered_mbit_per_s").get<double>() > 0.5 * wire);
  CHECK(row.at("mbit_per_s").get<double>() > 1.01 * row.at("delivered_mbit_per_s").get<double>());
  CHECK_THAT(run_planar(run + "0.2").out,
             Contains("delivered") && Contains("more than 1 % at 8K") && Contains("take --seconds"));
}
