// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/cpu/timing/common/processor_timing.hpp"

#include "core/common/error.hpp"

namespace planar::cpu {

namespace {
constexpr std::uint64_t furthest_ahead = 1 << 20;  // clocks; a write-back of a whole cache takes some ten thousand
}

void ProcessorTiming::archive_clock(Archive& a) {
  a.section("cpu.timing", 3);
  a(cache_enabled_, clock_);
}

void ProcessorTiming::check_loaded(const Archive& a, std::uint64_t latest) const {
  // Valid bus times lie a few cycles ahead of the processor, which waits for them.
  if (a.loading() && latest > clock_ + furthest_ahead)
    throw Error("snapshot holds a damaged processor; take a new one", ExitCode::missing_file);
}

}  // namespace planar::cpu
