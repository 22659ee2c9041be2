// SPDX-License-Identifier: GPL-2.0-or-later
// The 82586's part of an adapter's timing profile.
#pragma once

#include "devices/adapter/timing_profile.hpp"
#include "devices/chips/i82586/i82586.hpp"

namespace planar::ethernet {

/// Reads chip.clock, chip.transfer, chip.wait, chip.attention and chip.command. Throws Error for a value out of range.
inline I82586Timing i82586_timing(const TimingProfile& profile) {
  const auto clocks = [&](std::string_view name, std::int64_t least) {
    return static_cast<unsigned>(profile.integer(name, least, 10'000));
  };
  return {static_cast<std::uint64_t>(profile.integer("chip.clock", 1'000'000, 100'000'000)), clocks("chip.transfer", 1),
          clocks("chip.wait", 0), clocks("chip.attention", 0), clocks("chip.command", 0)};
}

}  // namespace planar::ethernet
