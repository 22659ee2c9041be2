// SPDX-License-Identifier: GPL-2.0-or-later
// RAM on the local bus of an Am7990, which the host reaches through a window: whoever comes second waits. The LANCE
// keeps the bus for a whole burst (it cannot be asked to leave), the host for one access.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "bus/mca/cycles.hpp"
#include "devices/adapter/timing_profile.hpp"
#include "devices/chips/am7990/am7990.hpp"

namespace planar::ethernet {

/// Base of a card: the chip, its RAM (a power of two; further address lines lead nowhere, so it repeats), the host's
/// side.
class LanceRam : public Am7990Host {
 public:
  Am7990& chip() { return chip_; }

 protected:
  LanceRam(Scheduler& scheduler, const std::string& name, std::uint32_t bytes, const TimingProfile& profile,
           std::uint64_t seed)
      : ram_(bytes),
        ready_delay_(profile.time("memory.ready_delay")),
        chip_(scheduler, name, *this, timing(profile), seed) {}

  /// The asynchronous 16-bit cycle of the window.
  CycleSpec window_cycle() const { return {16, bus::CycleKind::asynchronous, ready_delay_}; }
  /// When a host access to the RAM that begins at `start` may end: not before the LANCE has left and the card's own
  /// delay.
  Time ram_ready(Time start) const {
    const Time free = chip_.local_bus_free(start);
    return free > start ? free + ready_delay_ : start;
  }
  std::uint32_t ram_peek(std::uint32_t offset, unsigned bytes) const {
    std::uint32_t value = 0;
    for (unsigned i = 0; i < bytes; ++i) value |= std::uint32_t{ram_[index(offset + i)]} << 8 * i;
    return value;
  }
  std::uint32_t ram_read(std::uint32_t offset, unsigned bytes, Time now) {
    chip_.sync(now);
    return ram_peek(offset, bytes);
  }
  void ram_write(std::uint32_t offset, unsigned bytes, std::uint32_t value, Time now) {
    chip_.sync(now);
    for (unsigned i = 0; i < bytes; ++i) ram_[index(offset + i)] = static_cast<std::uint8_t>(value >> 8 * i);
  }

  /// A run of accesses within `limit` bytes from `offset` on (Slave::port_run), and what it moved.
  PortRun ram_run(std::uint32_t offset, std::uint32_t limit, unsigned bytes, Time now) const {
    const std::uint32_t straight = static_cast<std::uint32_t>(ram_.size()) - index(offset);  // it repeats after that
    return chip_.undisturbed(now).run(std::min(limit, straight), bytes);
  }
  void ram_run_written(std::uint32_t offset, std::span<const std::uint8_t> data) {
    std::copy(data.begin(), data.end(), ram_.begin() + index(offset));
  }
  void ram_run_read(std::uint32_t offset, std::span<std::uint8_t> data) const {
    std::copy_n(ram_.begin() + index(offset), data.size(), data.begin());
  }

  // Am7990Host
  std::uint8_t local_read(std::uint32_t address) const override { return ram_[index(address)]; }
  void local_write(std::uint32_t address, std::uint8_t value) override { ram_[index(address)] = value; }

  std::uint32_t index(std::uint32_t address) const { return address & static_cast<std::uint32_t>(ram_.size() - 1); }
  /// The contents; a snapshot's must have this card's size. Throws Error.
  void archive_ram(Archive& a);

  std::vector<std::uint8_t> ram_;
  Time ready_delay_;
  Am7990 chip_;

 private:
  static Am7990Timing timing(const TimingProfile& profile);
};

}  // namespace planar::ethernet
