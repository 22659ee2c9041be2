// SPDX-License-Identifier: GPL-2.0-or-later
// The published figures as data, and the score's arithmetic compared with results worked out by hand.
#include "frontend/published/score.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <sstream>

#include "frontend/matrix/spread.hpp"
#include "frontend/published/published_report.hpp"
#include "frontend/published/published_table.hpp"
#include "frontend/published/references.hpp"
#include "frontend/published/residual_record.hpp"
#include "machines/config/machine_files.hpp"
#include "tests/catch.hpp"
#include "tests/frontend/program.hpp"

using namespace planar;

namespace {

constexpr std::uint32_t netio_sizes[] = {1024, 2048, 4096, 8192, 16384, 32767};

/// An outcome with `kb_per_s` for all sizes, and the same load while sending as in total.
CellOutcome outcome(const std::string& machine, const std::string& card, double kb_per_s, double load) {
  nlohmann::ordered_json result{{"cpu_load_percent", load}, {"rows", nlohmann::ordered_json::array()}};
  for (const auto size : netio_sizes)
    result["rows"].push_back({{"packet_bytes", size}, {"kb_per_s", kb_per_s}, {"busy_percent", load}});
  return {{machine, card, {}}, result, 0, {}, false};
}

PublishedRow printed(const std::string& card, double kb_per_s, double load, const std::string& calibrated) {
  PublishedRow row;
  row.machine = row.group = "model95";
  row.card = row.title = card;
  row.load = load;
  row.calibrated = calibrated;
  row.average_sizes = {4096, 8192, 16384, 32767};
  for (const auto size : netio_sizes) row.figures[size] = kb_per_s;
  return row;
}

std::vector<PublishedRow> rows_of(const std::string& source) {
  auto rows = published_rows();
  std::erase_if(rows, [&](const PublishedRow& row) { return row.source != source; });
  return rows;
}

}  // namespace

TEST_CASE("every published row has its machine, card and use", "[published]") {
  const auto rows = rows_of("arnold-2002");
  CHECK(rows.size() == 31);
  std::set<std::string> calibrated, informed, released;
  for (const auto& row : rows) {
    CHECK(row.figures.size() == 6);
    if (!row.calibrated.empty())
      calibrated.insert(row.machine + " " + row.card);
    else if (!row.informed.empty())
      informed.insert(row.machine + " " + row.card);
    if (row.machine == "model56sx" && row.card == "3c529") {
      CHECK(row.figures.at(32767) == Approx(685.5));
      CHECK(row.load == Approx(98.3));
      CHECK(row.average() == Approx((667.3 + 667.5 + 673.3 + 685.5) / 4));
      CHECK(row.fitted_sizes == std::set<std::uint32_t>{4096, 8192, 16384, 32767});
      CHECK(row.calibrated == "model56sx memory.dram.read_miss, memory.dram.write_miss");
      CHECK(row.informed == "model56sx memory.dram.banks");
    }
    if (row.machine == "model56sx" && row.card == "sknet") CHECK(row.prediction());
    if (row.machine == "model77" && row.card == "lan-a") CHECK(row.informed_sizes.size() == 6);
    if (row.released) released.insert(row.machine + " " + row.card);
    if (row.released) CHECK(row.prediction());
  }
  CHECK(calibrated == std::set<std::string>{"model56sx 3c529", "model56sx de210", "model56sx de320",
                                            "model56sx etherexpress", "model56sx ne2", "model56sx smc8013"});
  CHECK(informed == std::set<std::string>{"model56sx 3c523-old", "model56sx ethernet-a", "model77 lan-a",
                                          "model95 3c529", "model95 de210", "model95 lan-a", "model95 sknet"});
  CHECK(released == std::set<std::string>{"model77 3c523", "model77 3c529", "model77 etherexpress",
                                          "model77 ethernet-a", "model77 ne2", "model77 sknet"});
}

