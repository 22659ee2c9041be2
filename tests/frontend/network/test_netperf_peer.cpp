// SPDX-License-Identifier: GPL-2.0-or-later
// netperf with a peer that violates its protocol: the run ends with a message about the violation, and never hangs.
#include <functional>

#include "tests/catch.hpp"
#include "tests/frontend/guest_benchmarks/netio_run.hpp"
#include "tests/frontend/network/loopback.hpp"

using namespace program;
using Catch::Matchers::Contains;

namespace {

constexpr std::size_t record_bytes = 256;
using Record = std::vector<std::uint8_t>;

Record record(std::uint32_t type, std::uint32_t error = 0) {
  Record r(record_bytes);
  for (unsigned n = 0; n < 4; ++n) {
    r[n] = static_cast<std::uint8_t>(type >> (24 - 8 * n));
    r[4 + n] = static_cast<std::uint8_t>(error >> (24 - 8 * n));
  }
  return r;
}

/// A TCP_STREAM client in a guest; in place of its server, `serve` is called with the control connection and the first
/// request.
Said against(const std::function<void(const Descriptor&, const Record&)>& serve) {
  const Scratch scratch;
  const Listener listener;
  Beside client(scratch, "netperf --quiet --net slirp --net-time unthrottled --seconds 0.2 --json - --port " +
                             std::to_string(listener.port()));
  {
    const Descriptor control = listener.accept();
    REQUIRE(control);
    const Record request = receive(control, record_bytes);
    REQUIRE(request.size() == record_bytes);
    serve(control, request);
  }
  return client.end();
}

}  // namespace

TEST_CASE("servers that close, give another test's answer or an error, or name a closed port are reported",
          "[netperf][slirp]") {
  if (short_runs()) SKIP("several runs through slirp");
  const auto failed = [](const Said& said, const char* why) {
    INFO(said.err);
    CHECK(said.status == 1);
    CHECK_THAT(said.err, Contains("netperf") && Contains(why));
  };
  failed(against([](const Descriptor&, const Record&) {}), "the other end has closed");
  failed(against([](const Descriptor& s, const Record&) { send(s, Record(100)); }), "the other end has closed");
  failed(against([](const Descriptor& s, const Record&) { send(s, record(0xDEADBEEF)); }), "violates the protocol");
  failed(against([](const Descriptor& s, const Record&) { send(s, record(11, 22)); }), "error 22");
  failed(against([](const Descriptor& s, const Record&) {
           auto response = record(11);
           response[4 * 8 + 3] = 1;  // the data connection's port
           send(s, response);
           receive(s, 1);
         }),
         "nobody listens");
}

TEST_CASE("non-numeric results do not crash the client", "[netperf][slirp]") {
  if (short_runs()) SKIP("a run through slirp");
  const Listener data;
  const auto lied = against([&](const Descriptor& s, const Record&) {
    auto response = record(11);
    response[4 * 8 + 2] = static_cast<std::uint8_t>(data.port() >> 8);
    response[4 * 8 + 3] = static_cast<std::uint8_t>(data.port());
    send(s, response);
    const Descriptor stream = data.accept();
    REQUIRE(stream);
    while (!receive(stream, 65536).empty()) {}
    ::shutdown(stream.get(), SHUT_WR);
    auto results = record(11);
    std::fill(results.begin() + 8, results.end(), std::uint8_t{0xFF});  // a double that is not a number
    send(s, results);
    receive(s, 1);
  });
  INFO(lied.err);
  CHECK((lied.status == 0 || lied.status == 1));
  CHECK(lied.err.find("terminate") == std::string::npos);
}

TEST_CASE("the guest's server refuses invalid requests, and continues when a client disconnects", "[netperf][slirp]") {
  if (short_runs()) SKIP("runs through slirp");
  const Scratch scratch;
  const auto port = free_ports(2);
  Beside server(scratch, "netperf --serve 1 --net-time unthrottled --json - --port " + std::to_string(port));
  REQUIRE(server.until(server.err_file(), "drive A"));
  {
    const Descriptor control(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const auto address = loopback(port);
    REQUIRE(::connect(control.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
    REQUIRE(send(control, record(77)));
    const auto unknown = receive(control, record_bytes);
    REQUIRE(unknown.size() == record_bytes);
    CHECK(unknown[6] * 256 + unknown[7] == 998);  // netperf's "no such test"
    auto absurd = record(16);                     // UDP_STREAM with messages of 4 GB
    std::fill(absurd.begin() + 12, absurd.begin() + 16, std::uint8_t{0xFF});
    REQUIRE(send(control, absurd));
    const auto refused = receive(control, record_bytes);
    REQUIRE(refused.size() == record_bytes);
    CHECK(refused[7] == 22);
    REQUIRE(send(control, Record(100)));  // part of a record
  }
  const auto next =
      run_planar("netperf --quiet --net slirp --net-time unthrottled --seconds 0.2 --test tcp_rr --json - --port " +
                 std::to_string(port));
  INFO(next.err);
  CHECK(next.status == 0);
  const auto said = server.end();
  INFO(said.err);
  CHECK(said.status == 0);
  CHECK(nlohmann::ordered_json::parse(said.out)["served"] == 1);
}

TEST_CASE("a client that disconnects or falls silent loses only its own test", "[netperf][slirp]") {
  if (short_runs()) SKIP("runs through slirp");
  const Scratch scratch;
  const auto port = free_ports(5);
  Beside server(scratch, "netperf --serve 2 --net-time unthrottled --json - --port " + std::to_string(port));
  REQUIRE(server.until(server.err_file(), "drive A"));
  const auto to = [](std::uint16_t number) {
    Descriptor s(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const auto address = loopback(number);
    REQUIRE(::connect(s.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
    return s;
  };
  auto stream = record(10);
  stream[4 * 10 + 3] = 1;  // a second
  const auto asked = [&](const Descriptor& control) {
    REQUIRE(send(control, stream));
    const auto response = receive(control, record_bytes);
    REQUIRE(response.size() == record_bytes);
    REQUIRE(response[7] == 0);
    return static_cast<std::uint16_t>(response[4 * 8 + 2] << 8 | response[4 * 8 + 3]);
  };
  {  // closes in the middle of its data, before it has received the result: a stream may end like this, and is counted
    const Descriptor control = to(port);
    const Descriptor data = to(asked(control));
    REQUIRE(send(data, Record(10'000)));
  }
  {  // silent in the middle of its data: given up after a minute, which passes on the host, too
    const Descriptor control = to(port);
    const Descriptor data = to(asked(control));
    REQUIRE(send(data, Record(10'000)));
    const auto results = receive(control, record_bytes);
    REQUIRE(results.size() == record_bytes);
    CHECK(results[6] * 256 + results[7] == 110);  // a time-out
  }
  const auto next =
      run_planar("netperf --quiet --net slirp --net-time unthrottled --seconds 0.2 --test tcp_rr --json - --port " +
                 std::to_string(port));
  INFO(next.err);
  CHECK(next.status == 0);
  const auto said = server.end();
  INFO(said.err);
  CHECK(said.status == 0);
  CHECK(nlohmann::ordered_json::parse(said.out)["served"] == 2);
}
