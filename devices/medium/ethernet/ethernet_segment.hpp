// SPDX-License-Identifier: GPL-2.0-or-later
// An Ethernet segment in virtual time: CSMA/CD (half duplex) or a full-duplex link, 10 or 100 Mbit/s; or a full-duplex
// link of 1000 Mbit/s over fibre (1000BASE-SX, 1000BASE-LX).
//
// Every station hears every other one after the same delay (ethernet_path.hpp). A frame is preamble and start delimiter
// (8 bytes), the frame with its FCS, and at least the interframe gap of silence. Times below are those of the first and
// last bit at the point in question.
//
//   sender    |preamble SFD|frame.............FCS|      gap      |
//   receiver     |preamble SFD|frame.............FCS|                 later by the propagation delay
//
// MAC rules (IEEE 802.3 clauses 4.2.3 and 4.4.2): a station with a frame waits for one interframe gap of silence;
// carrier in the first part of the gap (two thirds, unless the chip differs) restarts it, later carrier does not. A
// collision is detected when another signal arrives during the station's own; preamble and start delimiter are
// completed, and 32 bits of jam follow; backoff is a whole number of slot times below 2^min(n, 10), drawn from the
// station's own generator; after the 16th collision the frame is given up; a collision after one slot time is late.
//
// With `oscillators` every station has its own bit clock: a rate within 100 ppm (clause 7.3.2) and a phase, both
// derived from the station's seed. This clock samples carrier sense and times gap, backoff and frame.
//
// At 1000 Mbit/s a station tells the other end what its PCS sends, a configuration word or idle (clause 37); a chip
// that negotiates reads it and allows for the time this takes (devices/chips/i8254x). A plain station's PCS negotiates
// full duplex without pause.
//
// Not modelled: different distances between pairs of stations, half duplex at 1000 Mbit/s (carrier extension, bursts),
// jabber cut-off, SQE heartbeat (a station may assume it), auto-negotiation at 10 and 100 Mbit/s (both ends are
// configured alike).
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/common/random.hpp"
#include "core/state/trace.hpp"
#include "core/time/scheduler.hpp"
#include "core/time/time.hpp"
#include "devices/medium/ethernet/ethernet_frame.hpp"
#include "devices/medium/ethernet/ethernet_path.hpp"
#include "devices/medium/medium.hpp"

namespace planar::net {

class EthernetSegment;
class EthernetPort;

/// One-way delay between any two stations on a bare cable (PathKind::cable). Unit: time. Source: inferred; about 100 m
/// of cable (0.43 us at 0.77 c) plus a transceiver.
inline constexpr Time ethernet_propagation = 500_ns;

/// Lengths in bit times (IEEE 802.3 clause 4.4.2).
inline constexpr std::int64_t preamble_bits = 64;  ///< preamble and start frame delimiter
inline constexpr std::int64_t gap_bits = 96;
inline constexpr std::int64_t slot_bits = 512;
inline constexpr std::int64_t jam_bits = 32;

Destination ethernet_destination(std::span<const std::uint8_t> frame);
inline constexpr FrameFormat ethernet_format{.link = LinkType::ethernet,
                                             .header_bytes = 14,
                                             .check_bytes = fcs_bytes,
                                             .shortest = min_frame_bytes,
                                             .longest = max_frame_bytes,
                                             .destination = ethernet_destination};

struct EthernetConfig {
  std::uint64_t bits_per_second = 10'000'000;  ///< 10'000'000, 100'000'000, or, full duplex only, 1'000'000'000
  bool full_duplex = false;
  Time propagation = ethernet_propagation;  ///< for PathKind::cable; must be shorter than the interframe gap
  PathKind path = PathKind::cable;          ///< other kinds: half duplex at 10 Mbit/s only
  unsigned metres = 0;                      ///< cable length (path_delays())
  bool oscillators = false;                 ///< stations differ in bit rate and phase
};

enum class TransmitResult : std::uint8_t {
  ok,
  excessive_collisions,
  late_collision,
  carrier_lost,  ///< the whole frame was sent, but no station can have heard it (unplugged)
  underrun,      ///< the chip had no byte when one was due on the wire
  abandoned,     ///< given up by the station itself (abandon())
};

struct TransmitOutcome {
  TransmitResult result = TransmitResult::ok;
  unsigned collisions = 0;      ///< of this frame, 0 to 16
  bool deferred = false;        ///< the first attempt had to wait for silence or the gap
  bool late_collision = false;  ///< at least one collision was late (even if a retry succeeded)
  Time start{};                 ///< first preamble bit of the last attempt
};

/// A frame being received by a station. Until it is complete, only the bytes that arrived() counts may be read.
struct Reception {
  Time first_bit{};  ///< of the preamble
  Time byte_time{};
  std::span<const std::uint8_t> frame;  ///< as sent, FCS included
  std::size_t length = 0;               ///< whole bytes: announced during reception, received at its end
  std::size_t damaged_from = SIZE_MAX;  ///< bytes from here on are garbled by a collision
  bool dribble = false;                 ///< at its end: it did not stop on a byte boundary
  bool fcs_ok = false;                  ///< at its end: complete, intact, and with a good FCS

