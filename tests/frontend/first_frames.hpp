// SPDX-License-Identifier: GPL-2.0-or-later
// The time at which a short netio sends, which depends on how long its guest takes to boot.
#pragma once

#include <cstdint>
#include <regex>
#include <string>

#include "tests/catch.hpp"
#include "tests/frontend/program.hpp"

namespace program {

/// The first whole millisecond after the third frame of 1518 bytes of `netio`, the words of a command. From then on
/// frames and their acknowledgements alternate. The command is run once for this.
inline std::int64_t sending_from(const std::string& netio) {
  const Scratch scratch;
  const auto file = scratch.file("wire.txt");
  REQUIRE(run_planar(netio + " --trace wire --trace-file " + file).status == 0);
  const std::string text = read_file(file);
  static const std::regex frame(R"((\d+)\.\d+ wire +slot\S+ +sent 1518 bytes)");
  std::int64_t milliseconds = 0;
  unsigned frames = 0;
  for (std::sregex_iterator at(text.begin(), text.end(), frame), end; at != end && frames < 3; ++at, ++frames)
    milliseconds = std::stoll((*at)[1]) / 1000 + 1;
  REQUIRE(frames == 3);
  return milliseconds;
}

}  // namespace program
