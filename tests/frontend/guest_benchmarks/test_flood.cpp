// SPDX-License-Identifier: GPL-2.0-or-later
// flood in the guest: every frame from the station's generator is either delivered or lost somewhere, and all counts
// agree.

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <tuple>

#include "tests/catch.hpp"
#include "tests/frontend/guest_benchmarks/netio_run.hpp"

using namespace program;
using Catch::Matchers::Contains;

namespace {

using Row = nlohmann::ordered_json;

std::string for_seconds() { return " --quiet --json - --seconds " + std::string(short_runs() ? "0.05" : "0.3"); }

std::uint64_t count(const Row& row, const char* key) { return row.at(key).get<std::uint64_t>(); }
double figure(const Row& row, const char* key) { return row.at(key).get<double>(); }

std::uint64_t lost(const Row& row) {
  std::uint64_t all = 0;
  for (const auto& [where, frames] : row.at("lost").items()) all += frames.get<std::uint64_t>();
  return all;
}

void check_row(const Row& row) {
  INFO(row.dump());
  CHECK(count(row, "offered") == count(row, "delivered") + lost(row));
  CHECK(count(row, "delivered") >= count(row, "delivered_in_time"));
  CHECK(figure(row, "delivered_per_s") <= figure(row, "offered_per_s"));
  const Row& cpu = row.at("cpu_percent");
  const double looked =
      figure(cpu, "interrupt") + figure(cpu, "bottom_half") + figure(cpu, "process") + figure(cpu, "idle_task");
  CHECK(std::abs(looked + figure(cpu, "idle") - 100) < 0.1);
  // From samples every 10 us, and from the processor's clocks. A processor that is woken by an interrupt is sampled as
  // idle until the acknowledge cycle has ended: a microsecond in a PC, less on a PS/2.
  const double acknowledging = 100 * 1e-6 * static_cast<double>(count(row, "interrupts")) / figure(row, "seconds");
  const double more = figure(cpu, "busy") - looked, bound = short_runs() ? 3 : 1;
  CHECK(more > -bound);
  CHECK(more < bound + acknowledging);
  if (row.contains("latency_us")) {
    const Row& latency = row.at("latency_us");
    CHECK(figure(latency, "p50") > 0);
    CHECK(figure(latency, "p50") <= figure(latency, "p90"));
    CHECK(figure(latency, "p90") <= figure(latency, "p99"));
    CHECK(figure(latency, "p99") <= figure(latency, "max"));
  }
}

/// The generator's frames in a capture: UDP from its port, with the number of a run and a frame number.
std::uint64_t generated_frames(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  const std::vector<std::uint8_t> all{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  const auto little32 = [&](std::size_t at) {
    return all.at(at) | all.at(at + 1) << 8 | all.at(at + 2) << 16 | static_cast<std::uint32_t>(all.at(at + 3)) << 24;
  };
  constexpr std::uint32_t enhanced_packet = 6;
  std::uint64_t frames = 0;
  for (std::size_t at = 0; at + 8 <= all.size(); at += little32(at + 4)) {
    if (little32(at) != enhanced_packet) continue;
    const std::size_t frame = at + 28;
    const auto big16 = [&](std::size_t n) { return all.at(frame + n) << 8 | all.at(frame + n + 1); };
    if (little32(at + 20) < 46 || big16(12) != 0x0800 || all.at(frame + 23) != 17 || big16(34) != 12900) continue;
    frames += big16(42) == 0;  // an answer begins with its magic number there
  }
  return frames;
}

}  // namespace

TEST_CASE("flood: below the knee all frames are delivered, above it every loss is located, reproducibly") {
  const auto command = "flood --machine model56sx --card ne2 --rates 500,4000,14880" + for_seconds();
  const auto first = run_planar(command);
  INFO(first.err);
  REQUIRE(first.status == 0);
  const auto j = first.json();
  CHECK(j.at("schema") == "planar.flood/1");
  REQUIRE(j.at("rows").size() == 3);
  for (const Row& row : j.at("rows")) check_row(row);
  const Row &low = j.at("rows").at(0), &high = j.at("rows").at(2);
  CHECK(lost(low) == 0);
  CHECK(count(low, "delivered_in_time") == count(low, "offered"));
  CHECK(j.at("knee_per_s") == low.at("offered_per_s"));
  CHECK(figure(high, "offered_per_s") > 14700);
  CHECK(figure(high, "offered_per_s") <= 14881);  // for 64 bytes with preamble and gap
  CHECK(figure(high, "delivered_per_s") < 500);   // a 386SX takes 67 us or more for the interrupt of a frame
  CHECK(figure(high.at("cpu_percent"), "interrupt") > 80);
  CHECK(without_host_time(run_planar(command).json()) == without_host_time(j));
}

TEST_CASE("flood: the capture agrees with the generator's counters") {
  const auto file = std::filesystem::temp_directory_path() / ("planar-flood-" + std::to_string(::getpid()) + ".pcapng");
  const auto run = run_planar("flood --machine model77 --card 3c529 --rates 1000,14880 --burst 4 --capture " +
                              file.string() + for_seconds());
  INFO(run.err);
  REQUIRE(run.status == 0);
  std::uint64_t offered = 0;
  const auto j = run.json();
  for (const Row& row : j.at("rows")) {
    check_row(row);
    offered += count(row, "offered");
  }
  CHECK(generated_frames(file) == offered);
  std::filesystem::remove(file);
}

TEST_CASE("flood: fewer frames arrive at deeper points, and a full backlog drops until it is empty") {
  if (short_runs()) SKIP("takes whole runs");
  const auto delivered = [](const std::string& depth) {
    const auto run = run_planar("flood --machine model77 --card 3c529 --rates 7000 --depth " + depth + for_seconds());
    INFO(run.err);
    REQUIRE(run.status == 0);
    const Row row = run.json().at("rows").at(0);
    check_row(row);
    return figure(row, "delivered_per_s");
  };
  const double driver = delivered("driver"), stack = delivered("stack"), process = delivered("process");
  CHECK(driver > 6900);
  CHECK(driver >= stack);
  CHECK(stack > 2 * process);

  const auto run = run_planar("flood --machine model77 --card 3c529 --rates 10000 --depth stack" + for_seconds());
  REQUIRE(run.status == 0);
  const Row row = run.json().at("rows").at(0);
  check_row(row);
  REQUIRE(count(row.at("lost"), "backlog") > 0);
  CHECK(lost(row) == count(row.at("lost"), "backlog"));
  // While 301 frames are processed at least a third as many arrive, and all of them are lost.
  CHECK(count(row.at("gaps"), "longest") > 100);
  CHECK(count(row.at("gaps"), "count") < 10);
}

TEST_CASE("flood: longer frames and bursts") {
  const auto run =
      run_planar("flood --machine model95 --card 3c523 --frame 1518 --burst 8 --rates 200,813" + for_seconds());
  INFO(run.err);
  REQUIRE(run.status == 0);
  const auto j = run.json();
  for (const Row& row : j.at("rows")) check_row(row);
  CHECK(figure(j.at("rows").at(1), "offered_per_s") > 780);
}

TEST_CASE("flood: a switch's full queue does not make a ring faster than it is") {
  const auto flood = [](const std::string& options) {
    const auto run =
        run_planar("flood --quiet --machine model95 --card lanstreamer --frame 1518 --rates 2000 --json - " + options);
    INFO(run.err);
    REQUIRE(run.status == 0);
    return run.json().at("rows").at(0);
  };
  const Row behind_switch = flood("--seconds 0.3"), one_ring = flood("--seconds 0.3 --rate '16 Mbit/s'");
  for (const Row& row : {behind_switch, one_ring}) {
    INFO(row.dump());
    CHECK(count(row, "offered") == count(row, "delivered") + lost(row));
    CHECK(count(row, "delivered_in_time") == count(row, "delivered"));
    CHECK(figure(row, "offered_per_s") > 1250);
    CHECK(figure(row, "offered_per_s") < 16e6 / 8 / 1518);
  }
  CHECK(figure(behind_switch, "seconds") > 0.33);                   // 84 frames from the queue
  CHECK(figure(one_ring, "seconds") == Approx(0.3).epsilon(0.01));  // up to the end of a frame
  CHECK(count(behind_switch, "bridge") > 0);
  const auto text = run_planar("flood --quiet --card lanstreamer --frame 1518 --rates 2000 --seconds 0.2").out;
  CHECK_THAT(text, Contains("were lost before they reached this medium, at a bridge or switch") &&
                       Contains("when the last one had been generated"));
}

TEST_CASE("flood: the usual rates of a ring reach what it takes") {
  for (const auto& [card, highest, takes] : {std::tuple("lanstreamer", 26000, 23000), {"tr4-a", 6500, 6000}}) {
    const auto run =
        run_planar(fmt::format("flood --quiet --machine model95 --card {} --rate \"{}\" --depth driver "
                               "--seconds 0.05 --json -",
                               card, highest > 10000 ? "16 Mbit/s" : "4 Mbit/s"));
    INFO(card << run.err);
    REQUIRE(run.status == 0);
    const auto rows = run.json().at("rows");
    REQUIRE(rows.size() == 8);
    CHECK(rows.back().at("rate") == highest);
    CHECK(figure(rows.back(), "offered_per_s") > takes);
    CHECK(count(rows.back(), "held_back") > 0);
  }
}

TEST_CASE("flood: every card accounts for every frame") {
  if (short_runs()) SKIP("takes a run for each card");
  const auto cards = std::filesystem::temp_directory_path() / ("planar-cards-" + std::to_string(::getpid()) + ".json");
  REQUIRE(run_planar("list cards --json " + cards.string()).status == 0);
  std::ifstream in(cards);
  unsigned looked_at = 0;
  for (const auto& card : nlohmann::ordered_json::parse(in)) {
    const auto name = card.at("name").get<std::string>();
    if (name == "3c523-old") continue;  // works only with a 386
    const std::string machine = card.at("bus") == "pci" ? "pc-p166" : "model77";
    const auto run = run_planar("flood --machine " + machine + " --card " + name +
                                " --rates 1000,9973 --quiet --json - --seconds 0.1");
    INFO(name << ": " << run.err);
    REQUIRE(run.status == 0);
    const auto j = run.json();
    for (const Row& row : j.at("rows")) check_row(row);
    REQUIRE(!j.at("rows").empty());
    CHECK(figure(j.at("rows").at(0), "delivered_per_s") > 980);
    ++looked_at;
  }
  std::filesystem::remove(cards);
  CHECK(looked_at > 15);
}

TEST_CASE("flood fails if none of its generator's frames arrive") {
  const Scratch scratch;
  const auto machine = scratch.write("apart.toml", R"(machine = "model95"
[net]
attach = "peer"
medium = "b"
[medium.a]
kind = "ethernet"
[medium.b]
kind = "ethernet"
[slot.1]
card = "ne2"
medium = "a"
)");
  const auto said = run_planar("flood --quiet --rates 1000 --seconds 0.05 --machine " + machine);
  CHECK(said.status == 1);
  CHECK_THAT(said.err, Contains("ne2 in slot 1 does not reach the generator"));
}

TEST_CASE("flood refuses invalid options") {
  const auto refused = [](const std::string& options, const std::string& why) {
    const auto run = run_planar("flood --machine model77 --quiet " + options);
    CHECK(run.status != 0);
    CHECK_THAT(run.err, Contains(why));
  };
  refused("--rates 0", "--rates");
  refused("--rates 1,1600000", "--rates");
  refused("--frame 63", "--frame");
  refused("--frame 1519", "--frame");
  refused("--burst 0", "--burst");
  refused("--burst 200 --rates 10", "--burst");
  refused("--depth nowhere", "--depth");
  refused("--seconds 61", "--seconds");
  refused("--against model77", "--against");
  refused("--restore nothing.snap", "--restore");
}
