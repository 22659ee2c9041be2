// SPDX-License-Identifier: GPL-2.0-or-later
// The peer's TCP: connections, acknowledgement, and what the services read.
#include "devices/stations/peer/peer_tcp.hpp"

#include <algorithm>

namespace planar::net {
namespace {

constexpr std::uint32_t boot_jiffies = 100'000;     // the server has been up for a while: timestamps do not start at 0
constexpr std::uint32_t latest_tick = 400'000'000;  // 46 days later
constexpr std::uint32_t paws_limit = PeerTcp::hz * 60 * 60 * 24 * 24;  // 24 days in ticks

}  // namespace

TcpServer::Jiffies TcpServer::jiffies(Time now) const {
  return boot_jiffies - 1 + static_cast<Jiffies>((now + PeerTcp::tick - tick_phase_) / PeerTcp::tick);
}
// A damaged snapshot may contain a tick beyond the range of Time.
Time TcpServer::time_of(Jiffies j) const {
  return tick_phase_ + PeerTcp::tick * static_cast<std::int64_t>(std::min(j - boot_jiffies, latest_tick));
}

TcpServer::Options TcpServer::parse(ByteView o) {
  Options found;
  for (std::size_t i = 0; i < o.size();) {
    if (o[i] == 0) break;
    if (o[i] == 1) {
      ++i;
      continue;
    }
    if (i + 1 >= o.size()) break;
    const std::size_t size = o[i + 1];
    if (size < 2 || i + size > o.size()) break;
    if (o[i] == 2 && size == 4) found.mss = get16(o, i + 2);
    if (o[i] == 3 && size == 3) found.window_scale = o[i + 2];
    if (o[i] == 4 && size == 2) found.sack_permitted = true;
    if (o[i] == 8 && size == 10) found.stamp = {get32(o, i + 2), get32(o, i + 6)};
    i += size;
  }
  return found;
}

TcpServer::Connection* TcpServer::find(const TcpSegment& s) {
  for (Connection& c : connections_)
    if (c.remote == s.from && c.remote_port == s.source && c.local_port == s.destination && c.state != State::closed)
      return &c;
  return nullptr;
}

void TcpServer::receive(const TcpSegment& s, Time now) {
  ++counters_.segments_in;
  Connection* c = find(s);
  if (!c) {
    if (s.has_ack() || !s.syn())
      send_reset(s, now);
    else
      listen(s, now);
  } else if (c->state == State::syn_sent) {
    answered(*c, s, now);
  } else if (c->state != State::syn_received || handshake(*c, s, now)) {
    established(*c, s, now);
  }
  serve(now);
  erase_closed(now);
}

// ---- opening ----

void TcpServer::listen(const TcpSegment& s, Time now) {
  Service* const service = services_.find(Transport::tcp, s.destination);
  if (!service || !service->listens()) {
    send_reset(s, now);
    return;
  }
  if (s.rst() || connections_.size() >= PeerTcp::max_connections) return;
  Connection c;
  c.service = service;
  c.conversation = service->accept(s.destination);
  c.remote = s.from;
  c.remote_port = s.source;
  c.local_port = s.destination;
  c.iss = static_cast<std::uint32_t>(random_.next());
  c.snd_una = c.iss;
  c.snd_nxt = c.iss + 1;
  take_syn(c, s, now);
  c.rcv_wnd = first_window(c);
  c.retransmit_at = jiffies(now) + PeerTcp::initial_rto;
  connections_.push_back(std::move(c));
  send_synack(connections_.back(), now);
}

// Applies the other end's SYN.
void TcpServer::take_syn(Connection& c, const TcpSegment& s, Time now) {
  const Options o = parse(s.options);
  c.irs = s.seq;
  c.rcv_nxt = c.rcv_wup = c.last_ack_sent = s.seq + 1;
  const std::uint32_t theirs = o.mss ? (*o.mss ? *o.mss : 536u) : 536u;
  c.mss_clamp = std::clamp<std::uint32_t>(theirs, 8, mss_);
  c.stamps = o.stamp.has_value();
  c.sack = o.sack_permitted;
  c.scaling = o.window_scale.has_value();
  c.mss_cache = std::max<std::uint32_t>(c.mss_clamp - std::min(c.mss_clamp, c.stamps ? 12u : 0u), 8);
  c.rcv_mss = c.mss_clamp;
  c.sender.window = s.window;
  c.sender.wl1 = s.seq;
  c.sender.scale = std::min(o.window_scale.value_or(0), PeerTcp::largest_scale);
  if (o.stamp) {
    c.ts_recent = o.stamp->first;
    c.ts_recent_at = jiffies(now);
  }
}

// Half the buffer, in whole segments; it never needs scaling, so a scale offered is answered with 0.
std::uint32_t TcpServer::first_window(const Connection& c) const {
  const std::uint32_t space = receive_buffer(c) / 2;
  return std::min(space > c.mss_clamp ? space / c.mss_clamp * c.mss_clamp : space, PeerTcp::max_window);
}

void TcpServer::connect(Service& service, const OwnConnection& wanted, Time now) {
  Connection c;
  c.service = &service;
  c.conversation = service.accept(wanted.from_port);
  if (connections_.size() >= PeerTcp::max_connections) {
    c.conversation->ended(now);
    return;
  }
  c.state = State::syn_sent;
  c.remote = wanted.to;
  c.remote_port = wanted.to_port;
  c.local_port = wanted.from_port;
  c.iss = c.snd_una = static_cast<std::uint32_t>(random_.next());
  c.snd_nxt = c.iss + 1;
  c.mss_clamp = c.mss_cache = mss_;
  c.rcv_wnd = first_window(c);
  c.retransmit_at = jiffies(now) + PeerTcp::initial_rto;
  connections_.push_back(std::move(c));
  send_syn(connections_.back(), now);
}

// The answer to our SYN.
void TcpServer::answered(Connection& c, const TcpSegment& s, Time now) {
  if (s.has_ack() && s.ack != c.snd_nxt) {
    send_reset(s, now);
    return;
  }
  if (s.rst()) {
    if (s.has_ack()) c.state = State::closed;  // refused
    return;
  }
  if (!s.syn() || !s.has_ack()) return;
  take_syn(c, s, now);
  c.state = State::established;
  c.snd_una = c.sender.wl2 = s.ack;
  c.retransmit_at.reset();
  c.retries = 0;
  ++counters_.connections;
  c.conversation->opened(now);
  send_ack(c, now);
}

// True if the segment completes the handshake and needs further processing.
bool TcpServer::handshake(Connection& c, const TcpSegment& s, Time now) {
  if (s.syn() && !s.has_ack()) {
    if (s.seq == c.irs) send_synack(c, now);  // our SYN/ACK was lost
    return false;
  }
  if (s.rst()) {
    if (!before(s.seq, c.irs) && !after(s.seq, c.irs + 1)) c.state = State::closed;
    return false;
  }
  if (!s.has_ack()) return false;
  if (s.ack != c.snd_nxt || before(s.seq, c.irs) || after(s.seq, c.irs + 1 + c.rcv_wnd)) {
    send_reset(s, now);
    return false;
  }
  c.state = State::established;
  c.snd_una = s.ack;
  c.retransmit_at.reset();
  c.retries = 0;
  ++counters_.connections;
  return true;
}

// ---- established ----

void TcpServer::established(Connection& c, const TcpSegment& s, Time now) {
  const Options o = parse(s.options);
  if (c.stamps && o.stamp) {
    const std::uint32_t stamp = o.stamp->first;
    const bool old = before(stamp, c.ts_recent);
    if (old && jiffies(now) - c.ts_recent_at < paws_limit && s.length > 0) {
      if (!s.rst()) send_ack(c, now);
      return;
    }
    if (!old && !after(s.seq, c.last_ack_sent) && !before(s.end_seq(), c.rcv_nxt)) {
      c.ts_recent = stamp;
      c.ts_recent_at = jiffies(now);
    }
  }
  const bool repeated_fin = s.fin() && s.end_seq() == c.rcv_nxt;
  if ((before(s.end_seq(), c.last_ack_sent) || after(s.seq, c.rcv_nxt + window_left(c))) && !repeated_fin) {
    if (!s.rst()) send_ack(c, now);
    return;
  }
  if (s.syn() && s.seq != c.irs) {
    c.state = State::closed;
    send_reset(s, now);
    return;
  }
  if (s.rst()) {
    c.state = State::closed;
    ++counters_.resets;
    return;
  }
  if (s.has_ack()) {
    if (!take_ack(c, s, now)) return;
    take_window(c, s, c.stamps && o.stamp ? std::optional(o.stamp->second) : std::nullopt, now);
    if (c.state == State::leaving) leaving_acknowledged(c, now);
  }
  if (s.end_seq() != s.seq) take_data(c, s, now);
  measure_mss(c, s.length);
  if (c.delayed_acks && c.state != State::closed) check_ack(c, now);
}

// False if the connection has ended.
bool TcpServer::take_ack(Connection& c, const TcpSegment& s, Time now) {
  if (after(s.ack, c.snd_nxt) || before(s.ack, c.snd_una)) return true;
  if (s.length && acknowledge_ == AckRule::by_estimate) estimate_delay(c, now);
  c.snd_una = s.ack;
  if (c.snd_una == c.snd_nxt && c.state == State::last_ack) c.retransmit_at.reset();
  if (c.state == State::last_ack && c.snd_una == c.snd_nxt) {
    c.state = State::closed;
    return false;
  }
  return true;
}

// The first data segment enters quick-ack mode; any later one leaves it.
void TcpServer::estimate_delay(Connection& c, Time now) {
  const Jiffies j = jiffies(now);
  if (c.ato == 0) {
    c.ato = 1;
    c.quick = true;
  } else {
    const Jiffies gap = std::max<Jiffies>(j - c.last_receive, 1);
    c.ato = gap > PeerTcp::initial_rto ? PeerTcp::initial_rto : c.ato / 2 + gap;
    c.quick = false;
  }
  c.last_receive = j;
}

void TcpServer::measure_mss(Connection& c, std::uint32_t length) {
  c.rcv_mss = std::max(c.rcv_mss, length);
  const std::uint32_t last = c.last_seg_size;
  c.last_seg_size = 0;
  if (length >= 536) {
    if (length == last) c.rcv_mss = length;
    c.last_seg_size = length;
  }
}

void TcpServer::take_data(Connection& c, const TcpSegment& s, Time now) {
  if (c.fin_received) {
    if (before(s.seq, c.rcv_nxt)) {  // the client's FIN again, or data before it
      c.quick = true;
      ++c.delayed_acks;
      ++counters_.duplicates;
    }
    return;
  }
  if (!after(s.end_seq(), c.rcv_nxt)) {
    c.quick = true;
    ++c.delayed_acks;
    ++counters_.duplicates;
    return;
  }
  if (!after(s.seq, c.rcv_nxt)) {
    if (window_left(c) == 0) {
      c.quick = true;
      ++c.delayed_acks;
      return;
    }
    take_in_order(c, held(s), now);
    if (!s.fin()) {
      ++c.delayed_acks;
      if (s.psh() && s.length < c.mss_cache / 2) c.ato = std::min<Jiffies>(c.ato, PeerTcp::hz / 50);
    }
    while (!c.held.empty() && !after(c.held.front().seq, c.rcv_nxt)) {
      const Held h = std::move(c.held.front());
      c.held.erase(c.held.begin());
      c.receive_memory -= h.truesize;
      if (after(h.end_seq, c.rcv_nxt)) take_in_order(c, h, now);
    }
    trim_sacks(c);
    return;
  }
  c.quick = true;
  ++c.delayed_acks;
  if (before(s.seq, c.rcv_nxt + window_left(c))) hold(c, s);
}

TcpServer::Held TcpServer::held(const TcpSegment& s) {
  return {s.seq, s.end_seq(), PeerTcp::truesize(s.frame_bytes), s.fin(), Bytes(s.data.begin(), s.data.end())};
}

void TcpServer::take_in_order(Connection& c, const Held& h, Time now) {
  const ByteView fresh = ByteView(h.data).subspan(std::min<std::size_t>(c.rcv_nxt - h.seq, h.data.size()));
  c.unread.push_back({Bytes(fresh.begin(), fresh.end()), h.truesize});
  c.receive_memory += h.truesize;
  c.rcv_nxt = h.end_seq;
  if (!h.fin) return;
  c.fin_received = true;
  if (c.state == State::leaving) {  // both ends have closed
    c.conversation->ended(now);
    send_ack(c, now);
    c.state = c.snd_una == c.snd_nxt ? State::closed : State::last_ack;
    return;
  }
  c.state = State::close_wait;
  send_ack(c, now);
}

void TcpServer::hold(Connection& c, const TcpSegment& s) {
  ++counters_.out_of_order;
  Held h = held(s);
  auto place = c.held.begin();
  while (place != c.held.end() && before(place->seq, h.seq)) ++place;
  if (place != c.held.end() && place->seq == h.seq) {
    if (!after(h.end_seq, place->end_seq)) return;
    c.receive_memory -= place->truesize;
    c.receive_memory += h.truesize;
    *place = std::move(h);
  } else {
    c.receive_memory += h.truesize;
    c.held.insert(place, std::move(h));
  }
  if (c.sack) add_sack(c, s.seq, s.end_seq());
}

// RFC 2018: the block that holds the latest segment comes first.
void TcpServer::add_sack(Connection& c, std::uint32_t seq, std::uint32_t end_seq) {
  auto& blocks = c.sack_blocks;
  for (auto b = blocks.begin(); b != blocks.end();) {
    if (after(b->first, end_seq) || before(b->second, seq)) {
      ++b;
      continue;
    }
    if (before(b->first, seq)) seq = b->first;
    if (after(b->second, end_seq)) end_seq = b->second;
    b = blocks.erase(b);
  }
  blocks.insert(blocks.begin(), {seq, end_seq});
  blocks.resize(std::min<std::size_t>(blocks.size(), c.stamps ? 3 : 4));
}

void TcpServer::trim_sacks(Connection& c) {
  std::erase_if(c.sack_blocks, [&](const auto& b) { return !after(b.second, c.rcv_nxt); });
}

void TcpServer::check_ack(Connection& c, Time now) {
  const bool raise_window = window_wanted(c) > window_left(c) * 2;
  const bool by_count = acknowledge_ == AckRule::every_second_segment;
  const bool enough = by_count ? c.delayed_acks >= 2 : c.rcv_nxt - c.rcv_wup >= c.rcv_mss * 2;
  if (enough || raise_window || c.quick || !c.held.empty()) {
    ++counters_.acks_now;
    send_ack(c, now);
    return;
  }
  const Jiffies at = jiffies(now) + (by_count ? PeerTcp::windows_delay : std::min<Jiffies>(c.ato, PeerTcp::max_delay));
  if (!c.ack_at || before(at, *c.ack_at)) c.ack_at = at;
}

// ---- the services: they read data at once, and close at end of file ----

void TcpServer::serve(Time now) {
  std::vector<const Service*> busy;  // iterative services in use by another connection
  for (Connection& c : connections_) {
    if (c.state != State::established && c.state != State::close_wait) continue;
    if (std::find(busy.begin(), busy.end(), c.service) != busy.end()) continue;
    read(c, now);
    if (!c.fin_received || owes_data(c, now)) {
      fill_window(c, now);
      if (c.service->iterative()) busy.push_back(c.service);
      if (c.state == State::established && c.conversation->leaving()) leave(c, now);
    } else {
      close(c, now);
    }
  }
}

void TcpServer::read(Connection& c, Time now) {
  bool read = false;
  while (!c.unread.empty() && c.conversation->reading()) {
    counters_.bytes += c.unread.front().data.size();
    c.conversation->receive(c.unread.front().data, now);
    c.receive_memory -= c.unread.front().truesize;
    c.unread.pop_front();
    read = true;
  }
  if (!read) return;
  const std::uint32_t left = window_left(c);
  const std::uint32_t wanted = window_wanted(c);
  if (wanted && wanted >= left * 2 && left + c.mss_cache <= c.window_clamp) send_ack(c, now);
}

// The client has closed its direction and still expects data.
bool TcpServer::owes_data(Connection& c, Time now) {
  if (!c.conversation->sends_after_end()) return false;
  return !c.unread.empty() || !c.sender.sent.empty() || !c.sender.next.empty() || c.conversation->to_send(1, now) > 0;
}

void TcpServer::close(Connection& c, Time now) {
  c.conversation->ended(now);
  c.sender = {};
  c.state = State::last_ack;
  send_segment(c, 0x11, c.snd_nxt, now);
  ++c.snd_nxt;
  c.retransmit_at = jiffies(now) + PeerTcp::initial_rto;
  c.retries = 0;
}

// Our FIN is sent after all data; unacknowledged data may still have to be sent again.
void TcpServer::leave(Connection& c, Time now) {
  if (!c.sender.next.empty() || c.conversation->to_send(1, now) > 0) return;
  c.state = State::leaving;
  send_segment(c, 0x11, c.snd_nxt, now);
  ++c.snd_nxt;
  if (!c.retransmit_at) c.retransmit_at = jiffies(now) + c.sender.rto;
}

void TcpServer::leaving_acknowledged(Connection& c, Time now) {
  if (c.snd_una == c.snd_nxt) {
    c.retries = 0;
    c.retransmit_at = jiffies(now) + PeerTcp::fin_timeout;
  } else if (!c.retransmit_at) {  // the data has arrived, but not yet our FIN
    c.retransmit_at = jiffies(now) + c.sender.rto;
  }
}

void TcpServer::erase_closed(Time now) {
  std::erase_if(connections_, [now](const Connection& c) {
    if (c.state != State::closed) return false;
    if (!c.fin_received) c.conversation->ended(now);  // otherwise close() has done so
    return true;
  });
}

// ---- timers ----

Time TcpServer::next_timer() const {
  std::optional<Jiffies> first;
  Time due = Time::never();
  const auto consider = [&](const std::optional<Jiffies>& at) {
    if (at && (!first || before(*at, *first))) first = at;
  };
  for (const Connection& c : connections_) {
    consider(c.ack_at);
    consider(c.retransmit_at);
    due = std::min(due, c.conversation->due());
  }
  return std::min(due, first ? time_of(*first) : Time::never());
}

void TcpServer::run_timers(Time now) {
  const Jiffies j = jiffies(now);
  for (Connection& c : connections_) {
    if (c.ack_at && !after(*c.ack_at, j)) {
      c.ack_at.reset();
      if (c.delayed_acks) {
        ++counters_.acks_delayed;
        send_ack(c, now);
      }
    }
    if (!c.retransmit_at || after(*c.retransmit_at, j)) continue;
    if (c.state == State::established || c.state == State::close_wait) {
      data_timer(c, now);
      continue;
    }
    if (c.state == State::leaving && c.snd_una == c.snd_nxt) {  // the client has never closed its direction
      c.state = State::closed;
      continue;
    }
    if (c.state == State::leaving && !c.sender.sent.empty()) {
      data_timer(c, now);
      continue;
    }
    const bool opening = c.state == State::syn_received || c.state == State::syn_sent;
    const unsigned limit = opening ? PeerTcp::synack_retries : PeerTcp::fin_retries;
    if (++c.retries > limit) {
      c.state = State::closed;
      continue;
    }
    c.retransmit_at = j + std::min<Jiffies>(PeerTcp::initial_rto << std::min(c.retries, 6u), 120 * PeerTcp::hz);
    if (c.state == State::syn_received)
      send_synack(c, now);
    else if (c.state == State::syn_sent)
      send_syn(c, now);
    else
      send_segment(c, 0x11, c.snd_nxt - 1, now);
  }
  erase_closed(now);
  serve(now);
}

}  // namespace planar::net
