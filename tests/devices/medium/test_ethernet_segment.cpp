// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/common/error.hpp"
#include "tests/devices/medium/wire.hpp"

using namespace planar;
using namespace planar::test;

namespace {

struct Pair {
  explicit Pair(EthernetConfig config = {}, std::uint64_t seed = 1)
      : segment(config), a(scheduler, &segment, "a", seed), b(scheduler, &segment, "b", seed + 1000) {
    segment.add_observer(log);
  }
  void archive(Archive& ar) {
    scheduler.archive(ar);
    segment.archive(ar);
    a.port.archive(ar);
    b.port.archive(ar);
  }
  Scheduler scheduler;
  EthernetSegment segment;
  Log log;
  Recorder a, b;
};

constexpr Time delay = ethernet_propagation;

}  // namespace

TEST_CASE("the frame check sequence is the CRC-32 of IEEE 802.3", "[net]") {
  const std::string text = "123456789";
  const Bytes bytes(text.begin(), text.end());
  CHECK(crc32(bytes) == 0xCBF43926);
  // In two parts, and of lengths that are not a multiple of eight, the sum is the same.
  CHECK(crc32(std::span(bytes).subspan(4), crc32(std::span(bytes).first(4))) == 0xCBF43926);
  CHECK(crc32({}, 0xCBF43926) == 0xCBF43926);
  Bytes frame = make_frame(61);
  CHECK(fcs_good(frame));
  frame[20] ^= 1;
  CHECK_FALSE(fcs_good(frame));
  CHECK_FALSE(fcs_good(Bytes{1, 2, 3}));
}

TEST_CASE("an Ethernet address is parsed and formatted", "[net]") {
  CHECK(format_mac(parse_mac("00:00:D8:01:02:fe")) == "00:00:d8:01:02:fe");
  CHECK_THROWS_WITH(parse_mac("00:00:d8:01:02"), Catch::Contains("six hex bytes"));
  CHECK_THROWS_WITH(parse_mac("01:00:d8:01:02:03"), Catch::Contains("group address"));
}

TEST_CASE("back-to-back full frames are sent every 1230.4 us", "[net]") {
  Pair p;
  for (int i = 0; i < 3; ++i) p.a.to_send.push_back(make_frame(1514));
  p.a.port.transmit(p.a.to_send[p.a.sent_next++], Time{});
  p.scheduler.run_until(10_ms);
  REQUIRE(p.a.starts.size() == 3);
  CHECK(p.a.starts[0] == 0_ns);
  CHECK(p.a.starts[1] == 1'230'400_ns);
  CHECK(p.a.starts[2] == 2'460'800_ns);
  CHECK(p.a.ends[0] == 1'220'800_ns);
  REQUIRE(p.b.arrivals.size() == 3);
  CHECK(p.b.begins[0] == delay);
  CHECK(p.b.arrivals[0].when == 1'220'800_ns + delay);
  CHECK(p.b.arrivals[0].bytes == p.a.to_send[0]);
  CHECK(p.b.arrivals[0].ok);
  CHECK(p.segment.counters().frames == 3);
}

