// SPDX-License-Identifier: GPL-2.0-or-later
// The path between stations and their individual clocks, as seen by a station.
#include "tests/devices/medium/wire.hpp"

using namespace planar;
using namespace planar::test;

namespace {

struct Wire {
  explicit Wire(EthernetConfig config, std::uint64_t seed = 1)
      : segment(config), a(scheduler, &segment, "a", seed), b(scheduler, &segment, "b", seed + 1000) {
    segment.add_observer(log);
  }
  Scheduler scheduler;
  EthernetSegment segment;
  Log log;
  Recorder a, b;
};

EthernetConfig over(PathKind path, bool oscillators = false) { return {.path = path, .oscillators = oscillators}; }

}  // namespace

TEST_CASE("a transceiver loses the first bits: carrier is detected late, but the frame is complete and on time",
          "[net]") {
  for (const PathKind path : {PathKind::coax, PathKind::twisted_pair}) {
    Wire w(over(path));
    const PathDelays d = w.segment.delays();
    CHECK(d.begins > d.data);
    CHECK(d.ends > d.data);
    CHECK(w.segment.lookahead() == d.data);
    const Bytes frame = make_frame(200);
    w.a.port.transmit(frame, Time{});
    w.scheduler.run_until(1_ms);
    REQUIRE(w.b.begins.size() == 1);
    CHECK(w.b.begins[0] == d.begins);
    CHECK(w.b.last_begin.arrival(0) == d.data + 9 * 800_ns);
    REQUIRE(w.b.arrivals.size() == 1);
    CHECK(w.b.arrivals[0].when == 212 * 800_ns + d.ends);
    CHECK(w.b.arrivals[0].ok);
    CHECK(w.b.arrivals[0].bytes == frame);
    CHECK_FALSE(w.b.arrivals[0].dribble);
  }
  // 10BASE2 stays below its share of a slot, and a hub is slower than coax: it examines the signal and sends a full
  // preamble.
  const PathDelays coax = path_delays(PathKind::coax, {}), hub = path_delays(PathKind::twisted_pair, {});
  CHECK(coax.begins < 1_us);
  CHECK(hub.data > coax.data + 1_us);
}

TEST_CASE("a frame truncated before any station detected it ends after its start", "[net]") {
  Wire w(over(PathKind::coax));
  w.a.port.transmit(make_frame(200), Time{});
  w.scheduler.run_until(100_ns);
  w.a.port.underrun(w.scheduler.now());
  w.scheduler.run_until(100_us);
  REQUIRE(w.b.arrivals.size() == 1);
  CHECK(w.b.arrivals[0].length == 0);
  CHECK_FALSE(w.b.arrivals[0].ok);
  CHECK_FALSE(w.b.port.carrier());
  w.a.port.transmit(make_frame(200), w.scheduler.now());
  w.scheduler.run_until(1_ms);
  REQUIRE(w.b.arrivals.size() == 2);
  CHECK(w.b.arrivals[1].ok);
}

TEST_CASE("every station has its own bit clock within 100 ppm, which is the same in every run", "[net]") {
  unsigned faster = 0, slower = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Wire w(over(PathKind::coax, true), seed), again(over(PathKind::coax, true), seed);
    const Time bit = w.a.port.bit_time();
    CHECK(bit == again.a.port.bit_time());
    CHECK(bit >= Time{99'990});
    CHECK(bit <= Time{100'010});
    faster += bit < 100_ns;
    slower += bit > 100_ns;
    for (Wire* wire : {&w, &again}) {
      for (int i = 0; i < 3; ++i) wire->a.to_send.push_back(make_frame(1514));
      wire->a.port.transmit(wire->a.to_send[wire->a.sent_next++], Time{});
      wire->scheduler.run_until(10_ms);
    }
    REQUIRE(w.a.starts.size() == 3);
    CHECK(w.a.starts == again.a.starts);
    // It starts, sends and counts its gap by the edges of its own clock; the gap begins when it no longer hears itself.
    CHECK(w.a.starts[0] < bit);
    CHECK(w.a.ends[0] - w.a.starts[0] == bit * (8 * 1526));
    const Time gap = w.a.starts[1] - w.a.ends[0];
    CHECK(gap.ps % bit.ps == 0);
    CHECK(gap >= bit * gap_bits + w.segment.delays().own_ends);
    CHECK(gap <= bit * (gap_bits + 1) + w.segment.delays().own_ends);
    // The other one receives the bits as they arrive.
    REQUIRE(w.b.arrivals.size() == 3);
    for (const auto& arrival : w.b.arrivals) CHECK(arrival.ok);
  }
  CHECK(faster > 5);
  CHECK(slower > 5);
}

TEST_CASE("carrier restarts the first part of the gap but not the rest; the chip sets the boundary", "[net]") {
  // b's frame begins `into` a's gap; does a wait for it?
  const auto waits = [](std::int64_t first_bits, Time into) {
    Wire w({});
    w.a.port.mac().gap_first_bits = first_bits;
    w.a.to_send = {make_frame(100), make_frame(100)};
    w.a.port.transmit(w.a.to_send[w.a.sent_next++], Time{});
    w.scheduler.run_until(30_us);
    w.b.port.detach();  // it knows nothing of a's gap
    w.scheduler.run_until(95_us);
    REQUIRE(w.a.ends.size() == 1);
    w.b.port.attach(w.segment);
    w.scheduler.run_until(w.a.ends[0] + into - ethernet_propagation);
    w.b.port.transmit(make_frame(100), w.scheduler.now());
    w.scheduler.run_until(1_ms);
    return w.b.outcomes.at(0).collisions == 0;
  };
  CHECK(waits(64, 6_us));
  CHECK_FALSE(waits(64, 7_us));
  CHECK(waits(60, 5'900_ns));
  CHECK_FALSE(waits(60, 6'200_ns));
}
