// SPDX-License-Identifier: GPL-2.0-or-later
// The host's network as a station: frames on the wire, and how virtual time is throttled, with a host clock stepped by
// the test.
#include "devices/stations/host/host_station.hpp"
#include "tests/devices/medium/wire.hpp"

using namespace planar;
using namespace planar::test;
using namespace std::chrono_literals;

namespace {

/// A host whose clock is advanced only by waiting, and whose frames arrive at given times of that clock.
struct Host {
  HostDuration clock = 1000s;  // an arbitrary time
  std::vector<std::pair<HostDuration, Bytes>> coming;
  std::vector<Bytes> got;
  bool begins = false;
  HostDuration emulation{};  // host time for emulating until the next look
};

struct FakeLink final : HostLink {
  explicit FakeLink(Host& h) : host(h) {}
  void send(ByteView frame, Time) override { host.got.emplace_back(frame.begin(), frame.end()); }
  bool exchange(Time, HostDuration at_most) override {
    if (at_most == 0ns) host.clock += host.emulation;
    const HostDuration until = host.clock + at_most;
    const auto first = host.coming.begin();
    if (first == host.coming.end() || first->first > until) {
      host.clock = until;
      return false;
    }
    host.clock = std::max(host.clock, first->first);
    const Bytes frame = first->second;
    host.coming.erase(first);
    sink_->frame_from_host(frame);
    return true;
  }
  bool host_may_begin() const override { return host.begins; }
  Host& host;
};

struct Rig {
  explicit Rig(HostTime time)
      : station(scheduler, trace, segment, 1, std::make_unique<FakeLink>(host), time,
                {[this] { return host.clock; }, [this] { return idle ? scheduler.now() : Time{}; }}),
        guest(scheduler, &segment, "guest", 2) {}
  void run(Time t) { scheduler.run_until(scheduler.now() + t); }
  HostDuration passed() const { return host.clock - 1000s; }

  Host host;
  bool idle = true;
  Scheduler scheduler;
  Trace trace;
  EthernetSegment segment;
  HostStation station;
  Recorder guest;
};

Bytes raw(std::size_t bytes, std::uint8_t fill = 1) {
  Bytes f = make_frame(bytes, broadcast_mac, fill);
  f.resize(f.size() - fcs_bytes);
  return f;
}

}  // namespace