TEST_CASE("byte k of a frame has arrived k+1 byte times after the start delimiter", "[net]") {
  Pair p;
  p.a.port.transmit(make_frame(100), Time{});
  p.scheduler.run_until(50_us);
  const auto r = p.b.port.receiving();
  REQUIRE(r);
  CHECK(r->arrival(0) == delay + 6'400_ns + 800_ns);
  CHECK(r->arrived(delay + 6'400_ns + 799_ns) == 0);
  CHECK(r->arrived(delay + 6'400_ns + 800_ns) == 1);
  CHECK(r->arrived(delay + 6'400_ns + 8'000_ns) == 10);
  CHECK(r->arrived(1_s) == 104);
}

TEST_CASE("a station that wants to send during another's frame waits for its end and the gap", "[net]") {
  Pair p;
  p.a.port.transmit(make_frame(100), Time{});
  p.scheduler.run_until(20_us);
  p.b.port.transmit(make_frame(60), 20_us);
  p.scheduler.run_until(1_ms);
  REQUIRE(p.b.outcomes.size() == 1);
  CHECK(p.b.outcomes[0].deferred);
  CHECK(p.b.outcomes[0].collisions == 0);
  CHECK(p.b.starts[0] == p.b.arrivals[0].when + 9'600_ns);
  CHECK(p.a.arrivals.size() == 1);
}

TEST_CASE("a frame sent on an idle segment is not deferred, although its station waits for its own bit clock",
          "[net]") {
  Pair p({.oscillators = true});
  for (Time at = 1_ms; at < 20_ms; at += 1'000'037_ns) {
    p.a.port.transmit(make_frame(60), at);
    p.scheduler.run_until(at + 900_us);
    CHECK_FALSE(p.a.outcomes.back().deferred);
  }
  CHECK(p.a.outcomes.size() == 19);
}

TEST_CASE("a frame that only waits for the gap after the previous one is deferred in half duplex, not in full",
          "[net]") {
  const bool full_duplex = GENERATE(false, true);
  CAPTURE(full_duplex);
  Pair p({.full_duplex = full_duplex});
  p.a.port.transmit(make_frame(100), Time{});
  Time now{};
  while (p.a.outcomes.empty()) p.scheduler.run_until(now += 100_ns);
  p.a.port.transmit(make_frame(60), now);
  p.scheduler.run_until(1_ms);
  REQUIRE(p.a.outcomes.size() == 2);
  CHECK_FALSE(p.a.outcomes[0].deferred);
  CHECK(p.a.outcomes[1].deferred == !full_duplex);
}

TEST_CASE("carrier in the first part of the gap restarts it, in the last part it is ignored", "[net]") {
  // A third station begins during b's gap. It would see the end of a's frame at a different time from b only because of
  // its own idle time, so here it starts as a newly attached station that knows of no gap.
  for (const Time into_gap : {3_us, 8_us}) {
    Pair p;
    p.a.port.transmit(make_frame(60), Time{});
    p.scheduler.run_until(30_us);
    p.b.port.transmit(make_frame(60), 30_us);
    const Time silent = 57'600_ns + delay;  // at b
    p.scheduler.run_until(silent + into_gap - delay);
    Recorder c(p.scheduler, &p.segment, "c", 5);
    c.port.transmit(make_frame(60), p.scheduler.now());  // heard by b at silent + into_gap
    p.scheduler.run_until(70_us + into_gap);
    if (into_gap == 3_us) {
      CHECK(p.b.starts.empty());
    } else {
      REQUIRE(p.b.starts.size() == 1);
      CHECK(p.b.starts[0] == silent + 9'600_ns);
    }
    p.scheduler.run_until(100_ms);
    CHECK((p.b.outcomes.at(0).collisions == 0) == (into_gap == 3_us));
    CHECK((c.outcomes.at(0).collisions == 0) == (into_gap == 3_us));
  }
}

TEST_CASE("two stations that start together collide, jam, back off, and both succeed", "[net]") {
  const auto run = [](std::uint64_t seed) {
    Pair p({}, seed);
    p.a.port.transmit(make_frame(1514), Time{});
    p.b.port.transmit(make_frame(1514), Time{});
    p.scheduler.run_until(1_s);
    return std::tuple(p.a.starts, p.b.starts, p.log.entries.size());
  };
  Pair p;
  p.a.port.transmit(make_frame(1514, broadcast_mac, 1), Time{});
  p.b.port.transmit(make_frame(1514, broadcast_mac, 2), Time{});
  p.scheduler.run_until(1_s);
  REQUIRE(p.a.outcomes.size() == 1);
  REQUIRE(p.b.outcomes.size() == 1);
  CHECK(p.a.outcomes[0].result == TransmitResult::ok);
  CHECK(p.b.outcomes[0].result == TransmitResult::ok);
  CHECK(p.a.outcomes[0].collisions >= 1);
  CHECK(p.a.outcomes[0].collisions == p.b.outcomes[0].collisions);
  // Detected within the preamble, which is completed; 32 bits of jam follow.
  CHECK(p.log.entries[0].collided);
  CHECK(p.log.entries[0].end == 6'400_ns + 3'200_ns);
  // Retries begin on slot boundaries after the jam, or after the other station's frame and the gap.
  const Time first_retry = std::min(p.a.starts[1], p.b.starts[1]);
  const Time jam_end = 9'600_ns;
  CHECK(((first_retry - jam_end).ps % (51'200_ns).ps == 0 || first_retry == jam_end + delay + 9'600_ns));
  CHECK(p.a.arrivals.back().ok);
  CHECK(p.b.arrivals.back().ok);
  CHECK(p.segment.counters().frames == 2);
  CHECK(run(1) == run(1));
  CHECK(run(1) != run(2));
}

TEST_CASE("sixteen collisions abort the transmission", "[net]") {
  Scheduler scheduler;
  EthernetSegment segment;
  RelentlessSender other(scheduler, segment);  // starts again at once after every collision
  Recorder a(scheduler, &segment, "a", 1);
  // Whenever `a` begins to send, so does the other station: both always wait for the same idle period.
  other.port.transmit(make_frame(1514), Time{});
  a.port.transmit(make_frame(1514), Time{});
  scheduler.run_until(10_s);
  REQUIRE(a.outcomes.size() == 1);
  CHECK(a.outcomes[0].result == TransmitResult::excessive_collisions);
  CHECK(a.outcomes[0].collisions == 16);
  CHECK(a.starts.size() == 16);
}

TEST_CASE("a collision after one slot time is late", "[net]") {
  for (const bool retry : {false, true}) {
    Pair p;
    p.b.port.set_plugged(false, Time{});
    p.a.port.mac().retry_late_collisions = retry;
    p.a.port.transmit(make_frame(1514), Time{});
    p.scheduler.run_until(500_us);
    p.b.port.set_plugged(true, 500_us);
    // It has just been plugged in by a user who pays no attention: carrier is heard, the frame was missed.
    CHECK(p.b.port.carrier());
    CHECK_FALSE(p.b.port.receiving());
    Recorder deaf(p.scheduler, nullptr, "deaf", 9);
    deaf.port.attach(p.segment);  // is attached during silence and so does not defer
    deaf.port.transmit(make_frame(60), 500_us);
    p.scheduler.run_until(100_ms);
    REQUIRE(p.a.outcomes.size() == 1);
    CHECK(p.a.outcomes[0].late_collision);
    CHECK(p.a.outcomes[0].result == (retry ? TransmitResult::ok : TransmitResult::late_collision));
  }
}

TEST_CASE("full duplex sends both ways at once, without collisions, with the station's own gap", "[net]") {
  Pair p({.full_duplex = true});
  p.a.to_send = p.b.to_send = {make_frame(1514), make_frame(1514)};
  p.a.port.transmit(p.a.to_send[p.a.sent_next++], Time{});
  p.b.port.transmit(p.b.to_send[p.b.sent_next++], 100_us);
  p.scheduler.run_until(10_ms);
  CHECK(p.a.starts == std::vector<Time>{0_us, 1'230'400_ns});
  CHECK(p.b.starts == std::vector<Time>{100_us, 1'330'400_ns});
  CHECK(p.a.arrivals.size() == 2);
  CHECK(p.b.arrivals.size() == 2);
  CHECK(p.segment.counters().collisions == 0);
  CHECK(p.segment.counters().frames == 4);
}

TEST_CASE("at 100 Mbit/s all times are a tenth", "[net]") {
  Pair p({.bits_per_second = 100'000'000});
  p.a.to_send = {make_frame(1514), make_frame(1514)};
  p.a.port.transmit(p.a.to_send[p.a.sent_next++], Time{});
  p.scheduler.run_until(10_ms);
  CHECK(p.a.starts == std::vector<Time>{0_us, 123'040_ns});
}

TEST_CASE("an impossible segment is refused with a remedy", "[net]") {
  CHECK_THROWS_WITH(EthernetSegment({.bits_per_second = 16'000'000}),
                    Catch::Contains("use 10000000, 100000000 or 1000000000"));
  CHECK_THROWS_WITH(EthernetSegment({.propagation = 10_us}), Catch::Contains("less than the interframe gap"));
  CHECK_THROWS_WITH(EthernetSegment({.bits_per_second = 1'000'000'000, .full_duplex = true}),
                    Catch::Contains("less than the interframe gap of 96000 ps"));
  CHECK_THROWS_WITH(EthernetSegment({.bits_per_second = 1'000'000'000, .propagation = 50_ns}),
                    Catch::Contains("make it full duplex"));
}

namespace {
constexpr EthernetConfig fibre{.bits_per_second = 1'000'000'000, .full_duplex = true, .propagation = 50_ns};
}

TEST_CASE("at 1000 Mbit/s minimum frames are sent every 672 ns, both ways at once", "[net]") {
  Pair p(fibre);
  for (int i = 0; i < 3; ++i) {
    p.a.to_send.push_back(make_frame(60));
    p.b.to_send.push_back(make_frame(1514));
  }
  p.a.port.transmit(p.a.to_send[p.a.sent_next++], Time{});
  p.b.port.transmit(p.b.to_send[p.b.sent_next++], Time{});
  p.scheduler.run_until(1_ms);
  CHECK(p.a.starts == std::vector<Time>{Time{}, 672_ns, 1344_ns});
  CHECK(p.b.starts == std::vector<Time>{Time{}, 12'304_ns, 24'608_ns});
  REQUIRE(p.b.arrivals.size() == 3);
  CHECK(p.b.arrivals[0].when == 576_ns + 50_ns);  // 72 bytes of 8 ns
  CHECK(p.b.arrivals[2].ok);
  CHECK(p.a.arrivals.size() == 3);
  CHECK(p.segment.counters().collisions == 0);
}

TEST_CASE("at 1000 Mbit/s a station sees the other end's PCS and its changes", "[net]") {
  struct Listener final : EthernetStation {
    void frame_ends(const Reception&, Time) override {}
    void transmit_ends(const TransmitOutcome&, Time) override {}
    void partner_changed(Time now) override { changes.push_back(now); }
    std::vector<Time> changes;
  } station;
  Scheduler scheduler;
  EthernetSegment segment(fibre);
  EthernetPort port(scheduler, "port", station, 1);
  CHECK_FALSE(port.partner());
  port.attach(segment);
  CHECK_FALSE(port.partner());
  Recorder other(scheduler, &segment, "other", 2);
  CHECK(port.partner() == Pcs{true, Pcs::full_duplex});  // a plain station
  other.port.set_pcs({true, Pcs::full_duplex | Pcs::pause}, 1_ms);
  CHECK(port.partner() == Pcs{true, Pcs::full_duplex | Pcs::pause});
  other.port.set_plugged(false, 2_ms);
  CHECK_FALSE(port.partner());
  other.port.set_pcs({false, 0}, 3_ms);  // no station is told
  other.port.set_plugged(true, 4_ms);
  CHECK(port.partner() == Pcs{false, 0});
  CHECK(station.changes == std::vector<Time>{1_ms, 2_ms, 4_ms});
}

TEST_CASE("pulling the cable truncates the frame for the receiver, and the sender loses carrier", "[net]") {
  Pair p;
  p.a.port.transmit(make_frame(1514), Time{});
  p.scheduler.run_until(100'450_ns);
  p.a.port.set_plugged(false, 100'450_ns);
  p.scheduler.run_until(5_ms);
  REQUIRE(p.b.arrivals.size() == 1);
  CHECK_FALSE(p.b.arrivals[0].ok);
  CHECK(p.b.arrivals[0].dribble);
  CHECK(p.b.arrivals[0].length == 117);  // (100.45 - 6.4) / 0.8 us
  REQUIRE(p.a.outcomes.size() == 1);
  CHECK(p.a.outcomes[0].result == TransmitResult::carrier_lost);
  CHECK(p.a.ends[0] == 1'220'800_ns);
  CHECK(p.segment.counters().frames == 0);

  p.a.port.set_plugged(true, 5_ms);
  p.a.port.transmit(make_frame(60), 5_ms);
  p.scheduler.run_until(6_ms);
  CHECK(p.b.arrivals.at(1).ok);
}

TEST_CASE("an unplugged receiver gets a truncated frame; the sender notices nothing", "[net]") {
  Pair p;
  p.a.port.transmit(make_frame(1514), Time{});
  p.scheduler.run_until(100_us);
  p.b.port.set_plugged(false, 100_us);
  p.scheduler.run_until(5_ms);
  REQUIRE(p.b.arrivals.size() == 1);
  CHECK_FALSE(p.b.arrivals[0].ok);
  CHECK(p.a.outcomes.at(0).result == TransmitResult::ok);
}

TEST_CASE("an underrun ends the frame early with a bad FCS", "[net]") {
  Pair p;
  p.a.port.transmit(make_frame(1514), Time{});
  p.scheduler.run_until(100_us);
  p.a.port.underrun(100_us);
  p.scheduler.run_until(5_ms);
  CHECK(p.a.outcomes.at(0).result == TransmitResult::underrun);
  CHECK(p.b.arrivals.at(0).length == 117);
  CHECK_FALSE(p.b.arrivals.at(0).ok);
  CHECK(p.segment.counters().damaged == 1);
}

TEST_CASE("bytes can be changed until they are sent", "[net]") {
  Pair p;
  const Bytes frame = make_frame(1514);
  p.a.port.transmit(frame, Time{});
  p.scheduler.run_until(100_us);
  p.a.port.patch(50, 0xEE, true, 100_us);
  p.a.port.patch(500, 0xEE, true, 100_us);
  p.scheduler.run_until(5_ms);
  const auto& got = p.b.arrivals.at(0);
  CHECK(got.ok);
  CHECK(got.bytes[50] == frame[50]);
  CHECK(got.bytes[500] == 0xEE);
}

TEST_CASE("abandoning drops a waiting frame and lets a frame on the wire finish", "[net]") {
  Pair p;
  p.a.port.transmit(make_frame(1514), Time{});
  p.scheduler.run_until(10_us);
  p.b.port.transmit(make_frame(60), 10_us);
  CHECK_FALSE(p.b.port.abandon(10_us));
  CHECK(p.a.port.abandon(10_us));
  p.scheduler.run_until(5_ms);
  CHECK(p.b.outcomes.empty());
  CHECK(p.b.starts.empty());
  CHECK(p.a.outcomes.at(0).result == TransmitResult::ok);
}

TEST_CASE("cutting drops a waiting frame and ends one on the wire, whose outcome follows", "[net]") {
  Pair p;
  CHECK_FALSE(p.a.port.cut(Time{}));
  p.a.port.transmit(make_frame(1514), Time{});
  p.scheduler.run_until(100_us);
  p.b.port.transmit(make_frame(60), 100_us);
  CHECK_FALSE(p.b.port.cut(100_us));
  CHECK(p.a.port.cut(100_us));
  CHECK(p.a.outcomes.empty());
  p.scheduler.run_until(5_ms);
  CHECK(p.b.starts.empty());
  CHECK(p.b.arrivals.at(0).length == 117);
  CHECK_FALSE(p.b.arrivals.at(0).ok);
  CHECK(p.a.outcomes.size() == 1);
}

TEST_CASE("a frame that a chip loops back is received completely at its end, in wire time", "[net]") {
  Pair p;
  const Bytes frame = make_frame(100), bad = damaged(frame);
  const Time now = 2_ms;
  const Reception r = p.a.port.looped(frame, now);
  CHECK(r.fcs_ok);
  CHECK(r.length == frame.size());
  CHECK(r.arrival(frame.size() - 1) == now);
  CHECK(r.arrived(now) == frame.size());
  CHECK(r.arrived(now - 1_ps) == frame.size() - 1);
  CHECK(r.first_bit == now - p.a.port.byte_time() * (8 + 104));
  CHECK_FALSE(p.a.port.looped(bad, now).fcs_ok);
}

TEST_CASE("a snapshot in the middle of a collision does not affect the run", "[net]") {
  const auto start = [](Pair& p) {
    p.a.port.transmit(make_frame(1514, broadcast_mac, 1), Time{});
    p.b.port.transmit(make_frame(1514, broadcast_mac, 2), Time{});
  };
  for (const Time when : {3_us, 8_us, 30_us, 400_us}) {
    Pair whole, first, second;
    start(whole);
    whole.scheduler.run_until(1_s);
    start(first);
    first.scheduler.run_until(when);
    Archive saved = Archive::saver();
    first.archive(saved);
    Archive loaded = Archive::loader(saved.stream());
    second.archive(loaded);
    loaded.expect_end();
    second.scheduler.run_until(1_s);
    Archive end_a = Archive::saver(), end_b = Archive::saver();
    whole.archive(end_a);
    second.archive(end_b);
    CHECK(sha256_hex(end_a.stream()) == sha256_hex(end_b.stream()));
    CHECK(second.b.arrivals.back().bytes == whole.b.arrivals.back().bytes);
  }
}
