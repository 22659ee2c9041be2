// SPDX-License-Identifier: GPL-2.0-or-later
// Every part of a snapshot, of every machine: bytes are changed in turn, and the result is a refusal with a clear
// message or a machine that runs on.
#include <algorithm>
#include <cstdlib>

#include "machines/config/machine_files.hpp"
#include "machines/lab/lab.hpp"
#include "roms/images.hpp"
#include "tests/catch.hpp"
#include "tests/damage.hpp"
#include "tests/short_runs.hpp"

using namespace planar;

namespace {

struct Sound {
  std::string configuration;
  std::vector<std::uint8_t> state;
};

void insert_guest(Lab& lab) {
  const auto image = roms::guest();
  lab.insert_diskette({image.begin(), image.end()}, "guest");
}

/// The guest's driver is running, and netio has begun to send.
Sound saved(const char* machine, const char* card) {
  Config config = load_machine(machine);
  config.set("slot.1.card", card, "test");
  config.set("memory.size", "4 MB", "test");
  Lab lab(std::move(config));
  insert_guest(lab);
  lab.scheduler().run_until(8_s);
  Archive a = Archive::saver();
  lab.archive(a);
  return {lab.configuration(), a.stream()};
}

/// Restores `state` and runs on for a millisecond. Returns the message if it was refused.
std::string restore_error(const Sound& saved, const std::vector<std::uint8_t>& state) {
  Lab lab(parse_lab(saved.configuration, "test"));
  insert_guest(lab);
  try {
    Archive a = Archive::loader(state);
    lab.archive(a);
    a.expect_end();
  } catch (const Error& e) { return e.what(); }
  lab.scheduler().run_until(lab.scheduler().now() + 1_ms);
  lab.machine().describe();  // examines every index and state
  return {};
}

/// The first bytes of each part, where lengths and indexes are, and some of the others.
std::vector<std::size_t> places(const std::vector<std::uint8_t>& state, std::size_t first, std::size_t more) {
  std::vector<std::size_t> list;
  for (const test::StatePart& part : test::parts_of(state)) {
    if (part.name == "memory") continue;  // the guest's memory may contain anything
    const std::size_t length = part.end - part.begin;
    for (std::size_t n = 0; n < std::min(length, first); n += 3) list.push_back(part.begin + n);
    for (std::size_t n = 1; n <= more; ++n) list.push_back(part.begin + length * n / (more + 1));
  }
  return list;
}

void mutate(const char* machine, const char* card) {
  INFO(machine << " with " << card);
  const Sound sound = saved(machine, card);
  REQUIRE(restore_error(sound, sound.state).empty());
  REQUIRE(test::parts_of(sound.state).size() > 20);
  const bool brief = test::short_runs();
  unsigned refused = 0, ran = 0, number = 0;
  for (const std::size_t at : places(sound.state, brief ? 4 : 24, brief ? 0 : 3)) {
    auto state = sound.state;
    state[at] = static_cast<std::uint8_t>(++number % 3 == 0 ? 0xFF : number % 3 == 1 ? 0x7F : state[at] + 0x35);
    INFO("byte " << at);
    std::string said;
    REQUIRE_NOTHROW(said = restore_error(sound, state));
    if (said.empty()) {
      ++ran;
    } else {
      ++refused;
      CHECK(said.size() > 10);
    }
  }
  CHECK(refused > 0);
  CHECK(ran > 0);
}

}  // namespace

TEST_CASE("bytes of a Model 56 SX's snapshot are changed in turn", "[snapshot]") { mutate("model56sx", "ne2"); }
TEST_CASE("bytes of a Model 77's snapshot are changed in turn", "[snapshot]") { mutate("model77", "3c523"); }
TEST_CASE("bytes of a Model 95's snapshot are changed in turn", "[snapshot]") { mutate("model95", "lan-a"); }
TEST_CASE("bytes of a 9595's snapshot are changed in turn", "[snapshot]") { mutate("model9595", "lanstreamer"); }
TEST_CASE("bytes of an AT&T 3325's snapshot are changed in turn", "[snapshot]") { mutate("att3325", "tr16-4a-1994"); }
TEST_CASE("bytes of a PC's snapshot are changed in turn", "[snapshot]") { mutate("pc-p166", "rtl8139"); }
TEST_CASE("bytes of a P6's snapshot are changed in turn", "[snapshot]") { mutate("pc-p3-800", "pro1000-82543"); }

TEST_CASE("a timer with an impossible start time is refused", "[snapshot]") {
  const Sound sound = saved("pc-p166", "rtl8139");
  const auto list = test::parts_of(sound.state);
  const auto timer = std::find_if(list.begin(), list.end(), [](const auto& part) { return part.name == "i8254"; });
  REQUIRE(timer != list.end());
  unsigned refused = 0;
  for (std::size_t at = timer->begin; at < timer->begin + 64; ++at) {
    auto state = sound.state;
    state[at] = state[at] == 0 ? 1 : 0x7F;
    refused += restore_error(sound, state).find("damaged timer") != std::string::npos;
  }
  CHECK(refused >= 4);
}
