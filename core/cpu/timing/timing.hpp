// SPDX-License-Identifier: GPL-2.0-or-later
// What an instruction costs: the contract between the executor and the timing model of one processor. The model is a
// Timing386sx, Timing486, TimingPentium or TimingP6, stored in place, so that the clock and the caches are reached
// without a pointer. Where speed matters, the processor is known and its class is called directly; all other calls go
// through this class, which dispatches by visit().
//
// The executor calls, for each instruction, in this order:
//   begin(op, physical_eip)          issue: fetch, static clocks, pairing, address-generation interlock
//   read/write(physical, bytes)      each data access to RAM or ROM as it happens (page-table walks included)
//   branch(op, taken, linear_target)
//                                    every near jump, call, return, loop, conditional jump, taken or not; also after
//                                    far transfers, INT and IRET (taken)
//   spend(clocks)                    microcode whose clocks depend on data, from timing/common/instruction_clocks.hpp
//   end()                            it has executed; or abandon(): a fault ended it, or a REP does not continue
// Accesses through the pins (I/O, device memory, INTA):
//   cycle_start(io)                  write buffers drained, bus idle: returns the clock at which the cycle starts
//   wait_until(clock)                the CPU is stalled and the bus is busy until the cycle ends
// All clocks are the processor's own (90 MHz core clocks on the Pentium 90). State is plain data and part of the
// snapshot. Nothing here depends on how instructions are grouped into blocks, or on where a run is split.
// Sources: docs/hardware/processors.md; memory: docs/hardware/memory-timing.md, which has the machines' values. The top
// of each processor's header says what its model leaves out.
#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>

#include "core/cpu/timing/common/instruction_clocks.hpp"
#include "core/cpu/timing/i386sx/timing_386sx.hpp"
#include "core/cpu/timing/i486sx/timing_486.hpp"
#include "core/cpu/timing/p6/timing_p6.hpp"
#include "core/cpu/timing/pentium/timing_pentium.hpp"

namespace planar::cpu {

class Timing {
 private:
  // Calls `f` with the timing model as its own class.
  template <class F, class Self>
  [[gnu::always_inline]] static decltype(auto) visit_of(Self& self, F&& f) {
    switch (self.model_) {
      case Model::i386sx: return f(self.i386sx_);
      case Model::i486sx: return f(self.i486sx_);
      case Model::pentium: return f(self.pentium_);
      default: return f(self.p6_);
    }
  }
  template <class F>
  [[gnu::always_inline]] decltype(auto) visit(F&& f) {
    return visit_of(*this, f);
  }
  template <class F>
  [[gnu::always_inline]] decltype(auto) visit(F&& f) const {
    return visit_of(*this, f);
  }
  // The same, with what the 486 and the Pentium have in common. `M`: the model, if the caller knows it.
  template <Model... M, class F>
  [[gnu::always_inline]] decltype(auto) visit_memory(F&& f) {
    if constexpr (sizeof...(M) != 0) return f(of<M...>());
    if (has_cache()) return f(cached());
    if (is_p6()) return f(p6_);
    return f(i386sx_);
  }
  // The base lies at the same address in all of them: no branch is left of this.
  ProcessorTiming& common() {
    return visit([](auto& t) -> ProcessorTiming& { return t; });
  }
  const ProcessorTiming& common() const {
    return visit([](auto& t) -> const ProcessorTiming& { return t; });
  }

 public:
  /// Throws Error if the configuration is out of range.
  explicit Timing(const TimingConfig& config);
  ~Timing() {
    visit([](auto& t) { std::destroy_at(&t); });
  }
  Timing(const Timing&) = delete;
  Timing& operator=(const Timing&) = delete;

  /// The index of its row in `geometries`.
  unsigned geometry() const { return geometry_; }
  const TimingConfig& config() const { return common().config(); }

  /// The timing model as its own class; the processor must be that one.
  Timing386sx& i386sx() { return i386sx_; }
  Timing486& i486sx() { return i486sx_; }
  TimingPentium& pentium() { return pentium_; }
  TimingP6& p6() { return p6_; }
  /// 486 and Pentium only.
  CachedTiming& cached() { return model_ == Model::i486sx ? static_cast<CachedTiming&>(i486sx_) : pentium_; }
  const CachedTiming& cached() const {
    return model_ == Model::i486sx ? static_cast<const CachedTiming&>(i486sx_) : pentium_;
  }
  bool has_cache() const { return model_ == Model::i486sx || model_ == Model::pentium; }
  bool is_p6() const { return model_ == Model::p6; }
  template <Model M>
  auto& of() {
    if constexpr (M == Model::i386sx)
      return i386sx();
    else if constexpr (M == Model::i486sx)
      return i486sx();
    else if constexpr (M == Model::pentium)
      return pentium();
    else
      return p6();
  }

