// SPDX-License-Identifier: GPL-2.0-or-later
// Calls back after every event of a lab, at the event's time, after all others of that time have fired. It adds its own
// event to the scheduler, which changes no virtual result.
#pragma once

#include <algorithm>
#include <functional>
#include <utility>

#include "core/time/scheduler.hpp"

namespace planar {

class EventFollower {
 public:
  using Call = std::function<void(Time now)>;
  EventFollower(Scheduler& scheduler, Call call)
      : scheduler_(scheduler),
        call_(std::move(call)),
        event_(scheduler, "timeline.events", Priority::observer, Callback::to<&EventFollower::fired>(this)) {}

  /// Follows from now on. Must also be called when something other than an event may have scheduled an earlier event.
  void follow() {
    const Time next = std::max(scheduler_.next_event(), scheduler_.now() + 1_ps);
    if (next < event_.when()) event_.at(next);
  }
  void stop() { event_.cancel(); }

 private:
  void fired(Time now) {
    call_(now);
    if (scheduler_.next_event() != Time::never()) follow();
  }

  Scheduler& scheduler_;
  Call call_;
  Event event_;
};

}  // namespace planar
