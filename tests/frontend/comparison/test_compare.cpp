// SPDX-License-Identifier: GPL-2.0-or-later
// planar compare as seen by its user: the table, the files of the report, resuming from finished runs.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "frontend/kept/kept_json.hpp"
#include "tests/catch.hpp"
#include "tests/frontend/guest_benchmarks/netio_run.hpp"
#include "tests/frontend/program.hpp"

using program::read_file;
using program::run_planar;
using program::Scratch;

namespace {
const std::string brief_compare = " --seconds 0.05 --sizes 2048,8192 --quiet";

/// `text` without line breaks and repeated spaces, which depend on the width of the output.
std::string one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  while (text.find("  ") != std::string::npos) text.erase(text.find("  "), 1);
  return text;
}
}  // namespace

TEST_CASE("a comparison is an array of netio results equal to those of single runs", "[compare]") {
  const auto said = run_planar("compare --machines model56sx,model95 --cards ne2 --json -" + brief_compare);
  REQUIRE(said.status == 0);
  auto list = said.json();
  REQUIRE(list.size() == 2);
  CHECK(list[0]["machine"] == "model56sx");
  CHECK(list[1]["machine"] == "model95");
  const auto single = run_planar("netio --machine model95 --card ne2 --json -" + brief_compare).json();
  CHECK(list[1]["state_hash"] == single["state_hash"]);
  CHECK(list[1]["rows"] == single["rows"]);
}

TEST_CASE("the report folder has the table in every form, and the page is self-contained", "[compare]") {
  const Scratch scratch;
  const auto folder = scratch.file("out");
  const auto said = run_planar("compare --machines model56sx --cards ne2 --report " + folder + brief_compare);
  REQUIRE(said.status == 0);
  CHECK(said.out.find("Novell NE/2") != std::string::npos);
  CHECK(nlohmann::json::parse(read_file(folder + "/compare.json")).size() == 1);
  CHECK(read_file(folder + "/compare.csv")
            .starts_with("machine,card,packet_bytes,metric,value,unit,hypothetical\nmodel56sx,ne2,2048,throughput,"));
  CHECK(read_file(folder + "/compare.md").find("| Novell NE/2 |") != std::string::npos);
  const auto page = read_file(folder + "/compare.html");
  CHECK(page.find("<svg") != std::string::npos);
  CHECK(page.find("delivered over the time") != std::string::npos);
  CHECK_THAT(page, Catch::Contains("packet size, bytes</text>") &&
                       Catch::Contains("10 Mbit/s Ethernet carries at most: 1149") &&
                       Catch::Contains("µs per frame</text>") && Catch::Contains("compare --machines model56sx") &&
                       Catch::Contains("<small>planar "));
  CHECK(page.find("href=") == std::string::npos);
  CHECK(page.find("src=") == std::string::npos);
  // The data plotted by uPlot, which is included in the page.
  CHECK_THAT(page, Catch::Contains("var uPlot=") && Catch::Contains("new uPlot(") && Catch::Contains(".u-legend"));
  const std::string data = "<script type=\"application/json\">";
  const auto figure = page.find("<figure class=\"chart\">");
  REQUIRE(figure != std::string::npos);
  const auto from = page.find(data, figure) + data.size();
  const auto chart = nlohmann::json::parse(page.substr(from, page.find("</script>", from) - from));
  CHECK(chart["categories"] == nlohmann::json{"2K", "8K"});
  CHECK(chart["limit"].get<double>() == Approx(1149).margin(1));
  REQUIRE(chart["lines"].size() == 1);
  CHECK(chart["lines"][0]["name"] == "Novell NE/2");
  const auto result = nlohmann::json::parse(read_file(folder + "/compare.json"))[0];
  CHECK(chart["lines"][0]["values"][1] == result["rows"][1]["kb_per_s"]);
  CHECK(chart["lines"][0]["marks"][0].is_number());
}

