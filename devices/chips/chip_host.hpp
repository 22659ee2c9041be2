// SPDX-License-Identifier: GPL-2.0-or-later
// What a chip finds on its board, whatever the board is plugged into. A chip with a memory of its own to reach adds
// that to an interface of its own.
#pragma once

#include <cstdint>

#include "core/memory/port_run.hpp"
#include "core/time/time.hpp"

namespace planar {

class ChipHost {
 public:
  /// The level of the chip's interrupt pin has changed.
  virtual void interrupt(bool asserted, Time now) = 0;

 protected:
  ~ChipHost() = default;
};

/// The board of a chip that masters the system's bus.
class BusMasterHost : public ChipHost {
 public:
  /// Moves `bytes` bytes between host memory and the chip's transfer_buffer(), `direction` as the host's memory sees
  /// it; the chip's transfer_done() ends it. One transfer at a time.
  virtual void start_transfer(std::uint32_t address, std::uint32_t bytes, Direction direction, Time now) = 0;
  virtual void cancel_transfer(Time now) = 0;

 protected:
  ~BusMasterHost() = default;
};

}  // namespace planar
