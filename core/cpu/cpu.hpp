// SPDX-License-Identifier: GPL-2.0-or-later
// The processor: 386SX, 486SX, Pentium (P54C) or P6 (Pentium II and III), cycle-counted.
//
// One decoder and one executor serve all four; the model decides which instructions, flags and control bits exist and
// which timing applies (timing.hpp). Modelled: the integer instruction sets in real, protected and virtual-8086 mode,
// segmentation with limits and access rights, gates, task switches, paging with the chip's TLB, debug registers,
// precise exceptions, and interrupts exact to the instruction. Self-modifying code and DMA into code take effect at the
// next instruction on every model.
//
// Not modelled: stale bytes that a 386 or 486 executes from its prefetch queue; the 386's LOADALL, IBTS and XBTS; TLB
// and cache access through the test registers (TR3 to TR7 keep what is written); VME and PVI, performance counters,
// machine checks, system management mode; the P6's local APIC, PAE, PAT, PSE-36 and SSE, none of which its CPUID
// announces (docs/hardware/p6-features.md). fpu.hpp lists what the x87 lacks.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>

#include "core/cpu/pins.hpp"
#include "core/cpu/timing/common/config.hpp"
#include "core/cpu/timing/common/other_masters.hpp"
#include "core/cpu/x86/model.hpp"
#include "core/memory/address_space.hpp"
#include "core/state/archive.hpp"
#include "core/state/trace.hpp"
#include "core/time/scheduler.hpp"
#include "core/time/time.hpp"

namespace planar {
class Description;
}

namespace planar::cpu {

struct CpuConfig {
  Model model = Model::i386sx;
  ClockDomain clock{20'000'000};  ///< core clock
  bool fpu = false;               ///< x87 present: Pentium, or a 387 or 487 in its socket
  TimingConfig timing;            ///< its model must equal `model`
  /// Family, model and stepping, as in EDX at reset and in CPUID; 0: the default for `model`.
  std::uint32_t signature = 0;
};

/// A segment register as debuggers and tests see it.
struct SegmentView {
  std::uint16_t selector = 0;
  std::uint32_t base = 0;
  std::uint32_t limit = 0;  ///< in bytes
  std::uint8_t access = 0;  ///< P, DPL, S, type
  bool big = false;         ///< D/B
};

struct TableView {
  std::uint32_t base = 0;
  std::uint16_t limit = 0;
};

/// The architectural registers by value.
struct Registers {
  std::array<std::uint32_t, 8> gpr{};  ///< EAX ECX EDX EBX ESP EBP ESI EDI
  std::uint32_t eip = 0;
  std::uint32_t eflags = 2;
  std::array<SegmentView, 6> segment{};  ///< ES CS SS DS FS GS
  SegmentView ldtr, tr;
  TableView gdtr, idtr;
  std::uint32_t cr0 = 0, cr2 = 0, cr3 = 0, cr4 = 0;
  std::array<std::uint32_t, 8> dr{};
  unsigned cpl = 0;
};

struct Engine;
struct Fpu;
class Observer;

class Cpu final : public planar::Processor, public planar::MemoryListener {
 public:
  /// Attaches itself to the scheduler and, as a listener, to `space`; detaches on destruction. All references must
  /// outlive it. Throws Error if the configuration is out of range.
  Cpu(Scheduler& scheduler, AddressSpace& space, Pins& pins, Trace& trace, const CpuConfig& config);
  ~Cpu() override;

  // ---- pins the machine drives; each may be called from inside an access of this CPU -------------------------------
  /// RESET; takes effect at the next instruction boundary, but not before `now`.
  void reset(Time now);
  /// Level of INTR; sampled at instruction boundaries and between iterations of REP.
  void set_intr(bool level);
  /// A rising edge on NMI.
  void nmi();
  /// IGNNE#: while it is asserted, a pending x87 exception does not stop the processor if CR0.NE is clear (driven by
  /// port F0h of the planar until FERR# falls; on a 386, the release of BUSY#). FERR# is Pins::fpu_error.
  void ignore_fpu_error(bool level);
  /// When off, physical address bit 20 is forced to 0.
  void set_a20(bool on);

  // ---- Processor -----------------------------------------------------------------------------------------------
  Time time() const override;
  void run(Time horizon) override;
  void step() override;
  void lower_horizon(Time horizon) override;
  bool asleep() const override;

