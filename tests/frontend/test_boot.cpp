// SPDX-License-Identifier: GPL-2.0-or-later
// Any bootable diskette boots; one that does not is said so.

#include "tests/catch.hpp"
#include "tests/frontend/program.hpp"

using program::run_planar;
using program::Scratch;
using Catch::Matchers::Contains;

TEST_CASE("any bootable diskette boots: BIOS services, and protected mode with interrupts") {
  const std::string images = std::string(PLANAR_SOURCE_DIR) + "/roms/images/";
  for (const char* machine : {"model56sx", "model77", "model95"}) {
    for (const char* sample : {"sample-bios", "sample-pmode"}) {
      INFO(machine << " " << sample);
      const auto ok = std::string(sample) + ": ok";
      const auto run = run_planar(std::string("run ") + machine + " --quiet --screen text --serial stdio --image '" + images +
                              sample + ".img' --until 'screen:" + ok + "' --timeout '30 s'");
      CHECK(run.status == 0);
      CHECK_THAT(run.out, Contains(ok));
    }
  }
}

TEST_CASE("a diskette that does not boot is said so on the screen") {
  Scratch scratch;
  const auto image = scratch.write("blank.img", std::string(1474560, '\0'));
  const auto run = run_planar("run model95 --quiet --screen text --image " + image + " --until '20 s'");
  CHECK(run.status == 0);
  CHECK_THAT(run.out, Contains("diskette"));
}
