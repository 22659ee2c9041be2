// SPDX-License-Identifier: GPL-2.0-or-later
// The 386SX between two iterations of REP INS or REP OUTS: the prefetch queue is full or becomes so, nothing but data
// and port cycles takes the bus, and the data lie in one open row. What an iteration costs is what Timing's functions
// of the same names say, worked out on copies of the few numbers that still change. Where iterations repeat clock by
// clock, many are skipped in one step.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/cpu/timing/timing.hpp"

namespace planar::cpu {

class Steady386 {
 public:
  static constexpr bool skips = true;

  /// Whoever calls anything of `timing` in between calls leave() before and enter() behind it.
  explicit Steady386(Timing& timing) : timing_(timing) { enter(); }

  void enter() {
    plain_ = false;
    clock_ = timing_.clock_;
    bus_free_ = timing_.path_.word_free();
    tail_ = timing_.tail_;
    credit_ = timing_.credit_;
    write_starts_ = timing_.write_starts_;
    pin_clocks_ = timing_.counters_.pin_clocks;
    pins_until_ = timing_.pins_until_;
    full_ = timing_.refill_ || static_cast<std::int32_t>((timing_.fetch_eip_ & timing_.fetch_mask_) +
                                                         Timing::queue_bytes - timing_.fetch_next_) <= 0;
  }
  void leave() {
    timing_.clock_ = clock_;
    timing_.path_.set_word_free(bus_free_);
    timing_.tail_ = tail_;
    timing_.credit_ = credit_;
    timing_.write_starts_ = write_starts_;
    timing_.counters_.pin_clocks = pin_clocks_;
    timing_.pins_from_ = pins_from_;
    timing_.pins_until_ = pins_until_;
  }

  std::uint64_t clocks() const { return clock_; }

  void read_aligned(std::uint32_t address, unsigned bytes) {
    const std::uint64_t wanted = clock_ > tail_ + 2 ? clock_ - (tail_ + 2) : 0;
    const std::uint64_t end = std::max(wanted, bus_free_) + timing_.path_.open_read(address, bytes);
    if (!full_ || !timing_.path_.may_take_open(address, end)) [[unlikely]] {
      leave();
      timing_.read_aligned(address, bytes);
      return enter();
    }
    bus_free_ = end;
    clock_ = std::max(clock_, end + tail_);
    if (tail_ == 0)
      credit_ += 2;
    else
      tail_ = tail_ > 2 ? tail_ - 2 : 0;
  }
  void write_aligned(std::uint32_t address, unsigned bytes) {
    const std::uint64_t starts = std::max({clock_, write_starts_, bus_free_});
    const std::uint64_t end = starts + timing_.path_.open_write(address, bytes);
    if (!full_ || !timing_.path_.may_take_open(address, end)) [[unlikely]] {
      leave();
      timing_.write_aligned(address, bytes);
      return enter();
    }
    clock_ = std::max(clock_, write_starts_);
    bus_free_ = end;
    write_starts_ = starts;
  }
  /// Of a port cycle.
  std::uint64_t cycle_start() {
    if (!full_) [[unlikely]] {
      leave();
      const std::uint64_t start = timing_.cycle_start(true);
      pins_from_ = timing_.pins_from_;
      enter();
      return start;
    }
    pins_from_ = std::max(clock_, pins_until_);
    return std::max(clock_, bus_free_);
  }
  void wait_until(std::uint64_t clock) {
    clock_ = std::max(clock_, clock);
    bus_free_ = std::max(bus_free_, clock);
    pin_clocks_ += clock_ - pins_from_;
    pins_until_ = clock_;
  }
  void spend(unsigned clocks) {
    clock_ += clocks - std::min<std::uint32_t>(credit_, clocks);
    credit_ = 0;
    tail_ = clocks > 2 ? clocks - 2 : 0;
  }

  /// At an iteration's end: its clocks, if the next one finds everything as this one did, so many clocks later;
  /// otherwise 0.
  std::uint64_t step() {
    const Mark now{clock_, bus_free_, write_starts_, pins_until_, pin_clocks_, tail_, credit_};
    const std::uint64_t clocks = clock_ - mark_.clock;
    const bool same =
        plain_ && bus_free_ - mark_.bus_free == clocks && pins_until_ - mark_.pins_until == clocks &&
        (write_starts_ == mark_.write_starts || write_starts_ - mark_.write_starts == clocks) &&
        ((tail_ ^ mark_.tail) | (credit_ ^ mark_.credit)) == 0;  // no pair that the host stores apart and loads as one
    before_ = mark_;
    mark_ = now;
    plain_ = true;
    return same ? clocks : 0;
  }
  /// How many such iterations of `clocks` may follow before clock `stop`, with data at `address` and up that are
  /// `bytes` each.
  std::uint64_t may_skip(std::uint64_t clocks, std::uint64_t stop, std::uint32_t address, unsigned bytes) const {
    const std::uint64_t until = timing_.path_.plain_until();
    if (bus_free_ >= until || clock_ + 1 >= stop) return 0;
    return std::min(std::min(until - bus_free_, stop - clock_ - 1) / clocks,
                    std::uint64_t{timing_.path_.row_left(address) / bytes});
  }
  void skip(std::uint64_t iterations, std::uint64_t clocks) {
    const std::uint64_t all = iterations * clocks;
    if (write_starts_ != before_.write_starts) write_starts_ += all;
    clock_ += all;
    bus_free_ += all;
    pins_until_ += all;
    pin_clocks_ += iterations * (pin_clocks_ - before_.pin_clocks);
    plain_ = false;
  }

 private:
  struct Mark {
    std::uint64_t clock = 0, bus_free = 0, write_starts = 0, pins_until = 0, pin_clocks = 0;
    std::uint32_t tail = 0, credit = 0;
  };
  Timing& timing_;
  std::uint64_t clock_, bus_free_, write_starts_, pin_clocks_, pins_until_, pins_from_ = 0;
  std::uint32_t tail_, credit_;
  bool full_;
  bool plain_ = false;  // nothing was left to Timing since the mark
  Mark mark_, before_;  // at the end of this iteration and of the one before
};

}  // namespace planar::cpu
