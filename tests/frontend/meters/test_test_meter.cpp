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
}

TEST_CASE("equal tests of one run have equal figures, although their records come late", "[netperf]") {
  const std::string test = "netperf --machine model95 --card 3c529 --quiet --json - --seconds 0.4";
  const auto streams = run_planar(test + " --test udp_stream --sizes 1472,1472,1472").json();
  const double first = streams.at("rows").at(0).at("delivered_mbit_per_s");
  for (const auto& row : streams.at("rows"))
    CHECK(row.at("delivered_mbit_per_s").get<double>() == Approx(first).epsilon(0.01));
  const auto once = run_planar(test + " --test tcp_rr --sizes 1").json();
  const auto often = run_planar(test + " --test tcp_rr --sizes 1,1,1,1").json();
  for (const auto& j : {once, often}) {
    CHECK(j.at("frame_time").at("frame_bytes") == 71);  // a request; that for the test is longer, and came before
    CHECK(j.at("true_busy_percent").get<double>() == Approx(busy_by_frame(j)).margin(1));
  }
  CHECK(once.at("true_busy_percent").get<double>() == Approx(often.at("true_busy_percent").get<double>()).margin(1));
}

TEST_CASE("datagrams that the receiver lost are no reason for a longer run", "[netperf]") {
  const auto run = run_planar(
      "netperf --machine model95 --card oc2335 --test udp_stream --sizes 1472 --seconds 0.3 --against model56sx:oc2335 "
      "--quiet");
  INFO(run.out << run.err);
  REQUIRE(run.status == 0);
  CHECK_THAT(run.out, !Contains("take --seconds"));
}

TEST_CASE("netio's load is that of its rows, and each row's its own", "[netio]") {
  const auto j =
      run_planar("netio --machine model95 --card ne2 --sizes 1024,8192 --seconds 0.3 --generation 2 --quiet --json -")
          .json();
  double sum = 0;
  for (const auto& row : j.at("rows"))
    sum += row.at("busy_percent").get<double>() + row.at("received_busy_percent").get<double>();
  CHECK(j.at("true_busy_percent").get<double>() == Approx(sum / 4).margin(0.5));
}

TEST_CASE("on a ring the time of a frame covers the whole row: what a station sends to join is not part of it",
          "[netio]") {
  const auto j = run_planar(
                     "netio --machine model95 --card lanstreamer --against model77:madge-mc --sizes 8192 --seconds 0.5 "
                     "--quiet --json -")
                     .json();
  const auto& frame = j.at("frame_time");
  CHECK(frame.at("us").get<double>() * frame.at("frames").get<double>() == Approx(500'000).epsilon(0.05));
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

TEST_CASE("datagrams that a bridge passes on are counted once", "[netperf]") {
  Scratch scratch;
  const auto machine = scratch.write("bridged.toml", R"(machine = "model95"
[net]
attach = "peer"
medium = "office"
[medium.floor]
[medium.office]
[bridge.between]
media = ["floor", "office"]
[slot.1]
card = "ne2"
medium = "floor"
[slot.2]
card = "smc8013"
medium = "office"
)");
  const auto said = run_planar("netperf --machine " + machine +
                               " --use 1 --test udp_stream --sizes 1472 --seconds 0.2 --quiet --json -");
  INFO(said.err);
  REQUIRE(said.status == 0);
  const double delivered = said.json().at("rows").at(0).at("delivered_mbit_per_s");
  CHECK(delivered > 9);
  CHECK(delivered < 9.6);  // what the wire can carry of such datagrams
}

TEST_CASE("waits for a retransmission are told, and two acknowledgements are no data frame", "[netperf][compare]") {
  // One request of 1 KB in 3 s: its response stays in the NE/2 (docs/hardware/netperf-stalls.md).
  const auto alone =
      run_planar("netperf --test tcp_rr --machine model95 --card ne2 --seconds 0.2 --sizes 1,1024 --quiet --json -");
  INFO(alone.err);
  REQUIRE(alone.status == 0);
  CHECK(alone.json().at("stalls").at("retransmitted") == 1);
  CHECK(alone.json().at("frame_time").at("packet_bytes") == 1);
  const auto compared =
      run_planar("compare --do netperf-rr --machines model95 --cards ne2 --sizes 1,1024 --seconds 0.2 --quiet");
  CHECK_THAT(compared.out, Contains("Novell NE/2 in model95: the station retransmitted a segment"));
}
