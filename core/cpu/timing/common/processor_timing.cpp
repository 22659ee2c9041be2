// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/cpu/timing/common/processor_timing.hpp"

#include "core/cpu/timing/common/snapshot.hpp"

namespace planar::cpu {

void ProcessorTiming::archive_clock(Archive& a) {
  a.section("cpu.timing", 1);
  a(cache_enabled_, clock_);
}

void ProcessorTiming::archive_bus_unit(Archive& a, BusUnitState& bus) {
  a(bus.fetch_next, bus.fetch_eip, bus.fetch_from, bus.latch.starts, overlap_.tail, overlap_.credit, bus.refill);
}

}  // namespace planar::cpu
