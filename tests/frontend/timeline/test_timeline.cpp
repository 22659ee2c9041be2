// SPDX-License-Identifier: GPL-2.0-or-later
// --timeline as seen by its user and by viewers.
#include <cstring>

#include "tests/catch.hpp"
#include "tests/frontend/timeline/trace_events.hpp"

using Catch::Matchers::Contains;
using program::read_file;
using program::run_planar;
using program::Scratch;
using trace_events::Slice;

namespace {

const std::string brief_timeline = " --seconds 0.2 --sizes 8192 ";

/// The time stamps of a capture's packets in ns: draft-ietf-opsawg-pcapng, block type 6.
std::vector<std::int64_t> capture_stamps(const std::string& file) {
  const std::string bytes = read_file(file);
  const auto u32 = [&](std::size_t at) {
    std::uint32_t value = 0;
    std::memcpy(&value, bytes.data() + at, 4);
    return value;
  };
  std::vector<std::int64_t> stamps;
  for (std::size_t at = 0; at + 12 <= bytes.size(); at += u32(at + 4))
    if (u32(at) == 6) stamps.push_back(static_cast<std::int64_t>(std::uint64_t{u32(at + 12)} << 32 | u32(at + 16)));
  return stamps;
}

}  // namespace

TEST_CASE("a timeline opens in a viewer, has the capture's frame numbers, and does not affect the run", "[timeline]") {
  const Scratch scratch;
  const auto file = scratch.file("t.json"), capture = scratch.file("c.pcapng");
  const std::string netio = "netio --card ne2 --seconds 0.2 --sizes 1024 ";  // short blocks: the program runs often
  const auto with = run_planar(netio + "--json - --timeline " + file + " --capture " + capture);
  INFO(with.err);
  REQUIRE(with.status == 0);
  CHECK_THAT(with.err,
             Contains("planar: timeline " + file + ": ") && Contains(" cycles of the processor on the bus, frames "));
  const auto without = run_planar(netio + "--quiet --json -").json();
  CHECK(with.json()["state_hash"] == without["state_hash"]);
  CHECK(with.json()["cycles"] == without["cycles"]);

  const auto trace = trace_events::read(file);
  CHECK(trace.problem.empty());
  CHECK_FALSE(trace.track("model95: processor").empty());
  CHECK_FALSE(trace.track("model95: channel owner").empty());  // refresh
  CHECK_FALSE(trace.track("model95: IRQ 3").empty());
  CHECK_FALSE(trace.track("model95: slot1.ne2, DP8390, transmitter: state").empty());
  CHECK(trace.counters.contains("slot1.ne2, DP8390, remote DMA: bytes left"));
  std::map<std::string, unsigned> states;
  for (const Slice& slice : trace.track("model95: processor")) ++states[slice.name];
  for (const char* state : {"user", "kernel", "interrupt 23h", "halted", "waits for the bus"}) {
    INFO(state);
    CHECK(states[state] > 0);
  }

  const auto stamps = capture_stamps(capture);
  REQUIRE(stamps.size() > 50);
  const auto& sent = trace.track("medium segment: from slot1.ne2.port");
  const auto& received = trace.track("medium segment: from peer.port");
  CHECK(sent.size() >= 5);
  CHECK_FALSE(received.empty());
  for (const auto* list : {&sent, &received})
    for (const Slice& slice : *list) {
      INFO(slice.name);
      const auto number = slice.arguments.at("frame").get<std::size_t>();
      CHECK(slice.name == "frame " + std::to_string(number));
      CHECK(slice.to / 1000 == stamps.at(number - 1));
    }
  CHECK(trace.markers.size() == sent.size() + received.size());
}

