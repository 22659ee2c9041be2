// SPDX-License-Identifier: GPL-2.0-or-later
// Accesses of the processor to memory that it shares with a chip, as a run (Slave::port_run): while the chip does not
// use the memory's bus and has nothing to store there, each of them only takes its cycle's time and moves its data.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/memory/port_run.hpp"
#include "core/time/time.hpp"

namespace planar {

/// How long, from a given time on, the chip does not use its memory.
class Undisturbed {
 public:
  explicit Undisturbed(Time now) : now_(now) {}
  /// The chip uses the memory in [from, to).
  void taken(Time from, Time to) { taken_from(now_ < to ? from : Time::never()); }
  /// Likewise for `taken` from `first` on, and again every `period`.
  void taken_every(Time period, Time first, Time taken) {
    if (now_ < first) return taken_from(first);
    const Time into{(now_ - first).ps % period.ps};
    taken_from(into < taken ? now_ : now_ + (period - into));
  }
  /// From `t` on the chip uses the memory, or has something to store.
  void taken_from(Time t) { until_ = std::min(until_, t); }

  /// Up to `bytes` bytes in accesses of `each`, from now on.
  PortRun run(std::uint32_t bytes, unsigned each) const {
    PortRun run;
    if (until_ <= now_) return run;
    run.count = bytes / each;
    run.taken_from = until_;
    run.taken = run.period = Time::never();
    return run;
  }

 private:
  Time now_;
  Time until_ = Time::never();
};

}  // namespace planar
