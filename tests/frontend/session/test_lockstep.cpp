// SPDX-License-Identifier: GPL-2.0-or-later
// `--lockstep`: a complete machine run with Unicorn beside the processor.
#include "tests/catch.hpp"
#include "tests/frontend/guest_benchmarks/netio_run.hpp"

using program::run_planar;
using program::Scratch;

#if PLANAR_HAVE_UNICORN

namespace {
bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }
}  // namespace

TEST_CASE("POST in lockstep agrees with Unicorn and is not affected") {
  const std::string run = "run model56sx --until '0.15 s' --json - ";
  const auto plain = run_planar(run), checked = run_planar(run + "--lockstep");
  INFO(checked.err);
  REQUIRE(checked.status == 0);
  CHECK(says(checked.err, "instructions compared"));
  CHECK(checked.json().at("state_hash") == plain.json().at("state_hash"));
}

TEST_CASE("booting into protected mode with paging, tasks and system calls agrees with Unicorn") {
  Scratch scratch;
  const auto file = scratch.file("lab.snap");
  const std::string netio = "netio --machine model95 --quiet --json - --seconds 1 --sizes 1024 ";
  const auto whole = run_planar(netio + "--snapshot-at '3.7 s' " + file);
  INFO(whole.err);
  REQUIRE(whole.status == 0);
  const auto end = std::to_string(whole.json().at("virtual_seconds").get<double>() - 0.2);  // netio is running
  const auto rest = "run --restore " + file + " --until '" + end + " s' --json - ";
  const auto checked = run_planar(rest + "--lockstep");
  INFO(checked.err);
  REQUIRE(checked.status == 0);
  const auto plain = run_planar(rest);
  CHECK(checked.json().at("state_hash") == plain.json().at("state_hash"));
  CHECK(says(checked.err, "task switches"));
}

TEST_CASE("a demand-paged program agrees with Unicorn from power-on to its end") {
  const std::string run =
      " --quiet --json - --until 'serial:sample-paging: ok' --until serial:failed --timeout '20 s' "
      "--image '" PLANAR_SOURCE_DIR "/roms/images/sample-paging.img' ";
  for (const char* machine : {"model56sx", "model77", "model95"}) {
    const auto checked = run_planar("run " + std::string(machine) + run + "--lockstep");
    INFO(machine << "\n" << checked.err);
    REQUIRE(checked.status == 0);
    CHECK(checked.json().at("ended") == "text seen");
    CHECK(checked.json().at("state_hash") == run_planar("run " + std::string(machine) + run).json().at("state_hash"));
  }
}

TEST_CASE("a difference between planar and Unicorn ends the run and shows both states") {
  const auto said = run_planar("run model56sx --until '1 s' --quiet --lockstep --lockstep-plant 1000");
  INFO(said.err);
  CHECK(said.status == 4);
  CHECK(says(said.err, "planar and Unicorn differ in general registers after F000:"));
  for (const char* part : {"before ", "planar ", "Unicorn ", "EIP=", "EFLAGS=", "CR0=", "1000 instructions compared"})
    CHECK(says(said.err, part));
}

#else

TEST_CASE("without Unicorn --lockstep says what to install") {
  const auto said = run_planar("run model56sx --until '1 ms' --lockstep");
  CHECK(said.status == 2);
  CHECK(said.err.find("PLANAR_UNICORN=ON") != std::string::npos);
}

#endif
