// SPDX-License-Identifier: GPL-2.0-or-later
// What the 486 and the Pentium share: a first-level cache of tags, line fills, posted writes, the executing code line
// and the one prefetched after it.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "core/cpu/timing/cached/cached_path.hpp"
#include "core/cpu/timing/cached/cycle_pace.hpp"
#include "core/cpu/timing/cached/l0_line.hpp"
#include "core/cpu/timing/cached/tag_cache.hpp"
#include "core/cpu/timing/common/processor_timing.hpp"
#include "core/cpu/x86/op.hpp"

namespace planar::cpu {

/// The caches and what is in progress between them and the bus.
struct CacheState {
  static constexpr std::uint32_t no_line = 1;  ///< never a line's address

  TagCache data;                          ///< unified on the 486
  TagCache code;                          ///< absent on the 486
  std::uint32_t code_line = no_line;      ///< line of the byte before the next sequential one
  std::uint32_t prefetch_line = no_line;  ///< wanted, not yet on the bus
  std::uint64_t prefetch_from = 0;
  std::array<std::uint32_t, 2> fill_line{no_line, no_line};  ///< data, code
  std::array<std::uint64_t, 2> fill_done{};
  std::uint64_t fills_until = 0;
  std::array<std::uint64_t, 8> write_start{}, write_done{};  ///< posted writes: start on the bus, end
  std::uint8_t write_next = 0;
  std::uint8_t write_hits = 0;  ///< number of latest consecutive posted writes that hit the cache

  void archive(Archive& a) {
    data.archive(a);
    code.archive(a);
    a(code_line, prefetch_line, prefetch_from, fill_line, fill_done, fills_until, write_start, write_done, write_next,
      write_hits);
    write_next %= write_done.size();  // in case the snapshot is damaged
  }
  /// The latest of its times.
  std::uint64_t latest() const {
    std::uint64_t t = std::max(prefetch_from, fills_until);
    for (const std::uint64_t done : fill_done) t = std::max(t, done);
    for (std::size_t n = 0; n < write_done.size(); ++n) t = std::max({t, write_start[n], write_done[n]});
    return t;
  }
};

/// What the instructions of a block follow when it is entered: no plan, the block's plan, or the first-execution plan
/// of its first code line.
enum class BlockEntry : std::uint8_t { unplanned, planned, cold };

class CachedTiming : public ProcessorTiming {
 public:
  /// What happens between the first level and the bus, for one processor and one geometry (memory_events.hpp): for
  /// callers that know neither.
  struct Events {
    void (*fetch)(CachedTiming&, std::uint32_t eip, std::uint32_t last_line);
    void (*read)(CachedTiming&, std::uint32_t address, unsigned bytes);
    void (*write)(CachedTiming&, std::uint32_t address, unsigned bytes);
    void (*start_prefetch)(CachedTiming&);
  };

  /// Keeps `lines` valid from now on: entries are dropped as the data cache changes.
  void attach(L0Lines& lines) { state_.data.attach(lines); }

  void read(std::uint32_t physical, unsigned bytes) {
    if ((physical & 3) + bytes <= 4) [[likely]]
      read_aligned(physical, bytes);
    else
      read_misaligned(physical, bytes);
  }
  void write(std::uint32_t physical, unsigned bytes) {
    if ((physical & 3) + bytes <= 4) [[likely]]
      write_aligned(physical, bytes);
    else
      write_misaligned(physical, bytes);
  }
  /// The same within a doubleword.
  void read_aligned(std::uint32_t physical, unsigned bytes) {
    if (!read_hits(physical)) events_->read(*this, physical, bytes);
  }
  void write_aligned(std::uint32_t physical, unsigned bytes) {
    if (!write_hits(physical)) events_->write(*this, physical, bytes);
  }

  /// Whether an access within a doubleword would cost nothing and change nothing: then it need not be reported.
  bool read_hits(std::uint32_t physical) const { return state_.data.in_mru_way(physical) && settled(); }
  bool write_hits(std::uint32_t physical) const { return state_.data.dirty_in_mru_way(physical); }
  /// The tag of the line of `physical` (tag_cache.hpp) if the L0 line cache may hold it, else 0.
  template <CacheShape S = any_shape>
  std::uint32_t l0_tag(std::uint32_t physical) const {
    return state_.data.l0_tag<S>(physical);
  }
  /// Whether no line fill is in progress.
  bool settled() const { return !filling_ || !(filling_ = clock_ < state_.fills_until); }
  /// Whether a read at `address` in that L0 line may have to wait for a fill. Does not need the clock.
  bool may_be_filling(const L0Line& line, std::uint32_t address) const {
    if (!filling_) [[likely]]
      return false;
    const std::uint32_t wanted = (line.physical | (address & ~L0Line::mask)) & line_mask_;
    return state_.fill_line[0] == wanted || state_.fill_line[1] == wanted;
  }

  /// Code continues at `eip`, with an instruction that ends in `last_line`, which is not the executing line.
  void fetch(std::uint32_t eip, std::uint32_t last_line) { events_->fetch(*this, eip, last_line); }
  /// The executing code line.
  std::uint32_t code_line() const { return state_.code_line; }

