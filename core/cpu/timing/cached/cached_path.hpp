// SPDX-License-Identifier: GPL-2.0-or-later
// The path to memory of a processor with a first-level cache (486, Pentium): lines and posted writes on a bus with its
// own clock, a second-level cache on that bus if there is one, and planar memory. With a second level, bus and memory
// are two resources, each busy on its own; without one, they are the same.
//
// A master's inquire cycles and the write-backs that they cause take the processor's bus for part of each line; what
// they find depends on the tags (CachedTiming::snoop). Cycles on the pins do not wait for them: they wait for the
// master's bus.
//
// Internal times are in ticks (bus_clock.hpp), those of the interface in core clocks. Not modelled: pipelined bus
// cycles.
#pragma once

#include <cstdint>

#include "core/cpu/timing/cached/tag_cache.hpp"
#include "core/cpu/timing/memory/bus_clock.hpp"
#include "core/cpu/timing/memory/line_share.hpp"
#include "core/cpu/timing/memory/planar_memory.hpp"
#include "core/state/archive.hpp"

namespace planar::cpu {

class CachedPath {
 public:
  explicit CachedPath(const TimingConfig& config);

  /// First and last datum of a burst, in core clocks.
  struct Burst {
    std::uint64_t first, done;
  };

  // Where `G` is given, it is the configuration's shape as constants.

  /// The core clock from which the bus is free.
  template <Geometry G = any_geometry>
  std::uint64_t free() const {
    return clock_.core<G>(bus_free_);
  }
  /// Whether the bus is free before core clock `at`.
  template <Geometry G = any_geometry>
  bool free_before(std::uint64_t at) const {
    return clock_.before<G>(bus_free_, at);
  }
  /// The start of the first possible cycle on the pins at or after core clock `at`.
  std::uint64_t next_start(std::uint64_t at) const { return clock_.core(bus_edge(at)); }
  /// The bus is busy until core clock `until`.
  void occupy(std::uint64_t until) {
    if (const std::uint64_t t = clock_.ticks(until); bus_free_ < t) bus_free_ = t;
  }
  /// Another master owns the memory for `clocks` core clocks from `from`.
  void steal(std::uint64_t from, unsigned clocks);

  /// Another master shares the memory from now on.
  void share(const MemoryShare& share);