TEST_CASE("an overload comparison says up to what rate each card delivers and where the rest is lost", "[compare]") {
  using Catch::Matchers::Contains;
  const Scratch scratch;
  const auto folder = scratch.file("out");
  const auto run = run_planar(
      "compare --do flood --machines model77 --cards ne2 --sizes 500,14880 --seconds 0.1 --quiet --report " + folder);
  INFO(run.err);
  REQUIRE(run.status == 0);
  for (const auto& text : {run.out, read_file(folder + "/compare.md"), read_file(folder + "/compare.html")}) {
    INFO(text);
    const auto line = one_line(text);
    CHECK_THAT(line, Contains("Novell NE/2: up to 500 frames/s, more than 99 % are delivered in time; of 14") &&
                         Contains(" are lost in ") && Contains(" are delivered in time"));
    CHECK_THAT(line, !Contains("Where a data frame's time goes"));
  }
  CHECK_THAT(read_file(folder + "/compare.html"), Contains("virtual seconds per rate") && Contains("\"knee\":500"));
  CHECK_THAT(read_file(folder + "/compare.csv"), Contains("machine,card,rate,metric") && Contains(",500,delivered,"));
}

TEST_CASE("side by side, floods are compared by the mean of their rates", "[compare]") {
  using Catch::Matchers::Contains;
  const Scratch scratch;
  const auto folder = scratch.file("out");
  const auto run = run_planar(
      "compare --do flood --machines model95 --cards ne2,lanstreamer --sizes 500,1000 --seconds 0.05 --quiet "
      "--report " +
      folder);
  INFO(run.err);
  REQUIRE(run.status == 0);
  CHECK_THAT(read_file(folder + "/compare.html"), !Contains("above it more than 1 % is lost"));  // nothing was offered
  for (const auto& text : {run.out, read_file(folder + "/compare.md"), read_file(folder + "/compare.html")})
    CHECK_THAT(text, Contains("frames/s, mean of the rates") && !Contains("mean of the sizes"));
}

TEST_CASE("a card that fills its ring is called limited by the wire, whatever the processor does meanwhile",
          "[compare]") {
  using Catch::Matchers::Contains;
  // The processor fills the adapter's memory for more than half of the time while the previous frame is on the ring.
  const auto run = run_planar(
      "compare --machines model9595 --cards tr16-4a-1994,tr4-a,madge-mc --sizes 16384 --seconds 0.5 --quiet");
  INFO(run.out);
  REQUIRE(run.status == 0);
  const auto line = one_line(run.out);
  // 1448 bytes of data in 1526 of a frame and 3 delimiters, at 16 and at 4 Mbit/s.
  CHECK_THAT(line,
             Contains("(74F9415, 1994): limited by the wire: 17") && Contains("of the 1850 KB/s that it carries"));
  CHECK_THAT(line,
             Contains("Network Adapter/A: limited by the wire: 4") && Contains("of the 462 KB/s that it carries"));
  CHECK_THAT(line, Contains("both wait for the card; the wire would allow 1850 KB/s."));
}

TEST_CASE("where two cards' figures differ by more or less than what was delivered, the sentence says which it means",
          "[compare]") {
  using Catch::Matchers::Contains;
  const auto run =
      run_planar("compare --machines model9595 --cards lanstreamer,madge-mc --sizes 8192 --seconds 0.3 --quiet");
  INFO(run.out);
  REQUIRE(run.status == 0);
  const auto line = one_line(run.out);
  CHECK_THAT(line,
             Contains("is faster than Madge Smart 16/4 MC Ringnode by") && Contains("KB/s of what was delivered ("));
}

