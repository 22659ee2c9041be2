// SPDX-License-Identifier: GPL-2.0-or-later
// An Ethernet segment in virtual time: CSMA/CD (half duplex) or a full-duplex link, 10 or 100 Mbit/s.
//
// Every station hears every other one after the same propagation delay. A frame is preamble and start delimiter
// (8 bytes), the frame with its FCS, and at least the interframe gap of silence. All times below are of the first
// and last bit at the place in question.
//
//   sender    |preamble SFD|frame.............FCS|      gap      |
//   receiver     |preamble SFD|frame.............FCS|                 later by the propagation delay
//
// MAC rules (IEEE 802.3 clauses 4.2.3 and 4.4.2): a station with a frame waits for silence of one interframe gap;
// carrier in the first two thirds of the gap restarts it, carrier in the last third does not. A collision is noticed
// when another signal arrives during one's own; preamble and start delimiter are completed, 32 bits of jam follow;
// backoff is a whole number of slot times below 2^min(n, 10), drawn from the station's own generator; the 16th
// collision gives up; a collision after one slot time is late.
//
// Not modelled: repeaters' own preamble shrinkage, different distances between pairs of stations, carrier extension,
// jabber cut-off, SQE heartbeat (a station may assume it), auto-negotiation (both ends are configured alike).
#pragma once

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

namespace planar::net {

class EthernetSegment;
class EthernetPort;

/// One-way delay between any two stations. Unit: time. Source: inferred; about 100 m of cable (0.43 us at 0.77 c)
/// plus a transceiver. It is also how far one machine of a lab may run ahead of another.
inline constexpr Time ethernet_propagation = 500_ns;

/// Lengths in bit times (IEEE 802.3 clause 4.4.2).
inline constexpr std::int64_t preamble_bits = 64;  ///< preamble and start frame delimiter
inline constexpr std::int64_t gap_bits = 96;
inline constexpr std::int64_t slot_bits = 512;
inline constexpr std::int64_t jam_bits = 32;

struct EthernetConfig {
  std::uint64_t bits_per_second = 10'000'000;  ///< 10'000'000 or 100'000'000
  bool full_duplex = false;
  Time propagation = ethernet_propagation;  ///< must be shorter than the interframe gap
};

enum class TransmitResult : std::uint8_t {
  ok,
  excessive_collisions,
  late_collision,
  carrier_lost,  ///< the whole frame went out, but nobody can have heard it (unplugged)
  underrun,      ///< the chip had no byte when the wire wanted one
  abandoned,     ///< given up by the station itself (abandon())
};

struct TransmitOutcome {
  TransmitResult result = TransmitResult::ok;
  unsigned collisions = 0;      ///< of this frame, 0 to 16
  bool deferred = false;        ///< the first attempt had to wait for silence or the gap
  bool late_collision = false;  ///< at least one collision was late (even if a retry succeeded)
  Time start{};                 ///< first preamble bit of the last attempt
};

/// A frame on its way into a station. While it arrives, only the bytes that arrived() counts may be looked at.
struct Reception {
  Time first_bit{};  ///< of the preamble
  Time byte_time{};
  std::span<const std::uint8_t> frame;  ///< as sent, FCS included
  std::size_t length = 0;               ///< whole bytes: as announced while it arrives, as arrived at its end
  std::size_t damaged_from = SIZE_MAX;  ///< bytes from here on are garbled by a collision
  bool dribble = false;                 ///< at its end: did not stop on a byte boundary
  bool fcs_ok = false;                  ///< at its end: complete, intact, and the FCS matches

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
  /// The frame given to transmit() is finished with, one way or another.
  virtual void transmit_ends(const TransmitOutcome& outcome, Time now) = 0;
  virtual void link_changed(bool /*up*/, Time /*now*/) {}
};

/// A station's connection: its MAC (deferral, collisions, backoff) and its ear.
class EthernetPort {
 public:
  struct Mac {
    unsigned attempts = 16;
    bool retry_late_collisions = false;  ///< the 8390 reschedules them like any other
    bool low_priority_backoff = false;   ///< 8390 TCR.OFST: the first three draws from 2^min(3+n, 10)
  };

  /// `seed` starts the backoff generator: give every station of a lab another one.
  EthernetPort(Scheduler& scheduler, std::string name, EthernetStation& station, std::uint64_t seed);
  ~EthernetPort();
  EthernetPort(const EthernetPort&) = delete;
  EthernetPort& operator=(const EthernetPort&) = delete;

  /// Joins a segment, plugged in. A port without a segment behaves as an unplugged one at 10 Mbit/s.
  void attach(EthernetSegment& segment);
  void detach();
  EthernetSegment* segment() const { return segment_; }

  /// Pulls or inserts the cable. A frame on its way is cut for the others; the sender notices lost carrier.
  void set_plugged(bool plugged, Time now);
  bool plugged() const { return segment_ && plugged_; }

  /// Sends `frame` (which holds its FCS) as soon as the MAC rules allow. Ignored while busy().
  void transmit(std::span<const std::uint8_t> frame, Time now);
  /// Replaces byte `offset` of the frame in transmit(), if it has not left yet; with `refresh_fcs` its last four bytes
  /// follow.
  void patch(std::size_t offset, std::uint8_t value, bool refresh_fcs, Time now);
  /// Gives the frame up: a waiting one is dropped at once (no outcome is reported, returns false), one on the wire is
  /// completed but not tried again (returns true).
  bool abandon(Time now);
  /// The chip has no next byte: the frame ends here, with a bad FCS.
  void underrun(Time now);

