// SPDX-License-Identifier: GPL-2.0-or-later
// The P6: Pentium II and III.
//
// An instruction is a few micro-ops, each given its clocks as it comes by (window.hpp), so that loads, stores and
// arithmetic overlap as far as their operands, the ports and the sizes of the buffers let them. The processor's clock,
// as others see it, is that of retirement: what an instruction does on the pins begins when all before it has retired
// and all stores have left; an interrupt comes between two retired instructions.
//
//   front_end.hpp    fetch, decoding          window.hpp        renaming, ports, retirement
//   predictor.hpp    branches                 store_buffer.hpp  stores on their way, forwarding
//   memory_p6.hpp    caches, buses, DRAM      micro_ops.hpp     what an instruction is made of
//   pipeline.hpp     all but memory, and how a loop in steady state comes back to the same state
//
// Sources: docs/hardware/p6.md. Not modelled: fetch and loads of paths not taken; the latency of the MMX
// unit's register file; a loop that TEST, then LAHF, would stall by flags of a single bit (three groups are kept).
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "core/cpu/timing/common/processor_timing.hpp"
#include "core/cpu/timing/p6/memory_p6.hpp"
#include "core/cpu/timing/p6/micro_ops.hpp"
#include "core/cpu/timing/p6/pipeline.hpp"
#include "core/cpu/timing/p6/store_log.hpp"

namespace planar::cpu {

class TimingP6 final : public ProcessorTiming, private PipelineP6 {
 public:
  explicit TimingP6(const TimingConfig& config);

  void set_static_clocks(Op& op) const;
  void begin(const Op& op, std::uint32_t physical_eip);
  /// The instruction that began last has made its accesses.
  void end();
  /// It ends by a fault instead, or a REP does not go on.
  void abandon() {
    forget_instruction();
    repeat_.active = false;
  }
  void read(std::uint32_t physical, unsigned bytes);
  void write(std::uint32_t physical, unsigned bytes);
  void read_aligned(std::uint32_t physical, unsigned bytes) { read(physical, bytes); }
  void write_aligned(std::uint32_t physical, unsigned bytes) { write(physical, bytes); }
  void branch(const Op& op, bool taken, std::uint32_t linear_target);

  std::uint64_t cycle_start(bool io);
  void wait_until(std::uint64_t clock);
  void steal(std::uint64_t from, unsigned clocks) { memory_.steal(from, clocks); }
  void share(const MemoryShare& share) { memory_.share(share); }
  void master_wrote(std::uint32_t address, std::uint32_t bytes) { memory_.invalidate(address, bytes); }
  void flush_caches(bool write_back);
  void set_cache_enabled(bool enabled);
  /// The MTRRs as they are now.
  void set_memory_types(const MemoryTypeRanges& types) { memory_.set_types(types); }
  void interrupt_flush();
  void archive(Archive& a);
  void describe(Description& description) const;

  // ---- between two instructions, for loops in steady state (interpreter/loop_run.hpp) ----
  const PipelineP6& pipeline() const { return *this; }
  /// Whether a pass of a loop that began `clocks` ago, with the pipeline as it was `before`, takes the same clocks
  /// again, if it makes the same accesses, which all hit the first level.
  bool recurs(const PipelineP6& before, std::uint64_t clocks) const {
    return memory_.quiet(before.window_.rename_clock()) && PipelineP6::recurs(before, clocks);
  }
  /// `times` such passes at once, each of `mispredictions`.
  void advance(const PipelineP6& before, std::uint64_t clocks, std::uint64_t mispredictions, std::uint64_t times);
  /// Where stores go is written down there from now on; null: no more.
  void log_stores(StoreLog* log) { log_ = log; }

 private:
  /// When all micro-ops so far have retired and all stores have left.
  std::uint64_t in_order() const { return std::max(window_.retire_clock(), stores_.last()); }
  /// The window has nothing left at the processor's clock, which something else has moved.
  void follow_clock();
  /// When all of `registers` are there.
  std::uint64_t ready_of(unsigned registers) const;
  std::uint64_t operands_ready() const;
  /// Registers among `registers` whose value has retired before renaming reaches the next micro-op.
  unsigned retired_of(unsigned registers) {
    for (unsigned left = registers & ~unsigned{retired_}; left != 0; left &= left - 1)
      if (const auto r = static_cast<unsigned>(std::countr_zero(left)); registers_[r].retired <= window_.rename_clock())
        retired_ = static_cast<std::uint8_t>(retired_ | 1u << r);
    return registers & retired_;
  }
  void set_register(unsigned r, Value value);
  /// A micro-op of the current instruction, which reads `registers`: renamed, executed, retired. Returns when it began.
  std::uint64_t micro_op(std::uint64_t ready, unsigned ports, unsigned latency, unsigned registers, unsigned busy = 1);
  void wait_for_parts(unsigned registers, unsigned flags);
  void compute();
  void move_stack_pointer();
  void write_results();
  void repeated_access(std::uint32_t physical, unsigned bytes, bool store);

  void forget_instruction();
  bool second_half(std::uint32_t physical) const;
  void end_repeat();

  MemoryP6 memory_;
  StoreLog* log_ = nullptr;

  // ---- the current instruction: from begin() to end() ----
  const Op* op_ = nullptr;
  const MicroOps* made_of_ = nullptr;
  std::uint32_t address_of_op_ = 0;
  std::uint64_t decoded_ = 0, address_ = 0, loaded_ = 0, computed_ = 0;
  unsigned given_ = 0;  // micro-ops so far
  bool has_loaded_ = false, has_computed_ = false, stack_moved_ = false;

  /// A repeated string: its place in time, in quarters of a clock, and the lines that it is in, of reads and of writes.
  struct Repeat {
    bool active = false, started = false, fast = false, first_store = false;
    std::uint16_t opcode = 0;
    std::uint64_t quarters = 0;
    std::array<std::uint32_t, 2> line{1, 1};
    std::array<std::uint64_t, 2> arrives{};
  } repeat_;
};

}  // namespace planar::cpu
