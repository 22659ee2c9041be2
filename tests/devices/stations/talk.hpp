// SPDX-License-Identifier: GPL-2.0-or-later
// A hand-made guest that talks to the reference station.
#pragma once

#include <optional>

#include "devices/stations/peer/peer.hpp"
#include "tests/devices/medium/wire.hpp"

namespace planar::test {

inline constexpr Ipv4 guest_ip = ipv4(192, 168, 10, 2), server_ip = ipv4(192, 168, 10, 1);
inline const MacAddress guest_mac{0x00, 0x00, 0xD8, 1, 2, 3};
inline constexpr std::uint8_t FIN = 1, SYN = 2, RST = 4, PSH = 8, ACK = 16;

struct Segment {
  Time when;
  std::uint32_t seq, ack;
  std::uint8_t flags;
  unsigned window;
  Bytes options;
  std::size_t length;
  Bytes data;
  std::uint32_t stamp() const { return options.size() >= 12 ? get32(options, options.size() - 8) : 0; }
  std::uint32_t echo() const { return options.size() >= 12 ? get32(options, options.size() - 4) : 0; }
};

// A guest without timers: it sends what the test tells it to and keeps what it receives.
struct Talk {
  explicit Talk(EthernetConfig medium = {}, PeerConfig config = {})
      : segment(medium), peer(scheduler, trace, segment, 1, config), guest(scheduler, &segment, "guest", 2) {
    scheduler.run_until(now);
  }

  void send_frame(Bytes frame) {
    frame.resize(std::max<std::size_t>(frame.size(), 60));
    append_fcs(frame);
    guest.port.transmit(frame, now);
    const std::size_t done = guest.outcomes.size();
    while (guest.outcomes.size() == done) step(1_us);
  }
  void step(Time t) {
    now += t;
    scheduler.run_until(now);
  }
  void arp() {
    Bytes f(broadcast_mac.begin(), broadcast_mac.end());
    put(f, guest_mac);
    put16(f, 0x0806);
    put(f, Bytes{0, 1, 8, 0, 6, 4, 0, 1});
    put(f, guest_mac);
    put32(f, guest_ip);
    put(f, Bytes(6, 0));
    put32(f, server_ip);
    send_frame(f);
    step(1_ms);
  }
  /// `fragment`: its offset in units of 8 bytes; 2000h: more fragments follow.
  void send_ip(unsigned protocol, const Bytes& payload, unsigned fragment = 0, unsigned id = 1) {
    Bytes f(peer.config().mac.begin(), peer.config().mac.end());
    put(f, guest_mac);
    put16(f, 0x0800);
    Bytes ip{0x45, 0};
    put16(ip, static_cast<std::uint32_t>(20 + payload.size()));
    put32(ip, id << 16 | fragment);
    ip.push_back(64);
    ip.push_back(static_cast<std::uint8_t>(protocol));
    put16(ip, 0);
    put32(ip, guest_ip);
    put32(ip, server_ip);
    set16(ip, 10, checksum_fold(checksum_add(ip)) ^ ip_damage);
    put(f, ip);
    put(f, payload);
    send_frame(f);
  }
  void send_tcp(std::uint8_t flags, std::size_t length, const Bytes& options = {}) {
    send_data(flags, Bytes(length, 0x5A), options);
  }
  void send_data(std::uint8_t flags, const Bytes& data, const Bytes& options = {}) {
    Bytes t;
    put16(t, port);
    put16(t, to_port);
    put32(t, seq);
    put32(t, flags & ACK ? ack : 0);
    const Bytes all = !options.empty() || !stamps ? options : stamp_option();
    t.push_back(static_cast<std::uint8_t>((20 + all.size()) / 4 << 4));
    t.push_back(flags);
    put16(t, window);
    put32(t, 0);
    put(t, all);
    put(t, data);
    set16(t, 16, checksum_fold(checksum_add(t, checksum_pseudo(guest_ip, server_ip, 6, t.size()))) ^ tcp_damage);
    send_ip(6, t);
    seq += static_cast<std::uint32_t>(data.size()) + (flags & SYN ? 1 : 0) + (flags & FIN ? 1 : 0);
  }
  Bytes stamp_option() const {
    Bytes o{1, 1, 8, 10};
    put32(o, 5000 + static_cast<std::uint32_t>(now / 10_ms));
    put32(o, echo);
    return o;
  }
  Bytes syn_option(bool sack = false) const {
    Bytes o{2, 4, 0x05, 0xB4};
    if (stamps) {
      put(o, sack ? Bytes{4, 2, 8, 10} : Bytes{1, 1, 8, 10});
      put32(o, 5000);
      put32(o, 0);
    }
    return o;
  }
  std::vector<Segment> received() {
    std::vector<Segment> list;
    for (; looked_at < guest.arrivals.size(); ++looked_at) {
      const auto& a = guest.arrivals[looked_at];
      REQUIRE(a.ok);
      const ByteView f = a.bytes;
      if (get16(f, 12) != 0x0800 || f[23] != 6) continue;
      CHECK(checksum_fold(checksum_add(f.subspan(14, 20))) == 0);
      CHECK((get16(f, 20) & 0x3FFF) == 0);  // TCP datagrams are never fragmented
      const auto t = f.subspan(34, get16(f, 16) - 20u);
      CHECK(checksum_fold(checksum_add(t, checksum_pseudo(server_ip, guest_ip, 6, t.size()))) == 0);
      const std::size_t header = (t[12] >> 4) * 4u;
      list.push_back({a.when, get32(t, 4), get32(t, 8), t[13], get16(t, 14),
                      Bytes(t.begin() + 20, t.begin() + static_cast<std::ptrdiff_t>(header)), t.size() - header,
                      Bytes(t.begin() + static_cast<std::ptrdiff_t>(header), t.end())});
    }
    return list;
  }
  std::optional<Segment> one() {
    auto list = received();
    CHECK(list.size() <= 1);
    if (list.empty()) return std::nullopt;
    return list[0];
  }
  /// Just after a tick of the server's clock, so that delays start at a known point.
  void align() { step(10_ms - Time{now.ps % (10_ms).ps} + 100_us); }
  void connect(bool sack = false) {
    if (!known) arp();
    known = true;
    align();
    send_tcp(SYN, 0, syn_option(sack));
    step(1_ms);
    const auto s = one();
    REQUIRE(s);
    REQUIRE(s->flags == (SYN | ACK));
    CHECK(s->ack == seq);
    CHECK(s->window == 32120);
    synack = *s;
    ack = s->seq + 1;
    echo = stamps ? get32(s->options, 8) : 0;
    send_tcp(ACK, 0);
    step(1_ms);
    CHECK(received().empty());
  }

  Time now = 3'700_us;
  Scheduler scheduler;
  Trace trace;
  EthernetSegment segment;
  Peer peer;
  Recorder guest;
  std::size_t looked_at = 0;
  bool stamps = true, known = false;
  std::uint32_t seq = 1000, ack = 0, echo = 0;
  std::uint16_t port = 1024, to_port = netio_port;
  unsigned ip_damage = 0, tcp_damage = 0, window = 32120;
  Segment synack{};
};

}  // namespace planar::test
