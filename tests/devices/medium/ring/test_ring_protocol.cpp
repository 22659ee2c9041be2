// SPDX-License-Identifier: GPL-2.0-or-later
// Functions of ring stations without a host: poll, insertion, purge, contention, beacons, reports; all visible on the
// wire.
#include "devices/medium/ring/ring_mac_frame.hpp"
#include "tests/devices/medium/ring/ring_stations.hpp"

using namespace planar;
using namespace planar::test;

namespace {

/// The MAC frames on a ring, with their vectors.
struct MacLog final : WireObserver {
  explicit MacLog(Ring& ring) { ring.add_observer(*this); }
  struct Entry {
    Time start;
    MacVector vector;
    std::string sender;
    Bytes bytes;
    MacFrameView view() const { return *parse_mac_frame(bytes); }
  };
  void observe(const WireRecord& r) override {
    if (!r.good() || !is_mac_frame(r.bytes)) return;
    Bytes frame(r.bytes.begin(), r.bytes.end() - 4);
    const auto view = parse_mac_frame(frame);
    REQUIRE(view);
    entries.push_back({r.start, view->vector, std::string(r.sender), std::move(frame)});
  }
  std::vector<Entry> of(MacVector vector) const {
    std::vector<Entry> list;
    for (const Entry& e : entries)
      if (e.vector == vector) list.push_back(e);
    return list;
  }
  std::vector<Entry> entries;
};

MacAddress address_in(std::span<const std::uint8_t> value) {
  MacAddress a;
  std::copy_n(value.begin(), 6, a.begin());
  return a;
}

}  // namespace

