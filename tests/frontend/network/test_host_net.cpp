// SPDX-License-Identifier: GPL-2.0-or-later
// Through slirp the guest reaches the host's loopback interface, and the host reaches the guest.
#include <fmt/format.h>

#include "tests/catch.hpp"
#include "tests/frontend/guest_benchmarks/netio_run.hpp"
#include "tests/frontend/network/loopback.hpp"

using namespace program;
using Catch::Matchers::Contains;

namespace {

using Bytes = std::vector<std::uint8_t>;

const std::string slirp = " --net slirp --net-time unthrottled";

std::string number(std::size_t n) { return std::to_string(n); }

/// The data that the guest sends (roms/guest/programs/transfer.c), seed 1.
Bytes pattern(std::size_t bytes) {
  Bytes all(bytes);
  for (std::size_t i = 0; i < bytes; ++i)
    all[i] = static_cast<std::uint8_t>((static_cast<std::uint32_t>(i / 4) * 0x9E3779B1u + 1u) >> i % 4 * 8);
  return all;
}

/// Checks what guest and server count with `generation`; no medium on the way carries more than `most` KB/s.
void run_netio(int generation, const std::string& machine = "", double most = 1250) {
  INFO("generation " << generation << machine);
  const Scratch scratch;
  const std::string seconds = short_runs() ? "0.1" : "0.5";
  Beside server(scratch, "netio-server --listen 127.0.0.1:0 --once --json - --seconds " + seconds);
  REQUIRE(server.until(server.err_file(), "all versions"));
  const auto announced = read_file(server.err_file());
  const auto port =
      announced.substr(announced.find("127.0.0.1:") + 10, announced.find(',') - announced.find("127.0.0.1:") - 10);
  const auto guest = run_planar("netio --quiet --json -" + machine + slirp + " --sizes 1024,32767 --port " + port +
                                " --seconds " + seconds + " --generation " + std::to_string(generation));
  INFO(guest.err);
  REQUIRE(guest.status == 0);
  const auto result = guest.json();
  CHECK(result.at("net") == "slirp");
  CHECK(result.at("repeatable") == false);
  CHECK(result.at("netio_version") == (generation == 1 ? "1.14" : "1.16"));
  REQUIRE(result.at("rows").size() == 2);
  double data = 0;
  for (const auto& row : result.at("rows")) {
    const double rate = row.at("kb_per_s").get<double>();
    CHECK(rate > 100);
    CHECK(rate <
          most + 64 / std::stod(seconds));  // no faster than the wire carries what does not stay in the send buffer
    data += rate * 1024 * std::stod(seconds);
    CHECK(row.contains("received_kb_per_s") == (generation == 2));
    if (generation == 2) {
      CHECK(row.at("received_kb_per_s").get<double>() > 100);
      CHECK(row.at("received_kb_per_s").get<double>() < most);
    }
  }
  const auto said = server.end();
  REQUIRE(said.status == 0);
  const auto counted = nlohmann::ordered_json::parse(said.out);
  CHECK(counted.at("generation") == (generation == 1 ? "up to 1.14" : "1.16 and later"));
  // Rates refer to the sending time; the last block of a size extends beyond it.
  CHECK(counted.at("received_bytes").get<double>() > 0.9 * data);
  CHECK((counted.at("sent_bytes").get<double>() > 0) == (generation == 2));
}

}  // namespace

TEST_CASE("a benchmark without a server on the host says which program to start") {
  const std::pair<std::string, std::string> table[] = {{"netio", "start `planar netio-server` on this host first"},
                                                       {"netperf", "start netperf 2.1's netserver on this host first"}};
  for (const auto& [verb, remedy] : table) {
    const auto said = run_planar(verb + slirp + " --quiet --port 5");
    INFO(said.err);
    CHECK(said.status == 1);
    CHECK_THAT(said.err, Contains("nobody listens at that port") && Contains(remedy));
  }
}

TEST_CASE("4 MB pass through slirp to a loopback server and back unchanged") {
  const Scratch scratch;
  const std::size_t bytes = short_runs() ? 256 << 10 : 4 << 20;
  const Listener listener;
  const auto image =
      guest_with(scratch, {{"do", "transfer"}, {"bytes", number(bytes)}, {"port", number(listener.port())}});
  Beside run(scratch, "run model95 --card ne2 --image " + image + slirp +
                          " --until serial:@done --serial file:" + scratch.file("serial") + " --timeout '300 s'");
  Descriptor client = listener.accept();
  REQUIRE(client);
  Bytes data = receive(client, bytes);
  CHECK(data.size() == bytes);
  CHECK((data == pattern(bytes)));
  for (auto& b : data) b = static_cast<std::uint8_t>(~b);
  REQUIRE(send(client, data));
  CHECK(receive(client, 1).empty());  // the guest closes, and waits until this end does so
  client.reset();
  const auto said = run.end();
  INFO(said.err);
  CHECK(said.status == 0);
  CHECK_THAT(said.err, Contains("host in the loop"));
  CHECK_THAT(read_file(scratch.file("serial")),
             Contains("@transfer end sent=" + number(bytes) + " received=" + number(bytes) + " wrong=0") &&
                 Contains("@done 0"));
}