TEST_CASE("figures that exceed the delivered rate are marked, with that rate, in every form", "[compare]") {
  using Catch::Matchers::Contains;
  const Scratch scratch;
  const auto folder = scratch.file("out");
  const auto run = run_planar("compare --machines model95 --cards 3c523 --sizes 1024 --seconds 0.1 --report " + folder);
  INFO(run.err);
  REQUIRE(run.status == 0);
  const auto result = nlohmann::ordered_json::parse(read_file(folder + "/compare.json"))[0];
  const double delivered = result["rows"][0]["delivered_kb_per_s"];
  REQUIRE(result["rows"][0]["kb_per_s"].get<double>() > 1.01 * delivered);
  const auto figure = fmt::format("{:.1f}*", result["rows"][0]["kb_per_s"].get<double>());
  for (const auto& text : {run.out, read_file(folder + "/compare.md"), read_file(folder + "/compare.html")}) {
    INFO(text);
    std::string line = text;
    std::replace(line.begin(), line.end(), '\n', ' ');
    CHECK_THAT(line, Contains(figure) && Contains(fmt::format("1K {:.1f}", delivered)) &&
                         Contains("differs from what was delivered by more than 1 %"));
  }
  CHECK_THAT(read_file(folder + "/compare.csv"), Contains("1024,throughput_delivered,"));
  // All figures are far above zero: the axis says where it begins, and shows the break.
  CHECK_THAT(read_file(folder + "/compare.html"), Contains("KB/s (from ") && Contains("class=\"axis\""));
  // The reason, in the same words in every format.
  for (const auto& text : {run.out, read_file(folder + "/compare.md"), read_file(folder + "/compare.html")}) {
    const auto line = one_line(text);
    CHECK_THAT(line, Contains(fmt::format("3Com 3C523 EtherLink/MC: limited by the wire: {:.0f}", delivered)) &&
                         Contains("of the 1149 KB/s that it carries at most; meanwhile the processor is busy for"));
  }
}

TEST_CASE("a card that keeps the processor busy is not called limited by an almost full wire", "[compare]") {
  const std::string options = "compare --machines model95 --cards ne2 --seconds 1 --sizes 4096 --quiet";
  CHECK_THAT(run_planar(options).out, Catch::Contains("Novell NE/2: limited by the wire"));
  const auto slow = run_planar(options + " --set ne2.data_port.ready_delay=1us").out;
  CHECK_THAT(slow, Catch::Contains("Novell NE/2: limited by the processor") &&
                       Catch::Contains("µs per frame are bus") && !Catch::Contains("limited by the wire"));
}

TEST_CASE("--do netio-receive compares netio's other direction, with the guest as receiver", "[compare]") {
  const auto said = run_planar(
      "compare --do netio-receive --machines model95 --cards ne2,3c529 --seconds 0.2 --sizes 4096 --quiet --json -");
  INFO(said.err);
  REQUIRE(said.status == 0);
  for (const auto& result : said.json()) {
    const auto& row = result["rows"][0];
    CHECK(row["received_kb_per_s"].get<double>() > 500);
    CHECK(row["received_kb_per_s"].get<double>() < 1190);  // 10 Mbit/s, plus buffered data after so short a run
  }
  const auto text =
      run_planar("compare --do netio-receive --machines model95 --cards ne2 --seconds 0.2 --sizes 4096 --quiet");
  CHECK(text.out.find(fmt::format("{:.1f}", said.json()[0]["rows"][0]["received_kb_per_s"].get<double>())) !=
        std::string::npos);
}

TEST_CASE("a frame lost by the receiving guest costs one retransmission, not all later frames", "[compare]") {
  if (program::short_runs()) SKIP("takes a second, in which frames are lost");
  const auto said =
      run_planar("netio --generation 2 --machine model77 --card de210 --seconds 1 --sizes 4096 --quiet --json -");
  REQUIRE(said.status == 0);
  CHECK(said.json()["rows"][0]["received_kb_per_s"].get<double>() > 800);  // 428 if each of them is retransmitted
}

