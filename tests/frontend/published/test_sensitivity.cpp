// SPDX-License-Identifier: GPL-2.0-or-later
// The band left open by the uncertain values, with figures worked out by hand and with a short run.
#include "frontend/published/sensitivity.hpp"

#include "frontend/published/sensitivity_report.hpp"
#include "tests/catch.hpp"
#include "tests/frontend/guest_benchmarks/netio_run.hpp"

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
  r.row.print.figures[4096] = print;
  r.row.ours = &ours;
  r.effects = std::move(effects);
  return r;
}

}  // namespace

TEST_CASE("the band adds up the lowering and raising effects, value by value", "[sensitivity]") {
  const CellOutcome ours = flat(1000);
  const UncertainValue value{"peer.turnaround", "60 ns", "30 ns", "120 ns"};
  // One has the opposite sign, the other lowers the row both ways.
  const auto row = row_with(ours, 985, {{value, 1010.0, 990.0}, {value, 996.0, 992.0}});
  using Values = SensitiveRow::Values;
  REQUIRE(row.band(Values::shared));
  CHECK(row.band(Values::shared)->from == Approx(1000 - 10 - 8));
  CHECK(row.band(Values::shared)->to == Approx(1010));
  CHECK(row.within(Values::shared) == true);
  CHECK(row_with(ours, 981, row.effects).within(Values::shared) == false);
  CHECK(row_with(ours, 1010.5, row.effects).within(Values::shared) == false);
  CHECK_FALSE(row_with(ours, 985, {{value, 1010.0, {}}}).within(Values::shared));
  const auto text = sensitivity_text({row});
  CHECK_THAT(text, Contains("982.0 to 1010.0, within") && Contains("1 of 1 rows"));
  const auto json = sensitivity_json({row});
  CHECK(json["rows"][0]["band"] == nlohmann::ordered_json{982.0, 1010.0});
}

TEST_CASE("a card's own values widen a separate band", "[sensitivity]") {
  using Values = SensitiveRow::Values;
  const CellOutcome ours = flat(1000);
  const UncertainValue shared{"peer.turnaround", "60 ns", "30 ns", "120 ns"},
      own{"ne2.chip.transmit_start", "8 clocks", "4", "16", true};
  const auto row = row_with(ours, 960, {{shared, 1010.0, 990.0}, {own, 1005.0, 950.0}});
  CHECK(row.band(Values::shared)->from == Approx(990));
  CHECK(row.band(Values::all)->from == Approx(940));
  CHECK(row.band(Values::all)->to == Approx(1015));
  CHECK(row.within(Values::shared) == false);
  CHECK(row.within(Values::all) == true);
  CHECK_THAT(sensitivity_text({row}), Contains("990.0 to 1010.0, outside") && Contains("940.0 to 1015.0, within") &&
                                          Contains("ne2.chip.transmit_start 8 clocks (4 to 16) +5.0 -50.0"));
}

TEST_CASE("a published load is or is not within the range of the phases", "[sensitivity]") {
  const CellOutcome ours = flat(1000);  // at 1 %
  auto row = row_with(ours, 1000, {});
  CHECK_FALSE(row.load_band());
  row.phases = {{"2 ms", 1000.0, 40.0}, {"4 ms", 1001.0, 22.0}};
  CHECK_FALSE(row.load_within());
  row.row.print.load = 39;
  CHECK(row.load_band()->from == Approx(1));
  CHECK(row.load_band()->to == Approx(40));
  CHECK(row.load_within() == true);
  row.row.print.load = 41;
  CHECK(row.load_within() == false);
  CHECK(sensitivity_json({row})["rows"][0]["load_within"] == false);
  row.phases.push_back({"6 ms", {}, {}});
  CHECK_FALSE(row.load_band());
}

TEST_CASE("a card's uncertain values are its inferred times, except for start-up", "[sensitivity]") {
  const auto names = [](const std::string& card) {
    std::vector<std::string> list;
    for (const auto& value : inferred_times(card)) list.push_back(value.name + " " + value.low + " " + value.high);
    return list;
  };
  CHECK(names("sknet") ==
        std::vector<std::string>{"sknet.chip.transmit_end 2 µs 8 µs", "sknet.register.transfer 350 ns 1400 ns"});
  CHECK(names("3c523") == std::vector<std::string>{"3c523.chip.attention 8 32", "3c523.chip.command 4 16"});
  for (const auto& name : names("3c527")) CHECK_THAT(name, !Contains("self_test"));
}

TEST_CASE("the uncertain values come from the machine's file", "[sensitivity]") {
  const auto values = uncertain_values({"model56sx", "ne2", {}});
  REQUIRE(values.size() == 6);
  CHECK(values[0].name == "peer.turnaround");
  CHECK(values[1].used == "75 ns");
  CHECK(values[2].low == "4");
  CHECK(values[2].high == "6");
  CHECK(values[4].low == "32767");
  CHECK(values[5].name == "net.length");
  CHECK(values[5].low == "30");
  CHECK(values[5].high == "122");
  CHECK(uncertain_values({"model56sx", "tr4-a", {}}).size() == 5);
}

