// SPDX-License-Identifier: GPL-2.0-or-later
// What the timing models of all processors have in common: the clock, the counters, and what most of them do alike.
// Each processor's class, in its own folder, derives from this one and provides the functions of Timing (timing.hpp),
// which calls it as its own class; there are no virtual functions.
#pragma once

#include <cstdint>

#include "core/cpu/timing/common/config.hpp"
#include "core/cpu/timing/common/other_masters.hpp"
#include "core/cpu/timing/common/pin_clocks.hpp"
#include "core/cpu/x86/memory_type.hpp"
#include "core/state/archive.hpp"

namespace planar {
class Description;
}

namespace planar::cpu {

class ProcessorTiming {
 public:
  const TimingConfig& config() const { return config_; }
  std::uint64_t clocks() const { return clock_; }
  void jump_to(std::uint64_t clock) {
    if (clock > clock_) clock_ = clock;
  }

  // ---- defaults for functions of Timing that not every processor needs; the others hide them ----
  void spend(unsigned clocks) { clock_ += clocks; }
  void spend_before_write(unsigned clocks) { clock_ += clocks; }
  void end() {}
  void abandon() {}
  SnoopHits snoop(const Snoop&) { return {}; }
  void set_cache_enabled(bool enabled) { cache_enabled_ = enabled; }
  void set_memory_types(const MemoryTypeRanges&) {}

  /// Counters for reports and tests; they affect nothing and are not part of a snapshot.
  struct Counters {
    std::uint64_t code_misses = 0;  ///< line fills and, on the 386SX, starvations of the prefetch queue
    std::uint64_t read_misses = 0;
    std::uint64_t write_misses = 0;
    std::uint64_t mispredictions = 0;
  };
  const Counters& counters() const { return counters_; }
  std::uint64_t pin_clocks() const { return pins_.total; }
  void archive_counters(Archive& a) { a(pins_.total, pins_.until); }

 protected:
  explicit ProcessorTiming(const TimingConfig& config) : config_(config) {}
  ~ProcessorTiming() = default;

  /// wait_until() with the processor's path to memory, whose bus is busy until then.
  template <class Path>
  void end_cycle(Path& path, std::uint64_t clock) {
    jump_to(clock);
    path.occupy(clock);
    pins_.end(clock_);
  }

  // Parts of a snapshot: the clock, the path to memory, then what only this processor has.
  void archive_clock(Archive& a);
  /// Throws Error if `latest`, the latest time in a loaded snapshot, lies further ahead of the clock than any run
  /// leaves it.
  void check_loaded(const Archive& a, std::uint64_t latest) const;

  TimingConfig config_;
  bool cache_enabled_ = true;
  std::uint64_t clock_ = 0;
  Counters counters_;
  PinClocks pins_;
};

}  // namespace planar::cpu
