// SPDX-License-Identifier: GPL-2.0-or-later
// Frames and token on a ring: times to the bit, A and C, stripping, faults.
#include "tests/devices/medium/ring/ring_stations.hpp"

using namespace planar;
using namespace planar::test;

namespace {

constexpr Time bit_16 = 62'500_ps, byte_16 = 500_ns;

}  // namespace

TEST_CASE("a frame's times on a ring of two stations at 16 Mbit/s", "[ring]") {
  RestingRing r(2);
  // Two lobe cables of 30 m and the station's 2.5 bits; the monitor adds 30 bits.
  CHECK(r.ring.hop() == 300_ns + Time{bit_16.ps * 5 / 2});
  CHECK(r.ring.latency() == r.ring.hop() * 2 + bit_16 * 30);
  CHECK(r[0].port.active_monitor());  // it was inserted first

  r.run(10_us);
  r.send(0, 1, 100);
  r.run(1_ms);
  REQUIRE(r[0].starts.size() == 1);
  const Time start = r[0].starts[0];
  // The token left the monitor at 0; the frame is sent when it has come round.
  CHECK(start.ps % r.ring.latency().ps == 0);
  CHECK(start > 10_us);
  CHECK(start <= 10_us + r.ring.latency());

  REQUIRE(r[1].arrivals.size() == 1);
  const Time way = r.ring.hop();
  CHECK(r[1].begins[0] == start + way + byte_16 * 15);
  CHECK(r[1].arrivals[0].first_bit == start + way);
  CHECK(r[1].arrivals[0].when == start + way + byte_16 * (1 + 114 + 4 + 1));
  CHECK(r[1].arrivals[0].good);
  REQUIRE(r[1].arrivals[0].bytes.size() == 118);

  REQUIRE(r[0].outcomes.size() == 1);
  CHECK(r[0].outcomes[0].result == RingTransmitOutcome::Result::stripped);
  CHECK(r[0].outcomes[0].status == 0xCC);
  CHECK(r[0].ends[0] == start + r.ring.latency() + byte_16 * (1 + 118 + 2));
}

TEST_CASE("half duplex reaches exactly the ring's theoretical bound", "[ring]") {
  // 1500 bytes of IP after 8 of LLC and SNAP: 1529 byte times from SD to FS, a gap of 5, and the token's way round.
  RestingRing r(2);
  for (int n = 0; n < 201; ++n) r[0].to_send.push_back(ring_frame(r[1].parameters.node, r[0].parameters.node, 1508));
  r[0].sent_next = 1;
  r[0].port.transmit(r[0].to_send[0], Time{});
  r.run(1_s);
  REQUIRE(r[0].starts.size() == 201);
  const Time period = byte_16 * (1529 + 5) + r.ring.latency();
  CHECK(r[0].starts[200] - r[0].starts[0] == period * 200);
  const double bytes_per_second = 1460 / period.seconds();
  CHECK(bytes_per_second > 1'899'805 * 0.998);  // the sheet's bound counts 3 bytes for the token instead
  CHECK(bytes_per_second < 1'899'805 * 1.001);
}

TEST_CASE("token release: early, right after the frame, or when the header has returned", "[ring]") {
  // A short frame on a long ring: its 21 + 10 bytes have been sent long before they return.
  const auto second_start = [](bool early) {
    RestingRing r(8, {.early_token_release = early, .lobe_metres = 500});
    r.run(100_us);
    r.send(0, 1, 10);
    r.send(4, 1, 10);
    r.run(1_ms);
    const bool first_is_0 = r[0].starts.at(0) < r[4].starts.at(0);
    const Time first = std::min(r[0].starts[0], r[4].starts[0]), second = std::max(r[0].starts[0], r[4].starts[0]);
    // From one to the other: four hops; the monitor (the first station) is only on the way from 4 to 0.
    const Time way = r.ring.hop() * 4 + (first_is_0 ? Time{} : bit_16 * 30);
    return std::pair(second - first - way, r.ring.latency());
  };
  CHECK(second_start(true).first == byte_16 * (31 + 5));
  const auto [normal, latency] = second_start(false);
  CHECK(normal == latency + byte_16 * (15 + 5));
}