TEST_CASE("the Token Ring tables: sections, drivers, duplex, the author's averages and load words", "[published]") {
  const auto rows = rows_of("gehl-tr-2016");
  REQUIRE(rows.size() == 28);
  std::map<std::string, std::size_t> sections;
  std::set<std::string> calibrated;
  std::size_t repeats = 0;
  for (const auto& row : rows) {
    INFO(row.title << " " << row.section << " " << row.variant());
    ++sections[row.section];
    repeats += row.repeats;
    CHECK(row.figures.size() == 6);
    CHECK(row.medium == MediumKind::token_ring);
    const bool immediate = row.machine == "lira" && row.card == "madge-mc" && row.driver == "2.04.30";
    CHECK(row.options == "driver=" + row.driver + (immediate ? ",burst-mode=immediate-release" : ""));
    CHECK_FALSE(row.load);
    CHECK_FALSE(row.rating.empty());
    if (!row.calibrated.empty()) calibrated.insert(row.machine + " " + row.card + " " + row.driver + " " + row.duplex);
    CHECK((row.group == "model9595" || (row.group == "att3325" && row.machine == "lira")));
    CHECK(is_built_in(row.machine));
  }
  CHECK(sections == std::map<std::string, std::size_t>{{"I", 2}, {"II", 2}, {"III", 6}, {"IV", 18}});
  CHECK(repeats == 2);  // THALER's best row is in II and IV; DIME has the same set-up in I and II
  CHECK(calibrated == std::set<std::string>{"dime autolanstreamer 4.54 full", "lira autolanstreamer 3.01 half",
                                            "thaler autolanstreamer 3.04 half", "thaler madge-mc 2.04.30 half",
                                            "thaler tr16-4a-1989 4.0 half", "thaler tr16-4a-1990 4.0 half",
                                            "thaler tr16-4a-1994 4.0 half"});
  const auto find = [&](const std::string& card, const std::string& driver, const std::string& duplex) {
    return *std::find_if(rows.begin(), rows.end(), [&](const PublishedRow& r) {
      return r.section == "IV" && r.card == card && r.driver == driver && r.duplex == duplex;
    });
  };
  // The averages given by the author.
  CHECK(find("tr16-4a-1989", "4.0", "half").average() == Approx(599.13).margin(0.01));
  CHECK(find("autolanstreamer", "5.23", "full").average() == Approx(1510.44).margin(0.01));
  CHECK(find("madge-mc32", "2.21", "half").average() == Approx(1803.90).margin(0.01));
  const auto row = find("lanstreamer", "3.04", "half");
  CHECK(row.arguments == std::vector<std::string>{"--generation", "3", "--os", "nt4", "--duplex", "half"});
  CHECK(row.rating == "low");
  CHECK(row.rating_of(0) == "low");
  CHECK(row.rating_of(100) == "cruel");
  CHECK(row.title == "THALER, IBM LANStreamer MC 32, IBM 3.04");
}

