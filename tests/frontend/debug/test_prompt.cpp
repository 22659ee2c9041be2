// SPDX-License-Identifier: GPL-2.0-or-later
// The prompt of `planar debug` at a terminal: editing, history, completion, and Ctrl-C while the machine runs.
#include <poll.h>
#include <pty.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>

#include "tests/catch.hpp"
#include "tests/frontend/program.hpp"

using Catch::Matchers::Contains;
using namespace program;

namespace {

/// planar on its own terminal.
class Terminal {
 public:
  explicit Terminal(const std::string& home) {
    child_ = forkpty(&terminal_, nullptr, nullptr, nullptr);
    if (child_ != 0) return;
    setenv("HOME", home.c_str(), 1);
    setenv("TERM", "dumb", 1);
    execl(PLANAR_BINARY, "planar", "debug", "model95", "--quiet", static_cast<char*>(nullptr));
    _exit(127);
  }
  ~Terminal() {
    if (child_ > 0) {
      kill(child_, SIGKILL);
      waitpid(child_, nullptr, 0);
    }
    if (terminal_ >= 0) close(terminal_);
  }
  Terminal(const Terminal&) = delete;

  /// Some hosts have no pseudo-terminals.
  bool missing() const { return child_ < 0; }

  /// The output since the last call, up to and including `text`; all output of a minute if it did not appear.
  std::string until(const std::string& text) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (seen_.find(text) == std::string::npos && std::chrono::steady_clock::now() < end) {
      pollfd p{terminal_, POLLIN, 0};
      if (poll(&p, 1, 200) <= 0) continue;
      std::array<char, 4096> buffer;
      const auto n = ::read(terminal_, buffer.data(), buffer.size());
      if (n <= 0) break;
      seen_.append(buffer.data(), static_cast<std::size_t>(n));
    }
    const auto at = seen_.find(text);
    const auto length = at == std::string::npos ? seen_.size() : at + text.size();
    const std::string shown = seen_.substr(0, length);
    seen_.erase(0, length);
    return shown;
  }
  void type(const std::string& keys) {
    CHECK(::write(terminal_, keys.data(), keys.size()) == static_cast<ssize_t>(keys.size()));
  }
  /// Waits for the next prompt, and until it reads keys: libedit shows the prompt before it takes over the terminal,
  /// which until then handles a Ctrl-D itself.
  std::string prompt() {
    const auto shown = until("(planar) ");
    until_keys_are_read(true);
    return shown;
  }
  /// libedit reads single keys; otherwise the terminal collects lines.
  void until_keys_are_read(bool wanted) {
    termios mode{};
    for (unsigned n = 0; n < 6000 && tcgetattr(terminal_, &mode) == 0 && !(mode.c_lflag & ICANON) != wanted; ++n)
      usleep(10'000);
  }
  /// The exit code; -1 if it was killed, or did not end within a minute.
  int wait() {
    int status = 0;
    const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    while (waitpid(child_, &status, WNOHANG) == 0) {
      if (std::chrono::steady_clock::now() > end) return -1;
      usleep(10'000);
    }
    child_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

 private:
  int terminal_ = -1;
  pid_t child_ = -1;
  std::string seen_;
};

}  // namespace

TEST_CASE("the prompt edits lines, keeps a history and handles Ctrl-C") {
  const Scratch home;
  {
    Terminal t(home.file(""));
    if (t.missing()) SKIP("the host gives no pseudo-terminal; mount devpts at /dev/pts");
    CHECK_THAT(t.prompt(), Contains("FFFFFFF0"));
    t.type("regs\n");
    CHECK_THAT(t.until("CR4"), Contains("EIP 0000FFF0"));
    t.prompt();
    t.type("continue\n");
    t.until_keys_are_read(false);
    usleep(300'000);
    t.type("\x03");
    CHECK_THAT(t.prompt(), Contains(" s  "));
    t.type("time\n");
    CHECK_THAT(t.prompt(), Contains("instructions"));
    t.type("nonsense\n");  // is not a reason to end
    CHECK_THAT(t.prompt(), Contains("there is no command"));
    t.type("\x10\x10\n");                                           // Ctrl-P: the line before the last
    CHECK_THAT(t.until("instructions"), Contains("instructions"));  // a redisplayed line has a prompt, too
    t.prompt();
    t.type("quit\n");
    CHECK(t.wait() == 0);
  }
  CHECK_THAT(read_file(home.file(".planar_history")), Contains("regs") && Contains("nonsense"));
  Terminal again(home.file(""));
  again.prompt();
  again.type("\x10\x10\x10\n");  // "nonsense" from the previous session
  CHECK_THAT(again.until("there is no command"), Contains("there is no command"));
  again.prompt();
  again.type("\x04");  // the end of input ends the run
  CHECK(again.wait() == 0);
}