TEST_CASE("the token visits the stations in turn", "[ring]") {
  RestingRing r(4);
  r.run(3_us);
  for (std::size_t n = 0; n < 4; ++n) {
    for (int k = 0; k < 5; ++k) r[n].to_send.push_back(ring_frame(station_address(9), r[n].parameters.node, 300));
    r[n].sent_next = 1;
    r[n].port.transmit(r[n].to_send[0], r.scheduler.now());
  }
  RingLog log;
  r.ring.add_observer(log);
  r.run(10_ms);
  REQUIRE(log.entries.size() == 20);
  for (std::size_t k = 4; k < 20; ++k) CHECK(log.entries[k].sender == log.entries[k - 4].sender);
  for (std::size_t k = 1; k < 20; ++k) CHECK(log.entries[k].start >= log.entries[k - 1].end + byte_16 * 5);
}

TEST_CASE("A and C bits: no receiver, no buffer, several receivers, functional and group addresses", "[ring]") {
  RestingRing r(3);
  r.run(1_us);
  SECTION("no receiver") {
    r[0].port.transmit(ring_frame(station_address(99), r[0].parameters.node, 50), r.scheduler.now());
    r.run(1_ms);
    CHECK(r[0].outcomes.at(0).status == 0x00);
  }
  SECTION("no buffer") {
    r[2].copies = false;
    r.send(0, 2, 50);
    r.run(1_ms);
    CHECK(r[0].outcomes.at(0).status == 0x88);
    CHECK(r[2].port.errors().congestion == 1);
  }
  SECTION("broadcast") {
    r[0].port.transmit(ring_frame(broadcast_mac, r[0].parameters.node, 50), r.scheduler.now());
    r.run(1_ms);
    CHECK(r[0].outcomes.at(0).status == 0xCC);
    CHECK(r[1].arrivals.at(0).status == 0x00);
    CHECK(r[2].arrivals.at(0).status == 0xCC);  // set by station 2
    CHECK(r[0].arrivals.empty());
  }
  SECTION("functional and group addresses") {
    r[1].port.set_functional(0x00040080);
    r[2].port.set_group(0x00123456);
    r[0].to_send = {ring_frame({0xC0, 0, 0, 0, 0, 0x80}, r[0].parameters.node, 50),
                    ring_frame({0xC0, 0, 0x80, 0x12, 0x34, 0x56}, r[0].parameters.node, 50),
                    ring_frame({0xC0, 0, 0, 0, 0, 0x10}, r[0].parameters.node, 50)};
    r[0].sent_next = 1;
    r[0].port.transmit(r[0].to_send[0], r.scheduler.now());
    r.run(1_ms);
    REQUIRE(r[1].arrivals.size() == 1);
    CHECK(r[1].arrivals[0].by_functional);
    REQUIRE(r[2].arrivals.size() == 1);
    CHECK(r[2].arrivals[0].by_group);
    CHECK(r[0].outcomes.at(2).status == 0x00);
  }
}

TEST_CASE("data supplied during transmission, in time and too late", "[ring]") {
  RestingRing r(2);
  const Bytes whole = ring_frame(r[1].parameters.node, r[0].parameters.node, 1000);
  r[0].port.transmit(std::span(whole).first(100), whole.size(), r.scheduler.now());
  r.run(40_us);
  REQUIRE(r[0].starts.size() == 1);
  CHECK(r[1].port.receiving().has_value());
  SECTION("in time") {
    r[0].port.supply(std::span(whole).subspan(100), r.scheduler.now());
    r.run(1_ms);
    REQUIRE(r[1].arrivals.size() == 1);
    CHECK(r[1].arrivals[0].good);
    CHECK(std::equal(whole.begin() + 1, whole.end(), r[1].arrivals[0].bytes.begin() + 1));
    CHECK(r[0].outcomes.at(0).status == 0xCC);
  }
  SECTION("too late") {
    r.run(1_ms);
    r[0].port.supply(std::span(whole).subspan(100), r.scheduler.now());
    REQUIRE(r[1].arrivals.size() == 1);
    CHECK_FALSE(r[1].arrivals[0].good);
    CHECK(r[1].arrivals[0].bytes.size() == 100);
    CHECK(r[0].outcomes.at(0).result == RingTransmitOutcome::Result::underrun);
    CHECK(r[0].port.errors().abort_delimiter == 1);
    r.send(1, 0, 20);  // the ring continues
    r.run(1_ms);
    CHECK(r[0].arrivals.size() == 1);
  }
}

