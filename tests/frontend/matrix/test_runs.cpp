// SPDX-License-Identifier: GPL-2.0-or-later
// Several runs with different seeds and placements as one result, and comparisons executed by other processes.
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>

#include "frontend/matrix/spread.hpp"
#include "frontend/output/output.hpp"
#include "tests/catch.hpp"
#include "tests/frontend/program.hpp"

using Catch::Matchers::Contains;
using program::read_file;
using program::run_planar;
using program::Scratch;

namespace {
const std::string brief_runs = " --seconds 0.05 --sizes 2048,8192 --quiet";
}

TEST_CASE("the spread of a sample equals the textbook's", "[runs]") {
  const auto s = planar::spread_of({2, 4, 4, 4, 5, 5, 7, 9});
  CHECK(s.mean == Approx(5));
  CHECK(s.stddev == Approx(std::sqrt(32.0 / 7)));
  CHECK(s.ci95 == Approx(2.365 * std::sqrt(32.0 / 7) / std::sqrt(8.0)));
  CHECK(s.least == 2);
  CHECK(s.most == 9);
  CHECK(planar::spread_of({1, 3}).ci95 == Approx(12.706));
  CHECK(planar::spread_of(std::vector<double>(50, 7.0)).ci95 == 0);
}

TEST_CASE("netio over several seeds and placements gives the mean of the single runs", "[runs]") {
  const std::string netio = "netio --machine model95 --card sknet --json -" + brief_runs;
  const auto said = run_planar(netio + " --runs 3 --seed 5");
  INFO(said.err);
  REQUIRE(said.status == 0);
  const auto j = said.json();
  CHECK(j["schema"] == "planar.runs/1");
  CHECK(j["runs"] == 3);
  CHECK(j["seeds"] == nlohmann::ordered_json::array({5, 6, 7}));
  CHECK(j["placements"] == nlohmann::ordered_json::array({0, 1, 2}));
  REQUIRE(j["results"].size() == 3);
  double sum = 0;
  for (unsigned n = 0; n < 3; ++n) {
    const auto single =
        run_planar(netio + " --seed " + std::to_string(5 + n) + " --placement " + std::to_string(n)).json();
    CHECK(single["placement"] == n);
    CHECK(j["results"][n]["state_hash"] == single["state_hash"]);
    sum += single["rows"][1]["kb_per_s"].get<double>();
  }
  CHECK(j["rows"][1]["kb_per_s"].get<double>() == Approx(sum / 3).margin(0.001));
  CHECK(j["spread"].contains("/instructions"));
  CHECK(j["spread"]["/instructions"]["max"].get<double>() >= j["instructions"].get<double>());
  CHECK(j["host"]["seconds"].get<double>() > 0);
  const auto again = run_planar(netio + " --runs 3 --seed 5").json();
  auto a = j, b = again;
  a.erase("host");
  b.erase("host");
  CHECK(a.dump() == b.dump());
  CHECK_THAT(run_planar("netio --machine model56sx --card ne2 --runs 2" + brief_runs).out,
             Contains("2 runs, seeds 1 to 2, placements 0 to 1") && Contains("± (95 %)"));
  const auto refused = run_planar(netio + " --runs 2 --capture /dev/null");
  CHECK(refused.status == 2);
  CHECK_THAT(refused.err, Contains("--capture"));
}

TEST_CASE("several runs of netio in both directions show both", "[runs]") {
  const auto out =
      run_planar("netio --machine model95 --card ne2 --generation 2 --runs 2 --seconds 0.05 --sizes 2048 --quiet").out;
  INFO(out);
  CHECK_THAT(out, Contains("  2K") && Contains("\n 2K received  "));
}

TEST_CASE("runs with an explicit placement differ only in their seeds", "[runs]") {
  const auto j = run_planar("netio --machine model56sx --card ne2 --json - --runs 2 --placement 5" + brief_runs).json();
  CHECK(j["placements"] == nlohmann::ordered_json::array({5, 5}));
  CHECK(j["seeds"] == nlohmann::ordered_json::array({1, 2}));
}

TEST_CASE("compare over several seeds has means in its tables and confidence intervals in every form", "[runs]") {
  const Scratch scratch;
  const auto folder = scratch.file("out");
  const auto said =
      run_planar("compare --machines model56sx --cards ne2,3c523-old --runs 2 --report " + folder + brief_runs);
  INFO(said.err);
  REQUIRE(said.status == 0);
  CHECK_THAT(said.out, Contains("2 runs each, seeds 1 to 2, placements 0 to 1") && Contains("+-"));
  CHECK_THAT(read_file(folder + "/compare.csv"), Contains("throughput_ci95"));
  CHECK_THAT(read_file(folder + "/compare.md"), Contains("## Spread"));
  CHECK_THAT(read_file(folder + "/compare.html"), Contains("<h2>Spread</h2>"));
  const auto list = nlohmann::json::parse(read_file(folder + "/compare.json"));
  REQUIRE(list.size() == 2);
  CHECK(list[0]["runs"] == 2);
  for (const char* file : {"model56sx-ne2.json", "model56sx-ne2-seed2-placement1.json"})
    CHECK(std::filesystem::exists(folder + "/runs/" + file));
}

