// SPDX-License-Identifier: GPL-2.0-or-later
// What a chip finds on its board, whatever bus the board is plugged into. A chip that accesses a memory of its own adds
// that in an interface of its own.
#pragma once

#include <cstdint>
#include <span>

#include "core/memory/burst.hpp"
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
  /// Moves `bytes` bytes between host memory and the chip's transfer_buffer(), `direction` as seen by the host's
  /// memory; it ends with the chip's transfer_done(). One transfer at a time.
  virtual void start_transfer(std::uint32_t address, std::uint32_t bytes, Direction direction, Time now) = 0;
  virtual void cancel_transfer(Time now) = 0;

 protected:
  ~BusMasterHost() = default;
};

/// The bus interface of a chip that masters its bus in bursts, whose length and command it chooses itself. It handles
/// one burst at a time; a chip with several DMA engines shares it among them (dma/dma_engines.hpp).
class BurstHost : public ChipHost {
 public:
  /// Moves `bytes` bytes (more than 0) between memory at `address` and the chip's BurstClient::burst_data(). Any byte
  /// address: the first and the last doubleword have byte enables.
  virtual void start_burst(BurstCommand command, std::uint32_t address, std::uint32_t bytes, Time now) = 0;
  /// Abandons the burst; what has been moved stays moved, burst_done() does not follow.
  virtual void cancel_burst(Time now) = 0;

 protected:
  ~BurstHost() = default;
};

/// The chip's side of a burst.
class BurstClient {
 public:
  /// The bytes of the burst under way, as many as given to start_burst().
  virtual std::span<std::uint8_t> burst_data() = 0;
  /// It has ended. `moved`: all of it; false: no target answered (master abort), or the target ended it.
  virtual void burst_done(bool moved, Time now) = 0;

 protected:
  ~BurstClient() = default;
};

}  // namespace planar