TEST_CASE("the ring poll visits every station in turn, and each learns its upstream neighbour", "[ring]") {
  RestingRing r(4);
  MacLog log(r.ring);
  r.run(6'990_ms);
  CHECK(log.entries.empty());
  r.run(200_ms);
  REQUIRE(log.entries.size() == 4);
  CHECK(log.entries[0].vector == MacVector::active_monitor_present);
  CHECK(log.entries[0].start >= 7_s);
  for (std::size_t n = 1; n < 4; ++n) {
    CHECK(log.entries[n].vector == MacVector::standby_monitor_present);
    CHECK(log.entries[n].sender == r[n].port.name());
    CHECK(log.entries[n].start >= log.entries[n - 1].start + 20_ms);
    CHECK(address_in(*log.entries[n].view().find(mac_subvector::upstream_neighbour, 6)) ==
          station_address(static_cast<std::uint8_t>(n)));
  }
  for (std::size_t n = 0; n < 4; ++n)
    CHECK(r[n].port.upstream_neighbour() == station_address(static_cast<std::uint8_t>(n == 0 ? 4 : n)));
  r.run(7_s);
  CHECK(log.entries.size() == 8);
  CHECK(log.of(MacVector::report_poll_failure).empty());
}

TEST_CASE("insertion on the ring: purge, two address tests, a turn in the poll, a request for parameters", "[ring]") {
  RestingRing r(2, {.quick_insertion = true});
  RingRecorder s(r.scheduler, r.ring, 9);
  MacLog log(r.ring);
  s.port.insert(s.parameters, r.scheduler.now());
  r.run(200_ms);
  REQUIRE(s.insertions.size() == 1);
  CHECK(s.insertions[0].ok());
  CHECK(s.inserted_at > 30_ms);
  CHECK(s.inserted_at < 80_ms);
  const auto purges = log.of(MacVector::ring_purge);
  REQUIRE(purges.size() == 1);
  CHECK(purges[0].start == 100_us + 10_ms);  // lobe test, then the monitor's TVX
  CHECK(purges[0].sender == r[0].port.name());
  const auto tests = log.of(MacVector::duplicate_address_test);
  REQUIRE(tests.size() == 2);
  CHECK(std::equal(tests[0].bytes.begin() + 2, tests[0].bytes.begin() + 8, tests[0].bytes.begin() + 8));
  CHECK(log.of(MacVector::active_monitor_present).size() == 1);
  CHECK(log.of(MacVector::standby_monitor_present).size() == 2);
  const auto requests = log.of(MacVector::request_initialization);
  REQUIRE(requests.size() == 1);
  CHECK(requests[0].view().classes == 0x50);
  CHECK(s.port.upstream_neighbour() == station_address(2));
}

TEST_CASE("a parameter server configures a new station, and a report server removes one from the ring", "[ring]") {
  RestingRing r(2, {.quick_insertion = true});
  r[1].port.set_functional(0x02);  // the server
  r[1].port.pass_mac(true, false, false);
  RingRecorder s(r.scheduler, r.ring, 9);
  s.port.insert(s.parameters, r.scheduler.now());
  r.run(1_s);
  CHECK(s.insertions.empty());
  REQUIRE(r[1].arrivals.size() >= 1);
  MacFrameBuilder set_up(0, s.parameters.node, r[1].parameters.node, MacVector::initialize_ring_station, 0, 5);
  set_up.add16(mac_subvector::correlator, 0x1234)
      .add16(mac_subvector::ring_number, 0x00A)
      .add16(mac_subvector::error_timer, 50);
  MacLog log(r.ring);
  r[1].port.transmit(set_up.done(), r.scheduler.now());
  r.run(10_ms);
  REQUIRE(s.insertions.size() == 1);
  CHECK(s.insertions[0].ok());
  const auto answers = log.of(MacVector::response);
  REQUIRE(answers.size() == 1);
  CHECK(big_endian(*answers[0].view().find(mac_subvector::correlator, 2)) == 0x1234);
  CHECK(big_endian(*answers[0].view().find(mac_subvector::response_code, 4)) == 0x0001050D);

  r[1].port.transmit(MacFrameBuilder(0, s.parameters.node, r[1].parameters.node, MacVector::request_address, 0, 4)
                         .add16(mac_subvector::correlator, 7)
                         .done(),
                     r.scheduler.now());
  r.run(10_ms);
  REQUIRE(log.of(MacVector::report_address).size() == 1);
  CHECK(log.of(MacVector::report_address)[0].view().classes == 0x40);
  r[1].port.transmit(MacFrameBuilder(0, s.parameters.node, r[1].parameters.node, MacVector{0x77}, 0, 4).done(),
                     r.scheduler.now());
  r.run(10_ms);
  REQUIRE(log.of(MacVector::response).size() == 2);
  CHECK(big_endian(*log.of(MacVector::response)[1].view().find(mac_subvector::response_code, 4)) == 0x80030477);

  r[1].port.transmit(
      MacFrameBuilder(0, s.parameters.node, r[1].parameters.node, MacVector::remove_ring_station, 0, 4).done(),
      r.scheduler.now());
  r.run(10_ms);
  CHECK_FALSE(s.port.inserted());
  CHECK((s.status & ring_status::remove_received) != 0);
}

TEST_CASE("when the monitor leaves, the highest address wins the contention", "[ring]") {
  RestingRing r(4);
  MacLog log(r.ring);
  r[0].port.remove(1_ms);
  r.run(4_s);
  CHECK(r[3].port.active_monitor());
  const auto claims = log.of(MacVector::claim_token);
  REQUIRE(claims.size() >= 3);
  CHECK(claims[0].start >= 2600_ms);
  CHECK(log.of(MacVector::ring_purge).size() == 1);
  CHECK(log.of(MacVector::ring_purge)[0].sender == r[3].port.name());
  REQUIRE(log.of(MacVector::report_new_monitor).size() == 1);
  for (std::size_t n = 1; n < 4; ++n) CHECK((r[n].status & ring_status::ring_recovery) != 0);
  CHECK(r[3].port.upstream_neighbour() == station_address(3));
  r.send(1, 2, 50);
  r.run(1_ms);
  CHECK(r[1].outcomes.at(0).status == 0xCC);
}

TEST_CASE("stations that come and go without a monitor do not delay the contention", "[ring]") {
  RestingRing r(5);
  r[0].port.remove(1_ms);
  for (int n = 0; n < 7; ++n) {  // every half second, until after the time without a token
    r.run(500_ms);
    r[2].port.set_plugged(n % 2 != 0, r.scheduler.now());
  }
  r.run(500_ms);
  CHECK(r[4].port.active_monitor());
  r.send(1, 3, 50);
  r.run(1_ms);
  CHECK(r[1].outcomes.at(0).status == 0xCC);
}

TEST_CASE("stations that come and go faster than a purge do not delay the next purge", "[ring]") {
  RestingRing r(5);
  for (int n = 0; n < 40; ++n) {
    r.run(6_ms);
    r[2].port.set_plugged(n % 2 != 0, r.scheduler.now());
  }
  CHECK(r.ring.counters().purges >= 10);
}

TEST_CASE("an incomplete ring poll is reported with the last station that took part", "[ring]") {
  RestingRing r(4);
  MacLog log(r.ring);
  r.run(7'030_ms);  // the second station has answered the active monitor; the third one is due after 20 ms
  REQUIRE(log.of(MacVector::standby_monitor_present).size() == 1);
  r[2].port.remove(r.scheduler.now());
  r.run(100_ms);
  const auto reports = log.of(MacVector::report_poll_failure);
  REQUIRE(reports.size() == 1);
  CHECK(reports[0].sender == r[0].port.name());
  CHECK(address_in(*reports[0].view().find(mac_subvector::last_neighbour, 6)) == station_address(2));
  r.run(8_s);  // the later polls are complete
  CHECK(log.of(MacVector::report_poll_failure).size() == 1);
  CHECK(r[3].port.upstream_neighbour() == station_address(2));
}

TEST_CASE("the only station on a ring is told so", "[ring]") {
  Scheduler scheduler;
  Ring ring(scheduler, {.quick_insertion = true});
  RingRecorder a(scheduler, ring, 1);
  a.port.insert(a.parameters, Time{});
  scheduler.run_until(5_s);
  REQUIRE(a.insertions.size() == 1);
  CHECK((a.status & ring_status::single_station) != 0);
  CHECK(a.port.upstream_neighbour() == a.parameters.node);
}

TEST_CASE("priority: a MAC frame is not delayed by stations with a permanent backlog", "[ring]") {
  RestingRing r(6);
  r.run(6'990_ms);
  for (std::size_t n = 0; n < 6; ++n) {
    for (int k = 0; k < 40; ++k) r[n].to_send.push_back(ring_frame(station_address(99), r[n].parameters.node, 2000));
    r[n].sent_next = 1;
    r[n].port.transmit(r[n].to_send[0], r.scheduler.now());
  }
  RingLog log;
  r.ring.add_observer(log);
  r.run(130_ms);
  std::vector<unsigned> mac, host;
  for (const auto& e : log.entries) (is_mac_frame(e.bytes) ? mac : host).push_back(e.bytes[0] >> 5);
  // If a frame is on the ring when a station's turn in the poll is due, it carries the reservation to its sender, who
  // raises the token, unless the token goes to that station next anyway. After the MAC frame the token is lowered
  // again.
  CHECK(mac.size() == 6);  // the active monitor, then the standbys one after another
  CHECK(std::count(mac.begin(), mac.end(), 7u) >= 3);
  CHECK(std::count(mac.begin(), mac.end(), 7u) + std::count(mac.begin(), mac.end(), 0u) == 6);
  CHECK(std::all_of(host.begin(), host.end(), [](unsigned p) { return p == 0; }));
  CHECK(host.size() > 90);
}

TEST_CASE("after a broken trunk the next station beacons, and the ring resumes when it is repaired", "[ring]") {
  RestingRing r(3);
  r.run(8_s);  // after a poll the neighbours are known
  MacLog log(r.ring);
  r.ring.set_broken(r[1].port, true, r.scheduler.now());
  r.send(0, 2, 100);
  r.run(1500_ms);
  const auto beacons = log.of(MacVector::beacon);
  REQUIRE_FALSE(beacons.empty());
  CHECK(beacons[0].sender == r[1].port.name());
  CHECK(big_endian(*beacons[0].view().find(mac_subvector::beacon_type, 2)) == 1);
  CHECK(address_in(*beacons[0].view().find(mac_subvector::upstream_neighbour, 6)) == station_address(1));
  CHECK((r[1].status & (ring_status::transmitting_beacon | ring_status::signal_loss)) ==
        (ring_status::transmitting_beacon | ring_status::signal_loss));
  CHECK((r[2].status & ring_status::hard_error) != 0);
  CHECK(r[0].outcomes.empty());  // no token
  // A station that is inserted now is told about the fault.
  RingRecorder late(r.scheduler, r.ring, 9);
  late.port.insert(late.parameters, r.scheduler.now());
  r.run(8_s);
  REQUIRE(late.insertions.size() == 1);
  CHECK(late.insertions[0].error == InsertionError::beaconing);
  r.ring.set_broken(r[1].port, false, r.scheduler.now());
  r.run(30_s);
  REQUIRE(r[0].outcomes.size() == 1);
  CHECK(r[0].outcomes[0].status == 0xCC);
  for (std::size_t n = 0; n < 3; ++n) CHECK(r[n].port.inserted());
}

TEST_CASE("errors are reported to the error monitor two seconds after the first", "[ring]") {
  RestingRing r(3);
  r[1].copies = false;
  MacLog log(r.ring);
  r.send(0, 1, 50);
  r.run(1_s);
  CHECK(log.entries.empty());
  r.run(1100_ms);
  const auto reports = log.of(MacVector::report_error);
  REQUIRE(reports.size() == 1);
  CHECK(reports[0].sender == r[1].port.name());
  CHECK((*reports[0].view().find(mac_subvector::other_errors, 6))[1] == 1);  // congestion
  CHECK((r[1].status & ring_status::soft_error) != 0);
  CHECK(r[1].port.take_errors().congestion == 1);
  CHECK(r[1].port.errors().congestion == 0);
}

TEST_CASE("an idle ring costs events only for its poll", "[ring]") {
  RestingRing r(8);
  r.run(7'500_ms);
  std::size_t events = 0;
  const Time end = r.scheduler.now() + 6_s;
  while (r.scheduler.next_event() < end) {
    r.scheduler.run_until(r.scheduler.next_event());
    ++events;
  }
  CHECK(events == 0);
}

TEST_CASE("MAC frames with invalid lengths are not treated as MAC frames", "[ring]") {
  const Bytes good =
      MacFrameBuilder(0, station_address(1), station_address(2), MacVector::request_address).add16(9, 5).done();
  REQUIRE(parse_mac_frame(good));
  for (std::size_t n = 0; n < good.size(); ++n) CHECK_FALSE(parse_mac_frame(std::span(good).first(n)));
  for (const std::size_t at : {14u, 15u, 18u})
    for (const std::uint8_t value : {0x00, 0x01, 0x05, 0xFF}) {
      Bytes bad = good;
      bad[at] = value;
      if (bad != good && !(at == 14 && value == 0)) CHECK_FALSE(parse_mac_frame(bad));
    }
}
