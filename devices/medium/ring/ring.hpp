// SPDX-License-Identifier: GPL-2.0-or-later
// A Token Ring in virtual time: 4 or 16 Mbit/s, shared by stations that take turns by a token, or dedicated to two
// stations that send whenever they like (transmit immediate, full duplex). IEEE 802.5-1998 and 802.5r.
//
// Stations stand in the order of their ports. What leaves one arrives at the next after both lobe cables and that
// station's own delay; the active monitor's latency buffer adds its bits. A station's time of a bit is that of its
// output: reception and repetition are one.
//
//   sender    |SD AC FC DA SA ... FCS ED FS|gap|token|
//   next one        |SD AC FC DA SA ... FCS ED FS|gap|token|          later by the hop's delay
//   sender                        |SD AC FC ...  stripped  |          later by the ring's latency
//
// A token that nobody wants costs no event: its place is computed from when and where it was released. A station
// captures it when its first bit passes, if the frame was waiting before (the standard looks at it 11 bit times later).
//
// Stations that come and go break the signal: frames and token on the ring are lost, and the active monitor purges the
// ring when its valid transmission timer has run out.
//
// Not modelled: jitter and the elastic buffer's changes, single bit errors, lobes of different lengths.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/time/scheduler.hpp"
#include "devices/medium/medium.hpp"
#include "devices/medium/ring/ring_frame.hpp"
#include "devices/medium/ring/ring_port.hpp"

namespace planar::net {

/// Signal in the lobe cable, per metre. Source: inferred, 0.67 c.
inline constexpr Time ring_cable_delay = 5_ns;
/// A station that repeats, half bits. Source: IEEE 802.5, recalled.
inline constexpr std::int64_t ring_station_half_bits = 5;
/// The active monitor's latency buffer, and the middle of its elastic buffer. Source: IEEE 802.5, recalled.
inline constexpr std::int64_t ring_monitor_bits = 24 + 6;
/// Silence behind a frame, bytes. Source: IEEE 802.5, recalled.
inline constexpr std::int64_t ring_gap_bytes_4 = 1, ring_gap_bytes_16 = 5;
/// Longest frame from SD to FS, bytes: what the token holding time of 8.9 ms allows. Source: IEEE 802.5, recalled.
inline constexpr std::size_t ring_longest_4 = 4'550, ring_longest_16 = 18'200;

/// Timers (IEEE 802.5; values that Linux's smctr.c loads into its controller, too).
namespace ring_timer {
inline constexpr Time return_to_repeat = 4_ms;     ///< TRR: a frame that is not back by then is lost
inline constexpr Time valid_transmission = 10_ms;  ///< TVX: the active monitor without frame or token
inline constexpr Time no_token = 2600_ms;          ///< TNT: any station without a good token
}  // namespace ring_timer

struct RingConfig {
  std::uint64_t bits_per_second = 16'000'000;  ///< 4'000'000 or 16'000'000
  bool full_duplex = false;                    ///< dedicated: the two stations that ask for it transmit at once
  bool early_token_release = true;             ///< of plain stations, at 16 Mbit/s; adapters say it themselves
  unsigned lobe_metres = 30;                   ///< every station's cable
  bool quick_insertion = false;                ///< no waiting in the phases of insertion
  bool stepwise = false;                       ///< test hook: an event at each station that the idle token passes
};

Destination ring_destination(std::span<const std::uint8_t> frame);

/// A frame on the ring.
struct RingFlight {
  /// What still happens to it. A flight is over when nothing is left.
  struct Stop {
    enum class Kind : std::uint8_t {
      dry,       ///< bytes that should leave are not there
      header,    ///< SA has arrived at the first station: who wants it is decided
      begins,    ///< SA has arrived at `port`
      ends,      ///< ED has arrived at `port`
      leaves,    ///< FS has left the sender
      returned,  ///< SA is back at the sender
      stripped,  ///< FS is back at the sender
      lost,      ///< the sender gives up (TRR)
    };
    Kind kind{};
    std::uint32_t port = UINT32_MAX;
    Time first_bit{};         ///< of SD, at `port`
    bool recognised = false;  ///< sets A
    bool wanted = false;      ///< `port`'s station is told
    bool begun = false;
    bool by_functional = false, by_group = false;
    void archive(Archive& a) { a(kind, port, first_bit, recognised, wanted, begun, by_functional, by_group); }
  };

  std::uint64_t id = 0;
  std::uint32_t source = UINT32_MAX;  ///< none: it left the ring
  Time start{};                       ///< first bit of SD at the sender
  std::vector<std::uint8_t> bytes{};  ///< AC to FCS; those from `known` on are yet to come
  std::size_t known = 0;
  bool immediate = false;  ///< full duplex: needs no token and does not come back
  bool left = false;       ///< FS is out
  bool returned = false;   ///< SA is back
  bool aborted = false;    ///< ended by an abort sequence
  bool broken = false;     ///< the ring was interrupted while it was on it
  std::uint8_t status = 0;
  std::vector<Stop> stops{};

