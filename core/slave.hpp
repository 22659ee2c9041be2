// SPDX-License-Identifier: GPL-2.0-or-later
// What answers a cycle: the slave's side of an access, and how its cycles look on the channel.
#pragma once

#include <cstdint>

#include "core/time.hpp"

namespace planar {

/// The three ways in which a Micro Channel cycle ends (facts: mca-bus.md section 2).
enum class CycleKind : std::uint8_t {
  standard,              ///< CD CHRDY stays high: 200 ns
  synchronous_extended,  ///< released within the fixed window: 300 ns
  asynchronous,          ///< CD CHRDY low until the slave is done: 300 ns + ready_delay
};

/// How a claimed range answers: its port width, its kind of cycle, and how long it holds CD CHRDY.
struct CycleSpec {
  std::uint8_t width = 8;  ///< data-size reply in bits: 8, 16 (-CD DS 16) or 32 (-CD DS 32)
  CycleKind kind = CycleKind::synchronous_extended;
  Time ready_delay{};  ///< asynchronous only: time beyond 300 ns for one cycle
};

enum class Direction : std::uint8_t { read, write };

/// The slave's side of an I/O or memory cycle. `offset` counts from the start of the claimed range; `bytes` is 1, 2 or
/// 4 and never exceeds the claimed width; `now` is the end of the data phase, when the slave sees the access.
class Slave {
 public:
  virtual ~Slave() = default;
  virtual std::uint32_t read(std::uint32_t offset, unsigned bytes, Time now) = 0;
  virtual void write(std::uint32_t offset, unsigned bytes, std::uint32_t value, Time now) = 0;
  /// The value a read would return, without its side effects (debuggers, traces).
  virtual std::uint32_t peek(std::uint32_t offset, unsigned bytes) const = 0;
  /// The earliest time at which this cycle may end, for slaves whose CD CHRDY depends on their state (a FIFO that is
  /// being filled, a memory port in use). The bus takes the later of this and the claim's own timing.
  virtual Time ready(std::uint32_t /*offset*/, unsigned /*bytes*/, Direction, Time start) { return start; }
};

}  // namespace planar
