// SPDX-License-Identifier: GPL-2.0-or-later
// The interpreter: its state, and its functions by the file that defines them. Included only by the files of core/cpu;
// everything else sees cpu.hpp. README.md describes the ways in which an instruction can be executed.
//
// An instruction's handler is a function (Engine&, const Op&); a fault is thrown as Fault before the handler has
// changed any register, so that the instruction can be restarted.
//
//   x86/register_file.hpp  general registers, lazy flags   engine/block_cache.hpp  the decoded-block cache's data
//   mmu/access.hpp         memory access, the fast paths   mmu/paging.cpp          TLB, page walk, the slow paths
//   decode/                bytes to Op                     dispatch/               Op to handler
//   exec/                  instructions of user programs   system/                 segments, gates, tasks, interrupts
//   fpu/, exec/fpu/        x87                             timing/                 the cost, by processor
//   account/               counting for reports            interpreter/            blocks, the loop
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "core/common/little_endian.hpp"
#include "core/cpu/cpu.hpp"
#include "core/cpu/engine/accounting.hpp"
#include "core/cpu/engine/block_cache.hpp"
#include "core/cpu/engine/lines.hpp"
#include "core/cpu/engine/loop_watch.hpp"
#include "core/cpu/engine/translations.hpp"
#include "core/cpu/fpu/fpu.hpp"
#include "core/cpu/observer.hpp"
#include "core/cpu/pins.hpp"
#include "core/cpu/timing/common/clock_edges.hpp"
#include "core/cpu/timing/common/instruction_clocks.hpp"
#include "core/cpu/timing/timing.hpp"
#include "core/cpu/x86/architecture.hpp"
#include "core/cpu/x86/features.hpp"
#include "core/cpu/x86/op.hpp"
#include "core/cpu/x86/register_file.hpp"
#include "core/memory/address_space.hpp"
#include "core/state/trace.hpp"
#include "core/time/scheduler.hpp"

namespace planar::cpu {

/// A guest exception on its way to delivery.
struct Fault {
  std::uint8_t vector;
  bool has_error = false;
  std::uint16_t error = 0;
  bool committed = false;  ///< the new context is already in place: EIP is not restored (task switch)
};

enum class Access : std::uint8_t { read, write, execute };

/// Kinds of breakpoint at which an access traps (Engine::check_breakpoints).
enum : unsigned { break_on_read = 1u << 3, break_on_write = 1u << 3 | 1u << 1, break_on_port = 1u << 2 };

class StackFrame;

/// What must be handled at an instruction boundary, before the next instruction.
// clang-format off
enum : std::uint32_t { attend_reset = 1, attend_flush = 2, attend_shutdown = 4, attend_halted = 8, attend_intr = 16,
                       attend_nmi = 32, attend_inhibit = 64, attend_debug = 128, attend_step = 256, attend_rep = 512,
                       attend_rf = 1024, attend_test = 2048, attend_breakpoint = 4096 };
// clang-format on

struct Engine : RegisterFile, LazyFlags, Translations, BlockCache {
  Engine(Scheduler&, AddressSpace&, Pins&, Trace&, const CpuConfig&);

  std::uint64_t stop_at = 0;       ///< the inner loop ends when the clock reaches it
  const Op* current_op = nullptr;  ///< the instruction in progress, or the one executed last
  std::uint32_t block_eip = 0;     ///< EIP at the start of current_block
  bool planned = false;            ///< current_block's plan is in force
  const Op* cold_from = nullptr;   ///< the plan of a new code line, from this instruction on, is in force
  Timing timing;
  const Lines* const lines = lines_of(timing);
  Fpu fpu;

  // ---- state between instructions ------------------------------------------------------------------------------
  std::uint32_t attention = 0;
  bool nmi_masked = false;          ///< between NMI and IRET
  bool inhibit_all = false;         ///< with attend_inhibit: MOV SS or POP SS (NMI and debug traps wait too), not STI
  bool step_armed = false;          ///< the running instruction started with TF set
  std::uint32_t pending_debug = 0;  ///< DR6 bits of the traps to deliver at the boundary
  bool lone_goes_on = false;        ///< the instruction of `lone` is a REP that was suspended
  std::uint64_t reset_clock = 0;    ///< with attend_reset: not before this clock
  std::uint64_t instructions = 0;   ///< without those of the chain in progress: instructions_executed()
  std::uint64_t halted_clocks = 0;
  std::uint64_t halted_from = 0, halted_until = 0;  ///< the latest HLT or shutdown, for reports: not part of the state

