// SPDX-License-Identifier: GPL-2.0-or-later
// A bus master of a PCI function: moves a burst between memory and its owner, in as many transactions as the arbiter,
// the latency timer and the target make of it (segment.hpp), and as the function's configuration registers allow:
//
//   COMMAND.BUS_MASTER               while it is clear a burst waits, and what has begun ends with its transaction
//   COMMAND.MEMORY_WRITE_INVALIDATE, with CACHE_LINE_SIZE = 8: a transaction of whole lines may be Memory Write and
//                                    Invalidate; any other is Memory Write
//   LATENCY_TIMER                    how long it goes on when it has lost GNT#
//   STATUS.RECEIVED_MASTER_ABORT     is set when nobody answers
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

/// Why a burst has ended.
enum class BurstEnd : std::uint8_t { done, master_abort };

class Master {
 public:
  /// Of `function`, which outlives it. `name` in traces: "slot1.rtl8139". `width`: bits that it can move in a clock, 32
  /// or 64.
  Master(Function& function, std::string name, unsigned width = 32);
  virtual ~Master();
  Master(const Master&) = delete;
  Master& operator=(const Master&) = delete;

  /// Moves `bytes` bytes (more than 0) from or to `address`; one burst at a time.
  void start(BurstCommand command, std::uint32_t address, std::uint32_t bytes, Time now);
  /// Gives the burst up; what was moved stays moved.
  void cancel(Time now);
  bool active() const { return bytes_ != 0; }
  /// REQ# is asserted.
  bool requesting() const { return requesting_; }
  const std::string& name() const { return name_; }

  /// Request, grant, and the burst.
  void describe(Description& d) const;
  /// Also what the segment knows of it.
  void archive(Archive& a);

 protected:
  /// The owner's side of the burst: as many bytes as start() said.
  virtual std::span<std::uint8_t> burst_data() = 0;
  /// The burst has ended; the next may start at once.
  virtual void burst_ended(BurstEnd end, Time now) = 0;

 private:
  friend class Function;
  friend class Segment;
  /// What is left of the burst competes for the bus as soon as the function may use it.
  void request(Time now);
  /// COMMAND has changed.
  void command_written(Time now);
  unsigned latency_timer() const;
  /// The command of a transaction at `address` that moves the `left` bytes that are left.
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
  std::uint64_t burst_ = 0;  // bursts begun and given up so far; no state
};

}  // namespace planar::pci
