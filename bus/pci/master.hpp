// SPDX-License-Identifier: GPL-2.0-or-later
// A bus master on PCI: moves a burst between memory and its owner, in as many transactions as the arbiter, the latency
// timer and the target make of it (segment.hpp).
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "core/memory/burst.hpp"
#include "core/state/archive.hpp"
#include "core/state/description.hpp"
#include "core/time/time.hpp"

namespace planar::pci {

class Segment;

/// Why a burst has ended.
enum class BurstEnd : std::uint8_t { done, master_abort };

class Master {
 public:
  /// `name` in traces: "slot1.rtl8139". `width`: bits that it can move in a clock, 32 or 64.
  Master(Segment& segment, std::string name, unsigned width = 32);
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

  /// The register in configuration space, in clocks: how long it may go on when it has lost GNT#.
  void set_latency_timer(unsigned clocks) { latency_timer_ = clocks; }

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
  friend class Segment;
  Segment& segment_;
  std::string name_;
  const unsigned width_;
  unsigned latency_timer_ = 0;
  BurstCommand command_ = BurstCommand::read;
  std::uint32_t address_ = 0;
  std::uint32_t bytes_ = 0;  // of the burst; 0: none
  std::uint32_t moved_ = 0;
  bool requesting_ = false;
};

}  // namespace planar::pci
