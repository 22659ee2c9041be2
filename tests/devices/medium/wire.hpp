// SPDX-License-Identifier: GPL-2.0-or-later
// Stations for tests of the medium, which record what happens to them.
#pragma once

#include <vector>

#include "devices/medium/ethernet/ethernet_segment.hpp"
#include "tests/catch.hpp"

namespace planar::test {

using namespace planar::net;
using Bytes = std::vector<std::uint8_t>;

/// A frame of `bytes` bytes before the FCS, which is appended; addressed to `to`, filled with a pattern.
inline Bytes make_frame(std::size_t bytes, const MacAddress& to = broadcast_mac, std::uint8_t fill = 0) {
  Bytes f(to.begin(), to.end());
  while (f.size() < bytes) f.push_back(static_cast<std::uint8_t>(f.size() * 7 + fill));
  append_fcs(f);
  return f;
}
/// The same without its FCS, as a host passes or receives it.
inline Bytes body(std::size_t bytes, std::uint8_t fill = 0) {
  Bytes b = make_frame(bytes, broadcast_mac, fill);
  b.resize(bytes);
  return b;
}
inline Bytes without_fcs(Bytes frame) {
  frame.resize(frame.size() - fcs_bytes);
  return frame;
}
/// Inverts one bit, so that the FCS is wrong.
inline Bytes damaged(Bytes frame) {
  frame[30] ^= 0x40;
  return frame;
}

struct Recorder final : EthernetStation {
  Recorder(Scheduler& s, Medium* medium, std::string name, std::uint64_t seed) : port(s, std::move(name), *this, seed) {
    if (medium) port.attach(*medium);
  }
  void frame_begins(const Reception& r, Time now) override {
    begins.push_back(now);
    last_begin = r;
  }
  void frame_ends(const Reception& r, Time now) override {
    Arrival a{now, r.length, r.fcs_ok, r.dribble, {}};
    for (std::size_t k = 0; k < r.length; ++k) a.bytes.push_back(r.byte(k));
    arrivals.push_back(std::move(a));
  }
  void transmit_begins(Time now) override { starts.push_back(now); }
  void transmit_ends(const TransmitOutcome& o, Time now) override {
    outcomes.push_back(o);
    ends.push_back(now);
    if (sent_next < to_send.size()) port.transmit(to_send[sent_next++], now);
  }
  // clang-format off
  struct Arrival { Time when; std::size_t length; bool ok; bool dribble; Bytes bytes; };
  // clang-format on
  std::vector<Time> begins, starts, ends;
  std::vector<Arrival> arrivals;
  std::vector<TransmitOutcome> outcomes;
  std::vector<Bytes> to_send;  // each is sent as soon as the previous one is done
  std::size_t sent_next = 0;
  Reception last_begin;
  EthernetPort port;
};

/// Sends long frames for ever, and never backs off: once its first frame is in transmit(), no other station gets a
/// frame through.
struct RelentlessSender final : EthernetStation {
  RelentlessSender(Scheduler& s, EthernetSegment& segment, const MacAddress& whom = broadcast_mac)
      : to(whom), port(s, "relentless", *this, 3) {
    port.attach(segment);
    port.mac().attempts = 1;
  }
  void frame_ends(const Reception&, Time) override {}
  void transmit_ends(const TransmitOutcome&, Time now) override { port.transmit(make_frame(1514, to), now); }
  MacAddress to;
  EthernetPort port;
};

struct Log final : WireObserver {
  struct Entry {
    Time start, end;
    Bytes bytes;
    bool good, collided;
  };
  void observe(const WireRecord& r) override {
    entries.push_back({r.start, r.end, Bytes(r.bytes.begin(), r.bytes.end()), r.good(), r.damage == Damage::collision});
  }
  std::vector<Entry> entries;
};

}  // namespace planar::test
