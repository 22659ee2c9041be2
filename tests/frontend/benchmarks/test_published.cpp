// SPDX-License-Identifier: GPL-2.0-or-later
// The published figures as data, and the score's arithmetic against figures worked out by hand.
#include "frontend/published/score.hpp"

#include <fstream>
#include <sstream>

#include "tests/catch.hpp"
#include "tests/frontend/program.hpp"

using namespace planar;

namespace {

/// An outcome whose four plateau sizes all come to `kb_per_s`.
CellOutcome outcome(const std::string& machine, const std::string& card, double kb_per_s, double load) {
  nlohmann::ordered_json result{{"cpu_load_percent", load}, {"rows", nlohmann::ordered_json::array()}};
  for (const auto size : published_sizes) result["rows"].push_back({{"packet_bytes", size}, {"kb_per_s", kb_per_s}});
  return {{machine, card, {}}, result, 0, {}, false};
}

PublishedRow printed(const std::string& card, double kb_per_s, double load, const std::string& calibrated) {
  PublishedRow row{"model95", card, card, {}, load, calibrated, {}, false};
  for (const auto size : published_sizes) row.kb_per_s[size] = kb_per_s;
  return row;
}

}  // namespace

TEST_CASE("every published row has its machine, card and use", "[published]") {
  const auto rows = published_ethernet();
  CHECK(rows.size() == 25);
  std::set<std::string> calibrated, informed;
  for (const auto& row : rows) {
    CHECK(row.kb_per_s.size() == 6);
    if (!row.calibrated.empty())
      calibrated.insert(row.machine + " " + row.card);
    else if (!row.informed.empty())
      informed.insert(row.machine + " " + row.card);
    if (row.machine == "model56sx" && row.card == "3c529") {
      CHECK(row.kb_per_s.at(32767) == Approx(685.5));
      CHECK(row.load == Approx(98.3));
      CHECK(row.plateau() == Approx((667.3 + 667.5 + 673.3 + 685.5) / 4));
      CHECK(row.fitted_sizes == std::set<std::uint32_t>{4096, 8192, 16384, 32767});
      CHECK(row.calibrated == "model56sx memory.dram.read_miss, memory.dram.write_miss");
      CHECK(row.informed == "model56sx memory.dram.banks");
    }
    if (row.machine == "model56sx" && row.card == "sknet") CHECK(row.prediction());
    if (row.machine == "model77") CHECK(row.informed_sizes.size() == 6);
  }
  CHECK(calibrated == std::set<std::string>{"model56sx 3c529", "model56sx de210", "model56sx de320",
                                            "model56sx etherexpress", "model56sx ne2", "model56sx smc8013"});
  CHECK(informed == std::set<std::string>{"model56sx 3c523-old", "model56sx ethernet-a", "model77 lan-a",
                                          "model95 3c529", "model95 de210", "model95 lan-a", "model95 sknet"});
}

TEST_CASE("what was chosen by print is the same in the values, the program and the README", "[published]") {
  const auto said = program::run_planar("published --chosen");
  CHECK(said.status == 0);
  CHECK(said.out == chosen_by_print_table());
  std::ifstream in(std::string(PLANAR_SOURCE_DIR) + "/README.md");
  const std::string readme{std::istreambuf_iterator<char>(in), {}};
  std::istringstream lines(said.out);
  std::string block;
  for (std::string line; std::getline(lines, line);) block += "    " + line + "\n";
  INFO("README.md must hold, word for word:\n" << block);
  CHECK(readme.find("\n\n" + block + "\n") != std::string::npos);
  // `planar show` has each of them with its mark.
  for (const ChosenValue& chosen : chosen_by_print()) {
    INFO(chosen.owner << " " << chosen.from.value);
    const auto shown = program::run_planar("show " + chosen.owner + " --json -").json();
    bool found = false;
    for (const auto& [part, key] : {std::pair{"timing", "name"}, std::pair{"provenance", "value"}})
      if (shown.contains(part))
        for (const auto& v : shown[part])
          found |= v[key] == chosen.from.value && v["confidence"] == chosen.from.confidence &&
                   v["published"].size() == chosen.from.published.size();
    CHECK(found);
    CHECK_THAT(program::run_planar("show " + chosen.owner).out, Catch::Contains(chosen.from.confidence));
  }
}