  void archive(Archive& a) {
    a(id, source, start, bytes, known, immediate, left, returned, aborted, broken, status, stops);
  }
};

class Ring final : public Medium {
 public:
  struct Counters {
    std::uint64_t frames = 0;   ///< complete and good
    std::uint64_t bytes = 0;    ///< of those, AC to FCS
    std::uint64_t damaged = 0;  ///< aborted by their sender, or on the ring when it was interrupted
    std::uint64_t purges = 0;   ///< recoveries by the active monitor
    void archive(Archive& a) { a(frames, bytes, damaged, purges); }
  };

  /// Throws Error for a rate other than 4 or 16 Mbit/s, full duplex at 4, or a lobe beyond 1 to 500 m.
  explicit Ring(Scheduler& scheduler, RingConfig config = {}, std::string name = "ring");
  ~Ring() override;

  const RingConfig& config() const { return config_; }
  Time bit_time() const { return bit_time_; }
  Time byte_time() const { return bit_time_ * 8; }
  const Counters& counters() const { return counters_; }
  /// Longest frame, AC to FCS.
  std::size_t longest() const { return format().longest; }
  /// A bit's way from one station to the next, the monitor's buffer left out.
  Time hop() const;
  /// Once round, with the stations that are there now.
  Time latency() const;
  /// Two stations that both asked for it are alone on a dedicated ring: they transmit without a token.
  bool full_duplex() const;

  // Medium
  std::string title() const override;
  const FrameFormat& format() const override;
  std::uint64_t bits_per_second() const override { return config_.bits_per_second; }
  Time lookahead() const override { return hop(); }
  Time gap() const override;
  std::unique_ptr<LinkLayer> connect(Scheduler& scheduler, std::string name, LinkUser& user,
                                     std::uint64_t seed) override;
  std::vector<NamedCount> counts() const override;
  void archive(Archive& a) override;

 private:
  friend class RingPort;
  using Stop = RingFlight::Stop;
  using Result = RingTransmitOutcome::Result;
  static constexpr std::uint32_t nobody = UINT32_MAX;
  struct Token {
    bool present = false;
    std::uint32_t from = nobody;  // who released it, or passed it on last
    Time released{};              // first bit at that station
    void archive(Archive& a) { a(present, from, released); }
  };

  // ring.cpp: the stations on it
  RingPort* port(std::size_t index) const { return static_cast<RingPort*>(ports()[index]); }
  bool on_ring(std::uint32_t index) const;
  std::size_t stations() const;
  std::uint32_t next_station(std::uint32_t from) const;
  Time delay(std::uint32_t from, std::uint32_t to) const;
  /// `port` opens the ring into its lobe. `at_rest`: it has always been there.
  void enter(RingPort& port, bool at_rest, Time now);
  void leave(RingPort& port, Time now);
  void interrupt(Time now);
  void elect(Time now);
  void recover(Time now);

  // ring_wire.cpp: what is on its way
  void request(Time now) { find_start(now); }
  void supply(std::uint64_t flight, std::span<const std::uint8_t> more);
  std::optional<RingReception> receiving(std::uint32_t port) const;
  void release_token(std::uint32_t from, Time at, Time now);
  Time token_arrival(std::uint32_t port, Time after) const;
  Time next_start(const RingPort& port) const;
  void find_start(Time now);
  void start_due(Time now);
  void start(RingPort& port, Time now);
  void wire_due(Time now);
  void find_stop();
  bool take_stop(Time now);
  Time due(const RingFlight& flight, const Stop& stop) const;
  RingFlight* flight(std::uint64_t id);
  void happen(std::uint64_t id, const Stop& stop, Time now);
  void find_receivers(RingFlight& flight, Time now);
  void arrive(RingFlight& flight, const Stop& stop, Time now);
  void run_dry(RingFlight& flight);
  void leaves(RingFlight& flight, const Stop& stop, Time now);
  void finish(const RingFlight& flight, Result result, Time now);
  RingReception reception(const RingFlight& flight, const Stop& stop) const;

  RingConfig config_;
  Time bit_time_;
  Counters counters_;
  std::uint32_t monitor_ = nobody;  // the active one
  Token token_;
  std::vector<RingFlight> flights_;
  std::uint64_t next_flight_ = 1;
  Event start_;    // a station captures the token, or transmits immediately
  Event wire_;     // the next stop of a frame
  Event recover_;  // the monitor's timer has run out, or there is none
};

inline Ring* RingPort::ring() const { return static_cast<Ring*>(medium()); }

}  // namespace planar::net
