// SPDX-License-Identifier: GPL-2.0-or-later
// RAM on the local bus of an Am7990, which the host accesses through a window: the later one waits. The LANCE keeps the
// bus for a whole burst (it cannot be asked to release it), the host for one access.
#pragma once

#include <cstdint>
#include <vector>

#include "bus/mca/cycles.hpp"
#include "devices/adapter/timing_profile.hpp"
#include "devices/chips/am7990/am7990.hpp"
#include "devices/chips/shared_ram.hpp"

namespace planar::ethernet {

/// Base of a card: the chip, its RAM (a power of two; further address lines are not connected, so it repeats), the
/// host's side.
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
