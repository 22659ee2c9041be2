// SPDX-License-Identifier: GPL-2.0-or-later
// A bus master of a PCI function: moves a burst between memory and its owner, in as many transactions as the arbiter,
// the latency timer and the target require (segment.hpp), and subject to the function's configuration registers:
//   COMMAND.BUS_MASTER               while it is clear, a burst waits; a transaction that has begun still completes
//   COMMAND.MEMORY_WRITE_INVALIDATE, with CACHE_LINE_SIZE = 8: a transaction of whole lines may be Memory Write and
//                                    Invalidate; any other is Memory Write
//   LATENCY_TIMER                    how long it may continue after losing GNT#
//   STATUS.RECEIVED_MASTER_ABORT     is set when no device answers
//
// Sources: PCI Local Bus Specification 2.1, 3.1.1, 3.4, 6.2.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "core/memory/burst.hpp"
#include "core/state/archive.hpp"
#include "core/state/description.hpp"
#include "core/time/time.hpp"

namespace planar::pci {

class Function;
class Segment;

/// Why a burst ended.
enum class BurstEnd : std::uint8_t { done, master_abort };

class Master {
 public:
  /// A master of `function`, which outlives it. `name` as in traces: "slot1.rtl8139". `width`: bits that it can move
  /// per clock, 32 or 64.
  Master(Function& function, std::string name, unsigned width = 32);
  virtual ~Master();
  Master(const Master&) = delete;
  Master& operator=(const Master&) = delete;

  /// Moves `bytes` bytes (more than 0) from or to `address`; only one burst at a time.
  void start(BurstCommand command, std::uint32_t address, std::uint32_t bytes, Time now);
  /// Abandons the burst; data already moved stays moved.
  void cancel(Time now);
  bool active() const { return bytes_ != 0; }
  /// Whether REQ# is asserted.
  bool requesting() const { return requesting_; }
  const std::string& name() const { return name_; }

  /// Request, grant, and the burst.
  void describe(Description& d) const;
  /// Includes the segment's state of this master.
  void archive(Archive& a);

 protected:
  /// The owner's buffer for the burst: as many bytes as given to start().
  virtual std::span<std::uint8_t> burst_data() = 0;
  /// The burst has ended; another may start at once.
  virtual void burst_ended(BurstEnd end, Time now) = 0;

 private:
  friend class Function;
  friend class Segment;
  /// The rest of the burst competes for the bus as soon as the function may use it.
  void request(Time now);
  /// COMMAND has changed.
  void command_written(Time now);
  unsigned latency_timer() const;
  /// The command of a transaction at `address` that moves the remaining `left` bytes.
  BurstCommand transaction(std::uint32_t address, std::uint32_t left) const;

  Function& function_;
  Segment& segment_;
  std::string name_;
  const unsigned width_;
  BurstCommand command_ = BurstCommand::read;
  std::uint32_t address_ = 0;
  std::uint32_t bytes_ = 0;  // of the burst; 0: none
  std::uint32_t moved_ = 0;
  bool requesting_ = false;
  bool waiting_ = false;     // for COMMAND.BUS_MASTER
  std::uint64_t burst_ = 0;  // bursts started and abandoned so far; not saved
};

}  // namespace planar::pci
