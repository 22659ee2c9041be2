// SPDX-License-Identifier: GPL-2.0-or-later
// The 386SX between two iterations of a REP with cycles on the pins: the prefetch queue is full or becomes so, nothing
// but data and port cycles takes the bus, and the data lie in one open row. The rules are the bus unit's (bus_unit.hpp,
// execution_clocks.hpp); they work here on copies of the few numbers that still change, so that the host keeps those in
// registers. Where iterations repeat clock by clock, many are skipped in one step.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/cpu/timing/i386sx/timing_386sx.hpp"

namespace planar::cpu {

class Steady386 {
 public:
  /// Calls of `timing` itself in between need a leave() before and an enter() behind them.
  explicit Steady386(Timing386sx& timing) : timing_(timing) { enter(); }

  void enter() {
    repeats_ = false;
    now_ = {timing_.clock_, timing_.path_.bus_free(), timing_.overlap_, timing_.bus_.latch, timing_.pins_};
    full_ = timing_.bus_.refill || timing_.room() <= 0;
  }
  void leave() {
    timing_.clock_ = now_.clock;
    timing_.path_.bus_free() = now_.bus_free;
    timing_.overlap_ = now_.overlap;
    timing_.bus_.latch = now_.latch;
    timing_.pins_ = now_.pins;
  }

  std::uint64_t clocks() const { return now_.clock; }

  /// Aligned data.
  void read(std::uint32_t address, unsigned bytes) {
    if (!timing_.path_.row_open(address) || !DataCycles<Steady386>::read(*this, address, bytes)) [[unlikely]] {
      leave();
      timing_.read_aligned(address, bytes);
      enter();
    }
  }
  void write(std::uint32_t address, unsigned bytes) {
    if (!timing_.path_.row_open(address) || !DataCycles<Steady386>::write(*this, address, bytes)) [[unlikely]] {
      leave();
      timing_.write_aligned(address, bytes);
      enter();
    }
  }
  std::uint64_t cycle_start(bool io) {
    if (!full_) [[unlikely]] {
      leave();
      const std::uint64_t start = timing_.cycle_start(io);
      enter();
      return start;
    }
    const std::uint64_t wanted = Timing386sx::cycle_wanted(now_.clock, io);
    now_.pins.begin(wanted);
    return std::max(wanted, now_.bus_free);
  }
  void wait_until(std::uint64_t clock) {
    now_.clock = std::max(now_.clock, clock);
    now_.bus_free = std::max(now_.bus_free, clock);
    now_.pins.end(now_.clock);
  }
  void spend(unsigned clocks) { now_.clock = now_.overlap.spend(now_.clock, clocks); }
  void spend_before_write(unsigned clocks) { now_.clock = now_.overlap.spend_before_write(now_.clock, clocks); }

  /// At the end of an iteration that nothing repeats.
  void irregular() { repeats_ = false; }
  /// At an iteration's end: its clocks, if the next one finds everything as this one did, so many clocks later;
  /// otherwise 0.
  std::uint64_t step() {
    const std::uint64_t clocks = now_.clock - mark_.clock;
    const std::uint64_t starts = now_.latch.starts, started = mark_.latch.starts;
    const bool same = repeats_ && now_.bus_free - mark_.bus_free == clocks &&
                      now_.pins.until - mark_.pins.until == clocks &&
                      (starts == started || starts - started == clocks) &&
                      ((now_.overlap.tail ^ mark_.overlap.tail) | (now_.overlap.credit ^ mark_.overlap.credit)) == 0;
    before_ = mark_;
    mark_ = now_;
    repeats_ = true;
    return same ? clocks : 0;
  }
  /// How many such iterations of `clocks` may follow before clock `stop`, with data at `address` and up that are
  /// `bytes` each.
  std::uint64_t may_skip(std::uint64_t clocks, std::uint64_t stop, std::uint32_t address, unsigned bytes) const {
    const std::uint64_t until = timing_.path_.closed_until();
    if (now_.bus_free >= until || now_.clock + 1 >= stop) return 0;
    return std::min(std::min(until - now_.bus_free, stop - now_.clock - 1) / clocks,
                    std::uint64_t{timing_.path_.row_left(address) / bytes});
  }
  void skip(std::uint64_t iterations, std::uint64_t clocks) {
    const std::uint64_t all = iterations * clocks;
    if (now_.latch.starts != before_.latch.starts) now_.latch.starts += all;
    now_.clock += all;
    now_.bus_free += all;
    now_.pins.until += all;
    now_.pins.total += iterations * (now_.pins.total - before_.pins.total);
    repeats_ = false;
  }

 private:
  friend struct DataCycles<Steady386>;
  /// Of Timing386sx: what changes.
  struct Figures {
    std::uint64_t clock = 0, bus_free = 0;
    TableOverlap overlap;
    WriteLatch latch;
    PinClocks pins;
  };

  // For DataCycles.
  std::uint64_t& clock() { return now_.clock; }
  std::uint64_t& bus_free() { return now_.bus_free; }
  TableOverlap& overlap() { return now_.overlap; }
  WriteLatch& latch() { return now_.latch; }
  WordPath& path() { return timing_.path_; }
  bool bring_up_to(std::uint64_t) const { return full_; }  // a full queue asks for nothing

  Timing386sx& timing_;
  Figures now_;
  bool full_ = false;
  bool repeats_ = false;   // nothing was left to the bus unit since the mark
  Figures mark_, before_;  // at the end of this iteration and of the one before
};

}  // namespace planar::cpu
