// SPDX-License-Identifier: GPL-2.0-or-later
// The processor's pins: what a CPU asks of the machine around it. Implemented by the bus controller of the planar.
#pragma once

#include <cstdint>

#include "core/time.hpp"

namespace planar::cpu {

/// A completed cycle: the value (reads) and the time at which the data phase ended.
struct Cycle {
  std::uint32_t value;
  Time end;
};

/// Everything outside RAM and ROM. `start` is the time at which the CPU starts the cycle; the returned end is exact and
/// the CPU goes on at its first clock edge at or after it. The pins bring the world up to that end before the
/// slave sees the access, so events up to it have fired (and may have changed INTR) when the call returns.
class Pins {
 public:
  virtual ~Pins() = default;
  /// `bytes` is 1, 2 or 4; the operand may be unaligned, the pins split it as the bus does.
  virtual Cycle io_read(std::uint16_t port, unsigned bytes, Time start) = 0;
  virtual Time io_write(std::uint16_t port, unsigned bytes, std::uint32_t value, Time start) = 0;
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
