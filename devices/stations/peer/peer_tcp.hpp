// SPDX-License-Identifier: GPL-2.0-or-later
// The peer's TCP: mainly a server, with the behaviour of Linux 2.2, above all as a receiver.
//
// Behaviour taken from Linux 2.2 (from the public source, 2.2.1 and 2.2.26 alike; facts, none of its code):
// - an ACK is sent at once when twice the estimated segment size is outstanding, when the window can be more than
//   doubled, in quick-ack mode, or while data is out of order; otherwise it is delayed;
// - the estimate follows the largest segment seen, or two equal ones of 536 bytes or more in a row: it can decrease;
// - the delay is a smoothed interval between data segments (at least one tick of 10 ms, at most half a second), and
//   expires with a tick of the clock; the first data segment, a duplicate and an out-of-order one are acknowledged at
//   once;
// - a small segment with PSH shortens the delay to two ticks;
// - the window is half of the free receive buffer (65535, or the service's choice, less the memory of unread buffers),
//   in multiples of the station's own segment size, and never shrinks: 32120 in the SYN/ACK, 31856 with timestamps
//   afterwards;
// - timestamps, window scaling and SACK are used when offered; PAWS drops old duplicates;
// - a FIN is acknowledged at once; the server then closes and sends its own. A service may close first (leaving()).
//
// It also opens connections for services that are clients (Service::own_connections): like Linux 2.2, the SYN offers
// timestamps, SACK and a window scale of 0; a refused or unanswered connection ends the conversation.
//
// What the connections are for is up to the services (service.hpp). Sending (peer_tcp_send.cpp): slow start from two
// segments, congestion avoidance, the half-MSS Nagle rule, fast retransmit, time-out with exponential back-off, window
// probes.
//
// Not modelled: TIME-WAIT (a connection closed first by this end is discarded with the client's FIN), urgent data
// (treated as data), IP options, keepalive, SYN cookies, simultaneous open, selective acknowledgements as a sender.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/common/random.hpp"
#include "core/state/archive.hpp"
#include "core/time/time.hpp"
#include "devices/stations/packet.hpp"
#include "devices/stations/peer/ack_rule.hpp"
#include "devices/stations/peer/services.hpp"

namespace planar::net {

inline bool before(std::uint32_t a, std::uint32_t b) { return static_cast<std::int32_t>(a - b) < 0; }
inline bool after(std::uint32_t a, std::uint32_t b) { return before(b, a); }

/// The constants. One set for every adapter and machine.
struct PeerTcp {
  static constexpr std::int64_t hz = 100;  ///< ticks per second; Linux 2.2 on i386
  static constexpr Time tick = 10_ms;
  static constexpr std::uint32_t receive_buffer =
      65535;                                          ///< bytes; with CONFIG_SKB_LARGE, else 32767 (Linux 2.2 source)
  static constexpr std::uint32_t max_window = 32767;  ///< maximum offered in a SYN
  static constexpr std::uint32_t skb_overhead = 144;  ///< bytes charged besides the buffer: its descriptor on i386
  static constexpr std::uint32_t headers = 40;        ///< IP and TCP without options: MTU less MSS
  /// Bytes that a received frame is charged to its socket with: what the driver allocates (2 bytes of alignment, 16 of
  /// head room, in units of 16), and the descriptor.
  static constexpr std::uint32_t truesize(std::uint32_t frame_bytes) {
    return ((frame_bytes + 2 + 16 + 15) & ~15u) + skb_overhead;
  }
  static constexpr std::uint32_t max_delay = hz / 2;      ///< ticks
  static constexpr std::uint32_t windows_delay = hz / 5;  ///< ticks, for AckRule::every_second_segment
  static constexpr std::uint32_t initial_rto = 3 * hz;
  static constexpr std::uint32_t fin_timeout = 180 * hz;  ///< for the client's FIN, after ours has been acknowledged
  static constexpr std::uint32_t longest_window = 65535;  ///< the most used of the client's window: the send buffer
  static constexpr std::uint8_t largest_scale = 14;       ///< of a window (RFC 1323, 2.3)
  static constexpr std::uint32_t shortest_segment = 8;    ///< bytes of data that always fit, whatever the options
  static constexpr unsigned synack_retries = 5;
  static constexpr unsigned fin_retries = 15;  ///< also for data
  static constexpr std::uint32_t min_rto = hz / 5, max_rto = 120 * hz;
  static constexpr std::size_t max_connections = 16;
};

/// A TCP segment whose checksums are correct.
struct TcpSegment {
  Ipv4 from = 0;
  std::uint16_t source = 0, destination = 0;
  std::uint32_t seq = 0, ack = 0;
  std::uint8_t flags = 0;
  std::uint16_t window = 0;
  ByteView options;
  ByteView data;
  std::uint32_t length = 0;       ///< of the data
  std::uint32_t frame_bytes = 0;  ///< of the Ethernet frame without FCS: the size that the driver allocates for