  // ---- blocks that run by plan (dispatch/chain.hpp): the clock moves only where it is set from the plan ----
  /// The plan in force is no longer a first-execution plan.
  void end_cold_plan() { plan_column_ = 0; }
  /// Sets the clock to where `op` has begun by the plan in force.
  void begin_planned(const Op& op) { clock_ = plan_start_ + op.planned.at[plan_column_]; }
  /// `op` has begun and taken its time: what follows begins that much later.
  void move_plan(const Op& op) { plan_start_ = clock_ - op.planned.at[plan_column_]; }
  /// Whether all of the plan's instructions will begin before clock `stop_at` if nothing delays them.
  bool plan_fits(std::uint64_t stop_at) const { return plan_start_ + plan_reach_ < stop_at; }
  std::uint32_t data_line() const { return state_.data.line(); }

  std::uint64_t cycle_start(bool io);
  void wait_until(std::uint64_t clock) { end_cycle(path_, clock); }
  void steal(std::uint64_t from, unsigned clocks) {
    settle_prefetch();
    path_.steal(from, clocks);
  }
  void share(const MemoryShare& share) {
    settle_prefetch();
    path_.share(share);
  }
  void set_cache_enabled(bool enabled) {
    settle_prefetch();
    cache_enabled_ = enabled;
  }
  SnoopHits snoop(const Snoop& snoop);
  void master_wrote(std::uint32_t address, std::uint32_t bytes);
  void flush_caches(bool write_back);
  void describe(Description& description) const;

 protected:
  static constexpr std::uint32_t no_line = CacheState::no_line;
  /// An operand across a doubleword: 486 and Pentium (docs/hardware/processors.md#instruction-clocks).
  static constexpr unsigned misaligned_clocks = 3;
  static constexpr unsigned most_write_hits = 8;  // there are never more posted writes in progress

  CachedTiming(const TimingConfig& config, const Events& events);

  TagCache& code_cache() { return config_.l1.split ? state_.code : state_.data; }
  const TagCache& code_cache() const { return config_.l1.split ? state_.code : state_.data; }
  /// A wanted code line goes to the bus as soon as the bus is free: whether it has done so by now.
  template <Geometry G = any_geometry>
  bool prefetch_started() const {
    return state_.prefetch_line != no_line && state_.prefetch_from < clock_ && path_.free_before<G>(clock_);
  }
  /// When the start is computed cannot be observed, because everything that could tell calls this first: the
  /// processor's own use of the bus or the tags, and outside events (another master's use of the memory, its writes, a
  /// snapshot).
  void settle_prefetch() {
    if (prefetch_started()) events_->start_prefetch(*this);
  }
  /// The code prefetched after the executing line is no longer wanted, unless it is on the bus by now.
  void drop_prefetch() {
    settle_prefetch();
    state_.prefetch_line = no_line;
  }
  void note_fill(unsigned which, std::uint32_t line, std::uint64_t done) {
    state_.fill_line[which] = line;
    state_.fill_done[which] = done;
    if (state_.fills_until < done) state_.fills_until = done;
    filling_ = true;
  }

  /// A plan starts now, or `delay` clocks later; its last instruction but one has begun `reach` clocks after the start.
  /// The plan is that of column 0, except after start_cold_plan(), until end_cold_plan().
  void start_plan(std::uint32_t reach, int delay = 0) {
    plan_start_ = clock_ + static_cast<std::uint64_t>(std::int64_t{delay});
    plan_reach_ = reach;
  }
  void start_cold_plan(std::uint32_t reach) {
    start_plan(reach);
    plan_column_ = 1;
  }
  /// The clock, the path to memory and the caches, in a snapshot's order.
  void archive_caches(Archive& a);

  // Of the plan in force; not state of the machine, because no plan is in force between two runs.
  std::uint64_t plan_start_ = 0;  ///< where it would have started if nothing had delayed it
  std::uint32_t plan_reach_ = 0;
  std::uint32_t plan_column_ = 0;  ///< of Op::Planned::at
  mutable bool filling_ = true;    ///< false: no line fill is in progress, whatever the clock
  CachedPath path_;
  std::uint32_t line_mask_;  // of a first-level line's address
  std::uint8_t line_shift_;
  CacheState state_;

 private:
  const Events* events_;
  CyclePace pace_;  // of the latest run of cycles on the pins

  friend class CachedRun;

  template <class, Geometry>
  friend class MemoryEvents;

  void read_misaligned(std::uint32_t address, unsigned bytes);
  void write_misaligned(std::uint32_t address, unsigned bytes);
  template <Geometry G = any_geometry>
  void post(CachedPath::Burst burst) {
    const unsigned buffers = G.known ? G.write_buffers : config_.write_buffers, next = state_.write_next;
    state_.write_start[next] = burst.first;
    state_.write_done[next] = burst.done;
    state_.write_next = static_cast<std::uint8_t>(next + 1 < buffers ? next + 1 : 0);
  }
  /// Counts a posted write, which did or did not hit the cache.
  void count_posted(bool hit) {
    if (!hit) ++counters_.write_misses;
    std::uint8_t& hits = state_.write_hits;
    hits = static_cast<std::uint8_t>(!hit ? 0 : hits < most_write_hits ? hits + 1 : most_write_hits);
  }
  void wait_for_buffer() { jump_to(state_.write_done[state_.write_next]); }
  void wait_for_fill(std::uint32_t line) {
    for (unsigned which = 0; which < 2; ++which)
      if (state_.fill_line[which] == line) jump_to(state_.fill_done[which]);
  }
};

}  // namespace planar::cpu