TEST_CASE("frames pass between the segment and the host with wire timing", "[host]") {
  Rig r(HostTime::unthrottled);
  const Bytes frame = make_frame(200);
  r.guest.port.transmit(frame, r.scheduler.now());
  r.run(1_ms);
  REQUIRE(r.host.got.size() == 1);
  CHECK(r.host.got[0] == Bytes(frame.begin(), frame.end() - 4));

  r.host.coming = {{r.host.clock, raw(20)}, {r.host.clock, raw(1514)}};
  r.run(5_ms);
  REQUIRE(r.guest.arrivals.size() == 2);
  CHECK(r.guest.arrivals[0].length == min_frame_bytes);  // padded
  CHECK(r.guest.arrivals[0].ok);
  CHECK(r.guest.arrivals[1].length == max_frame_bytes);
  // Preamble, frame, FCS and the gap between the two: 10 Mbit/s.
  CHECK(r.guest.arrivals[1].when - r.guest.arrivals[0].when == 800_ns * (8 + 1518) + 9'600_ns);
  CHECK(r.station.counters().from_host == 2);
  CHECK(r.station.counters().to_host == 1);
}

TEST_CASE("frames from the host that are no Ethernet frames or exceed the queue are refused", "[host]") {
  Rig r(HostTime::unthrottled);
  for (const std::size_t bytes : {0u, 1u, 13u, 1515u, 9000u, 65535u})
    r.host.coming.emplace_back(r.host.clock, Bytes(bytes, 0xFF));
  r.run(10_ms);
  CHECK(r.station.counters().refused == 6);
  CHECK(r.guest.arrivals.empty());
  r.host.emulation = 0ns;
  r.host.begins = true;
  for (std::size_t i = 0; i < 2 * host_queue; ++i) r.host.coming.emplace_back(r.host.clock, raw(1514));
  r.idle = false;
  r.run(2_s);
  CHECK(r.station.counters().from_host + r.station.counters().refused == 6 + 2 * host_queue);
  CHECK(r.station.counters().from_host > host_queue / 2);
  CHECK(r.guest.arrivals.size() == r.station.counters().from_host);
  // A runt and a damaged frame of the guest do not reach the host.
  Bytes bad = make_frame(100);
  bad[50] ^= 1;
  r.guest.port.transmit(bad, r.scheduler.now());
  r.run(1_ms);
  CHECK(r.host.got.empty());
  CHECK(r.station.counters().damaged == 1);
}

TEST_CASE("as-hardware: virtual time follows the host's, and lost time is not made up", "[host]") {
  Rig r(HostTime::as_hardware);
  r.idle = false;
  r.run(10_s);
  CHECK(r.passed() > 9990ms);
  CHECK(r.passed() <= 10'000ms);
  r.host.emulation = 400us;  // of each 500 us: fast enough
  r.run(1_s);
  CHECK(r.passed() > 10'990ms);
  CHECK(r.passed() < 11'010ms);
  r.host.emulation = 750us;  // too slow for one second: it ends half a second late
  r.run(1_s);
  CHECK(r.passed() > 12'450ms);
  r.host.emulation = 0us;
  const auto before = r.passed();
  r.run(1_s);
  CHECK(r.passed() - before > 890ms);  // no more than the slack is made up
  CHECK(r.passed() - before <= 1'001ms);
}

TEST_CASE("unthrottled: a busy guest never waits, an idle one does once it has sent a request", "[host]") {
  Rig r(HostTime::unthrottled);
  r.run(10_s);
  CHECK(r.passed() == 0s);  // no request to the host yet
  r.guest.port.transmit(make_frame(100), r.scheduler.now());
  r.run(1_s);
  CHECK(r.passed() > 990ms);
  CHECK(r.passed() < 1'010ms);
  const auto before = r.passed();
  r.idle = false;
  r.run(1_ms);  // the first look still sees idle time
  r.run(10_s);
  CHECK(r.passed() - before < 10ms);

  Rig forwarded(HostTime::unthrottled);
  forwarded.host.begins = true;
  forwarded.run(1_s);
  CHECK(forwarded.passed() > 990ms);
}

TEST_CASE("unthrottled: the host's answer ends the wait", "[host]") {
  Rig r(HostTime::unthrottled);
  r.host.begins = true;
  r.run(1_ms);
  r.host.coming.emplace_back(r.host.clock + 100us, raw(60));
  const auto before = r.scheduler.now();
  r.run(600_us);
  CHECK(r.host.coming.empty());
  REQUIRE(r.guest.arrivals.size() == 1);
  CHECK(r.guest.arrivals[0].when - before < 600_us);
}

TEST_CASE("the station's state is saved and continues with another host", "[host]") {
  Rig a(HostTime::as_hardware);
  for (int i = 0; i < 20; ++i) a.host.coming.emplace_back(a.host.clock, raw(1000));
  a.run(4_ms);
  Archive save = Archive::saver();
  a.scheduler.archive(save);
  a.segment.archive(save);
  a.station.archive(save);
  a.guest.port.archive(save);
  Rig b(HostTime::as_hardware);
  b.host.clock = 77s;
  Archive load = Archive::loader(save.stream());
  b.scheduler.archive(load);
  b.segment.archive(load);
  b.station.archive(load);
  b.guest.port.archive(load);
  load.expect_end();
  const auto had = a.guest.arrivals.size();
  a.host.coming.clear();
  a.run(100_ms);
  b.run(100_ms);
  CHECK(b.guest.arrivals.size() == a.guest.arrivals.size() - had);
  CHECK(b.guest.arrivals.back().when == a.guest.arrivals.back().when);
  CHECK(b.host.clock - 77s < 101ms);
}