  bool fin() const { return flags & 0x01; }
  bool syn() const { return flags & 0x02; }
  bool rst() const { return flags & 0x04; }
  bool psh() const { return flags & 0x08; }
  bool has_ack() const { return flags & 0x10; }
  std::uint32_t end_seq() const { return seq + length + (syn() ? 1 : 0) + (fin() ? 1 : 0); }
};

/// Destination of the server's segments: TCP header and data, without checksum.
class TcpOutput {
 public:
  virtual ~TcpOutput() = default;
  virtual void send_tcp(Ipv4 to, Bytes segment, Time now) = 0;
};

/// Settings that differ between servers.
struct TcpServerConfig {
  std::uint32_t mtu = 1500;  ///< bytes of the longest IP datagram, 576 or more
  Time tick_phase{};         ///< when its clock first ticks; less than PeerTcp::tick
  std::uint32_t receive_buffer =
      PeerTcp::receive_buffer;  ///< bytes of a socket's buffer; half of them is the window, up to 65535
  AckRule acknowledge = AckRule::by_estimate;
};

class TcpServer {
 public:
  struct Counters {
    std::uint64_t connections = 0;    ///< established
    std::uint64_t bytes = 0;          ///< read by the services
    std::uint64_t bytes_out = 0;      ///< written by them and sent, retransmissions excluded
    std::uint64_t retransmitted = 0;  ///< data segments sent again
    std::uint64_t segments_in = 0, segments_out = 0;
    std::uint64_t acks_now = 0;      ///< sent because of arriving data
    std::uint64_t acks_delayed = 0;  ///< sent by the delay timer
    std::uint64_t duplicates = 0, out_of_order = 0, resets = 0;
  };

  /// `services` must outlive the server.
  TcpServer(TcpOutput& output, const Services& services, std::uint64_t seed, const TcpServerConfig& config)
      : output_(output),
        services_(services),
        random_(seed),
        mss_(config.mtu - PeerTcp::headers),
        tick_phase_(config.tick_phase),
        receive_buffer_(config.receive_buffer),
        acknowledge_(config.acknowledge) {}

  void receive(const TcpSegment& segment, Time now);
  /// Opens a connection for a service.
  void connect(Service& service, const OwnConnection& wanted, Time now);
  /// The earliest timer; Time::never() if none is running.
  Time next_timer() const;
  void run_timers(Time now);
  const Counters& counters() const { return counters_; }
  std::size_t connections() const { return connections_.size(); }
  void archive(Archive& a);

 private:
  /// leaving: this end has sent its FIN first (FIN-WAIT-1 and -2 of RFC 793)
  enum class State : std::uint8_t { syn_received, established, close_wait, last_ack, closed, leaving, syn_sent };
  using Jiffies = std::uint32_t;

