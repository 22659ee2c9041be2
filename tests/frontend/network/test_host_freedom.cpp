// SPDX-License-Identifier: GPL-2.0-or-later
// What the host is free to do differently: no freedom of it may show in a virtual result.

#include "tests/catch.hpp"
#include "tests/frontend/guest_benchmarks/netio_run.hpp"

using program::brief;
using program::run_planar;
using program::without_host_time;

TEST_CASE("what the host does with blocks and horizons changes no virtual result") {
  const auto base = "netio --machine model77" + brief();
  const auto plain = without_host_time(run_planar(base).json());
  for (const char* check : {" --check-block-length 1", " --check-flush-blocks 5", " --check-cut-horizons 9"}) {
    INFO(check);
    CHECK(without_host_time(run_planar(base + check).json()) == plain);
  }
}
