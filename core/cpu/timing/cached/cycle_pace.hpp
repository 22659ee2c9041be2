// SPDX-License-Identifier: GPL-2.0-or-later
// A cycle table for cycles on the pins of a 486 or Pentium that all take the same time and follow each other after the
// same number of clocks. In clocks they are not all alike: a cycle begins at an edge of the bus clock, and its time is
// rounded up to a clock. Both depend only on the phase of the start, its remainder modulo the number of clocks after
// which edges and picoseconds coincide again (9 at 90 MHz with a bus of 60 MHz). So the clocks are computed once for
// each phase.
#pragma once

#include <array>
#include <cstdint>
#include <numeric>

#include "core/cpu/timing/common/clock_edges.hpp"
#include "core/cpu/timing/memory/bus_clock.hpp"

namespace planar::cpu {

class CyclePace {
 public:
  /// Cycles of `usual`, including synchronisation, with `between` clocks from the end of one until the next one is
  /// wanted. False if there are too many phases.
  bool set(const ClockEdges& clock, const BusClock& bus, Time usual, unsigned between) {
    if (usual == usual_ && between == between_) [[likely]]
      return phases_ != 0;
    usual_ = usual;
    between_ = between;
    phases_ = 0;
    const std::uint64_t phases = std::lcm(clock.even_clocks(), std::uint64_t{bus.even_clocks()});
    if (phases == 0 || phases > most_phases) return false;
    phases_ = static_cast<unsigned>(phases);
    longest_ = 0;
    for (unsigned start = 0; start < phases_; ++start) {
      const std::uint64_t end = clock.first_at_or_after(clock.at(start) + usual);
      const std::uint64_t next = bus.core(bus.edge(bus.ticks(end + between)));
      phase_[start] = {end - start, next - start, static_cast<unsigned>(next % phases_)};
      longest_ = std::max(longest_, end - start);
    }
    return true;
  }
  /// From the start of a cycle to the clock at or after its end; and the maximum of that.
  std::uint64_t busy(std::uint64_t start) const { return phase_[start % phases_].busy; }
  std::uint64_t longest() const { return longest_; }
  /// Of a series of cycles whose first begins at `start`: those that begin before `until`, at most `most`; returns how
  /// many. `start` becomes the last one's start, `previous` that of the one before it, if there is one.
  unsigned follow(std::uint64_t& start, std::uint64_t& previous, std::uint64_t until, unsigned most) const {
    unsigned n = 0;
    std::uint64_t next = start;
    for (const Phase* phase = &phase_[start % phases_]; n < most && next < until; phase = &phase_[phase->following]) {
      previous = start;
      start = next;
      next += phase->step;
      ++n;
    }
    return n;
  }

 private:
  static constexpr unsigned most_phases = 32;
  struct Phase {
    std::uint64_t busy, step;
    unsigned following;  // the phase of the next start
  };
  std::array<Phase, most_phases> phase_;
  unsigned phases_ = 0;
  std::uint64_t longest_ = 0;
  Time usual_{};
  unsigned between_ = 0;
};

}  // namespace planar::cpu
