// SPDX-License-Identifier: GPL-2.0-or-later
// The reference station at the other end: a server in virtual time, so that runs repeat bit for bit.
//
// It answers ARP and ping and serves what services.cpp lists over TCP and UDP as a Linux 2.2 machine does
// (peer_tcp.hpp); it resets other TCP connections and reports unreachable UDP ports. Its adapter obeys the rules of the
// medium but is otherwise of unlimited speed; all that its host takes is one turnaround time, the same for every card
// and machine.
//
// IP datagrams longer than its MTU go in fragments, the first one first (a Linux 2.2 machine sends the last one first;
// for who joins them it is the same), and fragments are joined in any order (reassembly.hpp).
//
// Not modelled: IP options, routing (everybody is on the medium), ARP retries and expiry.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <utility>

#include "core/state/trace.hpp"
#include "core/time/scheduler.hpp"
#include "devices/medium/ethernet/ethernet_frame.hpp"
#include "devices/medium/link_layer.hpp"
#include "devices/stations/peer/peer_tcp.hpp"
#include "devices/stations/peer/services.hpp"
#include "devices/stations/reassembly.hpp"
#include "devices/stations/station.hpp"

namespace planar::net {

/// From the last bit of a frame to its answer in the adapter's transmit queue: interrupt, driver, stack, driver.
/// Source: inferred, a Pentium-class server of the time; not fitted to any row.
inline constexpr Time peer_turnaround = 60_us;

struct PeerConfig {
  std::string name = "peer";                           ///< before the name of its port
  MacAddress mac{0x02, 0x50, 0x4C, 0x41, 0x4E, 0x01};  ///< locally administered
  Ipv4 address = ipv4(192, 168, 10, 1);
  Time turnaround = peer_turnaround;
  /// When its clock of 100 Hz, on which delayed acknowledgements hang, ticks first; less than 10 ms. Real machines are
  /// switched on one after the other: any value is as good.
  Time tick_phase{};
  std::uint32_t receive_buffer = PeerTcp::receive_buffer;  ///< bytes of a TCP socket's, 8192 to 65535
  std::uint32_t mtu = 1500;  ///< bytes of the longest IP datagram that it sends or asks for; 576 or more
  ServiceConfig services;
};

class Peer final : public Station, private LinkUser, private TcpOutput {
 public:
  struct Counters {
    std::uint64_t frames_sent = 0, frames_received = 0;  ///< received: good and for us
    std::uint64_t bytes_sent = 0, bytes_received = 0;    ///< frames without FCS
    std::uint64_t damaged = 0;                           ///< bad FCS or length
    std::uint64_t malformed = 0;                         ///< good frame, but a length or checksum in it is wrong
    std::uint64_t failed_attempts = 0, dropped = 0;      ///< to send: collisions on Ethernet; dropped: given up
  };

  Peer(Scheduler& scheduler, Trace& trace, Medium& medium, std::uint64_t seed, PeerConfig config = {});

  const PeerConfig& config() const { return config_; }
  const Counters& counters() const { return counters_; }
  const Services& services() const { return services_; }
  const TcpServer& tcp() const { return tcp_; }
  Port& port() { return link_->port(); }

  // Station
  Description describe() const override;
  void archive(Archive& a) override;

 private:
  // LinkUser
  void frame_received(ByteView frame, Time now) override;
  void frame_damaged(Time now) override;
  bool accepts(ByteView destination, Time now) override;
  void frame_sent(const LinkOutcome& outcome, Time now) override;

  void process(Time now);
  void tick(Time now);
  void set_tick();
  void send_own(Service& service, Time now);
  void add_route(Ipv4 to, Ipv4 gateway);
  /// Of services that were used.
  void archive_used(Archive& a);
  void receive_arp(ByteView packet, Time now);
  void receive_ip(ByteView packet, ByteView frame, Time now);
  void receive_icmp(Ipv4 from, ByteView message, Time now);
  void receive_tcp(Ipv4 from, ByteView packet, ByteView frame, Time now);
  void receive_udp(Ipv4 from, ByteView packet, std::size_t ip_header, Time now);
  void send_tcp(Ipv4 to, Bytes segment, Time now) override;
  void send_udp(Ipv4 to, std::uint16_t port, std::uint16_t to_port, ByteView data, Time now);
  void send_arp(unsigned hardware, unsigned operation, const MacAddress& to, const MacAddress& target_mac, Ipv4 target,
                Time now);
  void send_ip(Ipv4 to, unsigned protocol, ByteView payload, Time now);
  void send_packet(Ipv4 to, Bytes packet, Time now);
  void send_frame(const MacAddress& to, unsigned type, ByteView payload, Time now);

  struct Arrived {
    Bytes frame;
    Time due{};
    void archive(Archive& a) { a(frame, due); }
  };

  Trace& trace_;
  PeerConfig config_;
  Counters counters_;
  std::deque<Arrived> arrived_;
  std::vector<std::pair<Ipv4, MacAddress>> neighbours_;
  std::vector<std::pair<Ipv4, Bytes>> unresolved_;  // IP packets that wait for an ARP reply
  Reassembly reassembly_;
  std::uint16_t ip_id_ = 1;
  Services services_;
  std::deque<std::uint64_t> own_;  // places of the services' own datagrams among all frames that were given to link_
  TcpServer tcp_;
  std::unique_ptr<LinkLayer> link_;
  Event process_;
  Event tick_;
};

}  // namespace planar::net
