// SPDX-License-Identifier: GPL-2.0-or-later
// Whole runs: power-on, POST, boot from diskette, a real TCP conversation, the guest's own figures.
#include <cstdlib>
#include <cstring>

#include "tests/catch.hpp"
#include "tests/frontend/program.hpp"

using program::run_planar;
using program::read_file;
using program::Scratch;
using Catch::Matchers::Contains;

namespace {
/// Sanitizer builds run ten times slower: they get shorter runs of the same kind.
std::string brief() {
  return std::getenv("PLANAR_SHORT") ? " --quiet --seconds 0.05 --sizes 2048,8192 --json -"
                                     : " --quiet --seconds 0.5 --sizes 2048,8192 --json -";
}
nlohmann::ordered_json without_host_time(nlohmann::ordered_json j) {
  j.erase("host_seconds");
  return j;
}
}  // namespace

TEST_CASE("netio runs in each machine, and twice gives the same bytes but for host time") {
  for (const char* machine : {"model56sx", "model77", "model95"}) {
    INFO(machine);
    const auto command = std::string("netio --card ne2 --machine ") + machine + brief();
    const auto first = run_planar(command);
    INFO(first.err);
    REQUIRE(first.status == 0);
    const auto j = first.json();
    CHECK(j.at("schema") == "planar.netio/1");
    CHECK(j.at("machine") == machine);
    CHECK(j.at("card") == "ne2");
    CHECK(j.at("rows").size() == 2);
    for (const auto& row : j.at("rows")) CHECK(row.at("kb_per_s").get<double>() > 100);
    CHECK(j.at("frames").at("sent").get<int>() > 20);
    CHECK(j.at("frames").at("received").get<int>() > 10);
    CHECK(j.at("state_hash").get<std::string>().size() == 64);
    CHECK(without_host_time(run_planar(command).json()) == without_host_time(j));
  }
}

TEST_CASE("what the host does with blocks and horizons changes no virtual result") {
  const auto base = "netio --machine model77" + brief();
  const auto plain = without_host_time(run_planar(base).json());
  for (const char* check : {" --check-block-length 1", " --check-flush-blocks 5", " --check-cut-horizons 9"}) {
    INFO(check);
    CHECK(without_host_time(run_planar(base + check).json()) == plain);
  }
}

TEST_CASE("a snapshot in the middle of the run, restored in a new process, ends in the same state") {
  Scratch scratch;
  const auto file = scratch.file("lab.snap");
  for (const char* machine : {"model56sx", "model95"}) {
    INFO(machine);
    const auto base = std::string("netio --machine ") + machine + brief();
    const auto whole = without_host_time(run_planar(base).json());
    const double end = whole.at("virtual_seconds").get<double>();
    const auto at = std::to_string(end - (std::getenv("PLANAR_SHORT") ? 0.1234567 : 0.7654321));
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

TEST_CASE("the capture holds every frame of the run") {
  Scratch scratch;
  const auto file = scratch.file("net.pcapng");
  const auto run = run_planar("netio --machine model95" + brief() + " --capture " + file);
  REQUIRE(run.status == 0);
  const auto bytes = read_file(file);
  std::uint64_t packets = 0;
  for (std::size_t at = 0; at + 12 <= bytes.size();) {
    std::uint32_t type = 0, length = 0;
    std::memcpy(&type, bytes.data() + at, 4);
    std::memcpy(&length, bytes.data() + at + 4, 4);
    REQUIRE(length >= 12);
    REQUIRE(at + length <= bytes.size());
    packets += type == 6;
    at += length;
  }
  const auto frames = run.json().at("frames");
  CHECK(packets == frames.at("sent").get<std::uint64_t>() + frames.at("received").get<std::uint64_t>());
}

TEST_CASE("a guest without its cable fails with a reason, not with a hang") {
  const auto run = run_planar("netio --machine model95 --net none --seconds 0.1 --quiet");
  CHECK((run.status == 1 || run.status == 5));
  CHECK(!run.err.empty());
}

TEST_CASE("any bootable diskette boots: BIOS services, and protected mode with interrupts") {
  const std::string images = std::string(PLANAR_SOURCE_DIR) + "/roms/images/";
  for (const char* machine : {"model56sx", "model77", "model95"}) {
    for (const char* sample : {"sample-bios", "sample-pmode"}) {
      INFO(machine << " " << sample);
      const auto ok = std::string(sample) + ": ok";
      const auto run = run_planar(std::string("run ") + machine + " --quiet --screen text --serial stdio --image " + images +
                              sample + ".img --until 'screen:" + ok + "' --timeout '30 s'");
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
