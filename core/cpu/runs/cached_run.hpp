// SPDX-License-Identifier: GPL-2.0-or-later
// The 486 or Pentium between two iterations of a REP with cycles on the pins: nothing but data and port cycles takes
// the bus, and of a data line it is known, once one of its data has been accessed by the timing itself, what the others
// cost. The rules are CachedTiming's and CachedPath's; they work here on copies of the few numbers that still change,
// so that the host keeps those in registers.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/cpu/timing/cached/cached_timing.hpp"

namespace planar::cpu {

class CachedRun {
 public:
  /// Calls of `timing` itself in between need a leave() before and an enter() after them.
  explicit CachedRun(CachedTiming& timing) : timing_(timing), state_(timing.state_) { enter(); }

  void enter() {
    clock_ = timing_.clock_;
    bus_free_ = timing_.path_.bus_free_;
    pins_ = timing_.pins_;
    free_line_ = posted_line_ = CachedTiming::no_line;
    prefetches_ = state_.prefetch_line != CachedTiming::no_line;
  }
  void leave() {
    timing_.clock_ = clock_;
    timing_.path_.bus_free_ = bus_free_;
    timing_.pins_ = pins_;
  }

  std::uint64_t clocks() const { return clock_; }

  void read(std::uint32_t address, unsigned bytes) {
    each_doubleword(address, bytes, [&](std::uint32_t at, unsigned n) { read_aligned(at, n); });
  }
  void write(std::uint32_t address, unsigned bytes) {
    each_doubleword(address, bytes, [&](std::uint32_t at, unsigned n) { write_aligned(at, n); });
  }
  std::uint64_t cycle_start(bool io) {
    if (prefetches_) [[unlikely]] {
      leave();
      timing_.cycle_start(io);
      enter();
      return clock_;
    }
    pins_.begin(clock_);
    return clock_ = next_start(0);
  }
  void wait_until(std::uint64_t clock) {
    clock_ = std::max(clock_, clock);
    bus_free_ = std::max(bus_free_, timing_.path_.clock_.ticks(clock));
    pins_.end(clock_);
  }
  void spend(unsigned clocks) { clock_ += clocks; }
  void spend_before_write(unsigned clocks) { spend(clocks); }

  // ---- iterations whose data cost nothing, many at once ----
  /// How many elements of `bytes` from `address` on lie in a line of which all accesses are known to cost nothing.
  std::uint32_t free_elements(std::uint32_t address, unsigned bytes) const {
    if (prefetches_ || (address & timing_.line_mask_) != free_line_ || clock_ < free_from_) return 0;
    return (~timing_.line_mask_ + 1 - (address & ~timing_.line_mask_)) / bytes;
  }
  /// What an element's access costs all the same, if its address lies across doublewords.
  static unsigned across(std::uint32_t address, unsigned bytes) {
    return (address & 3) + bytes > 4 ? CachedTiming::misaligned_clocks : 0;
  }
  /// When the next cycle on the pins would start that is wanted in `clocks` clocks.
  std::uint64_t next_start(unsigned clocks) const {
    return std::max(clock_ + clocks, timing_.path_.clock_.core(bus_start(clock_ + clocks)));
  }
  /// The same of one that is wanted at `clock`, when the bus is free.
  std::uint64_t start_behind(std::uint64_t clock) const {
    const BusClock& bus = timing_.path_.clock_;
    return bus.core(bus.edge(bus.ticks(clock)));
  }
  /// The most clocks by which edges of the clocks defer a cycle: its end to a core clock, its start to the bus's.
  unsigned edges() const { return 2u + timing_.path_.clock_.period(); }
  /// The cycle table for cycles of `usual` with `between` clocks in between; null if there is none.
  const CyclePace* pace(const ClockEdges& clock, Time usual, unsigned between) {
    return timing_.pace_.set(clock, timing_.path_.clock_, usual, between) ? &timing_.pace_ : nullptr;
  }
  /// After `n` iterations: the last one's cycle ended at clock `end` and the one's before it, of these, at
  /// `previous`. In each, `before` clocks pass before the cycle and `behind` after it.
  void skip(std::uint32_t n, std::uint64_t previous, std::uint64_t end, unsigned before, unsigned behind) {
    const std::uint64_t first = clock_ + before;  // when the first one was wanted
    pins_.begin(n == 1 ? first : previous + behind + before);
    pins_.total += end - first - (n - 1) * std::uint64_t{behind + before};
    pins_.until = end;
    bus_free_ = std::max(bus_free_, timing_.path_.clock_.ticks(end));
    clock_ = end;
    spend(behind);
  }

