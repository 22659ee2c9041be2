// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/time/scheduler.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace planar {

Event::Event(Scheduler& scheduler, std::string name, Priority priority, Callback callback)
    : scheduler_(scheduler),
      name_(name.starts_with(scheduler.prefix_) ? std::move(name) : scheduler.prefix_ + name),
      callback_(callback) {
  scheduler_.register_event(*this, priority);
}

Event::~Event() { scheduler_.unregister_event(*this); }

void Event::at(Time when) {
  if (when == when_) return;
  when_ = when;
  scheduler_.changed(*this);
}

void Event::archive(Archive& a) {
  Time when = when_;
  a(when);
  // An event in the past fires before anything else, and a periodic one would catch up on every period since.
  constexpr Time overdue = 1_s;
  if (a.loading() && when < scheduler_.now() - overdue)
    throw Error(fmt::format("snapshot: '{}' has been due for too long; the file is damaged, take a new one", name_),
                ExitCode::missing_file);
  if (a.loading()) at(when);
}

void Scheduler::register_event(Event& event, Priority priority) {
  event.rank_ = (static_cast<std::uint64_t>(priority) << 56) | registered_++;
  if (registered_ <= due_.capacity()) return;
  pending_.reserve(2 * registered_);  // all may be pending at once: Event::at() allocates no host memory
  due_.reserve(2 * registered_);
}

void Scheduler::unregister_event(Event& event) {
  remove(event);
  if (next_event_ == &event) find_next();
}

void Scheduler::add(Event& event) {
  event.index_ = pending_.size();
  pending_.push_back(&event);
  due_.push_back(event.when_);
}

void Scheduler::remove(Event& event) {
  if (event.index_ == Event::not_pending) return;
  pending_.back()->index_ = event.index_;
  pending_[event.index_] = pending_.back();
  due_[event.index_] = due_.back();
  pending_.pop_back();
  due_.pop_back();
  event.index_ = Event::not_pending;
}

void Scheduler::changed(Event& event) {
  if (!event.pending())
    remove(event);
  else if (event.index_ == Event::not_pending)
    add(event);
  else
    due_[event.index_] = event.when_;
  if (next_event_ == &event) {
    find_next();
  } else if (event.when_ < next_ || (event.when_ == next_ && next_event_ && event.rank_ < next_event_->rank_)) {
    set_next(&event, event.when_);
  } else {
    return;
  }
  for (auto& slot : processors_)
    if (slot->running) slot->processor->lower_horizon(next_);
}

// One or two dozen events are pending: a linear scan is faster than maintaining a heap, and its order is evident.
void Scheduler::find_next() {
  Event* first = nullptr;
  Time when = Time::never();
  for (std::size_t i = 0; i < due_.size(); ++i) {
    if (due_[i] > when) [[likely]]
      continue;
    if (due_[i] < when || pending_[i]->rank_ < first->rank_) {
      first = pending_[i];
      when = due_[i];
    }
  }
  set_next(first, when);
}

void Scheduler::attach(Processor& processor) {
  processors_.push_back(std::make_unique<Slot>(Slot{.processor = &processor}));
}

void Scheduler::detach(Processor& processor) {
  std::erase_if(processors_, [&](const auto& slot) { return slot->processor == &processor; });
}

void Scheduler::fire_next() {
  Event& event = *next_event_;
  if (event.when_ > now_) now_ = event.when_;
  event.when_ = Time::never();
  remove(event);
  find_next();
  event.callback_(now_);
}

void Scheduler::fire_until(Time t) {
  while (next_ <= t && next_event_) fire_next();
}

void Scheduler::synchronize(Time t) {
  if (!current_) return fire_until(t);
  current_->until = t;
  suspend(*current_);
}

Time Scheduler::advance_to_event(Time t) {
  if (current_) {
    current_->until = t;
    current_->for_event = true;
    suspend(*current_);
    return current_->until;
  }
  t = std::max(t, next_);
  advance(t);
  return t;
}

Time Scheduler::cut(const Slot& slot, Time horizon) {
  if (!cut_) return horizon;
  return std::min(horizon, slot.processor->time() + Time{static_cast<std::int64_t>(1 + cut_random_.below(20'000'000))});
}

bool Scheduler::run_until(Time limit) {
  stop_ = false;
  return processors_.size() > 1 ? run_many(limit) : run_one(limit);
}

bool Scheduler::run_one(Time limit) {
  Slot* const slot = processors_.empty() ? nullptr : processors_.front().get();
  while (!stop_) {
    const Time reached = slot ? slot->processor->time() : std::min(limit, next_);
    // Everything due up to the processor's time happens before it continues.
    if (next_ <= reached && next_ <= limit) {
      fire_until(next_);
      continue;
    }
    if (reached >= limit) {
      if (limit > now_) now_ = limit;
      return true;
    }
    if (!slot) continue;
    slot->running = true;
    slot->processor->run(cut(*slot, std::min(next_, limit)));
    slot->running = false;
  }
  return false;
}

bool Scheduler::step(Processor& processor, Time limit) {
  stop_ = false;
  for (auto& slot : processors_)
    if (slot->processor == &processor) return processors_.size() > 1 ? step_many(*slot, limit) : step_one(*slot, limit);
  return false;
}

bool Scheduler::step_one(Slot& slot, Time limit) {
  while (!stop_) {
    const Time reached = slot.processor->time();
    if (next_ <= reached && next_ <= limit) {
      fire_until(next_);
      continue;
    }
    if (reached >= limit) {
      now_ = std::max(now_, limit);
      return false;
    }
    const bool asleep = slot.processor->asleep();
    slot.running = true;
    if (asleep)
      slot.processor->run(std::min(next_, limit));
    else
      slot.processor->step();
    slot.running = false;
    if (!asleep) return !stop_;
  }
  return false;
}

bool Scheduler::between_instructions() const {
  return std::none_of(processors_.begin(), processors_.end(), [](const auto& slot) { return slot->waits; });
}

bool Scheduler::between_instructions(const Processor& processor) const {
  return std::none_of(processors_.begin(), processors_.end(),
                      [&](const auto& slot) { return slot->processor == &processor && slot->waits; });
}

void Scheduler::stop() {
  if (settling_) return;
  stop_ = true;
  for (auto& slot : processors_)
    if (slot->running) slot->processor->lower_horizon(Time{});
}

void Scheduler::cut_horizons_at_random(std::uint64_t seed) {
  cut_ = true;
  cut_random_ = Random(seed);
}

std::vector<const Event*> Scheduler::pending() const {
  std::vector<const Event*> list(pending_.begin(), pending_.end());
  std::sort(list.begin(), list.end(), [](const Event* a, const Event* b) {
    return a->when_ != b->when_ ? a->when_ < b->when_ : a->rank_ < b->rank_;
  });
  return list;
}

void Scheduler::archive(Archive& a) {
  a.section("scheduler", 1);
  a(now_);
  constexpr Time longest_run = 4'000'000_s;  // half of what Time holds: sums do not overflow
  if (a.loading() && (now_ < Time{} || now_ > longest_run))
    throw Error("snapshot: its time is impossible; the file is damaged, take a new one", ExitCode::missing_file);
}

}  // namespace planar
