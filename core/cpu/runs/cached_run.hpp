// SPDX-License-Identifier: GPL-2.0-or-later
// The 486 or Pentium within a REP: only data and port cycles take the bus. What another access to the data line read
// last, or to the one written last, will cost is known once the timing model itself has made one. The rules are those
// of CachedTiming and CachedPath; they work here on copies of the few values that change, so that the host keeps them
// in registers.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/cpu/timing/cached/cached_timing.hpp"

namespace planar::cpu {

class CachedRun {
 public:
  /// Calls to `timing` itself in between need a leave() before and an enter() after them.
  explicit CachedRun(CachedTiming& timing) : timing_(timing), state_(timing.state_) { enter(); }

  void enter() {
    load();
    read_line_ = write_line_ = CachedTiming::no_line;
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
  /// How many elements of `bytes` from `address` on lie in a line to which all accesses are known to cost nothing.
  std::uint32_t free_elements(std::uint32_t address, unsigned bytes) const {
    if (prefetches_) return 0;
    return std::max(free_reads(address, bytes), free_writes(address, bytes));
  }
  /// Likewise, for reads only and for writes only.
  std::uint32_t free_reads(std::uint32_t address, unsigned bytes) const {
    return line_of(address) == read_line_ && clock_ >= free_from_ ? elements_in_line(address, bytes) : 0;
  }
  std::uint32_t free_writes(std::uint32_t address, unsigned bytes) const {
    return line_of(address) == write_line_ && write_ == Write::free ? elements_in_line(address, bytes) : 0;
  }
  /// Additional cost of an element's access, even then, if the element lies across doublewords.
  static unsigned across(std::uint32_t address, unsigned bytes) {
    return (address & 3) + bytes > 4 ? CachedTiming::misaligned_clocks : 0;
  }
  /// When the next cycle on the pins would start if it is wanted in `clocks` clocks.
  std::uint64_t next_start(unsigned clocks) const {
    return std::max(clock_ + clocks, timing_.path_.clock_.core(bus_start(clock_ + clocks)));
  }
  /// The same for one that is wanted at `clock`, with the bus free.
  std::uint64_t start_after(std::uint64_t clock) const {
    const BusClock& bus = timing_.path_.clock_;
    return bus.core(bus.edge(bus.ticks(clock)));
  }
  /// The most clocks by which clock edges defer a cycle: its end to a core clock edge, its start to a bus clock edge.
  unsigned edges() const { return 2u + timing_.path_.clock_.period(); }
  /// The cycle table for cycles of `usual` with `between` clocks in between; null if there is none.
  const CyclePace* pace(const ClockEdges& clock, Time usual, unsigned between) {
    return timing_.pace_.set(clock, timing_.path_.clock_, usual, between) ? &timing_.pace_ : nullptr;
  }
  /// Skips up to `count` iterations of `clocks` whose data cost nothing more, until the clock reaches `stop_at`;
  /// returns how many.
  std::uint32_t skip_free(std::uint32_t count, unsigned clocks, std::uint64_t stop_at) {
    if (count == 0 || clock_ >= stop_at) return 0;
    const std::uint32_t n =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(count, (stop_at - clock_ + clocks - 1) / clocks));
    clock_ += std::uint64_t{n} * clocks;
    return n;
  }
  /// Accounts for `n` skipped iterations: the last one's cycle ended at clock `end`, and that of the one before it, if
  /// it is among them, at `previous`. In each, `before` clocks pass before the cycle and `after` after it.
  void skip(std::uint32_t n, std::uint64_t previous, std::uint64_t end, unsigned before, unsigned after) {
    const std::uint64_t first = clock_ + before;  // when the first one was wanted
    pins_.begin(n == 1 ? first : previous + after + before);
    pins_.total += end - first - (n - 1) * std::uint64_t{after + before};
    pins_.until = end;
    bus_free_ = std::max(bus_free_, timing_.path_.clock_.ticks(end));
    clock_ = end;
    spend(after);
  }

