// SPDX-License-Identifier: GPL-2.0-or-later
// planar regress as seen by its user: green, red with the right name, and refusals.
#include <fstream>

#include "frontend/kept/kept_json.hpp"
#include "tests/catch.hpp"
#include "tests/frontend/program.hpp"

using program::read_file;
using program::run_planar;
using program::Scratch;

namespace {

struct Baseline {
  Scratch scratch;
  std::string file = scratch.file("baseline.json");
  std::string command =
      "regress --quiet --machines model56sx --cards ne2 --seconds 0.2 --sizes 8192 --baseline " + file;
  Baseline() { REQUIRE(run_planar(command + " --accept 'made by a test'").status == 0); }
};

}  // namespace

TEST_CASE("a baseline records why it was accepted, and the same program passes", "[regress]") {
  const Baseline b;
  const auto baseline = nlohmann::json::parse(read_file(b.file));
  CHECK(baseline["reason"] == "made by a test");
  CHECK(baseline["cells"]["model56sx"]["ne2"]["cycles"].get<std::uint64_t>() > 1'000'000);
  CHECK(run_planar(b.command).status == 0);
}

TEST_CASE("accepted reasons form a history", "[regress]") {
  const Baseline b;
  CHECK(run_planar(b.command + " --accept 'a second time'").status == 0);
  const auto baseline = nlohmann::json::parse(read_file(b.file));
  const auto& history = baseline.at("history");
  REQUIRE(history.size() == 2);
  CHECK(history[0]["reason"] == "made by a test");
  CHECK(history[1]["reason"] == "a second time");
  CHECK(history[1]["figures_changed"] == 0);
  CHECK(history[1]["runs"] == 1);
  CHECK(history[1]["date"].get<std::string>().size() == 10);
  CHECK_FALSE(history[1]["planar"]["commit"].get<std::string>().empty());
  const auto told = run_planar("regress --history --baseline " + b.file);
  CHECK(told.status == 0);
  CHECK_THAT(told.out, Catch::Contains("made by a test\n") && Catch::Contains("a second time\n"));
  CHECK(run_planar(b.command).status == 0);
  // A baseline from before the history was introduced keeps its reason.
  auto old = nlohmann::ordered_json::parse(read_file(b.file));
  old.erase("history");
  old.erase("digest");  // nor a digest
  std::ofstream(b.file) << old.dump();
  CHECK(run_planar(b.command + " --accept third").status == 0);
  const auto third = nlohmann::json::parse(read_file(b.file)).at("history");
  REQUIRE(third.size() == 2);
  CHECK(third[0]["reason"] == "a second time");
}

TEST_CASE("JUnit is written for build servers, and JSON has every row, counted and with its program", "[regress]") {
  const Baseline b;
  const auto xml = b.scratch.file("regress.xml");
  const auto green = run_planar(b.command + " --junit " + xml + " --json -");
  REQUIRE(green.status == 0);
  CHECK_THAT(read_file(xml), Catch::Contains("<testsuites name=\"planar regress\" tests=\"1\" failures=\"0\"") &&
                                 Catch::Contains("<testcase classname=\"model56sx\" name=\"ne2\"") &&
                                 Catch::Contains("<property name=\"commit\""));
  const auto report = green.json();
  CHECK(
      report["counts"] ==
      nlohmann::ordered_json{{"runs", 1}, {"equal", 1}, {"refused", 0}, {"differs", 0}, {"new", 0}, {"unfinished", 0}});
  REQUIRE(report["rows"].size() == 1);
  CHECK(report["rows"][0]["status"] == "equal");
  CHECK(report["rows"][0]["figures"]["cycles"].get<std::uint64_t>() > 1'000'000);
  CHECK(report["baseline"]["reason"] == "made by a test");
  CHECK_FALSE(report["planar"]["version"].get<std::string>().empty());

  const auto red = run_planar(b.command + " --set ne2.data_port.ready_delay=950ns --junit " + xml + " --json -");
  CHECK(red.status == 1);
  CHECK(red.json()["counts"]["differs"] == 1);
  CHECK_THAT(read_file(xml), Catch::Contains("failures=\"1\"") &&
                                 Catch::Contains("because ne2.data_port.ready_delay is 950ns, was 0 ns"));
  // A card that the machine refuses is skipped, not failed.
  const auto file = b.scratch.file("refused.json");
  const std::string refused =
      "regress --quiet --machines model95 --cards 3c523-old --seconds 0.2 --sizes 8192 --baseline " + file;
  REQUIRE(run_planar(refused + " --accept refused").status == 0);
  CHECK(run_planar(refused + " --junit " + xml).status == 0);
  CHECK_THAT(read_file(xml), Catch::Contains("skipped=\"1\"") && Catch::Contains("<skipped message=\"slot.1:"));
}