  Mac& mac() { return mac_; }
  bool busy() const { return state_ != State::idle; }
  bool transmitting() const { return state_ == State::on_wire; }
  /// First preamble bit of the attempt on the wire.
  Time transmit_start() const { return start_; }
  /// Collisions of the present frame so far.
  unsigned collisions() const { return collisions_; }
  /// Another station's signal is heard.
  bool carrier() const { return signals_ > 0; }
  /// The frame that is arriving, if one is.
  std::optional<Reception> receiving() const;

  Time bit_time() const;
  Time byte_time() const { return bit_time() * 8; }
  const std::string& name() const { return name_; }
  void archive(Archive& a);

 private:
  friend class EthernetSegment;
  enum class State : std::uint8_t { idle, waiting, on_wire };
  static constexpr std::uint32_t nobody = UINT32_MAX;

  void attempt(Time now);
  void leaves_end(Time now);
  void arrives(Time now);
  void gone(Time now);
  void carrier_on(std::uint32_t source, Time now);
  void carrier_off(std::uint32_t source, Time now);
  void collide(Time now);
  void schedule_attempt(Time now);
  void end_reception(Time now);
  void finish(TransmitResult result, Time now);
  void back_off(Time now);
  bool full_duplex() const;
  Time gap() const { return bit_time() * gap_bits; }
  Reception describe(std::uint32_t source) const;
  bool wire_good() const;

  Scheduler& scheduler_;
  std::string name_;
  EthernetStation& station_;
  EthernetSegment* segment_ = nullptr;
  std::uint32_t index_ = nobody;
  Mac mac_;

  bool plugged_ = true;
  State state_ = State::idle;
  std::vector<std::uint8_t> waiting_;  // given to transmit(), first attempt still to come
  std::vector<std::uint8_t> wire_;     // the frame of the present or last attempt
  bool fresh_ = false;                 // waiting_ holds a frame that has not been on the wire
  Time ready_{};                       // request or end of backoff
  Time start_{};
  bool heard_ = false;  // the present attempt goes out on the segment (cable was in when it began)
  bool collided_ = false;
  bool late_ = false;
  bool any_late_ = false;
  bool deferred_ = false;
  bool lost_carrier_ = false;
  bool underrun_ = false;
  bool abandoned_ = false;
  unsigned collisions_ = 0;

  bool audible_ = false;           // this port's signal is being heard by the others
  std::uint32_t signals_ = 0;      // other stations' signals heard here
  Time idle_since_{};              // when this station last saw the medium fall silent
  std::uint32_t source_ = nobody;  // whose frame is being received
  Time reception_start_{};
  std::uint64_t damaged_from_ = UINT64_MAX;

  Random random_;
  Event attempt_;
  Event leaves_end_;  // last bit leaves
  Event arrives_;     // first bit reaches the others
  Event gone_;        // last bit has passed the others
};

/// One frame, or fragment, as it left its sender.
struct WireRecord {
  Time start{};                         ///< first preamble bit
  Time end{};                           ///< last bit
  std::span<const std::uint8_t> bytes;  ///< with FCS
  bool good = false;                    ///< complete, no collision, FCS matches
  bool collided = false;
  std::string_view sender;  ///< EthernetPort::name()
};

class WireObserver {
 public:
  virtual ~WireObserver() = default;
  /// The first preamble bit of an attempt leaves; observe() tells its end.
  virtual void begins(std::string_view /*sender*/, Time /*now*/) {}
  virtual void observe(const WireRecord& record) = 0;
};

class EthernetSegment {
 public:
  struct Counters {
    std::uint64_t frames = 0;      ///< complete frames with a good FCS
    std::uint64_t bytes = 0;       ///< of those, FCS included
    std::uint64_t collisions = 0;  ///< attempts that ended in a collision
    std::uint64_t damaged = 0;     ///< complete or cut, but not good and not collided
  };

  /// Throws Error for a rate other than 10 or 100 Mbit/s or a delay that is not shorter than the gap.
  explicit EthernetSegment(EthernetConfig config = {});
  ~EthernetSegment();
  EthernetSegment(const EthernetSegment&) = delete;
  EthernetSegment& operator=(const EthernetSegment&) = delete;

  const EthernetConfig& config() const { return config_; }
  Time bit_time() const { return bit_time_; }
  Time lookahead() const { return config_.propagation; }
  const Counters& counters() const { return counters_; }
  /// Sees every frame and fragment begin, and whole when its last bit has left. Added in order, called in order.
  void add_observer(WireObserver& observer) { observers_.push_back(&observer); }
  void remove_observer(WireObserver& observer) { std::erase(observers_, &observer); }
  void set_trace(Trace* trace) { trace_ = trace; }
  /// The segment's own state; every port is archived by its station.
  void archive(Archive& a);

 private:
  friend class EthernetPort;
  std::uint32_t add(EthernetPort& port);
  void remove(EthernetPort& port);
  void begins(const EthernetPort& port, Time now);
  void left(const EthernetPort& port, WireRecord record);

  EthernetConfig config_;
  Time bit_time_;
  Counters counters_;
  std::vector<EthernetPort*> ports_;
  std::vector<WireObserver*> observers_;
  Trace* trace_ = nullptr;
};

}  // namespace planar::net
