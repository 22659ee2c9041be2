// SPDX-License-Identifier: GPL-2.0-or-later
// `planar debug` on a machine with PCI: configuration space, and breakpoints on it and on the ranges of base addresses.
#include "tests/catch.hpp"
#include "tests/frontend/program.hpp"

using Catch::Matchers::Contains;
using namespace program;

namespace {

Said debug_script(const std::string& arguments, const std::string& script) {
  const Scratch scratch;
  return run_planar("debug " + arguments + " --quiet --script " + scratch.write("script", script));
}

const std::string guest = " --guest do=netio --guest seconds=0.02 --guest sizes=1024";

}  // namespace

TEST_CASE("the debugger lists PCI functions and shows a configuration space") {
  const auto said = debug_script("pc-p166 --card 3c905b", "pci\nuntil 2 s\npci\npci 9\npci 00:07.1\npci slot1\nquit\n");
  INFO(said.out << said.err);
  REQUIRE(said.status == 0);
  CHECK_THAT(said.out, Contains("00:00.0 host bridge 8086:1250") && Contains("00:07.0 ISA bridge 8086:7000"));
  CHECK_THAT(said.out, Contains("slot 1; I/O, 80h bytes, no address; memory, 80h bytes, no address"));  // before POST
  CHECK_THAT(said.out, Contains("00:09.0 Ethernet controller 10B7:9055") && Contains("IRQ 9"));
  CHECK_THAT(said.out, Contains("00:07.1 IDE interface 8086:7010") && Contains("LATENCY_TIMER") &&
                           Contains("32 clocks") && Contains("\n30: "));
  const auto wrong = debug_script("pc-p166 --card 3c905b", "pci 1\n");
  CHECK(wrong.status == 2);
  CHECK_THAT(wrong.err, Contains("there is no PCI function '1'") && Contains("00:09.0"));
  CHECK_THAT(debug_script("model95 --card ne2", "pci\n").err, Contains("this machine has no PCI"));
}

TEST_CASE("configuration writes and registers of a PCI card stop a run, wherever its base addresses point") {
  const auto said =
      debug_script("pc-p166 --card 3c905b" + guest,
                   "break nic 3c905b\nbreak config slot1\nbreak config 7.1\nlist\ncontinue\ncontinue\n"
                   "delete 2\ndelete 3\ncontinue\nreverse-continue\ndelete 1\nbreak nic slot1 0E\ncontinue\n"
                   "quit\n");
  INFO(said.out << said.err);
  REQUIRE(said.status == 0);
  CHECK_THAT(said.out, Contains("slot 1, its base addresses") && Contains("configuration write to 00:09"));
  CHECK_THAT(said.out, Contains("configuration ") && Contains(" of 00:07.1: ") && Contains("h is written"));
  CHECK_THAT(said.out, Contains("slot1.3c905b, register ") && Contains("slot1.3c905b, register 0Eh: "));
  CHECK_THAT(debug_script("pc-p166 --card 3c905b", "break pos\n").err, Contains("no POS") && Contains("break config"));
  CHECK_THAT(debug_script("model95 --card ne2", "break config\n").err, Contains("no PCI"));
}
