// SPDX-License-Identifier: GPL-2.0-or-later
// What a ring station does by itself, with MAC frames (IEEE 802.5 clause 4): goes onto the ring in phases, takes part
// in the ring poll, is active or standby monitor, claims, purges, beacons, answers the ring's servers and reports its
// errors.
//
// Not modelled: a purge, claim or beacon is sent once in a while, not without pause; a station that claims or beacons
// still repeats what arrives.
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

  /// A good MAC frame for this station. `status` as it came in.
  void heard(std::span<const std::uint8_t> frame, std::uint8_t status, Time now);
  /// One of this station's that waited for a token has come back, or has not.
  void sent(std::span<const std::uint8_t> frame, RingTransmitOutcome::Result result, std::uint8_t status, Time now);
  /// The same of a purge, claim or beacon, which needs no token.
  void recovery_sent(std::span<const std::uint8_t> frame, RingTransmitOutcome::Result result, Time now);
  /// The phases of insertion have come to their end.
  void phase_over();
  /// The first station of a ring that is at rest.
  void begin_as_monitor(Time now);
  /// The no token timer has run out.
  void no_token(Time now);
  /// The active monitor: frames and tokens are gone.
  void purge(Time now);
  /// No signs of a monitor, or (`no_signal`) of anything upstream.
  void claim(bool no_signal, Time now);
  /// The station counts an error and will report it.
  void count(std::uint8_t RingErrors::*counter, Time now);

  void archive(Archive& a);

 private:
  enum class Phase : std::uint8_t { none, monitor, address, poll, parameters };
  enum class Role : std::uint8_t { standby, active, claiming, beaconing };

  Ring& ring() const;
  MacFrameBuilder build(std::uint8_t control, const MacAddress& to, MacVector vector, std::uint8_t to_class = 0) const;
  /// Upstream neighbour and physical drop, which many vectors end with.
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
  std::uint8_t attempts_ = 0;    // address tests, requests for parameters
  std::uint8_t good_tests_ = 0;  // of the address
  bool answered_ = false;        // this station has had its turn in the poll
  bool complete_ = true;         // the active monitor's poll has come round
  MacAddress last_neighbour_{};  // the last one in it
  std::uint8_t own_claims_ = 0;  // that have come back
  std::uint8_t beacons_of_ = 0;  // beacons that name this station as upstream neighbour
  bool no_signal_ = false;       // why it claims
  Time since_{};                 // begin of purge, claim or beacon
  std::uint16_t told_ = 0;       // ring status of the present recovery
  std::uint32_t physical_drop_ = 0;
  std::uint16_t ring_number_ = 0;
  Time error_timer_;
  RingErrors unreported_;

  Event phase_ends_;  // of insertion
  Event poll_;        // the active monitor's poll, a standby's turn in it
  Event watch_;       // no poll, or no beacon, for too long
  Event repeat_;      // the next purge, claim or beacon
  Event report_;      // errors
};

}  // namespace planar::net
