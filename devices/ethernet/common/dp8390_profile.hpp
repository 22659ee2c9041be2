// SPDX-License-Identifier: GPL-2.0-or-later
// The chip.* values in the timing profile of every card with a DP8390.
#pragma once

#include "devices/adapter/timing_profile.hpp"
#include "devices/chips/dp8390/dp8390.hpp"

namespace planar::ethernet {

/// Throws Error naming the value that is missing or out of range.
inline Dp8390Timing dp8390_timing(const TimingProfile& profile) {
  const auto clocks = [&](std::string_view name, std::int64_t least) {
    return static_cast<unsigned>(profile.integer(name, least, 10'000));
  };
  return {static_cast<std::uint64_t>(profile.integer("chip.bus_clock", 1'000'000, 100'000'000)),
          clocks("chip.transfer", 1), clocks("chip.remote_handshake", 0), clocks("chip.transmit_start", 0),
          clocks("chip.receive_end", 0)};
}

}  // namespace planar::ethernet
