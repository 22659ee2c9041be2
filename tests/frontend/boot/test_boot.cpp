// SPDX-License-Identifier: GPL-2.0-or-later
// Any bootable diskette boots; for others there is a message.

#include "tests/catch.hpp"
#include "tests/frontend/network/echo_diskette.hpp"
#include "tests/frontend/program.hpp"

using Catch::Matchers::Contains;
using program::run_planar;
using program::Scratch;

TEST_CASE("any bootable diskette boots: BIOS services, protected mode with interrupts, demand paging") {
  const std::string images = std::string(PLANAR_SOURCE_DIR) + "/roms/images/";
  for (const char* machine : {"model56sx", "model77", "model95", "pc-p166"}) {
    for (const char* sample : {"sample-bios", "sample-pmode", "sample-paging"}) {
      INFO(machine << " " << sample);
      const auto ok = std::string(sample) + ": ok";
      const auto run = run_planar(std::string("run ") + machine + " --quiet --screen text --serial stdio --image '" +
                                  images + sample + ".img' --until 'screen:" + ok + "' --timeout '30 s'");
      CHECK(run.status == 0);
      CHECK_THAT(run.out, Contains(ok));
    }
  }
}

TEST_CASE("a diskette that does not boot is reported on the screen") {
  Scratch scratch;
  const auto image = scratch.write("blank.img", std::string(1474560, '\0'));
  const auto run = run_planar("run model95 --quiet --screen text --image " + image + " --until '20 s'");
  CHECK(run.status == 0);
  CHECK_THAT(run.out, Contains("diskette"));
}

TEST_CASE("an INT 8 handler that only sends an EOI is called 18.2 times a second") {
  Scratch scratch;
  // Takes vector 08h; counts its calls from one second of the clock to the next; shows "=NN;". The handler counts, and
  // writes 20h to port 20h. It does not write port 61h.
  std::string image(
      "\xFA\x31\xC0\x8E\xD8\xC7\x06\x20\x00\x58\x7C\xA3\x22\x00\xFB\xE8\x33\x00\xC6\x06\x64\x7C\x00"
      "\xE8\x2B\x00\xA0\x64\x7C\xD4\x0A\x05\x30\x30\x89\xC3\xB0\x3D\xE8\x12\x00\x88\xF8\xE8\x0D\x00"
      "\x88\xD8\xE8\x08\x00\xB0\x3B\xE8\x03\x00\xF4\xEB\xFD\x53\xB4\x0E\xBB\x07\x00\xCD\x10\x5B\xC3"
      "\xB0\x00\xE6\x70\xE4\x71\x88\xC4\xB0\x00\xE6\x70\xE4\x71\x38\xE0\x74\xF6\xC3\x50\x2E\xFE\x06"
      "\x64\x7C\xB0\x20\xE6\x20\x58\xCF\x00",
      101);
  image.resize(1474560);
  image.replace(510, 2, "\x55\xAA");
  const auto file = scratch.write("irq0.img", image);
  for (const char* machine : {"model56sx", "model77", "model95", "pc-p166"}) {
    const auto run = run_planar(std::string("run ") + machine +
                                " --quiet --screen text --until 'screen:;' --timeout '20 s' --image " + file);
    INFO(machine << run.err << run.out);
    CHECK(run.status == 0);
    CHECK((run.out.find("=18;") != std::string::npos || run.out.find("=19;") != std::string::npos));
  }
}

TEST_CASE("a processor reset with A20 disabled finds the firmware") {
  Scratch scratch;
  // Vector 6 (invalid opcode) points to a halt; A20 is disabled through 92h, and the processor reset through 64h.
  std::string image(
      "\x31\xC0\x8E\xD8\xC7\x06\x18\x00\x1C\x7C\xC7\x06\x1A\x00\x00\x00\xE4\x92\x24\xFC\xE6\x92"
      "\xB0\xFE\xE6\x64\xEB\xFE\xFA\xF4",
      30);
  image.resize(1474560);
  image.replace(510, 2, "\x55\xAA");
  const auto file = scratch.write("reset.img", image);
  for (const char* machine : {"model56sx", "model77", "model95", "pc-p166"}) {
    const auto run = run_planar(std::string("run ") + machine + " --quiet --json - --until '6 s' --image " + file);
    INFO(machine << run.err);
    REQUIRE(run.status == 0);
    CHECK(run.json().at("ended") == "time reached");
  }
}

