// SPDX-License-Identifier: GPL-2.0-or-later
// The host's files used by the program: a file is replaced completely or not at all, output that cannot be written is
// an error, and endless input is refused at once. /dev/full or a limit on the size of files stands for a full disk.
#include <sys/stat.h>

#include "tests/catch.hpp"
#include "tests/frontend/program.hpp"
#include "tests/memory_limit.hpp"

using Catch::Matchers::Contains;
using planar::tests::address_sanitizer;
using namespace program;

namespace {

const std::string sample = PLANAR_SOURCE_DIR "/roms/images/sample-bios.img";

/// `planar ARGUMENTS` with standard output or error (1 or 2) on a full device.
int into_full(const std::string& arguments, int descriptor) {
  const auto command = "'" + std::string(PLANAR_BINARY) + "' " + arguments + " </dev/null >/dev/null 2>&1 " +
                       std::to_string(descriptor) + ">/dev/full";
  const int status = std::system(command.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

/// The same with no file larger than `blocks` of 512 bytes (as counted by sh).
int limited(const std::string& arguments, unsigned blocks, const std::string& err) {
  const auto command = "ulimit -f " + std::to_string(blocks) + "; '" + std::string(PLANAR_BINARY) + "' " + arguments +
                       " </dev/null >/dev/null 2>" + err;
  const int status = std::system(command.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

}  // namespace

TEST_CASE("every verb ends with an error if its output cannot be written") {
  for (const char* verb :
       {"list cards", "list cards --json -", "list machines", "show ne2", "config model95", "config --reference",
        "--help", "netio --help", "--version", "describe model95 --until '1 ms' cpu",
        "run model95 --quiet --until '1 ms' --json -", "run model95 --quiet --until '6 s' --screen text"}) {
    INFO(verb);
    CHECK(run_planar(verb).status == 0);
    CHECK(into_full(verb, 1) == 3);
  }
  const Scratch scratch;
  REQUIRE(run_planar("disk create " + scratch.file("c.img") + " 1M").status == 0);
  CHECK(into_full("disk info " + scratch.file("c.img"), 1) == 3);
  const std::string run = "run model95 --quiet --image " + sample + " --until 'serial:sample-bios: ok' ";
  for (const char* option : {"--serial file:/dev/full", "--trace irq,pos --trace-file /dev/full", "--capture /dev/full",
                             "--json /dev/full", "--screen png:/dev/full", "--snapshot-at '1 ms' /dev/full"}) {
    const auto said = run_planar(run + option);
    INFO(option << ": " << said.err);
    CHECK(said.status == 3);
    CHECK_THAT(said.err, Contains("/dev/full"));
    CHECK_THAT(said.err, !Contains("emulation fault"));
  }
  CHECK(into_full(run + "--serial stdio", 1) == 3);
}

TEST_CASE("every verb refuses an output file in a missing folder before it runs") {
  const Scratch scratch;
  const auto folder = scratch.file("missing");
  for (const std::string verb :
       {"run model95", "netio", "netperf", "flood", "describe model95", "compare --machines model95", "regress",
        "published", "bench timing", "list cards", "show ne2", "diff a b"}) {
    const auto said = run_planar(verb + " --json " + folder + "/r.json");
    INFO(verb << ": " << said.out << said.err);
    CHECK(said.status == 3);
    CHECK(said.out.empty());
    CHECK_THAT(said.err, Contains("--json " + folder + "/r.json: cannot be written: there is no folder " + folder) &&
                             Contains("mkdir -p " + folder));
  }
  for (const std::string option :
       {"--serial file:", "--screen png:", "--capture ", "--trace irq --trace-file ", "--snapshot-at '1 ms' "}) {
    const auto said = run_planar("run model95 --quiet --until '1 ms' " + option + folder + "/r");
    INFO(option << ": " << said.err);
    CHECK(said.status == 3);
    CHECK_THAT(said.err, Contains("there is no folder " + folder + ";"));
  }
  const auto taken = run_planar("list cards --json " + scratch.file(""));
  CHECK(taken.status == 3);
  CHECK_THAT(taken.err, Contains("that is a folder"));
}

TEST_CASE("an unwritable standard error does not change results") {
  CHECK(into_full("run model95 --until '1 ms'", 2) == 0);
  CHECK(into_full("list cards", 2) == 0);
  CHECK(into_full("netio --card nothing", 2) == 2);
}

TEST_CASE("a file is replaced completely or keeps its old contents") {
  const Scratch scratch;
  const auto err = scratch.file("err");
  const std::string machine = "run model95 --quiet --until '2 ms' ";
  for (const std::string& option :
       {machine + "--snapshot-at '1 ms' ", machine + "--screen png:", std::string("list cards --json ")}) {
    const auto file = scratch.write("kept", std::string(100, 'k'));
    const auto run = option + file;
    INFO(run);
    CHECK(limited(run, 1, err) == 3);
    CHECK_THAT(read_file(err), Contains(file));
    CHECK(read_file(file) == std::string(100, 'k'));
    CHECK(std::distance(std::filesystem::directory_iterator(scratch.file("")), {}) == 2);  // no other files
    CHECK(run_planar(run).status == 0);
    CHECK(read_file(file).size() > 512);
  }
  // A link remains a link, and its target keeps its permissions.
  const auto file = scratch.write("target", "before"), link = scratch.file("link");
  REQUIRE(::chmod(file.c_str(), 0600) == 0);
  std::filesystem::create_symlink("target", link);
  CHECK(run_planar("list machines --json " + link).status == 0);
  CHECK(std::filesystem::is_symlink(link));
  CHECK_THAT(read_file(file), Contains("model95"));
  CHECK(std::filesystem::status(file).permissions() == std::filesystem::perms(0600));
  CHECK(run_planar("run model95 --quiet --until '1 ms' --screen png:/dev/null").status == 0);
  CHECK(std::filesystem::is_character_file("/dev/null"));
  CHECK(run_planar("list machines --json /dev/stdout").json().size() >= 3);
}

TEST_CASE("a snapshot names no host file that is written to") {
  const Scratch scratch;
  const auto serial = scratch.file("com1.txt"), snap = scratch.file("lab.snap"), shot = scratch.file("shot.txt");
  const auto machine = scratch.write(
      "lab.toml", "machine = \"model95\"\nimage = \"" + sample + "\"\nserial = \"file:" + serial + "\"\n");
  REQUIRE(run_planar("run " + machine + " --quiet --do \"wait 1 s\" --do 'snapshot \"" + snap +
                     "\"' --do 'wait 100 ms' --do 'grab screen \"" + shot + "\"'")
              .status == 0);
  REQUIRE(std::filesystem::exists(shot));
  scratch.write("com1.txt", "precious");
  scratch.write("shot.txt", "precious");
  const auto results = scratch.file("results");
  const auto restored = run_planar("run --quiet --restore " + snap + " --result " + results);
  INFO(restored.err);
  CHECK(restored.status == 0);
  CHECK(read_file(serial) == "precious");
  CHECK(read_file(shot) == "precious");
  CHECK(std::filesystem::exists(results + "/shot.txt"));
}

TEST_CASE("endless or much too large input is refused at once") {
  const Scratch scratch;
  const auto sparse = scratch.write("sparse", "");
  std::filesystem::resize_file(sparse, std::uintmax_t{5} << 29);
  ::mkfifo(scratch.file("pipe").c_str(), 0600);
  const std::string memory_limit = address_sanitizer ? "" : "ulimit -v 1500000; ";
  for (const std::string& file : {std::string("/dev/zero"), sparse, scratch.file("pipe")})
    for (const std::string verb :
         {"run ", "run model95 --do ", "run model95 --image ", "run model95 --kernel ", "run model95 --bios ",
          "run --restore ", "run model95 --floppy ", "run model95 --disk ", "adf ", "config "}) {
      if (file == sparse && verb == "run model95 --disk ") continue;  // a valid disk
      const auto command = memory_limit + "timeout 10 '" + std::string(PLANAR_BINARY) + "' " + verb + file +
                           " >/dev/null 2>" + scratch.file("err") + " </dev/null";
      const int status = std::system(command.c_str());
      INFO(verb << file << ": " << read_file(scratch.file("err")));
      CHECK((WEXITSTATUS(status) == 2 || WEXITSTATUS(status) == 3));
      CHECK_THAT(read_file(scratch.file("err")), !Contains("bad_alloc") && Contains("planar: "));
    }
}

TEST_CASE("bytes that are not UTF-8 or not ASCII are text or a user error, never a fault") {
  const Scratch scratch;
  const auto image = scratch.file("caf\xE9.img");
  REQUIRE(run_planar("disk create '" + image + "' 1M").status == 0);
  const auto info = run_planar("disk info --json - '" + image + "'");
  CHECK(info.status == 0);
  CHECK_THAT(info.json()["file"].get<std::string>(), Contains("caf\xEF\xBF\xBD.img"));
  const auto toml = scratch.write("m.toml", "machine = \"model95\"\nn\xC3\xA4me = 1\n");
  const auto said = run_planar("config " + toml);
  CHECK(said.status == 2);
  CHECK_THAT(said.err, Contains("m.toml:2:2: "));
}