  /// Fetches the first level's line around `address`, the wanted datum first, not before core clock `at`.
  template <Geometry G = any_geometry>
  Burst fetch_line(std::uint64_t at, std::uint32_t address) {
    if (memory_.rom(address)) [[unlikely]]
      return fetch_line_from_rom(bus_start<G>(at));
    return fetch_line_from_ram<G>(at, address);
  }
  /// The same where the address is known not to be in ROM.
  template <Geometry G = any_geometry>
  Burst fetch_line_from_ram(std::uint64_t at, std::uint32_t address) {
    if (Burst burst; try_line_from_ram<G>(at, address, burst)) [[likely]]
      return burst;
    return has_l2<G>() ? fill_l2(bus_start<G>(at), address) : read_line(memory_start<G>(bus_start<G>(at)), address);
  }
  /// The same in the usual case, without a call: the second level has the line or, without a second level, no refresh
  /// comes first. Otherwise false, with nothing done.
  template <Geometry G = any_geometry>
  [[gnu::always_inline]] bool try_line_from_ram(std::uint64_t at, std::uint32_t address, Burst& burst) {
    const std::uint64_t t = bus_start<G>(at);
    if (!has_l2<G>()) {
      if (t >= memory_.next_refresh()) [[unlikely]]
        return false;
      burst = read_line<G>(t, address);
      return true;
    }
    const bool guessed = l2_.in_mru_way<G.l2>(address);
    if (!guessed && !l2_.find_other<G.l2>(address)) [[unlikely]]
      return false;
    const std::uint64_t first = t + (guessed ? l2_hit_mru_ticks_ : l2_hit_other_ticks_);
    bus_free_ = first + l2_rest_ticks_;
    burst = {clock_.core<G>(first), clock_.core<G>(bus_free_)};
    return true;
  }
  /// Single reads of every datum that [address, address+bytes) touches.
  Burst read_single(std::uint64_t at, std::uint32_t address, unsigned bytes);
  /// A write of up to two data: returns the core clocks at which it begins on the bus and at which the bus has accepted
  /// it.
  Burst write(std::uint64_t at, std::uint32_t address, unsigned bytes);
  /// The same for an operand within a doubleword.
  template <Geometry G = any_geometry>
  Burst write_aligned(std::uint64_t at, std::uint32_t address, unsigned bytes) {
    if (Burst burst; try_write<G>(at, address, burst)) [[likely]]
      return burst;
    return write(at, address, bytes);
  }
  /// The same in the usual case, without a call: the second level takes the write, or memory does and no refresh comes
  /// first. Otherwise false, with nothing done.
  template <Geometry G = any_geometry>
  [[gnu::always_inline]] bool try_write(std::uint64_t at, std::uint32_t address, Burst& burst) {
    if (has_l2<G>()) {
      if (!takes_write<G>(address) && !l2_.find_for_write<G.l2>(address))
        return try_write_through_l2<G>(at, address, burst);
      burst = write_posted<G>(at);
      return true;
    }
    const std::uint64_t start = bus_start<G>(at);
    if (start >= memory_.next_refresh()) [[unlikely]]
      return false;
    bus_free_ = start + clock_.bus<G>(memory_.template write<G.row>(address));
    burst = {clock_.core<G>(start), clock_.core<G>(bus_free_)};
    return true;
  }
  /// The same for a write that the second level, which does not have the line, passes on: its controller posts one; the
  /// next one waits until memory has finished with it.
  template <Geometry G = any_geometry>
  [[gnu::always_inline]] bool try_write_through_l2(std::uint64_t at, std::uint32_t address, Burst& burst) {
    if (memory_.config().l2.write_allocate) return false;
    const std::uint64_t start = bus_start<G>(at);
    const std::uint64_t accepted = start < memory_free_ ? clock_.edge<G>(memory_free_) : start;
    const std::uint64_t written = between_lines(accepted);
    if (written >= memory_.next_refresh()) [[unlikely]]
      return false;
    memory_free_ = written + clock_.bus<G>(memory_.template write<G.row>(address));
    bus_free_ = accepted + posted_ticks_;
    burst = {clock_.core<G>(start), clock_.core<G>(bus_free_)};
    return true;
  }
  /// Whether a write to `address` would only occupy the bus for a while, and how that goes (write_posted): the second
  /// level has the line in the way used last, already dirty.
  template <Geometry G = any_geometry>
  bool takes_write(std::uint32_t address) const {
    return l2_.dirty_in_mru_way<G.l2>(address);
  }
  template <Geometry G = any_geometry>
  Burst write_posted(std::uint64_t at) {
    const std::uint64_t t = bus_start<G>(at);
    bus_free_ = t + posted_ticks_;
    return {clock_.core<G>(t), clock_.core<G>(bus_free_)};
  }
  /// Writes out a displaced dirty line of the first level.
  template <Geometry G = any_geometry>
  void write_back(std::uint64_t at, std::uint32_t line) {
    if (takes_line<G>(line)) [[likely]]
      return write_back_taken<G>(at, line);
    write_back_to_memory(bus_start<G>(at), line);
  }
  /// Whether that goes no further than the second level, and how it then goes.
  template <Geometry G = any_geometry>
  bool takes_line(std::uint32_t line) const {
    return has_l2<G>() && l2_.holds<G.l2>(line);
  }
  template <Geometry G = any_geometry>
  [[gnu::always_inline]] void write_back_taken(std::uint64_t at, std::uint32_t line) {
    l2_.find_for_write<G.l2>(line);
    bus_free_ = bus_start<G>(at) + l2_write_back_ticks_;
  }
  /// Writes `lines` dirty lines of `bytes` one after the other; returns the end (WBINVD).
  std::uint64_t write_back_all(std::uint64_t at, unsigned lines, unsigned bytes);

