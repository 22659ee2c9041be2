// SPDX-License-Identifier: GPL-2.0-or-later
// The texts accepted by --net and --forward, and the messages when a network is not available.
#include "devices/stations/host/host_net.hpp"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <random>

#include "core/common/error.hpp"
#include "devices/stations/host/descriptor.hpp"
#include "tests/catch.hpp"

using namespace planar;
using namespace planar::net;
using namespace std::chrono_literals;
using Catch::Matchers::Contains;

namespace {

std::string message(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& e) { return e.what(); }
  return "(no error)";
}

std::unique_ptr<HostLink> open(const std::string& attach, const std::vector<std::string>& forwards = {}) {
  return open_host_link(parse_host_net(attach, forwards));
}

struct Kept final : HostSink {
  void frame_from_host(ByteView frame) override { frames.emplace_back(frame.begin(), frame.end()); }
  void host_note(std::string_view text) override { notes.emplace_back(text); }
  std::vector<Bytes> frames;
  std::vector<std::string> notes;
};

struct End {
  explicit End(const std::string& attach) : link(open(attach)) { link->attach(kept); }
  /// Exchanges until `done` or for two seconds of host time.
  void until(const std::function<bool()>& done) {
    for (int i = 0; i < 2000 && !done(); ++i) link->exchange(Time{}, 1ms);
  }
  Kept kept;
  std::unique_ptr<HostLink> link;
};

struct Folder {
  Folder() : path((std::filesystem::temp_directory_path() / "planar-net-XXXXXX").string()) {
    REQUIRE(mkdtemp(path.data()));
  }
  ~Folder() { std::filesystem::remove_all(path); }
  std::string path;
};

Descriptor connect_to(const std::string& path) {
  Descriptor s(::socket(AF_UNIX, SOCK_STREAM, 0));
  sockaddr_un a{};
  a.sun_family = AF_UNIX;
  path.copy(a.sun_path, sizeof a.sun_path - 1);
  REQUIRE(::connect(s.get(), reinterpret_cast<sockaddr*>(&a), sizeof a) == 0);
  return s;
}

}  // namespace

TEST_CASE("a forward names both ends, addresses only if they differ from the default", "[host]") {
  const Forward f = parse_forward("tcp 127.0.0.1:2323 -> 23");
  CHECK_FALSE(f.udp);
  CHECK(f.host == ipv4(127, 0, 0, 1));
  CHECK(f.host_port == 2323);
  CHECK(f.guest == slirp_guest);
  CHECK(f.guest_port == 23);
  const Forward g = parse_forward("  udp 0.0.0.0:69->192.168.10.15:6900 ");
  CHECK(g.udp);
  CHECK(g.host == 0);
  CHECK(format_ipv4(g.guest) == "192.168.10.15");
  CHECK(parse_forward("tcp 2323 -> 23").host == ipv4(127, 0, 0, 1));
  for (const char* wrong : {"", "tcp", "2323 -> 23", "tcp 2323", "tcp 0 -> 23", "tcp 2323 -> 65536", "tcp 1.2.3:5 -> 6",
                            "tcp 1.2.3.256:5 -> 6", "tcp a -> b", "icmp 1 -> 2", "tcp 1.2.3.4.5:6 -> 7"})
    CHECK_THAT(message([&] { parse_forward(wrong); }), Contains("tcp 127.0.0.1:2323 -> 23"));
}

TEST_CASE("misspelt or unnamed networks are refused with what to write", "[host]") {
  CHECK_FALSE(is_host_net("peer"));
  CHECK_FALSE(is_host_net("none"));
  CHECK_FALSE(is_host_net("tap"));
  for (const char* wrong : {"tap:", "pcap:", "pcap:a-name-of-more-than-fifteen-characters"})
    CHECK_THAT(message([&] { parse_host_net(wrong, {}); }), Contains("ip link"));
  for (const char* wrong : {"socket:", "socket:here", "socket::4000", "socket:a:", "socket:a:b", "socket:unix:"})
    CHECK_THAT(message([&] { parse_host_net(wrong, {}); }), Contains("socket:127.0.0.1:4000"));
  CHECK_THAT(message([&] { parse_host_net("slirp:x", {}); }), Contains("slirp:isolated"));
  CHECK_THAT(message([&] { parse_host_net("tap:tap0", {"tcp 1 -> 2"}); }), Contains("slirp"));
}

TEST_CASE("an unavailable device, right or port is an error with its remedy", "[host]") {
  CHECK_THAT(message([] { open("pcap:planar-no-such"); }), Contains("no such interface") && Contains("ip link"));

  Descriptor held(::socket(AF_INET, SOCK_STREAM, 0));
  sockaddr_in a{};
  a.sin_family = AF_INET;
  a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof a;
  REQUIRE(::bind(held.get(), reinterpret_cast<sockaddr*>(&a), sizeof a) == 0);
  REQUIRE(::listen(held.get(), 1) == 0);
  ::getsockname(held.get(), reinterpret_cast<sockaddr*>(&a), &length);
  const auto port = std::to_string(ntohs(a.sin_port));
  CHECK_THAT(message([&] { open("slirp", {"tcp " + port + " -> 23"}); }), Contains(port) && Contains("take another"));
  CHECK_THAT(message([&] { open("slirp", {"tcp 192.0.2.77:2323 -> 23"}); }), Contains("no such address"));

  // A tap device: either available, or a message with the remedy.
  const auto tap = message([] { open("tap:plntest9"); });
  if (tap != "(no error)")
    CHECK_THAT(tap, Contains("modprobe tun") || Contains("ip tuntap add") || Contains("ip link"));
}

