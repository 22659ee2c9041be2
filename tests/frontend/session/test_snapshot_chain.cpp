// SPDX-License-Identifier: GPL-2.0-or-later
// Snapshots of runs that were restored from snapshots, three deep, with any verb saving and any verb restoring: each
// ends with the state of the run that was never interrupted.
#include <fmt/format.h>

#include "tests/catch.hpp"
#include "tests/frontend/guest_diskette.hpp"
#include "tests/frontend/network/echo_diskette.hpp"
#include "tests/frontend/program.hpp"

using namespace program;

namespace {

/// Saves a run of `command` at three moments, each time from the run restored from the previous snapshot, and finishes
/// the last one. `rest`: the restoring verb, with the condition that ends it.
void check_chain(const std::string& command, const std::string& rest) {
  INFO(command);
  const Scratch scratch;
  const auto json = [](const std::string& arguments) {
    const auto said = run_planar(arguments + " --quiet --json -");
    INFO(arguments << ": " << said.err);
    REQUIRE(said.status == 0);
    return said.json();
  };
  const auto whole = json(command);
  const double end = whole.at("virtual_seconds");
  std::string run = command;
  for (const double at : {0.3 * end, 0.85 * end, end - 0.0312345}) {
    const auto file = scratch.file(fmt::format("{:.3f}.snap", at));
    CAPTURE(file);
    CHECK(json(fmt::format("{} --snapshot-at '{:.9f} s' {}", run, at, file)).at("state_hash") ==
          whole.at("state_hash"));
    run = fmt::format("{} --restore {}", rest, file);
  }
  CHECK(json(run).at("state_hash") == whole.at("state_hash"));
}

const std::string few_rows = " --seconds 0.05 --sizes 1024";

}  // namespace

TEST_CASE("snapshots of snapshots: netio, netperf, two machines, bonded adapters", "[snapshot]") {
  check_chain("netio --machine model56sx --card ne2" + few_rows, "netio");
  check_chain("netperf --machine model95 --card 3c529 --seconds 0.05 --sizes 4096", "netperf");
  check_chain("netio --machine model95 --card lanstreamer" + few_rows, "netio");
  check_chain("netio --machine model95 --card ne2 --against model95:3c527" + few_rows, "netio");
  check_chain("netio --machine model77 --card ne2 --bond 2" + few_rows, "netio");
}

TEST_CASE("snapshots of snapshots: run with steps, files, drives and several machines", "[snapshot]") {
  const Scratch scratch;
  const auto echo = scratch.write("echo.img", echo_diskette::image());
  const auto com1 = scratch.file("com1.txt");
  const auto machine = scratch.write(
      "machine.toml", "machine = \"model56sx\"\nimage = \"" + echo + "\"\nserial = \"file:" + com1 + "\"\n");
  check_chain("run " + machine + " --until '9 s' --do 'wait prompt \">\"' --do 'type \"The Whole Word\"'",
              "run --until '9 s' --serial file:/dev/null");
  const auto disk = scratch.file("c.img");
  REQUIRE(run_planar("disk create " + disk + " 4M").status == 0);
  check_chain("run model95 --floppy " + echo + " --disk " + disk + " --until '3 s'", "run --until '3 s'");
  const auto guest = [](const std::string& name, const std::string& settings) {
    return "[[machine]]\nname = \"" + name +
           "\"\nmodel = \"model95\"\nserial = \"stdio\"\n[machine.slot.1]\ncard = " + "\"ne2\"\n[machine.guest]\n" +
           settings;
  };
  const auto lab = scratch.write("lab.toml", guest("a",
                                                   "do = \"netio\"\nip = \"192.168.10.2\"\npeer = \"192.168.10.1\"\n"
                                                   "seconds = \"0.05\"\nsizes = \"1024\"\nwait = \"4\"\n") +
                                                 guest("b", "do = \"netio-server\"\nip = \"192.168.10.1\"\n"));
  check_chain("run " + lab + " --serial file:/dev/null --until '6 s'", "run --serial file:/dev/null --until '6 s'");
}

TEST_CASE("a snapshot saved by one verb can be continued by the others", "[snapshot]") {
  const Scratch scratch;
  const auto netio = "netio --machine model95 --card ne2 --quiet" + few_rows;
  const auto first = scratch.file("1.snap"), second = scratch.file("2.snap"), third = scratch.file("3.snap");
  const auto at = [&](const std::string& when, const std::string& file) {
    return " --snapshot-at '" + when + "' " + file;
  };
  const auto whole = run_planar(netio + " --json -" + at("0.5 s", first));
  REQUIRE(whole.status == 0);
  const auto run = run_planar("run --quiet --until '1 s' --restore " + first + at("0.7 s", second));
  INFO(run.err);
  REQUIRE(run.status == 0);
  const auto again = run_planar("run --quiet --until '1 s' --restore " + second + at("0.9 s", third));
  INFO(again.err);
  REQUIRE(again.status == 0);
  for (const auto& file : {first, second, third}) {
    INFO(file);
    const auto rest = run_planar("netio --quiet --json - --restore " + file);
    INFO(rest.err);
    REQUIRE(rest.status == 0);
    CHECK(rest.json().at("state_hash") == whole.json().at("state_hash"));
    const auto described = run_planar("describe ne2 --until '1 s' --restore " + file);
    INFO(described.err);
    REQUIRE(described.status == 0);
    CHECK(described.out == run_planar("describe ne2 --until '1 s' --restore " + first).out);
    const auto debugged =
        run_planar("debug --quiet --restore " + file + " --script " + scratch.write("script", "until 1 s\nregs\n"));
    INFO(debugged.err);
    REQUIRE(debugged.status == 0);
    CHECK(debugged.out.find("EIP ") != std::string::npos);
  }
}
