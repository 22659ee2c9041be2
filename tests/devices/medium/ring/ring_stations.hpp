// SPDX-License-Identifier: GPL-2.0-or-later
// Stations for tests of the ring, which record what happens to them.
#pragma once

#include <vector>

#include "devices/medium/ring/ring.hpp"
#include "tests/catch.hpp"

namespace planar::test {

using namespace planar::net;
using Bytes = std::vector<std::uint8_t>;

inline MacAddress station_address(std::uint8_t n) { return {0x10, 0x00, 0x5A, 0x01, 0x02, n}; }

/// An LLC frame with `data` bytes, from AC to the end of the data.
inline Bytes ring_frame(const MacAddress& to, const MacAddress& from, std::size_t data, std::uint8_t fill = 0) {
  Bytes f{0x10, 0x40};
  f.insert(f.end(), to.begin(), to.end());
  f.insert(f.end(), from.begin(), from.end());
  for (std::size_t n = 0; n < data; ++n) f.push_back(static_cast<std::uint8_t>(n * 7 + fill));
  return f;
}

struct RingRecorder : RingStation {
  RingRecorder(Scheduler& s, Ring& ring, std::uint8_t number, const RingInsertion& like = {})
      : parameters(like), port(s, "station" + std::to_string(number), *this, number) {
    parameters.node = station_address(number);
    parameters.bits_per_second = like.autosense ? like.bits_per_second : ring.bits_per_second();
    port.attach(ring);
  }
  void frame_begins(const RingReception&, Time now) override { begins.push_back(now); }
  bool frame_ends(const RingReception& r, Time now) override {
    arrivals.push_back({now, r.first_bit, Bytes(r.frame.begin(), r.frame.begin() + static_cast<long>(r.length)), r.good,
                        r.status, r.by_functional, r.by_group});
    return copies;
  }
  void transmit_begins(Time now) override { starts.push_back(now); }
  void transmit_ends(const RingTransmitOutcome& o, Time now) override {
    outcomes.push_back(o);
    ends.push_back(now);
    if (sent_next < to_send.size()) port.transmit(to_send[sent_next++], now);
  }
  void insertion_ends(const InsertionOutcome& o, Time now) override {
    insertions.push_back(o);
    inserted_at = now;
  }
  void ring_status_changed(std::uint16_t bits, Time) override { status |= bits; }

  struct Arrival {
    Time when, first_bit;
    Bytes bytes;
    bool good;
    std::uint8_t status;
    bool by_functional, by_group;
  };
  RingInsertion parameters;
  bool copies = true;
  std::vector<Time> begins, starts, ends;
  std::vector<Arrival> arrivals;
  std::vector<RingTransmitOutcome> outcomes;
  std::vector<InsertionOutcome> insertions;
  Time inserted_at{};
  std::uint16_t status = 0;
  std::vector<Bytes> to_send;  // each is sent as soon as the previous one has been stripped
  std::size_t sent_next = 0;
  RingPort port;
};

/// A ring of plain stations that were inserted before time 0; the ring is quiet.
struct RestingRing {
  explicit RestingRing(unsigned n, RingConfig config = {}) : ring(scheduler, config) {
    for (unsigned i = 1; i <= n; ++i) {
      stations.push_back(std::make_unique<RingRecorder>(scheduler, ring, static_cast<std::uint8_t>(i)));
      RingRecorder& s = *stations.back();
      s.parameters.early_token_release = config.early_token_release;
      s.parameters.full_duplex = config.full_duplex;
      s.port.insert_at_rest(s.parameters, Time{});
    }
  }
  RingRecorder& operator[](std::size_t n) { return *stations[n]; }
  void send(std::size_t from, std::size_t to, std::size_t data) {
    stations[from]->port.transmit(ring_frame(stations[to]->parameters.node, stations[from]->parameters.node, data),
                                  scheduler.now());
  }
  void run(Time t) { scheduler.run_until(scheduler.now() + t); }

  Scheduler scheduler;
  Ring ring;
  std::vector<std::unique_ptr<RingRecorder>> stations;
};

struct RingLog final : WireObserver {
  struct Entry {
    Time start, end;
    Bytes bytes;
    bool good;
    std::string sender;
  };
  void observe(const WireRecord& r) override {
    entries.push_back({r.start, r.end, Bytes(r.bytes.begin(), r.bytes.end()), r.good(), std::string(r.sender)});
  }
  std::vector<Entry> entries;
};

}  // namespace planar::test
