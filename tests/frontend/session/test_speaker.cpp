// SPDX-License-Identifier: GPL-2.0-or-later
// --audio: the speaker's tone has the frequency that was programmed, for as long as it sounds, and changes nothing.
#include <cmath>
#include <cstdlib>

#include "tests/catch.hpp"
#include "tests/frontend/program.hpp"
#include "tests/machines/assembler.hpp"

using Catch::Matchers::Contains;
using namespace program;
using planar::test::Assembler;

namespace {

/// A diskette whose program waits half a second by the BIOS clock, sounds 1000 Hz for half a second, and stops.
std::string beeping_diskette(const Scratch& scratch) {
  Assembler a(0x7C00);
  a.call("wait");
  a({0xB0, 0xB6, 0xE6, 0x43});                          // channel 2, mode 3
  a({0xB0, 0xA9, 0xE6, 0x42, 0xB0, 0x04, 0xE6, 0x42});  // 1193: 1000 Hz
  a({0xE4, 0x61, 0x0C, 0x03, 0xE6, 0x61});              // both gates
  a.call("wait");
  a({0xE4, 0x61, 0x24, 0xFC, 0xE6, 0x61});
  a.label("end").jump(0xEB, "end");
  a.label("wait")({0xB4, 0x00, 0xCD, 0x1A, 0x89, 0xD3, 0x83, 0xC3, 0x09});  // the clock's low word plus nine ticks
  a.label("again")({0xB4, 0x00, 0xCD, 0x1A, 0x39, 0xDA});
  a.jump(0x72, "again")({0xC3});
  const auto image = planar::test::boot_diskette(a);
  return scratch.write("beep.img", {image.begin(), image.end()});
}

std::int32_t word(const std::string& file, std::size_t at) {
  return static_cast<std::int16_t>(static_cast<unsigned char>(file[at]) | static_cast<unsigned char>(file[at + 1])
                                                                              << 8);
}

}  // namespace

TEST_CASE("the speaker is recorded in virtual time, and a run that is recorded computes the same", "[audio]") {
  const Scratch scratch;
  const std::string run = "run model95 --quiet --json - --until '8 s' --image " + beeping_diskette(scratch);
  const auto file = scratch.file("beep.wav");
  const auto heard = run_planar(run + " --audio " + file), alone = run_planar(run);
  INFO(heard.err);
  REQUIRE(heard.status == 0);
  CHECK(heard.json().at("state_hash") == alone.json().at("state_hash"));
  const auto wave = read_file(file);
  REQUIRE(wave.size() == 44 + 8 * 48'000 * 2);
  CHECK(wave.substr(0, 4) == "RIFF");
  CHECK(wave.substr(8, 8) == "WAVEfmt ");
  std::size_t first = 0, last = 0, rises = 0;
  std::int32_t before = 0;
  for (std::size_t n = 0; n < 8 * 48'000; ++n) {
    const auto sample = word(wave, 44 + 2 * n);
    if (std::abs(sample) > 3000) {
      if (first == 0) first = n;
      last = n;
    }
    rises += before <= 0 && sample > 0 && std::abs(sample - before) > 3000 ? 1 : 0;
    before = sample;
  }
  REQUIRE(first > 0);
  const double seconds = static_cast<double>(last - first) / 48'000;
  CHECK(std::abs(seconds - 0.47) < 0.06);  // eight to nine ticks of 54.9 ms
  CHECK(std::abs(static_cast<double>(rises) / seconds - 1000) < 20);
  CHECK(run_planar(run + " --audio " + scratch.file("again.wav")).status == 0);
  CHECK(read_file(scratch.file("again.wav")) == wave);
}

TEST_CASE("a recording that cannot be written is named before the machine starts", "[audio]") {
  const auto said = run_planar("run model95 --quiet --until '1 s' --audio /nonexistent/beep.wav");
  CHECK(said.status == 3);
  CHECK_THAT(said.err, Contains("--audio /nonexistent/beep.wav: cannot be written"));
}