TEST_CASE("--until finds a prompt on COM1 without a line end, and ends at the first of several texts") {
  Scratch scratch;
  const auto image = scratch.write("echo.img", echo_diskette::image());
  const auto run = [&](const std::string& until, const std::string& timeout = "20 s") {
    return run_planar("run model95 --quiet --json - --timeout '" + timeout + "' --image " + image + until);
  };
  const auto prompt = run(" --until 'serial:>'");
  INFO(prompt.err);
  REQUIRE(prompt.status == 0);
  CHECK(prompt.json().at("ended") == "text seen");
  const auto either = run(" --until screen:never --until serial:nowhere --until 'screen:>' --until serial:neither");
  INFO(either.err);
  CHECK(either.status == 0);
  const auto none = run(" --until screen:never --until serial:nowhere", "50 ms");
  CHECK(none.status == 5);
  CHECK_THAT(none.err, Contains("'never' or 'nowhere' did not appear"));
  CHECK(run(" --until screen:").status == 2);
}

TEST_CASE("a snapshot time after the end of the run is refused") {
  Scratch scratch;
  const auto snap = scratch.file("lab.snap");
  const auto early = run_planar("run model95 --quiet --until '200 ms' --snapshot-at '300 ms' " + snap);
  CHECK(early.status == 2);
  CHECK_THAT(early.err, Contains("--snapshot-at 300 ms: lies after the end of the run"));
  CHECK(run_planar("run model95 --quiet --until '300 ms' --snapshot-at '200 ms' " + snap).err.empty());
}

TEST_CASE("--bios runs the user's firmware and reports its last checkpoint") {
  Scratch scratch;
  // F000:FFF0: MOV AL,5Ah; MOV DX,0680h; OUT DX,AL; CLI; HLT
  std::string rom(32768, '\xFF');
  rom.replace(0x7FF0, 8, std::string("\xB0\x5A\xBA\x80\x06\xEE\xFA\xF4", 8));
  const auto file = scratch.write("own.rom", rom);
  for (const char* machine : {"model56sx", "model77", "model95", "pc-p166"}) {
    const auto run = run_planar(std::string("run ") + machine + " --quiet --json - --until '1 s' --bios " + file);
    CHECK(run.status == 0);
    CHECK_THAT(run.out, Contains("\"checkpoint\": \"005A\"") && Contains("halted for good"));
    // The time of the HLT, not that at which the run, which looks every 100 ms, ended for it.
    CHECK_THAT(run_planar(std::string("run ") + machine + " --until '1 s' --bios " + file).err,
               Contains("halted for good at 0.000 s virtual"));
  }
}

TEST_CASE("a firmware image of an impossible size, or with a snapshot, is refused") {
  Scratch scratch;
  const auto odd = scratch.write("odd.rom", std::string(1000, '\0'));
  const auto run = run_planar("run model95 --bios " + odd);
  CHECK(run.status == 3);
  CHECK_THAT(run.err, Contains("odd.rom") && Contains("131072"));
  CHECK(run_planar("run model95 --bios " + odd + " --snapshot-at '1 s' x.snap").status == 2);
  const auto halt = scratch.write("halt.rom", std::string(32768, '\xF4')), snap = scratch.file("lab.snap");
  const auto step = run_planar("run model95 --quiet --bios " + halt + " --do 'snapshot \"" + snap + "\"'");
  CHECK(step.status == 2);
  CHECK_THAT(step.err, Contains("halt.rom") && Contains("holds no firmware"));
  CHECK_FALSE(std::filesystem::exists(snap));
}