  /// When byte `k` has arrived completely.
  Time arrival(std::size_t k) const { return first_bit + byte_time * static_cast<std::int64_t>(8 + k + 1); }
  /// How many whole bytes have arrived by `now`.
  std::size_t arrived(Time now) const {
    const std::int64_t n = (now - first_bit) / byte_time - 8;
    return n <= 0 ? 0 : std::min(length, static_cast<std::size_t>(n));
  }
  std::uint8_t byte(std::size_t k) const {
    const std::uint8_t sent = k < frame.size() ? frame[k] : 0x55;
    return k < damaged_from ? sent : static_cast<std::uint8_t>(sent ^ 0xA5);
  }
  /// Copies its bytes from `from` on.
  void copy(std::size_t from, std::span<std::uint8_t> to) const;
  /// Appends the bytes up to `end` to `data`, which already holds the first ones.
  void append(std::vector<std::uint8_t>& data, std::size_t end) const;
  MacAddress destination() const;
};

/// What a station finds at the other end of its cable.
struct EthernetLink {
  bool present = false;               ///< plugged in, to a segment
  std::uint64_t bits_per_second = 0;  ///< of the segment; 0 without one
  bool full_duplex = false;
};

/// What the PCS of a 1000BASE-X station sends between frames (IEEE 802.3 clause 37).
struct Pcs {
  /// Bits of a configuration word (clause 37.2.1).
  enum Ability : std::uint16_t { full_duplex = 0x0020, half_duplex = 0x0040, pause = 0x0080, asm_dir = 0x0100 };
  bool negotiates = true;               ///< configuration words until the link is up; false: idle, the link is forced
  std::uint16_t ability = full_duplex;  ///< its configuration word
  bool operator==(const Pcs&) const = default;
};

/// A station's side of the wire.
class EthernetStation {
 public:
  virtual ~EthernetStation() = default;
  /// The first preamble bit of a frame arrives.
  virtual void frame_begins(const Reception&, Time /*now*/) {}
  /// Carrier drops: the frame is complete, or was cut short (see `length`, `fcs_ok`).
  virtual void frame_ends(const Reception& reception, Time now) = 0;
  /// An attempt begins: the first preamble bit leaves.
  virtual void transmit_begins(Time /*now*/) {}
  /// The frame given to transmit() is done, one way or another.
  virtual void transmit_ends(const TransmitOutcome& outcome, Time now) = 0;
  /// Its cable was plugged in or unplugged (not called when the lab is built).
  virtual void link_changed(bool /*up*/, Time /*now*/) {}
  /// Another station was plugged in or unplugged, or its PCS sends something else.
  virtual void partner_changed(Time /*now*/) {}
};

/// A station's connection: its MAC (deferral, collisions, backoff) and its receiver.
class EthernetPort final : public Port {
 public:
  struct Mac {
    unsigned attempts = 16;
    bool retry_late_collisions = false;              ///< the 8390 retries them like any other collision
    std::int64_t gap_first_bits = gap_bits * 2 / 3;  ///< carrier in this part of the gap restarts it
    bool low_priority_backoff = false;               ///< 8390 TCR.OFST: the first three draws from 2^min(3+n, 10)
  };

