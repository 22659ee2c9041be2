// SPDX-License-Identifier: GPL-2.0-or-later
// The code that compares, reports and keeps baselines knows a benchmark only by its row: here one that planar does not
// have.
#include "core/common/error.hpp"
#include "frontend/comparison/compare_report.hpp"
#include "frontend/comparison/side_by_side.hpp"
#include "frontend/guest_benchmarks/benchmarks.hpp"
#include "frontend/regression/baseline.hpp"
#include "tests/catch.hpp"
#include "tests/frontend/program.hpp"

using namespace planar;
using program::run_planar;

namespace {

const Benchmark ping{
    .name = "ping",
    .verb = "ping",
    .arguments = {},
    .heading = "ping, microseconds by data bytes",
    .metric = "round_trip",
    .unit = "us",
    .comparison = {"1", "64"},
    .regression = {"0.1", "64"},
    .add_verb = nullptr,
    .sizes =
        [](const std::string&) {
          return std::vector<std::uint32_t>{64, 1024};
        },
    .figure_key = "us",
};

CellOutcome answered(const std::string& card, double us) {
  return {
      {"model95", card, {}},
      nlohmann::ordered_json{{"rows", {{{"packet_bytes", 64}, {"us", us}}, {{"packet_bytes", 1024}, {"us", 2 * us}}}},
                             {"cpu_load_percent", 1.5},
                             {"true_busy_percent", 2.5},
                             {"cycles", 10},
                             {"instructions", 5},
                             {"frames", {{"sent", 1}, {"received", 1}}},
                             {"guest_image_sha256", "abc"},
                             {"state_hash", "def"}},
      0,
      {}};
}

}  // namespace

TEST_CASE("a comparison of another benchmark has its own heading, unit and figures in every form", "[benchmark]") {
  const Comparison c{ping, {answered("ne2", 812.25), answered("lan-a", 700)}, {"model95"}, {64, 1024}, "1", 1};
  const auto text = comparison_text(c);
  CHECK_THAT(text, Catch::Contains("\nus ") && Catch::Contains("812.2") && Catch::Contains("1624.5"));
  CHECK_THAT(comparison_markdown(c), Catch::Matchers::StartsWith("# ping, microseconds by data bytes\n") &&
                                         Catch::Contains("| Novell NE/2 | 812.2 | 1624.5 | 1.5 | 2.5 |"));
  CHECK_THAT(comparison_csv(c), Catch::Contains("model95,ne2,64,round_trip,812.25,us,no\n"));
  auto page = comparison_html(c);
  for (auto at = page.find("<script"); at != std::string::npos; at = page.find("<script")) {
    const auto end = page.find("</script>", at);
    REQUIRE(end != std::string::npos);
    page.erase(at, end - at);
  }
  CHECK_THAT(page, Catch::Contains("<h1>ping on network adapters</h1>") && Catch::Contains("<td>812.2</td>"));
  CHECK_THAT(page, !Catch::Contains("published"));  // the tables hold netio's figures
  CHECK(c.outcomes[0].figure(ping, 64) == 812.25);
  CHECK_FALSE(c.outcomes[0].figure(ping, 4096));
}

TEST_CASE("cards on different media in one machine are in one table, best first", "[benchmark]") {
  const Comparison one{ping, {answered("ne2", 100), answered("lan-a", 200)}, {"model95"}, {64, 1024}, "1", 1};
  CHECK(side_by_side(one).empty());
  CHECK_THAT(comparison_text(one), !Catch::Contains("side by side"));
  const Comparison two{ping, {answered("ne2", 100), answered("oc2335", 200)}, {"model95"}, {64, 1024}, "1", 1};
  const auto tables = side_by_side(two);
  REQUIRE(tables.size() == 1);
  REQUIRE(tables[0].rows.size() == 2);
  CHECK(tables[0].rows[0].outcome->cell.card == "oc2335");
  CHECK(tables[0].rows[0].mean == "300.0");
  CHECK(tables[0].pairs.empty());
  CHECK_THAT(comparison_text(two),
             Catch::Contains("side by side\n") && Catch::Contains("10 Mbit/s Ethernet      150.0"));
  CHECK_THAT(comparison_markdown(two), Catch::Contains("| Novell NE/2 | 10 Mbit/s Ethernet | 150.0 | 1.5 | 2.5 |"));
  CHECK_THAT(comparison_html(two), Catch::Contains("<td>Novell NE/2</td><td>10 Mbit/s Ethernet</td><td>150.0</td>"));
}