  // ---- what is connected ------------------------------------------------------------------------------------------
  Scheduler& scheduler;
  AddressSpace& space;
  Pins& pins;
  Trace& trace;
  const CpuConfig config;
  const ClockEdges clock;
  const Model model;
  std::uint32_t address_lines;  ///< the chip's address bus
  std::uint32_t address_mask;   ///< with A20
  bool a20 = true;
  bool running = false;
  std::uint64_t horizon_clock = 0;
  bool resumed = false;                ///< the instruction about to run is a REP that was only suspended
  std::uint8_t current_op_length = 0;  ///< what a fault subtracts from EIP

  ObserverList observers;
  Observer* observer = nullptr;            ///< all of them; null while there are none
  std::unique_ptr<Accounting> accounting;  ///< for reports; null until Cpu::account() is called

  bool fast_data = true;  ///< no data or I/O breakpoint is armed
  LoopWatch loop_watch;   ///< P6

  // ---- flags -----------------------------------------------------------------------------------------------------
  /// Replaces the bits of `mask` and updates everything that depends on them.
  void set_eflags(std::uint32_t value, std::uint32_t mask);
  /// The EFLAGS bits that exist on this model.
  std::uint32_t flags_supported() const;

  // ---- memory by segment and offset: mmu/access.hpp -----------------------------------------------------------------
  template <class T>
  T read(unsigned s, std::uint32_t offset);
  template <class T>
  void write(unsigned s, std::uint32_t offset, T value);
  /// Read, compute, write back: `f(old)` gives the new value and may set flags (it runs after all checks).
  template <class T, class F>
  void modify(unsigned s, std::uint32_t offset, F&& f);
  template <class T>
  void push(T v);
  template <class T>
  T pop();

  // The same if the line is not in the L0 line cache, or is there while a fill is in progress.
  template <class T>
  T read_checked(unsigned s, std::uint32_t offset);
  template <class T>
  void write_checked(unsigned s, std::uint32_t offset, T v);
  template <class T, class F>
  [[gnu::noinline]] void modify_checked(unsigned s, std::uint32_t offset, F& f);
  /// The part of modify_checked() common to all instructions: segment check and timed read, then timed write.
  /// begin_modify() returns where the operand lies; null if the host's TLB does not allow it: it has then been checked
  /// that a write does not fault.
  std::uint8_t* begin_modify(unsigned s, std::uint32_t offset, unsigned bytes);
  void end_modify(unsigned s, std::uint32_t offset, unsigned bytes);

  /// The same for any kind of access: checked.cpp.
  template <class T>
  [[gnu::noinline]] T read_any(unsigned s, std::uint32_t offset);
  template <class T>
  [[gnu::noinline]] void write_any(unsigned s, std::uint32_t offset, T v);

  /// The linear address of an access of `bytes`; faults if the segment does not allow it.
  std::uint32_t linear_for_read(unsigned s, std::uint32_t offset, unsigned bytes);
  std::uint32_t linear_for_write(unsigned s, std::uint32_t offset, unsigned bytes);

  /// `M`: the model, if the caller knows it. `seen` is called with the translation of an access that the host's TLB
  /// allows, after its timing and before its data.
  static void unseen(const HostTlbEntry&) {}
  template <class T, Model... M, class Seen = decltype(unseen)>
  T read_linear(std::uint32_t linear, Seen&& seen = unseen);
  template <class T, Model... M, class Seen = decltype(unseen)>
  void write_linear(std::uint32_t linear, T v, Seen&& seen = unseen);

  /// Fills the L0 line of `linear`, an offset in segment `g` just accessed, if it is in the data cache in the most
  /// recently used way. `known`: the segment's context for that access.
  [[gnu::always_inline]] void fill_l0(Segment& g, const Segment::AddressContext& known, const HostTlbEntry& e,
                                      std::uint32_t linear) {
    const std::uint32_t physical = e.physical + (linear & 0xFFF);
    if (!timing.has_cache() || (known.value != l0_context && !admit(g))) return;
    if (const std::uint32_t tag = timing.cached().l0_tag(physical))
      put_l0(e, linear, tag, timing.cached().data_line(), e.read_tag == (linear & page_mask));
  }
  /// Descriptor tables and task state segments: supervisor rights whatever the CPL.
  std::uint32_t read_system(std::uint32_t linear, unsigned bytes);
  void write_system(std::uint32_t linear, unsigned bytes, std::uint32_t v);