TEST_CASE("the longest frame is sent, and a longer one is ended by an abort sequence", "[ring]") {
  for (const std::uint64_t rate : {4'000'000u, 16'000'000u}) {
    RestingRing r(2, {.bits_per_second = rate});
    const std::size_t longest = (rate == 4'000'000 ? 4'550 : 18'200) - 3 - 4 - 14;
    r.send(0, 1, longest);
    r.run(20_ms);
    REQUIRE(r[1].arrivals.size() == 1);
    CHECK(r[1].arrivals[0].good);
    r.send(0, 1, longest + 1);
    r.run(20_ms);
    REQUIRE(r[1].arrivals.size() == 2);
    CHECK_FALSE(r[1].arrivals[1].good);
    CHECK(r[0].outcomes.at(1).result == RingTransmitOutcome::Result::underrun);
  }
}

TEST_CASE("full duplex: both stations of a dedicated ring send simultaneously", "[ring]") {
  RestingRing r(2, {.full_duplex = true});
  r.run(1_us);
  for (std::size_t n : {0u, 1u}) {
    for (int k = 0; k < 11; ++k)
      r[n].to_send.push_back(ring_frame(r[1 - n].parameters.node, r[n].parameters.node, 1508));
    r[n].sent_next = 1;
    r[n].port.transmit(r[n].to_send[0], r.scheduler.now());
  }
  CHECK(r[0].port.full_duplex());
  r.run(20_ms);
  for (std::size_t n : {0u, 1u}) {
    REQUIRE(r[n].starts.size() == 11);
    CHECK(r[n].starts[0] == 1_us);
    CHECK(r[n].starts[10] - r[n].starts[0] == byte_16 * (1529 + 5) * 10);
    CHECK(r[n].arrivals.size() == 11);
    CHECK(r[n].outcomes[0].status == 0xCC);
  }
}

TEST_CASE("insertion: phases, duplicate address, wrong speed, no cable, autosense", "[ring]") {
  RestingRing r(1, {.bits_per_second = 4'000'000});
  RingRecorder s(r.scheduler, r.ring, 7, {.bits_per_second = 16'000'000, .autosense = true});
  SECTION("autosense finds the ring's speed in 1 to 2.5 s") {
    s.port.insert(s.parameters, r.scheduler.now());
    r.run(900_ms);
    CHECK(s.insertions.empty());
    r.run(1600_ms);
    REQUIRE(s.insertions.size() == 1);
    CHECK(s.insertions[0].ok());
    CHECK(s.insertions[0].bits_per_second == 4'000'000);
    CHECK(s.port.inserted());
    s.port.transmit(ring_frame(r[0].parameters.node, s.parameters.node, 30), r.scheduler.now());
    r.run(1_ms);
    CHECK(s.outcomes.at(0).status == 0xCC);
  }
  SECTION("wrong speed") {
    s.parameters.autosense = false;
    s.port.insert(s.parameters, r.scheduler.now());
    r.run(3_s);
    CHECK(s.insertions.at(0).phase == InsertionPhase::physical_insertion);
    CHECK(s.insertions[0].error == InsertionError::wrong_speed);
    CHECK_FALSE(s.port.inserted());
  }
  SECTION("duplicate address") {
    s.parameters.node = r[0].parameters.node;
    s.port.insert(s.parameters, r.scheduler.now());
    r.run(3_s);
    CHECK(s.insertions.at(0).phase == InsertionPhase::address_verification);
    CHECK(s.insertions[0].error == InsertionError::duplicate_address);
  }
  SECTION("no cable") {
    s.port.set_plugged(false, r.scheduler.now());
    s.port.insert(s.parameters, r.scheduler.now());
    r.run(3_s);
    CHECK(s.insertions.at(0).phase == InsertionPhase::lobe_test);
    CHECK(s.insertions[0].error == InsertionError::function_failure);
  }
  SECTION("alone with autosense") {
    RingRecorder alone(r.scheduler, r.ring, 8, {.autosense = true});
    r[0].port.remove(r.scheduler.now());
    alone.port.insert(alone.parameters, r.scheduler.now());
    r.run(3_s);
    CHECK(alone.insertions.at(0).error == InsertionError::no_monitor);
  }
}

TEST_CASE("the first station on an empty ring becomes its active monitor", "[ring]") {
  Scheduler scheduler;
  Ring ring(scheduler, {.quick_insertion = true});
  RingRecorder a(scheduler, ring, 1);
  a.port.insert(a.parameters, Time{});
  scheduler.run_until(6_s);
  REQUIRE(a.insertions.size() == 1);
  CHECK(a.insertions[0].ok());
  CHECK(a.port.active_monitor());
  a.port.transmit(ring_frame(station_address(2), a.parameters.node, 30), scheduler.now());
  scheduler.run_until(7_s);
  CHECK(a.outcomes.at(0).status == 0);
}

