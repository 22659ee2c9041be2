// SPDX-License-Identifier: GPL-2.0-or-later
// Memory refresh as a function of time, without events or counters.
//
// Request number n is due at n * period. Port 61h bit 4 toggles with each request; firmware and DOS delay loops count
// its edges (docs/hardware/micro-channel.md#refresh). The channel accounts for the duration of a refresh when the next
// cycle wants to start.
#pragma once

#include "bus/mca/timing.hpp"

namespace planar::bus {

class Refresh {
 public:
  constexpr explicit Refresh(RefreshTiming timing) : timing_(timing) {}

  /// Requests due up to and including `t`, not counting the one at time zero.
  constexpr std::int64_t requests(Time t) const { return t / timing_.period; }
  /// Port 61h bit 4 at `t`.
  constexpr bool toggle(Time t) const { return (requests(t) & 1) != 0; }
  /// The latest request at or before `t`, and the first one after it.
  constexpr Time last(Time t) const { return requests(t) * timing_.period; }
  constexpr Time next(Time t) const { return (requests(t) + 1) * timing_.period; }

  constexpr const RefreshTiming& timing() const { return timing_; }

 private:
  RefreshTiming timing_;
};

}  // namespace planar::bus
