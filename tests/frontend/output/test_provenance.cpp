// SPDX-License-Identifier: GPL-2.0-or-later
// A result says what was run: the program, the machine with its changes, the settings; everything about the host is
// separate.
#include "tests/catch.hpp"
#include "tests/frontend/guest_benchmarks/netio_run.hpp"

using Catch::Matchers::Contains;
using namespace program;

namespace {
const std::string quick = " --quiet --seconds 0.05 --sizes 1024";
}

TEST_CASE("a result contains program, configuration, settings and command line") {
  const auto said = run_planar("netio --card ne2 --set ne2.data_port.ready_delay=550ns --json -" + quick);
  INFO(said.err);
  REQUIRE(said.status == 0);
  const auto j = said.json();
  CHECK(j.at("machine") == "model95");
  CHECK_FALSE(j.at("planar").at("version").get<std::string>().empty());
  CHECK_FALSE(j.at("planar").at("commit").get<std::string>().empty());
  const auto& c = j.at("configuration");
  CHECK(c.at("sha256").get<std::string>().size() == 64);
  CHECK(c.at("built_in") == "model95");
  CHECK(c.at("clock_hz") == 90e6);
  CHECK(c.at("changes").empty());
  CHECK(c.at("cards")[0].at("card") == "ne2");
  CHECK(c.at("set")[0] == "ne2.data_port.ready_delay=550ns");
  CHECK(j.at("guest_image_sha256").get<std::string>().size() == 64);
  const auto words = j.at("host").at("command_line").get<std::vector<std::string>>();
  CHECK(std::find(words.begin(), words.end(), "ne2.data_port.ready_delay=550ns") != words.end());
  CHECK(j.at("host").at("seconds").get<double>() > 0);
  // Two results differ only in what concerns the host.
  const auto again = run_planar("netio --json - --set ne2.data_port.ready_delay=550ns --card ne2" + quick).json();
  CHECK(without_host_time(again).dump() == without_host_time(j).dump());
  const auto other = run_planar("netio --card ne2 --json -" + quick).json();
  CHECK(other.at("configuration").at("sha256") != c.at("sha256"));
}

TEST_CASE("two cards of a kind with different values are distinguished") {
  const program::Scratch scratch;
  const auto file = scratch.write("two.toml",
                                  "machine = \"model95\"\n[slot.1]\ncard = \"ne2\"\n[slot.2]\ncard = \"ne2\"\n"
                                  "[slot.1.set.data_port]\nready_delay = \"1 us\"\n");
  const auto c = run_planar("netio --use 1 --json - --machine " + file + quick).json().at("configuration");
  CHECK(c.at("set").size() == 1);
  CHECK(c.at("set")[0] == "1=ne2.data_port.ready_delay=1 us");
  CHECK(c.at("timing").at("1=ne2.data_port.ready_delay") == "1 us");
  CHECK(c.at("timing").at("2=ne2.data_port.ready_delay") == "0 ns");
}

TEST_CASE("a machine file's own title is used in its results and by the machine") {
  const Scratch scratch;
  const auto file =
      scratch.write("slow.toml", "machine = \"model95\"\ntitle = \"My slow 95\"\n[cpu]\nclock = \"60 MHz\"\n");
  const auto said = run_planar("netio --machine " + file + " --card ne2 --seconds 0.05 --sizes 1024");
  REQUIRE(said.status == 0);
  CHECK_THAT(said.err, Contains("My slow 95\n") && !Contains("changed:"));
  CHECK_THAT(said.out, Contains("on My slow 95 with ne2") && !Contains("model95"));
  CHECK(run_planar("run " + file + " --until '1 ms' --json -" + " --quiet").json().at("machine") == "My slow 95");
  CHECK_THAT(run_planar("describe " + file + " --until '1 ms' pic").out, Contains("---- My slow 95 at "));
  const auto compared = run_planar("compare --cards ne2 --machines " + file + quick);
  CHECK_THAT(compared.out, Contains("My slow 95 (") && !Contains("changed:"));
}

TEST_CASE("a modified machine is not shown under the built-in machine's name") {
  const Scratch scratch;
  const auto slow = scratch.write("slow.toml", "machine = \"model95\"\n[cpu]\nclock = \"60 MHz\"\n");
  const auto waits = scratch.write("waits.toml", "machine = \"model95\"\n[channel]\nsynchronisation = \"250 ns\"\n");
  const auto j = run_planar("netio --machine " + slow + " --card ne2 --json -" + quick).json();
  CHECK(j.at("machine") == "model95 with cpu.clock = 60 MHz");
  CHECK(j.at("configuration").at("changes") == nlohmann::ordered_json::array({"cpu.clock = \"60 MHz\""}));
  CHECK(j.at("configuration").at("clock_hz") == 60e6);
  const auto said = run_planar("netio --machine " + slow + " --card ne2 --seconds 0.05 --sizes 1024");
  CHECK_THAT(said.err, Contains("changed: cpu.clock = 60 MHz") && !Contains("90 MHz"));
  CHECK_THAT(said.out, Contains("on model95 with cpu.clock = 60 MHz with ne2"));

  const auto compared = run_planar("compare --cards ne2 --machines model95," + slow + "," + waits + quick);
  INFO(compared.out << compared.err);
  REQUIRE(compared.status == 0);
  CHECK_THAT(compared.out, Contains("changed: cpu.clock = 60 MHz") && Contains("changed: channel.synchronisation"));
  const auto heading = compared.out.find("Pentium at 90 MHz");
  REQUIRE(heading != std::string::npos);
  CHECK(compared.out.find("Pentium at 90 MHz", heading + 1) == std::string::npos);

  // The resolved file of a built-in machine changes nothing; a title in the user's file is the user's.
  scratch.write("same.toml", run_planar("config model95 --card ne2").out);
  const auto same = run_planar("netio --machine " + scratch.file("same.toml") + " --json -" + quick).json();
  CHECK(same.at("machine") == "model95");
  const auto titled =
      scratch.write("titled.toml", "machine = \"model95\"\ntitle = \"My 60 MHz machine\"\n[cpu]\nclock = \"60 MHz\"\n");
  CHECK_THAT(run_planar("netio --machine " + titled + " --card ne2 --seconds 0.05 --sizes 1024").err,
             Contains("My 60 MHz machine\n"));
}

TEST_CASE("a comparison does not reuse runs of a machine file that has changed since") {
  const Scratch scratch;
  const auto file = scratch.write("mine.toml", "machine = \"model95\"\n[cpu]\nclock = \"60 MHz\"\n");
  const auto command = "compare --cards ne2 --machines " + file + " --json - --report " + scratch.file("out") + quick;
  const auto cycles = [&] {
    const auto said = run_planar(command);
    INFO(said.err);
    REQUIRE(said.status == 0);
    return said.json()[0].at("cycles").get<std::uint64_t>();
  };
  const auto first = cycles();
  CHECK(cycles() == first);
  scratch.write("mine.toml", "machine = \"model95\"\n[memory.dram]\nread_miss = 20\n");
  CHECK(cycles() != first);
}
