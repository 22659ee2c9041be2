// SPDX-License-Identifier: GPL-2.0-or-later
// The processor's pins: what a CPU asks of the machine around it. Implemented by the host bridge.
#pragma once

#include <cstdint>
#include <span>

#include "core/memory/port_run.hpp"
#include "core/time/time.hpp"

namespace planar::cpu {

/// A completed cycle: the value (reads) and the time at which the data phase ended.
struct Cycle {
  std::uint32_t value;
  Time end;
};

/// Successive accesses to one port, or to ascending addresses in one device's memory, while nothing else can influence
/// them. Each starts at the clock edge that the processor chooses, plus `synchronisation`; that time must lie at or
/// after `from` and before `before`. It lasts `cycle`, or until port.ready if that is later, and must end before
/// `quiet_until` and within `limit`.
struct PinsRun {
  PortRun port;  ///< its next_ready() is called after each access but the last
  Time synchronisation{}, cycle{}, limit{};
  Time from{}, before{}, quiet_until{};
};

/// Everything outside RAM and ROM. `start` is the time at which the CPU starts the cycle; the returned end is exact,
/// and the CPU continues at its first clock edge at or after it. Events up to that end fire before the slave sees the
/// access, so INTR may have changed when the call returns.
class Pins {
 public:
  virtual ~Pins() = default;
  /// `bytes` is 1, 2 or 4; the operand may be unaligned: the pins split it as the bus does.
  virtual Cycle io_read(std::uint16_t port, unsigned bytes, Time start) = 0;
  virtual Time io_write(std::uint16_t port, unsigned bytes, std::uint32_t value, Time start) = 0;
  /// REP OUTS and REP INS: whether accesses of `bytes` to `port` may be timed from the run instead of being made one by
  /// one. run_written() or run_read() then makes `count` of them at once, before any other call; the last one ended at
  /// `end`. The result is the same as with io_read() and io_write().
  virtual bool port_run(std::uint16_t /*port*/, unsigned /*bytes*/, Direction, PinsRun&) { return false; }
  /// REP MOVS: the same for aligned accesses to a device's memory from `address` upwards. The processor has reached
  /// `now`.
  virtual bool memory_run(std::uint32_t /*address*/, unsigned /*bytes*/, Direction, Time /*now*/, PinsRun&) {
    return false;
  }
  /// The next access of the run would start at `t`, at or after PinsRun::before; the previous one ended at `end` (zero:
  /// there was none). Serves what has become due on the bus, unless it is an event, updates `from` and `before`, and
  /// returns the time at which the access can start. Time::never(), with nothing done: it must be made individually.
  virtual Time run_continued(PinsRun&, Time /*end*/, Time /*t*/) { return Time::never(); }
  virtual void run_written(PinsRun&, std::span<const std::uint8_t> /*data*/, std::uint32_t /*count*/, Time /*end*/) {}
  virtual void run_read(PinsRun&, std::span<std::uint8_t> /*data*/, std::uint32_t /*count*/, Time /*end*/) {}
  /// Device pages and unmapped addresses (physical, A20 already applied).
  virtual Cycle memory_read(std::uint32_t address, unsigned bytes, Time start) = 0;
  virtual Time memory_write(std::uint32_t address, unsigned bytes, std::uint32_t value, Time start) = 0;
  /// Two INTA cycles; `value` is the vector.
  virtual Cycle acknowledge_interrupt(Time start) = 0;
  /// The CPU is in shutdown (triple fault): the planar answers with a reset.
  virtual void shutdown(Time now) = 0;
  /// The FPU error output (FERR#), wired to IRQ 13 as on the PS/2; a level.
  virtual void fpu_error(bool active, Time now) = 0;
};

}  // namespace planar::cpu