TEST_CASE("two processes exchange frames over a socket, whichever starts first", "[host]") {
  const Folder folder;
  const auto attach = "socket:unix:" + folder.path + "/wire";
  auto first = std::make_unique<End>(attach);
  first->link->send(Bytes(60, 1), Time{});  // no peer: lost, as on a cable without a station
  End second(attach);
  first->until([&] { return !first->kept.notes.empty(); });
  for (std::uint8_t i = 0; i < 100; ++i) {
    first->link->send(Bytes(14 + 15 * i, i), Time{});
    second.link->send(Bytes(1514 - i, i), Time{});
  }
  for (int i = 0; i < 2000 && first->kept.frames.size() + second.kept.frames.size() < 200; ++i) {
    first->link->exchange(Time{}, 1ms);
    second.link->exchange(Time{}, 1ms);  // the bytes that did not fit into the socket go with the next exchange
  }
  REQUIRE(second.kept.frames.size() == 100);
  REQUIRE(first->kept.frames.size() == 100);
  for (std::uint8_t i = 0; i < 100; ++i) {
    CHECK(second.kept.frames[i] == Bytes(14 + 15 * i, i));
    CHECK(first->kept.frames[i] == Bytes(1514 - i, i));
  }
  first.reset();
  second.until([&] { return !second.kept.notes.empty(); });
  CHECK_THAT(second.kept.notes.at(0), Contains("gone"));
  second.link->exchange(5_s, 0ns);  // now this one listens
  End third(attach);
  third.link->send(Bytes(60, 9), Time{});
  second.until([&] { return second.kept.frames.size() == 101; });
  CHECK(second.kept.frames.back() == Bytes(60, 9));
}

TEST_CASE("invalid data on the socket close only that connection", "[host]") {
  const Folder folder;
  End end("socket:unix:" + folder.path + "/wire");
  std::mt19937 random(5);
  for (int round = 0; round < 50; ++round) {
    Descriptor s = connect_to(folder.path + "/wire");
    Bytes noise(1 + random() % 3000);
    for (auto& b : noise) b = static_cast<std::uint8_t>(random());
    if (round % 2) noise[0] = noise[1] = 0;  // a plausible length
    REQUIRE(::send(s.get(), noise.data(), noise.size(), MSG_NOSIGNAL) > 0);
    s.reset();
    const auto before = end.kept.notes.size();
    end.until([&] { return end.kept.notes.size() >= before + 2; });  // connected and disconnected
    CHECK(end.kept.notes.size() >= before + 2);
  }
  for (const auto& frame : end.kept.frames) CHECK(frame.size() <= 65536);
  Descriptor s = connect_to(folder.path + "/wire");
  const Bytes good{0, 0, 0, 3, 7, 8, 9};
  REQUIRE(::send(s.get(), good.data(), good.size(), 0) == 7);
  end.until([&] { return !end.kept.frames.empty() && end.kept.frames.back() == Bytes{7, 8, 9}; });
  CHECK(end.kept.frames.back() == Bytes{7, 8, 9});
}

TEST_CASE("a third planar on a wire is refused and told, and the other two continue", "[host]") {
  const Folder folder;
  const auto attach = "socket:unix:" + folder.path + "/wire";
  End first(attach), second(attach);
  first.until([&] { return !first.kept.notes.empty(); });
  End third(attach);
  first.until([&] { return first.kept.notes.size() >= 2; });
  third.until([&] { return !third.kept.notes.empty(); });
  REQUIRE(third.kept.notes.size() == 1);
  CHECK_THAT(third.kept.notes.at(0), Contains("two others hold this wire"));
  third.link->exchange(100_s, 1ms);  // nor does it try again
  second.link->send(Bytes(60, 3), Time{});
  first.until([&] { return !first.kept.frames.empty(); });
  CHECK(first.kept.notes.size() == 2);
  CHECK(first.kept.frames.at(0) == Bytes(60, 3));
}

TEST_CASE("an address that does not answer is given up", "[host]") {
  const Folder folder;
  const auto path = folder.path + "/wire";
  Descriptor held(::socket(AF_UNIX, SOCK_STREAM, 0));
  sockaddr_un a{};
  a.sun_family = AF_UNIX;
  path.copy(a.sun_path, sizeof a.sun_path - 1);
  REQUIRE(::bind(held.get(), reinterpret_cast<sockaddr*>(&a), sizeof a) == 0);
  REQUIRE(::listen(held.get(), 0) == 0);
  std::vector<Descriptor> waiting;  // until the queue is full, when connect() blocks
  for (int n = 0; n < 16; ++n) {
    Descriptor s(::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0));
    const bool queued = ::connect(s.get(), reinterpret_cast<sockaddr*>(&a), sizeof a) == 0;
    waiting.push_back(std::move(s));
    if (!queued) break;
  }
  CHECK_THAT(message([&] { open("socket:unix:" + path); }), Contains("planar cannot either"));
}

TEST_CASE("a socket path that is another program's file is left alone", "[host]") {
  const Folder folder;
  const auto file = folder.path + "/precious";
  std::fclose(std::fopen(file.c_str(), "w"));
  CHECK_THAT(message([&] { open("socket:unix:" + file); }), Contains("planar cannot either"));
  CHECK(std::filesystem::exists(file));
}
