// SPDX-License-Identifier: GPL-2.0-or-later
// A station's connection to a Token Ring: what the ring controllers of all adapters do in the same way (IEEE 802.5).
//
// The port inserts itself (lobe test, phantom current, duplicate address test, ring poll, request for parameters),
// waits for tokens, sends, strips, recognises addresses, takes part in neighbour notification and monitor contention,
// answers the MAC frames that are addressed to a ring station, and counts errors. The adapter's chip decides
// what is copied to its host, and speaks to that in its own way.
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
  /// `seed` starts the generator of what the station does at random.
  RingPort(Scheduler& scheduler, std::string name, RingStation& station, std::uint64_t seed);
  ~RingPort() override;

  // Port
  void attach(Medium& medium) override;  ///< throws Error if `medium` is no ring
  void set_plugged(bool plugged, Time now) override;

  /// Goes onto the ring; RingStation::insertion_ends() tells what came of it, some seconds later (sooner on an error,
  /// or where the ring's `insertion` setting is quick). Ignored unless removed.
  void insert(const RingInsertion& parameters, Time now);
  /// Leaves the ring: the phantom current drops. A frame waiting or under way ends as `removed`.
  void remove(Time now);
  /// The same because a Remove Ring Station MAC frame asks for it: the station at the port is told. Ignored while
  /// removed.
  void remove_by_server(Time now);
  /// No driver decides when it is on the ring.
  bool plain() const { return station_.plain(); }
  /// On the ring, after insertion_ends().
  bool inserted() const;
  bool full_duplex() const;
  std::uint64_t bits_per_second() const;
  /// The active monitor's is this one; its upstream neighbour, once the poll has told.
  bool active_monitor() const;
  std::optional<MacAddress> upstream_neighbour() const;
  /// As insert() was given them, the speed as found.
  const RingInsertion& parameters() const { return parameters_; }
  /// Address that the station goes by.
  const MacAddress& node() const;

  /// While inserted or before.
  void set_functional(std::uint32_t mask);
  void set_group(std::uint32_t group);
  /// MAC frames to hand to the station beside what the port itself does with them: `adapter` those addressed to it that
  /// no ring station acts on, `attention` claim, beacon, purge, AMP, SMP; `beacon` beacons alone.
  void pass_mac(bool adapter, bool attention, bool beacon);

  /// Sends a frame, AC to the end of its data, when a token (priority 0) comes by; the port sets the token and
  /// monitor bits and appends the FCS. Ignored while busy() or not inserted.
  void transmit(std::span<const std::uint8_t> frame, Time now) { transmit(frame, frame.size(), now); }
  /// The same for a frame of `total` bytes of which the first ones are known; the others follow by supply() while it is
  /// sent. What is late when its turn comes ends the frame by an abort sequence (underrun).
  void transmit(std::span<const std::uint8_t> first, std::size_t total, Time now);
  void supply(std::span<const std::uint8_t> more, Time now);
  /// Ends the frame that is being sent by an abort sequence, or gives up the one that waits. It ends as an underrun.
  void abort(Time now);
  /// A frame waits or is on the ring and not stripped yet.
  bool busy() const;
  /// First bit of the start delimiter of the frame that is being sent.
  Time transmit_start() const;
  /// The frame for this station that is arriving, if one is.
  std::optional<RingReception> receiving() const;
  /// Bytes of that frame which have arrived or are on their way: the others its sender does not have yet itself.
  std::size_t settled() const;

  /// The station looks at every LLC frame, and A and C are set where accepts() and then frame_ends() say so: bridges,
  /// and plain stations.
  void hear_all(bool on) { hear_all_ = on; }
  /// Goes onto the ring without phases: a plain station. At time 0 it has always been there and disturbs nobody.
  /// Ignored unless removed, and with an unplugged cable.
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
  /// A token that came by until then was too early.
  Time ready() const { return std::max(idle_, mac_waiting_.empty() ? queued_ : mac_waiting_.front().queued); }
  /// Of the frame that waits: a token of a higher one is not for it.
  std::uint8_t priority() const { return mac_waiting_.empty() ? 0 : mac_waiting_.front().priority; }
  bool releases_early() const;
  void starts(std::uint64_t flight, bool mac, Time now);
  /// Whose address the frame with this header has.
  Match match(std::span<const std::uint8_t> frame, Time now) const;
  void begins(const RingReception& reception, Time now);
  /// True if it was copied.
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
  std::vector<std::uint8_t> frame_;  // waiting: what is known of it
  std::uint64_t total_ = 0;
  Time queued_{};
  Time free_{};  // full duplex: the gap after the last frame is over
  Time start_{};
  std::uint64_t flight_ = 0;  // of the host's frame or of a MAC frame, 0: none
  Time idle_{};               // the last one was finished
  std::deque<MacWaiting> mac_waiting_;

  RingProtocol protocol_;
  Event phase_;  // lobe test, or a fault, ends
};

}  // namespace planar::net