TEST_CASE("removing a station loses the frames on the ring, and the ring recovers", "[ring]") {
  RestingRing r(3);
  r.send(1, 2, 4000);
  r.run(500_us);
  r[0].port.remove(r.scheduler.now());  // the monitor
  r.run(1_us);
  CHECK_FALSE(r[0].port.inserted());
  r.run(10_ms);
  REQUIRE(r[2].arrivals.size() == 1);
  CHECK_FALSE(r[2].arrivals[0].good);
  CHECK(r[1].outcomes.at(0).result == RingTransmitOutcome::Result::lost);
  CHECK(r[1].port.errors().lost_frame == 1);
  r.run(3_s);
  CHECK(r[2].port.active_monitor());  // the higher address
  r.send(1, 2, 100);
  r.run(1_ms);
  CHECK(r[1].outcomes.at(1).status == 0xCC);
}

TEST_CASE("a cable pulled in mid-frame causes signal loss, then wire fault, and removes the station", "[ring]") {
  RestingRing r(2);
  r.send(0, 1, 4000);
  r.run(500_us);
  r[0].port.set_plugged(false, r.scheduler.now());
  CHECK(r[0].status == ring_status::signal_loss);
  r.run(10_s);
  CHECK((r[0].status & ring_status::lobe_wire_fault) != 0);
  CHECK_FALSE(r[0].port.inserted());
  CHECK(r[0].outcomes.at(0).result == RingTransmitOutcome::Result::lost);
  REQUIRE(r[1].arrivals.size() == 1);
  CHECK_FALSE(r[1].arrivals[0].good);
  r[0].port.set_plugged(true, r.scheduler.now());
  r[0].port.insert(r[0].parameters, r.scheduler.now());
  r.run(3_s);
  CHECK(r[0].insertions.at(0).ok());
}

TEST_CASE("a computed token position equals that of a token passed station by station", "[ring]") {
  const auto run = [](bool stepwise) {
    RestingRing r(5, {.quick_insertion = true, .stepwise = stepwise});
    RingLog log;
    r.ring.add_observer(log);
    Random random(4);
    // Meanwhile another station is inserted: purge, poll and other MAC frames, at their priorities.
    RingRecorder late(r.scheduler, r.ring, 9);
    late.port.insert(late.parameters, Time{});
    for (int k = 0; k < 300; ++k) {
      r.run(Time{static_cast<std::int64_t>(random.below(700'000'000))});
      const auto from = static_cast<std::size_t>(random.below(5)), to = static_cast<std::size_t>(random.below(5));
      r.send(from, to, random.below(400));
    }
    r.run(10_ms);
    CHECK(late.port.inserted());
    std::vector<std::tuple<Time, std::string, Bytes>> sent;
    for (const auto& e : log.entries) sent.emplace_back(e.start, e.sender, e.bytes);
    return sent;
  };
  const auto computed = run(false);
  CHECK(computed.size() > 200);
  CHECK(computed == run(true));
}

TEST_CASE("a snapshot of a ring in mid-frame does not affect the run", "[ring]") {
  const auto make = [] { return RestingRing(3); };
  RestingRing a = make();
  a.send(1, 0, 200);
  a.send(0, 2, 3000);
  a.run(50_us);
  const auto archive = [](RestingRing& r, Archive& ar) {
    r.scheduler.archive(ar);
    r.ring.archive(ar);
    for (auto& s : r.stations) s->port.archive(ar);
  };
  Archive save = Archive::saver();
  archive(a, save);
  RestingRing b = make();
  Archive load = Archive::loader(save.stream());
  archive(b, load);
  load.expect_end();
  for (RestingRing* r : {&a, &b}) r->run(5_ms);
  REQUIRE(b[2].arrivals.size() == 1);
  CHECK(b[2].arrivals.at(0).bytes == a[2].arrivals.at(0).bytes);
  CHECK(b[0].outcomes.at(0).status == 0xCC);
  CHECK(b[0].arrivals.at(0).when == a[0].arrivals.at(0).when);
}

TEST_CASE("a ring refuses invalid configurations", "[ring]") {
  Scheduler scheduler;
  CHECK_THROWS_AS(Ring(scheduler, {.bits_per_second = 10'000'000}), Error);
  CHECK_THROWS_AS(Ring(scheduler, {.bits_per_second = 4'000'000, .full_duplex = true}), Error);
  CHECK_THROWS_AS(Ring(scheduler, {.lobe_metres = 501}), Error);
}
