// SPDX-License-Identifier: GPL-2.0-or-later
// A MemoryShare as the processor's path to memory keeps it, in ticks: tells when another master's lines leave memory
// free.
#pragma once

#include <cstdint>

#include "core/cpu/timing/common/other_masters.hpp"
#include "core/cpu/timing/memory/bus_clock.hpp"
#include "core/state/archive.hpp"

namespace planar::cpu {

class LineShare {
 public:
  /// `share`, in core clocks, replaces any previous one.
  void set(const MemoryShare& share, const BusClock& clock) {
    const auto ticks = [&](std::uint32_t clocks) { return static_cast<std::uint32_t>(clock.ticks(clocks)); };
    share_ = {clock.ticks(share.from), clock.ticks(share.to), ticks(share.period), ticks(share.each), ticks(share.bus)};
  }
  /// The earliest tick at or after `t` at which another master's line leaves the memory free.
  std::uint64_t memory_free(std::uint64_t t, const BusClock& clock) const { return after(t, share_.each, clock); }
  /// The same for the processor's bus.
  std::uint64_t bus_free(std::uint64_t t, const BusClock& clock) const { return after(t, share_.bus, clock); }

  void archive(Archive& a) { a(share_.from, share_.to, share_.period, share_.each, share_.bus); }
  /// Whether the loaded values can come from a run that has not passed tick `limit`.
  bool sound(std::uint64_t limit) const { return share_.period != 0 && share_.from <= share_.to && share_.to <= limit; }

 private:
  std::uint64_t after(std::uint64_t t, std::uint32_t each, const BusClock& clock) const {
    if (t >= share_.to || t < share_.from) [[likely]]
      return t;
    const std::uint64_t into = (t - share_.from) % share_.period;
    return into < each ? clock.edge(t - into + each) : t;
  }

  MemoryShare share_;
};

}  // namespace planar::cpu