TEST_CASE("the netperf table: every row has machine, card, command and the reason if it cannot run", "[published]") {
  const auto rows = rows_of("siegert-2000");
  std::ifstream in(std::string(PLANAR_SOURCE_DIR) + "/frontend/published/netperf-siegert-2000.csv");
  std::multiset<double> printed;
  std::string line;
  std::getline(in, line);
  for (; std::getline(in, line);
       line.erase(line.rfind(',')), printed.insert(std::stod(line.substr(line.rfind(',') + 1))))
    REQUIRE(line.ends_with(",Mbit/s"));
  std::multiset<double> held;
  std::set<std::string> names, can_run;
  for (const auto& row : rows) {
    INFO(row.name());
    REQUIRE(row.single());
    held.insert(row.average());
    CHECK(names.insert(row.name()).second);
    CHECK(row.unit() == "Mbit/s");
    CHECK(row.medium == MediumKind::ethernet_100);
    CHECK(row.options.empty());
    CHECK(row.seconds == "60");
    CHECK(row.benchmark == (row.test == "udp_stream" ? "netperf-udp" : "netperf"));
    CHECK(row.sizes() == (row.test == "udp_stream" ? "8192" : "65535"));
    CHECK(row.missing.empty() == is_built_in(row.machine));
    if (row.missing.empty()) can_run.insert(row.name());
    if (row.machine == "pc-p3-600") CHECK_THAT(row.missing, Catch::Equals("") || Catch::Equals("machine 'pc-p3-600'"));
    CHECK(row.at_limit() ==
          (row.name() != "pc-p166 3c905b: tcp_stream received" && row.name() != "pc-p166 eepro100: tcp_stream sent" &&
           row.name() != "pc-p3-600 rtl8139: udp_stream"));
  }
  CHECK(held == printed);
  CHECK(names == std::set<std::string>{"pc-p3-600 rtl8139: udp_stream", "pc-p3-600 lne100tx: tcp_stream",
                                       "pc-p3-600 lne100tx: udp_stream", "pc-p3-600 3c905b: tcp_stream",
                                       "pc-p3-600 3c905b: udp_stream", "pc-p3-600 eepro100: tcp_stream",
                                       "pc-p3-600 eepro100: udp_stream", "pc-p3-600 3c905b: tcp_stream bonded",
                                       "pc-p166 3c905b: tcp_stream received", "pc-p166 eepro100: tcp_stream sent",
                                       "pc-p166 3c905b: udp_stream sent", "pc-p166 eepro100: udp_stream sent"});
  for (const auto* name : {"pc-p166 3c905b: tcp_stream received", "pc-p166 eepro100: tcp_stream sent",
                           "pc-p166 3c905b: udp_stream sent", "pc-p166 eepro100: udp_stream sent"})
    CHECK(can_run.contains(name));
  using Words = std::vector<std::string>;
  const auto find = [&](const std::string& name) {
    return *std::find_if(rows.begin(), rows.end(), [&](const PublishedRow& r) { return r.name() == name; });
  };
  const auto received = find("pc-p166 3c905b: tcp_stream received");
  CHECK(received.arguments == Words{"--receive", "-i", "10,2", "-I", "99,5", "--set", "peer.turnaround=30 us"});
  REQUIRE(received.assumed.size() == 1);
  CHECK(received.assumed[0].confidence == "inferred");
  CHECK_FALSE(received.assumed[0].source.empty());
  CHECK(received.calibrated == "pc-p166 memory.dram.burst_step, l2.write_hit");
  CHECK(find("pc-p166 eepro100: tcp_stream sent").prediction());
  CHECK(find("pc-p166 eepro100: udp_stream sent").arguments ==
        Words{"-i", "10,2", "-I", "99,5", "-s", "32768", "-S", "32768", "--set", "peer.turnaround=30 us"});
  const auto fitted = find("pc-p3-600 rtl8139: udp_stream");
  CHECK(fitted.average() == Approx(87.93));
  CHECK(fitted.calibrated == "rtl8139 tx.next_frame_fetch_after");
  CHECK(fitted.arguments ==
        Words{"--against", "pc-p3-600:rtl8139", "-i", "10,2", "-I", "99,5", "-s", "32768", "-S", "32768"});
  CHECK(find("pc-p3-600 3c905b: tcp_stream bonded").arguments ==
        Words{"--bond", "3", "--against", "pc-p3-600:3c905b", "-i", "10,2", "-I", "99,5"});
}

