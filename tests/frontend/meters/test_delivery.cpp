// SPDX-License-Identifier: GPL-2.0-or-later
// The delivered rate compared with netio's figure, which also counts what is still in the send buffer.
#include <cmath>

#include "tests/catch.hpp"
#include "tests/frontend/guest_benchmarks/netio_run.hpp"

using Catch::Matchers::Contains;
using namespace program;

TEST_CASE("a short run's figure is shown with the delivered rate and a warning") {
  const std::string run = "netio --card ne2 --seconds 0.1 --sizes 1024,4096";
  const auto said = run_planar(run + " --quiet --json -");
  REQUIRE(said.status == 0);
  const auto rows = said.json().at("rows");
  REQUIRE(rows.size() == 2);
  // 1460 bytes of data in 1538 byte times, at 10 Mbit/s: no more can get through, whatever was put into the buffer.
  constexpr double most = 10e6 / 8 * 1460 / 1538 / 1024;
  CHECK(rows[0].at("kb_per_s").get<double>() > most);
  for (const auto& row : rows) {
    CHECK(row.at("delivered_kb_per_s").get<double>() > 0.8 * most);
    const auto parts = row.at("delivered_over_time").get<std::vector<double>>();
    REQUIRE(parts.size() == 20);
    double sum = 0;
    for (const double part : parts) sum += part;
    CHECK(std::abs(sum / 20 - row.at("delivered_kb_per_s").get<double>()) < 0.5);
    CHECK(row.at("delivered_kb_per_s").get<double>() <= most * 1.015);  // a frame may end at the window's edge
  }
  const auto table = run_planar(run + " --quiet").out;
  CHECK_THAT(table, Contains("delivered") && Contains("more than 1 % at 1K") && Contains("take --seconds"));
  CHECK_THAT(run_planar(run + " --json -").err, Contains("warning: netio's figure differs"));
}

TEST_CASE("a run of the length that the warning recommends gives no warning") {
  if (short_runs()) SKIP("runs for seconds");
  const auto shorter = run_planar("netio --card ne2 --seconds 0.5 --sizes 4096 --quiet").out;
  const auto at = shorter.find("take --seconds ");
  REQUIRE(at != std::string::npos);
  const int seconds = std::stoi(shorter.substr(at + 15));
  CHECK(seconds > 1);
  CHECK(seconds < 12);
  const auto longer =
      run_planar("netio --card ne2 --sizes 4096 --quiet --json - --seconds " + std::to_string(seconds + 1)).json();
  const double counted = longer.at("rows")[0].at("kb_per_s"), delivered = longer.at("rows")[0].at("delivered_kb_per_s");
  CHECK(std::abs(counted - delivered) < 0.01 * delivered);
}

TEST_CASE("delivery is also measured at a Token Ring adapter's station and at another machine's server") {
  for (const std::string command :
       {"netio --machine model9595 --card tr16-4a-1994", "netio --card ne2 --against model95:ne2"}) {
    INFO(command);
    const auto said = run_planar(command + " --seconds 0.2 --sizes 4096 --quiet --json -");
    INFO(said.err);
    REQUIRE(said.status == 0);
    const auto row = said.json().at("rows")[0];
    const double counted = row.at("kb_per_s"), delivered = row.at("delivered_kb_per_s");
    CHECK(delivered > 0.5 * counted);
    CHECK(delivered < counted);
  }
}