TEST_CASE("a P6 has its own uncertain values: repeated strings, interrupts, page walks, L2, memory", "[sensitivity]") {
  std::vector<std::string> own;
  for (const UncertainValue& v : uncertain_values({"pc-p3-600", "3c905b", {}}))
    if (v.name.starts_with("cpu.") || v.name.starts_with("l2.") || v.name.starts_with("memory."))
      own.push_back(v.name + " " + v.used + ": " + v.low + ", " + v.high);
  CHECK(own == std::vector<std::string>{
                   "memory.dram.read_miss 14 clocks: 13, 15", "memory.dram.write_miss 7 clocks: 6, 8",
                   "cpu.repeat_start 15 clocks: 15, 72", "cpu.repeat_slow_start 15 clocks: 15, 70",
                   "cpu.interrupt_entry 110 clocks: 100, 120", "cpu.interrupt_return 90 clocks: 80, 100",
                   "cpu.page_walk 2 clocks: 1, 10", "l2.latency 18 clocks: 15, 22", "l2.line_clocks 8 clocks: 4, 16",
                   "memory.dram.read_hit 11 clocks: 8, 14", "memory.dram.line_clocks 8 clocks: 7, 9"});
  CHECK(program::run_planar("run pc-p166 --set cpu.repeat_start=15 --until '1 ms'").status == 2);
}

TEST_CASE("a memory read's own time is an uncertain value only on a bus that has it", "[sensitivity]") {
  const auto read_access = [](const char* machine) {
    for (const UncertainValue& v : uncertain_values({machine, "3c905b", {}}))
      if (v.name == "pci.read_access") return v.used + ": " + v.low + ", " + v.high;
    return std::string("none");
  };
  CHECK(read_access("pc-p3-800") == "234 ns: 117 ns, 468 ns");
  CHECK(read_access("pc-p3-600") == "none");
}

TEST_CASE("--set accepts each uncertain value at both ends of its range, a processor's only where it exists",
          "[sensitivity]") {
  for (const char* machine : {"pc-p3-600", "pc-p3-800", "pc-p166", "model56sx"})
    for (const UncertainValue& v : uncertain_values({machine, machine[0] == 'p' ? "3c905b" : "ne2", {}}))
      for (const std::string& end : {v.low, v.high}) {
        const auto said = program::run_planar(std::string("run ") + machine + " --until '1 us' --quiet --set '" +
                                              v.name + "=" + end + "'");
        INFO(machine << " " << v.name << "=" << end << ": " << said.err);
        CHECK(said.status == 0);
      }
  const auto refused = program::run_planar("run pc-p166 --set cpu.page_walk=2 --until '1 us'");
  CHECK(refused.status == 2);
  CHECK_THAT(refused.err, Contains("'cpu' is neither a card nor one of"));
}

TEST_CASE("planar published --sensitivity runs the row with each uncertain value", "[sensitivity]") {
  using namespace program;
  const auto said = run_planar(
      "published --sensitivity --quiet --machines model56sx --cards ne2 --seconds 0.1 --sizes 4096,8192,16384,32767 "
      "--json -");
  INFO(said.err);
  REQUIRE(said.status == 0);
  const auto row = said.json()["rows"].at(0);
  CHECK(row["machine"] == "model56sx");
  REQUIRE(row["values"].size() == 6 + inferred_times("ne2").size());
  CHECK(row["tick_phases"].size() == tick_phases.size());
  for (const auto& value : row["values"])
    if (value["name"] == "memory.dram.read_miss") {
      CHECK(value["at_low"].get<double>() > value["at_high"].get<double>());
    }
  CHECK(row["band"][0].get<double>() < row["planar"].get<double>());
  CHECK(row.contains("within"));
}

TEST_CASE("the uncertain values of a PCI machine are its bus's and the row's assumptions about the other end",
          "[sensitivity]") {
  const auto values = uncertain_values({"pc-p166", "3c905b", {"--receive", "--set", "peer.turnaround=30 us"}});
  std::vector<std::string> names;
  for (const UncertainValue& v : values) names.push_back(v.name);
  CHECK(names == std::vector<std::string>{"peer.turnaround", "pci.synchronisation", "pci.completion", "pci.memory_line",
                                          "memory.dram.read_miss", "memory.dram.write_miss", "peer.receive_buffer"});
  CHECK(values[0].used == "30 µs");
  CHECK(values[0].low == "15 µs");
  CHECK(values[0].high == "60 µs");
  const auto said = program::run_planar(
      "netperf --machine pc-p166 --set 'pci.synchronisation=60 ns' --seconds 0.05 "
      "--quiet --json -");
  INFO(said.err);
  CHECK(said.status == 0);
}
