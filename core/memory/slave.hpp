// SPDX-License-Identifier: GPL-2.0-or-later
// What answers a cycle: the slave's side of an access, and how its cycles look on the channel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/time/time.hpp"

namespace planar {

/// The three ways in which a Micro Channel cycle ends (docs/hardware/micro-channel.md#cycle-types).
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

/// What a slave says beforehand about accesses to one port that follow each other (REP INS, REP OUTS), while nothing
/// else reaches it and no event fires: how many there may be, and when each may end. Then they need not be told one by
/// one.
struct PortRun {
  std::uint32_t count = 0;  ///< so many accesses at most; 0: each one must be made by itself
  Time ready{};             ///< the first does not end before
  /// After an access the slave asks for its buffer, waits while that is taken, and uses it.
  Time request{}, use{};
  /// The buffer is taken from here for `taken`, and again every `period` later; never if that is zero.
  Time taken_from{}, taken{}, period{};

  /// When the access behind one that ended at `end` may end. To be asked in the order of `end`.
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
  /// The earliest time at which this cycle may end, for slaves whose CD CHRDY depends on their state (a FIFO that is
  /// being filled, a memory port in use). The bus takes the later of this and the claim's own timing.
  virtual Time ready(std::uint32_t /*offset*/, unsigned /*bytes*/, Direction, Time start) { return start; }

  /// Accesses of `bytes` at `offset` that could be made as a run, as things stand. What a run gives must be what
  /// read(), write() and ready() give access by access.
  virtual PortRun port_run(std::uint32_t /*offset*/, unsigned /*bytes*/, Direction) { return {}; }
  /// Such accesses have been made, no more of them than port_run() said: what was written, or where what they read
  /// belongs (one behind the other, lowest byte first). The last ended at `end`, `run` has been asked for next_ready()
  /// of each but that one.
  virtual void run_written(std::uint32_t /*offset*/, std::span<const std::uint8_t> /*data*/, PortRun&, Time /*end*/) {}
  virtual void run_read(std::uint32_t /*offset*/, std::span<std::uint8_t> /*data*/, PortRun&, Time /*end*/) {}
};

}  // namespace planar
