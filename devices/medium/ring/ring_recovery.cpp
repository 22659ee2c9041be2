// SPDX-License-Identifier: GPL-2.0-or-later
// Purge by the active monitor, contention for the monitor role, beacons on a broken ring.
#include <algorithm>

#include "devices/medium/ring/ring.hpp"

namespace planar::net {
namespace {

/// Own claims that must come back before a station is the monitor. Source: IEEE 802.5, recalled.
constexpr unsigned claims_to_win = 3;
/// Beacons after which the station upstream of the fault tests itself. Source: IBM, recalled.
constexpr unsigned beacons_to_test = 8;
/// Beacon types.
constexpr unsigned signal_loss = 1, claims_unanswered = 3;

bool higher(std::span<const std::uint8_t> a, std::span<const std::uint8_t> b) {
  return std::lexicographical_compare(b.begin(), b.end(), a.begin(), a.end());
}

}  // namespace

void RingProtocol::tell(std::uint16_t status, Time now) {
  const auto risen = static_cast<std::uint16_t>(status & ~told_);
  told_ |= status;
  if (risen) port_.station_.ring_status_changed(risen, now);
}

void RingProtocol::send_recovery(const MacFrameBuilder& frame, Time now) {
  ring().transmit_now(port_, frame.done(), now);
}

void RingProtocol::stand_by() {
  if (role_ == Role::standby) return;
  if (role_ == Role::active) poll_.cancel();
  role_ = Role::standby;
  repeat_.cancel();
}

// ---- purge ----

void RingProtocol::purge(Time now) {
  if (repeat_.pending()) return;  // in progress
  role_ = Role::active;
  watch_.cancel();
  poll_.cancel();
  since_ = now;
  repeat_due(now);
}

void RingProtocol::become_monitor(Time now) {
  repeat_.cancel();
  ring().monitor_ = port_.index();
  MacFrameBuilder frame =
      build(ring_mac_control::normal, ring_report_server, MacVector::report_new_monitor, mac_class::report_server);
  send(frame.add(mac_subvector::upstream_neighbour, upstream_.value_or(MacAddress{}))
           .add(mac_subvector::physical_drop, std::array<std::uint8_t, 4>{})
           .add(mac_subvector::product, port_.parameters_.product),
       now);
  purge(now);
}

void RingProtocol::begin_as_monitor(Time now) {
  role_ = Role::active;
  watch_.cancel();
  poll_.at(now + ring_timer::active_monitor);
}

// ---- contention ----

// Where beacons are heard, recovery is left to the beaconing station.
void RingProtocol::no_token(Time now) {
  if (!(told_ & ring_status::hard_error)) claim(false, now);
}

void RingProtocol::claim(bool no_signal, Time now) {
  if (role_ == Role::claiming || role_ == Role::beaconing || !port_.on_ring_ || ring().full_duplex()) return;
  stand_by();
  poll_.cancel();
  watch_.cancel();
  ring().lose_token(now);
  role_ = Role::claiming;
  no_signal_ = no_signal;
  own_claims_ = 0;
  since_ = now;
  tell(ring_status::ring_recovery, now);
  if (role_ == Role::claiming) repeat_due(now);
}

void RingProtocol::send_claim(Time now) {
  MacFrameBuilder frame = build(ring_mac_control::claim, ring_broadcast, MacVector::claim_token);
  send_recovery(with_neighbour(frame), now);
}

void RingProtocol::heard_claim(const MacFrameView& frame, Time now) {
  tell(ring_status::ring_recovery, now);
  if (!port_.on_ring_) return;
  const bool mine_is_higher = higher(port_.node(), frame.source);
  if (role_ == Role::claiming) {
    if (mine_is_higher) return;
    stand_by();
  } else if (role_ == Role::beaconing) {
    stand_by();
  } else if (port_.parameters_.contender && mine_is_higher) {
    return claim(false, now);
  } else if (role_ == Role::active) {
    ring().monitor_ = UINT32_MAX;  // contention may elect another monitor
    stand_by();
  }
  watch_.at(now + ring_timer::no_token);
}

// ---- beacon ----

void RingProtocol::send_beacon(Time now) {
  MacFrameBuilder frame = build(ring_mac_control::beacon, ring_broadcast, MacVector::beacon);
  frame.add16(mac_subvector::beacon_type, no_signal_ ? signal_loss : claims_unanswered);
  send_recovery(with_neighbour(frame), now);
}

void RingProtocol::heard_beacon(const MacFrameView& frame, Time now) {
  if (phase_ != Phase::none) return port_.fail(InsertionPhase::physical_insertion, InsertionError::beaconing, now);
  tell(ring_status::hard_error, now);
  if (!port_.on_ring_) return;
  if (role_ == Role::active) ring().monitor_ = UINT32_MAX;
  stand_by();
  poll_.cancel();
  watch_.at(now + ring_timer::beacon_receive);
  const auto named = frame.find(mac_subvector::upstream_neighbour, 6);
  if (!named || !std::equal(port_.node().begin(), port_.node().end(), named->begin())) return;
  if (++beacons_of_ < beacons_to_test) return;
  beacons_of_ = 0;
  port_.test_itself(now);
}

// Sends the next purge, claim or beacon, or ends the present phase of recovery.
void RingProtocol::repeat_due(Time now) {
  const Time length = now - since_;
  repeat_.at(now + ring_timer::pacing);
  switch (role_) {
    case Role::standby: repeat_.cancel(); break;
    case Role::active:
      if (length < ring_timer::ring_purge) {
        MacFrameBuilder frame = build(ring_mac_control::purge, ring_broadcast, MacVector::ring_purge);
        send_recovery(with_neighbour(frame), now);
      } else {  // no frame comes back: contention
        ring().monitor_ = UINT32_MAX;
        claim(false, now);
      }
      break;
    case Role::claiming:
      if (length < ring_timer::claim_token) return send_claim(now);
      role_ = Role::beaconing;
      since_ = now;
      tell(no_signal_ ? ring_status::transmitting_beacon | ring_status::hard_error | ring_status::signal_loss
                      : ring_status::transmitting_beacon | ring_status::hard_error,
           now);
      if (role_ == Role::beaconing) send_beacon(now);
      break;
    case Role::beaconing:
      if (length < ring_timer::beacon_transmit) return send_beacon(now);
      port_.test_itself(now);
      break;
  }
}

void RingProtocol::recovery_sent(std::span<const std::uint8_t>, RingTransmitOutcome::Result result, Time now) {
  if (result != RingTransmitOutcome::Result::stripped) return;  // it will be repeated at the next interval
  switch (role_) {
    case Role::standby: break;
    case Role::active:
      if (!repeat_.pending()) break;
      repeat_.cancel();
      told_ = 0;
      ring().purged(now);
      begin_poll(now);
      monitor_seen(now);
      break;
    case Role::claiming:
      if (++own_claims_ == claims_to_win) become_monitor(now);
      break;
    case Role::beaconing:  // the ring is closed again
      role_ = Role::standby;
      claim(false, now);
      break;
  }
}

}  // namespace planar::net
