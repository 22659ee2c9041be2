// SPDX-License-Identifier: GPL-2.0-or-later
// The P6's path to memory: code and data caches, four fill buffers, the second level on a bus of its own, the
// front-side bus with pipelined transactions, DRAM. A request is a time and an address, the answer a time: nothing
// waits here.
//
// Write-back with write allocation: a store that misses reads the line for ownership. A displaced dirty line of the
// first level goes to the second, one of the second to the bus. Not modelled: the banks of the data cache, writes that
// pass reads on the bus, the time that snoops take (a line that another master writes is simply invalidated).
//
// With MTRRs on, memory of other types (Intel, Software Developer's Manual volume 3, 243192, section 9.3) behaves as
// follows: uncacheable, each access on its own, in order; write combining, stores gather in a buffer of one line, which
// goes out as a burst when full, else by the quadword; write-through, each store goes to the bus and allocates no line;
// write-protected, likewise, and the line is invalidated. With MTRRs off, the machine's ranges decide
// (PlanarMemory::cacheable()).
//
// Sources: docs/hardware/p6.md.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "core/cpu/timing/cached/tag_cache.hpp"
#include "core/cpu/timing/common/processor_timing.hpp"
#include "core/cpu/timing/memory/bus_clock.hpp"
#include "core/cpu/timing/memory/line_share.hpp"
#include "core/cpu/timing/memory/planar_memory.hpp"
#include "core/cpu/x86/memory_type.hpp"
#include "core/state/archive.hpp"

namespace planar::cpu {

class MemoryP6 {
 public:
  static constexpr unsigned load_latency = 3;  ///< load to use, first level

  /// Counts misses in `counters`.
  MemoryP6(const TimingConfig& config, ProcessorTiming::Counters& counters);

  /// True: a load that begins at `t` takes load_latency, as its line was used last in its set and no fill is
  /// outstanding. False: unknown.
  bool at_hand(std::uint64_t t, std::uint32_t address) const {
    return data_.in_mru_way<l1>(address) && t + load_latency >= fills_until_;
  }
  /// When the datum of a load that begins at `t` arrives; everything before it is done at `in_order`.
  std::uint64_t load(std::uint64_t t, std::uint32_t address, std::uint64_t in_order) {
    return at_hand(t, address) ? t + load_latency : load_elsewhere(t, address, in_order);
  }
  /// Fetches a line that is wanted at `t`, for later: it comes to both levels, whatever the hint says.
  void prefetch(std::uint64_t t, std::uint32_t address);
  /// True: a store that leaves the store buffer at `t` is taken then, as its line was used last in its set and is
  /// dirty, and no fill is outstanding. False: unknown.
  bool takes_at_once(std::uint64_t t, std::uint32_t address) const {
    return data_.dirty_in_mru_way<l1>(address) && t >= fills_until_;
  }
  /// When the first level has taken a store that leaves the store buffer at `t`.
  std::uint64_t store(std::uint64_t t, std::uint32_t address, unsigned bytes) {
    if (!data_.dirty_in_mru_way<l1>(address)) [[unlikely]]
      return store_elsewhere(t, address, bytes);
    return t >= fills_until_ ? t : after_fill(t, address);
  }
  /// True: the code line of `address` is present. False: unknown.
  bool fetched(std::uint32_t address) const { return code_.in_mru_way<l1>(address); }
  /// When the code line of `address`, wanted at `t`, arrives.
  std::uint64_t fetch(std::uint64_t t, std::uint32_t address) {
    return code_.find<l1>(address) ? t : fetch_elsewhere(t, address);
  }

  /// Whether each store there matters, not only the first one to a line: memory that is not written back.
  bool writes_each(std::uint32_t address) { return typed_ && type(address) != MemoryType::write_back; }
  /// The same for loads: memory that is not cached.
  bool reads_each(std::uint32_t address) { return typed_ && type(address) <= MemoryType::write_combining; }
  bool combines(std::uint32_t address) { return typed_ && type(address) == MemoryType::write_combining; }
  /// When all combined stores are in memory, from `t` on.
  std::uint64_t drain(std::uint64_t t) {
    if (combined_bytes_ != 0) [[unlikely]]
      send_combined(t);
    return std::max(t, combined_until_);
  }

  /// Whether nothing is outstanding at `t`: accesses that hit then take their usual time.
  bool quiet(std::uint64_t t) const { return fills_until_ <= t && combined_bytes_ == 0 && combined_until_ <= t; }

