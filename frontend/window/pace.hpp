// SPDX-License-Identifier: GPL-2.0-or-later
// Compares virtual time with host time: how long to wait so that the machine keeps the requested speed, and how fast it
// actually is. Reads no clock: the caller passes the time.
#pragma once

#include <chrono>
#include <optional>

#include "core/time/time.hpp"

namespace planar {

class Pace {
 public:
  using Clock = std::chrono::steady_clock;

  /// Percent of real time; 0: as fast as the host can. Initially 100.
  void set_throttle(unsigned percent);
  unsigned throttle() const { return throttle_; }
  /// To be called when virtual time has not followed the host's (after a pause, or when a snapshot was loaded).
  void restart() { anchored_ = false; }

  /// How far virtual time is ahead of where it should be at `host`; 0 if it is not, or without a throttle. A machine
  /// that is far behind (on a slow host, or one that was suspended) does not catch up.
  std::chrono::nanoseconds ahead(Time now, Clock::time_point host);
  /// True if virtual time is late by more than the time of a picture.
  bool late(Time now, Clock::time_point host);

  /// Virtual time per host time in percent, over about the last half second; nothing before the first measurement.
  std::optional<double> speed(Time now, Clock::time_point host);

 private:
  std::chrono::nanoseconds lead(Time now, Clock::time_point host);

  unsigned throttle_ = 100;
  bool anchored_ = false;
  Time virtual_anchor_{};
  Clock::time_point host_anchor_{};
  // state of speed()
  bool measuring_ = false;
  Time virtual_measured_{};
  Clock::time_point host_measured_{};
  std::optional<double> speed_;
};

}  // namespace planar