TEST_CASE("cards with a hypothetical interface are marked in every form, and 100 Mbit/s has its own table",
          "[compare]") {
  const Scratch scratch;
  const auto folder = scratch.file("out");
  const auto said =
      run_planar("compare --machines model95 --cards etherstreamer,oc2335,ne2 --report " + folder + brief_compare);
  REQUIRE(said.status == 0);
  const auto fast = said.out.find("100 Mbit/s Ethernet"), slow = said.out.find("10 Mbit/s Ethernet");
  const auto oc2335 = said.out.find("Olicom OC-2335 (hypothetical interface)"), ne2 = said.out.find("Novell NE/2 ");
  REQUIRE(fast != std::string::npos);
  REQUIRE(slow != std::string::npos);
  REQUIRE(oc2335 != std::string::npos);
  CHECK(slow < ne2);
  CHECK(ne2 < fast);
  CHECK(fast < oc2335);
  CHECK(said.out.find("IBM EtherStreamer MC 32 (hypothetical interface)") != std::string::npos);
  CHECK(read_file(folder + "/compare.md").find("Olicom OC-2335 (hypothetical interface)") != std::string::npos);
  CHECK(read_file(folder + "/compare.html").find("<td>Olicom OC-2335 (hypothetical interface)</td>") !=
        std::string::npos);
  const auto csv = read_file(folder + "/compare.csv");
  CHECK(csv.find("KB/s,yes\n") != std::string::npos);
  CHECK(csv.find("KB/s,no\n") != std::string::npos);
  for (const auto& run : nlohmann::json::parse(read_file(folder + "/compare.json")))
    CHECK(run["hypothetical"] == (run["card"] != "ne2"));
}

TEST_CASE("a comparison continues from finished runs, unless they were made differently", "[compare]") {
  const Scratch scratch;
  const auto folder = scratch.file("out");
  const auto command = "compare --machines model56sx --cards ne2 --report " + folder + brief_compare;
  REQUIRE(run_planar(command).status == 0);
  // A mark in the finished run shows whether it was used.
  const auto kept = folder + "/runs/model56sx-ne2.json";
  auto run = nlohmann::ordered_json::parse(read_file(kept));
  run["result"]["cycles"] = 1;
  planar::seal(run);
  std::ofstream(kept) << run.dump();
  const auto cycles = [&](const std::string& arguments) {
    const auto said = run_planar(arguments + " --json -");
    REQUIRE(said.status == 0);
    return said.json()[0]["cycles"].get<std::uint64_t>();
  };
  CHECK(cycles(command) == 1);
  CHECK(cycles(command + " --seed 2") > 1);
  std::ofstream(kept) << run.dump();
  CHECK(cycles(command + " --fresh") > 1);
  std::ofstream(kept) << "{ broken off";
  CHECK(cycles(command) > 1);
}

TEST_CASE("duplicate names run once, and a rate is shown as a number", "[compare]") {
  const auto twice = run_planar("compare --machines 77,model77 --cards ne2,NE2 --sizes 1024 --seconds 0.05 --json -");
  REQUIRE(twice.status == 0);
  CHECK(twice.json().size() == 1);
  const auto rate = run_planar("compare --do flood --machines 77 --cards ne2 --sizes 1024 --seconds 0.05 --quiet");
  REQUIRE(rate.status == 0);
  CHECK(rate.out.find("frames/s            1024") != std::string::npos);
  // A flood's rows differ in load, with pauses in between: a mean over the run would be meaningless.
  CHECK(rate.out.find("      -       -\n") != std::string::npos);
  const auto none = run_planar("compare --machines 77 --cards 3c905b --sizes 1024 --seconds 0.05");
  CHECK(none.status == 2);
  CHECK(none.out.empty());
}

TEST_CASE("a machine file's own card is compared", "[compare]") {
  const Scratch scratch;
  const auto file = scratch.write("slow.toml",
                                  "machine = \"model95\"\n[slot.2]\ncard = \"ne2\"\nirq = 9\n"
                                  "[slot.2.set.data_port]\nready_delay = \"2 us\"\n");
  const auto run = run_planar("compare --machines " + file + ",model95 --cards ne2 --json -" + brief_compare);
  INFO(run.err);
  REQUIRE(run.status == 0);
  const auto rows = run.json();
  REQUIRE(rows.size() == 2);
  CHECK(rows[0]["slot"] == 2);
  CHECK(rows[0]["configuration"]["timing"]["ne2.data_port.ready_delay"] == "2 us");
  CHECK(rows[0]["rows"][1]["kb_per_s"] < rows[1]["rows"][1]["kb_per_s"]);
  const auto alone = run_planar("netio --json - --machine " + file + brief_compare);
  CHECK(rows[0]["state_hash"] == alone.json()["state_hash"]);
}