  // ---- MemoryListener ------------------------------------------------------------------------------------------
  void mapping_changed() override;
  void code_written(std::uint32_t address, std::uint32_t bytes) override;
  void master_wrote(std::uint32_t address, std::uint32_t bytes) override;
  void master_reads(std::uint32_t address, std::uint32_t bytes) override;
  /// Another master holds the memory path for `clocks` core clocks from core clock `from` (single-path planars).
  void steal(std::uint64_t from, unsigned clocks);
  /// Another master shares the memory line by line, in core clocks (timing/common/config.hpp).
  void share(const MemoryShare& share);
  /// Called before another master accesses memory: dirty lines in that range are written back.
  SnoopHits snoop(const Snoop& snoop);

  // ---- counters ------------------------------------------------------------------------------------------------
  std::uint64_t instructions() const;   ///< completed
  std::uint64_t clocks() const;         ///< core clocks since power-on, halted ones included
  std::uint64_t halted_clocks() const;  ///< of these, spent in HLT or shutdown
  /// Of a processor in HLT or shutdown: since when. If a snapshot brought it so: since that was restored.
  Time halted_since() const;
  const CpuConfig& config() const;
  /// Where the clocks went, by kind; no clock is counted in two kinds. Affects nothing and is not part of a snapshot.
  struct Account {
    std::uint64_t clocks = 0;  ///< all
    std::uint64_t halted = 0;  ///< in HLT or shutdown
    std::uint64_t pins = 0;    ///< waiting for cycles on the pins: I/O, device memory, interrupt acknowledge
    /// In repeated MOVS, INS and OUTS and in copy loops, excluding cycles on the pins; counted from the first call of
    /// account().
    std::uint64_t copying = 0;
  };
  Account account() const;
  /// Saves and restores what account() counts, for reports that continue after a snapshot.
  void archive_account(Archive& a);

  // ---- debuggers and tests -------------------------------------------------------------------------------------
  Registers registers() const;
  /// The linear address of the next instruction.
  std::uint32_t instruction_address() const;
  /// Sets the values as given, without descriptor checks; the TLB and decoded code are flushed.
  void set_registers(const Registers& registers);
  /// The x87 with its stack and error line (fpu.hpp).
  const Fpu& fpu() const;
  /// Sets registers, control, status, tags and pointers as given; the pins keep their levels.
  void set_fpu(const Fpu& fpu);
  /// The observer follows run() until it is removed, and must live until then. Both functions may be called from inside
  /// an access or a call to an observer. With the lab's Scheduler::stop(), an observer can stop a run at an exact
  /// instruction boundary: before an instruction from before_step(), after it from after_step().
  void add_observer(Observer& observer);
  void remove_observer(Observer& observer);
  bool a20() const;
  bool halted() const;
  /// The CPU gave up after a triple fault and waits for RESET.
  bool in_shutdown() const;
  /// Physical address of `linear` from the page tables in memory (A20 applied); nothing if not present. No side
  /// effects.
  std::optional<std::uint32_t> translate(std::uint32_t linear) const;
  /// The byte at `linear` without side effects; nothing if not present.
  std::optional<std::uint8_t> peek_linear(std::uint32_t linear) const;
  /// Writes a byte of RAM for a debugger. Does nothing and returns false elsewhere (ROM, devices, unmapped) and where
  /// `linear` is not present. Decoded code is dropped; the caches' tags, the TLB, the page tables and the time are not
  /// changed.
  bool poke(std::uint32_t physical, std::uint8_t value);
  bool poke_linear(std::uint32_t linear, std::uint8_t value);
  /// Registers, EFLAGS, x87, TLBs and caches as named fields and parts. No side effects.
  void describe(Description& description) const;

  // ---- test hooks: none may change a virtual result ---------------------------------------------------------------
  /// At most `count` instructions in a decoded block (1..32). With 1, repeated string instructions also make each
  /// access individually, and no passes of a loop are skipped.
  void limit_block_length(unsigned count);
  /// Throws away all decoded code and host pointers at random moments.
  void flush_blocks_at_random(std::uint64_t seed);
  /// How much of the P6's timing work was skipped because the code's effect on the pipeline was already known; all 0 on
  /// other processors.
  struct Learnt {
    std::uint64_t blocks = 0;     ///< blocks of code executed
    std::uint64_t known = 0;      ///< of these, known to their end
    std::uint64_t cleared = 0;    ///< times that everything was discarded for lack of room
    std::uint64_t pipelines = 0;  ///< pipeline states kept now
    std::uint64_t bytes = 0;      ///< host memory used, approximately
  };
  Learnt learnt() const;
  /// Keeps at most this many pipeline states; 0: learns nothing.
  void limit_learning(std::size_t pipelines);
  /// From now on computes every block, including known ones, and compares: a difference throws Error.
  void verify_learning();

  void archive(Archive& a);

 private:
  Scheduler& scheduler_;
  AddressSpace& space_;
  std::unique_ptr<Engine> engine_;
};

}  // namespace planar::cpu