TEST_CASE("rows that a value was chosen with in view are scored apart from predictions", "[published]") {
  std::vector<PublishedRow> print{printed("a", 100, 10, ""), printed("b", 200, 20, "x"), printed("c", 400, 30, "")};
  print[1].informed = print[2].informed = "y";
  const std::vector<CellOutcome> ours{outcome("model95", "a", 110, 12), outcome("model95", "b", 190, 19),
                                      outcome("model95", "c", 420, 33)};
  const auto rows = score_rows(print, ours);
  CHECK(score(rows, "model95", Rows::all).rows == 3);
  CHECK(*score(rows, "model95", Rows::calibration).mape == Approx(5));  // b: fitted outweighs in view
  CHECK(*score(rows, "model95", Rows::informed).mape == Approx(5));     // c
  CHECK(score(rows, "model95", Rows::informed).rows == 1);
  CHECK(*score(rows, "model95", Rows::prediction).mape == Approx(10));  // a
}

TEST_CASE("the score is what one works out by hand", "[published]") {
  const std::vector<PublishedRow> print{printed("a", 100, 10, ""), printed("b", 200, 20, "x"),
                                        printed("c", 400, 30, ""), printed("d", 800, 40, "")};
  const std::vector<CellOutcome> ours{outcome("model95", "a", 110, 12), outcome("model95", "b", 190, 19),
                                      outcome("model95", "c", 400, 33)};
  const auto rows = score_rows(print, ours);
  CHECK(*rows[0].plateau_residual() == Approx(10));
  CHECK(*rows[1].load_residual() == Approx(-1));
  CHECK_FALSE(rows[3].run());
  const Score all = score(rows, "model95", Rows::all);
  CHECK(all.rows == 3);
  CHECK(*all.mape == Approx(5));  // 10, 5, 0
  CHECK(*all.rank == Approx(1));
  CHECK(*all.load_error == Approx(2));                       // 2, 1, 3
  CHECK(*all.median_mape == Approx((200 + 50 + 25) / 3.0));  // median of print is 300
  CHECK(*all.skill == Approx(1 - 5 / (275 / 3.0)));
  const Score predicted = score(rows, "model95", Rows::prediction);
  CHECK(predicted.rows == 2);
  CHECK(*predicted.mape == Approx(5));  // 10, 0
  CHECK_FALSE(predicted.rank);          // two rows rank always
  CHECK(score(rows, "model77", Rows::all).rows == 0);
}

TEST_CASE("a card with a hypothetical interface counts in no score but its own", "[published]") {
  const std::vector<PublishedRow> print{printed("ne2", 100, 10, ""), printed("lan-a", 200, 20, "x"),
                                        printed("sknet", 400, 30, ""), printed("oc2335", 3000, 99, "")};
  const std::vector<CellOutcome> ours{outcome("model95", "ne2", 110, 12), outcome("model95", "lan-a", 200, 19),
                                      outcome("model95", "sknet", 400, 33), outcome("model95", "oc2335", 3300, 100)};
  const auto rows = score_rows(print, ours);
  CHECK(rows[3].hypothetical);
  CHECK_FALSE(rows[0].hypothetical);
  const Score all = score(rows, "model95", Rows::all);
  CHECK(all.rows == 3);
  CHECK(*all.mape == Approx(10 / 3.0));
  CHECK(*all.median_mape == Approx((100 + 0 + 50) / 3.0));
  CHECK(score(rows, "model95", Rows::prediction).rows == 2);
  const Score apart = score(rows, "model95", Rows::apart);
  CHECK(apart.rows == 1);
  CHECK(*apart.mape == Approx(10));
  CHECK_FALSE(apart.skill);
}

TEST_CASE("a row that was not run says so and counts nowhere", "[published]") {
  const auto said = program::run_planar("published --machines model95 --cards ne2 --seconds 0.05 --quiet --json -");
  const auto report = said.json();
  REQUIRE(report["rows"].size() == 25);
  std::size_t run = 0;
  for (const auto& row : report["rows"]) run += !row.contains("not_run");
  CHECK(run == 1);
  CHECK(report["scores"][0]["all"]["rows"] == 1);
}
