// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>

namespace planar::cpu {

/// Which of the 386SX's bus clocks the instruction table's figures already include: a bus cycle without wait states,
/// two clocks, for each access.
struct TableOverlap {
  static constexpr std::uint32_t bus_cycle = 2;

  std::uint32_t tail = 0;    ///< clocks of the instruction after the end of its next read
  std::uint32_t credit = 0;  ///< clocks of reads so far that the next figure to be spent includes

  /// When the next read of an instruction that has reached `clock` wants the bus.
  std::uint64_t read_wanted(std::uint64_t clock) const {
    const std::uint64_t before = tail + bus_cycle;
    return clock > before ? clock - before : 0;
  }
  /// The read has ended on the bus at `end`; returns the clock after it.
  std::uint64_t read_ended(std::uint64_t clock, std::uint64_t end) {
    end += tail;
    if (tail == 0)
      credit += bus_cycle;
    else
      tail = tail > bus_cycle ? tail - bus_cycle : 0;
    return clock > end ? clock : end;
  }
  /// Microcode of `clocks` clocks; returns the clock after it (Timing386sx::spend).
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

}  // namespace planar::cpu
