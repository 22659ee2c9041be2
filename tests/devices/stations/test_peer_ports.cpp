// SPDX-License-Identifier: GPL-2.0-or-later
// The reference station with a port on each of several segments.
#include <array>

#include "tests/devices/stations/talk.hpp"

using namespace planar;
using namespace planar::test;

namespace {

/// Two segments with the station and a hand-made guest, with one address, on both.
struct TwoWires {
  TwoWires()
      : media{&first, &second},
        peer(scheduler, trace, media, 1),
        one(scheduler, &first, "one", 2),
        two(scheduler, &second, "two", 3) {
    scheduler.run_until(now);
  }
  void send(Recorder& guest, Bytes frame) {
    frame.resize(std::max<std::size_t>(frame.size(), 60));
    append_fcs(frame);
    guest.port.transmit(frame, now);
    step(2_ms);
  }
  void step(Time t) {
    now += t;
    scheduler.run_until(now);
  }
  Bytes arp() const {
    Bytes f(broadcast_mac.begin(), broadcast_mac.end());
    put(f, guest_mac);
    put16(f, 0x0806);
    put(f, Bytes{0, 1, 8, 0, 6, 4, 0, 1});
    put(f, guest_mac);
    put32(f, guest_ip);
    put(f, Bytes(6, 0));
    put32(f, server_ip);
    return f;
  }
  /// An ICMP echo request with this IP identification.
  Bytes ping(unsigned id) const {
    Bytes echo{8, 0, 0, 0, 0, 1, 0, 1};
    set16(echo, 2, checksum_fold(checksum_add(echo)));
    Bytes ip{0x45, 0};
    put16(ip, static_cast<std::uint32_t>(20 + echo.size()));
    put16(ip, id);
    put16(ip, 0);
    put(ip, Bytes{64, 1, 0, 0});
    put32(ip, guest_ip);
    put32(ip, server_ip);
    set16(ip, 10, checksum_fold(checksum_add(ip)));
    Bytes f(peer.config().mac.begin(), peer.config().mac.end());
    put(f, guest_mac);
    put16(f, 0x0800);
    put(f, ip);
    put(f, echo);
    return f;
  }

  Scheduler scheduler;
  Trace trace;
  EthernetSegment first{{}, "first"}, second{{}, "second"};
  std::array<Medium*, 2> media;
  Peer peer;
  Recorder one, two;
  Time now{};
};

}  // namespace

TEST_CASE("the peer receives frames on any port and answers over each in turn", "[peer]") {
  TwoWires t;
  t.send(t.one, t.arp());
  CHECK(t.one.arrivals.size() == 1);
  for (unsigned n = 0; n < 4; ++n) t.send(t.one, t.ping(n + 1));
  CHECK(t.one.arrivals.size() == 1 + 2);  // the second and fourth; the first and third went through the other port
  CHECK(t.two.arrivals.size() == 2);
  CHECK(t.peer.port_counters(0).frames_sent == 3);
  CHECK(t.peer.port_counters(1).frames_sent == 2);
  CHECK(t.peer.port_counters(0).frames_received == 5);
  CHECK(t.peer.counters().frames_sent == 5);
  CHECK(t.peer.overtaken() == 0);
}

TEST_CASE("the peer counts reordered packets, across the wrap of their numbers", "[peer]") {
  TwoWires t;
  t.send(t.one, t.arp());
  for (const unsigned id : {0xFFFDu, 0xFFFEu, 0u, 0xFFFFu, 1u, 3u, 2u}) t.send(t.two, t.ping(id));
  CHECK(t.peer.overtaken() == 2);
}

TEST_CASE("the peer's state with several ports survives a snapshot", "[peer]") {
  TwoWires t, u;
  t.send(t.one, t.arp());
  for (const unsigned id : {5u, 4u, 6u}) t.send(t.two, t.ping(id));
  Archive save = Archive::saver();
  t.peer.archive(save);
  Archive load = Archive::loader(save.stream());
  u.peer.archive(load);
  CHECK(u.peer.overtaken() == 1);
  CHECK(u.peer.port_counters(1).frames_received == 3);
  Archive again = Archive::saver();
  u.peer.archive(again);
  CHECK(again.stream() == save.stream());
}
