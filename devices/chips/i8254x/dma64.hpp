// SPDX-License-Identifier: GPL-2.0-or-later
// A DMA engine of a chip with 64-bit addresses, on a bus whose memory is below 4 GB: a burst beyond that is a dual
// address cycle that no target claims. It ends in a master abort, which leaves no trace on the bus here.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/time/scheduler.hpp"
#include "devices/chips/dma/dma_engines.hpp"

namespace planar::ethernet {

class Dma64 {
 public:
  Dma64(Scheduler& scheduler, DmaEngines& shared, const std::string& chip, const std::string& name, Callback done)
      : done_(done),
        engine_(shared, name, Callback::to<&Dma64::ended>(this)),
        nobody_(scheduler, chip + "." + name + " abort", Priority::device, Callback::to<&Dma64::aborted>(this)) {}

  /// `line`: bytes of the processor's cache line; a burst that crosses one is read with read-ahead. `abort`: how long a
  /// cycle takes that no target claims.
  void read(std::uint64_t address, std::uint32_t bytes, std::uint32_t line, Time abort, Time now) {
    bytes_ = bytes;
    if (!reachable(address, bytes)) {
      ones_.assign(bytes, 0xFF);
      return nobody_.at(now + abort);
    }
    ones_.clear();
    const bool crosses = (address & (line - 1)) + bytes > line;
    engine_.read(crosses ? BurstCommand::read_multiple : BurstCommand::read, static_cast<std::uint32_t>(address), bytes,
                 now);
  }
  void write(std::uint64_t address, std::span<const std::uint8_t> data, Time abort, Time now) {
    bytes_ = static_cast<std::uint32_t>(data.size());
    if (!reachable(address, bytes_)) return nobody_.at(now + abort);
    engine_.write(BurstCommand::write, static_cast<std::uint32_t>(address), data, now);
  }
  bool busy() const { return engine_.busy() || nobody_.pending(); }
  /// Whether the last burst reached memory.
  bool moved() const { return moved_; }
  std::uint32_t bytes() const { return bytes_; }
  /// What it read; ones if it did not reach memory.
  std::span<const std::uint8_t> data() const {
    return ones_.empty() ? engine_.data() : std::span<const std::uint8_t>(ones_);
  }
  void cancel(Time now) {
    engine_.cancel(now);
    nobody_.cancel();
  }
  /// The engine's own burst is archived with the DmaEngines, before this.
  void archive(Archive& a) { a(moved_, bytes_, ones_, nobody_); }
  /// For a loaded snapshot: whether it has as many bytes as it says.
  bool sound() const {
    if (nobody_.pending()) return !engine_.busy() && (ones_.empty() || ones_.size() == bytes_);
    return !engine_.busy() || (ones_.empty() && engine_.data().size() == bytes_);
  }

 private:
  static bool reachable(std::uint64_t address, std::uint32_t bytes) {
    constexpr std::uint64_t limit = std::uint64_t{1} << 32;
    return address < limit && address + bytes <= limit;
  }
  void ended(Time now) {
    moved_ = engine_.moved();
    done_(now);
  }
  void aborted(Time now) {
    moved_ = false;
    done_(now);
  }

  Callback done_;
  DmaEngine engine_;
  Event nobody_;
  std::uint32_t bytes_ = 0;
  std::vector<std::uint8_t> ones_;
  bool moved_ = true;
};

}  // namespace planar::ethernet
