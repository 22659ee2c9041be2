// SPDX-License-Identifier: GPL-2.0-or-later
// The progress line on a terminal.
#include <fcntl.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <sstream>
#include <string>

#include "tests/catch.hpp"
#include "tests/frontend/program.hpp"

TEST_CASE("the progress line fits into a narrow terminal so that it overwrites itself") {
  winsize size{};
  size.ws_row = 24;
  size.ws_col = 40;
  int terminal = -1;
  const pid_t child = forkpty(&terminal, nullptr, nullptr, &size);
  if (child < 0) SKIP("the host gives no pseudo-terminal; mount devpts at /dev/pts");
  if (child == 0) {
    dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
    execl(PLANAR_BINARY, "planar", "netio", "--machine", "model56sx", "--sizes", "1024", "--seconds", "0.5",
          static_cast<char*>(nullptr));
    _exit(127);
  }
  std::string shown;
  std::array<char, 4096> buffer;
  for (ssize_t n; (n = ::read(terminal, buffer.data(), buffer.size())) > 0;)
    shown.append(buffer.data(), static_cast<std::size_t>(n));
  close(terminal);
  int status = 0;
  waitpid(child, &status, 0);
  REQUIRE(WIFEXITED(status));
  REQUIRE(WEXITSTATUS(status) == 0);
  unsigned drawn = 0;
  std::istringstream pieces(shown);
  for (std::string piece; std::getline(pieces, piece, '\r');)
    if (piece.find("s virtual") != std::string::npos && piece.find('\n') == std::string::npos) {
      INFO(piece);
      CHECK(piece.size() == size.ws_col - 1u);
      ++drawn;
    }
  CHECK(drawn > 0);
}
