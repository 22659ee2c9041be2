// SPDX-License-Identifier: GPL-2.0-or-later
// The DMA engines of a PCI chip, which share its one bus interface: each has one burst to move at a time, and of the
// waiting ones the first in order of construction is served next. A burst that has begun ends before another one
// starts.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/state/archive.hpp"
#include "core/state/description.hpp"
#include "core/time/scheduler.hpp"
#include "devices/chips/chip_host.hpp"

namespace planar {

class DmaEngine;

/// A chip's bus interface.
class DmaEngines final : public BurstClient {
 public:
  explicit DmaEngines(BurstHost& host) : host_(host) {}
  DmaEngines(const DmaEngines&) = delete;

  /// Abandons all bursts; no callback follows (reset of the chip).
  void cancel(Time now);

  // BurstClient, for the chip's board.
  std::span<std::uint8_t> burst_data() override;
  void burst_done(bool moved, Time now) override;

  void describe(Description& d) const;
  /// The engines' bursts with it. Throws Error for a snapshot in which the burst under way belongs to no engine.
  void archive(Archive& a);

 private:
  friend class DmaEngine;
  void request(Time now);

  BurstHost& host_;
  std::vector<DmaEngine*> engines_;  // in order of construction
  std::int32_t current_ = -1;        // whose burst is under way; -1: none
};

/// One of them. A member of its chip, built after the DmaEngines.
class DmaEngine {
 public:
  /// The longest burst, in bytes: more than any chip's FIFO. A snapshot with a longer one is refused.
  static constexpr std::uint32_t longest = 1 << 16;

  /// `done` is called from within the end of each burst; it may start the next one.
  DmaEngine(DmaEngines& shared, std::string name, Callback done);
  DmaEngine(const DmaEngine&) = delete;

  /// Begins a burst of `bytes` bytes (1 to `longest`). The engine is not busy.
  void read(BurstCommand command, std::uint32_t address, std::uint32_t bytes, Time now);
  void write(BurstCommand command, std::uint32_t address, std::span<const std::uint8_t> data, Time now);
  /// A doubleword, little-endian.
  void write_word(std::uint32_t address, std::uint32_t value, Time now);
  bool busy() const { return busy_; }
  /// How the last burst ended: false after a master abort.
  bool moved() const { return moved_; }
  /// What the last burst read, or wrote.
  std::span<const std::uint8_t> data() const { return data_; }
  /// The doubleword at `offset` of it, little-endian.
  std::uint32_t word(std::uint32_t offset) const;
  std::uint32_t address() const { return address_; }
  /// Abandons the burst; `done` does not follow.
  void cancel(Time now);

 private:
  friend class DmaEngines;
  void begin(BurstCommand command, std::uint32_t address, Time now);

  DmaEngines& shared_;
  std::string name_;
  Callback done_;
  BurstCommand command_ = BurstCommand::read;
  std::uint32_t address_ = 0;
  std::vector<std::uint8_t> data_;
  bool busy_ = false, moved_ = true;
};

}  // namespace planar
