// SPDX-License-Identifier: GPL-2.0-or-later
// A station's connection to a Token Ring: what the ring controllers of all adapters do alike (IEEE 802.5).
//
// The port inserts itself (lobe test, phantom current, duplicate address test, ring poll, request for parameters),
// waits for tokens, sends, strips, recognises addresses, takes part in neighbour notification and monitor contention,
// answers the MAC frames addressed to a ring station, and counts errors. The adapter's chip decides what is copied to
// its host, and has its own interface to that host.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "core/common/random.hpp"
#include "core/time/scheduler.hpp"
#include "devices/medium/ring/ring_flight.hpp"
#include "devices/medium/ring/ring_protocol.hpp"
#include "devices/medium/ring/ring_station.hpp"

namespace planar::net {

class Ring;

class RingPort final : public Port {
 public:
  /// `seed` seeds the generator for the station's random choices.
  RingPort(Scheduler& scheduler, std::string name, RingStation& station, std::uint64_t seed);
  ~RingPort() override;

  // Port
  void attach(Medium& medium) override;  ///< throws Error if `medium` is not a ring
  void set_plugged(bool plugged, Time now) override;

  /// Inserts into the ring; RingStation::insertion_ends() reports the outcome some seconds later (sooner on an error,
  /// or if the ring's `insertion` setting is quick). Ignored unless removed.
  void insert(const RingInsertion& parameters, Time now);
  /// Leaves the ring: the phantom current drops. A frame waiting or in progress ends as `removed`.
  void remove(Time now);
  /// The same, on request of a Remove Ring Station MAC frame; the port's station is notified. Ignored while removed.
  void remove_by_server(Time now);
  /// No driver decides when the station is on the ring.
  bool plain() const { return station_.plain(); }
  /// On the ring, after insertion_ends().
  bool inserted() const;
  bool full_duplex() const;
  std::uint64_t bits_per_second() const;
  /// True if this station is the active monitor; below, its upstream neighbour, once known from the poll.
  bool active_monitor() const;
  std::optional<MacAddress> upstream_neighbour() const;
  /// As given to insert(), with the speed that was found.
  const RingInsertion& parameters() const { return parameters_; }
  /// The address that the station uses.
  const MacAddress& node() const;

  /// While inserted or before.
  void set_functional(std::uint32_t mask);
  void set_group(std::uint32_t group);
  /// MAC frames to pass to the station in addition to the port's own handling: `adapter`: those addressed to it that no
  /// ring station acts on; `attention`: claim, beacon, purge, AMP, SMP; `beacon`: beacons only.
  void pass_mac(bool adapter, bool attention, bool beacon);

  /// Sends a frame, AC to the end of its data, when a token (priority 0) passes; the port sets the token and monitor
  /// bits and appends the FCS. Ignored while busy() or not inserted.
  void transmit(std::span<const std::uint8_t> frame, Time now) { transmit(frame, frame.size(), now); }
  /// The same for a frame of `total` bytes of which only the first are known yet; the others follow through supply()
  /// during transmission. If bytes are missing when they are due, an abort sequence ends the frame (underrun).
  void transmit(std::span<const std::uint8_t> first, std::size_t total, Time now);
  void supply(std::span<const std::uint8_t> more, Time now);
  /// Ends the frame being sent by an abort sequence, or drops the one waiting. Reported as an underrun.
  void abort(Time now);
  /// A frame is waiting, or is on the ring and not stripped yet.
  bool busy() const;
  /// First bit of the start delimiter of the frame being sent.
  Time transmit_start() const;
  /// The frame for this station that is arriving, if any.
  std::optional<RingReception> receiving() const;
  /// Bytes of that frame that have arrived or are on their way; its sender does not have the others yet.
  std::size_t settled() const;

  /// The station looks at every LLC frame, and accepts() and then frame_ends() decide on A and C: for bridges and plain
  /// stations.
  void hear_all(bool on) { hear_all_ = on; }
  /// Joins the ring without insertion phases: a plain station. At time 0 it has always been there and disturbs no
  /// other. Ignored unless removed, and if the cable is unplugged.
  void insert_at_rest(const RingInsertion& parameters, Time now);

  /// Counts since they were last read.
  const RingErrors& errors() const;
  RingErrors take_errors();

  Time byte_time() const;
  void describe(Description& d) const;
  void archive(Archive& a);

 private:
  friend class Ring;
  friend class RingProtocol;
  enum class State : std::uint8_t { removed, lobe_test, joining, inserted, self_test };
  enum class Sending : std::uint8_t { nothing, waits, on_ring };
  struct Match {
    bool recognised = false, forwards = false, wanted = false, by_functional = false, by_group = false;
  };
  struct MacWaiting {
    std::vector<std::uint8_t> frame;
    Time queued{};
    std::uint8_t priority = 0;
    void archive(Archive& a) { a(frame, queued, priority); }
  };

  void detach();
  bool sound() const;
  Ring* ring() const;
  // insertion
  void begin(State state, Time after, Time now);
  void phase_ends(Time now);
  void lobe_tested(Time now);
  void fail(InsertionPhase phase, InsertionError error, Time now);
  void withdraw(Time now);
  void drop_off(Time now);
  void joined(Time now);
  void test_itself(Time now);
  void self_tested(Time now);
  void transmit_mac(std::vector<std::uint8_t> frame, std::uint8_t priority, Time now);

  // The ring calls these.
  bool waits() const { return !flight_ && (sending_ == Sending::waits || !mac_waiting_.empty()); }
  /// A token that passed at or before this time came too early.
  Time ready() const { return std::max(idle_, mac_waiting_.empty() ? queued_ : mac_waiting_.front().queued); }
  /// Priority of the waiting frame: it cannot use a token of higher priority.
  std::uint8_t priority() const { return mac_waiting_.empty() ? 0 : mac_waiting_.front().priority; }
  bool releases_early() const;
  void starts(std::uint64_t flight, bool mac, Time now);
  /// Which station address the frame with this header matches.
  Match match(std::span<const std::uint8_t> frame, Time now) const;
  void begins(const RingReception& reception, Time now);
  /// Returns true if it was copied.
  bool ends(const RingReception& reception, bool wanted, Time now);
  void finished(RingFlight::Purpose purpose, std::span<const std::uint8_t> frame, RingTransmitOutcome::Result result,
                std::uint8_t status, Time now);
  void host_finished(RingTransmitOutcome::Result result, std::uint8_t status, Time now);

  Scheduler& scheduler_;
  RingStation& station_;
  Random random_;
  State state_ = State::removed;
  bool on_ring_ = false;  // its lobe is part of the ring
  bool hear_all_ = false;
  bool pass_adapter_ = false, pass_attention_ = false, pass_beacon_ = false;
  RingInsertion parameters_;
  RingErrors errors_;

  Sending sending_ = Sending::nothing;
  std::vector<std::uint8_t> frame_;  // the waiting frame, as far as it is known
  std::uint64_t total_ = 0;
  Time queued_{};
  Time free_{};  // full duplex: end of the gap after the last frame
  Time start_{};
  std::uint64_t flight_ = 0;  // flight of the host's frame or of a MAC frame; 0: none
  Time idle_{};               // end of the last frame
  std::deque<MacWaiting> mac_waiting_;

  RingProtocol protocol_;
  Event phase_;  // end of lobe test or fault
};

}  // namespace planar::net