  struct Unread {
    Bytes data;
    std::uint32_t truesize = 0;
    void archive(Archive& a) { a(data, truesize); }
  };
  struct Held {  // out of order
    std::uint32_t seq = 0, end_seq = 0, truesize = 0;
    bool fin = false;
    Bytes data;
    void archive(Archive& a) { a(seq, end_seq, truesize, fin, data); }
  };
  struct Sent {  // and not acknowledged
    std::uint32_t seq = 0;
    Bytes data;
    Jiffies when = 0;
    std::uint32_t end_seq() const { return seq + static_cast<std::uint32_t>(data.size()); }
    void archive(Archive& a) { a(seq, data, when); }
  };
  struct Sender {
    std::uint32_t window = 0, wl1 = 0, wl2 = 0;                     // the client's window, and its segment
    std::uint8_t scale = 0;                                         // of its windows
    std::uint32_t cwnd = 2, cwnd_count = 0, ssthresh = 0x7FFFFFFF;  // in segments
    std::uint32_t srtt = 0, mdev = 0, rto = PeerTcp::initial_rto;   // 1/8, 1/4 and whole ticks
    std::uint32_t duplicate_acks = 0;
    bool recovering = false, timed_out = false;  // until high_seq is acknowledged
    std::uint32_t high_seq = 0;
    std::uint32_t sent_again = 0;  // number of segments in `sent`, from the first, resent since the time-out
    std::deque<Sent> sent;
    Bytes next;  // the segment being filled
    void archive(Archive& a);
  };
  struct Options {
    std::optional<std::uint16_t> mss;
    std::optional<std::uint8_t> window_scale;
    bool sack_permitted = false;
    std::optional<std::pair<std::uint32_t, std::uint32_t>> stamp;
  };
  struct Connection {
    State state = State::syn_received;
    Ipv4 remote = 0;
    std::uint16_t remote_port = 0, local_port = 0;
    std::uint32_t iss = 0, snd_una = 0, snd_nxt = 0, irs = 0;
    std::uint32_t rcv_nxt = 0, rcv_wup = 0, rcv_wnd = 0, last_ack_sent = 0;
    std::uint32_t window_clamp = 65535, mss_clamp = 0, mss_cache = 0, rcv_mss = 0, last_seg_size = 0;
    std::uint8_t rcv_wscale = 0;
    bool stamps = false, sack = false, scaling = false;
    std::uint32_t ts_recent = 0;
    Jiffies ts_recent_at = 0;
    Jiffies ato = 0, last_receive = 0;
    bool quick = false;
    std::uint32_t delayed_acks = 0;
    std::optional<Jiffies> ack_at, retransmit_at;
    unsigned retries = 0;
    bool fin_received = false;
    std::deque<Unread> unread;
    std::uint32_t receive_memory = 0;
    std::vector<Held> held;                                            // sorted by seq
    std::vector<std::pair<std::uint32_t, std::uint32_t>> sack_blocks;  // most recent first
    Sender sender;
    Service* service = nullptr;  // at local_port
    std::unique_ptr<ServiceConnection> conversation;
    /// Everything except the service and its conversation.
    void archive(Archive& a);
    bool sound() const;
  };

  Jiffies jiffies(Time now) const;
  Time time_of(Jiffies j) const;
  static Options parse(ByteView options);

  Connection* find(const TcpSegment& s);
  void listen(const TcpSegment& s, Time now);
  void take_syn(Connection& c, const TcpSegment& s, Time now);
  std::uint32_t first_window(const Connection& c) const;
  void answered(Connection& c, const TcpSegment& s, Time now);
  bool handshake(Connection& c, const TcpSegment& s, Time now);
  void established(Connection& c, const TcpSegment& s, Time now);
  bool take_ack(Connection& c, const TcpSegment& s, Time now);
  void take_data(Connection& c, const TcpSegment& s, Time now);
  void take_in_order(Connection& c, const Held& h, Time now);
  static Held held(const TcpSegment& s);
  void hold(Connection& c, const TcpSegment& s);
  void add_sack(Connection& c, std::uint32_t seq, std::uint32_t end_seq);
  void trim_sacks(Connection& c);
  void estimate_delay(Connection& c, Time now);
  void measure_mss(Connection& c, std::uint32_t length);
  void check_ack(Connection& c, Time now);
  void serve(Time now);
  void read(Connection& c, Time now);
  static bool owes_data(Connection& c, Time now);
  void close(Connection& c, Time now);
  void leave(Connection& c, Time now);
  void leaving_acknowledged(Connection& c, Time now);
  void erase_closed(Time now);

  void take_window(Connection& c, const TcpSegment& s, std::optional<std::uint32_t> echo, Time now);
  void acknowledged(Connection& c, std::optional<std::uint32_t> echo, Time now);
  void duplicate_ack(Connection& c, Time now);
  static void estimate_round_trip(Sender& w, std::uint32_t ticks);
  static std::uint32_t sack_bytes(const Connection& c);
  static std::uint32_t current_mss(const Connection& c);
  void fill_window(Connection& c, Time now);
  static bool may_send(const Connection& c, std::uint32_t size);
  void send_again(Connection& c, std::size_t index, Time now);
  void send_all_again(Connection& c, Time now);
  static void lower_threshold(Sender& w);
  void data_timer(Connection& c, Time now);

  std::uint32_t receive_buffer(const Connection& c) const;
  static std::uint32_t window_left(const Connection& c);
  std::uint32_t window_wanted(const Connection& c) const;
  std::uint32_t select_window(Connection& c);

  void send_syn(Connection& c, Time now);
  void send_synack(Connection& c, Time now);
  void send_segment(Connection& c, std::uint8_t flags, std::uint32_t seq, Time now, ByteView data = {});
  void send_ack(Connection& c, Time now);
  void send_reset(const TcpSegment& s, Time now);

  TcpOutput& output_;
  const Services& services_;
  Random random_;
  const std::uint32_t mss_;  // payload of a segment without options
  const Time tick_phase_;
  const std::uint32_t receive_buffer_;
  const AckRule acknowledge_;
  Counters counters_;
  std::deque<Connection> connections_;  // in the order of their SYNs
};

}  // namespace planar::net