  /// `seed` seeds the backoff generator and sets the bit clock: it must differ between the stations of a lab.
  EthernetPort(Scheduler& scheduler, std::string name, EthernetStation& station, std::uint64_t seed);
  ~EthernetPort() override;

  /// Joins a segment, plugged in. A port without a segment behaves as an unplugged one at 10 Mbit/s. Throws Error if
  /// `medium` is not an Ethernet segment.
  void attach(Medium& medium) override;
  void detach();

  /// Plugs in or unplugs the cable. A frame on the wire is cut off for the others; the sender notices lost carrier.
  void set_plugged(bool plugged, Time now) override;

  /// Sends `frame` (FCS included) as soon as the MAC rules allow. Ignored while busy().
  void transmit(std::span<const std::uint8_t> frame, Time now);
  /// Replaces byte `offset` of the frame given to transmit() if it has not left yet; with `refresh_fcs` the FCS is
  /// recomputed.
  void patch(std::size_t offset, std::uint8_t value, bool refresh_fcs, Time now);
  /// Gives up the frame: a waiting one is dropped at once (returns false, no outcome is reported); one on the wire is
  /// completed but not retried (returns true).
  bool abandon(Time now);
  /// The chip has no next byte: the frame ends here, with a bad FCS.
  void underrun(Time now);
  /// For a reset of the chip: abandon(), but a frame on the wire ends here. Returns true if there was one; its outcome
  /// is still reported and can be ignored.
  bool cut(Time now);

  EthernetLink link() const;

  /// Sets what its own PCS sends from now on; the other end restarts negotiation. Not archived: the caller sets it
  /// again after loading a snapshot.
  void set_pcs(const Pcs& pcs, Time now);
  const Pcs& pcs() const { return pcs_; }
  /// The same after loading a snapshot: no station is notified.
  void restore_pcs(const Pcs& pcs) { pcs_ = pcs; }
  /// What the other end's PCS sends; empty if there is no other end.
  std::optional<Pcs> partner() const;

  Mac& mac() { return mac_; }
  bool busy() const { return state_ != State::idle; }
  bool transmitting() const { return state_ == State::on_wire; }
  /// The time of the lab.
  Time now() const { return scheduler_.now(); }
  /// First preamble bit of the attempt on the wire.
  Time transmit_start() const { return start_; }
  /// Collisions of the present frame so far.
  unsigned collisions() const { return collisions_; }
  /// Another station's signal is present.
  bool carrier() const { return signals_ > 0; }
  /// The frame that is arriving, if any.
  std::optional<Reception> receiving() const;
  /// The complete `frame` as received in loopback by the chip that sends it, with its last bit now.
  Reception looped(std::span<const std::uint8_t> frame, Time now) const;

  Time bit_time() const { return bit_time_; }  ///< by its own clock
  Time byte_time() const { return bit_time() * 8; }
  void archive(Archive& a);

 private:
  friend class EthernetSegment;
  enum class State : std::uint8_t { idle, waiting, on_wire };

  bool sound() const;
  void attempt(Time now);
  void leaves_end(Time now);
  void signal_begins(Time now);
  void signal_ends(Time now);
  void carrier_on(std::uint32_t source, Time now);
  void carrier_off(std::uint32_t source, Time now);
  void collide(Time now);
  void schedule_attempt(Time now);
  /// Only bits that had left their sender by `until` less the path's delay count.
  void end_reception(Time until, Time now);
  void finish(TransmitResult result, Time now);
  void back_off(Time now);
  EthernetSegment* segment() const;
  bool full_duplex() const;
  Time gap() const { return bit_time() * gap_bits; }
  void set_clock();
  /// The first edge of its clock at or after `t`.
  Time edge(Time t) const;
  void fell_silent(Time sensed) { idle_since_ = std::max(idle_since_, edge(sensed)); }
  void carrier_until(Time last_bit);
  void describe(std::uint32_t source, Reception& r) const;
  bool wire_good() const;

