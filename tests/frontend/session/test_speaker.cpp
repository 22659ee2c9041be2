// SPDX-License-Identifier: GPL-2.0-or-later
// --audio: POST beeps once; the speaker's tone has the programmed frequency and duration, and changes nothing.
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
  a.label("end")({0xF4}).jump(0xEB, "end");                                 // halted
  a.label("wait")({0xB4, 0x00, 0xCD, 0x1A, 0x89, 0xD3, 0x83, 0xC3, 0x09});  // the clock's low word plus nine ticks
  a.label("again")({0xB4, 0x00, 0xCD, 0x1A, 0x39, 0xDA});
  a.jump(0x72, "again")({0xC3});
  const auto image = planar::test::boot_diskette(a);
  return scratch.write("beep.img", {image.begin(), image.end()});
}

std::int32_t sample(const std::string& wave, std::size_t n) {
  const std::size_t at = 44 + 2 * n;
  return static_cast<std::int16_t>(static_cast<unsigned char>(wave[at]) | static_cast<unsigned char>(wave[at + 1])
                                                                              << 8);
}

constexpr std::size_t rate = 48'000;

struct Tone {
  double seconds = 0, hertz = 0;
};

/// The tone in the samples from `from` to `to`.
Tone tone(const std::string& wave, std::size_t from, std::size_t to) {
  std::size_t first = 0, last = 0, rises = 0;
  std::int32_t before = 0;
  for (std::size_t n = from; n < to; ++n) {
    const auto now = sample(wave, n);
    if (std::abs(now) > 3000) {
      if (first == 0) first = n;
      last = n;
    }
    rises += before <= 0 && now > 0 && std::abs(now - before) > 3000 ? 1 : 0;
    before = now;
  }
  const double seconds = static_cast<double>(last - first) / rate;
  return {seconds, seconds > 0 ? static_cast<double>(rises) / seconds : 0};
}

}  // namespace

TEST_CASE("the speaker is recorded in virtual time without affecting the run", "[audio]") {
  const Scratch scratch;
  const std::string run = "run model95 --quiet --json - --until '8 s' --image " + beeping_diskette(scratch);
  const auto file = scratch.file("beep.wav");
  const auto heard = run_planar(run + " --audio " + file), alone = run_planar(run);
  INFO(heard.err);
  REQUIRE(heard.status == 0);
  CHECK(heard.json().at("state_hash") == alone.json().at("state_hash"));
  const auto wave = read_file(file);
  REQUIRE(wave.size() == 44 + 8 * rate * 2);
  CHECK(wave.substr(0, 4) == "RIFF");
  CHECK(wave.substr(8, 8) == "WAVEfmt ");
  const Tone post = tone(wave, 0, rate), program = tone(wave, rate, 8 * rate);
  CHECK(std::abs(post.seconds - 0.4) < 0.15);  // as long as the keyboard's self-test
  CHECK(std::abs(post.hertz - 896) < 20);
  CHECK(std::abs(program.seconds - 0.47) < 0.06);  // eight to nine ticks of 54.9 ms
  CHECK(std::abs(program.hertz - 1000) < 20);
  CHECK(run_planar(run + " --audio " + scratch.file("again.wav")).status == 0);
  CHECK(read_file(scratch.file("again.wav")) == wave);
}

TEST_CASE("a recording that cannot be written is named before the machine starts", "[audio]") {
  const auto said = run_planar("run model95 --quiet --until '1 s' --audio /nonexistent/beep.wav");
  CHECK(said.status == 3);
  CHECK_THAT(said.err, Contains("--audio /nonexistent/beep.wav: cannot be written"));
}