  /// #AC if EFLAGS.AC and CR0.AM enable it and a bit of `alignment` is set in `linear`.
  void check_alignment(std::uint32_t linear, std::uint32_t alignment, bool user) const;
  std::uint32_t read_slow(std::uint32_t linear, unsigned bytes, bool user);
  std::uint32_t read_by_page(std::uint32_t linear, unsigned bytes, bool user);
  void write_slow(std::uint32_t linear, unsigned bytes, std::uint32_t v, bool user);
  /// Fault now if a write of these bytes would; probe_pages() ignores their alignment.
  void probe_write(std::uint32_t linear, unsigned bytes, bool user);
  void probe_pages(std::uint32_t linear, unsigned bytes, bool user);
  std::uint32_t read_physical(std::uint32_t physical, unsigned bytes);
  std::uint32_t read_device(std::uint32_t physical, unsigned bytes) {
    return read_device(physical, bytes, timing.cycle_start(false));
  }
  void write_device(std::uint32_t physical, unsigned bytes, std::uint32_t v) {
    write_device(physical, bytes, v, timing.cycle_start(false));
  }
  /// The same, given the cycle's start.
  std::uint32_t read_device(std::uint32_t physical, unsigned bytes, std::uint64_t start);
  void write_device(std::uint32_t physical, unsigned bytes, std::uint32_t v, std::uint64_t start);
  void store_ram(Page& page, std::uint32_t physical, unsigned bytes, std::uint32_t v);
  void write_physical(std::uint32_t physical, unsigned bytes, std::uint32_t v);

  // ---- paging.cpp
  std::uint32_t translate(std::uint32_t linear, bool user, Access access);
  /// The same for code, at the current privilege: whatever the host's TLB holds, the modelled one holds too.
  std::uint32_t translate_code(std::uint32_t linear) {
    const HostTlbEntry& e = host_entry(linear);
    return e.exec_tag == (linear & page_mask) ? e.physical + (linear & 0xFFF)
                                              : translate(linear, cpl == 3, Access::execute);
  }
  const TlbEntry& walk(std::uint32_t linear, bool user, Access access);
  ModelTlb& tlb_for(Access access) {
    return model >= Model::pentium && access == Access::execute ? code_tlb : data_tlb;
  }
  /// The TLB of 4 MB pages; null: there is none for these accesses.
  ModelTlb* large_tlb_for(Access access) {
    if (access != Access::execute) return model >= Model::pentium ? &large_tlb : nullptr;
    return has_large_code_tlb(model) ? &large_code_tlb : nullptr;
  }
  /// The modelled TLB's entry for `linear`; null: it has none.
  const TlbEntry* find_in_tlb(std::uint32_t linear, Access access);
  /// The 4 KB frame of `linear` in the page of `e`, an entry of the TLBs for these accesses.
  std::uint32_t frame_of(const TlbEntry& e, std::uint32_t linear, Access access);
  [[noreturn]] void page_fault(std::uint32_t linear, bool user, Access access, unsigned bits);
  void fill_host_tlb(std::uint32_t linear, std::uint32_t frame, bool user, bool readable, bool writable, bool execute);
  bool permitted(const TlbEntry& entry, bool user, Access access) const;
  enum class Half : std::uint8_t { data, code, both };
  void drop_host(std::uint32_t linear_page, Half half);
  void drop_evicted(const ModelTlb& from, const TlbEntry& entry);
  void flush_host_tlb();
  void flush_tlb(Kept kept = Kept::none);
  void invalidate_page(std::uint32_t linear);
  /// According to the page tables in memory, without side effects.
  std::optional<std::uint32_t> peek_translate(std::uint32_t linear) const;
  /// The physical address of a read of RAM or ROM at the current privilege, if it needs no page walk.
  std::optional<std::uint32_t> translation_at_hand(std::uint32_t linear);