TEST_CASE("a damaged answer is detected") {
  const Scratch scratch;
  const Listener listener;
  const auto image = guest_with(scratch, {{"do", "transfer"}, {"bytes", "20000"}, {"port", number(listener.port())}});
  Beside run(scratch, "run model95 --card ne2 --image " + image + slirp +
                          " --until serial:@done --serial file:" + scratch.file("serial") + " --timeout '300 s'");
  Descriptor client = listener.accept();
  REQUIRE(client);
  Bytes data = receive(client, 20000);
  for (auto& b : data) b = static_cast<std::uint8_t>(~b);
  data[12345] ^= 0x10;
  REQUIRE(send(client, data));
  client.reset();
  run.end();
  CHECK_THAT(read_file(scratch.file("serial")),
             Contains("wrong=1") && Contains("@fail content") && Contains("@done 1"));
}

TEST_CASE("a forwarded port reaches the guest") {
  const Scratch scratch;
  const auto port = free_port();
  const auto image = guest_with(scratch, {{"do", "serve"}, {"port", "23"}});
  Beside run(scratch,
             "run model95 --card 3c529 --image " + image + slirp + " --forward 'tcp 127.0.0.1:" + number(port) +
                 " -> 23' --until serial:@done --serial file:" + scratch.file("serial") + " --timeout '300 s'");
  REQUIRE(run.until(scratch.file("serial"), "@serve port=23"));
  Descriptor s(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const auto address = loopback(port);
  REQUIRE(::connect(s.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  const Bytes data = pattern(short_runs() ? 20'000 : 300'000);
  std::thread sender([&] {
    send(s, data);
    ::shutdown(s.get(), SHUT_WR);
  });
  const Bytes back = receive(s, data.size() + 1);
  sender.join();
  CHECK((back == data));
  CHECK(run.end().status == 0);
  CHECK_THAT(read_file(scratch.file("serial")), Contains("@served sent=" + number(data.size())));
}

TEST_CASE("--net slirp:isolated: the guest reaches no server on the host, a forwarded port reaches the guest") {
  const Scratch scratch;
  const std::string isolated = " --net slirp:isolated --net-time unthrottled";
  const Listener listener;
  const auto out = guest_with(scratch, {{"do", "transfer"}, {"bytes", "20000"}, {"port", number(listener.port())}});
  const auto tried = run_planar("run model95 --quiet --card ne2 --image " + out + isolated +
                                " --until serial:@done --serial file:" + scratch.file("out") + " --timeout '300 s'");
  INFO(tried.err);
  CHECK(tried.status == 1);  // the guest says so
  CHECK_THAT(read_file(scratch.file("out")), Contains("@fail connect") && Contains("@done 1"));
  CHECK_FALSE(listener.accept(0));

  const auto port = free_port();
  const auto in = guest_with(scratch, {{"do", "serve"}, {"port", "23"}}, "serve.img");
  Beside run(scratch, "run model95 --card ne2 --image " + in + isolated + " --forward 'tcp 127.0.0.1:" + number(port) +
                          " -> 23' --until serial:@done --serial file:" + scratch.file("in") + " --timeout '300 s'");
  REQUIRE(run.until(scratch.file("in"), "@serve port=23"));
  Descriptor s(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const auto address = loopback(port);
  REQUIRE(::connect(s.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  const Bytes data = pattern(5000);
  REQUIRE(send(s, data));
  ::shutdown(s.get(), SHUT_WR);
  CHECK((receive(s, data.size() + 1) == data));
  CHECK(run.end().status == 0);
}

TEST_CASE("netio in the guest with planar netio-server, first generation") { run_netio(1); }
TEST_CASE("netio in the guest with planar netio-server, second generation") { run_netio(2); }
TEST_CASE("netio through a ring and a switch with planar netio-server, half and full duplex", "[ring]") {
  run_netio(1, " --machine model9595 --card tr16-4a-1994", 2000);
  run_netio(2, " --machine model9595 --card autolanstreamer", 2000);
}

TEST_CASE("a guest without an adapter reports it, unless it had nothing to do") {
  for (const char* task : {"netio", "transfer", "serve", "netio-server", "idle"}) {
    INFO(task);
    const Scratch scratch;
    const auto image = guest_with(scratch, {{"do", task}, {"seconds", "0.1"}});
    run_planar("run model95 --quiet --image " + image +
               " --until serial:@done --serial file:" + scratch.file("serial") + " --timeout '60 s'");
    const auto said = read_file(scratch.file("serial"));
    if (task == std::string("idle"))
      CHECK_THAT(said, Contains("@idle end") && Contains("@done 0"));
    else
      CHECK_THAT(said, Contains("@fail no network adapter that a driver knows is installed and enabled") &&
                           Contains("@done 1"));
  }
}

TEST_CASE("the reference station supports the second generation, too, reproducibly") {
  const auto run =
      "netio --generation 2 --sizes 1024,8192 --quiet --json - --seconds " + std::string(short_runs() ? "0.1" : "0.5");
  const auto first = run_planar(run);
  REQUIRE(first.status == 0);
  const auto result = without_host_time(first.json());
  CHECK(result.at("repeatable") == true);
  for (const auto& row : result.at("rows")) {
    CHECK(row.at("kb_per_s").get<double>() > 500);
    CHECK(row.at("received_kb_per_s").get<double>() > 500);
  }
  CHECK(without_host_time(run_planar(run).json()) == result);
}

TEST_CASE("netio from 1.23 on counts what remains in its larger send buffer at the end of a size", "[guest]") {
  const auto figures = [](int generation) {
    const auto run = run_planar(
        fmt::format("netio --card lan-a --generation {} --sizes 4096,8192 --seconds 1 --quiet --json -", generation));
    REQUIRE(run.status == 0);
    const auto result = run.json();
    CHECK(result.at("netio_version") == (generation == 2 ? "1.16" : "1.31"));
    std::vector<double> list;
    for (const auto& row : result.at("rows")) list.push_back(row.at("kb_per_s").get<double>());
    return list;
  };
  const auto before = figures(2), from = figures(3);
  REQUIRE((before.size() == 2 && from.size() == 2));
  // Linux counts whole buffers: 1616 bytes per 1448 bytes of data, and 65535 bytes more of them than otherwise.
  const double more = 65535.0 * 1448 / 1616 / 1024;
  for (std::size_t n = 0; n < 2; ++n) CHECK(from[n] - before[n] == Approx(more).margin(8));
}

TEST_CASE("the machine file can configure the host's network like the command line") {
  const Scratch scratch;
  const auto file = run_planar(
      "config model95 --card ne2 --net slirp --forward 'tcp 2323 -> 23' --forward 'udp 69 -> 69' --net-time "
      "unthrottled");
  REQUIRE(file.status == 0);
  CHECK_THAT(file.out, Contains("attach = \"slirp\"") && Contains("forward = [\"tcp 2323 -> 23\", \"udp 69 -> 69\"]") &&
                           Contains("time = \"unthrottled\""));
  CHECK(run_planar("config " + scratch.write("lab.toml", file.out)).out == file.out);
  CHECK_THAT(run_planar("config model95 --net slirp").out, Contains("time = \"as-hardware\""));
}

TEST_CASE("an unavailable network ends with 2 and the remedy") {
  const auto error = [](const std::string& options) {
    const auto said = run_planar("netio --quiet " + options);
    CHECK(said.status == 2);
    return said.err;
  };
  CHECK_THAT(error("--net slurp"), Contains("slirp, slirp:isolated, tap:NAME"));
  CHECK_THAT(error("--net slirp --forward 'tcp 2323'"), Contains("--forward") && Contains("tcp 127.0.0.1:2323 -> 23"));
  CHECK_THAT(error("--forward 'tcp 2323 -> 23'"), Contains("net.attach is peer"));
  CHECK_THAT(error("--net-time unthrottled"), Contains("net.attach is peer"));
  CHECK_THAT(error("--net slirp --net-time fast"), Contains("as-hardware"));
  CHECK_THAT(error("--net pcap:planar-none"), Contains("no such interface"));
  CHECK_THAT(error("--net socket:nowhere"), Contains("socket:127.0.0.1:4000"));
  const Listener held;
  CHECK_THAT(error("--net slirp --forward 'tcp " + number(held.port()) + " -> 23'"), Contains("take another"));
  const auto server = run_planar("netio-server --listen 127.0.0.1:" + number(held.port()));
  CHECK(server.status == 2);
  CHECK_THAT(server.err, Contains("another server holds the port"));
  CHECK(run_planar("netio-server --listen nonsense").status == 2);
}
