// SPDX-License-Identifier: GPL-2.0-or-later
// Virtual time against the host's: how long to wait so that the machine keeps the speed that was asked for, and how
// fast it really is. Knows no clock: the caller says what time it is.
#pragma once

#include <chrono>
#include <optional>

#include "core/time/time.hpp"

namespace planar {

class Pace {
 public:
  using Clock = std::chrono::steady_clock;

  /// Percent of real time; 0: as fast as the host can. 100 at first.
  void set_throttle(unsigned percent);
  unsigned throttle() const { return throttle_; }
  /// Virtual time did not pass with the host's up to now (a pause, a snapshot that was loaded).
  void restart() { anchored_ = false; }

  /// How far virtual time is ahead of where it should be at `host`; 0 when it is not, or nobody waits. A machine that
  /// is far late (a slow host, one that slept) does not catch up.
  std::chrono::nanoseconds ahead(Time now, Clock::time_point host);
  /// It is late by more than a picture's time.
  bool late(Time now, Clock::time_point host);

  /// Virtual time that passed per host time in percent, over the last half second or so; nothing before that.
  std::optional<double> speed(Time now, Clock::time_point host);

 private:
  std::chrono::nanoseconds lead(Time now, Clock::time_point host);

  unsigned throttle_ = 100;
  bool anchored_ = false;
  Time virtual_anchor_{};
  Clock::time_point host_anchor_{};
  // of the speed
  bool measuring_ = false;
  Time virtual_measured_{};
  Clock::time_point host_measured_{};
  std::optional<double> speed_;
};

}  // namespace planar
