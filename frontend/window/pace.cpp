// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/window/pace.hpp"

#include <algorithm>

namespace planar {

namespace {
constexpr auto most_lag = std::chrono::milliseconds(200);
constexpr auto late_lag = std::chrono::milliseconds(20);
constexpr auto measuring_period = std::chrono::milliseconds(500);
}  // namespace

void Pace::set_throttle(unsigned percent) {
  throttle_ = percent;
  anchored_ = false;
}

std::chrono::nanoseconds Pace::lead(Time now, Clock::time_point host) {
  if (throttle_ == 0) return {};
  const auto due = std::chrono::nanoseconds((now - virtual_anchor_).ps / 1000 * 100 / throttle_);
  const auto lead = due - std::chrono::duration_cast<std::chrono::nanoseconds>(host - host_anchor_);
  if (anchored_ && now >= virtual_anchor_ && lead > -most_lag) return lead;
  anchored_ = true;
  virtual_anchor_ = now;
  host_anchor_ = host;
  return {};
}

std::chrono::nanoseconds Pace::ahead(Time now, Clock::time_point host) {
  return std::max(lead(now, host), std::chrono::nanoseconds{});
}

bool Pace::late(Time now, Clock::time_point host) { return lead(now, host) < -late_lag; }

std::optional<double> Pace::speed(Time now, Clock::time_point host) {
  const auto begin = [&] {
    measuring_ = true;
    virtual_measured_ = now;
    host_measured_ = host;
  };
  if (!measuring_ || now < virtual_measured_) {
    speed_.reset();
    begin();
  } else if (host - host_measured_ >= measuring_period) {
    speed_ = (now - virtual_measured_).seconds() / std::chrono::duration<double>(host - host_measured_).count() * 100;
    begin();
  }
  return speed_;
}

}  // namespace planar
