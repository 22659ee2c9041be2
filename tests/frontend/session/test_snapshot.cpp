// SPDX-License-Identifier: GPL-2.0-or-later
// A snapshot continues in a new process as if nothing had happened.

#include "tests/catch.hpp"
#include "tests/frontend/guest_benchmarks/netio_run.hpp"

using program::brief;
using program::run_planar;
using program::Scratch;
using program::without_host_time;

TEST_CASE("a snapshot restored in a new process ends in the same state") {
  Scratch scratch;
  const auto file = scratch.file("lab.snap");
  for (const char* machine : {"model56sx", "model95"}) {
    INFO(machine);
    const auto base = std::string("netio --machine ") + machine + brief();
    const auto whole = without_host_time(run_planar(base).json());
    const double end = whole.at("virtual_seconds").get<double>();
    const auto at = std::to_string(end - (program::short_runs() ? 0.1234567 : 0.7654321));
    const auto saving = run_planar(base + " --snapshot-at '" + at + " s' " + file);
    INFO(saving.err);
    REQUIRE(saving.status == 0);
    CHECK(without_host_time(saving.json()) == whole);
    const auto restored = run_planar("netio --restore " + file + brief());
    INFO(restored.err);
    REQUIRE(restored.status == 0);
    CHECK(without_host_time(restored.json()) == whole);
  }
}
