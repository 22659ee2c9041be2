// SPDX-License-Identifier: GPL-2.0-or-later
// Whatever is sent to the port of --gdb, planar's memory does not grow and the run continues.
#include "tests/catch.hpp"
#include "tests/frontend/network/loopback.hpp"

using namespace program;

namespace {

/// Peak memory of a process so far, in MB.
unsigned long most_memory(pid_t pid) {
  const auto text = read_file("/proc/" + std::to_string(pid) + "/status");
  const auto at = text.find("VmHWM:");
  return at == std::string::npos ? 0 : std::stoul(text.substr(at + 6)) / 1024;
}

Descriptor attach(const Beside& run) {
  const auto announced = read_file(run.err_file());
  const auto port = std::stoi(announced.substr(announced.find("127.0.0.1:") + 10));
  Descriptor s(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const auto address = loopback(static_cast<std::uint16_t>(port));
  REQUIRE(::connect(s.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  return s;
}

}  // namespace

TEST_CASE("a client that disconnects before it is answered does not stop the run") {
  const Scratch scratch;
  Beside run(scratch, "run model95 --net none --quiet --until '10 ms' --gdb wait:0");
  REQUIRE(run.until(run.err_file(), "target remote"));
  {
    const auto gdb = attach(run);
    std::string questions;  // their answers do not fit into a connection that is not read
    for (unsigned n = 0; n < 2000; ++n) questions += "$m0,3000#8c";
    REQUIRE(send(gdb, {questions.begin(), questions.end()}));
    const linger at_once{1, 0};  // closing is an error for the sender
    REQUIRE(::setsockopt(gdb.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once) == 0);
  }
  CHECK(run.end().status == 0);
}

TEST_CASE("a second client is refused while there is one, and accepted afterwards") {
  const Scratch scratch;
  Beside run(scratch, "run model95 --net none --quiet --gdb wait:0");
  REQUIRE(run.until(run.err_file(), "target remote"));
  const std::string question = "$qC#b4";
  const auto answers = [&](const Descriptor& gdb) {
    return send(gdb, {question.begin(), question.end()}) && !receive(gdb, 1).empty();
  };
  {
    const auto first = attach(run);
    REQUIRE(answers(first));
    CHECK(receive(attach(run), 1).empty());
    CHECK(answers(first));
  }
  CHECK(answers(attach(run)));
}

TEST_CASE("a flood at gdb's port uses no memory") {
  const Scratch scratch;
  Beside run(scratch, "run model95 --quiet --gdb wait:0");
  REQUIRE(run.until(run.err_file(), "target remote"));
  const auto gdb = attach(run);
  const auto ask = [&](const std::string& text) { return send(gdb, {text.begin(), text.end()}); };
  // The answer to a question shows that everything before it has been read.
  const auto answered = [&](const std::string& question, const std::string& answer) {
    REQUIRE(ask(question));
    std::string said;
    while (said.find(answer) == std::string::npos) {
      const auto more = receive(gdb, 1);
      REQUIRE_FALSE(more.empty());
      said += static_cast<char>(more[0]);
    }
  };
  answered("$qC#b4", "$QC1#");
  const auto before = most_memory(run.pid());
  // While the machine is stopped, and while it runs: then checkpoints of the last seconds are kept, some MB each.
  constexpr std::size_t piece = 1 << 20;
  for (const char* kind : {"+", "-", "\x03"}) {
    for (unsigned n = 0; n < 32; ++n) REQUIRE(ask(std::string(piece, *kind)));
    answered("$qC#b4", "$QC1#");
  }
  REQUIRE(ask("+$c#63"));
  for (unsigned n = 0; n < 64; ++n) REQUIRE(ask(std::string(piece, '+')));
  for (unsigned n = 0; n < 64; ++n) REQUIRE(ask(std::string(piece / 2, '$') + std::string(piece / 2, 'a')));
  CHECK(most_memory(run.pid()) < before + 500);
}
