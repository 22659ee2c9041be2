// SPDX-License-Identifier: GPL-2.0-or-later
// A machine whose firmware is observed as a user sees it: the screen, COM1 and the checkpoints.
#pragma once

#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>

#include "machines/lab/lab.hpp"
#include "tests/catch.hpp"

namespace planar::test {

inline constexpr std::uint8_t started = 0x21, nothing_to_start = 0x2F;  // checkpoints, roms/firmware/post/post.c

class PostBench {
 public:
  /// `image` names a diskette of roms/images for drive A; "" leaves it empty.
  PostBench(Config config, const std::string& image) : lab_(std::move(config)) {
    if (!image.empty()) insert(image);
    machine().serial().on_output([this](std::uint8_t c, Time) { com1_ += static_cast<char>(c); });
  }

  Machine& machine() { return lab_.machine(); }
  Time now() { return lab_.scheduler().now(); }

  void insert(const std::string& image) {
    std::ifstream in(std::string(PLANAR_SOURCE_DIR) + "/roms/images/" + image, std::ios::binary);
    REQUIRE(in);
    lab_.insert_diskette({std::istreambuf_iterator<char>(in), {}}, image);
  }

  void run(Time duration) { lab_.scheduler().run_until(now() + duration); }

  /// Runs until POST has finished, successfully or not; false if it does not within `limit`.
  bool post(Time limit = 5'000_ms) {
    for (const Time end = now() + limit; now() < end;) {
      run(10_ms);
      const auto code = machine().board().checkpoint() & 0xFF;
      if (code == started || code == nothing_to_start) return true;
    }
    return false;
  }

  bool halt(Time limit = 10'000_ms) {
    for (const Time end = now() + limit; now() < end && !machine().halted_for_good();) run(50_ms);
    return machine().halted_for_good();
  }

  std::string screen() {
    std::string all;
    for (const auto& line : machine().video().text_lines()) all += line + "\n";
    return all;
  }
  const std::string& com1() const { return com1_; }

  void key(std::uint16_t code, bool down) {
    machine().keyboard_controller().keyboard().key(code, down, now());
    run(20_ms);
  }

 private:
  std::string com1_;
  Lab lab_;
};

inline bool no_configuration_error(const std::string& screen) {
  for (const char* error : {"161 ", "162 ", "163 ", "164 ", "165 ", "166 ", "301 ", "601 "})
    if (screen.find(error) != std::string::npos) return false;
  return true;
}

}  // namespace planar::test
