// SPDX-License-Identifier: GPL-2.0-or-later
// A Token Ring in virtual time at 4 or 16 Mbit/s: shared by stations that take turns by means of a token, or dedicated
// to two stations that send at any time (transmit immediate, full duplex). IEEE 802.5-1998 and 802.5r.
//
// Stations are in the order of their ports. A signal that leaves one station arrives at the next after both lobe cables
// and that station's own delay; the active monitor's latency buffer adds its bits. A station's bit times are those at
// its output: a bit is received and repeated at the same time.
//
//   sender    |SD AC FC DA SA ... FCS ED FS|gap|token|
//   next one        |SD AC FC DA SA ... FCS ED FS|gap|token|          later by the hop's delay
//   sender                        |SD AC FC ...  stripped  |          later by the ring's latency
//
// A token that no station wants costs no events: its position is computed from when and where it was released. A
// station captures it when its first bit passes, if the frame was already waiting (the standard decides 11 bit times
// later).
//
// Stations that join or leave interrupt the signal: frames and token on the ring are lost, and the active monitor
// purges the ring when its valid transmission timer has expired.
// The MAC protocol between the stations is in ring_protocol.hpp.
//
// Not modelled: jitter and changes of the elastic buffer, single bit errors, lobes of different lengths.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/time/scheduler.hpp"
#include "devices/medium/medium.hpp"
#include "devices/medium/ring/ring_config.hpp"
#include "devices/medium/ring/ring_flight.hpp"
#include "devices/medium/ring/ring_frame.hpp"
#include "devices/medium/ring/ring_port.hpp"

namespace planar::net {

/// Signal in the lobe cable, per metre. Source: inferred, 0.67 c.
inline constexpr Time ring_cable_delay = 5_ns;
/// Delay of a repeating station, in half bits. Source: IEEE 802.5, recalled.
inline constexpr std::int64_t ring_station_half_bits = 5;
/// The active monitor's latency buffer, and the middle of its elastic buffer. Source: IEEE 802.5, recalled.
inline constexpr std::int64_t ring_monitor_bits = 24 + 6;
/// Silence after a frame, bytes. Source: IEEE 802.5, recalled.
inline constexpr std::int64_t ring_gap_bytes_4 = 1, ring_gap_bytes_16 = 5;
/// Longest frame from SD to FS, bytes: what the token holding time of 8.9 ms allows. Source: IEEE 802.5, recalled.
inline constexpr std::size_t ring_longest_4 = 4'550, ring_longest_16 = 18'200;

/// Timers (IEEE 802.5; Linux's smctr.c loads the same values into its controller).
namespace ring_timer {
inline constexpr Time return_to_repeat = 4_ms;     ///< TRR: a frame that is not back by then is lost
inline constexpr Time valid_transmission = 10_ms;  ///< TVX: the active monitor sees no frame or token
inline constexpr Time queue = 20_ms;               ///< TQP: before a station's turn in the poll
inline constexpr Time no_token = 2600_ms;          ///< TNT: any station sees no good token
inline constexpr Time active_monitor = 7_s;        ///< TAM: between polls
inline constexpr Time standby_monitor = 15_s;      ///< TSM: a standby monitor sees no poll
inline constexpr Time error_report = 2_s;          ///< TER
inline constexpr Time beacon_transmit = 16_s;      ///< TBT: until the beaconing station tests itself
inline constexpr Time beacon_receive = 200_ms;     ///< TBR: until beacons that are no longer received count as over
// Recalled, from the standard or IBM's architecture:
inline constexpr Time ring_purge = 1_s;           ///< TRP
inline constexpr Time claim_token = 1_s;          ///< TCT
inline constexpr Time pacing = 20_ms;             ///< between claims, and between beacons
inline constexpr Time attach = 18_s;              ///< maximum for one phase of insertion
inline constexpr Time parameters = 2'500'000_us;  ///< TRI: until a request for parameters is repeated
}  // namespace ring_timer

Destination ring_destination(std::span<const std::uint8_t> frame);

class Ring final : public Medium {
 public:
  struct Counters {
    std::uint64_t frames = 0;   ///< complete and good
    std::uint64_t bytes = 0;    ///< of those, AC to FCS
    std::uint64_t damaged = 0;  ///< aborted by their sender, or on the ring when it was interrupted
    std::uint64_t purges = 0;   ///< recoveries by the active monitor
    void archive(Archive& a) { a(frames, bytes, damaged, purges); }
  };

  /// Throws Error for a rate other than 4 or 16 Mbit/s, full duplex at 4 Mbit/s, or a lobe length outside 1 to 500 m.
  explicit Ring(Scheduler& scheduler, RingConfig config = {}, std::string name = "ring");
  ~Ring() override;

