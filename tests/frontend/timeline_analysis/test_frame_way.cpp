// SPDX-License-Identifier: GPL-2.0-or-later
// A timeline of one data frame through the NE/2 and through the 3C527 shows what the cards do, as described in
// docs/timeline.md.
#include <algorithm>

#include "frontend/timeline_analysis/frame_picture.hpp"
#include "frontend/timeline_analysis/frame_way.hpp"
#include "tests/catch.hpp"
#include "tests/frontend/first_frames.hpp"
#include "tests/frontend/program.hpp"

using namespace planar;
using Catch::Matchers::Contains;
using program::read_file;
using program::run_planar;
using program::Scratch;

namespace {

FrameWay way_of(const std::string& card, const std::string& machine = "model95") {
  const Scratch scratch;
  const auto file = scratch.file("t.json");
  REQUIRE(run_planar("netio --machine " + machine + " --card " + card +
                     " --seconds 0.3 --sizes 8192 --quiet --timeline " + file)
              .status == 0);
  return FrameWay::read(file, card);
}

Time within(const FrameWay::Lane& lane, Time from, Time to) {
  Time sum{};
  for (const FrameWay::Span& span : lane.spans)
    sum += std::max(Time{}, std::min(span.to, to) - std::max(span.from, from));
  return sum;
}

const FrameWay::Lane& engine(const FrameWay& way, const std::string& name) {
  const auto found =
      std::find_if(way.engines.begin(), way.engines.end(), [&](const auto& lane) { return lane.name == name; });
  REQUIRE(found != way.engines.end());
  return *found;
}

void check_page(const FrameWay& way) {
  const auto page = read_file(PLANAR_SOURCE_DIR "/docs/timeline.md");
  for (const auto& line : frame_way_text(way)) CHECK_THAT(page, Contains(line));
}

}  // namespace

TEST_CASE("NE/2: REP OUTSW fills the time before transmission, and the processor waits for each word", "[timeline]") {
  const FrameWay way = way_of("ne2");
  CHECK(way.bytes == 1518);
  // The card is loaded with the frame while it sends the previous one.
  const auto& loads = engine(way, "remote DMA: direction").spans;
  const auto load = std::find_if(loads.begin(), loads.end(), [](const auto& span) { return span.length() > 100_us; });
  REQUIRE(load != loads.end());
  const auto words = std::count_if(way.bus.spans.begin(), way.bus.spans.end(), [&](const auto& span) {
    return span.name == "I/O write 1010" && span.from >= load->from && span.to <= load->to;
  });
  CHECK(words == 757);  // 1514 bytes
  CHECK(within(way.bus_wait, load->from, load->to) * 100 / load->length() >= 75);
  const auto sends = std::find_if(way.sent.spans.begin(), way.sent.spans.end(),
                                  [&](const auto& span) { return span.name == "frame " + std::to_string(way.frame); });
  REQUIRE(sends != way.sent.spans.end());
  CHECK(load->to < sends->from);
  for (const auto& span : way.bus.spans) CHECK(span.kind != "transfer");
  check_page(way);
}

TEST_CASE("3C905B on PCI: transactions, interrupts and the wire are on the frame's path", "[timeline]") {
  const FrameWay way = way_of("3c905b", "pc-p166");
  CHECK(way.bytes == 1518);
  std::uint32_t fetched = 0;
  for (const auto& span : way.bus.spans) {
    unsigned bytes = 0;
    if (std::sscanf(span.name.c_str(), "slot1.3c905b reads %u bytes", &bytes) == 1) fetched += bytes;
  }
  CHECK(fetched >= 1514);  // in the time of two frames: the card may fetch one before the previous one has been sent
  CHECK_FALSE(way.interrupt.spans.empty());
  for (const auto& span : way.interrupt.spans) CHECK(span.name == "slot 1");
  CHECK_FALSE(way.sent.spans.empty());
  CHECK_THAT(frame_way_text(way).at(1), Contains("bus: port cycles") && Contains("bus master's transfers"));
}

TEST_CASE("3C527: the bus master fetches the frame from memory, and the processor only passes its address",
          "[timeline]") {
  const FrameWay way = way_of("3c527");
  CHECK(way.bytes == 1518);
  std::uint32_t fetched = 0;
  Time fetching{};
  std::size_t ports = 0;
  for (const auto& span : way.bus.spans) {
    if (span.to > way.before) break;  // only earlier spans: from then on the frame is in card RAM
    unsigned bytes = 0;
    if (std::sscanf(span.name.c_str(), "slot1.3c527 reads %u bytes", &bytes) == 1) {
      fetched += bytes;
      fetching += span.length();
    }
    ports += span.kind == "I/O";
  }
  CHECK(fetched >= 1514);
  CHECK(fetching > 70_us);
  CHECK(fetching < 200_us);
  CHECK(ports < 250);  // the NE/2 needs 757 for the data alone
  const auto& master = engine(way, "bus master").spans;
  CHECK(std::count_if(master.begin(), master.end(), [](const auto& span) { return span.name == "transfers"; }) > 20);
  check_page(way);
}