  static std::uint32_t line_of(std::uint32_t address) { return address & ~(l1.line - 1); }
  /// When the front-side bus is free, at one of its edges.
  std::uint64_t bus_start(std::uint64_t t) const { return clock_.core(bus_edge(t)); }
  void occupy(std::uint64_t until) { bus_free_ = std::max(bus_free_, clock_.ticks(until)); }
  void steal(std::uint64_t from, unsigned clocks);
  void share(const MemoryShare& share);
  void invalidate(std::uint32_t address, std::uint32_t bytes);
  /// Drops all lines; with `write_back` the dirty ones are written out from `t` on. Returns when that is over.
  std::uint64_t flush(std::uint64_t t, bool write_back);
  void set_enabled(bool enabled) { enabled_ = enabled; }
  /// The current MTRRs; nothing is being combined, because WRMSR and a reset have waited for that.
  void set_types(const MemoryTypeRanges& types);

  const TagCache& data() const { return data_; }
  const TagCache& code() const { return code_; }
  const TagCache& second() const { return l2_; }

  void archive(Archive& a);
  /// Whether the loaded values can be those of a processor at `clock`.
  bool sound(std::uint64_t clock) const;

 private:
  static constexpr CacheShape l1{.ways = 4, .line = 32, .sets = 128, .watcher = Watcher::none};
  static constexpr unsigned buffers = 4;
  static constexpr std::uint32_t no_page = 0xFFFFFFFF;

  std::uint64_t load_elsewhere(std::uint64_t t, std::uint32_t address, std::uint64_t in_order);
  std::uint64_t store_elsewhere(std::uint64_t t, std::uint32_t address, unsigned bytes);
  MemoryType type(std::uint32_t address) {
    const std::uint32_t page = address >> 12;
    KnownType& known = known_types_[page % known_types_.size()];
    if (page != known.page) [[unlikely]]
      known = {page, types_.type(address)};
    return type_ = known.type;
  }
  std::uint64_t store_past(MemoryType type, std::uint64_t t, std::uint32_t address, unsigned bytes);
  /// Gathers bytes; returns when the buffer has taken them.
  std::uint64_t combine(std::uint64_t t, std::uint32_t address, unsigned bytes);
  /// Sends out the buffer's bytes; returns when another buffer is available.
  std::uint64_t send_combined(std::uint64_t t);
  std::uint64_t fetch_elsewhere(std::uint64_t t, std::uint32_t address);
  std::uint64_t after_fill(std::uint64_t t, std::uint32_t address) const;
  /// Brings a line to the first level; returns when its first datum, requested at `t`, arrives.
  std::uint64_t line_to(TagCache& cache, std::uint64_t t, std::uint32_t address);
  std::uint64_t from_second(std::uint64_t t);
  std::uint64_t from_memory(std::uint64_t t, std::uint32_t address);
  std::uint64_t single(std::uint64_t t, std::uint32_t address);
  std::uint64_t single_write(std::uint64_t t, std::uint32_t address);
  std::size_t next_buffer() const;
  /// The tick at or after core clock `t` from which the bus is free.
  std::uint64_t bus_edge(std::uint64_t t) const { return clock_.edge(std::max(clock_.ticks(t), bus_free_)); }
  /// The same for a cycle to memory: refresh and other masters' lines are over.
  std::uint64_t memory_start(std::uint64_t t);
  /// Bus clocks from there to the first eight bytes.
  unsigned first_datum(std::uint32_t address);

  TimingConfig config_;
  PlanarMemory memory_;
  BusClock clock_;
  TagCache data_, code_, l2_;
  std::array<std::uint32_t, buffers> fill_line_;
  std::array<std::uint64_t, buffers> fill_ready_{};
  std::uint64_t fills_until_ = 0;  // the latest of fill_ready_
  std::uint64_t l2_free_ = 0;
  std::uint64_t bus_free_ = 0;  // ticks
  LineShare share_;
  ProcessorTiming::Counters& counters_;
  bool enabled_ = true;

  // ---- memory types ----
  MemoryTypeRanges types_;
  bool typed_ = false;  // the MTRRs are on
  struct KnownType {
    std::uint32_t page = no_page;
    MemoryType type = MemoryType::write_back;
  };
  std::array<KnownType, 64> known_types_{};
  MemoryType type_ = MemoryType::write_back;              // looked up last
  std::uint32_t combined_line_ = 0, combined_bytes_ = 0;  // one bit for each byte
  std::uint64_t combined_until_ = 0;                      // when the last burst or quadword is in memory
};

}  // namespace planar::cpu
