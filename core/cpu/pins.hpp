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

/// Successive accesses to one port or to memory of one device, upwards, as long as no other party can influence them.
/// Each starts at the clock edge that the processor chooses, plus `synchronisation`; that must lie at or after `from`
/// and before `before`. It lasts `cycle`, or until port.ready if that is later, and must end before `quiet_until` and
/// within `limit`.
struct PinsRun {
  PortRun port;  ///< its next_ready() is asked after each access but the last
  Time synchronisation{}, cycle{}, limit{};
  Time from{}, before{}, quiet_until{};
};

/// Everything outside RAM and ROM. `start` is the time at which the CPU starts the cycle; the returned end is exact and
/// the CPU continues at its first clock edge at or after it. Events up to that end fire before the slave sees the
/// access (and may have changed INTR) when the call returns.
class Pins {
 public:
  virtual ~Pins() = default;
  /// `bytes` is 1, 2 or 4; the operand may be unaligned, the pins split it as the bus does.
  virtual Cycle io_read(std::uint16_t port, unsigned bytes, Time start) = 0;
  virtual Time io_write(std::uint16_t port, unsigned bytes, std::uint32_t value, Time start) = 0;
  /// REP OUTS and REP INS: whether the time of accesses of `bytes` to `port` may be computed from the run without
  /// making them one by one. run_written() and run_read() then make `count` of them at once, before any other call; the
  /// last one ended at `end`. The result is the same as that of io_read() and io_write().
  virtual bool port_run(std::uint16_t /*port*/, unsigned /*bytes*/, Direction, PinsRun&) { return false; }
  /// REP MOVS: the same of aligned accesses to a device's memory from `address` on. The processor has reached `now`.
  virtual bool memory_run(std::uint32_t /*address*/, unsigned /*bytes*/, Direction, Time /*now*/, PinsRun&) {
    return false;
  }
  /// An access of the run would start at `t`, at or after PinsRun::before; the one before it ended at `end` (zero:
  /// there was none). Serves what became due on the bus, if that is no event, and returns when the access can start,
  /// with `from` and `before` as they are then; Time::never(), with nothing done, if it must be made by itself.
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
  /// The FPU error output (FERR#) for IRQ 13 in the PS/2 way; level.
  virtual void fpu_error(bool active, Time now) = 0;
};

}  // namespace planar::cpu
