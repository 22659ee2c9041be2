// SPDX-License-Identifier: GPL-2.0-or-later
// The common part of all media: plain stations, names, counters, the description.
#include "devices/stations/peer/peer.hpp"
#include "tests/devices/medium/toy_medium.hpp"

using namespace planar;
using namespace planar::test;

namespace {

const MacAddress alice{0x02, 0, 0, 0, 0, 0xA1}, bob{0x02, 0, 0, 0, 0, 0xB0};

/// In Ethernet form.
Bytes frame_of(std::size_t bytes, const MacAddress& to, const MacAddress& from) {
  Bytes f(to.begin(), to.end());
  f.insert(f.end(), from.begin(), from.end());
  f.insert(f.end(), {0x88, 0xB5});
  while (f.size() < bytes) f.push_back(static_cast<std::uint8_t>(f.size() * 3));
  return f;
}

}  // namespace

TEST_CASE("plain stations exchange frames in Ethernet form on any medium, at its own speed", "[medium]") {
  const bool ethernet = GENERATE(true, false);
  Scheduler scheduler;
  EthernetSegment segment({}, "lan");
  ToyLine line("line");
  Medium& medium = ethernet ? static_cast<Medium&>(segment) : line;
  Ear a(scheduler, medium, "alice", 1), b(scheduler, medium, "bob", 2);
  const Bytes first = frame_of(200, bob, alice), second = frame_of(400, bob, alice);
  a.link->send(first, Time{});
  a.link->send(second, Time{});
  CHECK(a.link->waiting() == 2);
  scheduler.run_until(10_ms);
  CHECK(a.link->waiting() == 0);
  REQUIRE(b.heard.size() == 2);
  CHECK(b.heard[0] == first);
  CHECK(b.heard[1] == second);
  CHECK(a.heard.empty());
  // Ethernet: preamble, frame with FCS and propagation; the line: the frame with its sum and propagation.
  CHECK(b.when[0] == (ethernet ? 800_ns * (8 + 204) + 500_ns : 2_us * 201 + 1_us));
  REQUIRE(a.outcomes.size() == 2);
  CHECK(a.outcomes[1].sent);
  CHECK(a.outcomes[1].bytes == 400);

  const Description d = medium.describe();
  CHECK(d.name() == (ethernet ? "lan" : "line"));
  CHECK(d.fields().at(0).text == (ethernet ? "10 Mbit/s, half duplex" : "4 Mbit/s, two ends"));
  CHECK(d.fields().at(1).name == "frames");
  CHECK(d.fields().at(1).value == 2);
  REQUIRE(d.parts().size() == 2);
  CHECK(d.parts()[0].name() == "alice");
}

TEST_CASE("short frames are padded if the medium requires it", "[medium]") {
  Scheduler scheduler;
  EthernetSegment segment;
  ToyLine line("line");
  Ear a(scheduler, segment, "a", 1), b(scheduler, segment, "b", 2), c(scheduler, line, "c", 3),
      d(scheduler, line, "d", 4);
  const Bytes small = frame_of(20, bob, alice);
  a.link->send(small, Time{});
  c.link->send(small, Time{});
  scheduler.run_until(1_ms);
  REQUIRE(b.heard.size() == 1);
  CHECK(b.heard[0].size() == 60);
  CHECK(std::equal(small.begin(), small.end(), b.heard[0].begin()));
  REQUIRE(d.heard.size() == 1);
  CHECK(d.heard[0] == small);
}

TEST_CASE("an Ethernet adapter is refused on another medium", "[medium]") {
  Scheduler scheduler;
  ToyLine line("line");
  Recorder station(scheduler, nullptr, "slot1.card", 1);
  CHECK_THROWS_WITH(station.port.attach(line), Catch::Contains("slot1.card is an Ethernet station") &&
                                                   Catch::Contains("line (4 Mbit/s, two ends)"));
  CHECK_FALSE(station.port.plugged());
}

TEST_CASE("the reference station answers on an unknown medium with that medium's hardware type", "[medium]") {
  Scheduler scheduler;
  Trace trace;
  ToyLine line("line");
  Peer peer(scheduler, trace, line, 1);
  Ear guest(scheduler, line, "guest", 2);
  const Ipv4 ip = ipv4(192, 168, 10, 2);
  Bytes who(broadcast_mac.begin(), broadcast_mac.end());
  put(who, alice);
  put16(who, 0x0806);
  put16(who, 0x147);
  put16(who, 0x0800);
  who.insert(who.end(), {6, 4, 0, 1});
  put(who, alice);
  put32(who, ip);
  put(who, MacAddress{});
  put32(who, peer.config().address);
  guest.link->send(who, Time{});
  scheduler.run_until(10_ms);
  REQUIRE(guest.heard.size() == 1);
  const Bytes& reply = guest.heard[0];
  REQUIRE(reply.size() == 42);  // not padded: this is not Ethernet
  CHECK(get16(reply, 14) == 0x147);
  CHECK(get16(reply, 20) == 2);
  CHECK(get32(reply, 28) == peer.config().address);
  CHECK(peer.counters().frames_sent == 1);
  CHECK(peer.counters().bytes_sent == 42);
}
