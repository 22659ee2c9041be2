// SPDX-License-Identifier: GPL-2.0-or-later
// --converge: when a run is accepted in place of a longer one, and its resulting figures. Also the order of a matrix's
// runs.
#include <cmath>
#include <filesystem>
#include <fstream>

#include "core/common/error.hpp"
#include "frontend/comparison/converged.hpp"
#include "frontend/guest_benchmarks/benchmarks.hpp"
#include "frontend/guest_benchmarks/netio_converge.hpp"
#include "frontend/guest_benchmarks/netio_result.hpp"
#include "tests/catch.hpp"
#include "tests/frontend/guest_benchmarks/netio_run.hpp"

using namespace planar;
using namespace program;
using Catch::Matchers::Contains;

namespace {

constexpr std::size_t batches = DeliveryMeter::batches;

/// A run of `seconds` in which the wire carries `kb_per_s`, with `percent` more or less in alternate batches, and netio
/// has put `share_kb` more into its buffer than has been sent.
NetioResult wire(const std::string& seconds, double kb_per_s, double percent, double share_kb) {
  NetioRow row{1024, 0, static_cast<std::uint64_t>(std::stod(seconds) * 1024)};
  const double bytes = kb_per_s * static_cast<double>(row.ticks);
  DeliveryMeter::Row delivered;
  delivered.bytes = static_cast<std::uint64_t>(bytes);
  for (std::size_t n = 0; n < batches; ++n)
    delivered.bytes_by_batch[n] = static_cast<std::uint64_t>(bytes / 10 * (1 + (n % 2 ? percent : -percent) / 100));
  row.delivered = delivered;
  row.blocks = static_cast<std::uint64_t>(bytes / 1024 + share_kb);
  NetioResult result;
  result.rows = {row};
  result.virtual_seconds = 7 + std::stod(seconds);
  result.state_hash = seconds;
  result.host_seconds = 1;
  return result;
}

const std::string settling = "netio --machine model95 --card 3c529 --sizes 8192 --quiet";
const std::string restless = "netio --machine model77 --card sknet --sizes 8192 --quiet";

}  // namespace

TEST_CASE("the confidence interval of a settled rate is that of its batches", "[converge]") {
  const auto steady = wire("1", 1000, 0, 0), uneven = wire("1", 1000, 1, 0);
  const auto a = settled_rate(*steady.rows[0].delivered, 1024), b = settled_rate(*uneven.rows[0].delivered, 1024);
  REQUIRE(a);
  REQUIRE(b);
  CHECK(a->kb_per_s == Approx(1000).margin(0.1));
  CHECK(a->within_percent == Approx(0).margin(0.001));
  // Eight values of +-1 %: the deviation of the sample is sqrt(8/7), Student's t for seven degrees of freedom 2.365.
  CHECK(b->kb_per_s == Approx(1000).margin(0.1));
  CHECK(b->within_percent == Approx(2.365 * std::sqrt(8.0 / 7) / std::sqrt(8.0)).margin(0.001));
  CHECK_FALSE(settled_rate(DeliveryMeter::Row{}, 1024));
  CHECK_FALSE(settled_rate(*steady.rows[0].delivered, 0));
}

TEST_CASE("a settled row has the figure of the whole duration, including the send buffer's share", "[converge]") {
  std::vector<std::string> runs;
  const auto run = [&](const std::string& seconds, const auto&) {
    runs.push_back(seconds);
    return wire(seconds, 1000, 0, 64);
  };
  const auto result = converge("1", "10", run);
  CHECK(runs == std::vector<std::string>{"1"});
  CHECK(result.rows[0].kb_per_s() == Approx(1006.4).margin(0.01));  // 64 KB in 10 s, not in one
  CHECK(result.rows[0].kb_per_s() == Approx(wire("10", 1000, 0, 64).rows[0].kb_per_s()).margin(0.1));
  CHECK(result.rows[0].delivered_kb_per_s().value_or(0) == Approx(1000).margin(0.1));
  CHECK(result.warning().empty());  // 0.64 %
  const auto j = result.json();
  CHECK(j["converged"]["percent"] == 1);
  CHECK(j["converged"]["of_seconds"] == 10);
  CHECK(j["converged"]["rows"][0]["seconds"] == 1);
  CHECK(j["state_hash"] == "1");
  CHECK(ended_early(j));
  CHECK_THAT(result.table(), Contains("after 1 s per size") && Contains("those of 10 s"));
}

