// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/stations/bridge/source_route_bridge.hpp"

#include <algorithm>

#include "core/common/random.hpp"
#include "devices/medium/ring/ring_routing.hpp"

namespace planar::net {

class SourceRouteBridge::Side final : private RingStation {
 public:
  Side(SourceRouteBridge& bridge, std::uint32_t index, Scheduler& scheduler, const Place& place, std::uint64_t seed)
      : port_(scheduler, bridge.name_ + "." + place.ring->name(), *this, seed),
        bridge_(bridge),
        index_(index),
        place_(place) {
    port_.attach(*place.ring);
    port_.hear_all(true);
    const std::uint64_t random = Random(seed).next();
    port_.insert_at_rest({.node = {0x40, 0x00, 0x53, static_cast<std::uint8_t>(random >> 16),
                                   static_cast<std::uint8_t>(random >> 8), static_cast<std::uint8_t>(random)},
                          .bits_per_second = place.ring->bits_per_second(),
                          .early_token_release = place.ring->config().early_token_release},
                         scheduler.now());
  }
  unsigned ring_number() const { return place_.number; }
  const Ring& ring() const { return *place_.ring; }
  std::size_t waiting() const { return waiting_.size(); }
  void send(std::vector<std::uint8_t> frame, Time now) {
    waiting_.push_back(std::move(frame));
    if (waiting_.size() == 1) next(now);
  }
  void archive(Archive& a) {
    a(waiting_);
    port_.archive(a);
  }

 private:
  void next(Time now) {
    while (!waiting_.empty() && !port_.inserted()) {
      waiting_.pop_front();
      ++bridge_.counters_.dropped;
    }
    if (!waiting_.empty()) port_.transmit(waiting_.front(), now);
  }

  // RingStation
  bool accepts(std::span<const std::uint8_t>, Time) override { return true; }
  bool frame_ends(const RingReception& r, Time now) override {
    return r.good && bridge_.receive(index_, r.frame.first(r.length - fcs_bytes), now);
  }
  void transmit_ends(const RingTransmitOutcome& outcome, Time now) override {
    if (outcome.result != RingTransmitOutcome::Result::stripped) ++bridge_.counters_.dropped;
    if (!waiting_.empty()) waiting_.pop_front();
    next(now);
  }
  void insertion_ends(const InsertionOutcome&, Time) override {}
  void ring_status_changed(std::uint16_t, Time) override {}
  void lobe_connected(Time now) override { port_.insert_at_rest(RingInsertion(port_.parameters()), now); }

  RingPort port_;
  SourceRouteBridge& bridge_;
  std::uint32_t index_;
  Place place_;
  std::deque<std::vector<std::uint8_t>> waiting_;  // the first one is with the port
};

SourceRouteBridge::SourceRouteBridge(Scheduler& scheduler, std::string name, std::vector<Place> places, unsigned number,
                                     std::uint64_t seed, Time delay)
    : name_(std::move(name)),
      number_(number),
      delay_(delay),
      forward_(scheduler, name_ + ".forward", Priority::device, Callback::to<&SourceRouteBridge::forward>(this)) {
  for (const Place& place : places) {
    const auto index = static_cast<std::uint32_t>(sides_.size());
    sides_.push_back(std::make_unique<Side>(*this, index, scheduler, place, Random(seed + index).next()));
  }
}

SourceRouteBridge::~SourceRouteBridge() = default;

bool SourceRouteBridge::receive(std::uint32_t from, std::span<const std::uint8_t> frame, Time now) {
  const auto route = RingRoute::of(frame);
  if (!route) return false;
  return route->explorer() ? explore(from, frame, now) : follow_route(from, frame, now);
}

bool SourceRouteBridge::explore(std::uint32_t from, std::span<const std::uint8_t> frame, Time now) {
  bool left = false;
  for (std::uint32_t to = 0; to < sides_.size(); ++to) {
    RingRoute route = *RingRoute::of(frame);
    if (to == from || !route.extend(sides_[from]->ring_number(), number_, sides_[to]->ring_number())) {
      counters_.stayed += to != from;
      continue;
    }
    route.lower_largest(sides_[from]->ring().longest());
    route.lower_largest(sides_[to]->ring().longest());
    if (!hold(route.applied_to(frame), to, now)) continue;
    ++counters_.explored;
    left = true;
  }
  return left;
}

bool SourceRouteBridge::follow_route(std::uint32_t from, std::span<const std::uint8_t> frame, Time now) {
  const auto route = RingRoute::of(frame);
  for (std::uint32_t to = 0; to < sides_.size(); ++to)
    if (to != from && route->crosses(sides_[from]->ring_number(), number_, sides_[to]->ring_number())) {
      if (!hold(std::vector<std::uint8_t>(frame.begin(), frame.end()), to, now)) return false;
      ++counters_.routed;
      return true;
    }
  ++counters_.stayed;
  return false;
}

bool SourceRouteBridge::hold(std::vector<std::uint8_t> frame, std::uint32_t to, Time now) {
  if (frame.size() + fcs_bytes > sides_[to]->ring().longest()) {
    ++counters_.too_long;
    return false;
  }
  held_.push_back({std::move(frame), to, now + delay_});
  if (!forward_.pending()) forward_.at(held_.front().due);
  return true;
}

void SourceRouteBridge::forward(Time now) {
  Held held = std::move(held_.front());
  held_.pop_front();
  if (!held_.empty()) forward_.at(held_.front().due);
  Side& side = *sides_[held.to];
  if (side.waiting() < source_route_queue)
    side.send(std::move(held.frame), now);
  else
    ++counters_.dropped;
}

Description SourceRouteBridge::describe() const {
  Description d(name_);
  d.number("routed", counters_.routed).number("explored", counters_.explored).number("stayed", counters_.stayed);
  d.number("too long", counters_.too_long).number("dropped", counters_.dropped);
  for (const auto& side : sides_) d.reg(side->ring().name(), side->ring_number(), 12);
  return d;
}

void SourceRouteBridge::archive(Archive& a) {
  a.section("source-route bridge", 1);
  counters_.archive(a);
  a(held_);
  for (auto& side : sides_) side->archive(a);
  forward_.archive(a);
  if (!a.loading()) return;
  std::erase_if(held_, [&](const Held& held) { return held.to >= sides_.size(); });
  if (held_.empty()) forward_.cancel();
}

}  // namespace planar::net
