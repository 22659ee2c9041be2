// SPDX-License-Identifier: GPL-2.0-or-later
// The reference station at the other end: a server in virtual time, so that runs are exactly repeatable.
//
// It answers ARP and ping and provides the TCP and UDP services listed in services.cpp as a Linux 2.2 machine does
// (peer_tcp.hpp); it resets other TCP connections and reports unreachable UDP ports. Its adapter obeys the rules of the
// medium but is otherwise infinitely fast; its host costs only one turnaround time, the same for every card and
// machine.
//
// On several media it has one port each, all with the same address, and sends over each in turn, like Linux 2.2's
// bonding device (docs/hardware/channel-bonding.md); frames are accepted from any port in the order of arrival.
//
// IP datagrams longer than its MTU are fragmented: for answers the first fragment is sent first; for netperf's client
// the last one first, as a Linux 2.2 machine does. Fragments are reassembled in any order (reassembly.hpp).
//
// Not modelled: IP options, routing (all stations are on the medium), ARP retries and expiry.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

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
  std::string name = "peer";                           ///< prefix of its port's name
  MacAddress mac{0x02, 0x50, 0x4C, 0x41, 0x4E, 0x01};  ///< locally administered
  Ipv4 address = ipv4(192, 168, 10, 1);
  Time turnaround = peer_turnaround;
  /// First tick of its 100 Hz clock, which drives delayed acknowledgements; less than 10 ms. Real machines are not
  /// switched on in step: any value is equally good.
  Time tick_phase{};
  std::uint32_t receive_buffer = PeerTcp::receive_buffer;  ///< bytes of a TCP socket's buffer, 8192 to 65535
  AckRule acknowledge = AckRule::by_estimate;
  std::uint32_t mtu = 1500;  ///< bytes of the longest IP datagram that it sends or asks for; 576 or more
  ServiceConfig services;
};

class Peer final : public Station, private TcpOutput {
 public:
  static constexpr std::size_t most_ports = 8;

  struct Counters {
    std::uint64_t frames_sent = 0, frames_received = 0;  ///< received: good and for us
    std::uint64_t bytes_sent = 0, bytes_received = 0;    ///< frames without FCS
    std::uint64_t damaged = 0;                           ///< bad FCS or length
    std::uint64_t malformed = 0;                         ///< good frame that contains a wrong length or checksum
    std::uint64_t failed_attempts = 0, dropped = 0;      ///< to send: collisions on Ethernet; dropped: given up
  };

  struct PortCounters {
    std::uint64_t frames_sent = 0, frames_received = 0;  ///< as in Counters, for one port
    void archive(Archive& a) { a(frames_sent, frames_received); }
  };

  /// On one or more media, up to `most_ports`.
  Peer(Scheduler& scheduler, Trace& trace, std::span<Medium* const> media, std::uint64_t seed, PeerConfig config = {});
  Peer(Scheduler& scheduler, Trace& trace, Medium& medium, std::uint64_t seed, PeerConfig config = {})
      : Peer(scheduler, trace, std::array<Medium*, 1>{&medium}, seed, std::move(config)) {}

  const PeerConfig& config() const { return config_; }
  const Counters& counters() const { return counters_; }
  const Services& services() const { return services_; }
  /// Starts its netperf (netperf_client.hpp); no test may be running.
  void start_netperf(const NetperfClientConfig& config, Time now);
  const TcpServer& tcp() const { return tcp_; }
  std::size_t ports() const { return links_.size(); }
  Port& port(std::size_t n = 0) { return links_[n]->layer->port(); }
  const PortCounters& port_counters(std::size_t n) const { return links_[n]->counters; }
  /// IP packets (including fragments) received after one that their sender numbered later: a machine numbers packets in
  /// the order of sending, and retransmissions get new numbers.
  std::uint64_t overtaken() const { return overtaken_; }

  // Station
  Description describe() const override;
  void archive(Archive& a) override;

 private:
  /// A port: its link and its counters.
  struct Link final : LinkUser {
    explicit Link(Peer& owner) : peer(owner) {}
    void frame_received(ByteView frame, Time now) override { peer.frame_received(*this, frame, now); }
    void frame_damaged(Time) override { ++peer.counters_.damaged; }
    bool accepts(ByteView destination, Time now) override;
    void frame_sent(const LinkOutcome& outcome, Time now) override { peer.frame_sent(*this, outcome, now); }

    Peer& peer;
    std::unique_ptr<LinkLayer> layer;
    PortCounters counters;
    std::uint64_t given_up = 0;
    std::deque<std::uint64_t> own;  // positions of the services' own datagrams among all frames passed to it
  };

  void frame_received(Link& link, ByteView frame, Time now);
  void frame_sent(Link& link, const LinkOutcome& outcome, Time now);
  /// Frames not sent yet, on all ports.
  std::size_t waiting() const;
  void count_overtaken(ByteView packet);
  void archive_links(Archive& a);

  void process(Time now);
  void tick(Time now);
  void set_tick();
  void send_own(Service& service, Time now);
  void add_route(Ipv4 to, Ipv4 gateway);
  /// State of services that were used.
  void archive_used(Archive& a);
  void receive_arp(ByteView packet, Time now);
  void receive_ip(ByteView packet, ByteView frame, Time now);
  void receive_icmp(Ipv4 from, ByteView message, Time now);
  void receive_tcp(Ipv4 from, ByteView packet, ByteView frame, Time now);
  void receive_udp(Ipv4 from, ByteView packet, std::size_t ip_header, Time now);
  void send_tcp(Ipv4 to, Bytes segment, Time now) override;
  void send_udp(Ipv4 to, std::uint16_t port, std::uint16_t to_port, ByteView data, Time now, bool last_first = false);
  void send_arp(unsigned hardware, unsigned operation, const MacAddress& to, const MacAddress& target_mac, Ipv4 target,
                Time now);
  void send_ip(Ipv4 to, unsigned protocol, ByteView payload, Time now, bool last_first = false);
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
  std::vector<std::pair<Ipv4, Bytes>> unresolved_;  // IP packets waiting for an ARP reply
  Reassembly reassembly_;
  std::uint16_t ip_id_ = 1;
  Services services_;
  TcpServer tcp_;
  std::vector<std::unique_ptr<Link>> links_;
  std::size_t turn_ = 0;  // index of the link that sends next
  std::uint64_t overtaken_ = 0;
  std::vector<std::pair<Ipv4, std::uint16_t>> latest_id_;  // of each sender's packets
  Event process_;
  Event tick_;
};

}  // namespace planar::net