TEST_CASE("cards of different buses are compared, each in its machine, and omitted ones are named", "[benchmark]") {
  auto cells = matrix_cells({"model95", "pc-p166"}, {"ne2", "3c905b"});
  REQUIRE(cells.size() == 4);
  leave_out_other_buses(cells);
  REQUIRE(cells.size() == 2);
  CHECK(cells[0].key() == "model95-ne2");
  CHECK(cells[1].key() == "pc-p166-3c905b");
  auto wrong = matrix_cells({"model95"}, {"3c905b"});  // does not fit into any machine: the run says so
  leave_out_other_buses(wrong);
  CHECK(wrong.size() == 1);
  auto pci = answered("3c905b", 200), mca = answered("ne2", 100);
  pci.cell.machine = (*pci.result)["machine"] = "pc-p166";
  const auto with_frame = [](CellOutcome& o, double us, double bus, double wire) {
    (*o.result)["frame_time"] = {
        {"packet_bytes", 1024}, {"frame_bytes", 1090}, {"us", us}, {"parts_us", {{"bus_wait", bus}, {"wire", wire}}}};
  };
  with_frame(mca, 1000, 800, 200);
  with_frame(pci, 500, 350, 150);
  const Comparison c{ping, {mca, pci}, {"model95", "pc-p166"}, {64, 1024}, "1", 1};
  const auto tables = side_by_side(c);
  REQUIRE(tables.size() == 1);
  REQUIRE(tables[0].rows.size() == 2);
  CHECK(tables[0].rows[0].name == "3Com 3C905B-TX Fast EtherLink XL in pc-p166");
  CHECK(tables[0].rows[1].name == "Novell NE/2 in model95");
  REQUIRE(tables[0].pairs.size() == 1);
  CHECK_THAT(tables[0].pairs[0],
             Catch::StartsWith("3Com 3C905B-TX Fast EtherLink XL in pc-p166 is faster than Novell NE/2 in model95 with "
                               "the largest packets by 200 ") &&
                 Catch::Contains("because its frame takes 500 µs less: bus waits are 450 µs shorter") &&
                 Catch::Contains("(bus master in place of PIO (remote DMA))"));
  Benchmark rate = ping;
  rate.unit = "Mbit/s";
  (*pci.result)["rows"][0]["us"] = 9.93;
  (*mca.result)["rows"][0]["us"] = 8.63;
  for (CellOutcome* o : {&pci, &mca}) (*o->result)["frame_time"]["packet_bytes"] = 64;
  const Comparison close{rate, {mca, pci}, {"model95", "pc-p166"}, {64}, "1", 1};
  CHECK_THAT(side_by_side(close).at(0).pairs.at(0),
             Catch::Contains(" by 1.30 Mbit/s (15 %) because the data of its frame take 75 µs less"));
  const std::string note =
      "model95 has Micro Channel slots: without 3Com 3C905B-TX Fast EtherLink XL; pc-p166 has PCI slots: without "
      "Novell "
      "NE/2";
  CHECK(left_out_note(c) == note);
  for (const auto& text : {comparison_markdown(c), comparison_html(c)})
    CHECK_THAT(text, Catch::Contains("All machines, side by side") && Catch::Contains(note) &&
                         Catch::Contains("Novell NE/2 in model95") && Catch::Contains("limited because") &&
                         Catch::Contains("is faster than"));
  CHECK_THAT(comparison_text(c), Catch::Contains("All machines, side by side\n") &&
                                     Catch::Contains("Novell NE/2 in model95           10 Mbit/s Ethernet"));
}

TEST_CASE("a card with options has its own cell, and the options appear in every form", "[benchmark]") {
  const auto cells = matrix_cells({"model95", "model77"}, {"ne2:irq=3", "mac=1", "lan-a", "ne2"});
  REQUIRE(cells.size() == 6);
  CHECK(cells[0].card == "ne2");
  CHECK(cells[0].options == "irq=3,mac=1");
  CHECK(cells[0].key() == "model95-ne2:irq=3,mac=1");
  CHECK(cells[2].card_option() == "ne2");
  CHECK(cells[3].machine == "model77");
  CHECK_THROWS_AS(matrix_cells({"model95"}, {"irq=3"}), Error);
  CHECK_THROWS_AS(matrix_cells({"model95"}, {"nothing:irq=3"}), Error);
  auto with = answered("ne2", 100);
  with.cell.options = "irq=3,mac=1";
  const Comparison c{ping, {with, answered("ne2", 200)}, {"model95"}, {64, 1024}, "1", 1};
  CHECK_THAT(comparison_text(c), Catch::Contains("Novell NE/2, irq=3,mac=1\n"));
  CHECK_THAT(comparison_csv(c), Catch::Contains("model95,\"ne2:irq=3,mac=1\",64,round_trip,100.00") &&
                                    Catch::Contains("model95,ne2,64,round_trip,200.00"));
  CHECK(comparison_json(c)[0]["card_options"] == "irq=3,mac=1");
  CHECK_FALSE(comparison_json(c)[1].contains("card_options"));
  MatrixOptions options;
  options.benchmark = &ping;
  const auto cell = make_baseline(c.outcomes, options, "a test")["cells"]["model95"];
  CHECK(cell.contains("ne2"));
  CHECK(cell.contains("ne2:irq=3,mac=1"));
}

TEST_CASE("a baseline belongs to one benchmark", "[benchmark]") {
  MatrixOptions options;
  options.benchmark = &ping;
  const auto made = make_baseline({answered("ne2", 812.25)}, options, "a test");
  CHECK(made["do"] == "ping");
  const auto& cell = made["cells"]["model95"]["ne2"];
  CHECK(cell["64 us"] == 812.25);
  CHECK(cell["1K us"] == 1624.5);
  CHECK_NOTHROW(check_comparable(made, made));
  MatrixOptions netio;
  netio.benchmark = &netio_benchmark;
  CHECK_THROWS_WITH(check_comparable(made, make_baseline({}, netio, {})), Catch::Contains("is one of ping"));
}

TEST_CASE("--do selects the benchmark, netio by default", "[benchmark]") {
  CHECK(benchmarks().front()->name == "netio");
  const std::string brief = "compare --machines model56sx --cards ne2 --seconds 0.05 --sizes 8192 --quiet --json -";
  const auto told = run_planar(brief + " --do netio"), untold = run_planar(brief);
  REQUIRE(told.status == 0);
  CHECK(told.json()[0]["state_hash"] == untold.json()[0]["state_hash"]);
  const auto wrong = run_planar("compare --do nothing");
  CHECK(wrong.status == 2);
  CHECK_THAT(wrong.err, Catch::Contains("netio"));
  CHECK(run_planar("regress --do nothing").status == 2);
  CHECK(run_planar("published --do netio").status == 2);  // the tables are netio's
}
