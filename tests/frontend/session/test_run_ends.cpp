// SPDX-License-Identifier: GPL-2.0-or-later
// Files at the end of a run: a snapshot that was not taken, one with more contents than stated, a socket that belongs
// to another process.
#include <sys/socket.h>
#include <sys/un.h>

#include <cstring>
#include <fstream>

#include "tests/catch.hpp"
#include "tests/frontend/program.hpp"

using Catch::Matchers::Contains;
using namespace program;

TEST_CASE("a snapshot that the run does not reach is an error, and the existing file is named as old") {
  const Scratch scratch;
  const auto file = scratch.write("lab.snap", "of an earlier run");
  const auto known = run_planar("run model95 --quiet --until '1 ms' --snapshot-at '1 s' " + file);
  CHECK(known.status == 2);
  CHECK_THAT(known.err, Contains("--snapshot-at 1 s") && Contains("--until"));
  for (const std::string verb : {"run model95 --do 'wait 1 ms'", "netio --seconds 0.05 --sizes 1024"}) {
    const auto said = run_planar(verb + " --quiet --snapshot-at '500 s' " + file);
    INFO(said.err);
    CHECK(said.status == 1);
    CHECK_THAT(said.err, Contains(file + " was not written") && Contains("of an earlier run"));
    CHECK(read_file(file) == "of an earlier run");
  }
}

TEST_CASE("a snapshot with trailing bytes is refused") {
  const Scratch scratch;
  const auto file = scratch.file("lab.snap");
  REQUIRE(run_planar("run model95 --quiet --until '2 ms' --snapshot-at '1 ms' " + file).status == 0);
  const std::string restore = "run --quiet --until '2 ms' --restore " + file;
  REQUIRE(run_planar(restore).status == 0);
  const auto whole = read_file(file);
  for (const std::string& more : {std::string(1, '\0'), std::string("x"), whole}) {
    std::ofstream(file, std::ios::binary) << whole << more;
    const auto said = run_planar(restore);
    CHECK(said.status == 3);
    CHECK_THAT(said.err, Contains(file) && Contains("damaged"));
  }
}

TEST_CASE("a Unix socket's path is removed only if it is this run's socket") {
  const Scratch scratch;
  const auto path = scratch.file("wire");
  const std::string run = "run model95 --card ne2 --quiet --net-time unthrottled --net socket:unix:" + path;
  REQUIRE(run_planar(run + " --until '1 ms'").status == 0);
  CHECK_FALSE(std::filesystem::exists(path));
  // While the run has its socket, something else takes its place; the run ends after that.
  const std::string planar = "'" + std::string(PLANAR_BINARY) + "' ";
  const auto replace = [&](const std::string& with) {
    const auto command = planar + run + " --do 'wait 2000 s' 2>/dev/null & pid=$!; until [ -S " + path +
                         " ]; do sleep 0.05; done; rm " + path + "; " + with + "; kill -TERM $pid; wait $pid";
    return WEXITSTATUS(std::system(command.c_str()));
  };
  CHECK(replace("echo precious >" + path) == 6);
  CHECK(read_file(path) == "precious\n");
  const auto refused = run_planar(run + " --until '1 ms'");
  CHECK(refused.status != 0);
  CHECK(read_file(path) == "precious\n");
  std::filesystem::remove(path);
  // Another process's socket with the same name.
  const int other = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const auto second = scratch.file("second");
  second.copy(address.sun_path, sizeof address.sun_path - 1);
  REQUIRE(::bind(other, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  CHECK(replace("mv " + second + " " + path) == 6);
  CHECK(std::filesystem::is_socket(path));
  ::close(other);
}
