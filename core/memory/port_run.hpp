// SPDX-License-Identifier: GPL-2.0-or-later
// Consecutive accesses to one port (REP INS, REP OUTS), as announced by the slave at that port.
#pragma once

#include <cstdint>

#include "core/time/time.hpp"

namespace planar {

enum class Direction : std::uint8_t { read, write };

/// A slave's description, in advance, of consecutive accesses to one port (REP INS, REP OUTS) during which no other
/// access reaches it and no event fires: how many there may be, and when each may end. They can then be made as a
/// batch.
struct PortRun {
  std::uint32_t count = 0;  ///< maximum number of accesses; 0: each access must be made individually
  Time ready{};             ///< earliest end of the first access
  /// After an access the slave requests its buffer, waits while the buffer is busy, and uses it.
  Time request{}, use{};
  /// The buffer is busy from `taken_from` for `taken`, and again every `period`; never if `period` is zero.
  Time taken_from{}, taken{}, period{};

  /// The earliest end of the access that follows one which ended at `end`. Must be called in ascending order of `end`.
  Time next_ready(Time end) {
    const Time t = end + request;
    if (period == Time{} || t < taken_from) return t + use;
    if (t - taken_from >= period) {
      taken_from += period;
      if (t - taken_from >= period) [[unlikely]]
        taken_from += period * ((t - taken_from) / period);
    }
    const Time into = t - taken_from;
    return (into < taken ? t + (taken - into) : t) + use;
  }
};

}  // namespace planar
