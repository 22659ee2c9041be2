// SPDX-License-Identifier: GPL-2.0-or-later
// Source routing: explorers, routes, largest frame, and plain stations that learn routes.
#include "devices/medium/ring/ring_routing.hpp"
#include "devices/stations/bridge/source_route_bridge.hpp"
#include "devices/stations/peer/peer.hpp"
#include "tests/devices/medium/ring/ring_stations.hpp"
#include "tests/devices/medium/toy_medium.hpp"

using namespace planar;
using namespace planar::test;

namespace {

Bytes with_route(Bytes frame, const Bytes& route) {
  frame[8] |= routing_indicator;
  frame.insert(frame.begin() + ring_header_bytes, route.begin(), route.end());
  return frame;
}
Bytes route_in(const Bytes& frame) {
  return Bytes(frame.begin() + 14, frame.begin() + 14 + static_cast<long>(routing_bytes(frame)));
}

/// Rings 00Ah, 00Bh (4 Mbit/s) and 00Ch in a row, with bridge 1 and bridge 2 between them.
struct Row {
  Row()
      : a(scheduler, {.source_routing = true}, "a"),
        b(scheduler, {.bits_per_second = 4'000'000, .source_routing = true}, "b"),
        c(scheduler, {.source_routing = true}, "c"),
        first(scheduler, "first", {{&a, 0xA}, {&b, 0xB}}, 1, 10),
        second(scheduler, "second", {{&b, 0xB}, {&c, 0xC}}, 2, 20),
        on_a(scheduler, a, 1),
        on_c(scheduler, c, 2) {
    for (RingRecorder* s : {&on_a, &on_c}) s->port.insert_at_rest(s->parameters, Time{});
  }
  void send(RingRecorder& from, const Bytes& frame) {
    from.port.transmit(frame, scheduler.now());
    scheduler.run_until(scheduler.now() + 50_ms);
  }
  Scheduler scheduler;
  Trace trace;
  Ring a, b, c;
  SourceRouteBridge first, second;
  RingRecorder on_a, on_c;
};

}  // namespace

TEST_CASE("an explorer collects the route, and the answer uses it", "[bridge]") {
  Row n;
  const Bytes question = ring_frame(broadcast_mac, n.on_a.parameters.node, 60);
  for (const std::uint8_t type : {0xC2, 0x82}) {  // single route, all routes
    n.on_c.arrivals.clear();
    n.send(n.on_a, with_route(question, {type, 0x70}));
    REQUIRE(n.on_c.arrivals.size() == 1);
    const Bytes route = route_in(n.on_c.arrivals[0].bytes);
    // 4472 bytes at 4 Mbit/s; ring A, bridge 1, ring B, bridge 2, ring C.
    CHECK(route == Bytes{static_cast<std::uint8_t>((type & 0xE0) | 8), 0x30, 0x00, 0xA1, 0x00, 0xB2, 0x00, 0xC0});
  }
  CHECK(n.on_a.outcomes.back().status == 0xCC);
  const Bytes way = RingRoute::of(n.on_c.arrivals[0].bytes)->back().bytes();
  CHECK(way == Bytes{0x08, 0xB0, 0x00, 0xA1, 0x00, 0xB2, 0x00, 0xC0});
  n.send(n.on_c, with_route(ring_frame(n.on_a.parameters.node, n.on_c.parameters.node, 1000), way));
  REQUIRE(n.on_a.arrivals.size() == 1);
  CHECK(route_in(n.on_a.arrivals[0].bytes) == way);
  CHECK(n.on_c.outcomes.back().status == 0xCC);
  CHECK(n.second.counters().routed == 1);
  CHECK(n.first.counters().explored == 2);
}

TEST_CASE("frames without a route through the bridge stay on their ring, and A and C stay clear", "[bridge]") {
  Row n;
  const Bytes frame = ring_frame(n.on_c.parameters.node, n.on_a.parameters.node, 100);
  n.send(n.on_a, frame);
  for (const Bytes& route : {Bytes{0x06, 0x30, 0x00, 0xA2, 0x00, 0xB0},  // another bridge
                             Bytes{0x06, 0x30, 0x00, 0xA1, 0x00, 0xD0},  // another ring
                             Bytes{0x06, 0xB0, 0x00, 0xA1, 0x00, 0xB0},  // the other way round
                             Bytes{0xC6, 0x30, 0x00, 0xB1, 0x00, 0xA0},  // has been on ring B
                             Bytes{0xC6, 0x30, 0x00, 0xD1, 0x00, 0xE0},  // does not come from ring A
                             Bytes{0x02, 0x30}}) {                       // this ring
    n.send(n.on_a, with_route(frame, route));
    CHECK(n.on_a.outcomes.back().status == 0x00);
  }
  CHECK(n.on_c.arrivals.empty());
  CHECK(n.first.counters().routed + n.first.counters().explored == 0);
  n.send(n.on_a, with_route(ring_frame(n.on_c.parameters.node, n.on_a.parameters.node, 5000),
                            {0x08, 0x30, 0x00, 0xA1, 0x00, 0xB2, 0x00, 0xC0}));
  CHECK(n.first.counters().too_long == 1);
}

TEST_CASE("plain stations on two rings find each other and learn the route", "[bridge]") {
  Row n;
  Peer peer(n.scheduler, n.trace, n.c, 1);
  Ear ear(n.scheduler, n.a, "ear", 5);
  const MacAddress own{0x02, 0, 0, 0, 0, 0xA1};
  Bytes arp(broadcast_mac.begin(), broadcast_mac.end());
  put(arp, own);
  put16(arp, 0x0806);
  put(arp, Bytes{0, 1, 8, 0, 6, 4, 0, 1});
  put(arp, own);
  put32(arp, ipv4(192, 168, 10, 2));
  put(arp, Bytes(6, 0));
  put32(arp, ipv4(192, 168, 10, 1));
  RingLog log;
  n.a.add_observer(log);
  ear.link->send(arp, Time{});
  n.scheduler.run_until(50_ms);
  REQUIRE(ear.heard.size() == 1);
  Bytes ping(peer.config().mac.begin(), peer.config().mac.end());
  put(ping, own);
  put16(ping, 0x0800);
  put(ping, Bytes{0x45, 0, 0, 28, 0, 1, 0, 0, 64, 1, 0, 0});
  put32(ping, ipv4(192, 168, 10, 2));
  put32(ping, ipv4(192, 168, 10, 1));
  set16(ping, 24, checksum_fold(checksum_add(ByteView(ping).subspan(14))));
  put(ping, Bytes{8, 0, 0xF7, 0xFF, 0, 0, 0, 0});
  ear.link->send(ping, n.scheduler.now());
  n.scheduler.run_until(100_ms);
  CHECK(ear.heard.size() == 2);
  REQUIRE(log.entries.size() == 4);
  CHECK(route_in(log.entries[0].bytes) == Bytes{0xC2, 0x70});
  CHECK(route_in(log.entries[1].bytes) == Bytes{0x08, 0xB0, 0x00, 0xA1, 0x00, 0xB2, 0x00, 0xC0});
  CHECK(route_in(log.entries[2].bytes) == Bytes{0x08, 0x30, 0x00, 0xA1, 0x00, 0xB2, 0x00, 0xC0});
  CHECK(log.entries[0].bytes[1] == 0x40);
}