 private:
  /// Calls `part` for each part of an operand; charges for an operand in two parts.
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
    if (line_of(address) == read_line_ && clock_ >= free_from_) [[likely]]
      return;
    const bool waits_only = state_.data.in_mru_way(address);  // for the fill of its line
    leave();
    timing_.read_aligned(address, bytes);
    load();
    learn_read(line_of(address));
    if (!waits_only) learn_write(write_line_);
  }
  void write_aligned(std::uint32_t address, unsigned bytes) {
    if (line_of(address) == write_line_ && (write_ == Write::free || post())) [[likely]]
      return;
    leave();
    timing_.write_aligned(address, bytes);
    load();
    learn_write(line_of(address));
    learn_read(read_line_);
  }
  std::uint32_t line_of(std::uint32_t address) const { return address & timing_.line_mask_; }
  std::uint32_t elements_in_line(std::uint32_t address, unsigned bytes) const {
    return (~timing_.line_mask_ + 1 - (address & ~timing_.line_mask_)) / bytes;
  }
  void load() {
    clock_ = timing_.clock_;
    bus_free_ = timing_.path_.bus_free_;
    pins_ = timing_.pins_;
    prefetches_ = state_.prefetch_line != CachedTiming::no_line;
  }
  std::uint64_t bus_start(std::uint64_t at) const {
    const BusClock& clock = timing_.path_.clock_;
    return clock.edge(std::max(clock.ticks(at), bus_free_));
  }
  /// What further reads of `line` cost: nothing once no fill is in progress, if they do not change the order of its
  /// set.
  void learn_read(std::uint32_t line) {
    read_line_ = line != CachedTiming::no_line && state_.data.in_mru_way(line) ? line : CachedTiming::no_line;
    free_from_ = state_.fills_until;
  }
  /// What further writes into `line` cost.
  void learn_write(std::uint32_t line) {
    write_line_ = CachedTiming::no_line;
    if (line == CachedTiming::no_line) return;
    if (timing_.write_hits(line)) {
      write_ = Write::free;
      write_line_ = line;
      return;
    }
    hits_ = !timing_.config_.l1.write_back && state_.data.in_mru_way(line);
    if (prefetches_ || (!hits_ && state_.data.holds(line))) return;
    const CachedPath& path = timing_.path_;
    const TimingConfig& config = path.memory_.config();
    if (path.l2_.present() && path.takes_write(line)) {
      write_ = Write::second_level;
    } else if (path.memory_.row_open(line) &&
               (!path.l2_.present() || !(config.l2.write_allocate || path.l2_.holds(line)))) {
      write_ = path.l2_.present() ? Write::through_second_level : Write::memory;
      memory_ticks_ = path.bus(config.dram.write_hit);
    } else {
      return;
    }
    write_line_ = line;
  }
  /// What MemoryEvents does for a posted write; false, with nothing done, if a refresh is due.
  bool post() {
    CachedPath& path = timing_.path_;
    const std::uint64_t at = std::max(clock_, state_.write_done[state_.write_next]);
    const std::uint64_t start = path.share_.bus_free(bus_start(at), path.clock_);
    std::uint64_t taken = start + path.posted_ticks_;
    if (write_ == Write::memory) {
      if (start >= path.memory_.next_refresh()) [[unlikely]]
        return false;
      taken = start + memory_ticks_;
    } else if (write_ == Write::through_second_level) {
      const std::uint64_t accepted = start < path.memory_free_ ? path.clock_.edge(path.memory_free_) : start;
      const std::uint64_t written = path.between_lines(accepted);
      if (written >= path.memory_.next_refresh()) [[unlikely]]
        return false;
      path.memory_free_ = written + memory_ticks_;
      taken = accepted + path.posted_ticks_;
    }
    clock_ = at;
    bus_free_ = taken;
    timing_.post({path.clock_.core(start), path.clock_.core(taken)});
    timing_.count_posted(hits_);
    return true;
  }

  /// What a write into write_line_ costs: nothing (dirty, and written back some day); a cycle of the second level,
  /// which has the line; a memory cycle, in the open row; or both, one after the other.
  enum class Write : std::uint8_t { free, second_level, memory, through_second_level };

  CachedTiming& timing_;
  CacheState& state_;
  std::uint64_t clock_ = 0, bus_free_ = 0;  // CachedTiming's and CachedPath's
  PinClocks pins_;
  std::uint32_t read_line_ = 0;   // reads of it cost nothing from free_from_ on
  std::uint64_t free_from_ = 0;   // a clock
  std::uint32_t write_line_ = 0;  // writes into it cost what write_ says
  Write write_ = Write::free;
  bool hits_ = false;  // the first level has write_line_, and writes it through
  std::uint64_t memory_ticks_ = 0;
  bool prefetches_ = false;  // a code line is still wanted
};

}  // namespace planar::cpu
