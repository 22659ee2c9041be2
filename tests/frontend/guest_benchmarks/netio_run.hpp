// SPDX-License-Identifier: GPL-2.0-or-later
// Complete netio runs through the program, with a length suited to the build.
#pragma once

#include <string>

#include "tests/frontend/program.hpp"
#include "tests/short_runs.hpp"

namespace program {

using planar::test::short_runs;

inline std::string brief() {
  return short_runs() ? " --quiet --seconds 0.05 --sizes 2048,8192 --json -"
                      : " --quiet --seconds 0.5 --sizes 2048,8192 --json -";
}

inline nlohmann::ordered_json without_host_time(nlohmann::ordered_json j) {
  j.erase("host");
  return j;
}

}  // namespace program
