// SPDX-License-Identifier: GPL-2.0-or-later
// Whole netio runs through the program, as short as the build they run in asks for.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>

#include "tests/catch.hpp"
#include "tests/frontend/program.hpp"

namespace program {

/// Sanitizer builds run six times slower: they get shorter runs of the same kind.
inline bool short_runs() { return std::getenv("PLANAR_SHORT") != nullptr; }

/// Of the cases that compare whole runs a sanitizer build does one in eight, another eighth with each value of
/// PLANAR_SHORT: `make test-sanitizer` takes the commit, `make test-sanitizer SAMPLE=all` does them all.
inline bool not_sampled() {
  const char* sample = std::getenv("PLANAR_SHORT");
  if (!sample || std::string(sample) == "all") return false;
  std::uint32_t hash = 2166136261u;  // FNV-1a: the same choice on every host
  for (const char c : sample + Catch::getResultCapture().getCurrentTestName())
    hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  return (hash >> 16) % 8 != 0;
}

inline std::string brief() {
  return short_runs() ? " --quiet --seconds 0.05 --sizes 2048,8192 --json -"
                      : " --quiet --seconds 0.5 --sizes 2048,8192 --json -";
}

inline nlohmann::ordered_json without_host_time(nlohmann::ordered_json j) {
  j.erase("host");
  return j;
}

}  // namespace program
