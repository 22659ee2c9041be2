// SPDX-License-Identifier: GPL-2.0-or-later
// The token: where it is, which station captures it, and its priority (IEEE 802.5 clause 4.1).
#include <algorithm>

#include "devices/medium/ring/ring.hpp"

namespace planar::net {

void Ring::release_token(std::uint32_t from, Time at, std::uint8_t priority, Time now) {
  token_ = step_ = {true, from, at, priority};
  find_start(now);
}

void Ring::lose_token(Time now) {
  token_.present = false;
  raises_.clear();
  find_start(now);
}

// The token's first bit passes `to` repeatedly; returns the first time later than `after`.
Time Ring::token_arrival(std::uint32_t to, Time after) const {
  const Time first = token_.released + delay(token_.from, to);
  if (first > after) return first;
  const Time round = latency();
  if (round <= Time{}) return Time::never();  // no station is on the ring
  return first + round * ((after - first) / round + 1);
}

// The highest priority that waiting stations have written into the reservation bits of a frame or token that is back at
// `station` at time `back`.
std::uint8_t Ring::reservation(std::uint32_t station, Time back) const {
  std::uint8_t most = 0;
  for (std::uint32_t i = 0; i < ports().size(); ++i) {
    if (!on_ring(i) || !port(i)->waits() || port(i)->priority() <= most) continue;
    const Time passed = i == station ? back : back - delay(i, station);
    if (port(i)->ready() < passed) most = port(i)->priority();
  }
  return most;
}

// After a frame. With early release, its reservations may not be back yet; they are then lost.
void Ring::pass_token(const RingFlight& f, Time now) {
  const Time back = f.start + latency();
  const std::uint8_t wanted = now >= back + byte_time() * 2 ? reservation(f.source, back) : 0;
  std::uint8_t priority = f.priority;
  if (wanted > priority) {
    // The station that raises the priority is responsible for lowering it again.
    if (!raises_.empty() && raises_.back().station == f.source && raises_.back().to == priority)
      raises_.back().to = wanted;
    else
      raises_.push_back({f.source, priority, wanted});
    priority = wanted;
  }
  release_token(f.source, now + gap(), priority, now);
}

// The token is back at the station that raised its priority; no station has captured it.
void Ring::lower_token(Time now) {
  Raise& raise = raises_.back();
  const std::uint32_t station = raise.station;
  const std::uint8_t wanted = reservation(station, now);
  std::uint8_t priority = raise.from;
  if (wanted > priority && wanted < token_.priority)
    raise.to = priority = wanted;
  else
    raises_.pop_back();
  release_token(station, now, priority, now);
}

Time Ring::lowering() const {
  const bool raised = token_.present && !raises_.empty() && raises_.back().to == token_.priority;
  return raised && on_ring(raises_.back().station) ? token_arrival(raises_.back().station, token_.released)
                                                   : Time::never();
}

Time Ring::next_start(const RingPort& p) const {
  if (!p.waits() || !p.on_ring_) return Time::never();
  if (full_duplex()) return std::max(p.ready(), p.free_);
  return token_.present && p.priority() >= token_.priority ? token_arrival(p.index(), p.ready()) : Time::never();
}

Time Ring::computed_start() const {
  Time first = lowering();
  for (std::uint32_t i = 0; i < ports().size(); ++i)
    if (ports()[i]) first = std::min(first, next_start(*port(i)));
  return first;
}

bool Ring::steps() const { return config_.stepwise && token_.present && !full_duplex(); }
Time Ring::next_step() const { return step_.released + delay(step_.from, next_station(step_.from)); }

void Ring::find_start(Time now) {
  const Time first = steps() ? next_step() : computed_start();
  start_.at(first == Time::never() ? first : std::max(first, now));
}

void Ring::start_due(Time now) {
  if (steps()) return step_token(now);
  const Time lowered = lowering();
  for (std::uint32_t i = 0; i < ports().size(); ++i)
    if (ports()[i] && next_start(*port(i)) <= now) start(*port(i), now);
  if (token_.present && lowered <= now) lower_token(now);
  find_start(now);
}

// The same, advancing the token one station per event.
void Ring::step_token(Time now) {
  const Time passed = next_step();
  const std::uint32_t at = next_station(step_.from);
  if (at == nobody) return;  // a damaged snapshot
  const RingPort& here = *port(at);
  if (here.waits() && here.ready() < passed && here.priority() >= token_.priority)
    start(*port(at), now);
  else if (!raises_.empty() && raises_.back().to == token_.priority && raises_.back().station == at)
    lower_token(now);
  else
    step_ = {true, at, passed, token_.priority};
  find_start(now);
}

// A stepwise token is saved in the form of a computed one.
void Ring::archive_start(Archive& a) {
  const Time step = start_.when();
  if (!a.loading() && steps()) start_.at(computed_start());
  start_.archive(a);
  if (a.loading()) step_ = token_;
  if (steps()) start_.at(a.loading() ? next_step() : step);
}

}  // namespace planar::net