TEST_CASE("runs get longer until the rates have settled or the run is complete", "[converge]") {
  const auto runs_of = [](const std::string& percent, const std::string& seconds, auto unevenness) {
    std::vector<std::string> runs;
    const auto result = converge(percent, seconds, [&](const std::string& length, const auto&) {
      runs.push_back(length);
      return wire(length, 1000, unevenness(std::stod(length)), 64);
    });
    CHECK(result.host_seconds == Approx(static_cast<double>(runs.size())));
    const auto j = result.json()["converged"];
    CHECK(j["runs"].size() == runs.size());
    CHECK(j["runs"].back()["state_hash"] == runs.back());
    CHECK(ended_early(result.json()) == (runs.back() != seconds));
    CHECK(j["rows"][0]["seconds"].template get<double>() == std::stod(runs.back()));
    if (runs.back() == seconds) CHECK(result.rows[0].kb_per_s() == wire(seconds, 1000, 0, 64).rows[0].kb_per_s());
    return runs;
  };
  using Runs = std::vector<std::string>;
  const auto bursts = [](double seconds) { return 0.5 / seconds; };
  CHECK(runs_of("1", "10", bursts) == Runs{"1", "2"});  // 0.447 % against 0.25 %
  CHECK(runs_of("4", "10", bursts) == Runs{"1"});
  CHECK(runs_of("0.5", "10", bursts) == Runs{"1", "4"});
  CHECK(runs_of("0.2", "10", bursts) == Runs{"1", "10"});  // eight seconds of ten save nothing
  CHECK(runs_of("0.2", "16", bursts) == Runs{"1", "16"});
  CHECK(runs_of("0.2", "40", bursts) == Runs{"1", "16"});
  CHECK(runs_of("1", "10", [](double) { return 0.5; }) == Runs{"1", "2", "4", "10"});  // whatever its duration
  CHECK(runs_of("1", "1", bursts) == Runs{"1"});
  CHECK(runs_of("1", "0.5", bursts) == Runs{"0.5"});
  // Nothing was delivered: there is no rate to settle.
  Runs silent;
  converge("1", "10", [&](const std::string& length, const auto&) {
    silent.push_back(length);
    return wire(length, 0, 0, 64);
  });
  CHECK(silent == Runs{"1", "10"});
}

TEST_CASE("a run is abandoned at the first row that rules out a shorter one", "[converge]") {
  std::vector<std::pair<std::string, bool>> asked;
  converge("1", "10", [&](const std::string& length, const auto& hopeless) {
    for (const double percent : {0.2, 0.5, 3.0})
      asked.emplace_back(length, hopeless(wire(length, 1000, percent, 64).rows[0]));
    return wire(length, 1000, 3, 64);
  });
  const std::vector<std::pair<std::string, bool>> wanted{{"1", false},  {"1", false},  {"1", true},
                                                         {"10", false}, {"10", false}, {"10", false}};
  CHECK(asked == wanted);
}

TEST_CASE("an interrupted run keeps the settled rows", "[converge]") {
  auto cut = wire("1", 1000, 0, 64);
  cut.rows.push_back(wire("1", 1000, 5, 64).rows[0]);
  cut.rows[1].packet_bytes = 2048;
  cut.interrupted = true;
  unsigned runs = 0;
  const auto result = converge("1", "10", [&](const std::string&, const auto&) {
    ++runs;
    return cut;
  });
  CHECK(runs == 1);
  CHECK(result.interrupted);
  REQUIRE(result.rows.size() == 1);
  CHECK(result.rows[0].packet_bytes == 1024);
  CHECK(result.json()["converged"]["rows"].size() == 1);
}

TEST_CASE("an invalid percentage, and options that need a single run, are refused", "[converge]") {
  CHECK(parse_converge("1.0") == "1");
  CHECK(parse_converge("0.25") == "0.25");
  for (const char* text : {"", "0", "0.09", "11", "-1", "nan", "inf", "1 %", "x"}) {
    INFO(text);
    CHECK_THROWS_AS(parse_converge(text), Error);
  }
  for (const std::string other :
       {"--converge 0", "--converge 1 --capture /dev/null", "--converge 1 --trace nic", "--converge 1 --generation 2",
        "--converge 1 --net slirp", "--converge 1 --snapshot-at '1 s' /dev/null"}) {
    const auto said = run_planar(settling + " " + other);
    INFO(other << ": " << said.err);
    CHECK(said.status == 2);
    CHECK_THAT(said.err, Contains("--converge"));
  }
  const auto regress = run_planar("regress --converge 1 --machines model56sx --cards ne2 --quiet");
  CHECK(regress.status == 2);
  CHECK_THAT(regress.err, Contains("exact"));
  CHECK_THAT(run_planar("compare --do netperf --converge 1").err, Contains("only netio takes it"));
  CHECK_THAT(run_planar("published --sensitivity --converge 1").err, Contains("leave one of the two out"));
}

TEST_CASE("a settled netio run is close to the whole run, and reproducible", "[converge]") {
  const auto said = run_planar(settling + " --seconds 3 --converge 1 --json -");
  INFO(said.err);
  REQUIRE(said.status == 0);
  const auto j = said.json(), exact = run_planar(settling + " --seconds 3 --json -").json();
  CHECK(j["converged"]["rows"][0]["seconds"] == 1);
  CHECK(j["converged"]["rows"][0]["within_percent"].get<double>() < 0.25);
  CHECK(j["virtual_seconds"].get<double>() < exact["virtual_seconds"].get<double>() - 1.5);
  const double ours = j["rows"][0]["kb_per_s"], whole = exact["rows"][0]["kb_per_s"];
  CHECK(std::abs(ours - whole) < 0.01 * whole);
  // The figure of that one second alone includes the whole send buffer.
  const double brief = run_planar(settling + " --seconds 1 --json -").json()["rows"][0]["kb_per_s"];
  CHECK(brief > 1.015 * whole);
  const auto again = run_planar(settling + " --seconds 3 --converge 1 --json -").json();
  CHECK(without_host_time(again) == without_host_time(j));
}

