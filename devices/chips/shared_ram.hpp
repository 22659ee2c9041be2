// SPDX-License-Identifier: GPL-2.0-or-later
// The processor's window into memory that it shares with a chip on the chip's own bus: the later one waits. The chip
// keeps the bus for a whole burst, the processor for one access.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "core/common/little_endian.hpp"
#include "core/memory/slave.hpp"
#include "core/time/scheduler.hpp"
#include "devices/chips/window_run.hpp"

namespace planar {

/// `Chip` has sync(now), which brings the memory up to a time, local_bus_free(start), and undisturbed(now). The memory
/// repeats; its size is a power of two.
template <class Chip>
class SharedRam : public Slave {
 public:
  /// `access`: the processor's, once the chip has released the bus.
  SharedRam(std::vector<std::uint8_t>& ram, Chip& chip, const Scheduler& scheduler, Time access)
      : ram_(ram), chip_(chip), scheduler_(scheduler), access_(access) {}

  std::uint32_t peek(std::uint32_t offset, unsigned bytes, Time) const override {
    return join_little(bytes, [&](unsigned i) { return ram_[index(offset + i)]; });
  }
  std::uint32_t read(std::uint32_t offset, unsigned bytes, Time now) override {
    chip_.sync(now);
    return SharedRam::peek(offset, bytes, now);
  }
  void write(std::uint32_t offset, unsigned bytes, std::uint32_t value, Time now) override {
    chip_.sync(now);
    for (unsigned i = 0; i < bytes; ++i) ram_[index(offset + i)] = static_cast<std::uint8_t>(value >> 8 * i);
  }
  Time ready(std::uint32_t, unsigned, Direction, Time start) override {
    const Time free = chip_.local_bus_free(start);
    return free > start ? free + access_ : start;
  }

  PortRun port_run(std::uint32_t offset, unsigned bytes, Direction) override {
    return run_within(UINT32_MAX, offset, bytes);
  }
  void run_written(std::uint32_t offset, std::span<const std::uint8_t> data, PortRun&, Time) override {
    std::copy(data.begin(), data.end(), ram_.begin() + index(offset));
  }
  void run_read(std::uint32_t offset, std::span<std::uint8_t> data, PortRun&, Time) override {
    std::copy_n(ram_.begin() + index(offset), data.size(), data.begin());
  }

 protected:
  /// A run of accesses in at most `limit` bytes from `offset` on.
  PortRun run_within(std::uint32_t limit, std::uint32_t offset, unsigned bytes) const {
    const std::uint32_t straight = static_cast<std::uint32_t>(ram_.size()) - index(offset);  // it repeats after that
    return chip_.undisturbed(scheduler_.now()).run(std::min(limit, straight), bytes);
  }

 private:
  std::uint32_t index(std::uint32_t address) const { return address & static_cast<std::uint32_t>(ram_.size() - 1); }

  std::vector<std::uint8_t>& ram_;
  Chip& chip_;
  const Scheduler& scheduler_;
  const Time access_;
};

}  // namespace planar