TEST_CASE("the picture names every lane and card, and is self-contained", "[timeline]") {
  FrameWay a, b;
  a.title = "Card <A>";
  b.title = "Card B";
  for (FrameWay* way : {&a, &b}) {
    way->frame = 7;
    way->bytes = 1518;
    way->from = 0_us;
    way->before = 1000_us;
    way->to = 2200_us;
    way->processor.spans = {{0_us, 2000_us, "kernel", "kernel"}};
    way->engines = {{"transmitter", {{1000_us, 2200_us, "sends", "sends"}}}};
    way->levels = {{"TX FIFO: bytes held", {{0_us, 0}, {500_us, 1514}}}};
    way->sent.spans = {{1000_us, 2200_us, "sent", "frame 7"}};
  }
  const auto svg = svg_frame_ways("ways", {a, b});
  CHECK_THAT(svg, Contains("Card &lt;A&gt;") && Contains("Card B") && Contains("transmitter") &&
                      Contains("TX FIFO: bytes held: up to 1514") && Contains("wire, received") &&
                      Contains("frame 7, 1518 bytes: 1200 µs") && Contains("0 is the end of the previous data frame"));
  CHECK(svg.find("href") == std::string::npos);
  CHECK(svg.starts_with("<svg "));
  CHECK(svg.ends_with("</svg>\n"));
}

TEST_CASE("compare --timeline draws the frame's path, card above card, and keeps the files", "[timeline][compare]") {
  const Scratch scratch;
  const auto folder = scratch.file("out");
  const auto said = run_planar(
      "compare --machines model95 --cards ne2,3c527,3c523-old --seconds 0.05 --sizes 8192 "
      "--quiet --report " +
      folder + " --timeline " + folder + "/timelines");
  INFO(said.err);
  REQUIRE(said.status == 0);
  const auto page = read_file(folder + "/compare.html");
  const auto picture = page.find("The path of one data frame");
  REQUIRE(picture != std::string::npos);
  CHECK(page.find(">Novell NE/2</text>", picture) < page.find("3C527", page.find(">Novell NE/2</text>", picture)));
  CHECK(FrameWay::read(folder + "/timelines/model95-3c527.timeline.json", "").bytes == 1518);
  const auto plan = run_planar("compare --machines model95 --cards ne2 --plan --report " + folder + " --timeline x");
  CHECK(plan.status == 2);
  CHECK_THAT(plan.err, Contains("--timeline x: --plan runs nothing"));
}

TEST_CASE("diff names the first cycle at which two runs diverge", "[timeline][diff]") {
  const Scratch scratch;
  const auto a = scratch.file("a.json"), b = scratch.file("b.json"), c = scratch.file("c.json");
  const std::string short_netio = "netio --card ne2 --seconds 0.05 --sizes 1024 --quiet";
  const std::string from = std::to_string(program::sending_from(short_netio));
  const std::string netio = short_netio + " --timeline-from '" + from + " ms' --timeline ";
  REQUIRE(run_planar(netio + a + " --json " + a + ".result").status == 0);
  REQUIRE(run_planar(netio + b).status == 0);
  REQUIRE(run_planar(netio + c + " --set ne2.register.ready_delay=550ns --json " + c + ".result").status == 0);
  const auto same = run_planar("diff " + a + " " + b);
  INFO(same.out << same.err);
  CHECK(same.status == 0);
  CHECK_THAT(same.out, Contains("no difference in ") && Contains(" cycles on the bus"));

  const auto said = run_planar("diff " + a + " " + c);
  INFO(said.out << said.err);
  CHECK(said.status == 1);
  CHECK_THAT(said.out, Contains("the runs diverge at cycle ") && Contains(a + ": ") && Contains(" µs "));
  const auto j = run_planar("diff " + a + " " + c + " --json -").json();
  CHECK(j["schema"] == "planar.timeline-diff/1");
  CHECK(j["equal"] == false);
  CHECK(j["in_time"]["first"]["start_ps"] != j["in_time"]["second"]["start_ps"]);

  const auto both = run_planar("diff " + a + ".result " + c + ".result --timeline " + a + " " + c);
  CHECK(both.status == 1);
  CHECK_THAT(both.out, Contains("timing.ne2.register.ready_delay") && Contains("the runs diverge at cycle "));
  CHECK(run_planar("diff " + a + " " + a + ".result").status == 3);
}
