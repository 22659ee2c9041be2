// SPDX-License-Identifier: GPL-2.0-or-later
// The 386SX between two iterations of a REP with cycles on the pins: the prefetch queue is full or becomes so, only
// data and port cycles take the bus, and the data lie in one open row. The rules are the bus unit's (bus_unit.hpp,
// timing_386sx.hpp); they work here on copies of the few values that still change, so that the host keeps them in
// registers. Where iterations repeat clock by clock, many are skipped in one step.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/cpu/timing/i386sx/timing_386sx.hpp"

namespace planar::cpu {

class Steady386 {
 public:
  /// Calls to `timing` itself in between need a leave() before and an enter() after them.
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
    return start_ = std::max(wanted, now_.bus_free);
  }
  void wait_until(std::uint64_t clock) {
    now_.clock = std::max(now_.clock, clock);
    now_.bus_free = std::max(now_.bus_free, clock);
    now_.pins.end(now_.clock);
  }
  void spend(unsigned clocks) { now_.clock = now_.overlap.spend(now_.clock, clocks); }
  void spend_before_write(unsigned clocks) { now_.clock = now_.overlap.spend_before_write(now_.clock, clocks); }

  // ---- many at once: at the end of an iteration whose access ended at clock `ended` ----
  /// Its clocks, if the next one finds everything as this one did, that many clocks later; otherwise 0.
  std::uint64_t step(std::uint64_t ended) {
    const std::uint64_t clocks = now_.clock - mark_.clock;
    const bool same = repeats_ && same_after(clocks);
    mark(ended);
    return same ? clocks : 0;
  }
  /// Whether the state it leaves depends only on when its access ended, as far as the one before shows.
  bool step_by_end(std::uint64_t ended) {
    const bool same =
        repeats_ && full_ && now_.clock - ended == mark_.clock - mark_end_ && same_after(ended - mark_end_);
    mark(ended);
    return same;
  }
  /// If so: clocks from the end of an access to the start of the next one.
  std::uint64_t turn() const { return start_ - before_end_; }
  /// And the clock by which an access must end so that the processor has continued before `stop`, and the data of its
  /// iteration and of the next one have come without a refresh.
  std::uint64_t latest_end(std::uint64_t stop) const {
    const std::uint64_t after = now_.clock - mark_end_ + 1, until = timing_.path_.closed_until();
    const std::uint64_t data = std::max({turn(), now_.bus_free - mark_end_, after});
    if (stop <= after || until <= data) return 0;
    return std::min(stop - after, until - data);
  }
  /// Elements of `bytes` from `address` to the end of their row; 0: the row is not open yet, so that the next one takes
  /// longer.
  std::uint32_t elements_in_row(std::uint32_t address, unsigned bytes) const {
    return timing_.path_.row_open(address) ? timing_.path_.row_left(address) / bytes : 0;
  }
  /// Skips `n` such iterations, the last one's access ending at clock `ended`.
  void skip_to_end(std::uint32_t n, std::uint64_t ended) {
    const std::uint64_t clocks = ended - mark_end_;
    const std::uint64_t between = now_.pins.from - before_end_;  // from one's end to when the next one was wanted
    now_.pins.total += clocks - n * between;
    move(clocks);
    mark_ = now_;
    mark_end_ = ended;
  }
  /// How many iterations of `clocks` may follow a step() before clock `stop` and the next refresh.
  std::uint64_t may_skip(std::uint64_t clocks, std::uint64_t stop) const {
    const std::uint64_t until = timing_.path_.closed_until();
    if (now_.bus_free >= until || now_.clock + 1 >= stop) return 0;
    return std::min(until - now_.bus_free, stop - now_.clock - 1) / clocks;
  }
  void skip(std::uint64_t iterations, std::uint64_t clocks) {
    now_.pins.total += iterations * (now_.pins.total - before_.pins.total);
    move(iterations * clocks);
    repeats_ = false;
  }

 private:
  friend struct DataCycles<Steady386>;
  /// What changes of Timing386sx.
  struct Figures {
    std::uint64_t clock = 0, bus_free = 0;
    TableOverlap overlap;
    WriteLatch latch;
    PinClocks pins;
  };

  /// Whether everything is as at the mark, `clocks` later.
  bool same_after(std::uint64_t clocks) const {
    const std::uint64_t starts = now_.latch.starts, started = mark_.latch.starts;
    return now_.bus_free - mark_.bus_free == clocks && now_.pins.until - mark_.pins.until == clocks &&
           (starts == started || starts - started == clocks) &&
           ((now_.overlap.tail ^ mark_.overlap.tail) | (now_.overlap.credit ^ mark_.overlap.credit)) == 0;
  }
  void mark(std::uint64_t ended) {
    before_ = mark_;
    before_end_ = mark_end_;
    mark_ = now_;
    mark_end_ = ended;
    repeats_ = true;
  }
  void move(std::uint64_t clocks) {
    if (now_.latch.starts != before_.latch.starts) now_.latch.starts += clocks;
    now_.clock += clocks;
    now_.bus_free += clocks;
    now_.pins.until += clocks;
  }

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
  bool repeats_ = false;                         // nothing has been left to the bus unit since the mark
  Figures mark_, before_;                        // at the end of this iteration and of the one before
  std::uint64_t mark_end_ = 0, before_end_ = 0;  // when their accesses ended
  std::uint64_t start_ = 0;                      // of the latest cycle
};

}  // namespace planar::cpu
