// SPDX-License-Identifier: GPL-2.0-or-later
// Insertion of a station into the ring and its removal.
#include "devices/medium/ring/ring.hpp"

namespace planar::net {
namespace {

/// Lobe test: 2047 lobe media test frames and the adapter's work between them. Source: inferred, so that opening takes
/// 1 to 2.5 s.
constexpr Time lobe_test = 1_s, quick_lobe_test = 100_us;
/// Signal is lost at once; the open phantom circuit is detected some seconds later, and the station leaves.
constexpr Time wire_fault = 5_s;

}  // namespace

void RingPort::begin(State state, Time after, Time now) {
  state_ = state;
  phase_.at(now + after);
}

void RingPort::insert(const RingInsertion& parameters, Time now) {
  if (state_ != State::removed) return;
  parameters_ = parameters;
  begin(State::lobe_test, medium() && ring()->config().quick_insertion ? quick_lobe_test : lobe_test, now);
}

void RingPort::insert_at_rest(const RingInsertion& parameters, Time now) {
  if (state_ != State::removed || !plugged()) return;
  parameters_ = parameters;
  state_ = State::inserted;
  ring()->enter(*this, now == Time{}, false, now);
}

void RingPort::phase_ends(Time now) {
  switch (state_) {
    case State::removed:
    case State::joining: break;
    case State::lobe_test: lobe_tested(now); break;
    case State::inserted:
      withdraw(now);
      station_.ring_status_changed(ring_status::lobe_wire_fault, now);
      break;
    case State::self_test: self_tested(now); break;
  }
}

void RingPort::lobe_tested(Time now) {
  if (!plugged()) return fail(InsertionPhase::lobe_test, InsertionError::function_failure, now);
  const bool alone = ring()->stations() == 0;
  if (parameters_.autosense) {
    if (alone) return fail(InsertionPhase::physical_insertion, InsertionError::no_monitor, now);
    parameters_.bits_per_second = ring()->bits_per_second();
  }
  if (parameters_.bits_per_second != ring()->bits_per_second())
    return fail(InsertionPhase::physical_insertion, InsertionError::wrong_speed, now);
  state_ = State::joining;
  ring()->enter(*this, false, true, now);
}

void RingPort::joined(Time now) {
  protocol_.phase_over();
  state_ = State::inserted;
  station_.insertion_ends({.bits_per_second = parameters_.bits_per_second, .full_duplex = ring()->full_duplex()}, now);
}

void RingPort::fail(InsertionPhase phase, InsertionError error, Time now) {
  withdraw(now);
  station_.insertion_ends({.phase = phase, .error = error}, now);
}

void RingPort::remove(Time now) { withdraw(now); }

void RingPort::withdraw(Time now) {
  phase_.cancel();
  state_ = State::removed;
  mac_waiting_.clear();
  if (medium()) ring()->leave(*this, now);
  if (busy()) host_finished(RingTransmitOutcome::Result::removed, 0, now);
}

// Off the ring but still open for the host: frames on the ring are lost, waiting frames keep waiting.
void RingPort::drop_off(Time now) {
  mac_waiting_.clear();
  ring()->leave(*this, now);
  if (sending_ == Sending::on_ring) host_finished(RingTransmitOutcome::Result::lost, 0, now);
}

void RingPort::remove_by_server(Time now) {
  if (state_ == State::removed) return;
  if (state_ == State::lobe_test || state_ == State::joining)
    return fail(InsertionPhase::request_parameters, InsertionError::remove_received, now);
  withdraw(now);
  station_.ring_status_changed(ring_status::remove_received, now);
}

// Another station's beacons say that this station or its cable may be at fault.
void RingPort::test_itself(Time now) {
  if (state_ != State::inserted) return withdraw(now);
  begin(State::self_test, lobe_test, now);
  drop_off(now);
}

void RingPort::self_tested(Time now) {
  if (plugged()) {
    state_ = State::inserted;
    ring()->enter(*this, false, false, now);
    return;
  }
  withdraw(now);
  station_.ring_status_changed(ring_status::auto_removal, now);
}

// When the lobe is unplugged, the hub's relay drops and the ring closes without the station.
void RingPort::set_plugged(bool plugged, Time now) {
  if (!medium() || plugged == plugged_) return;
  plugged_ = plugged;
  if (plugged) {
    if (state_ == State::removed) station_.lobe_connected(now);
    if (state_ != State::inserted) return;
    phase_.cancel();  // the fault was not detected: the phantom current is back
    ring()->enter(*this, false, false, now);
    return;
  }
  if (state_ != State::joining && state_ != State::inserted) return;
  if (state_ == State::joining) return fail(InsertionPhase::physical_insertion, InsertionError::signal_loss, now);
  phase_.at(now + wire_fault);
  drop_off(now);
  station_.ring_status_changed(ring_status::signal_loss, now);
}

}  // namespace planar::net