  // ---- blocks.cpp
  /// The block at `physical` in the current mode, decoded now if there is none; null if no block may hold the
  /// instruction there.
  Block* find_block(std::uint32_t physical);
  void make_block(Block& b, Op* ops, unsigned count, std::uint32_t physical);
  void account_decoded(Op& op, std::uint32_t linear);
  DecodeMode decode_mode() const;
  /// Invalidates all existing links.
  void forget_links() {
    code_context += link_age;
    if (code_context >= oldest_link) [[unlikely]]
      drop_links();
  }
  void drop_links();
  void enter_link_context();
  void flush_blocks();
  void code_written(std::uint32_t physical, std::uint32_t bytes);
  void drop_block(Block& b);
  void look_through_marks(PageBlocks& in_page, Page& page);

  // ---- lone_code.cpp
  /// Makes `lone` the instruction at `linear`, which lies at `physical`.
  void fetch_alone(std::uint32_t linear, std::uint32_t physical);
  /// The same, if the instruction crosses two pages and has not changed since it was decoded; otherwise false.
  bool fetch_across(std::uint32_t linear, std::uint32_t physical);
  /// From its decoded `op`.
  void make_lone_block(LoneCode& code, std::uint32_t linear, std::uint32_t physical);

  // ---- run.cpp, boundary.cpp, reset.cpp, eflags.cpp, dispatch/
  void run(Time horizon);
  void step_observed();
  void step();
  /// Handles the boundary, then executes. False if something was done at the boundary instead: nothing was executed.
  bool run_block();
  void lower_horizon(Time horizon);
  bool boundary();
  void wait_halted();
  void take_interrupt(std::uint8_t vector);
  void execute();
  template <Model M>
  void execute_blocks();
  template <Model M>
  [[gnu::always_inline]] bool pass_through(Block& b, bool goes_on);
  template <Model M>
  [[gnu::noinline]] void resume();
  /// Whether a block at EIP ends within the code segment.
  bool within_code(const Block& b) const { return std::uint64_t{eip} + b.bytes - 1 <= seg[CS].limit; }
  bool is_block_at(const Block& b, std::uint32_t linear) const;
  [[gnu::noinline]] Block* block_at(std::uint32_t linear);
  template <Model M>
  bool run_unplanned(bool begun);
  void run_on_p6(bool begun);
  template <Model M>
  bool enter_plan(const Block& b);
  template <Model M>
  void finish_plan(const Op& op);
  void finish_cold_line();
  void leave_plan(const Op* next);
  void begin_chained(const Op& op);
  void check_deadline(const Op& op);
  [[gnu::cold, gnu::noinline]] void chain_near_deadline(const Op& op);
  void arrive_at(const Op& op);
  void step_on(const Op& op);
  [[gnu::noinline]] void step_to_next();
  [[gnu::noinline]] void step_afresh(const Op& first);
  [[gnu::noinline]] void step_in_row(const Op& next);
  [[gnu::noinline]] void step_in_new_row(const Op& next);
  [[gnu::cold, gnu::noinline]] void stop_after(const Op& op);
  bool branched() const { return eip != block_eip + current_block->bytes; }
  template <Model M>
  void chain_branched(const Op& op, bool taken, std::uint32_t offset);
  template <Model M>
  void chain_to_next(bool branched);
  bool holds(const Block::Link& link, std::uint32_t linear) const;
  template <Model M>
  [[gnu::noinline]] void chain_elsewhere(Block::Link& link);
  template <Model M>
  void chain_to(Block& b);
  template <Model M>
  [[gnu::noinline]] void chain_to_last(Block& b);
  bool enter_block(Block& b);
  [[gnu::noinline]] void chain_branch_unpredicted(const Op& op, bool taken, std::uint32_t target);
  [[gnu::noinline]] void chain_branch_after_prefetch(const Op& op, std::uint32_t target);
  [[gnu::noinline]] void chain_branch_after_prefetch_486();

  void leave_block(bool executed);
  std::uint64_t instructions_executed() const {
    return instructions + static_cast<unsigned>(longest_chain - chain_room);
  }
  void settle_chain() {
    instructions = instructions_executed();
    chain_room = longest_chain;
  }
  void take_fault(const Fault& fault);
  void reset(Time now);
  void perform_reset();
  std::uint32_t signature() const;
  void do_reset();
  Time now() const { return clock.at(timing.clocks()); }
  /// Ends the inner loop at the next instruction boundary.
  void break_loop() { stop_at = 0; }
  void attend(std::uint32_t bits) {
    attention |= bits;
    stop_at = 0;
  }
  void wait_for(Time end) { timing.wait_until(clock.first_at_or_after(end)); }
  void update_mode();

