// SPDX-License-Identifier: GPL-2.0-or-later
// Insertion after the relay has switched, and the ring poll.
#include <algorithm>

#include "devices/medium/ring/ring.hpp"

namespace planar::net {
namespace {

/// A frame with A and C clear comes from the upstream neighbour.
bool first_to_hear(std::uint8_t status) { return !(status & (ring_fs::recognised | ring_fs::copied)); }

}  // namespace

RingProtocol::RingProtocol(Scheduler& scheduler, const std::string& name, RingPort& port)
    : port_(port),
      error_timer_(ring_timer::error_report),
      phase_ends_(scheduler, name + ".insertion", Priority::wire, Callback::to<&RingProtocol::phase_due>(this)),
      poll_(scheduler, name + ".poll", Priority::wire, Callback::to<&RingProtocol::poll_due>(this)),
      watch_(scheduler, name + ".watch", Priority::wire, Callback::to<&RingProtocol::watch_due>(this)),
      repeat_(scheduler, name + ".repeat", Priority::wire, Callback::to<&RingProtocol::repeat_due>(this)),
      report_(scheduler, name + ".report", Priority::wire, Callback::to<&RingProtocol::report_due>(this)) {}

Ring& RingProtocol::ring() const { return *port_.ring(); }

MacFrameBuilder RingProtocol::build(std::uint8_t control, const MacAddress& to, MacVector vector,
                                    std::uint8_t to_class) const {
  return MacFrameBuilder(control, to, port_.node(), vector, to_class);
}

MacFrameBuilder& RingProtocol::with_neighbour(MacFrameBuilder& frame) const {
  return frame.add32(mac_subvector::physical_drop, physical_drop_)
      .add(mac_subvector::upstream_neighbour, upstream_.value_or(MacAddress{}));
}

// Priorities: recalled, as used by IBM's adapters.
void RingProtocol::send(const MacFrameBuilder& frame, Time now) {
  std::vector<std::uint8_t> bytes = frame.done();
  const bool poll = bytes[1] == ring_mac_control::active_monitor || bytes[1] == ring_mac_control::standby_monitor;
  port_.transmit_mac(std::move(bytes), poll ? 7 : 3, now);
}

void RingProtocol::enter(bool joins, Time now) {
  leave();
  if (ring().full_duplex()) {  // no token, no monitor: nothing to take part in
    if (joins) enter_phase(Phase::parameters, ring_timer::queue, now);
    return;
  }
  if (joins) enter_phase(Phase::monitor, ring_timer::attach, now);
  watch_.at(now + ring_timer::standby_monitor);
}

void RingProtocol::leave() {
  stand_by();
  phase_ = Phase::none;
  upstream_.reset();
  answered_ = false;
  complete_ = true;
  told_ = 0;
  beacons_of_ = 0;
  for (Event* event : {&phase_ends_, &poll_, &watch_, &report_}) event->cancel();
}

// ---- insertion ----

void RingProtocol::enter_phase(Phase phase, Time limit, Time now) {
  phase_ = phase;
  attempts_ = good_tests_ = 0;
  phase_ends_.at(now + limit);
}

void RingProtocol::phase_over() {
  phase_ = Phase::none;
  phase_ends_.cancel();
}

void RingProtocol::phase_due(Time now) {
  switch (phase_) {
    case Phase::none: break;
    case Phase::monitor:
      port_.fail(InsertionPhase::physical_insertion,
                 told_ & ring_status::hard_error ? InsertionError::beaconing : InsertionError::timeout, now);
      break;
    case Phase::address: port_.fail(InsertionPhase::address_verification, InsertionError::ring_failure, now); break;
    case Phase::poll: port_.fail(InsertionPhase::ring_poll, InsertionError::timeout, now); break;
    case Phase::parameters:
      if (ring().full_duplex() || attempts_ >= 4)
        port_.joined(now);  // no answer: the defaults apply
      else
        request_parameters(now);
      break;
  }
}

void RingProtocol::monitor_seen(Time now) {
  if (phase_ != Phase::monitor) return;
  enter_phase(Phase::address, ring_timer::attach, now);
  test_address(now);
}

void RingProtocol::test_address(Time now) {
  ++attempts_;
  send(build(ring_mac_control::express, port_.node(), MacVector::duplicate_address_test), now);
}

void RingProtocol::address_tested(RingTransmitOutcome::Result result, std::uint8_t status, Time now) {
  if (phase_ != Phase::address) return;
  const bool back = result == RingTransmitOutcome::Result::stripped;
  if (back && status & ring_fs::recognised)
    return port_.fail(InsertionPhase::address_verification, InsertionError::duplicate_address, now);
  if (back && ++good_tests_ == 2) {
    const bool had_turn = answered_;
    enter_phase(Phase::poll, ring_timer::attach, now);
    if (had_turn) polled(now);
  } else if (attempts_ < 8) {
    test_address(now);
  }
}

void RingProtocol::polled(Time now) {
  answered_ = true;
  if (phase_ != Phase::poll) return;
  enter_phase(Phase::parameters, ring_timer::parameters, now);
  request_parameters(now);
}

void RingProtocol::request_parameters(Time now) {
  ++attempts_;
  phase_ends_.at(now + ring_timer::parameters);
  MacFrameBuilder frame = build(ring_mac_control::normal, ring_parameter_server, MacVector::request_initialization,
                                mac_class::parameter_server);
  frame.add(mac_subvector::upstream_neighbour, upstream_.value_or(MacAddress{}));
  frame.add(mac_subvector::product, port_.parameters_.product);
  frame.add(mac_subvector::microcode, port_.parameters_.microcode);
  frame.add16(mac_subvector::address_modifier, 0);
  send(frame, now);
}

// ---- the poll (neighbour notification) ----

// The active monitor begins a poll; a standby monitor takes its turn.
void RingProtocol::poll_due(Time now) {
  if (role_ == Role::active) return begin_poll(now);
  MacFrameBuilder frame = build(ring_mac_control::standby_monitor, ring_broadcast, MacVector::standby_monitor_present);
  send(with_neighbour(frame), now);
}

void RingProtocol::begin_poll(Time now) {
  if (ring().full_duplex()) return;
  if (!complete_) {
    MacFrameBuilder failure =
        build(ring_mac_control::normal, ring_error_monitor, MacVector::report_poll_failure, mac_class::error_monitor);
    send(failure.add(mac_subvector::last_neighbour, last_neighbour_), now);
  }
  complete_ = false;
  last_neighbour_ = port_.node();
  MacFrameBuilder frame = build(ring_mac_control::active_monitor, ring_broadcast, MacVector::active_monitor_present);
  send(with_neighbour(frame), now);
  poll_.at(now + ring_timer::active_monitor);
}

void RingProtocol::neighbour(std::span<const std::uint8_t> address, Time now) {
  MacAddress upstream;
  std::copy_n(address.begin(), upstream.size(), upstream.begin());
  const bool changed = upstream_ && *upstream_ != upstream;
  upstream_ = upstream;
  if (!changed || phase_ != Phase::none) return;
  MacFrameBuilder frame =
      build(ring_mac_control::normal, ring_report_server, MacVector::report_neighbour_change, mac_class::report_server);
  send(with_neighbour(frame), now);
}

void RingProtocol::heard_poll(const MacFrameView& frame, std::uint8_t status, Time now) {
  const bool from_monitor = frame.vector == MacVector::active_monitor_present;
  if (role_ == Role::active) {
    std::copy_n(frame.source.begin(), last_neighbour_.size(), last_neighbour_.begin());
    if (!from_monitor && first_to_hear(status)) {
      neighbour(frame.source, now);
      complete_ = true;
      polled(now);
    }
    return;
  }
  stand_by();
  if (from_monitor) {
    watch_.at(now + ring_timer::standby_monitor);
    answered_ = false;
    told_ = 0;
  }
  if (first_to_hear(status)) {
    neighbour(frame.source, now);
    if (!answered_) poll_.at(now + ring_timer::queue);
  }
  monitor_seen(now);
}

// A standby monitor has missed a poll, or the beacons that it was hearing have stopped.
void RingProtocol::watch_due(Time now) { claim(false, now); }

void RingProtocol::sent(std::span<const std::uint8_t> frame, RingTransmitOutcome::Result result, std::uint8_t status,
                        Time now) {
  const auto view = parse_mac_frame(frame);
  if (!view) return;
  const bool unheard = result == RingTransmitOutcome::Result::stripped && first_to_hear(status);
  switch (view->vector) {
    case MacVector::duplicate_address_test: address_tested(result, status, now); break;
    case MacVector::active_monitor_present:
      if (!unheard) break;  // no other station: it is alone on its ring
      upstream_ = port_.node();
      complete_ = true;
      tell(ring_status::single_station, now);
      polled(now);
      break;
    case MacVector::standby_monitor_present: polled(now); break;
    case MacVector::request_initialization:
      if (unheard && phase_ == Phase::parameters) port_.joined(now);  // no such server: the defaults apply
      break;
    default: break;
  }
}

}  // namespace planar::net
