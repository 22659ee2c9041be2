// SPDX-License-Identifier: GPL-2.0-or-later
// A switch between media of one kind: it is cut-through, and frames between rings keep their own format.
#include "devices/medium/ring/ring_translation.hpp"
#include "devices/stations/bridge/bridge.hpp"
#include "tests/devices/medium/ring/ring_stations.hpp"
#include "tests/devices/medium/toy_medium.hpp"

using namespace planar;
using namespace planar::test;

namespace {

/// Two rings with a station each, and the switch between them. The stations know each other's address.
struct TwoRings {
  explicit TwoRings(RingConfig left = {}, RingConfig right = {})
      : a(scheduler, left, "a"),
        b(scheduler, right, "b"),
        media{&a, &b},
        bridge(scheduler, trace, "switch", media, 7, switch_figures),
        on_a(scheduler, a, 1),
        on_b(scheduler, b, 2) {
    a.add_observer(log_a);
    b.add_observer(log_b);
    for (RingRecorder* s : {&on_a, &on_b}) {
      s->parameters.full_duplex = static_cast<Ring*>(s->port.medium())->config().full_duplex;
      s->port.insert_at_rest(s->parameters, Time{});
    }
    send(on_b, on_a, 20);
    send(on_a, on_b, 20);
  }
  void send(RingRecorder& from, RingRecorder& to, std::size_t data) {
    from.port.transmit(ring_frame(to.parameters.node, from.parameters.node, data), scheduler.now());
    run(20_ms);
  }
  void run(Time t) { scheduler.run_until(scheduler.now() + t); }

  Scheduler scheduler;
  Trace trace;
  Ring a, b;
  RingLog log_a, log_b;
  std::vector<Medium*> media;
  Bridge bridge;
  RingRecorder on_a, on_b;
};

}  // namespace

TEST_CASE("between rings of one speed a frame is forwarded the delay after its header", "[switch]") {
  const bool full_duplex = GENERATE(false, true);
  TwoRings n({.full_duplex = full_duplex}, {.full_duplex = full_duplex});
  const auto cut = n.bridge.counters().cut;
  n.send(n.on_a, n.on_b, 3000);
  REQUIRE(n.on_b.arrivals.size() == 2);
  const Bytes &sent = n.log_a.entries.back().bytes, &arrived = n.on_b.arrivals.back().bytes;
  CHECK(arrived == sent);
  CHECK(n.bridge.counters().cut == cut + 1);
  const Time start = n.log_a.entries.back().start;
  // The switch's port is the first on the ring: one hop, and the monitor's buffer.
  const Time header = start + n.a.hop() + (full_duplex ? Time{} : n.a.bit_time() * ring_monitor_bits) +
                      n.a.byte_time() * 15 + switch_figures.delay;
  const Time left = n.log_b.entries.back().start;
  if (full_duplex)
    CHECK(left == header + n.a.bit_time() * ring_monitor_bits);
  else {
    CHECK(left > header);
    CHECK(left <= header + n.b.latency());
  }
  CHECK(n.on_a.outcomes.back().status == 0xCC);
}