TEST_CASE("a card that does not fit its machine is not a difference from a baseline without it", "[regress]") {
  const Baseline b;
  const std::string run = "regress --quiet --seconds 0.2 --sizes 8192 --baseline " + b.file;
  const auto wrong = run_planar(run + " --machines model95 --cards 3c905b");
  INFO(wrong.err);
  CHECK(wrong.status == 2);
  CHECK(wrong.out.empty());
  CHECK_THAT(wrong.err, Catch::Contains("no run of 3c905b in model95, because the card does not fit:") &&
                            Catch::Contains("is a PCI card"));
  const auto beside = run_planar(run + " --machines model56sx --cards ne2,3c905b");
  CHECK(beside.status == 1);
  CHECK_THAT(beside.out, Catch::Contains("model56sx 3c905b\n  the baseline has no such run and there can be none: ") &&
                             !Catch::Contains("the code has changed") && Catch::Contains("1 figure differs"));
}

TEST_CASE("outside a source tree the baseline is built into the program", "[regress]") {
  const program::Scratch elsewhere;
  const auto here = std::filesystem::current_path();
  std::filesystem::current_path(elsewhere.file(""));
  const auto green = run_planar("regress --quiet --machines model56sx --cards ne2");
  const auto accept = run_planar("regress --quiet --machines model56sx --cards ne2 --accept here");
  const auto history = run_planar("regress --history");
  std::filesystem::current_path(here);
  CHECK(green.status == 0);
  CHECK_THAT(green.out, Catch::Contains("1 run equals the baseline (this program's own)"));
  CHECK(accept.status == 2);
  CHECK_THAT(accept.err, Catch::Contains("--baseline FILE"));
  CHECK_FALSE(history.out.empty());
}

TEST_CASE("a changed wait state fails: card, figure, difference and the value's name are reported", "[regress]") {
  const Baseline b;
  const auto said = run_planar(b.command + " --set ne2.data_port.ready_delay=950ns --json -");
  CHECK(said.status == 1);
  const auto report = said.json();
  REQUIRE_FALSE(report["changes"].empty());
  const auto& change = report["changes"][0];
  CHECK(change["card"] == "ne2");
  CHECK(change["machine"] == "model56sx");
  CHECK(change["timing"][0]["name"] == "ne2.data_port.ready_delay");
  CHECK(change["timing"][0]["was"] == "0 ns");
  const auto words = run_planar(b.command + " --set ne2.data_port.ready_delay=950ns");
  CHECK(words.out.find("because ne2.data_port.ready_delay is 950ns, was 0 ns") != std::string::npos);
}

TEST_CASE("a figure that differs with the same timing values is attributed to the code", "[regress]") {
  const Baseline b;
  auto baseline = nlohmann::ordered_json::parse(read_file(b.file));
  baseline["cells"]["model56sx"]["ne2"]["instructions"] = 1;
  planar::seal(baseline);
  std::ofstream(b.file) << baseline.dump();
  const auto said = run_planar(b.command);
  CHECK(said.status == 1);
  CHECK(said.out.find("no timing value differs, so the code has changed") != std::string::npos);
}

TEST_CASE("a changed timing value of a machine is named, too", "[regress]") {
  const Baseline b;
  auto baseline = nlohmann::ordered_json::parse(read_file(b.file));
  baseline["cells"]["model56sx"]["ne2"]["instructions"] = 1;
  baseline["machines"]["model56sx"]["memory.dram.read_miss"] = "63";
  planar::seal(baseline);
  std::ofstream(b.file) << baseline.dump();
  const auto said = run_planar(b.command);
  CHECK(said.status == 1);
  CHECK(said.out.find("because model56sx.memory.dram.read_miss is") != std::string::npos);
}

TEST_CASE("machines missing from the baseline are skipped and named, unless selected", "[regress]") {
  const Baseline b;
  const std::string brief = "regress --quiet --cards ne2 --seconds 0.2 --sizes 8192 --baseline " + b.file;
  const auto all = run_planar(brief);
  CHECK(all.status == 0);
  CHECK_THAT(all.err, Catch::Contains("not in the baseline and not run: ") && Catch::Contains("model77"));
  CHECK_THAT(all.out, Catch::Contains("1 run equals the baseline"));
  const auto asked = run_planar(brief + " --machines model56sx,model77");
  CHECK(asked.status == 1);
  CHECK_THAT(asked.out, Catch::Contains("model77 ne2"));
}

