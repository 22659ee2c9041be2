// SPDX-License-Identifier: GPL-2.0-or-later
// What an instruction costs: the contract between the executor and the timing of one processor. Timing386sx, Timing486
// and TimingPentium implement it, each in its own folder; timing.hpp holds the one that a processor has.
//
// The executor calls, for each instruction, in this order:
//   begin(op, physical_eip)          issue: fetch, static clocks, pairing, address-generation interlock
//   read/write(physical, bytes)      each data access to RAM or ROM as it happens (page-table walks included)
//   branch(op, taken, linear_target)
//                                    every near jump, call, return, loop, conditional jump, taken or not; also after
//                                    far transfers, INT and IRET (taken)
//   spend(clocks)                    microcode that depends on data, from timing/common/instruction_clocks.hpp
// Accesses through the pins (I/O, device memory, INTA):
//   cycle_start(io)                  write buffers drained, bus idle: the clock at which the cycle starts
//   wait_until(clock)                the CPU stands still until the cycle ends, the bus is taken until then
// All clocks are the processor's own (90 MHz core clocks on the Pentium 90). State is plain data and part of the
// snapshot. Nothing here depends on how instructions are grouped into blocks, nor on where a run is cut.
//
// Sources: docs/hardware/processors.md; memory: docs/hardware/memory-timing.md, where the machines' values stand. What
// each processor's model leaves out stands at the top of its header.
//
// The virtual functions are for callers to whom the processor makes no difference, outside the hot paths. Those know
// the processor and call its class, whose functions are then ordinary ones.
#pragma once

#include <cstdint>

#include "core/cpu/timing/common/config.hpp"
#include "core/cpu/timing/common/pin_clocks.hpp"
#include "core/cpu/x86/op.hpp"
#include "core/state/archive.hpp"

namespace planar {
class Description;
}

namespace planar::cpu {

class ProcessorTiming {
 public:
  virtual ~ProcessorTiming() = default;
  const TimingConfig& config() const { return config_; }

  /// Decode time: fills the timing model's part of `op`.
  virtual void set_static_clocks(Op& op) const = 0;

  /// `physical_eip` is the address of the instruction's first byte, prefixes included.
  virtual void begin(const Op& op, std::uint32_t physical_eip) = 0;
  /// A data access of 1, 2 or 4 bytes at any alignment (wider operands are several calls). Both halves of an access
  /// that crosses a page may be given as one call at the first address if the executor does not split it.
  virtual void read(std::uint32_t physical, unsigned bytes) = 0;
  virtual void write(std::uint32_t physical, unsigned bytes) = 0;
  virtual void branch(const Op& op, bool taken, std::uint32_t linear_target) = 0;

  /// Microcode beyond the table, before or after the accesses that belong to it. The 386SX has its own (Timing386sx).
  void spend(unsigned clocks) { clock_ += clocks; }
  std::uint64_t clocks() const { return clock_; }

  /// Before a cycle on the pins (I/O, device memory, INTA): posted writes are finished and the bus is free; returns the
  /// clock at which the cycle starts, at an edge of the bus clock. For a 386SX memory operand (`io` false) that is two
  /// clocks back: the table holds them for a zero-wait cycle.
  virtual std::uint64_t cycle_start(bool io) = 0;
  /// The cycle on the pins ends at `clock`: the CPU and its bus stand still until then. Earlier clocks change nothing.
  virtual void wait_until(std::uint64_t clock) = 0;
  /// HLT: time passes, nothing else happens. Earlier clocks change nothing.
  void jump_to(std::uint64_t clock) {
    if (clock > clock_) clock_ = clock;
  }

  /// Another master has the memory path for `clocks` core clocks from clock `from` (single-path planars: every cycle of
  /// the master; dual-path planars: its transfers to planar memory).
  virtual void steal(std::uint64_t from, unsigned clocks) = 0;
  /// Another master shares the memory from now on, in place of any before. A processor without a second-level cache has
  /// one path: it is taken for all of the lines at once.
  virtual void share(const MemoryShare& share) {
    steal(share.from, static_cast<unsigned>((share.to - share.from) / share.period + 1) * share.each);
  }
  /// A master is about to use RAM: dirty lines are written back, which takes what the machine says of such lines. What
  /// a master writes becomes invalid later, by master_wrote().
  virtual SnoopHits snoop(const Snoop&) { return {}; }
  /// A master wrote RAM: cache tags that hold these bytes become invalid.
  virtual void master_wrote(std::uint32_t address, std::uint32_t bytes) = 0;
  /// INVD (lines dropped) and WBINVD (`write_back`: dirty lines are written first, in time).
  virtual void flush_caches(bool write_back) = 0;
  /// CR0.CD and NW: with CD set nothing new is cached; what is in still hits (the manuals' frozen cache) until flushed.
  virtual void set_cache_enabled(bool enabled) { cache_enabled_ = enabled; }
  /// Interrupt or exception taken, serialising instruction: prefetch queue and pairing start afresh.
  virtual void interrupt_flush() = 0;

  /// Counters for reports and tests; they influence nothing and are not part of a snapshot.
  struct Counters {
    std::uint64_t code_misses = 0;  ///< line fills and, on the 386SX, starvations of the prefetch queue
    std::uint64_t read_misses = 0;
    std::uint64_t write_misses = 0;
    std::uint64_t mispredictions = 0;
  };
  const Counters& counters() const { return counters_; }
  /// Clocks spent standing still for cycles on the pins.
  std::uint64_t pin_clocks() const { return pins_.total; }
  /// For reports that go on counting pin_clocks() after a snapshot.
  void archive_counters(Archive& a) { a(pins_.total, pins_.until); }

  virtual void archive(Archive& a) = 0;
  /// The caches, as parts: geometry, lines valid and dirty.
  virtual void describe(Description& description) const = 0;

 protected:
  explicit ProcessorTiming(const TimingConfig& config) : config_(config) {}
  ProcessorTiming(const ProcessorTiming&) = default;
  ProcessorTiming& operator=(const ProcessorTiming&) = default;

  /// wait_until() with the processor's way to memory, whose bus is taken until then.
  template <class Path>
  void end_cycle(Path& path, std::uint64_t clock) {
    jump_to(clock);
    path.occupy(clock);
    pins_.end(clock_);
  }

  // Parts of a snapshot: the clock, the way to memory, then what only this processor has.
  void archive_clock(Archive& a);
  /// Throws Error if a snapshot has the bus busy until a clock that no run reaches.
  void check_loaded(const Archive& a, std::uint64_t bus_free) const;

  TimingConfig config_;
  bool cache_enabled_ = true;
  std::uint64_t clock_ = 0;
  Counters counters_;
  PinClocks pins_;
};

}  // namespace planar::cpu
