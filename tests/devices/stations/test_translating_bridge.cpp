// SPDX-License-Identifier: GPL-2.0-or-later
// A switch between a ring and an Ethernet: which frames cross, in what form, and what the ring's sender is told.
#include "devices/medium/ring/ring_translation.hpp"
#include "devices/stations/bridge/bridge.hpp"
#include "devices/stations/peer/peer.hpp"
#include "tests/devices/medium/ring/ring_stations.hpp"
#include "tests/devices/medium/toy_medium.hpp"

using namespace planar;
using namespace planar::test;

namespace {

const MacAddress ring_alice{0x02, 0, 0, 0, 0, 0xA1}, wire_bob{0x02, 0, 0, 0, 0, 0xB0};

Bytes ip_frame(const MacAddress& to, const MacAddress& from, std::size_t packet, bool dont_fragment) {
  Bytes f(to.begin(), to.end());
  put(f, from);
  put16(f, 0x0800);
  put(f, Bytes{0x45, 0});
  put16(f, static_cast<std::uint32_t>(packet));
  put(f, Bytes{0, 1, static_cast<std::uint8_t>(dont_fragment ? 0x40 : 0), 0, 64, 17, 0, 0});
  put32(f, ipv4(192, 168, 10, 2));
  put32(f, ipv4(192, 168, 10, 1));
  f.resize(14 + packet, 0x33);
  return f;
}

/// A station on a ring, an Ear at the switch's uplink.
struct Switched {
  explicit Switched(bool full_duplex = false)
      : ring(scheduler, {.full_duplex = full_duplex}, "ring"),
        uplink({.bits_per_second = 100'000'000, .full_duplex = true}, "uplink"),
        media{&ring, &uplink},
        bridge(scheduler, trace, "switch", media, 7, switch_figures),
        station(scheduler, ring, 1),
        ear(scheduler, uplink, "ear", 3) {
    station.parameters.node = reversed(ring_alice);
    station.parameters.full_duplex = full_duplex;
    station.port.insert_at_rest(station.parameters, Time{});
  }
  void from_ring(const Bytes& ethernet) { station.port.transmit(to_ring(ethernet), scheduler.now()); }
  void run(Time t) { scheduler.run_until(scheduler.now() + t); }
  Bytes last() const {
    const Bytes& b = station.arrivals.back().bytes;
    return *to_ethernet(std::span(b).first(b.size() - 4));
  }

  Scheduler scheduler;
  Trace trace;
  Ring ring;
  EthernetSegment uplink;
  std::vector<Medium*> media;
  Bridge bridge;
  RingRecorder station;
  Ear ear;
};

}  // namespace

TEST_CASE("frames are translated between a ring and an Ethernet, and the ring's sender sees A and C", "[switch]") {
  const bool full_duplex = GENERATE(false, true);
  Switched n(full_duplex);
  n.from_ring(ip_frame(wire_bob, ring_alice, 1500, true));
  n.run(5_ms);
  REQUIRE(n.ear.heard.size() == 1);
  CHECK(n.ear.heard[0] == ip_frame(wire_bob, ring_alice, 1500, true));
  REQUIRE(n.station.outcomes.size() == 1);
  CHECK(n.station.outcomes[0].status == 0xCC);
  n.ear.link->send(ip_frame(ring_alice, wire_bob, 40, false), n.scheduler.now());
  n.run(5_ms);
  REQUIRE(n.station.arrivals.size() == 1);
  CHECK(n.last() == ip_frame(ring_alice, wire_bob, 40, false));  // without the padding to 60 bytes
  CHECK(n.bridge.counters().flooded == 1);
  CHECK(n.bridge.counters().forwarded == 1);
}

TEST_CASE("the switch does not set A for frames that stay on the ring", "[switch]") {
  Switched n;
  RingRecorder other(n.scheduler, n.ring, 2);
  const MacAddress anna{0x02, 0, 0, 0, 0, 0xA2};
  other.parameters.node = reversed(anna);
  other.port.insert_at_rest(other.parameters, Time{});
  other.port.transmit(to_ring(ip_frame(wire_bob, anna, 100, true)), Time{});
  n.run(1_ms);
  other.port.remove(n.scheduler.now());
  n.run(20_ms);
  n.from_ring(ip_frame(anna, ring_alice, 100, true));  // on this ring, but removed
  n.run(1_ms);
  CHECK(n.station.outcomes.at(0).status == 0x00);
  CHECK(n.bridge.counters().filtered == 1);
}

TEST_CASE("a packet too long for the Ethernet gives fragmentation needed, or is counted", "[switch]") {
  Switched n;
  n.from_ring(ip_frame(wire_bob, ring_alice, 4464, true));
  n.run(5_ms);
  CHECK(n.ear.heard.empty());
  CHECK(n.bridge.counters().too_long == 1);
  CHECK(n.bridge.counters().refused == 1);
  REQUIRE(n.station.arrivals.size() == 1);
  const Bytes answer = n.last();
  CHECK(std::equal(wire_bob.begin(), wire_bob.end(), answer.begin() + 6));
  const ByteView ip = ByteView(answer).subspan(14);
  CHECK(checksum_fold(checksum_add(ip.first(20))) == 0);
  CHECK(get32(ip, 12) == ipv4(192, 168, 10, 1));
  CHECK(get32(ip, 16) == ipv4(192, 168, 10, 2));
  CHECK(checksum_fold(checksum_add(ip.subspan(20))) == 0);
  CHECK(ip[20] == 3);
  CHECK(ip[21] == 4);
  CHECK(get16(ip, 26) == 1500);
  CHECK(std::equal(ip.begin() + 28, ip.end(), ip_frame(wire_bob, ring_alice, 4464, true).begin() + 14));

  n.from_ring(ip_frame(wire_bob, ring_alice, 4464, false));
  n.from_ring(ip_frame(wire_bob, ring_alice, 4464, false));
  n.run(5_ms);
  CHECK(n.bridge.counters().too_long == 2);
  CHECK(n.bridge.counters().refused == 1);
  CHECK(n.station.arrivals.size() == 1);
}

TEST_CASE("the reference station is found and pinged through the switch", "[switch]") {
  Switched n;
  Peer peer(n.scheduler, n.trace, n.uplink, 1);
  Bytes arp(broadcast_mac.begin(), broadcast_mac.end());
  put(arp, ring_alice);
  put16(arp, 0x0806);
  put(arp, Bytes{0, 1, 8, 0, 6, 4, 0, 1});
  put(arp, ring_alice);
  put32(arp, ipv4(192, 168, 10, 2));
  put(arp, Bytes(6, 0));
  put32(arp, ipv4(192, 168, 10, 1));
  n.from_ring(arp);
  n.run(5_ms);
  REQUIRE(n.station.arrivals.size() == 1);
  const Bytes& reply = n.station.arrivals[0].bytes;
  CHECK(reply.at(23) == 6);  // hardware type of the ring, addresses in its bit order
  CHECK(reply[29] == 2);
  const MacAddress mac = reversed(peer.config().mac);
  CHECK(std::equal(mac.begin(), mac.end(), reply.begin() + 30));
}