  // ---- segment.cpp
  [[noreturn]] void segment_violation(unsigned s);
  Descriptor read_descriptor(std::uint16_t selector, std::uint8_t vector);
  /// Whether the descriptor lies within the limit of its table.
  bool in_table(std::uint16_t selector) const;
  std::uint32_t descriptor_address(std::uint16_t selector, std::uint8_t vector);
  void mark_accessed(std::uint16_t selector, Descriptor& d);
  void load_segment(unsigned s, std::uint16_t selector);
  void load_real_segment(unsigned s, std::uint16_t selector);
  /// ES, DS, FS and GS, of a selector that is not null, and SS: after all checks; those that fail raise `vector`.
  Segment data_segment(std::uint16_t selector, std::uint8_t vector);
  Segment stack_segment(std::uint16_t selector, unsigned new_cpl, std::uint8_t vector);
  static Segment make_segment(std::uint16_t selector, const Descriptor& d);
  void set_cpl(unsigned level);
  void load_cs(std::uint16_t selector, Descriptor d, unsigned new_cpl);

  // ---- far.cpp, interrupt.cpp, task.cpp
  void go_far(const Op& op, std::uint16_t selector, std::uint32_t offset, bool call);
  void return_far(const Op& op, std::uint32_t release);
  /// RETF and IRET: the code segment, after all checks.
  Descriptor code_to_return_to(std::uint16_t selector);
  /// Returns to it at an outer level, whose ESP and SS are next in `frame`; `release` bytes are removed from that
  /// stack, too.
  void return_outwards(StackFrame& frame, bool wide, std::uint16_t selector, const Descriptor& d, std::uint32_t offset,
                       std::uint32_t release);
  void call_gate(const Op& op, std::uint16_t selector, const Descriptor& gate, bool call);
  void interrupt_return(const Op& op);
  using Source = InterruptSource;
  void interrupt(std::uint8_t vector, Source source, bool has_error, std::uint16_t error);
  void interrupt_real(std::uint8_t vector);
  void interrupt_protected(std::uint8_t vector, Source source, bool has_error, std::uint16_t error);
  void deliver(Fault fault);
  void software_interrupt(const Op& op, std::uint8_t vector, Source source);
  enum class Switch : std::uint8_t { jump, call, iret };
  void task_switch(std::uint16_t selector, const Descriptor& d, Switch how, bool has_error, std::uint16_t error);
  void task_stack(unsigned level, std::uint16_t& selector, std::uint32_t& pointer);

  // ---- io.cpp, system.cpp, debug.cpp
  /// IN, OUT, INS, OUTS: faults if the current privilege does not allow the access; charges the clocks of the check.
  void permit_io(const Op& op, std::uint16_t port, unsigned bytes);
  std::uint32_t in(std::uint16_t port, unsigned bytes) { return in(port, bytes, timing.cycle_start(true)); }
  void out(std::uint16_t port, unsigned bytes, std::uint32_t v) { out(port, bytes, v, timing.cycle_start(true)); }
  /// The same, given the cycle's start.
  std::uint32_t in(std::uint16_t port, unsigned bytes, std::uint64_t start);
  void out(std::uint16_t port, unsigned bytes, std::uint32_t v, std::uint64_t start);
  void set_cr0(std::uint32_t v);
  void set_cr3(std::uint32_t v);
  void require_cpl0();
  void set_dr7(std::uint32_t v);
  /// `kinds`: the R/W fields of DR7, one bit each, at which the access traps.
  void check_breakpoints(std::uint32_t address, unsigned bytes, unsigned kinds);
  std::uint32_t instruction_breakpoints(std::uint32_t linear) const;

  void archive(Archive& a);
  void archive_p6(Archive& a);
  void describe(Description& description) const;
};

// Faults; out of line to keep the hot paths small.
[[noreturn]] void raise(std::uint8_t vector);
[[noreturn]] void raise(std::uint8_t vector, std::uint16_t error);

using Handler = void (*)(Engine&, const Op&);

}  // namespace planar::cpu
