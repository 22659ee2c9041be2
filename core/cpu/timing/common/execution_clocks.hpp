// SPDX-License-Identifier: GPL-2.0-or-later
// Rules of the clock that the processor's timing and the closed form of REP INS and REP OUTS (i386sx/steady_386.hpp)
// share. Plain values: the user keeps the clock.
#pragma once

#include <algorithm>
#include <cstdint>

namespace planar::cpu {

/// Which of the 386SX's bus clocks are inside the instruction table's figures: a bus cycle without wait states, two
/// clocks, for each access.
struct TableOverlap {
  static constexpr std::uint32_t bus_cycle = 2;

  std::uint32_t tail = 0;    ///< clocks of the instruction after the end of its next read
  std::uint32_t credit = 0;  ///< clocks of reads so far that the figure to be spent contains

  /// When the next read of an instruction that has reached `clock` wants the bus.
  std::uint64_t read_wanted(std::uint64_t clock) const {
    const std::uint64_t before = tail + bus_cycle;
    return clock > before ? clock - before : 0;
  }
  /// The read has ended on the bus at `end`: the clock after it.
  std::uint64_t read_ended(std::uint64_t clock, std::uint64_t end) {
    end += tail;
    if (tail == 0)
      credit += bus_cycle;
    else
      tail = tail > bus_cycle ? tail - bus_cycle : 0;
    return clock > end ? clock : end;
  }
  /// Microcode of `clocks` clocks: the clock after it (ProcessorTiming::spend).
  std::uint64_t spend(std::uint64_t clock, unsigned clocks) {
    clock = spend_before_write(clock, clocks);
    tail = clocks > bus_cycle ? clocks - bus_cycle : 0;
    return clock;
  }
  std::uint64_t spend_before_write(std::uint64_t clock, unsigned clocks) {
    const unsigned held = credit < clocks ? credit : clocks;
    credit = 0;
    tail = 0;
    return clock + clocks - held;
  }
};

/// Clocks in which the processor stands still for cycles on its pins, the wait for the bus included. Counted for
/// reports; they influence nothing.
struct PinClocks {
  std::uint64_t total = 0;
  std::uint64_t from = 0, until = 0;  ///< of the latest cycle

  void begin(std::uint64_t wanted) { from = std::max(wanted, until); }
  void end(std::uint64_t clock) {
    total += clock - from;
    until = clock;
  }
};

}  // namespace planar::cpu
