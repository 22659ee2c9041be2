// SPDX-License-Identifier: GPL-2.0-or-later
// The peer's TCP: windows and outgoing segments.
#include <fmt/format.h>

#include <algorithm>

#include "devices/stations/peer/peer_tcp.hpp"

namespace planar::net {
namespace {

constexpr std::uint8_t flag_syn = 0x02, flag_rst = 0x04, flag_ack = 0x10;
constexpr std::uint32_t most_memory = 1 << 28;  // bytes held by a sound connection

// Header without options; the data offset is set when the options are complete.
Bytes header(std::uint16_t from, std::uint16_t to, std::uint32_t seq, std::uint32_t ack, std::uint8_t flags,
             std::uint32_t window) {
  Bytes b;
  put16(b, from);
  put16(b, to);
  put32(b, seq);
  put32(b, ack);
  b.push_back(0x50);
  b.push_back(flags);
  put16(b, window);
  put32(b, 0);  // checksum, urgent pointer
  return b;
}

void close_options(Bytes& b) { b[12] = static_cast<std::uint8_t>(b.size() / 4 << 4); }

}  // namespace

std::uint32_t TcpServer::window_left(const Connection& c) {
  const auto left = static_cast<std::int32_t>(c.rcv_wup + c.rcv_wnd - c.rcv_nxt);
  return left < 0 ? 0 : static_cast<std::uint32_t>(left);
}

std::uint32_t TcpServer::receive_buffer(const Connection& c) const {
  const std::uint32_t own = c.conversation ? c.conversation->receive_buffer() : 0;
  return own ? own : receive_buffer_;
}

// A multiple of the segment size; the present window is kept while it is within one segment of the free space.
std::uint32_t TcpServer::window_wanted(const Connection& c) const {
  const auto buffer = static_cast<std::int32_t>(receive_buffer(c));
  const auto mss = static_cast<std::int32_t>(std::min(c.mss_cache, c.window_clamp));
  const std::int32_t free =
      std::min((buffer - static_cast<std::int32_t>(c.receive_memory)) / 2, static_cast<std::int32_t>(c.window_clamp));
  if (free < buffer / 4 && free < mss / 2) return 0;
  const auto offered = static_cast<std::int32_t>(c.rcv_wnd);
  if (offered <= free - mss || offered > free) return static_cast<std::uint32_t>(free / mss * mss);
  return c.rcv_wnd;
}

std::uint32_t TcpServer::select_window(Connection& c) {
  const std::uint32_t left = window_left(c);
  const std::uint32_t wanted = window_wanted(c);
  if (wanted < left) return left;  // never shrunk
  c.rcv_wnd = wanted;
  c.rcv_wup = c.rcv_nxt;
  return wanted;
}

void TcpServer::send_syn(Connection& c, Time now) {
  Bytes b = header(c.local_port, c.remote_port, c.iss, 0, flag_syn, c.rcv_wnd);
  put32(b, 0x02040000 | c.mss_clamp);
  put32(b, 0x0402080A);
  put32(b, jiffies(now));
  put32(b, 0);
  put32(b, 0x01030300 | c.rcv_wscale);
  close_options(b);
  ++counters_.segments_out;
  output_.send_tcp(c.remote, std::move(b), now);
}

void TcpServer::send_synack(Connection& c, Time now) {
  Bytes b = header(c.local_port, c.remote_port, c.iss, c.irs + 1, flag_syn | flag_ack, c.rcv_wnd);
  put32(b, 0x02040000 | c.mss_clamp);
  if (c.stamps) {
    put32(b, c.sack ? 0x0402080A : 0x0101080A);
    put32(b, jiffies(now));
    put32(b, c.ts_recent);
  } else if (c.sack) {
    put32(b, 0x01010402);
  }
  if (c.scaling) put32(b, 0x01030300 | c.rcv_wscale);
  close_options(b);
  ++counters_.segments_out;
  output_.send_tcp(c.remote, std::move(b), now);
}

/// Size of the SACK option with its two NOPs; 0 while no data is held out of order.
std::uint32_t TcpServer::sack_bytes(const Connection& c) {
  return c.sack && !c.sack_blocks.empty() ? static_cast<std::uint32_t>(4 + 8 * c.sack_blocks.size()) : 0;
}

void TcpServer::send_segment(Connection& c, std::uint8_t flags, std::uint32_t seq, Time now, ByteView data) {
  Bytes b = header(c.local_port, c.remote_port, seq, c.rcv_nxt, flags, select_window(c) >> c.rcv_wscale);
  if (c.stamps) {
    put32(b, 0x0101080A);
    put32(b, jiffies(now));
    put32(b, c.ts_recent);
  }
  if (sack_bytes(c)) {
    put32(b, 0x01010500 | static_cast<std::uint32_t>(2 + 8 * c.sack_blocks.size()));
    for (const auto& [from, to] : c.sack_blocks) {
      put32(b, from);
      put32(b, to);
    }
  }
  close_options(b);
  put(b, data);
  c.delayed_acks = 0;
  c.quick = false;
  c.ack_at.reset();
  c.last_ack_sent = c.rcv_nxt;
  ++counters_.segments_out;
  output_.send_tcp(c.remote, std::move(b), now);
}

void TcpServer::send_ack(Connection& c, Time now) { send_segment(c, flag_ack, c.snd_nxt, now); }

// RFC 793, "Reset generation".
void TcpServer::send_reset(const TcpSegment& s, Time now) {
  if (s.rst()) return;
  ++counters_.resets;
  ++counters_.segments_out;
  Bytes b = s.has_ack() ? header(s.destination, s.source, s.ack, 0, flag_rst, 0)
                        : header(s.destination, s.source, 0, s.end_seq(), flag_rst | flag_ack, 0);
  output_.send_tcp(s.from, std::move(b), now);
}

void TcpServer::Connection::archive(Archive& a) {
  a.section("peer connection", 2);
  a(local_port);
  a(state, remote, remote_port, iss, snd_una, snd_nxt, irs, rcv_nxt, rcv_wup, rcv_wnd, last_ack_sent);
  a(window_clamp, mss_clamp, mss_cache, rcv_mss, last_seg_size, rcv_wscale, stamps, sack, scaling, ts_recent,
    ts_recent_at, ato, last_receive, quick, delayed_acks, ack_at, retransmit_at, retries, fin_received, unread,
    receive_memory, held, sack_blocks);
  sender.archive(a);
  if (a.loading() && !sound())
    throw Error("snapshot holds a damaged connection of a station; take a new one", ExitCode::missing_file);
}

// Checks the values that windows are computed from: at most one window is in flight.
bool TcpServer::Connection::sound() const {
  return state <= State::syn_sent && mss_cache >= PeerTcp::shortest_segment && mss_cache <= PeerTcp::longest_window &&
         window_clamp > 0 && window_clamp <= PeerTcp::longest_window && rcv_wscale <= PeerTcp::largest_scale &&
         sender.scale <= PeerTcp::largest_scale && sender.window <= PeerTcp::longest_window &&
         snd_nxt - snd_una <= PeerTcp::longest_window + 1 && sack_blocks.size() <= 4 && receive_memory <= most_memory &&
         sender.rto > 0 && sender.rto <= PeerTcp::max_rto;
}

void TcpServer::archive(Archive& a) {
  a.section("peer tcp", 1);
  a(random_, connections_);
  for (Connection& c : connections_) {
    if (a.loading()) {
      c.service = services_.find(Transport::tcp, c.local_port);
      if (!c.service || (!c.service->listens() && !c.service->used()))
        throw Error(fmt::format("the snapshot has a connection to TCP port {} of the peer, which serves none there",
                                c.local_port));
      c.conversation = c.service->accept(c.local_port);
    }
    c.conversation->archive(a);
  }
  a(counters_.connections, counters_.bytes, counters_.segments_in, counters_.segments_out, counters_.acks_now,
    counters_.acks_delayed, counters_.duplicates, counters_.out_of_order, counters_.resets, counters_.bytes_out,
    counters_.retransmitted);
}

}  // namespace planar::net
