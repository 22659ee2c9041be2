// SPDX-License-Identifier: GPL-2.0-or-later
// Damaged or forged snapshots with a valid checksum are refused, or run within bounds of time and memory.
#include <chrono>
#include <filesystem>
#include <fstream>
#include <random>

#include "machines/config/machine_files.hpp"
#include "machines/lab/lab.hpp"
#include "tests/catch.hpp"
#include "tests/memory_limit.hpp"

using namespace planar;
using Catch::Matchers::Contains;
using planar::tests::fits_into_memory;

namespace {

Config small_machine() {
  Config config = load_machine("model56sx");
  config.set("slot.1.card", "ne2", "test");
  return config;
}

struct Saved {
  std::string configuration;
  std::vector<std::uint8_t> state;
};

Saved saved_after(Time run) {
  Lab lab(small_machine());
  lab.scheduler().run_until(run);
  Archive a = Archive::saver();
  lab.archive(a);
  return {lab.configuration(), a.stream()};
}

/// Restores `state` and runs on for a millisecond. Returns the message if it was refused.
std::string restored(const Saved& saved, const std::vector<std::uint8_t>& state) {
  Lab lab(parse_lab(saved.configuration, "test"));
  try {
    Archive a = Archive::loader(state);
    lab.archive(a);
    a.expect_end();
  } catch (const Error& e) { return e.what(); }
  lab.scheduler().run_until(lab.scheduler().now() + 1_ms);
  return {};
}

/// The offset of the values of part `name`, after its name and version.
std::size_t part(const std::vector<std::uint8_t>& state, const std::string& name) {
  std::string marked(4, '\0');
  marked[0] = static_cast<char>(name.size());
  marked += name;
  const auto at = std::search(state.begin(), state.end(), marked.begin(), marked.end());
  REQUIRE(at != state.end());
  return static_cast<std::size_t>(at - state.begin()) + marked.size() + 4;
}

void put_time(std::vector<std::uint8_t>& state, std::size_t at, Time t) {
  for (unsigned n = 0; n < 8; ++n) state[at + n] = static_cast<std::uint8_t>(static_cast<std::uint64_t>(t.ps) >> 8 * n);
}

}  // namespace

TEST_CASE("a snapshot whose bus, processor or event times are far from its own is refused") {
  const Saved saved = saved_after(20_ms);
  REQUIRE(restored(saved, saved.state) == "");
  const auto with = [&](const std::string& name, std::size_t offset, Time t) {
    auto state = saved.state;
    put_time(state, part(state, name) + offset, t);
    return restored(saved, state);
  };
  for (std::size_t value = 0; value < 4; ++value) {  // busy until, processor from, phase end, next refresh
    INFO(value);
    CHECK_THAT(with("channel", 8 * value, 100'000_s), Contains("damaged bus channel"));
  }
  CHECK_THAT(with("scheduler", 0, Time{-1}), Contains("time is impossible"));
  CHECK_THAT(with("scheduler", 0, 9'000'000_s), Contains("time is impossible"));
  // The clocks counted by the processor: a bool, then a count at 20 MHz.
  CHECK_THAT(with("cpu.timing", 1, Time{1'000'000'000'000}), Contains("processor's time"));
  CHECK_THAT(with("cpu.timing", 1, Time::never()), Contains("processor's time"));  // their time wraps around to 0
  CHECK_THAT(with("cpu.timing", 9, Time{1'000'000'000'000}), Contains("damaged processor"));  // its bus is free then
}

TEST_CASE("a snapshot with any bytes changed is refused or runs on") {
  const Saved saved = saved_after(20_ms);
  std::mt19937 random(7);
  unsigned refused = 0, ran = 0;
  // Except memory, where nothing can go wrong: the devices' parts are before and after it.
  const std::size_t memory = part(saved.state, "memory");
  for (unsigned round = 0; round < 60; ++round) {
    auto state = saved.state;
    for (unsigned n = 1 + random() % 4; n-- > 0;)
      state[random() % 2 ? random() % memory : state.size() - 1 - random() % 8000] =
          static_cast<std::uint8_t>(random());
    const auto begun = std::chrono::steady_clock::now();
    try {
      ++(restored(saved, state).empty() ? ran : refused);
    } catch (const std::exception& e) { FAIL("round " << round << ": " << e.what()); }
    INFO("round " << round);
    CHECK(std::chrono::steady_clock::now() - begun < std::chrono::seconds(20));
  }
  CHECK(refused > 0);
  CHECK(ran > 0);
}

TEST_CASE("a snapshot of another format is refused with both versions and the file name") {
  const auto file = std::filesystem::temp_directory_path() / "planar-test-format.snap";
  Snapshot snapshot;
  snapshot.configuration = saved_after(1_ms).configuration;
  write_snapshot(file, snapshot);
  std::fstream(file, std::ios::binary | std::ios::in | std::ios::out).seekp(8).put(77);  // its format's lowest byte
  std::string said;
  try {
    read_snapshot(file);
  } catch (const Error& e) { said = e.what(); }
  CHECK_THAT(said, Contains("planar-test-format.snap: is a snapshot of format 77, and this planar reads format "));
  CHECK_THAT(said, Contains("create a new one with --snapshot-at"));
  std::filesystem::remove(file);
}

TEST_CASE("a snapshot cannot claim more memory than its machines can have") {
  const auto file = std::filesystem::temp_directory_path() / "planar-test-claims.snap";
  Snapshot snapshot;
  snapshot.configuration = saved_after(1_ms).configuration;
  snapshot.state.resize(std::size_t{300} << 20);
  write_snapshot(file, snapshot);
  CHECK(std::filesystem::file_size(file) < 100'000);  // zeros
  std::string said;
  try {
    read_snapshot(file);
  } catch (const Error& e) { said = e.what(); }
  CHECK_THAT(said, Contains("at most"));
  std::filesystem::remove(file);
}

TEST_CASE("a small snapshot that claims millions of elements allocates no memory for them") {
  const auto file = std::filesystem::temp_directory_path() / "planar-test-millions.snap";
  const Saved saved = saved_after(20_ms);
  Snapshot snapshot;
  snapshot.configuration = saved.configuration;
  const auto restore = [&] {
    Snapshot read = read_snapshot(file);
    Lab lab(parse_lab(read.configuration, "test"));
    Archive a = Archive::loader(std::move(read.state));
    lab.archive(a);
    a.expect_end();
  };
  const auto peak_within = [&](const std::vector<std::uint8_t>& state) {
    snapshot.state = state;
    write_snapshot(file, snapshot);
    CHECK(std::filesystem::file_size(file) < 100'000);
    return fits_into_memory(300 << 20, restore);
  };
  REQUIRE(restored(saved, saved.state) == "");
  CHECK(peak_within(saved.state));
  // The peer's connections: the state of its random numbers (8 bytes), then their number.
  auto state = saved.state;
  state.resize(state.size() + (30u << 20));
  const std::size_t count = part(state, "peer tcp") + 8;
  REQUIRE(state[count] == 0);
  state[count + 2] = 64;  // 4 Mi
  CHECK_THAT(restored(saved, state), Contains("peer connection"));
  CHECK(peak_within(state));
  std::filesystem::remove(file);
}