TEST_CASE("a missing baseline, or one of another guest image or other arguments, is refused", "[regress]") {
  const Baseline b;
  CHECK(run_planar(b.command + " --seed 7").status == 2);
  auto baseline = nlohmann::ordered_json::parse(read_file(b.file));
  baseline["guest_image_sha256"] = std::string(64, '0');
  planar::seal(baseline);
  std::ofstream(b.file) << baseline.dump();
  const auto said = run_planar(b.command);
  CHECK(said.status == 2);
  CHECK(said.err.find("made with guest image ") != std::string::npos);
  std::ofstream(b.file) << "{";
  CHECK(run_planar(b.command).status == 3);
  CHECK(run_planar("regress --baseline nowhere.json").status == 3);
  CHECK(run_planar(b.command + " --accept x --set ne2.data_port.ready_delay=1ns").status == 2);
}

TEST_CASE("accepting some rows keeps the others, and rows are identified by name", "[regress]") {
  const Scratch scratch;
  const auto file = scratch.file("baseline.json");
  const std::string brief = "regress --quiet --seconds 0.05 --baseline " + file;
  const std::string two = " --machines model56sx,model95 --cards ne2,3c523";
  REQUIRE(run_planar(brief + " --sizes 1024" + two + " --accept all").status == 0);
  const auto before = nlohmann::ordered_json::parse(read_file(file));
  auto marked = before;
  marked["cells"]["model95"]["ne2"]["cycles"] = 1;
  marked["cells"]["model56sx"]["ne2"]["cycles"] = 1;
  marked.erase("digest");  // as in one from before digests were introduced
  std::ofstream(file) << marked.dump();

  const auto one = run_planar(brief + " --sizes 1024 --machines model95 --cards ne2 --accept one");
  INFO(one.err);
  REQUIRE(one.status == 0);
  CHECK_THAT(one.out, Catch::Contains("1 run accepted, 3 others kept"));
  const auto merged = nlohmann::ordered_json::parse(read_file(file));
  CHECK(merged["cells"]["model95"] == before["cells"]["model95"]);
  CHECK(merged["cells"]["model56sx"] == marked["cells"]["model56sx"]);
  CHECK(merged["machines"] == before["machines"]);
  CHECK(merged["cards"] == before["cards"]);
  CHECK(merged["history"].back()["runs"] == 1);
  CHECK(merged["history"].back()["figures_changed"] == 1);

  // Figures of a different length cannot be added to them.
  const auto stored = read_file(file);
  for (const std::string other : {" --sizes 2048", " --sizes 1024 --seed 5", " --sizes 1024 --do flood"}) {
    const auto refused = run_planar(brief + other + " --machines model95 --cards ne2 --accept other");
    INFO(other << refused.err);
    CHECK(refused.status == 2);
    CHECK(read_file(file) == stored);
  }
  CHECK_THAT(run_planar(brief + " --sizes 2048 --machines model95 --cards ne2 --accept other").err,
             Catch::Contains("3 of the baseline's rows are not run") && Catch::Contains("--drop"));
  CHECK(run_planar(brief + " --sizes 1024 --machines model95 --cards ne2 --accept x --drop tr4-a").status == 2);
  CHECK(run_planar(brief + " --sizes 1024" + two + " --drop ne2").status == 2);  // without --accept
  CHECK(read_file(file) == stored);

  const auto dropped = run_planar(brief +
                                  " --sizes 1024 --machines model95 --cards ne2 --accept less --drop "
                                  "3c523,'model56sx ne2'");
  INFO(dropped.err);
  REQUIRE(dropped.status == 0);
  const auto less = nlohmann::ordered_json::parse(read_file(file));
  CHECK(less["cells"].size() == 1);
  CHECK(less["cells"]["model95"].size() == 1);
  CHECK_FALSE(less["cards"].contains("3c523"));
  CHECK_FALSE(less["machines"].contains("model56sx"));
  CHECK(less["history"].size() == 3);
  REQUIRE(run_planar(brief + " --sizes 2048 --machines model95 --cards ne2 --accept 'all rows anew'").status == 0);
}

TEST_CASE("regress writes none of its outputs over the baseline", "[regress]") {
  const Baseline b;
  const auto stored = read_file(b.file);
  for (const std::string option : {" --json ", " --junit "}) {
    const auto said = run_planar(b.command + option + b.file);
    CHECK(said.status == 2);
    CHECK_THAT(said.err, Catch::Contains("--baseline") && Catch::Contains(option));
  }
  CHECK(read_file(b.file) == stored);
  // Also for the one that it finds by itself.
  const Scratch tree;
  std::filesystem::create_directories(tree.file("tests/baselines"));
  const auto own = tree.write("tests/baselines/netio.json", stored);
  const auto said = std::system(("cd " + tree.file("") + " && '" + PLANAR_BINARY +
                                 "' regress --quiet --machines model56sx --cards ne2 --seconds 0.2 --sizes 8192 "
                                 "--json tests/baselines/netio.json 2>/dev/null >/dev/null")
                                    .c_str());
  CHECK(WEXITSTATUS(said) == 2);
  CHECK(read_file(own) == stored);
}
