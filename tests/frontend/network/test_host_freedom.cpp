// SPDX-License-Identifier: GPL-2.0-or-later
// Freedoms of the host: none of them may show in a virtual result.

#include "tests/catch.hpp"
#include "tests/frontend/guest_benchmarks/netio_run.hpp"

using program::brief;
using program::run_planar;
using program::short_runs;
using program::without_host_time;

namespace {
void check_free(const std::string& base, const std::vector<std::string>& checks) {
  const auto plain = without_host_time(run_planar(base).json());
  for (const std::string& check : checks) {
    INFO(base << check);
    CHECK(without_host_time(run_planar(base + check).json()) == plain);
  }
}
}  // namespace

TEST_CASE("the host's blocks and horizons do not change virtual results") {
  check_free("netio --machine model77" + brief(),
             {" --check-block-length 1", " --check-flush-blocks 5", " --check-cut-horizons 9"});
}

TEST_CASE("cached or discarded P6 code does not change virtual results") {
  const auto on = [](const std::string& machine) {
    return "netio --machine " + machine + " --seconds 0.05 --sizes 2048 --quiet --json -";
  };
  check_free(on("pc-p3-600 --card 3c905b"), {" --check-memo-room 50 --check-cut-horizons 4", " --verify-memo"});
  if (short_runs()) return;
  check_free(on("pc-p2-400 --card rtl8139"), {" --verify-memo"});
  check_free(on("pc-p3-800 --card pro1000-82543"), {" --verify-memo"});
  check_free(on("pc-p3-800 --card eepro100"),
             {" --check-memo-room 0", " --check-flush-blocks 5", " --check-block-length 1"});
}

TEST_CASE("options for P6 code are refused on other processors") {
  for (const char* command : {"netio --machine model95 --verify-memo", "netio --machine pc-p166 --check-memo-room 3",
                              "bench cpu --machine model56sx --verify-memo"}) {
    const auto run = run_planar(command);
    INFO(command);
    CHECK(run.status == 2);
    CHECK(run.err.find("Pentium II or III") != std::string::npos);
  }
}
