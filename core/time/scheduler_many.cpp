// SPDX-License-Identifier: GPL-2.0-or-later
// Several processors in one virtual time: which one runs next, and how far.
#include <algorithm>

#include "core/time/scheduler.hpp"

namespace planar {

/// The time before which the processor will not act: the end of the access in which it is suspended, or its own time.
Time Scheduler::reached(const Slot& slot) const {
  if (!slot.waits) return slot.processor->time();
  return slot.for_event ? std::max(slot.until, next_) : slot.until;
}

/// Called on the processor's stack: suspends it until its access may complete.
void Scheduler::suspend(Slot& slot) {
  slot.waits = true;
  slot.fiber->suspend();
}

/// Resumes the processor, until its horizon or its next access that has to wait.
void Scheduler::resume(Slot& slot) {
  if (slot.waits) {
    slot.waits = slot.for_event = false;
    now_ = std::max(now_, slot.until);
  } else if (!slot.fiber || slot.fiber->ended()) {
    slot.fiber = std::make_unique<Fiber>([&slot] {
      for (;;) {
        slot.running = true;
        slot.processor->run(slot.horizon);
        slot.running = false;
        slot.fiber->suspend();
      }
    });
  }
  others_reached_ = Time::never();
  for (const auto& other : processors_)
    if (other.get() != &slot && is_active(*other)) others_reached_ = std::min(others_reached_, reached(*other));
  set_next(next_event_, next_);
  current_ = &slot;
  try {
    slot.fiber->resume();
  } catch (...) {
    current_ = nullptr;
    slot.running = slot.waits = slot.for_event = false;
    throw;
  }
  current_ = nullptr;
}

/// Advances the time of sleeping processors.
void Scheduler::advance_sleeping(Time t) {
  for (auto& slot : processors_)
    if (!is_active(*slot) && slot->processor->time() < t) slot->processor->run(t);
}

bool Scheduler::run_many(Time limit) {
  bool complete = true;
  for (;;) {
    if (stop_ && complete) {
      complete = false;  // a processor inside an instruction still completes it
      limit = std::min(limit, now_);
    }
    // The processor that is furthest behind, and the time that all must reach because an access waits for it.
    Slot* behind = nullptr;
    Time here = Time::never(), wanted = limit;
    bool waiting = false;
    for (auto& slot : processors_) {
      if (!is_active(*slot)) continue;
      const Time t = reached(*slot);
      if (slot->waits) {
        waiting = true;
        if (t != Time::never()) wanted = std::max(wanted, t);
      }
      if (!behind || t < here || (t == here && slot->waits && !behind->waits)) {
        behind = slot.get();
        here = t;
      }
    }
    if (next_event_ && next_ <= here && next_ <= wanted) {
      advance_sleeping(next_);
      for (auto& slot : processors_)
        if (slot->for_event && next_ >= slot->until) {
          slot->until = next_;
          slot->for_event = false;
        }
      fire_next();
      continue;
    }
    if (behind && behind->waits) {
      resume(*behind);
      continue;
    }
    if (!waiting && here >= limit) {
      advance_sleeping(limit);
      now_ = std::max(now_, limit);
      others_reached_ = Time::never();
      set_next(next_event_, next_);
      return complete;
    }
    Time horizon = std::min(next_, wanted);
    for (const auto& other : processors_)
      if (other.get() != behind && is_active(*other) && reached(*other) < horizon)
        horizon = std::min(horizon, std::max(reached(*other) + lookahead_, here + Time{1}));
    behind->horizon = cut(*behind, horizon);
    resume(*behind);
  }
}

}  // namespace planar