TEST_CASE("an unknown name is an error before anything runs", "[compare]") {
  CHECK(run_planar("compare --machines model96").status == 2);
  const auto card = run_planar("compare --cards ne3");
  CHECK(card.status == 2);
  CHECK(card.err.find("did you mean 'ne2'") != std::string::npos);
  CHECK(run_planar("compare --cards ne2 --set sknet.x=1").status == 2);
  CHECK(run_planar("compare --cards ne2 --sizes 1,x").status == 2);
}

TEST_CASE("an Ethernet and a Token Ring adapter are compared in one machine", "[compare]") {
  const Scratch scratch;
  const auto folder = scratch.file("out");
  const auto said = run_planar("compare --machines model95 --cards ne2,lanstreamer --report " + folder + brief_compare);
  REQUIRE(said.status == 0);
  for (const auto& text : {said.out, read_file(folder + "/compare.md"), read_file(folder + "/compare.html")}) {
    INFO(text);
    const auto ethernet = text.find(", 10 Mbit/s Ethernet"), ring = text.find(", Token Ring"),
               both = text.find(", side by side");
    REQUIRE(both != std::string::npos);
    CHECK(ethernet < ring);
    CHECK(ring < both);
    // The page calls cards by name, the other outputs by title. The faster one is first.
    const auto faster = std::min(text.find("LANStreamer MC 32", both), text.find("lanstreamer (hyp.)", both));
    const auto slower = std::min(text.find("Novell NE/2", both), text.find(">ne2<", both));
    CHECK(faster < slower);
    CHECK(slower != std::string::npos);
  }
  const auto list = nlohmann::json::parse(read_file(folder + "/compare.json"));
  REQUIRE(list.size() == 2);
  for (const auto& result : list) {
    const auto& parts = result.at("frame_time").at("parts_us");
    double sum = 0;
    for (const auto& part : parts) sum += part.get<double>();
    CHECK(sum > 500);
    CHECK(sum < 2000);
    CHECK(parts.at("wire").get<double>() > 50);  // in so short a run it depends on how ticks and frames coincide
  }
}

TEST_CASE("a Micro Channel card and a PCI card are each compared in a machine with their bus", "[compare]") {
  const Scratch scratch;
  const auto folder = scratch.file("out");
  const auto said =
      run_planar("compare --machines model95,pc-p166 --cards ne2,3c905b --report " + folder + brief_compare);
  INFO(said.err);
  REQUIRE(said.status == 0);
  const auto list = nlohmann::json::parse(read_file(folder + "/compare.json"));
  REQUIRE(list.size() == 2);
  CHECK(list[0]["machine"] == "model95");
  CHECK(list[0]["card"] == "ne2");
  CHECK(list[1]["machine"] == "pc-p166");
  CHECK(list[1]["card"] == "3c905b");
  const auto out = said.out;
  CHECK_THAT(out, Catch::Contains("All machines, side by side") && Catch::Contains("Novell NE/2 in model95") &&
                      !Catch::Contains("not run"));
  for (const auto* file : {"/compare.md", "/compare.html"})
    CHECK_THAT(
        read_file(folder + file),
        Catch::Contains("3Com 3C905B-TX Fast EtherLink XL: limited by") && Catch::Contains("Novell NE/2: limited by") &&
            Catch::Contains("3Com 3C905B-TX Fast EtherLink XL in pc-p166 is faster than Novell NE/2 in model95") &&
            Catch::Contains("pc-p166 has PCI slots: without Novell NE/2"));
}
