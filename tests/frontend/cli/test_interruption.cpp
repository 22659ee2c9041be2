// SPDX-License-Identifier: GPL-2.0-or-later
// SIGINT and SIGTERM end what is under way, with what there is so far and an exit code of its own.
#include <fcntl.h>
#include <netinet/in.h>
#include <spawn.h>
#include <sys/socket.h>

#include <csignal>
#include <thread>

#include "tests/catch.hpp"
#include "tests/frontend/program.hpp"

extern char** environ;

using Catch::Matchers::Contains;
using namespace program;
using namespace std::chrono_literals;

namespace {

/// planar beside the test, its output in files.
class Beside {
 public:
  Beside(const Scratch& scratch, std::vector<std::string> words)
      : out_(scratch.file("beside.out")), err_(scratch.file("beside.err")) {
    std::vector<char*> argv{const_cast<char*>(PLANAR_BINARY)};
    for (auto& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, 1, out_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    posix_spawn_file_actions_addopen(&files, 2, err_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    REQUIRE(posix_spawn(&pid_, PLANAR_BINARY, &files, nullptr, argv.data(), environ) == 0);
    posix_spawn_file_actions_destroy(&files);
  }
  ~Beside() {
    if (pid_ > 0) {
      ::kill(pid_, SIGKILL);
      ::waitpid(pid_, nullptr, 0);
    }
  }
  void signal(int number) const { ::kill(pid_, number); }
  /// Until `file` holds something, for ten seconds.
  static void wait_for(const std::string& file) {
    for (int n = 0; n < 1000 && read_file(file).empty(); ++n) std::this_thread::sleep_for(10ms);
    REQUIRE_FALSE(read_file(file).empty());
  }
  int status() {
    int status = 0;
    for (int n = 0; n < 2000; ++n) {
      if (::waitpid(pid_, &status, WNOHANG) == pid_) {
        pid_ = 0;
        return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
      }
      std::this_thread::sleep_for(10ms);
    }
    return -1;
  }
  std::string out() const { return read_file(out_); }
  std::string err() const { return read_file(err_); }
  const std::string& err_file() const { return err_; }

 private:
  std::string out_, err_;
  pid_t pid_ = 0;
};

}  // namespace

TEST_CASE("SIGINT and SIGTERM end a run with its result and exit code 6") {
  const Scratch scratch;
  for (const int number : {SIGINT, SIGTERM}) {
    INFO(number);
    Beside run(scratch, {"run", "model95", "--json", "-", "--capture", scratch.file("c.pcapng")});
    Beside::wait_for(run.err_file());  // the summary at its start
    std::this_thread::sleep_for(200ms);
    run.signal(number);
    CHECK(run.status() == 6);
    CHECK(nlohmann::ordered_json::parse(run.out()).at("ended") == "interrupted");
    CHECK(std::filesystem::file_size(scratch.file("c.pcapng")) > 0);
  }
}

TEST_CASE("netio-server ends on SIGTERM, and with a client that says nothing") {
  const Scratch scratch;
  Beside server(scratch, {"netio-server", "--listen", "127.0.0.1:0", "--idle", "0.3", "--once"});
  Beside::wait_for(server.err_file());
  const auto said = server.err();
  const auto port = std::stoi(said.substr(said.find("127.0.0.1:") + 10));
  const int client = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  REQUIRE(::connect(client, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
  CHECK(server.status() == 0);
  CHECK_THAT(server.out(), Contains("nothing of netio"));
  ::close(client);

  Beside alone(scratch, {"netio-server", "--listen", "127.0.0.1:0"});
  Beside::wait_for(alone.err_file());
  std::this_thread::sleep_for(100ms);
  alone.signal(SIGTERM);
  CHECK(alone.status() == 6);
}
