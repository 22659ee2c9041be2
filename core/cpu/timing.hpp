// SPDX-License-Identifier: GPL-2.0-or-later
// What an instruction costs: the one interface between the executor and the three timing models.
//
// The executor calls, for each instruction, in this order:
//   begin(op, physical_eip)          issue: fetch, static clocks, pairing, address-generation interlock
//   read/write(physical, bytes)      each data access to RAM or ROM as it happens (page-table walks included)
//   branch(op, linear_eip, taken, linear_target)
//                                    every near jump, call, return, loop, conditional jump, taken or not; also behind
//                                    far transfers, INT and IRET (taken)
//   spend(clocks)                    microcode that depends on data, from timing/instruction_clocks.hpp
// Accesses through the pins (I/O, device memory, INTA):
//   cycle_start(io)                  write buffers drained, bus idle: the clock at which the cycle starts
//   wait_until(clock)                the CPU stands still until the cycle ends, the bus is taken until then
// All clocks are the processor's own (90 MHz core clocks on the Pentium 90). State is plain data and part of the snapshot.
// Nothing here depends on how instructions are grouped into blocks, nor on where a run is cut.
#pragma once

#include <cstdint>
#include <memory>

#include "core/archive.hpp"
#include "core/cpu/op.hpp"
#include "core/cpu/timing/config.hpp"
#include "core/cpu/timing/instruction_clocks.hpp"

namespace planar::cpu {

class Timing {
 public:
  /// Throws Error if the configuration is out of range.
  explicit Timing(const TimingConfig& config);
  const TimingConfig& config() const { return config_; }
  Model model() const { return config_.model; }

  /// Decode time: fills op.clocks, pair_class, timing_flags, reads, writes, address_reads.
  void price(Op& op) const;

  void begin(const Op& op, std::uint32_t physical_eip);
  void read(std::uint32_t physical, unsigned bytes);
  void write(std::uint32_t physical, unsigned bytes);
  void branch(const Op& op, std::uint32_t linear_eip, bool taken, std::uint32_t linear_target);

  void spend(unsigned clocks) { clock_ += clocks; }
  std::uint64_t clocks() const { return clock_; }

  /// Before a cycle on the pins (I/O, device memory, INTA): posted writes are finished and the bus is free; returns the
  /// clock at which the cycle starts (for a memory operand the two clocks that the table already holds are given back).
  std::uint64_t cycle_start(bool io);
  /// Locked cycles, serialising instructions: waits until posted writes have reached memory.
  void drain();
  /// The cycle on the pins ends at `clock`: the CPU and its bus stand still until then. Earlier clocks change nothing.
  void wait_until(std::uint64_t clock);
  /// HLT: time passes, nothing else happens. Earlier clocks change nothing.
  void jump_to(std::uint64_t clock);

  /// Another master has the memory path for `clocks` core clocks from clock `from` (single-path planars).
  void steal(std::uint64_t from, unsigned clocks);
  /// A master wrote RAM: tags that hold these bytes become invalid.
  void master_wrote(std::uint32_t address, std::uint32_t bytes);

  /// INVD (lines dropped) and WBINVD (`write_back`: dirty lines are written first, in time).
  void flush_caches(bool write_back = false);
  /// CR0.CD and NW: with CD set nothing new is cached; hits still count (the manuals' "frozen" cache) unless flushed.
  void set_cache_enabled(bool enabled);
  /// Interrupt or exception taken, serialising instruction: prefetch queue and pairing start afresh.
  void interrupt_flush();

  void archive(Archive& a);

 private:
  TimingConfig config_;
  std::uint64_t clock_ = 0;
};

}  // namespace planar::cpu
