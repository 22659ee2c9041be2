// SPDX-License-Identifier: GPL-2.0-or-later
// A planar without a processor: ports, a scheduler, and a clock stepped by the test.
#pragma once

#include <cstdint>
#include <vector>

#include "core/memory/io_space.hpp"
#include "core/state/archive.hpp"
#include "core/state/trace.hpp"
#include "core/time/scheduler.hpp"
#include "devices/board/at/system/signal.hpp"

namespace planar::tests {

/// Each access takes 1 us, like an IN or OUT on such a machine; the device sees it at the end of that time.
struct PlanarBench {
  Scheduler scheduler;
  Trace trace;
  IoSpace io;
  Time now{};

  std::uint8_t in(std::uint16_t port) {
    step(1_us);
    const auto* range = io.find(port);
    return range ? static_cast<std::uint8_t>(range->slave->read(port - range->first, 1, now)) : 0xFF;
  }
  void out(std::uint16_t port, std::uint8_t value) {
    step(1_us);
    if (const auto* range = io.find(port)) range->slave->write(port - range->first, 1, value, now);
  }
  std::uint8_t peek(std::uint16_t port) const { return io.peek(port, now); }
  void step(Time span) {
    now += span;
    scheduler.advance(now);
  }
  void until(Time when) {
    if (when > now) step(when - now);
  }
  /// Steps until `condition` or for at most `limit`; true if the condition was met.
  template <class Condition>
  bool wait(Condition condition, Time limit, Time grain = 1_us) {
    const Time end = now + limit;
    while (!condition()) {
      if (now >= end) return false;
      step(grain);
    }
    return true;
  }
};

/// Records the edges of an output.
struct Probe final : Signal {
  bool level = false;
  std::vector<Time> rises, falls;
  void set(bool active, Time now) override {
    level = active;
    (active ? rises : falls).push_back(now);
  }
};

/// Saves `from`, restores into `to`, and returns whether the restored part saves the same stream.
template <class Part>
bool survives_snapshot(Part& from, Part& to) {
  Archive saved = Archive::saver();
  from.archive(saved);
  Archive loader = Archive::loader(saved.stream());
  to.archive(loader);
  loader.expect_end();
  Archive again = Archive::saver();
  to.archive(again);
  return saved.stream() == again.stream();
}

}  // namespace planar::tests