TEST_CASE("between rings of different speeds a frame is stored first and keeps its routing information", "[switch]") {
  const bool slower = GENERATE(false, true);
  TwoRings n({}, {.bits_per_second = slower ? 4'000'000u : 16'000'000u});
  Bytes frame = ring_frame(n.on_b.parameters.node, n.on_a.parameters.node, 100);
  frame[8] |= routing_indicator;
  frame.insert(frame.begin() + 14, {0x02, 0x20});
  n.on_a.port.transmit(frame, n.scheduler.now());
  n.run(5_ms);
  REQUIRE(n.on_b.arrivals.size() == 2);
  CHECK(std::equal(frame.begin(), frame.end(), n.on_b.arrivals.back().bytes.begin()));
  CHECK(n.bridge.counters().cut == (slower ? 0 : 2));
  n.send(n.on_a, n.on_b, 10'000);  // too long for 4 Mbit/s
  CHECK(n.on_b.arrivals.size() == (slower ? 2 : 3));
  CHECK(n.bridge.counters().too_long == (slower ? 1 : 0));
}

TEST_CASE("a frame whose sender fails during cut-through is aborted on the other ring, too", "[switch]") {
  TwoRings n;
  const Bytes frame = ring_frame(n.on_b.parameters.node, n.on_a.parameters.node, 2000);
  SECTION("the data do not arrive") {
    n.on_a.port.transmit(std::span(frame).first(600), frame.size(), n.scheduler.now());
  }
  SECTION("the data arrive in pieces, then stop") {
    n.on_a.port.transmit(std::span(frame).first(300), frame.size(), n.scheduler.now());
    n.run(100_us);
    n.on_a.port.supply(std::span(frame).subspan(300, 900), n.scheduler.now());
  }
  SECTION("the cable is pulled") {
    n.on_a.port.transmit(frame, n.scheduler.now());
    n.run(300_us);
    n.on_a.port.set_plugged(false, n.scheduler.now());
  }
  n.run(20_ms);
  REQUIRE(n.on_b.arrivals.size() == 2);
  CHECK_FALSE(n.on_b.arrivals.back().good);
  CHECK(n.bridge.counters().damaged == 1);
  CHECK(n.bridge.counters().dropped == 1);
}

TEST_CASE("a frame whose data arrive in pieces is cut through completely", "[switch]") {
  TwoRings n;
  const Bytes frame = ring_frame(n.on_b.parameters.node, n.on_a.parameters.node, 2000);
  n.on_a.port.transmit(std::span(frame).first(200), frame.size(), n.scheduler.now());
  for (std::size_t at = 200; at < frame.size(); at += 100) {
    n.run(50_us);
    n.on_a.port.supply(std::span(frame).subspan(at, std::min<std::size_t>(100, frame.size() - at)), n.scheduler.now());
  }
  n.run(20_ms);
  REQUIRE(n.on_b.arrivals.size() == 2);
  CHECK(n.on_b.arrivals.back().good);
  CHECK(std::equal(frame.begin(), frame.end(), n.on_b.arrivals.back().bytes.begin()));
  CHECK(n.bridge.counters().cut == 2);
}

TEST_CASE("the switch cuts through between full-duplex Ethernet links of one rate, and stores between others",
          "[switch]") {
  const bool full_duplex = GENERATE(false, true);
  Scheduler scheduler;
  Trace trace;
  EthernetSegment left({.bits_per_second = 100'000'000, .full_duplex = full_duplex}, "left"),
      right({.bits_per_second = 100'000'000, .full_duplex = true}, "right");
  Medium* media[] = {&left, &right};
  Bridge bridge(scheduler, trace, "switch", media, 7, switch_figures);
  Ear a(scheduler, left, "a", 1), b(scheduler, right, "b", 2);
  Log log;
  right.add_observer(log);
  const auto frame = [](std::uint8_t to, std::uint8_t from) {
    Bytes f{2, 0, 0, 0, 0, to, 2, 0, 0, 0, 0, from, 0x88, 0xB5};
    f.resize(1500, 7);
    return f;
  };
  b.link->send(frame(1, 2), scheduler.now());
  scheduler.run_until(1_ms);
  a.link->send(frame(2, 1), scheduler.now());
  scheduler.run_until(2_ms);
  REQUIRE(b.heard.size() == 1);
  CHECK(b.heard[0] == frame(2, 1));
  CHECK(bridge.counters().cut == (full_duplex ? 1 : 0));
  const Time start = 1_ms, addresses = start + 500_ns + 80_ns * 20;
  if (full_duplex)
    CHECK(log.entries.back().start == addresses + switch_figures.delay);
  else
    CHECK(log.entries.back().start == start + 500_ns + 80_ns * 1512 + switch_figures.delay);
}
