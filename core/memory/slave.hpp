// SPDX-License-Identifier: GPL-2.0-or-later
// The slave's side of a bus access, and the characteristics of its cycles.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/time/time.hpp"

namespace planar {

/// The three kinds of Micro Channel cycle (docs/hardware/micro-channel.md#cycle-types).
enum class CycleKind : std::uint8_t {
  standard,              ///< CD CHRDY stays high: 200 ns
  synchronous_extended,  ///< CD CHRDY released within the fixed window: 300 ns
  asynchronous,          ///< CD CHRDY low until the slave is done: 300 ns + ready_delay
};

/// How a claimed range responds: its data width, its kind of cycle, and how long it holds CD CHRDY inactive.
struct CycleSpec {
  std::uint8_t width = 8;  ///< data-size reply in bits: 8, 16 (-CD DS 16) or 32 (-CD DS 32)
  CycleKind kind = CycleKind::synchronous_extended;
  Time ready_delay{};  ///< asynchronous only: time beyond 300 ns for one cycle
};

enum class Direction : std::uint8_t { read, write };

/// A slave's description, in advance, of consecutive accesses to one port (REP INS, REP OUTS) during which no other
/// access reaches it and no event fires: how many there may be, and when each may end. They can then be made as a
/// batch.
struct PortRun {
  std::uint32_t count = 0;  ///< maximum number of accesses; 0: each access must be made individually
  Time ready{};             ///< earliest end of the first access
  /// After an access the slave requests its buffer, waits while the buffer is busy, and uses it.
  Time request{}, use{};
  /// The buffer is busy from `taken_from` for `taken`, and again every `period`; never if `period` is zero.
  Time taken_from{}, taken{}, period{};

  /// The earliest end of the access that follows one which ended at `end`. Must be called in ascending order of `end`.
  Time next_ready(Time end) {
    const Time t = end + request;
    if (period == Time{} || t < taken_from) return t + use;
    if (t - taken_from >= period) {
      taken_from += period;
      if (t - taken_from >= period) [[unlikely]]
        taken_from += period * ((t - taken_from) / period);
    }
    const Time into = t - taken_from;
    return (into < taken ? t + (taken - into) : t) + use;
  }
};

/// The slave's side of an I/O or memory cycle. `offset` counts from the start of the claimed range; `bytes` is 1, 2 or
/// 4 and never exceeds the claimed width; `now` is the end of the data phase, when the slave sees the access.
class Slave {
 public:
  virtual ~Slave() = default;
  virtual std::uint32_t read(std::uint32_t offset, unsigned bytes, Time now) = 0;
  virtual void write(std::uint32_t offset, unsigned bytes, std::uint32_t value, Time now) = 0;
  /// The value a read would return, without its side effects (debuggers, traces).
  virtual std::uint32_t peek(std::uint32_t offset, unsigned bytes) const = 0;
  /// The earliest time at which this cycle may end, for slaves whose CD CHRDY depends on their state (a FIFO being
  /// filled, a memory port in use). The bus uses the later of this and the claim's own timing.
  virtual Time ready(std::uint32_t /*offset*/, unsigned /*bytes*/, Direction, Time start) { return start; }

  /// Describes the accesses of `bytes` at `offset` that can be made as a run in the present state. A run must give
  /// exactly the results of read(), write() and ready() called for each access.
  virtual PortRun port_run(std::uint32_t /*offset*/, unsigned /*bytes*/, Direction) { return {}; }
  /// A run of accesses was made, at most as many as port_run() allowed. `data` is what was written, or receives what is
  /// read (consecutive, lowest byte first). The last access ended at `end`; next_ready() of `run` was called after each
  /// access except the last.
  virtual void run_written(std::uint32_t /*offset*/, std::span<const std::uint8_t> /*data*/, PortRun&, Time /*end*/) {}
  virtual void run_read(std::uint32_t /*offset*/, std::span<std::uint8_t> /*data*/, PortRun&, Time /*end*/) {}
};

}  // namespace planar