  const RingConfig& config() const { return config_; }
  Time bit_time() const { return bit_time_; }
  Time byte_time() const { return bit_time_ * 8; }
  const Counters& counters() const { return counters_; }
  /// Longest frame, AC to FCS.
  std::size_t longest() const { return format().longest; }
  /// A bit's delay from one station to the next, without the monitor's buffer.
  Time hop() const;
  /// Once round the ring, with the stations now on it.
  Time latency() const;
  /// Both stations of a dedicated ring asked for full duplex: they transmit without a token.
  bool full_duplex() const;
  /// Breaks the trunk before a station's port, or repairs it.
  void set_broken(const Port& before, bool broken, Time now);

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
  friend class RingProtocol;
  using Stop = RingFlight::Stop;
  using Result = RingTransmitOutcome::Result;
  static constexpr std::uint32_t nobody = UINT32_MAX;
  struct Token {
    bool present = false;
    std::uint32_t from = nobody;  // the station that released or last passed it on
    Time released{};              // first bit at that station
    std::uint8_t priority = 0;
    void archive(Archive& a) { a(present, from, released, priority); }
  };
  /// A station has raised the token's priority and must lower it.
  struct Raise {
    std::uint32_t station = nobody;
    std::uint8_t from = 0, to = 0;
    void archive(Archive& a) { a(station, from, to); }
  };

  // ring.cpp: the stations on it
  RingPort* port(std::size_t index) const { return static_cast<RingPort*>(ports()[index]); }
  bool on_ring(std::uint32_t index) const;
  std::size_t stations() const;
  std::uint32_t next_station(std::uint32_t from) const;
  Time delay(std::uint32_t from, std::uint32_t to) const;
  /// `port` opens the ring to include its lobe. `at_rest`: the station has always been there.
  void enter(RingPort& port, bool at_rest, bool joins, Time now);
  void leave(RingPort& port, Time now);
  void interrupt(Time now);
  void recover(Time now);
  void purged(Time now);
  /// The break lies between the two stations.
  bool broken_between(std::uint32_t from, std::uint32_t to) const;

  // ring_token.cpp
  void request(Time now) { find_start(now); }
  void lose_token(Time now);
  void release_token(std::uint32_t from, Time at, std::uint8_t priority, Time now);
  void pass_token(const RingFlight& flight, Time now);
  void lower_token(Time now);
  void step_token(Time now);
  Time lowering() const;
  std::uint8_t reservation(std::uint32_t station, Time back) const;
  Time token_arrival(std::uint32_t port, Time after) const;
  Time next_start(const RingPort& port) const;
  Time computed_start() const;
  bool steps() const;
  Time next_step() const;
  void find_start(Time now);
  void start_due(Time now);
  void archive_start(Archive& a);

  // ring_wire.cpp: frames
  void start(RingPort& port, Time now);
  /// A frame that needs no token.
  void transmit_now(RingPort& port, std::vector<std::uint8_t> frame, Time now);
  void supply(std::uint64_t flight, std::span<const std::uint8_t> more);
  std::optional<RingReception> receiving(std::uint32_t port) const;
  std::size_t settled(std::uint32_t port) const;
  void abort(std::uint64_t flight, Time now);
  RingFlight new_flight(const RingPort& port, std::size_t body, RingFlight::Purpose purpose, Time now);
  void wire_due(Time now);
  void find_stop();
  bool take_stop(Time now);
  Time due(const RingFlight& flight, const Stop& stop) const;
  RingFlight* flight(std::uint64_t id);
  void happen(std::uint64_t id, const Stop& stop, Time now);
  void find_receivers(RingFlight& flight, Time now);
  void arrive(RingFlight& flight, const Stop& stop, Time now);
  void end_early(RingFlight& flight, std::size_t length);
  void leaves(RingFlight& flight, const Stop& stop, Time now);
  void finish(const RingFlight& flight, Result result, Time now);
  const RingFlight* arriving(std::uint32_t port, Stop& end) const;
  RingReception reception(const RingFlight& flight, const Stop& stop) const;

  RingConfig config_;
  Time bit_time_;
  Counters counters_;
  std::uint32_t monitor_ = nobody;  // the active monitor
  std::uint32_t broken_ = nobody;   // the port before which the trunk is broken
  Token token_;
  Token step_;                 // stepwise: its position on the way; not saved
  std::vector<Raise> raises_;  // the last one belongs to the token's present priority
  std::vector<RingFlight> flights_;
  std::uint64_t next_flight_ = 1;
  Event start_;    // a station captures the token, or transmits immediately
  Event wire_;     // the next stop of a frame
  Event recover_;  // the valid transmission timer has expired, or, without a monitor, every station's no token timer
};

inline Ring* RingPort::ring() const { return static_cast<Ring*>(medium()); }

}  // namespace planar::net