TEST_CASE("a plan's lines can run anywhere, once each, and merge into the same report as one command", "[runs]") {
  const Scratch scratch;
  const auto folder = scratch.file("sweep");
  const std::string cells = "compare --machines model56sx,model95 --cards ne2,3c523-old --runs 2" + brief_runs;
  const auto plan = run_planar(cells + " --report " + folder + " --plan");
  INFO(plan.err);
  REQUIRE(plan.status == 0);
  CHECK(nlohmann::json::parse(read_file(folder + "/plan.json"))["cells"].size() == 8);
  const std::string called = planar::shell_quoted(PLANAR_BINARY) + " compare ";  // can be pasted
  std::istringstream lines(plan.out);
  std::vector<std::string> commands;
  std::set<std::string> files;
  double last = 1e18;
  for (std::string line; std::getline(lines, line);) {
    const auto first = line.find('\t'), second = line.find('\t', first + 1);
    REQUIRE(second != std::string::npos);
    const double cost = std::stod(line.substr(0, first));
    CHECK(cost <= last);  // the longest ones first
    last = cost;
    files.insert(line.substr(first + 1, second - first - 1));
    commands.push_back(line.substr(second + 1));
    CHECK(commands.back().starts_with(called));
  }
  CHECK(commands.size() == 8);
  CHECK(files.size() == 8);
  const auto report = scratch.file("new") + "/report";  // a folder that does not exist yet
  const auto early = run_planar("compare --merge " + folder + " --report " + report);
  CHECK(early.status == 1);
  CHECK_THAT(early.out, Contains(": not run") && !Contains("interrupted") && !Contains("per data frame"));
  CHECK(std::filesystem::exists(report + "/compare.html"));
  CHECK_THAT(early.err, Contains("8 of 8 runs are not finished"));
  for (const auto& command : commands) CHECK(run_planar(command.substr(called.size() - 8)).status == 0);
  for (const auto& file : files) CHECK(std::filesystem::exists(file));
  // A finished cell is not run again.
  const auto stamp = std::filesystem::last_write_time(*files.begin());
  for (const auto& command : commands) CHECK(run_planar(command.substr(called.size() - 8)).status == 0);
  CHECK(std::filesystem::last_write_time(*files.begin()) == stamp);

  const auto merged = run_planar("compare --json - --merge " + folder);
  INFO(merged.err);
  REQUIRE(merged.status == 0);
  const auto one = run_planar(cells + " --json -");
  REQUIRE(one.status == 0);
  auto a = merged.json(), b = one.json();
  CHECK(a.size() == 4);
  for (auto* list : {&a, &b})
    for (auto& entry : *list) entry.erase("host");
  CHECK(a.dump() == b.dump());
  CHECK(std::filesystem::exists(folder + "/compare.html"));
  std::filesystem::remove(*files.begin());
  CHECK_THAT(run_planar("compare --merge " + folder).err, Contains("1 of 8 runs are not finished"));
  CHECK(run_planar("compare --merge " + scratch.file("nowhere")).status == 3);
  CHECK(run_planar("compare --plan").status == 2);
}

TEST_CASE("a report that cannot be written is refused before the runs, and costs no table after them", "[runs]") {
  const Scratch scratch;
  const std::string cells = "compare --machines model56sx --cards ne2" + brief_runs;
  const auto file = scratch.write("file", "");
  const auto refused = run_planar(cells + " --results " + scratch.file("runs") + " --report " + file + "/report");
  CHECK(refused.status == 3);
  CHECK(refused.out.empty());
  CHECK_FALSE(std::filesystem::exists(scratch.file("runs")));
  const auto report = scratch.file("report");
  std::filesystem::create_directories(report + "/compare.csv");  // a folder in the file's place
  const auto late = run_planar(cells + " --report " + report);
  CHECK(late.status == 3);
  CHECK_THAT(late.out, Contains("NE/2"));
  CHECK_THAT(late.err, Contains("compare.csv"));
}

TEST_CASE("arguments in a plan's command reach the program unchanged", "[runs]") {
  for (const std::string word : {"plain-1.5:x,y", "two words", "it's", "$HOME `x` \\", ""}) {
    const Scratch scratch;
    const auto out = scratch.file("out");
    REQUIRE(std::system(("printf %s " + planar::shell_quoted(word) + " >" + out).c_str()) == 0);
    CHECK(read_file(out) == word);
  }
}

TEST_CASE("two machine files have two runs, however their paths are written") {
  const Scratch scratch;
  std::filesystem::create_directories(scratch.file("x"));
  const std::string text = "machine = \"model95\"\n";
  const std::string names[] = {"x/m.toml", "x_m.toml", "x%2Fm.toml"};
  std::string machines;
  for (const auto& name : names) machines += (machines.empty() ? "" : ",") + scratch.write(name, text);
  const auto plan =
      run_planar("compare --plan --cards ne2 --report " + scratch.file("report") + " --machines " + machines);
  INFO(plan.err);
  REQUIRE(plan.status == 0);
  std::set<std::string> files;
  std::istringstream lines(plan.out);
  for (std::string line; std::getline(lines, line);) {
    const auto first = line.find('\t');
    files.insert(line.substr(first + 1, line.find('\t', first + 1) - first - 1));
  }
  CHECK(files.size() == 3);
}