 private:
  /// What an operand consists of, and what it costs that it may be two parts.
  template <class F>
  void each_doubleword(std::uint32_t address, unsigned bytes, F&& part) {
    if ((address & 3) + bytes <= 4) [[likely]]
      return part(address, bytes);
    clock_ += CachedTiming::misaligned_clocks;
    const unsigned head = 4 - (address & 3);
    part(address, head);
    part(address + head, bytes - head);
  }
  void read_aligned(std::uint32_t address, unsigned bytes) {
    const std::uint32_t line = address & timing_.line_mask_;
    if (line == free_line_ && clock_ >= free_from_) [[likely]]
      return;
    leave();
    timing_.read_aligned(address, bytes);
    enter();
    if (!state_.data.in_mru_way(address)) return;
    free_line_ = line;
    free_from_ = state_.fills_until;
  }
  void write_aligned(std::uint32_t address, unsigned bytes) {
    const std::uint32_t line = address & timing_.line_mask_;
    if (line == free_line_ || (line == posted_line_ && post())) [[likely]]
      return;
    leave();
    timing_.write_aligned(address, bytes);
    enter();
    if (!prefetches_) learn_write(address, line);
  }
  std::uint64_t bus_start(std::uint64_t at) const {
    const BusClock& clock = timing_.path_.clock_;
    return clock.edge(std::max(clock.ticks(at), bus_free_));
  }
  /// What further writes into `line` cost, to which `address` has just been written: nothing (dirty, and written back
  /// some day), a cycle of the second level that has it, or one of the row that is open.
  void learn_write(std::uint32_t address, std::uint32_t line) {
    const CachedPath& path = timing_.path_;
    if (timing_.write_hits(address)) {
      free_line_ = line;
      free_from_ = 0;
      return;
    }
    if (path.l2_.present() ? !path.takes_write(address) : !path.memory_.row_open(address)) return;
    posted_line_ = line;
    hits_ = state_.data.in_mru_way(address);
    posted_ticks_ = path.l2_.present() ? path.posted_ticks_ : path.bus(path.memory_.config().dram.write_hit);
    posted_before_ = path.l2_.present() ? UINT64_MAX : path.memory_.next_refresh();
  }
  /// MemoryEvents::write() for such a write; false, with nothing done, if a refresh is due.
  bool post() {
    const std::uint64_t at = std::max(clock_, state_.write_done[state_.write_next]);
    const std::uint64_t start = timing_.path_.share_.bus_free(bus_start(at), timing_.path_.clock_);
    if (start >= posted_before_) [[unlikely]]
      return false;
    clock_ = at;
    bus_free_ = start + posted_ticks_;
    timing_.post({timing_.path_.clock_.core(start), timing_.path_.clock_.core(bus_free_)});
    timing_.count_posted(hits_);
    return true;
  }

  CachedTiming& timing_;
  CacheState& state_;
  std::uint64_t clock_ = 0, bus_free_ = 0;  // CachedTiming's and CachedPath's
  PinClocks pins_;
  std::uint32_t free_line_ = 0, posted_line_ = 0;  // accesses of it cost nothing; writes to it are posted
  std::uint64_t free_from_ = 0;                    // the fill that brings free_line_ is over
  std::uint32_t posted_ticks_ = 0;
  std::uint64_t posted_before_ = 0;  // tick before which such a write must start
  bool hits_ = false;                // the first level has posted_line_
  bool prefetches_ = false;          // a code line is wanted still
};

}  // namespace planar::cpu