TEST_CASE("a netio run that does not settle equals the whole run, clock for clock", "[converge]") {
  const auto said = run_planar(restless + " --seconds 2 --converge 1 --json -");
  INFO(said.err);
  REQUIRE(said.status == 0);
  auto j = without_host_time(said.json()),
       exact = without_host_time(run_planar(restless + " --seconds 2 --json -").json());
  CHECK(j["converged"]["rows"][0]["seconds"] == 2);
  CHECK(j["converged"]["runs"].size() == 2);
  CHECK(j["converged"]["runs"][0]["virtual_seconds"].get<double>() < exact["virtual_seconds"].get<double>());
  j.erase("converged");
  CHECK(j == exact);
}

TEST_CASE("compare keeps runs that may end early separately, and diff distinguishes them", "[converge]") {
  const Scratch scratch;
  const auto folder = scratch.file("out");
  const std::string cells =
      "compare --machines model95 --cards 3c529 --sizes 8192 --seconds 2 --quiet --report " + folder;
  REQUIRE(run_planar(cells).status == 0);
  const auto said = run_planar(cells + " --converge 1");
  INFO(said.err);
  REQUIRE(said.status == 0);
  CHECK_THAT(said.out, Contains("--converge 1: figures for 2 s per size") && Contains("meant to be within 1 %"));
  CHECK_THAT(read_file(folder + "/compare.md"), Contains("--converge 1: figures for 2 s per size"));
  CHECK_THAT(read_file(folder + "/compare.html"), Contains("--converge 1: figures for 2 s per size"));
  const auto whole = folder + "/runs/model95-3c529.json", early = folder + "/runs/model95-3c529-converge1.json";
  REQUIRE(std::filesystem::exists(whole));
  REQUIRE(std::filesystem::exists(early));
  const auto stamp = std::filesystem::last_write_time(early);
  REQUIRE(run_planar(cells + " --converge 1.0").status == 0);  // taken from the folder
  CHECK(std::filesystem::last_write_time(early) == stamp);
  const auto diff = run_planar("diff " + whole + " " + early);
  CHECK(diff.status == 1);
  CHECK_THAT(diff.out, Contains("because converge") && Contains("no -> 1"));
  CHECK(diff.out.find("converged.") == std::string::npos);
  const auto plan = run_planar(cells + " --converge 1 --plan").out;
  CHECK_THAT(plan, Contains("--converge 1") && Contains("model95-3c529-converge1.json"));
  CHECK_THAT(run_planar("compare --merge " + folder).out, Contains("--converge 1: figures for 2 s per size"));
}

TEST_CASE("the longest runs start first", "[compare]") {
  const std::vector<Cell> cells{{"model56sx", "ne2", {}},
                                {"model95", "ne2", {}},
                                {"model95", "oc2335", {}},
                                {"model77", "ne2", {}},
                                {"model95", "3c529", {}},
                                {"model95", "ne2", {"--bond", "3"}},
                                {"model95", "ne2", {"--against", "model95:ne2"}}};
  MatrixOptions o;
  o.benchmark = &netio_benchmark;
  o.seconds = o.benchmark->comparison.seconds;
  o.sizes = o.benchmark->comparison.sizes;
  const auto order = longest_first(cells, o);
  // Three cards carry the most frames, then one with 100 Mbit/s and two machines; emulating a clock of the 77 costs
  // more than one of the 95, which has more of them.
  REQUIRE(order.size() == cells.size());
  CHECK(std::vector(order.begin(), order.begin() + 3) == std::vector<std::size_t>{5, 2, 6});
  CHECK(order.back() == 0);
  for (std::size_t n = 1; n < order.size(); ++n)
    CHECK(estimated_cost(cells[order[n - 1]], o) >= estimated_cost(cells[order[n]], o));
  CHECK(std::find(order.begin(), order.end(), 1) < std::find(order.begin(), order.end(), 4));  // equal: in given order
}

TEST_CASE("a table says how many of its runs ended early", "[converge]") {
  const auto outcome = [](double seconds) {
    return CellOutcome{
        {"model95", "ne2", {}},
        nlohmann::ordered_json{
            {"converged",
             {{"percent", 1}, {"of_seconds", 10}, {"rows", {{{"packet_bytes", 1024}, {"seconds", seconds}}}}}}}};
  };
  CHECK(converged_note({CellOutcome{{"model95", "ne2", {}}, nlohmann::ordered_json{{"rows", 1}}}}).empty());
  CHECK_THAT(converged_note({outcome(10)}), Contains("no run ended early"));
  CHECK_THAT(converged_note({outcome(1), outcome(10), outcome(4)}),
             Contains("2 of 3 runs ended early, after 1 to 4 s per size"));
}