TEST_CASE("a timeline can be limited to a time span or a frame number", "[timeline]") {
  const Scratch scratch;
  const auto file = scratch.file("t.json"), frame = scratch.file("f.json");
  REQUIRE(
      run_planar("run model56sx --quiet --until '9 ms' --timeline-from '5 ms' --timeline-for '2 ms' --timeline " + file)
          .status == 0);
  const auto span = trace_events::read(file);
  CHECK(span.problem.empty());
  REQUIRE_FALSE(span.track("model56sx: processor").empty());
  CHECK(span.track("model56sx: processor").front().from == 5'000'000'000);
  CHECK(span.track("model56sx: processor").back().to <= 7'000'000'000);
  CHECK(span.track("model56sx: channel").size() > 20);
  CHECK(span.track("model56sx: processor").front().name == "real mode");

  REQUIRE(run_planar("netio --machine model77 --card smc8013 --quiet --timeline-frame 20 --timeline " + frame +
                     brief_timeline)
              .status == 0);
  const auto around = trace_events::read(frame);
  CHECK(around.problem.empty());
  std::vector<std::uint64_t> numbers;
  for (const Slice& marker : around.markers) numbers.push_back(marker.arguments.at("frame"));
  CHECK(numbers.front() == 17);
  CHECK(numbers.back() == 21);
}

TEST_CASE("two machines are two processes of one timeline", "[timeline]") {
  const Scratch scratch;
  const auto file = scratch.file("t.json");
  const std::string netio = "netio --card 3c527 --against model56sx:3c529 --quiet --json - --seconds 0.3 --sizes 8192";
  const auto with = run_planar(netio + " --timeline " + file);
  REQUIRE(with.status == 0);
  CHECK(with.json()["state_hash"] == run_planar(netio).json()["state_hash"]);
  const auto trace = trace_events::read(file);
  CHECK(trace.problem.empty());
  CHECK(trace.processes.size() == 3);
  CHECK_FALSE(trace.track("client: channel owner").empty());
  CHECK_FALSE(trace.track("server: slot1.3c529, EtherLink III, RX FIFO: arriving frame").empty());
  CHECK_FALSE(trace.track("medium segment: from server.slot1.3c529.port").empty());
}

TEST_CASE("a timeline is complete if the run ends in it, and opens even if truncated", "[timeline]") {
  const Scratch scratch;
  const auto file = scratch.file("t.json");
  const std::string run = "run model56sx --quiet --timeline-for '1 s' --timeline " + file + " --until '6 ms'";
  REQUIRE(run_planar(run).status == 0);
  const auto whole = read_file(file);
  CHECK(whole.ends_with("\n]\n"));
  CHECK(trace_events::parse(whole).problem.empty());
  // The process may write at most 64 KB.
  const auto command = "ulimit -f 128; '" + std::string(PLANAR_BINARY) + "' " + run;
  CHECK(std::system(("( " + command + " ) >/dev/null 2>&1").c_str()) != 0);
  const auto cut = read_file(file);
  REQUIRE(cut.size() < whole.size());
  CHECK_FALSE(cut.ends_with("\n]\n"));
  CHECK(trace_events::parse(cut).track("model56sx: channel").size() > 50);
  CHECK(run_planar("diff " + file + " " + file).status == 0);
}

TEST_CASE("an invalid timeline request is refused with the option and the remedy", "[timeline]") {
  const Scratch scratch;
  const auto file = scratch.file("t.json");
  const auto refused = [&](const std::string& options, int status, const std::string& words) {
    const auto said = run_planar("run model56sx --quiet --until '1 ms' " + options);
    INFO(options << "\n" << said.err);
    CHECK(said.status == status);
    CHECK_THAT(said.err, Contains(words));
  };
  refused("--timeline /nowhere/t.json", 3, "--timeline /nowhere/t.json: cannot be written");
  refused("--timeline-for '1 ms'", 2, "need --timeline");
  refused("--timeline-from soon --timeline " + file, 2, "--timeline-from soon: is not a time");
  refused("--timeline-frame 0 --timeline " + file, 2, "--timeline-frame 0: write a frame's number");
  refused("--timeline-frame 3 --timeline-for '1 ms' --timeline " + file, 2, "leave the times out");
  refused("--timeline " + file, 0, "warning: timeline " + file + " is empty");
  if (std::filesystem::exists("/dev/full"))
    refused("--timeline-from '0 s' --timeline /dev/full", 3, "/dev/full: the timeline could not be written completely");
}
