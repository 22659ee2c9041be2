// SPDX-License-Identifier: GPL-2.0-or-later
// The bus master side of an adapter: moves one of the card's buffers to or from host memory in bursts. It arbitrates
// for the channel, moves at most one burst, releases the channel, and arbitrates again. In a 16-bit slot it moves 16
// bits at a time. The cost of the whole burst is known in advance; the burst is shorter than -PREEMPT allows.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "bus/mca/slot.hpp"
#include "core/state/description.hpp"

namespace planar {

/// The requester of a transfer.
class BusMasterClient {
 public:
  /// The card's side of the transfer in progress, at least as long as the length given to start().
  virtual std::span<std::uint8_t> transfer_buffer() = 0;
  /// True while it waits for the end of a transfer.
  virtual bool transferring() const = 0;
  virtual void transfer_done(Time now) = 0;

 protected:
  ~BusMasterClient() = default;
};

class BusMasterPort final : private bus::BusMaster {
 public:
  static constexpr std::uint32_t longest_burst = 128;
  /// `burst`: bytes per tenure (4 to longest_burst).
  BusMasterPort(bus::Slot& slot, const std::string& name, BusMasterClient& client, std::uint32_t burst);

  /// From POS: arbitration level 0 to 15 (15 never wins) and fairness; `streaming`: use the streaming data procedure
  /// where the slot has 32 bits.
  void configure(unsigned level, bool fairness, bool streaming = false);
  /// Moves `bytes` bytes (more than 0); `direction` is from the host memory's side. One transfer at a time.
  void start(std::uint32_t address, std::uint32_t bytes, Direction direction, Time now);
  void cancel(Time now);
  /// Arbitration and the transfer in progress.
  void describe(Description& d) const;
  /// Must come after its client, against whose buffer and state it is checked.
  void archive(Archive& a);

 private:
  void granted(Time now) override;
  void timed_out(Time now) override;
  void burst_done(Time now);
  bool sound() const;

  bus::Slot& slot_;
  BusMasterClient& client_;
  const std::uint32_t burst_bytes_;
  unsigned level_ = 15;
  bool streaming_ = false;
  std::uint32_t address_ = 0, bytes_ = 0, moved_ = 0, burst_ = 0;
  Direction direction_ = Direction::read;
  bool transferring_ = false;
  std::uint64_t transfer_ = 0;  // transfers started and cancelled so far; not state
  Event burst_done_;
};

}  // namespace planar