  /// Decode time: fills the timing model's part of `op`.
  void set_static_clocks(Op& op) const {
    visit([&](auto& t) { t.set_static_clocks(op); });
  }
  /// `physical_eip` is the address of the instruction's first byte, prefixes included.
  void begin(const Op& op, std::uint32_t physical_eip) {
    visit([&](auto& t) { t.begin(op, physical_eip); });
  }
  /// A data access of 1, 2 or 4 bytes at any alignment (wider operands are several calls). Both halves of an access
  /// that crosses a page may be given as one call at the first address if the executor does not split it.
  void read(std::uint32_t physical, unsigned bytes) {
    visit_memory([&](auto& t) { t.read(physical, bytes); });
  }
  void write(std::uint32_t physical, unsigned bytes) {
    visit_memory([&](auto& t) { t.write(physical, bytes); });
  }
  /// The same for an address that is a multiple of `bytes`. `M`: the model if the caller knows it.
  template <Model... M>
  void read_aligned(std::uint32_t physical, unsigned bytes) {
    visit_memory<M...>([&](auto& t) { t.read_aligned(physical, bytes); });
  }
  template <Model... M>
  void write_aligned(std::uint32_t physical, unsigned bytes) {
    visit_memory<M...>([&](auto& t) { t.write_aligned(physical, bytes); });
  }
  /// A line that will be wanted soon and that nothing waits for (PREFETCHh).
  void prefetch(std::uint32_t physical) {
    if (is_p6()) p6_.prefetch(physical);
  }
  void branch(const Op& op, bool taken, std::uint32_t linear_target) {
    visit([&](auto& t) { t.branch(op, taken, linear_target); });
  }
  void end() {
    visit([](auto& t) { t.end(); });
  }
  void abandon() {
    visit([](auto& t) { t.abandon(); });
  }
  /// Begins a repeated string instruction of `count` elements (more than 0). The P6 has a fast mode for some.
  void begin_repeat(std::uint32_t count, bool upwards) {
    if (is_p6()) p6_.begin_repeat(count, upwards);
  }
  /// Microcode beyond the table, before or after the accesses that belong to it.
  void spend(unsigned clocks) {
    visit([&](auto& t) { t.spend(clocks); });
  }
  /// The same for an iteration that ends by writing what it has read.
  void spend_before_write(unsigned clocks) {
    visit([&](auto& t) { t.spend_before_write(clocks); });
  }
  std::uint64_t clocks() const { return common().clocks(); }
  /// In the middle of an instruction: makes clocks() exact from here to its end, even while the P6 follows a known
  /// block.
  void bring_clock() {
    if (is_p6()) p6_.bring_clock();
  }

  /// Before a cycle on the pins (I/O, device memory, INTA): posted writes are finished and the bus is free; returns the
  /// clock at which the cycle starts, at an edge of the bus clock. For a 386SX memory operand (`io` false) that is two
  /// clocks earlier: the table includes them for a zero-wait cycle.
  std::uint64_t cycle_start(bool io) {
    return visit_memory([&](auto& t) { return t.cycle_start(io); });
  }
  /// The cycle on the pins ends at `clock`: the CPU and its bus are stalled until then. Earlier clocks have no effect.
  void wait_until(std::uint64_t clock) {
    visit_memory([&](auto& t) { t.wait_until(clock); });
  }
  /// HLT: time passes, nothing else happens. Earlier clocks have no effect.
  void jump_to(std::uint64_t clock) { common().jump_to(clock); }

  /// Another master owns the memory path for `clocks` core clocks from clock `from` (single-path planars: every cycle
  /// of the master; dual-path planars: its transfers to planar memory).
  void steal(std::uint64_t from, unsigned clocks) {
    visit_memory([&](auto& t) { t.steal(from, clocks); });
  }
  /// Another master shares the memory from now on, replacing any previous one.
  void share(const MemoryShare& share) {
    visit_memory([&](auto& t) { t.share(share); });
  }
  /// A master is about to use RAM: dirty lines are written back, which takes the time that the machine specifies for
  /// such lines. What a master writes is invalidated later, by master_wrote().
  SnoopHits snoop(const Snoop& snoop) {
    return visit_memory([&](auto& t) { return t.snoop(snoop); });
  }
  /// A master has written RAM: cache tags that hold these bytes become invalid.
  void master_wrote(std::uint32_t address, std::uint32_t bytes) {
    visit_memory([&](auto& t) { t.master_wrote(address, bytes); });
  }
  /// INVD (lines are dropped) and WBINVD (`write_back`: dirty lines are written first, which takes time).
  void flush_caches(bool write_back = false) {
    visit([&](auto& t) { t.flush_caches(write_back); });
  }
  /// CR0.CD and NW: with CD set nothing new is cached; lines already present still hit (the manuals' frozen cache)
  /// until flushed.
  void set_cache_enabled(bool enabled) {
    visit([&](auto& t) { t.set_cache_enabled(enabled); });
  }
  /// The P6's current MTRRs.
  void set_memory_types(const MemoryTypeRanges& types) {
    visit([&](auto& t) { t.set_memory_types(types); });
  }
  /// An interrupt or exception was taken, or a serialising instruction executed: prefetch queue and pairing start
  /// afresh.
  void interrupt_flush() {
    visit([](auto& t) { t.interrupt_flush(); });
  }

  const ProcessorTiming::Counters& counters() const { return common().counters(); }
  /// Clocks spent stalled for cycles on the pins.
  std::uint64_t pin_clocks() const { return common().pin_clocks(); }
  /// For reports that continue to count pin_clocks() after a snapshot.
  void archive_counters(Archive& a) { common().archive_counters(a); }
  void archive(Archive& a) {
    visit([&](auto& t) { t.archive(a); });
  }
  /// The caches, as parts: geometry, valid and dirty lines.
  void describe(Description& description) const {
    visit([&](auto& t) { t.describe(description); });
  }

 private:
  union {
    Timing386sx i386sx_;
    Timing486 i486sx_;
    TimingPentium pentium_;
    TimingP6 p6_;
  };
  Model model_;
  unsigned geometry_;
};

/// Calls `f.operator()<T, G>()` with the class and the geometry of row `row`, or of the last one.
template <unsigned Row = 0, class F>
[[gnu::always_inline]] inline decltype(auto) with_geometry(unsigned row, F&& f) {
  constexpr GeometryRow it = geometries[Row];
  if constexpr (Row + 1 < geometries.size())
    if (row != Row) return with_geometry<Row + 1>(row, f);
  return f.template operator()<std::conditional_t<it.model == Model::pentium, TimingPentium, Timing486>, it.geometry>();
}

}  // namespace planar::cpu
