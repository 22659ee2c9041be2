// SPDX-License-Identifier: GPL-2.0-or-later
// planar netio-server when the host has no resources left for another connection.
#include <fstream>
#include <sstream>

#include "tests/catch.hpp"
#include "tests/frontend/network/loopback.hpp"

using namespace program;
using Catch::Matchers::Contains;
using namespace std::chrono_literals;

namespace {

/// Processor time of a process so far, in seconds.
double processor_seconds(pid_t pid) {
  std::ifstream in("/proc/" + std::to_string(pid) + "/stat");
  std::string text((std::istreambuf_iterator<char>(in)), {}), word;
  std::istringstream fields(text.substr(text.rfind(')') + 1));
  for (int n = 0; n < 11; ++n) fields >> word;  // state to cmajflt: utime and stime follow
  double user = 0, system = 0;
  fields >> user >> system;
  return (user + system) / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

Descriptor connect_to(std::uint16_t port) {
  Descriptor s(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const auto address = loopback(port);
  REQUIRE(::connect(s.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  return s;
}

}  // namespace

TEST_CASE("an occasional byte does not keep a netio-server connection open") {
  const Scratch scratch;
  Beside server(scratch, "netio-server --listen 127.0.0.1:0 --idle 1");
  REQUIRE(server.until(server.err_file(), "all versions"));
  const auto announced = read_file(server.err_file());
  const auto port = static_cast<std::uint16_t>(std::stoi(announced.substr(announced.find("127.0.0.1:") + 10)));
  const auto trickling = connect_to(port), busy = connect_to(port);
  const auto start = std::chrono::steady_clock::now();
  const auto open = [](const Descriptor& s) {
    char byte = 0;
    return ::recv(s.get(), &byte, 1, MSG_DONTWAIT | MSG_PEEK) != 0;
  };
  // Both send five times a second for three seconds, one of them enough for netio.
  bool kept = true;
  while (std::chrono::steady_clock::now() - start < 3s) {
    send(trickling, {0x55});
    CHECK(send(busy, std::vector<std::uint8_t>(20'000, 0x55)));
    std::this_thread::sleep_for(200ms);
    kept = kept && open(trickling);
  }
  CHECK_FALSE(kept);
  CHECK(open(busy));
}

TEST_CASE("netio-server at its descriptor limit does not spin, and continues when one is free again") {
  const Scratch scratch;
  // Standard input and outputs, the listening socket, and about twelve connections; a shell itself needs more than ten.
  Beside server(scratch, "netio-server --listen 127.0.0.1:0 --idle 60", "ulimit -n 16; ");
  REQUIRE(server.until(server.err_file(), "all versions"));
  const auto announced = read_file(server.err_file());
  const auto port = static_cast<std::uint16_t>(std::stoi(announced.substr(announced.find("127.0.0.1:") + 10)));
  std::vector<Descriptor> clients;
  for (int n = 0; n < 15; ++n) clients.push_back(connect_to(port));
  std::this_thread::sleep_for(200ms);
  const double before = processor_seconds(server.pid());
  std::this_thread::sleep_for(1500ms);
  CHECK(processor_seconds(server.pid()) - before < 0.3);
  // The first of them are served, the others when those have gone.
  for (auto& client : clients) {
    CHECK(send(client, std::vector<std::uint8_t>(100'000, 0x55)));
    ::shutdown(client.get(), SHUT_WR);
  }
  for (auto& client : clients) CHECK(receive(client, 1).empty());  // closed by the server: everything was received
}
