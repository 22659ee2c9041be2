// SPDX-License-Identifier: GPL-2.0-or-later
// The MAC protocol that a ring station runs by itself (IEEE 802.5 clause 4): phased insertion, ring poll, active or
// standby monitor, claim, purge, beacon, answers to the ring's servers, and error reports.
//
// Not modelled: purge, claim and beacon frames are sent at intervals, not continuously; a station that claims or
// beacons still repeats what arrives.
#pragma once

#include <optional>

#include "core/common/random.hpp"
#include "core/time/scheduler.hpp"
#include "devices/medium/ring/ring_mac_frame.hpp"
#include "devices/medium/ring/ring_station.hpp"

namespace planar::net {

class Ring;
class RingPort;

class RingProtocol {
 public:
  RingProtocol(Scheduler& scheduler, const std::string& name, RingPort& port);

  /// The lobe is part of the ring. `joins`: the phases of insertion begin, and end with RingPort::joined() or
  /// RingPort::fail(); otherwise the station is a member at once.
  void enter(bool joins, Time now);
  void leave();
  std::optional<MacAddress> upstream_neighbour() const { return upstream_; }

  /// A good MAC frame for this station has arrived. `status` as received.
  void heard(std::span<const std::uint8_t> frame, std::uint8_t status, Time now);
  /// A MAC frame of this station that waited for a token has come back or has been lost.
  void sent(std::span<const std::uint8_t> frame, RingTransmitOutcome::Result result, std::uint8_t status, Time now);
  /// The same for a purge, claim or beacon, which needs no token.
  void recovery_sent(std::span<const std::uint8_t> frame, RingTransmitOutcome::Result result, Time now);
  /// The phases of insertion have ended.
  void phase_over();
  /// This is the first station of a ring that starts out at rest.
  void begin_as_monitor(Time now);
  /// The no token timer has expired.
  void no_token(Time now);
  /// Active monitor: no frames or tokens are left on the ring.
  void purge(Time now);
  /// There is no sign of a monitor or (`no_signal`) no signal from upstream.
  void claim(bool no_signal, Time now);
  /// The station counts an error, to be reported later.
  void count(std::uint8_t RingErrors::*counter, Time now);

  void archive(Archive& a);

 private:
  enum class Phase : std::uint8_t { none, monitor, address, poll, parameters };
  enum class Role : std::uint8_t { standby, active, claiming, beaconing };

  Ring& ring() const;
  MacFrameBuilder build(std::uint8_t control, const MacAddress& to, MacVector vector, std::uint8_t to_class = 0) const;
  /// Appends upstream neighbour and physical drop number, which many vectors end with.
  MacFrameBuilder& with_neighbour(MacFrameBuilder& frame) const;
  void send(const MacFrameBuilder& frame, Time now);

  // ring_poll.cpp: insertion and neighbour notification
  void phase_due(Time now);
  void enter_phase(Phase phase, Time limit, Time now);
  void monitor_seen(Time now);
  void test_address(Time now);
  void address_tested(RingTransmitOutcome::Result result, std::uint8_t status, Time now);
  void polled(Time now);
  void request_parameters(Time now);
  void poll_due(Time now);
  void begin_poll(Time now);
  void neighbour(std::span<const std::uint8_t> address, Time now);
  void heard_poll(const MacFrameView& frame, std::uint8_t status, Time now);
  void watch_due(Time now);

  // ring_recovery.cpp: claim, purge, beacon
  void send_recovery(const MacFrameBuilder& frame, Time now);
  void send_claim(Time now);
  void send_beacon(Time now);
  void repeat_due(Time now);
  void stand_by();
  void become_monitor(Time now);
  void heard_claim(const MacFrameView& frame, Time now);
  void heard_beacon(const MacFrameView& frame, Time now);
  void tell(std::uint16_t status, Time now);

  // ring_management.cpp: the ring's servers
  void report_due(Time now);
  void serve(const MacFrameView& frame, Time now);
  void respond(const MacFrameView& frame, unsigned code, Time now);
  void report(const MacFrameView& request, Time now);
  bool change_parameters(const MacFrameView& frame, Time now);

  RingPort& port_;
  Phase phase_ = Phase::none;
  Role role_ = Role::standby;
  std::optional<MacAddress> upstream_;
  std::uint8_t attempts_ = 0;    // address tests and requests for parameters made
  std::uint8_t good_tests_ = 0;  // address tests passed
  bool answered_ = false;        // this station has had its turn in the poll
  bool complete_ = true;         // the active monitor's poll has come round
  MacAddress last_neighbour_{};  // the last station heard in it
  std::uint8_t own_claims_ = 0;  // own claims that have come back
  std::uint8_t beacons_of_ = 0;  // beacons received that name this station as upstream neighbour
  bool no_signal_ = false;       // reason for claiming
  Time since_{};                 // start of purge, claim or beacon
  std::uint16_t told_ = 0;       // ring status reported during the present recovery
  std::uint32_t physical_drop_ = 0;
  Time error_timer_;
  RingErrors unreported_;

  Event phase_ends_;  // of insertion
  Event poll_;        // the active monitor's poll, a standby's turn in it
  Event watch_;       // no poll, or no beacon, for too long
  Event repeat_;      // the next purge, claim or beacon
  Event report_;      // errors
};

}  // namespace planar::net
