// SPDX-License-Identifier: GPL-2.0-or-later
// The program on a host whose files fail: each call below a folder fails once, one run after another. A run then either
// ends with an error that names the reason and leaves the file to be replaced unchanged, or succeeds with everything
// written.
#include "tests/catch.hpp"
#include "tests/frontend/cli/fault_run.hpp"
#include "tests/frontend/guest_benchmarks/netio_run.hpp"

using namespace program;

namespace {

/// Checks a command that replaces `file`, and that writes the same bytes whenever it succeeds.
void check_replaced(const std::string& arguments, const std::string& name) {
  const Scratch scratch;
  const auto file = scratch.file(name), folder = scratch.file("");
  INFO(arguments);
  REQUIRE(run_planar(arguments + file).status == 0);
  const auto good = read_file(file);
  REQUIRE(good.size() > 100);
  const std::string before(300, 'k');
  for (const std::string kind : {"fail", "stay", "cut"}) {
    unsigned n = 1;
    for (bool came = true; came; ++n) {
      REQUIRE(n < 200);
      scratch.write(name, before);
      const auto [said, fault] = run_with_fault(arguments + file, n, kind, folder);
      came = fault;
      INFO("call " << n << " (" << kind << "): status " << said.status << ", " << said.err);
      if (said.status == 0) {
        CHECK(read_file(file) == good);
      } else {
        CHECK(said.status == 3);
        CHECK_THAT(said.err, Catch::Contains(name));
        CHECK(read_file(file) == before);
      }
      if (!came) CHECK(said.status == 0);
      CHECK(names_in(folder) == std::set<std::string>{name});  // nothing else is left in the folder
    }
    CHECK(n > 4);
  }
}

}  // namespace

TEST_CASE("whichever host call fails, a file replaced by a snapshot, picture or table is old or new") {
  const std::string machine = "run model56sx --quiet --until '2 ms' ";
  check_replaced(machine + "--snapshot-at '1 ms' ", "lab.snap");
  check_replaced(machine + "--screen png:", "screen.png");
  check_replaced("list cards --json ", "cards.json");
}

TEST_CASE("whichever host call fails, a capture is complete or the run reports that it is not") {
  const Scratch scratch;
  const auto file = scratch.file("frames.pcapng");
  const std::string arguments = "run model56sx --card ne2 --quiet --until '2 ms' --capture " + file;
  REQUIRE(run_planar(arguments).status == 0);
  const auto good = read_file(file);
  for (const std::string kind : {"fail", "stay", "cut"}) {
    unsigned n = 1;
    for (bool came = true; came; ++n) {
      REQUIRE(n < 200);
      const auto [said, fault] = run_with_fault(arguments, n, kind, scratch.file(""));
      came = fault;
      INFO("call " << n << " (" << kind << "): status " << said.status << ", " << said.err);
      if (said.status == 0)
        CHECK(read_file(file) == good);
      else
        CHECK_THAT(said.err, Catch::Contains("frames.pcapng"));
      if (!came) CHECK(said.status == 0);
    }
    CHECK(n > 2);
  }
}

TEST_CASE("whichever allocation fails, the program ends with an error and replaces nothing") {
  const Scratch scratch;
  const auto file = scratch.file("lab.snap");
  const std::string arguments = "run model56sx --quiet --until '2 ms' --snapshot-at '1 ms' " + file;
  const std::string before(300, 'k');
  unsigned ended = 0;
  // Too many to try each: all of the first ones, then at growing distances.
  for (unsigned n = 1; n < 1'000'000; n += 1 + n / (short_runs() ? 3 : 8)) {
    scratch.write("lab.snap", before);
    const auto [said, came] = run_with_fault(arguments, n, "memory", scratch.file(""));
    INFO("allocation " << n << ": status " << said.status << ", " << said.err);
    if (!came) break;
    CHECK(said.status < 128);
    CHECK(said.status != 0);
    CHECK_THAT(said.err, Catch::Contains("memory"));
    CHECK(read_file(file) == before);
    ++ended;
  }
  CHECK(ended > 20);
}
