// SPDX-License-Identifier: GPL-2.0-or-later
// The bus master side of the Madge Micro Channel cards: carries the bus cycles of a TMS380 to host memory.
//
// The chip requests its bus in bursts of as many cycles as the host has programmed. How long the card keeps the channel
// for them depends on its burst mode, from POS:
//   cycle steal        one transfer per grant
//   limited burst      a fixed number of transfers per grant
//   immediate release  one burst of the chip
//   delayed release    the whole block, including the gaps between the chip's bursts
// In the last two modes it releases the channel earlier after -PREEMPT, within the bound for an owner (7.8 us).
// The 16-bit card puts each cycle of the chip on the channel, at the chip's rate; a channel cycle longer than a default
// one makes the chip wait, in whole clocks. The 32-bit card collects a burst in a buffer and moves it at the channel's
// own rate, with streaming data if enabled; the next burst follows when the chip has had time to fill or empty it.
//
// A transfer to addresses that nothing decodes ends with a bus error. -PREEMPT is checked every few transfers.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "bus/mca/slot.hpp"
#include "core/state/description.hpp"

namespace planar::tokenring {

enum class BurstMode : std::uint8_t { cycle_steal, limited_burst, delayed_release, immediate_release };

struct MadgeMasterConfig {
  unsigned width = 16;               ///< of the card's data path, bits
  bool buffered = false;             ///< a burst of the chip is collected
  Time chip_cycle{};                 ///< one bus cycle of the chip, 16 bits
  Time burst_gap{};                  ///< between two bursts of the chip
  Time grant{};                      ///< from a grant of the channel to the first transfer
  std::uint32_t limited_bytes = 16;  ///< of a limited burst
};

/// Who asked for a transfer.
class MadgeMasterClient {
 public:
  virtual std::span<std::uint8_t> transfer_buffer() = 0;
  /// It waits for the end of a transfer.
  virtual bool transferring() const = 0;
  virtual void transfer_done(Time now) = 0;
  /// Nothing decodes the address, or (`timeout`) the channel was taken away.
  virtual void transfer_failed(bool timeout, Time now) = 0;

 protected:
  ~MadgeMasterClient() = default;
};

class MadgeMaster final : private bus::BusMaster {
 public:
  MadgeMaster(bus::Slot& slot, const std::string& name, MadgeMasterClient& client, const MadgeMasterConfig& config);

  /// From POS: arbitration level 8 to 15 (15 never wins).
  void configure(unsigned level, bool fairness, BurstMode mode, bool streaming);
  /// Moves the client's whole buffer, `direction` as the host's memory sees it, in bursts of at most `burst` cycles of
  /// the chip (0: as many as the block needs). One transfer at a time.
  void start(std::uint32_t address, unsigned burst, Direction direction, Time now);
  void cancel(Time now);
  void describe(Description& d) const;
  void archive(Archive& a);

 private:
  void granted(Time now) override;
  void preempted(Time now) override { preempted_at_ = now; }
  void timed_out(Time now) override;
  void begin_burst(Time now);
  void chunk(Time now);
  void chunk_done(Time now);
  void burst_done(Time now);
  Time chip_cycle() const;
  bool may_stay(Time from) const;
  bool sound() const;
  bool decoded(std::uint32_t address, std::uint32_t bytes);
  unsigned unit() const { return config_.buffered ? slot_.width() / 8 : 2; }
  Time chip_time(std::uint32_t bytes) const { return config_.chip_cycle * ((bytes + 1) / 2); }
  void finish(Time now);

  bus::Slot& slot_;
  MadgeMasterClient& client_;
  const MadgeMasterConfig config_;
  unsigned level_ = 15;
  BurstMode mode_ = BurstMode::cycle_steal;
  bool streaming_ = false;

  bool busy_ = false, fault_ = false;
  std::uint32_t address_ = 0, bytes_ = 0, moved_ = 0, burst_bytes_ = 0;
  std::uint32_t burst_left_ = 0, chunk_ = 0, granted_left_ = 0;
  Direction direction_ = Direction::read;
  Time burst_asked_{};
  Time preempted_at_ = Time::never();
  Event chunk_done_, next_, finished_;
};

}  // namespace planar::tokenring