  Scheduler& scheduler_;
  EthernetStation& station_;
  Mac mac_;
  Pcs pcs_;
  std::uint64_t seed_;
  Time bit_time_{100'000}, phase_{};

  State state_ = State::idle;
  std::vector<std::uint8_t> waiting_;  // given to transmit(), before its first attempt
  std::vector<std::uint8_t> wire_;     // the frame of the present or last attempt
  bool fresh_ = false;                 // waiting_ holds a frame that has not been on the wire
  Time ready_{};                       // time of the request, or end of backoff
  Time start_{};
  bool on_segment_ = false;  // the present attempt goes out on the segment (the cable was plugged in when it began)
  bool collided_ = false;
  bool late_ = false;
  bool any_late_ = false;
  bool deferred_ = false;
  bool lost_carrier_ = false;
  bool underrun_ = false;
  bool abandoned_ = false;
  unsigned collisions_ = 0;

  bool carrier_on_ = false;        // the others hear this port's signal
  std::uint32_t signals_ = 0;      // other stations' signals heard here
  Time idle_since_{};              // when this station last saw the medium fall silent
  std::uint32_t source_ = nobody;  // whose frame is being received
  Time reception_start_{};
  std::uint64_t damaged_from_ = UINT64_MAX;

  Random random_;
  Event attempt_;
  Event leaves_end_;   // last bit leaves
  Event carrier_due_;  // first bit reaches the others
  Event carrier_off_;  // last bit has passed the others
};

class EthernetSegment final : public Medium {
 public:
  struct Counters {
    std::uint64_t frames = 0;      ///< complete frames with a good FCS
    std::uint64_t bytes = 0;       ///< of those, FCS included
    std::uint64_t collisions = 0;  ///< attempts that ended in a collision
    std::uint64_t damaged = 0;     ///< complete or cut, but not good and not collided
  };

  /// Throws Error for a rate other than 10, 100 or 1000 Mbit/s, for half duplex at 1000 Mbit/s, and for a delay that is
  /// not shorter than the gap.
  explicit EthernetSegment(EthernetConfig config = {}, std::string name = "segment");

  const EthernetConfig& config() const { return config_; }
  Time bit_time() const { return bit_time_; }
  const Counters& counters() const { return counters_; }

  // Medium
  std::string title() const override;
  const FrameFormat& format() const override { return ethernet_format; }
  std::uint64_t bits_per_second() const override { return config_.bits_per_second; }
  const PathDelays& delays() const { return delays_; }
  Time lookahead() const override { return std::min({delays_.begins, delays_.data, delays_.ends}); }
  Time gap() const override { return bit_time_ * gap_bits; }
  std::unique_ptr<LinkLayer> connect(Scheduler& scheduler, std::string name, LinkUser& user,
                                     std::uint64_t seed) override;
  std::vector<NamedCount> counts() const override;
  void archive(Archive& a) override;

 private:
  friend class EthernetPort;
  EthernetPort* port(std::size_t index) const { return static_cast<EthernetPort*>(ports()[index]); }
  /// Calls `hear(port)` for every plugged-in port except `sender`.
  template <class F>
  void each_listener(const EthernetPort& sender, F&& hear) const {
    for (std::size_t n = 0; n < ports().size(); ++n)
      if (EthernetPort* other = port(n); other && other != &sender && other->plugged()) hear(*other);
  }
  void left(const WireRecord& record);

  EthernetConfig config_;
  Time bit_time_;
  PathDelays delays_;
  Counters counters_;
};

inline EthernetSegment* EthernetPort::segment() const { return static_cast<EthernetSegment*>(medium()); }

}  // namespace planar::net
