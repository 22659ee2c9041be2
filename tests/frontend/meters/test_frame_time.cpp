// SPDX-License-Identifier: GPL-2.0-or-later
// Where the time of a full-size frame goes, as reported by netio.
#include <cmath>

#include "tests/catch.hpp"
#include "tests/frontend/guest_benchmarks/netio_run.hpp"

using program::run_planar;

namespace {

const std::string brief_frames = program::short_runs() ? " --seconds 0.1 --sizes 8192 --quiet --json -"
                                                       : " --seconds 0.3 --sizes 2048,8192 --quiet --json -";

nlohmann::ordered_json frame_time(const std::string& arguments) {
  const auto said = run_planar("netio " + arguments + brief_frames);
  INFO(said.err);
  REQUIRE(said.status == 0);
  return said.json().at("frame_time");
}

double part(const nlohmann::ordered_json& frame, const char* name) {
  return frame.at("parts_us").at(name).get<double>();
}

}  // namespace

TEST_CASE("the parts of a frame's time add up to the time between full-size frames", "[frame-time]") {
  for (const char* cell :
       {"--machine model56sx --card ne2", "--machine model77 --card lan-a", "--machine model95 --card 3c527"}) {
    INFO(cell);
    const auto frame = frame_time(cell);
    CHECK(frame["packet_bytes"] == 8192);
    CHECK(frame["frame_bytes"] == 1518);
    CHECK(frame["frames"].get<int>() > 10);
    std::int64_t sum = 0;
    for (const auto& [name, us] : frame["parts_us"].items()) {
      CHECK(us.get<double>() >= 0);
      sum += std::llround(us.get<double>() * 1000);
    }
    CHECK(sum == std::llround(frame["us"].get<double>() * 1000));
    CHECK(frame["us"].get<double>() > 1230.4);  // the frame's own time on the wire
    CHECK(frame["us"].get<double>() < 4000);
  }
}

TEST_CASE("a processor-bound card has no wire time, a bus master waits for the wire", "[frame-time]") {
  const auto slow = frame_time("--machine model56sx --card ne2");
  CHECK(part(slow, "wire") + part(slow, "card") + part(slow, "idle") < 0.02 * slow["us"].get<double>());
  CHECK(part(slow, "stack") > part(slow, "cpu_copy"));
  const auto fast = frame_time("--machine model95 --card 3c527");
  CHECK(part(fast, "wire") > 0.6 * fast["us"].get<double>());
  CHECK(part(fast, "wire") < 1400);
}

TEST_CASE("a slower data port adds its delay per word to bus wait, and to nothing else", "[frame-time]") {
  const auto plain = frame_time("--machine model56sx --card ne2 --set ne2.data_port.ready_delay='1200 ns'");
  const auto slower = frame_time("--machine model56sx --card ne2 --set ne2.data_port.ready_delay='1700 ns'");
  // 757 words out, and 35 words in for the acknowledgement of every second frame; shorter frames in between add some.
  const double more = part(slower, "bus_wait") - part(plain, "bus_wait");
  INFO(more << " us more bus wait");
  CHECK(more > 757 * 0.5);
  CHECK(more < 757 * 0.5 * 1.35);
  CHECK(std::abs(part(slower, "cpu_copy") - part(plain, "cpu_copy")) < 0.1 * part(plain, "cpu_copy"));
}

TEST_CASE("a card's late service counts as card time", "[frame-time]") {
  const auto with = frame_time("--machine model95 --card 3c527");
  const auto later = frame_time("--machine model95 --card 3c527 --set 3c527.firmware.sent='550 us'");
  CHECK(part(later, "card") > part(with, "card") + 300);
}

TEST_CASE("the summary and a comparison's report show the parts", "[frame-time][compare]") {
  const auto said = run_planar("netio --machine model95 --card ne2 --seconds 0.05 --sizes 8192 --quiet");
  CHECK(said.out.find("from one frame of 1518 bytes to the next ") != std::string::npos);
  CHECK(said.out.find(", bus wait ") != std::string::npos);
  const program::Scratch scratch;
  const auto folder = scratch.file("out");
  REQUIRE(run_planar("compare --machines model95 --cards ne2 --seconds 0.05 --sizes 8192 --quiet --report " + folder)
              .status == 0);
  CHECK(program::read_file(folder + "/compare.html").find("Where the time of a data frame goes") != std::string::npos);
  CHECK(program::read_file(folder + "/compare.md")
            .find("| card | all | CPU copy | stack | bus wait | card | wire | idle |") != std::string::npos);
  CHECK(program::read_file(folder + "/compare.csv").find("model95,ne2,8192,frame_bus_wait,") != std::string::npos);
}
