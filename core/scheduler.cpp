// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/scheduler.hpp"

#include <algorithm>

namespace planar {

Event::Event(Scheduler& scheduler, std::string name, Priority priority, Callback callback)
    : scheduler_(scheduler), name_(std::move(name)), callback_(callback) {
  scheduler_.register_event(*this, priority);
}

Event::~Event() { scheduler_.unregister_event(*this); }

void Event::at(Time when) {
  if (when == when_) return;
  const Time old = when_;
  when_ = when;
  scheduler_.changed(*this, old);
}

void Event::archive(Archive& a) {
  Time when = when_;
  a(when);
  if (a.loading()) at(when);
}

void Scheduler::register_event(Event& event, Priority priority) {
  event.rank_ = (static_cast<std::uint64_t>(priority) << 56) | registered_++;
  events_.push_back(&event);
}

void Scheduler::unregister_event(Event& event) {
  std::erase(events_, &event);
  if (next_event_ == &event) find_next();
}

void Scheduler::changed(Event& event, Time) {
  if (next_event_ == &event) {
    find_next();
  } else if (event.when_ < next_ || (event.when_ == next_ && next_event_ && event.rank_ < next_event_->rank_)) {
    next_event_ = &event;
    next_ = event.when_;
  } else {
    return;
  }
  for (auto& slot : processors_)
    if (slot.running) slot.processor->lower_horizon(next_);
}

// A lab has some dozens of events: a scan is faster than keeping a heap, and its order needs no proof.
void Scheduler::find_next() {
  next_event_ = nullptr;
  next_ = Time::never();
  for (Event* e : events_) {
    if (e->when_ < next_ || (next_event_ && e->when_ == next_ && e->rank_ < next_event_->rank_)) {
      next_event_ = e;
      next_ = e->when_;
    }
  }
}

void Scheduler::attach(Processor& processor) { processors_.push_back({&processor, false}); }

void Scheduler::detach(Processor& processor) {
  std::erase_if(processors_, [&](const Slot& s) { return s.processor == &processor; });
}

void Scheduler::fire_until(Time t) {
  while (next_ <= t) {
    const Time due = next_;
    for (auto& slot : processors_)
      while (!slot.running && slot.processor->time() < due && due == next_) run_processor(slot, due);
    if (next_ < due) continue;  // a nested run scheduled something earlier
    if (next_ > t || !next_event_) return;
    Event& event = *next_event_;
    if (event.when_ > now_) now_ = event.when_;
    event.when_ = Time::never();
    find_next();
    event.callback_(now_);
  }
}

void Scheduler::run_processor(Slot& slot, Time horizon) {
  if (cut_) {
    const Time here = slot.processor->time();
    const Time cut = here + Time{static_cast<std::int64_t>(1 + cut_random_.below(20'000'000))};
    horizon = std::min(horizon, cut);
  }
  slot.running = true;
  slot.processor->run(horizon);
  slot.running = false;
}

bool Scheduler::run_until(Time limit) {
  stop_ = false;
  while (!stop_) {
    Slot* behind = nullptr;
    for (auto& slot : processors_)
      if (!behind || slot.processor->time() < behind->processor->time()) behind = &slot;
    const Time reached = behind ? behind->processor->time() : std::min(limit, next_);
    // Everything due up to the slowest processor's time happens before it goes on.
    if (next_ <= reached && next_ <= limit) {
      fire_until(next_);
      continue;
    }
    if (reached >= limit) {
      if (limit > now_) now_ = limit;
      return true;
    }
    if (!behind) continue;
    Time horizon = std::min(next_, limit);
    if (processors_.size() > 1)
      for (auto& slot : processors_)
        if (&slot != behind)
          horizon = std::min(horizon, std::max(slot.processor->time() + lookahead_, reached + Time{1}));
    run_processor(*behind, horizon);
  }
  return false;
}

void Scheduler::stop() {
  stop_ = true;
  for (auto& slot : processors_)
    if (slot.running) slot.processor->lower_horizon(Time{});
}

void Scheduler::cut_horizons_at_random(std::uint64_t seed) {
  cut_ = true;
  cut_random_ = Random(seed);
}

std::vector<const Event*> Scheduler::pending() const {
  std::vector<const Event*> list;
  for (const Event* e : events_)
    if (e->pending()) list.push_back(e);
  std::sort(list.begin(), list.end(), [](const Event* a, const Event* b) {
    return a->when_ != b->when_ ? a->when_ < b->when_ : a->rank_ < b->rank_;
  });
  return list;
}

void Scheduler::archive(Archive& a) {
  a.section("scheduler", 1);
  a(now_);
}

}  // namespace planar
