// SPDX-License-Identifier: GPL-2.0-or-later
// How a station goes onto the ring and off it.
#include "devices/medium/ring/ring.hpp"

namespace planar::net {
namespace {

/// Lobe test: 2047 lobe media test frames and what the adapter does between them. Source: inferred, so that opening
/// takes 1 to 2.5 s.
constexpr Time lobe_test = 1_s, quick_lobe_test = 100_us;
/// From the relay's click until the ring has settled and the station has taken part in a poll.
constexpr Time settling = ring_timer::valid_transmission + 1_ms;
/// Signal is lost at once; the phantom current is found open some seconds later, and the station leaves.
constexpr Time wire_fault = 5_s;

}  // namespace

void RingPort::begin(State state, Time after, Time now) {
  state_ = state;
  phase_.at(now + after);
}

void RingPort::insert(const RingInsertion& parameters, Time now) {
  if (state_ != State::removed) return;
  parameters_ = parameters;
  upstream_.reset();
  begin(State::lobe_test, medium() && ring()->config().quick_insertion ? quick_lobe_test : lobe_test, now);
}

void RingPort::insert_at_rest(const RingInsertion& parameters, Time now) {
  if (state_ != State::removed || !plugged()) return;
  parameters_ = parameters;
  state_ = State::inserted;
  ring()->enter(*this, now == Time{}, now);
}

void RingPort::phase_ends(Time now) {
  switch (state_) {
    case State::removed: break;
    case State::lobe_test: lobe_tested(now); break;
    case State::joining:
      if (address_taken()) return fail(InsertionPhase::address_verification, InsertionError::duplicate_address, now);
      state_ = State::inserted;
      station_.insertion_ends({.bits_per_second = parameters_.bits_per_second, .full_duplex = ring()->full_duplex()},
                              now);
      break;
    case State::inserted:
      withdraw(now);
      station_.ring_status_changed(ring_status::lobe_wire_fault, now);
      break;
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
  begin(State::joining, alone ? ring_timer::no_token : settling, now);
  ring()->enter(*this, false, now);
}

void RingPort::fail(InsertionPhase phase, InsertionError error, Time now) {
  withdraw(now);
  station_.insertion_ends({.phase = phase, .error = error}, now);
}

bool RingPort::address_taken() const {
  for (std::uint32_t i = 0; i < ring()->ports().size(); ++i)
    if (ring()->on_ring(i) && i != index() && ring()->port(i)->node() == node()) return true;
  return false;
}

void RingPort::remove(Time now) { withdraw(now); }

void RingPort::withdraw(Time now) {
  phase_.cancel();
  state_ = State::removed;
  if (medium()) ring()->leave(*this, now);
  if (busy()) finished(RingTransmitOutcome::Result::removed, 0, now);
}

// With the lobe open the hub's relay falls: the ring closes without the station.
void RingPort::set_plugged(bool plugged, Time now) {
  if (!medium() || plugged == plugged_) return;
  plugged_ = plugged;
  if (plugged) {
    if (state_ == State::removed) station_.lobe_connected(now);
    if (state_ != State::inserted) return;
    phase_.cancel();  // the fault was not found: the phantom current is back
    ring()->enter(*this, false, now);
    return;
  }
  if (state_ == State::removed || state_ == State::lobe_test) return;
  ring()->leave(*this, now);
  if (state_ == State::joining) return fail(InsertionPhase::physical_insertion, InsertionError::signal_loss, now);
  phase_.at(now + wire_fault);
  station_.ring_status_changed(ring_status::signal_loss, now);
}

}  // namespace planar::net
