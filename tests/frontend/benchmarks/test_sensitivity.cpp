// SPDX-License-Identifier: GPL-2.0-or-later
// The band that the uncertain values leave open, by figures worked out by hand and by a short run.
#include "frontend/published/sensitivity.hpp"

#include "frontend/report/sensitivity_report.hpp"
#include "tests/catch.hpp"
#include "tests/frontend/benchmarks/netio_run.hpp"

using namespace planar;
using Catch::Matchers::Contains;

namespace {

CellOutcome flat(double kb_per_s) {
  nlohmann::ordered_json result{{"cpu_load_percent", 1.0}, {"rows", nlohmann::ordered_json::array()}};
  result["rows"].push_back({{"packet_bytes", 4096}, {"kb_per_s", kb_per_s}});
  return {{"model95", "ne2", {}}, result, 0, {}, false};
}

SensitiveRow row_with(const CellOutcome& ours, double print, std::vector<Effect> effects) {
  SensitiveRow r;
  r.row.print.machine = r.row.print.group = "model95";
  r.row.print.card = r.row.print.title = "ne2";
  r.row.print.average_sizes = {4096};
  r.row.print.kb_per_s[4096] = print;
  r.row.ours = &ours;
  r.effects = std::move(effects);
  return r;
}

}  // namespace

TEST_CASE("the band adds what lowers a row and what raises it, value by value", "[sensitivity]") {
  const CellOutcome ours = flat(1000);
  const UncertainValue value{"peer.turnaround", "60 ns", "30 ns", "120 ns"};
  // One works against its sign, one both ways down.
  const auto row = row_with(ours, 985, {{value, 1010.0, 990.0}, {value, 996.0, 992.0}});
  REQUIRE(row.band());
  CHECK(row.band()->from == Approx(1000 - 10 - 8));
  CHECK(row.band()->to == Approx(1010));
  CHECK(row.within() == true);
  CHECK(row_with(ours, 981, row.effects).within() == false);
  CHECK(row_with(ours, 1010.5, row.effects).within() == false);
  CHECK_FALSE(row_with(ours, 985, {{value, 1010.0, {}}}).within());
  const auto text = sensitivity_text({row});
  CHECK_THAT(text, Contains("982.0 to 1010.0, within") && Contains("1 of 1 rows"));
  const auto json = sensitivity_json({row});
  CHECK(json["rows"][0]["band_kb_per_s"] == nlohmann::ordered_json{982.0, 1010.0});
}

TEST_CASE("the uncertain values are those of the machine's file", "[sensitivity]") {
  const auto values = uncertain_values("model56sx");
  REQUIRE(values.size() == 4);
  CHECK(values[0].name == "peer.turnaround");
  CHECK(values[1].used == "75 ns");
  CHECK(values[2].low == "4");
  CHECK(values[2].high == "6");
}

TEST_CASE("planar published --sensitivity runs a row with each of them", "[sensitivity]") {
  using namespace program;
  const auto said = run_planar(
      "published --sensitivity --quiet --machines model56sx --cards ne2 --seconds 0.1 --sizes 4096,8192,16384,32767 "
      "--json -");
  INFO(said.err);
  REQUIRE(said.status == 0);
  const auto row = said.json()["rows"].at(0);
  CHECK(row["machine"] == "model56sx");
  REQUIRE(row["values"].size() == 4);
  for (const auto& value : row["values"])
    if (value["name"] == "memory.dram.read_miss") {
      CHECK(value["low_kb_per_s"].get<double>() > value["high_kb_per_s"].get<double>());
    }
  CHECK(row["band_kb_per_s"][0].get<double>() < row["kb_per_s"].get<double>());
  CHECK(row.contains("within"));
}