TEST_CASE("the small-packet table: three rates with the benchmark for each", "[published]") {
  const auto rows = rows_of("morris-2000");
  REQUIRE(rows.size() == 3);
  for (const auto& row : rows) {
    INFO(row.name());
    CHECK(row.single());
    CHECK(row.medium == MediumKind::ethernet_1000);
    CHECK(row.unit() == "frames/s");
    CHECK(row.arguments.empty());
    CHECK(row.missing.empty() == is_built_in("pc-p3-800"));
  }
  CHECK(rows[0].name() == "pc-p3-800 pro1000-82542: sent");
  CHECK(rows[0].average() == Approx(523'000));
  CHECK(rows[0].benchmark == "flood-send-delayed");
  CHECK(rows[1].name() == "pc-p3-800 pro1000-82543: sent");
  CHECK(rows[1].average() == Approx(840'000));
  CHECK(rows[2].name() == "pc-p3-800 pro1000-82542: received");
  CHECK(rows[2].benchmark == "flood-driver-poll");
  CHECK(rows[2].sizes() == "1488000");
}

TEST_CASE("a row with one figure is one line, with the reason if it cannot run", "[published]") {
  const auto print = rows_of("siegert-2000");
  const auto row = std::find_if(print.begin(), print.end(), [](const PublishedRow& r) {
    return r.name() == "pc-p166 3c905b: tcp_stream received";
  });
  REQUIRE(row != print.end());
  CellOutcome ours{{row->machine, row->card, {}}, {}, 0, {}, false};
  ours.cell.variant = row->variant();
  ours.result =
      nlohmann::ordered_json{{"cpu_load_percent", 50.0}, {"rows", {{{"packet_bytes", 65535}, {"mbit_per_s", 80.389}}}}};
  const std::vector<CellOutcome> outcomes{ours};
  const auto rows = score_rows(print, outcomes);
  const auto text = published_text(rows, {"pc-p166"});
  CHECK_THAT(text, Catch::Contains("Mbit/s; * calibrated, ~ informed") && Catch::Contains("\nsiegert-2000\n"));
  const auto line_with = [&](const std::string& what) {
    const auto at = text.find(what);
    REQUIRE(at != std::string::npos);
    return text.substr(at, text.find('\n', at) - at);
  };
  CHECK_THAT(line_with("Pentium/166, 3C905B, tcp_stream, from 2 x PII/400 (SMP)"),
             Catch::Contains(" 84.62* ") && Catch::Contains(" 80.39 ") && Catch::Contains(" -5.0 ") &&
                 Catch::EndsWith("calibrated: pc-p166 memory.dram.burst_step, l2.write_hit"));
  CHECK_THAT(text, Catch::Contains("2 x PII/400 (SMP): peer.turnaround=30 us (inferred)"));
  CHECK(make_record(rows, {"2", ""})["rows"]["pc-p166 3c905b: tcp_stream received"].size() == 2);  // only the average
  const auto json = published_json(rows, {"pc-p166"});
  for (const auto& j : json["rows"]) {
    CHECK(j["unit"] == "Mbit/s");
    if (j["name"] != row->name()) continue;
    CHECK(j["benchmark"] == "netperf");
    CHECK(j["direction"] == "received");
    CHECK(j["cells"][0] == nlohmann::ordered_json{{"packet_bytes", 65535},
                                                  {"published", 84.62},
                                                  {"planar", 80.39},
                                                  {"residual_percent", -5.0},
                                                  {"fitted", true},
                                                  {"in_view", false}});
  }
  if (is_built_in("pc-p3-600")) return;
  CHECK_THAT(line_with("2 x PIII/600, RTL8139, udp_stream"),
             Catch::Contains(" 87.93*") && Catch::Contains("cannot run here: planar has no machine 'pc-p3-600'") &&
                 Catch::Contains("calibrated: rtl8139 tx.next_frame_fetch_after"));
}

TEST_CASE("at most a third of the Token Ring rows is used for fitting", "[published]") {
  const PublishedTable table(published_tables[1]);
  std::size_t kept = 0, all = 0;
  for (const auto& row : table.rows) {
    if (row.repeats) continue;
    ++all;
    const auto may = [&](const std::string& section) {
      const PublishedUse use{row.machine, row.card + ": " + row.driver + " " + row.duplex + section, {}, false, {}};
      CHECK(names_row(use, row));
      return table.may_be_fitted(use);
    };
    kept += may("") || may(" " + row.section);
  }
  CHECK(all == 26);
  CHECK(kept == 7);
  CHECK(3 * kept <= all);
}

TEST_CASE("a verbal load is scored as the same word or a different one", "[published]") {
  auto slow = printed("ne2", 600, 0, ""), fast = printed("lan-a", 1800, 0, "");
  for (PublishedRow* row : {&slow, &fast}) {
    row->load.reset();
    row->ratings = {{0, "low"}, {50, "middle"}, {90, "cruel"}};
    row->rating = "low";
  }
  auto again = fast;
  again.repeats = true;
  const std::vector<PublishedRow> print{slow, fast, again};
  const std::vector<CellOutcome> ours{outcome("model95", "ne2", 600, 20), outcome("model95", "lan-a", 1800, 60)};
  const auto rows = score_rows(print, ours);
  CHECK(rows[0].rating() == "low");
  CHECK(rows[1].rating() == "middle");
  std::vector<CellOutcome> uneven{
      outcome("model95", "ne2", 600, 20)};  // by the mean of the sizes, not by the whole run
  auto& sizes = uneven[0].result->at("rows");
  sizes.at(4)["busy_percent"] = 100;
  sizes.at(5)["busy_percent"] = 99;
  uneven[0].result->at("cpu_load_percent") = 95;
  CHECK(score_rows(print, uneven)[0].sending_load() == Approx((2 * 20 + 100 + 99) / 4.0));
  CHECK(score_rows(print, uneven)[0].rating() == "middle");
  CHECK_THAT(published_text(score_rows(print, uneven), {"model95"}),
             Catch::Contains("    20.0      20.0      20.0      20.0     100.0      99.0     59.8\n"));
  sizes.at(5).erase("busy_percent");
  CHECK(score_rows(print, uneven)[0].rating().empty());
  CHECK(rows[2].run());  // it has the same outcome
  const Score all = score(rows, "model95", Rows::all);
  CHECK(all.rows == 2);
  CHECK(all.rated == 2);
  CHECK(all.rated_alike == 1);
  CHECK_FALSE(all.load_error);
}

TEST_CASE("the output says which sizes averages are over, and why a row has none", "[published]") {
  std::vector<CellOutcome> ours{outcome("model95", "ne2", 600, 20)};
  ours[0].result->at("rows").erase(5);
  CHECK_THAT(published_text(score_rows({printed("ne2", 600, 20, "")}, ours), {"model95"}),
             Catch::Contains(" are over 4K, 8K, 16K, 32K; a row that is run without one of these sizes (--sizes)"));
}

TEST_CASE("a row for an unsupported card is only in JSON, marked not available, and not scored", "[published]") {
  const std::vector<PublishedRow> print{printed("no-such-card", 600, 20, ""), printed("ne2", 600, 20, "")};
  const std::vector<CellOutcome> ours{outcome("model95", "ne2", 600, 20)};
  const auto rows = score_rows(print, ours);
  CHECK_FALSE(rows[0].available);
  CHECK(rows[1].available);
  CHECK(score(rows, "model95", Rows::all).rows == 1);
  CHECK_THAT(published_text(rows, {"model95"}), !Catch::Contains("no-such-card"));
  CHECK(published_json(rows, {"model95"})["rows"][0]["not_run"] == "not available");
}

TEST_CASE("values chosen by published figures are the same in values, program and docs/published.md", "[published]") {
  const auto said = program::run_planar("published --chosen");
  CHECK(said.status == 0);
  CHECK(said.out == chosen_by_print_table());
  std::ifstream in(std::string(PLANAR_SOURCE_DIR) + "/docs/published.md");
  const std::string page{std::istreambuf_iterator<char>(in), {}};
  std::istringstream lines(said.out);
  std::string block;
  for (std::string line; std::getline(lines, line);) block += "    " + line + "\n";
  INFO("docs/published.md must hold, word for word:\n" << block);
  CHECK(page.find("\n\n" + block + "\n") != std::string::npos);
  // `planar show` shows each of them with its mark.
  for (const ChosenValue& chosen : chosen_by_print()) {
    INFO(chosen.owner << " " << chosen.from.value);
    const auto shown = program::run_planar("show " + chosen.owner + " --json -").json();
    bool found = false;
    for (const auto& [part, key] :
         {std::pair{"timing", "name"}, std::pair{"provenance", "value"}, std::pair{"values", "name"}})
      if (shown.contains(part))
        for (const auto& v : shown[part])
          found |= v[key] == chosen.from.value && v["confidence"] == chosen.from.confidence &&
                   v["published"].size() == chosen.from.published.size();
    CHECK(found);
    CHECK_THAT(program::run_planar("show " + chosen.owner).out, Catch::Contains(chosen.from.confidence));
  }
}

TEST_CASE("rows that informed a value are scored separately from predictions", "[published]") {
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

TEST_CASE("the score equals the values worked out by hand", "[published]") {
  const std::vector<PublishedRow> print{printed("a", 100, 10, ""), printed("b", 200, 20, "x"),
                                        printed("c", 400, 30, ""), printed("d", 800, 40, "")};
  const std::vector<CellOutcome> ours{outcome("model95", "a", 110, 12), outcome("model95", "b", 190, 19),
                                      outcome("model95", "c", 400, 33)};
  const auto rows = score_rows(print, ours);
  CHECK(*rows[0].average_residual() == Approx(10));
  CHECK(*rows[1].load_residual() == Approx(-1));
  CHECK_FALSE(rows[3].run());
  const Score all = score(rows, "model95", Rows::all);
  CHECK(all.rows == 3);
  CHECK(*all.mape == Approx(5));  // 10, 5, 0
  CHECK(*all.rank == Approx(1));
  CHECK(*all.load_error == Approx(2));                       // 2, 1, 3
  CHECK(*all.median_mape == Approx((200 + 50 + 25) / 3.0));  // median of the published figures is 300
  CHECK(*all.skill == Approx(1 - 5 / (275 / 3.0)));
  const Score predicted = score(rows, "model95", Rows::prediction);
  CHECK(predicted.rows == 2);
  CHECK(*predicted.mape == Approx(5));  // 10, 0
  CHECK_FALSE(predicted.rank);          // a rank of two rows means nothing
  CHECK(score(rows, "model77", Rows::all).rows == 0);
}

TEST_CASE("if a run ended early, figures are scored and loads are not", "[published]") {
  const std::vector<PublishedRow> print{printed("a", 100, 10, ""), printed("b", 200, 20, "")};
  std::vector<CellOutcome> ours{outcome("model95", "a", 110, 30), outcome("model95", "b", 190, 19)};
  for (CellOutcome& o : ours)
    (*o.result)["converged"] = {
        {"percent", 1}, {"of_seconds", 10}, {"rows", {{{"packet_bytes", 1024}, {"seconds", 10}}}}};
  CHECK(*score(score_rows(print, ours), "model95", Rows::all).load_error == Approx(10.5));
  (*ours[0].result)["converged"]["rows"][0]["seconds"] = 1;
  const auto rows = score_rows(print, ours);
  CHECK_FALSE(rows[0].load_residual());
  CHECK(rows[1].load_residual());
  const Score all = score(rows, "model95", Rows::all);
  CHECK(all.rows == 2);
  CHECK(*all.mape == Approx(7.5));
  CHECK_FALSE(all.load_error);
}

TEST_CASE("a card with a hypothetical interface is scored only separately", "[published]") {
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

TEST_CASE("rows that are means over placements are scored as means, with the placements' interval", "[published]") {
  // Three placements of one card: 90, 100 and 110; 100 is published. The mean is right; single placements are not.
  const std::vector<PublishedRow> print{printed("ne2", 100, 50, "")};
  std::vector<nlohmann::ordered_json> runs;
  for (const double value : {90, 100, 110}) {
    auto result = *outcome("model95", "ne2", value, value / 2).result;
    result["seed"] = 1;
    result["placement"] = runs.size();
    result["host"] = {{"seconds", 0}};
    runs.push_back(result);
  }
  const std::vector<CellOutcome> ours{{{"model95", "ne2", {}}, combine_runs(runs), 0, {}, false}};
  const auto rows = score_rows(print, ours);
  CHECK(*rows[0].average() == Approx(100));
  CHECK(*rows[0].average_ci95() == Approx(4.303 * 10 / std::sqrt(3.0)));
  const Score s = score(rows, "model95", Rows::all);
  CHECK(*s.mape == Approx(0).margin(1e-9));
  CHECK(*s.mape_ci95 == Approx(4.303 * std::sqrt(100 / 3.0) / std::sqrt(3.0)));  // of 10, 0 and 10 %
  CHECK(*s.load_error == Approx(0).margin(1e-9));
  CHECK(*s.load_error_ci95 == Approx(4.303 * std::sqrt(25 / 3.0) / std::sqrt(3.0)));
  CHECK_FALSE(score(score_rows(print, {outcome("model95", "ne2", 90, 50)}), "model95", Rows::all).mape_ci95);
}

TEST_CASE("planar published runs each row in the selected placements", "[published]") {
  const std::string command = "published --machines model95 --cards ne2 --seconds 0.05 --quiet --json - ";
  const auto several = program::run_planar(command + "--placements 2").json();
  const auto one = program::run_planar(command + "--placement 1").json();
  const auto row = [](const nlohmann::ordered_json& report) {
    for (const auto& r : report["rows"])
      if (!r.contains("not_run")) return r;
    return nlohmann::ordered_json();
  };
  CHECK(row(several)["placements"] == nlohmann::ordered_json::array({0, 1}));
  CHECK(row(several).contains("average_ci95"));
  CHECK(several["scores"][0]["all"].contains("plateau_mape_ci95"));
  CHECK_FALSE(row(one).contains("placements"));
}

TEST_CASE("a selection without a published row is refused", "[published]") {
  for (const std::string more : {"", " --sensitivity", " --check", " --json -"}) {
    const auto said = program::run_planar("published --machines model95 --cards 3c905b --quiet" + more);
    INFO(more << said.err);
    CHECK(said.status == 2);
    CHECK(said.out.empty());
    CHECK_THAT(said.err, Catch::Contains("no published row is of these machines and cards") && Catch::Contains("ne2"));
  }
}

TEST_CASE("a row that was not run is only in JSON, marked, and not scored", "[published]") {
  const auto said =
      program::run_planar("published --machines model95 --cards ne2 --seconds 0.05 --placements 1 --quiet --json -");
  const auto report = said.json();
  REQUIRE(report["rows"].size() == 74);
  std::size_t run = 0;
  for (const auto& row : report["rows"]) run += !row.contains("not_run");
  CHECK(run == 1);
  CHECK(report["scores"][0]["all"]["rows"] == 1);
  const auto rows =
      program::run_planar("published --machines model95 --cards ne2 --seconds 0.05 --placements 1 --quiet");
  CHECK_THAT(rows.out, Catch::Contains("NE/2") && !Catch::Contains("3C527") && !Catch::Contains("not run"));
}

TEST_CASE("rows at the medium's limit are scored separately", "[published]") {
  std::vector<PublishedRow> print{printed("a", 1110, 10, "x"), printed("b", 1061, 20, ""), printed("c", 1000, 30, "x"),
                                  printed("d", 500, 30, "")};
  for (PublishedRow& row : print) row.limit = 1116.6;
  CHECK(print[0].at_limit());
  CHECK(print[1].at_limit());  // 95.02 %
  CHECK_FALSE(print[2].at_limit());
  const std::vector<CellOutcome> ours{outcome("model95", "a", 1110, 12), outcome("model95", "b", 1061, 19),
                                      outcome("model95", "c", 1100, 33), outcome("model95", "d", 525, 33)};
  const auto rows = score_rows(print, ours);
  CHECK(score(rows, "model95", Rows::off_limit).rows == 2);
  CHECK(*score(rows, "model95", Rows::off_limit).mape == Approx(7.5));  // 10, 5
  CHECK(score(rows, "model95", Rows::off_limit_unfitted).rows == 1);
  CHECK(*score(rows, "model95", Rows::off_limit_unfitted).mape == Approx(5));
  CHECK(*score(rows, "model95", Rows::all).mape == Approx(3.75));
}

TEST_CASE("the tables' rows at the medium's limit are the expected ones", "[published]") {
  std::set<std::string> names;
  for (const PublishedRow& row : published_rows())
    if (row.group == "model9595" && !row.repeats && row.at_limit()) names.insert(row.name());
  CHECK(names == std::set<std::string>{"thaler autolanstreamer: 3.01 full I", "thaler autolanstreamer: 3.01 full II",
                                       "thaler autolanstreamer: 3.01 half IV", "thaler lanstreamer: 3.01 half IV",
                                       "thaler madge-mc32: 2.04.30 half IV", "thaler madge-mc32: 2.21 half IV"});
}

TEST_CASE("predictions from published figures alone are shown beside planar's error", "[published]") {
  std::vector<PublishedRow> print{printed("a", 100, 10, ""), printed("b", 200, 20, ""), printed("c", 400, 30, "")};
  for (const auto& [card, value] : {std::pair{"a", 60.0}, std::pair{"b", 100.0}, std::pair{"c", 200.0}}) {
    print.push_back(printed(card, value, 0, ""));
    print.back().machine = print.back().group = "model77";
  }
  const std::vector<CellOutcome> ours{outcome("model95", "a", 110, 12), outcome("model95", "b", 200, 19),
                                      outcome("model95", "c", 400, 33)};
  const auto list = references(score_rows(print, ours), "model95");
  REQUIRE(list.size() == 2);
  CHECK(list[0].predictor == "the median of its rows");
  CHECK(list[0].mape == Approx((100 + 0 + 50) / 3.0));
  CHECK(list[0].planars_mape == Approx(10 / 3.0));
  CHECK(list[1].predictor == "model77 x 2.000");  // 2 fits two of three, and misses the first by 20 %
  CHECK(list[1].rows == 3);
  CHECK(list[1].mape == Approx(20 / 3.0));
  CHECK(references(score_rows(print, {}), "model95").empty());
}

TEST_CASE("a figure outside its recorded band is named with its row", "[published]") {
  const std::vector<PublishedRow> print{printed("ne2", 100, 50, ""), printed("lan-a", 100, 50, "")};
  const auto outside = [&](const std::string& card, double value, const nlohmann::ordered_json& record) {
    const std::vector<CellOutcome> one{outcome("model95", card, value, 50)};
    return outside_bands(score_rows(print, one), record);
  };
  std::vector<nlohmann::ordered_json> runs;
  for (const double value : {102, 104}) {
    auto result = *outcome("model95", "ne2", value, 50).result;
    result["seed"] = 1;
    result["placement"] = runs.size();
    result["host"] = {{"seconds", 0}};
    runs.push_back(result);
  }
  const std::vector<CellOutcome> ours{{{"model95", "ne2", {}}, combine_runs(runs), 0, {}, false}};
  const auto record = make_record(score_rows(print, ours), {"", "1"});
  CHECK(record["rows"].size() == 1);
  CHECK(record["rows"]["model95 ne2"]["average"] == nlohmann::ordered_json::array({3.0, 2.0, 4.0}));
  CHECK(record["rows"]["model95 ne2"]["placements"] == 2);
  CHECK(outside("ne2", 103, record).empty());
  CHECK(outside("ne2", 104.9, record).empty());  // within the margin
  const auto red = outside("ne2", 106, record);
  REQUIRE(red.size() == 7);  // the average and each size
  CHECK_THAT(red.front(), Catch::Contains("model95 ne2: average is +6.0 %") && Catch::Contains("+2.0 to +4.0 %"));
  CHECK(outside("ne2", 100.5, record).size() == 7);
  // A row without a record is red, too; one that was not run is not.
  const auto other = outside("lan-a", 100, record);
  REQUIRE(other.size() == 1);
  CHECK_THAT(other.front(), Catch::Contains("model95 lan-a: no residual is recorded"));
  const std::vector<CellOutcome> second{outcome("model95", "lan-a", 99, 50)};
  const auto merged = merge_record(record, make_record(score_rows(print, second), {"", "1"}));
  CHECK(merged["rows"].size() == 2);
}

TEST_CASE("a record is added to those in the file if its conditions are the same", "[published]") {
  const program::Scratch scratch;
  const RecordConditions two{"2", ""}, five{"5", ""};
  CHECK(record_before(scratch.file("new.json"), two) == embedded_record());
  CHECK(record_before(scratch.file("new.json"), five).empty());
  const auto held = scratch.write("held.json", R"({"schema": "planar.residuals/1", "seconds": "2", "converge": "",
    "rows": {"model95 ne2": {"placements": 1, "average": [1.0, 1.0, 1.0]}}})");
  CHECK(record_before(held, two)["rows"].size() == 1);
  CHECK_THROWS_WITH(record_before(held, five), Catch::Contains("held.json: contains residuals of --seconds 2"));
  for (const char* text :
       {"", "[1]", "{}", R"({"schema": "planar.residuals/1", "seconds": 2, "converge": "", "rows": {}})",
        R"({"schema": "planar.residuals/1", "seconds": "2", "converge": "", "rows": []})"}) {
    INFO(text);
    CHECK_THROWS_WITH(record_before(scratch.write("other.json", text), two), Catch::Contains("name another file"));
  }
}

TEST_CASE("every row of the tables has a recorded residual for several placements", "[published]") {
  for (const PublishedRow& row : published_rows()) {
    if (row.repeats || !row.missing.empty()) continue;
    INFO(row.name());
    REQUIRE(embedded_record()["rows"].contains(row.name()));
    CHECK(embedded_record()["rows"][row.name()]["placements"] >= 2);
  }
}

TEST_CASE("planar published --check compares with the record and fails, naming the row", "[published]") {
  const std::string one = "published --check --placements 1 --quiet --machines model56sx --cards ne2";
  const auto green = program::run_planar(one);
  INFO(green.out);
  CHECK(green.status == 0);
  CHECK_THAT(green.out, Catch::Contains("within its recorded band"));
  const auto red = program::run_planar(one + " --set ne2.chip.remote_handshake=40");
  CHECK(red.status == 1);
  CHECK_THAT(red.out, Catch::Contains("outside its band: model56sx ne2: 4K is"));
  const auto other = program::run_planar(one + " --seconds 1");
  CHECK(other.status == 2);
  CHECK_THAT(other.err, Catch::Contains("--seconds 2"));
}
