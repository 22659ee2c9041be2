// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/stations/peer/peer.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/common/random.hpp"

namespace planar::net {
namespace {

constexpr unsigned ethertype_ip = 0x0800, ethertype_arp = 0x0806, arp_ethernet = 1;
constexpr unsigned protocol_icmp = 1, protocol_tcp = 6, protocol_udp = 17;
constexpr std::size_t ethernet_header = 14, ip_header = 20, udp_header = 8, arp_bytes = 28;
constexpr std::size_t max_unresolved = 3;  // Linux keeps three packets for a neighbour being resolved
constexpr std::size_t max_neighbours = 64;

MacAddress mac_at(ByteView b, std::size_t at) {
  MacAddress mac;
  std::copy_n(b.begin() + static_cast<std::ptrdiff_t>(at), mac.size(), mac.begin());
  return mac;
}

}  // namespace

Peer::Peer(Scheduler& scheduler, Trace& trace, std::span<Medium* const> media, std::uint64_t seed, PeerConfig config)
    : trace_(trace),
      config_(config),
      services_({config_.services.netio_duration, config_.receive_buffer}),
      tcp_(*this, services_, Random(seed * 0x100 + 0xFE).next(),
           {config_.mtu, config_.tick_phase, config_.receive_buffer, config_.acknowledge}),
      process_(scheduler, config_.name + ".process", Priority::device, Callback::to<&Peer::process>(this)),
      tick_(scheduler, config_.name + ".tick", Priority::timer, Callback::to<&Peer::tick>(this)) {
  for (std::size_t n = 0; n < std::min(media.size(), most_ports); ++n) {
    auto link = std::make_unique<Link>(*this);
    const std::string name = config_.name + (n ? fmt::format(".port{}", n + 1) : ".port");
    const std::uint64_t of_port = n ? 0xF0 + n : 0xFF;  // distinct from the other stations' seeds (lab.cpp)
    link->layer = media[n]->connect(scheduler, name, *link, Random(seed * 0x100 + of_port).next());
    links_.push_back(std::move(link));
  }
}

void Peer::start_netperf(const NetperfClientConfig& config, Time now) {
  services_.netperf_client().start(config, now);
  set_tick();
}

// ---- adapter ----

bool Peer::Link::accepts(ByteView destination, Time) {
  const MacAddress& mac = peer.config_.mac;
  return std::equal(mac.begin(), mac.end(), destination.begin()) || destination[0] & 1;
}

std::size_t Peer::waiting() const {
  std::size_t frames = 0;
  for (const auto& link : links_) frames += link->layer->waiting();
  return frames;
}

void Peer::frame_received(Link& link, ByteView frame, Time now) {
  const MacAddress to = mac_at(frame, 0);
  if (to != config_.mac && to != broadcast_mac) return;
  ++link.counters.frames_received;
  ++counters_.frames_received;
  counters_.bytes_received += frame.size();
  arrived_.push_back({Bytes(frame.begin(), frame.end()), now + config_.turnaround});
  if (!process_.pending()) process_.at(arrived_.front().due);
}

void Peer::process(Time now) {
  const Bytes frame = std::move(arrived_.front().frame);
  arrived_.pop_front();
  if (!arrived_.empty()) process_.at(arrived_.front().due);
  const ByteView view = frame;
  const auto payload = view.subspan(ethernet_header);
  if (get16(view, 12) == ethertype_arp) {
    receive_arp(payload, now);
  } else if (get16(view, 12) == ethertype_ip) {
    if (links_.size() > 1) count_overtaken(payload);
    receive_ip(payload, view, now);
  }
  set_tick();
}

void Peer::set_tick() {
  Time due = tcp_.next_timer();
  for (const auto& service : services_.all()) due = std::min(due, service->due());
  tick_.at(due);
}

void Peer::tick(Time now) {
  for (const auto& service : services_.all())
    if (service->due() <= now)
      for (const OwnConnection& wanted : service->own_connections(now)) tcp_.connect(*service, wanted, now);
  tcp_.run_timers(now);
  for (const auto& service : services_.all())
    if (service->due() <= now) send_own(*service, now);
  set_tick();
}

// Gives a neighbour's IP address another one's hardware address.
void Peer::add_route(Ipv4 to, Ipv4 gateway) {
  const auto of = [&](Ipv4 address) {
    return std::find_if(neighbours_.begin(), neighbours_.end(), [&](const auto& n) { return n.first == address; });
  };
  if (of(to) != neighbours_.end() || of(gateway) == neighbours_.end() || neighbours_.size() >= max_neighbours) return;
  const MacAddress mac = of(gateway)->second;
  neighbours_.emplace_back(to, mac);
}

// No ARP is needed, since the addressee has made a request of the service. A fragmented datagram is counted by its last
// frame.
void Peer::send_own(Service& service, Time now) {
  for (const OwnDatagram& d : service.own_datagrams(waiting(), now)) {
    if (d.gateway) add_route(d.to, d.gateway);
    const std::size_t bytes = udp_header + d.data.size(), room = config_.mtu - ip_header;
    const bool whole = bytes <= room;
    if ((!whole && !d.in_fragments) ||
        std::none_of(neighbours_.begin(), neighbours_.end(), [&](const auto& n) { return n.first == d.to; })) {
      service.own_sent(false, now);
      continue;
    }
    // The last of its frames: its link, and its position there.
    const std::size_t before_it = whole ? 0 : (bytes - room + (room & ~std::size_t{7}) - 1) / (room & ~std::size_t{7});
    Link& link = *links_[(turn_ + before_it) % links_.size()];
    link.own.push_back(link.counters.frames_sent + link.given_up + link.layer->waiting() + before_it / links_.size());
    send_udp(d.to, d.from_port, d.to_port, d.data, now, d.in_fragments);
  }
}

void Peer::send_frame(const MacAddress& to, unsigned type, ByteView payload, Time now) {
  Bytes frame;
  frame.reserve(ethernet_header + payload.size());
  put(frame, to);
  put(frame, config_.mac);
  put16(frame, type);
  put(frame, payload);
  Link& link = *links_[turn_];
  turn_ = (turn_ + 1) % links_.size();
  link.layer->send(frame, now);
}

void Peer::frame_sent(Link& link, const LinkOutcome& outcome, Time now) {
  bool own_room = false;
  counters_.failed_attempts += outcome.failed_attempts;
  if (!link.own.empty() && link.own.front() == link.counters.frames_sent + link.given_up) {
    link.own.pop_front();
    for (const auto& service : services_.all())
      if (service->used()) service->own_sent(outcome.sent, now);
    own_room = true;
  }
  if (outcome.sent) {
    ++link.counters.frames_sent;
    ++counters_.frames_sent;
    counters_.bytes_sent += outcome.bytes;
  } else {
    ++link.given_up;
    ++counters_.dropped;
    trace_(TraceCategory::peer, now, "peer", "a frame was lost after {} failed attempts", outcome.failed_attempts);
  }
  // For a service that sends as fast as its frames leave.
  const auto waits = [now](const auto& service) { return service->due() <= now; };
  if (own_room && std::any_of(services_.all().begin(), services_.all().end(), waits)) set_tick();
}

// ---- ARP (RFC 826) ----

void Peer::receive_arp(ByteView p, Time now) {
  if (p.size() < arp_bytes) return;
  // Beyond a bridge the medium may be of another kind: a station on Ethernet asks with its own hardware type and is
  // answered with the same.
  const unsigned hardware = get16(p, 0);
  if ((hardware != links_.front()->layer->arp_hardware() && hardware != arp_ethernet) || get16(p, 2) != ethertype_ip ||
      p[4] != 6 || p[5] != 4)
    return;
  const unsigned operation = get16(p, 6);
  const MacAddress sender = mac_at(p, 8);
  const Ipv4 sender_ip = get32(p, 14);
  const bool for_us = get32(p, 24) == config_.address;
  const auto known =
      std::find_if(neighbours_.begin(), neighbours_.end(), [&](const auto& n) { return n.first == sender_ip; });
  if (known != neighbours_.end())
    known->second = sender;
  else if (for_us && neighbours_.size() < max_neighbours)
    neighbours_.emplace_back(sender_ip, sender);
  if (!for_us) return;
  if (operation == 1) send_arp(hardware, 2, sender, sender, sender_ip, now);
  auto waiting = std::move(unresolved_);
  unresolved_.clear();
  for (auto& [ip, packet] : waiting) {
    if (ip == sender_ip)
      send_frame(sender, ethertype_ip, packet, now);
    else
      unresolved_.emplace_back(ip, std::move(packet));
  }
}

void Peer::send_arp(unsigned hardware, unsigned operation, const MacAddress& to, const MacAddress& target_mac,
                    Ipv4 target, Time now) {
  Bytes p;
  put16(p, hardware);
  put16(p, ethertype_ip);
  p.push_back(6);
  p.push_back(4);
  put16(p, operation);
  put(p, config_.mac);
  put32(p, config_.address);
  put(p, target_mac);
  put32(p, target);
  send_frame(to, ethertype_arp, p, now);
}

// ---- IP ----

void Peer::receive_ip(ByteView p, ByteView frame, Time now) {
  if (p.size() < ip_header) {
    ++counters_.malformed;
    return;
  }
  const std::size_t header = (p[0] & 15u) * 4;
  const std::size_t total = get16(p, 2);
  if (p[0] >> 4 != 4 || header < ip_header || total < header || total > p.size() ||
      checksum_fold(checksum_add(p.first(header))) != 0) {
    ++counters_.malformed;
    return;
  }
  if (get32(p, 16) != config_.address) return;
  if (Reassembly::is_fragment(frame)) {
    if (const auto whole = reassembly_.take(frame, now))
      receive_ip(ByteView(*whole).subspan(ethernet_header), *whole, now);
    return;
  }
  const Ipv4 from = get32(p, 12);
  const auto packet = p.first(total);
  const auto body = packet.subspan(header);
  switch (p[9]) {
    case protocol_icmp: receive_icmp(from, body, now); break;
    case protocol_tcp: receive_tcp(from, body, frame, now); break;
    case protocol_udp: receive_udp(from, packet, header, now); break;
    default: break;
  }
}

void Peer::count_overtaken(ByteView packet) {
  if (packet.size() < ip_header) return;
  const Ipv4 from = get32(packet, 12);
  const auto id = static_cast<std::uint16_t>(get16(packet, 4));
  const auto known = std::find_if(latest_id_.begin(), latest_id_.end(), [&](const auto& l) { return l.first == from; });
  if (known == latest_id_.end()) {
    if (latest_id_.size() < max_neighbours) latest_id_.emplace_back(from, id);
    return;
  }
  if (static_cast<std::int16_t>(id - known->second) < 0)
    ++overtaken_;
  else
    known->second = id;
}

void Peer::receive_icmp(Ipv4 from, ByteView message, Time now) {
  if (message.size() < 8 || checksum_fold(checksum_add(message)) != 0) {
    ++counters_.malformed;
    return;
  }
  if (message[0] != 8) return;
  Bytes reply(message.begin(), message.end());
  reply[0] = 0;
  set16(reply, 2, 0);
  set16(reply, 2, checksum_fold(checksum_add(reply)));
  send_ip(from, protocol_icmp, reply, now);
}

void Peer::receive_tcp(Ipv4 from, ByteView p, ByteView frame, Time now) {
  const std::size_t header = p.size() < 20 ? 0 : (p[12] >> 4) * 4u;
  if (header < 20 || header > p.size() ||
      checksum_fold(checksum_add(p, checksum_pseudo(from, config_.address, protocol_tcp, p.size()))) != 0) {
    ++counters_.malformed;
    return;
  }
  TcpSegment s;
  s.from = from;
  s.source = get16(p, 0);
  s.destination = get16(p, 2);
  s.seq = get32(p, 4);
  s.ack = get32(p, 8);
  s.flags = p[13];
  s.window = get16(p, 14);
  s.options = p.subspan(20, header - 20);
  s.data = p.subspan(header);
  s.length = static_cast<std::uint32_t>(s.data.size());
  s.frame_bytes = static_cast<std::uint32_t>(frame.size());
  trace_(TraceCategory::peer, now, "peer", "tcp {} > {} flags {:02X} seq {} ack {} length {} window {}", s.source,
         s.destination, s.flags, s.seq, s.ack, s.length, s.window);
  tcp_.receive(s, now);
}

void Peer::receive_udp(Ipv4 from, ByteView packet, std::size_t header, Time now) {
  const auto p = packet.subspan(header);
  const std::size_t length = p.size() < udp_header ? 0 : get16(p, 4);
  if (length < udp_header || length > p.size() ||
      (get16(p, 6) && checksum_fold(checksum_add(p.first(length),
                                                 checksum_pseudo(from, config_.address, protocol_udp, length))) != 0)) {
    ++counters_.malformed;
    return;
  }
  const std::uint16_t source = get16(p, 0), port = get16(p, 2);
  trace_(TraceCategory::peer, now, "peer", "udp {} > {} length {}", source, port, length - udp_header);
  if (Service* service = services_.find(Transport::udp, port); service && service->bound(port)) {
    if (const auto answer = service->datagram({from, source}, port, p.subspan(udp_header, length - udp_header), now))
      send_udp(from, port, source, *answer, now);
    return;
  }
  Bytes unreachable{3, 3, 0, 0, 0, 0, 0, 0};  // port unreachable, with the first bytes of the datagram (RFC 792)
  put(unreachable, packet.first(std::min(packet.size(), header + 8)));
  set16(unreachable, 2, checksum_fold(checksum_add(unreachable)));
  send_ip(from, protocol_icmp, unreachable, now);
}

void Peer::send_udp(Ipv4 to, std::uint16_t port, std::uint16_t to_port, ByteView data, Time now, bool last_first) {
  Bytes p;
  p.reserve(udp_header + data.size());
  put16(p, port);
  put16(p, to_port);
  put16(p, static_cast<std::uint32_t>(udp_header + data.size()));
  put16(p, 0);
  put(p, data);
  const std::uint16_t sum =
      checksum_fold(checksum_add(p, checksum_pseudo(config_.address, to, protocol_udp, p.size())));
  set16(p, 6, sum ? sum : 0xFFFF);  // 0 means no checksum
  send_ip(to, protocol_udp, p, now, last_first);
}

void Peer::send_tcp(Ipv4 to, Bytes segment, Time now) {
  set16(segment, 16,
        checksum_fold(checksum_add(segment, checksum_pseudo(config_.address, to, protocol_tcp, segment.size()))));
  send_ip(to, protocol_tcp, segment, now);
}

void Peer::send_ip(Ipv4 to, unsigned protocol, ByteView payload, Time now, bool last_first) {
  const std::size_t room = config_.mtu - ip_header, of_fragment = room & ~std::size_t{7};
  const std::uint16_t id = ip_id_++;
  std::vector<std::size_t> offsets{0};  // the last fragment's length need not be a multiple of 8
  while (payload.size() - offsets.back() > room) offsets.push_back(offsets.back() + of_fragment);
  const std::size_t last = offsets.back();
  if (last_first) std::reverse(offsets.begin(), offsets.end());
  for (const std::size_t at : offsets) {
    const bool more = at != last;
    const std::size_t bytes = more ? of_fragment : payload.size() - at;
    Bytes p;
    p.reserve(ip_header + bytes);
    p = {0x45, 0};
    put16(p, static_cast<std::uint32_t>(ip_header + bytes));
    put16(p, id);
    // path MTU discovery: TCP packets must not be fragmented
    put16(p, (protocol == protocol_tcp ? 0x4000u : 0u) | (more ? 0x2000u : 0u) | static_cast<std::uint32_t>(at / 8));
    p.push_back(64);
    p.push_back(static_cast<std::uint8_t>(protocol));
    put16(p, 0);
    put32(p, config_.address);
    put32(p, to);
    set16(p, 10, checksum_fold(checksum_add(p)));
    put(p, payload.subspan(at, bytes));
    send_packet(to, std::move(p), now);
  }
}

void Peer::send_packet(Ipv4 to, Bytes p, Time now) {
  for (const auto& [ip, mac] : neighbours_) {
    if (ip != to) continue;
    send_frame(mac, ethertype_ip, p, now);
    return;
  }
  if (unresolved_.size() >= max_unresolved) unresolved_.erase(unresolved_.begin());
  unresolved_.emplace_back(to, std::move(p));
  send_arp(links_.front()->layer->arp_hardware(), 1, broadcast_mac, {}, to, now);
}

Description Peer::describe() const {
  Description d(config_.name);
  d.text("address", fmt::format("{}, {}", format_ipv4(config_.address), format_mac(config_.mac)));
  d.number("frames sent", counters_.frames_sent).number("frames received", counters_.frames_received);
  d.number("connections", tcp_.counters().connections);
  d.number("bytes received", tcp_.counters().bytes).number("bytes sent", tcp_.counters().bytes_out);
  d.number("retransmitted", tcp_.counters().retransmitted);
  for (std::size_t n = 0; links_.size() > 1 && n < links_.size(); ++n)
    d.number(fmt::format("port {} frames sent", n + 1), links_[n]->counters.frames_sent)
        .number(fmt::format("port {} frames received", n + 1), links_[n]->counters.frames_received);
  if (links_.size() > 1) d.number("packets overtaken", overtaken_);
  d.number("damaged", counters_.damaged).number("malformed", counters_.malformed).number("dropped", counters_.dropped);
  return d;
}

void Peer::archive_used(Archive& a) {
  for (const auto& link : links_) a(link->own);
  for (const auto& service : services_.all()) {
    bool used = service->used();
    a(used);
    if (used) service->archive_used(a);
  }
}

// The data of further ports is stored after that of the first.
void Peer::archive_links(Archive& a) {
  for (const auto& link : links_) link->layer->archive(a);
  if (links_.size() == 1) {
    links_.front()->counters = {counters_.frames_sent, counters_.frames_received};
    links_.front()->given_up = counters_.dropped;
    return;
  }
  for (const auto& link : links_) a(link->counters, link->given_up);
  auto turn = static_cast<std::uint64_t>(turn_);
  a(turn, overtaken_, latest_id_);
  turn_ = static_cast<std::size_t>(turn % links_.size());
}

void Peer::archive(Archive& a) {
  a.section("peer", 1);
  a(counters_.frames_sent, counters_.frames_received, counters_.bytes_sent, counters_.bytes_received, counters_.damaged,
    counters_.malformed, counters_.failed_attempts, counters_.dropped);
  a(arrived_);
  for (const auto& link : links_) link->layer->archive_waiting(a);
  // Pending fragments are stored among the waiting packets, under address 0.0.0.0, each as its datagram's start time
  // and its frame: without any, the stream is the same as before fragments were supported. The same applies to services
  // that send on their own initiative, under address 0.0.0.1.
  constexpr Ipv4 nobody = 0, used_services = 1;
  if (a.saving()) {
    auto waiting = unresolved_;
    for (auto& fragment : reassembly_.kept()) {
      Archive one = Archive::saver();
      fragment.archive(one);
      waiting.emplace_back(nobody, one.stream());
    }
    const auto& all = services_.all();
    if (std::any_of(all.begin(), all.end(), [](const auto& s) { return s->used(); })) {
      Archive one = Archive::saver();
      archive_used(one);
      waiting.emplace_back(used_services, one.stream());
    }
    a(neighbours_, waiting, ip_id_);
  } else {
    a(neighbours_, unresolved_, ip_id_);
    reassembly_ = {};
    for (const auto& link : links_) link->own.clear();
    for (const auto& service : services_.all()) service->forget();
    for (const auto& [to, bytes] : unresolved_) {
      if (to == used_services) {
        Archive one = Archive::loader(bytes);
        archive_used(one);
      }
      if (to != nobody) continue;
      Reassembly::Kept fragment;
      Archive one = Archive::loader(bytes);
      fragment.archive(one);
      if (Reassembly::is_fragment(fragment.frame)) reassembly_.take(fragment.frame, fragment.begun);
    }
    std::erase_if(unresolved_, [](const auto& packet) { return packet.first <= used_services; });
  }
  services_.archive(a);
  tcp_.archive(a);
  archive_links(a);
  process_.archive(a);
  tick_.archive(a);
  if (a.loading() && arrived_.empty()) process_.cancel();  // a damaged snapshot
}

}  // namespace planar::net