  /// For a read that overtakes posted writes (486): makes the bus free at core clock `until`; returns when it would
  /// have been free.
  std::uint64_t take_back(std::uint64_t until);
  /// After that read: the writes have the bus until core clock `until`.
  void give_back(std::uint64_t until) { bus_free_ = clock_.ticks(until); }

  /// True: the line at `address` is RAM that may be cached. False: unknown.
  bool surely_ram(std::uint32_t address) const { return memory_.surely_ram(address); }
  /// Whether the line at `address` may be cached (KEN#).
  bool cacheable(std::uint32_t address) const { return memory_.cacheable(address); }

  TagCache& l2() { return l2_; }
  const TagCache& l2() const { return l2_; }
  void archive(Archive& a);

 private:
  friend class CachedRun;

  template <Geometry G>
  bool has_l2() const {
    return G.known ? G.l2.ways != 0 : l2_.present();
  }
  Burst fetch_line_from_rom(std::uint64_t t);
  /// Reads a first-level line from DRAM, from tick `t` on.
  template <Geometry G = any_geometry>
  Burst read_line(std::uint64_t t, std::uint32_t address) {
    const std::uint64_t first = t + clock_.bus<G>(memory_.template read<G.row>(address));
    bus_free_ = first + line_rest_ticks_;
    return {clock_.core<G>(first), clock_.core<G>(bus_free_)};
  }
  Burst fill_l2(std::uint64_t t, std::uint32_t address);
  void write_back_to_memory(std::uint64_t t, std::uint32_t line);
  /// The tick at or after core clock `at` from which the bus is free.
  template <Geometry G = any_geometry>
  std::uint64_t bus_edge(std::uint64_t at) const {
    const std::uint64_t t = clock_.ticks<G>(at);
    return clock_.edge<G>(t > bus_free_ ? t : bus_free_);
  }
  /// The same for a cycle to memory, which also waits for snoops.
  template <Geometry G = any_geometry>
  std::uint64_t bus_start(std::uint64_t at) const {
    const std::uint64_t t = bus_edge<G>(at);
    if constexpr (G.known && !G.snooped) return t;
    return share_.bus_free(t, clock_);
  }
  /// Until when memory is busy: what a refresh or another master waits for.
  std::uint64_t& busy() { return l2_.present() ? memory_free_ : bus_free_; }
  /// The earliest tick at or after `t` at which the DRAM can begin, refresh included.
  template <Geometry G = any_geometry>
  std::uint64_t memory_start(std::uint64_t t) {
    if (t >= memory_.next_refresh()) [[unlikely]]
      return clock_.edge<G>(memory_.refresh(t, busy()));
    return t;
  }
  /// The earliest tick at or after `t` at which another master's line leaves the memory free.
  std::uint64_t between_lines(std::uint64_t t) const { return share_.memory_free(t, clock_); }
  /// Bus clocks from the first datum of a DRAM burst to its last.
  unsigned burst_rest(unsigned bytes) const;
  /// The same for a first-level line that is written to the DRAM.
  unsigned write_back_rest() const;
  /// Bus clocks of a burst of `bytes` that writes `line` in DRAM.
  unsigned burst_write(std::uint32_t line, unsigned bytes) { return memory_.write(line) + burst_rest(bytes); }
  /// `clocks` bus clocks in ticks.
  std::uint64_t bus(unsigned clocks) const { return clock_.bus(clocks); }

  PlanarMemory memory_;
  BusClock clock_;
  TagCache l2_;
  std::uint64_t bus_free_ = 0;
  std::uint64_t memory_free_ = 0;  // with a second-level cache only
  LineShare share_;                // likewise
  std::uint32_t line_rest_ticks_;  // of a first-level line from DRAM, after its first datum
  // Ticks of the second level: a posted datum; a line's first datum and the rest of it; the write-back of a line.
  std::uint32_t posted_ticks_, l2_hit_mru_ticks_, l2_hit_other_ticks_, l2_rest_ticks_, l2_write_back_ticks_;
};

}  // namespace planar::cpu
