// SPDX-License-Identifier: GPL-2.0-or-later
// The peer's TCP as a sender: data from the services, within the windows, and recovery from loss. Sources as in
// peer_tcp.hpp.
#include <algorithm>

#include "devices/stations/peer/peer_tcp.hpp"

namespace planar::net {
namespace {
constexpr std::uint8_t flag_psh = 0x08, flag_ack = 0x10;
constexpr std::uint32_t fast_retransmit = 3;  // duplicates
}  // namespace

// The acknowledgement number has been accepted; this applies it to the data in flight.
void TcpServer::take_window(Connection& c, const TcpSegment& s, std::optional<std::uint32_t> echo, Time now) {
  Sender& w = c.sender;
  const std::uint32_t window = std::min(std::uint32_t{s.window} << w.scale, PeerTcp::longest_window);
  bool update = false;
  if (after(s.seq, w.wl1) || (s.seq == w.wl1 && (after(s.ack, w.wl2) || (s.ack == w.wl2 && window > w.window)))) {
    update = window != w.window;
    w.window = window;
    w.wl1 = s.seq;
    w.wl2 = s.ack;
  }
  if (w.sent.empty()) {
    if (update) c.retransmit_at.reset();  // a probe was answered
    return;
  }
  if (!after(c.snd_una, w.sent.front().seq)) {
    if (s.ack == c.snd_una && s.length == 0 && !update) duplicate_ack(c, now);
    return;
  }
  acknowledged(c, echo, now);
}

void TcpServer::acknowledged(Connection& c, std::optional<std::uint32_t> echo, Time now) {
  Sender& w = c.sender;
  std::uint32_t ticks = 0;
  while (!w.sent.empty() && !after(w.sent.front().end_seq(), c.snd_una)) {
    ticks = jiffies(now) - w.sent.front().when;
    w.sent.pop_front();
    if (w.sent_again) --w.sent_again;
  }
  // clang-format off
  if (echo) estimate_round_trip(w, jiffies(now) - *echo);
  else if (!w.recovering) estimate_round_trip(w, ticks);
  c.retries = 0;
  if (w.sent.empty()) c.retransmit_at.reset();
  else c.retransmit_at = jiffies(now) + w.rto;
  if (!w.recovering || w.timed_out) {
    if (w.cwnd <= w.ssthresh) ++w.cwnd;
    // clang-format on
    else if (++w.cwnd_count > w.cwnd) {
      ++w.cwnd;
      w.cwnd_count = 0;
    }
  }
  if (!w.recovering) {
    w.duplicate_acks = 0;
    return;
  }
  if (!before(c.snd_una, w.high_seq)) {
    if (!w.timed_out) w.cwnd = w.ssthresh;
    w.recovering = w.timed_out = false;
    w.duplicate_acks = w.sent_again = 0;
  } else if (w.timed_out) {
    send_all_again(c, now);
  } else if (!w.sent.empty()) {
    send_again(c, 0, now);  // the next hole
  }
}

void TcpServer::duplicate_ack(Connection& c, Time now) {
  Sender& w = c.sender;
  ++w.duplicate_acks;
  if (w.recovering) {
    if (!w.timed_out) ++w.cwnd;
    return;
  }
  if (w.duplicate_acks < fast_retransmit) return;
  lower_threshold(w);
  w.cwnd = w.ssthresh + fast_retransmit;
  w.recovering = true;
  w.high_seq = c.snd_nxt;
  send_again(c, 0, now);
  c.retransmit_at = jiffies(now) + w.rto;
}

void TcpServer::lower_threshold(Sender& w) {
  w.ssthresh =
      std::max<std::uint32_t>(std::min<std::uint32_t>(w.cwnd, static_cast<std::uint32_t>(w.sent.size())) / 2, 2);
}

void TcpServer::estimate_round_trip(Sender& w, std::uint32_t ticks) {
  auto m = static_cast<std::int32_t>(std::clamp<std::uint32_t>(ticks, 1, PeerTcp::max_rto));
  if (w.srtt) {
    m -= static_cast<std::int32_t>(w.srtt >> 3);
    w.srtt += static_cast<std::uint32_t>(m);
    w.mdev += static_cast<std::uint32_t>((m < 0 ? -m : m) - static_cast<std::int32_t>(w.mdev >> 2));
  } else {
    w.srtt = static_cast<std::uint32_t>(m) << 3;
    w.mdev = static_cast<std::uint32_t>(m) << 2;
  }
  const std::uint32_t rto = (w.srtt >> 3) + std::max(PeerTcp::min_rto, w.mdev);
  w.rto = std::clamp(rto + (rto >> 2), PeerTcp::min_rto, PeerTcp::max_rto);
}

// Nagle as in 2.2: less than half a segment waits while data is in flight.
bool TcpServer::may_send(const Connection& c, std::uint32_t size) {
  const Sender& w = c.sender;
  if (size == 0 || w.sent.size() >= w.cwnd || w.timed_out) return false;
  if (!w.sent.empty() && size < c.mss_cache / 2) return false;
  return !after(c.snd_nxt + size, c.snd_una + w.window);
}

// What a segment may carry now: the SACK blocks reduce its room (2.2's tcp_current_mss).
std::uint32_t TcpServer::current_mss(const Connection& c) {
  return std::max(c.mss_cache, sack_bytes(c) + PeerTcp::shortest_segment) - sack_bytes(c);
}

void TcpServer::fill_window(Connection& c, Time now) {
  Sender& w = c.sender;
  const std::uint32_t mss = current_mss(c);
  for (;;) {
    while (w.next.size() < mss) {
      const std::size_t n = c.conversation->to_send(mss - w.next.size(), now);
      if (!n) break;
      w.next.resize(w.next.size() + n);
      c.conversation->take(std::span(w.next).last(n));
    }
    auto size = std::min(static_cast<std::uint32_t>(w.next.size()), mss);  // filled before the blocks were added
    if (w.sent.empty() && w.window) size = std::min(size, w.window);  // the whole window may be less than a segment
    if (!may_send(c, size)) break;
    Bytes rest(w.next.begin() + size, w.next.end());
    w.next.resize(size);
    const bool last = rest.empty() && c.conversation->to_send(1, now) == 0;
    w.sent.push_back({c.snd_nxt, std::move(w.next), jiffies(now)});
    w.next = std::move(rest);
    c.snd_nxt = w.sent.back().end_seq();
    counters_.bytes_out += w.sent.back().data.size();
    send_segment(c, static_cast<std::uint8_t>(flag_ack | (last ? flag_psh : 0)), w.sent.back().seq, now,
                 w.sent.back().data);
    if (!c.retransmit_at) c.retransmit_at = jiffies(now) + w.rto;
  }
  if (w.sent.empty() && !w.next.empty() && !c.retransmit_at)
    c.retransmit_at = jiffies(now) + w.rto;  // probe the window
}

void TcpServer::send_again(Connection& c, std::size_t index, Time now) {
  auto& sent = c.sender.sent;
  if (const std::uint32_t mss = current_mss(c); sent[index].data.size() > mss) {
    Sent rest = sent[index];
    rest.seq += mss;
    rest.data.erase(rest.data.begin(), rest.data.begin() + mss);
    sent[index].data.resize(mss);
    sent.insert(sent.begin() + static_cast<std::ptrdiff_t>(index) + 1, std::move(rest));
  }
  Sent& s = sent[index];
  s.when = jiffies(now);
  ++counters_.retransmitted;
  send_segment(c, flag_ack, s.seq, now, s.data);
}

void TcpServer::send_all_again(Connection& c, Time now) {
  Sender& w = c.sender;
  while (w.sent_again < w.cwnd && w.sent_again < w.sent.size()) send_again(c, w.sent_again++, now);
}

void TcpServer::data_timer(Connection& c, Time now) {
  Sender& w = c.sender;
  if (++c.retries > PeerTcp::fin_retries) {
    c.state = State::closed;
    return;
  }
  w.rto = std::min(w.rto << 1, PeerTcp::max_rto);
  c.retransmit_at = jiffies(now) + w.rto;
  if (w.sent.empty()) {
    if (!w.next.empty())
      send_segment(c, flag_ack, c.snd_una - 1, now);  // an old sequence number makes the client answer
    else
      c.retransmit_at.reset();
    return;
  }
  if (!w.timed_out) lower_threshold(w);
  w.cwnd = 1;
  w.cwnd_count = w.sent_again = w.duplicate_acks = 0;
  w.recovering = w.timed_out = true;
  w.high_seq = c.snd_nxt;
  send_all_again(c, now);
}

void TcpServer::Sender::archive(Archive& a) {
  a(window, wl1, wl2, scale, cwnd, cwnd_count, ssthresh, srtt, mdev, rto, duplicate_acks, recovering, timed_out,
    high_seq, sent_again, sent, next);
}

}  // namespace planar::net
