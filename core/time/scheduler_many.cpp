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
        if (slot.single)
          slot.processor->step();
        else
          slot.processor->run(slot.horizon);
        slot.running = slot.single = false;
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
    slot.running = slot.single = slot.waits = slot.for_event = false;
    throw;
  }
  current_ = nullptr;
}

/// Advances the time of sleeping processors.
void Scheduler::advance_sleeping(Time t) {
  for (auto& slot : processors_)
    if (!is_active(*slot) && slot->processor->time() < t) slot->processor->run(t);
}

/// The processor that is furthest behind, and the time that all must reach because an access waits for it.
struct Scheduler::Turn {
  Slot* after = nullptr;  // null: all sleep
  Time here = Time::never();
  Time wanted;
  bool waiting = false;
};

Scheduler::Turn Scheduler::next_turn(Time limit) {
  Turn turn{.wanted = limit};
  for (auto& slot : processors_) {
    if (!is_active(*slot)) continue;
    const Time t = reached(*slot);
    if (slot->waits) {
      turn.waiting = true;
      if (t != Time::never()) turn.wanted = std::max(turn.wanted, t);
    }
    if (!turn.after || t < turn.here || (t == turn.here && slot->waits && !turn.after->waits)) {
      turn.after = slot.get();
      turn.here = t;
    }
  }
  return turn;
}

/// Performs what must precede any processor's execution: the next event, or an access whose turn it is. Returns false
/// if there is neither.
bool Scheduler::take_turn(const Turn& turn) {
  if (next_event_ && next_ <= turn.here && next_ <= turn.wanted) {
    advance_sleeping(next_);
    for (auto& slot : processors_)
      if (slot->for_event && next_ >= slot->until) {
        slot->until = next_;
        slot->for_event = false;
      }
    fire_next();
    return true;
  }
  if (!turn.after || !turn.after->waits) return false;
  resume(*turn.after);
  return true;
}

/// Executes the processor, which is furthest behind, up to `horizon`, or as far ahead of the others as they allow.
void Scheduler::run_ahead(Slot& slot, Time horizon, Time here) {
  horizon = std::min(horizon, next_);
  for (const auto& other : processors_)
    if (other.get() != &slot && is_active(*other) && reached(*other) < horizon)
      horizon = std::min(horizon, std::max(reached(*other) + lookahead_, here + Time{1}));
  slot.horizon = cut(slot, horizon);
  resume(slot);
}

void Scheduler::reach_limit(Time limit) {
  advance_sleeping(limit);
  now_ = std::max(now_, limit);
  others_reached_ = Time::never();
  set_next(next_event_, next_);
}

bool Scheduler::run_many(Time limit) {
  while (!stop_) {
    const Turn turn = next_turn(limit);
    if (take_turn(turn)) continue;
    if (!turn.waiting && turn.here >= limit) {
      reach_limit(limit);
      return true;
    }
    run_ahead(*turn.after, turn.wanted, turn.here);
  }
  return false;
}

void Scheduler::settle() {
  if (between_instructions()) return;
  struct Settling {
    bool& on;
    explicit Settling(bool& flag) : on(flag) { on = true; }
    ~Settling() { on = false; }
  } const settling(settling_);
  stop_ = false;
  run_many(now_);
}

bool Scheduler::step_many(Slot& slot, Time limit) {
  bool begun = slot.waits;
  if (begun) slot.processor->lower_horizon(Time{});  // completing the current instruction is the step
  while (!begun || slot.waits) {
    if (stop_) return false;
    const bool awake = is_active(slot);
    const Turn turn = next_turn(awake && !begun ? std::min(limit, slot.processor->time() + Time{1}) : limit);
    if (take_turn(turn)) continue;
    if (!begun && !turn.waiting && turn.here >= limit) {
      reach_limit(limit);
      return false;
    }
    if (turn.after == &slot) {
      begun = slot.single = true;
      resume(slot);
    } else {
      run_ahead(*turn.after, turn.wanted, turn.here);
    }
  }
  return !stop_;
}

}  // namespace planar
