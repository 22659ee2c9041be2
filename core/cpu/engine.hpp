// SPDX-License-Identifier: GPL-2.0-or-later
// The interpreter's state and its fast paths. Included by the topic files of this folder only; the outside world sees
// cpu.hpp. An instruction's handler is a function (Engine&, const Op&); a fault is thrown as Fault before the handler
// has changed any register, so that the instruction can be restarted.
//
//   decoder.cpp   bytes to Op                       select.hpp    Op to handler
//   alu.cpp       arithmetic, logic                 shift.cpp     shifts, bits
//   multiply.cpp  MUL to BCD                        move.cpp      moves, stack, flags
//   string.cpp    string instructions               io.cpp        IN, OUT, I/O permission
//   port_run.cpp  REP INS and OUTS in one go
//   control.cpp   near and conditional branches     far.cpp       far transfers, call gates
//   interrupt.cpp delivery, INT n, IRET             task.cpp      task switch
//   segment.cpp   segment loading and inspection    system.cpp    control registers, descriptor tables, CPUID
//   paging.cpp    TLB, page walk, slow accesses     debug.cpp     breakpoints
//   blocks.cpp    decoded-block cache               run.cpp       the loop, boundaries, reset
//   archive.cpp   snapshot                          fpu.cpp       x87 (fpu*.cpp, float80*.cpp)
//   copy_loop.cpp loops that copy, for reports  chain.cpp     the ways through a block (chain.hpp, step.hpp)
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <memory>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include "core/common/random.hpp"
#include "core/cpu/cpu.hpp"
#include "core/cpu/decode/op.hpp"
#include "core/cpu/dispatch/block.hpp"
#include "core/cpu/exec/copy_account.hpp"
#include "core/cpu/fpu/fpu.hpp"
#include "core/cpu/mmu/tlb.hpp"
#include "core/cpu/observer.hpp"
#include "core/cpu/pins.hpp"
#include "core/cpu/system/descriptor.hpp"
#include "core/cpu/timing/common/clock_edges.hpp"
#include "core/cpu/timing/common/instruction_clocks.hpp"
#include "core/cpu/timing/timing.hpp"
#include "core/memory/address_space.hpp"
#include "core/state/trace.hpp"
#include "core/time/scheduler.hpp"

namespace planar::cpu {

// General registers as ModRM numbers them.
enum : unsigned { EAX, ECX, EDX, EBX, ESP, EBP, ESI, EDI };
// Segment registers as instructions number them.
enum : unsigned { ES, CS, SS, DS, FS, GS };

// Exception vectors.
// clang-format off
enum : std::uint8_t { vec_de = 0, vec_db = 1, vec_nmi = 2, vec_bp = 3, vec_of = 4, vec_br = 5, vec_ud = 6, vec_nm = 7,
                      vec_df = 8, vec_ts = 10, vec_np = 11, vec_ss = 12, vec_gp = 13, vec_pf = 14, vec_mf = 16,
                      vec_ac = 17 };

// EFLAGS.
inline constexpr std::uint32_t flag_cf = 1u << 0, flag_pf = 1u << 2, flag_af = 1u << 4, flag_zf = 1u << 6,
    flag_sf = 1u << 7, flag_tf = 1u << 8, flag_if = 1u << 9, flag_df = 1u << 10, flag_of = 1u << 11,
    flag_iopl = 3u << 12, flag_nt = 1u << 14, flag_rf = 1u << 16, flag_vm = 1u << 17, flag_ac = 1u << 18,
    flag_vif = 1u << 19, flag_vip = 1u << 20, flag_id = 1u << 21;
// clang-format on
inline constexpr std::uint32_t arithmetic_flags = flag_cf | flag_pf | flag_af | flag_zf | flag_sf | flag_of;

// Signatures in EDX at reset (and in CPUID): family, model, stepping.
inline constexpr std::uint32_t i386sx_signature = 0x2308, i486sx_signature = 0x0423, pentium_signature = 0x0525;

// Control registers.
inline constexpr std::uint32_t cr0_pe = 1u << 0, cr0_mp = 1u << 1, cr0_em = 1u << 2, cr0_ts = 1u << 3, cr0_et = 1u << 4,
                               cr0_ne = 1u << 5, cr0_wp = 1u << 16, cr0_am = 1u << 18, cr0_nw = 1u << 29,
                               cr0_cd = 1u << 30, cr0_pg = 1u << 31;
inline constexpr std::uint32_t cr4_vme = 1, cr4_pvi = 2, cr4_tsd = 4, cr4_de = 8, cr4_pse = 16, cr4_mce = 64;

/// A guest exception on its way to delivery.
struct Fault {
  std::uint8_t vector;
  bool has_error = false;
  std::uint16_t error = 0;
  bool committed = false;  ///< the new context is already in place: EIP is not taken back (task switch)
};

enum class Access : std::uint8_t { read, write, execute };

/// Reasons to look around at an instruction boundary.
// clang-format off
enum : std::uint32_t { attend_reset = 1, attend_flush = 2, attend_shutdown = 4, attend_halted = 8, attend_intr = 16,
                       attend_nmi = 32, attend_inhibit = 64, attend_debug = 128, attend_step = 256, attend_rep = 512,
                       attend_rf = 1024, attend_test = 2048, attend_breakpoint = 4096 };
// clang-format on

struct Engine {
  Engine(Scheduler&, AddressSpace&, Pins&, Trace&, const CpuConfig&);

  // ---- state the guest can see -------------------------------------------------------------------------------
  std::uint32_t gpr[9] = {};  ///< [8] is always 0: the absent base or index
  std::uint32_t eip = 0;
  std::uint32_t flag_result = 1;  ///< see "lazy flags" below
  std::uint32_t flag_aux = 0;
  std::uint32_t system_flags = 0;  ///< EFLAGS except the six arithmetic ones and bit 1
  std::array<Segment, 6> seg;
  unsigned cpl = 0;
  HostTlbEntry* tlb;               ///< of the present privilege
  std::uint64_t stop_at = 0;       ///< the inner loop ends when the clock reaches it
  const Op* current_op = nullptr;  ///< the instruction in progress, or the one executed last
  std::uint32_t block_eip = 0;     ///< EIP at the start of current_block
  bool planned = false;            ///< current_block runs by plan
  Timing timing;

  std::uint32_t cr0 = 0, cr2 = 0, cr3 = 0, cr4 = 0;
  std::array<std::uint32_t, 8> dr{};
  std::array<std::uint32_t, 8> tr{};  ///< test registers TR3..TR7: stored, no test function behind them
  std::uint32_t gdt_base = 0, idt_base = 0;
  std::uint16_t gdt_limit = 0, idt_limit = 0xFFFF;
  Segment ldt, task;
  std::array<std::uint64_t, 4> msr{};  ///< machine check address and type, TR12, spare
  std::uint64_t tsc_offset = 0;        ///< TSC = clocks + offset
  Fpu fpu;

  bool protected_mode = false;  ///< CR0.PE
  bool v86 = false;             ///< CR0.PE and EFLAGS.VM
  std::uint8_t mode = 0;        ///< block cache key: bit 0 CS.D, bit 1 PE, bit 2 VM

  // ---- state between instructions ------------------------------------------------------------------------------
  std::uint32_t attention = 0;
  bool intr = false;
  bool nmi_masked = false;          ///< between NMI and IRET
  bool inhibit_all = false;         ///< with attend_inhibit: MOV SS / POP SS (NMI and debug traps wait too), else STI
  bool step_armed = false;          ///< the running instruction started with TF set
  std::uint32_t pending_debug = 0;  ///< DR6 bits of the traps to deliver at the boundary
  bool uncached_valid = false;      ///< uncached_op belongs to an interrupted REP
  std::array<std::uint8_t, 16> uncached_bytes{};
  std::uint32_t uncached_physical = 0;
  Op uncached_op;
  std::uint64_t reset_clock = 0;   ///< with attend_reset: not before this clock
  std::uint64_t instructions = 0;  ///< but for those of the chain in progress: instructions_executed()
  std::uint64_t halted_clocks = 0;

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
  bool resumed = false;                ///< the instruction about to run is a REP that was only cut
  std::uint8_t current_op_length = 0;  ///< what a fault takes back from EIP

  ObserverList observers;
  Observer* observer = nullptr;  ///< all of them; null while there is none
  CopyAccount copies;            ///< for reports

  // ---- host structures ----------------------------------------------------------------------------------------------
  std::array<std::array<HostTlbEntry, host_tlb_entries>, 2> host_tlb;  ///< [0] supervisor, [1] user
  ModelTlb data_tlb, code_tlb, large_tlb;                              ///< 386, 486: data_tlb serves both
  bool fast_data = true;                                               ///< no data breakpoint is armed
  unsigned block_limit;
  bool one_by_one = false;  ///< no runs of port accesses (port_run.hpp)
  bool flush_at_random = false;
  Random flush_random{0};
  std::vector<Block*> blocks;  ///< the first of each block_slot()
  std::vector<Block> block_pool;
  std::vector<Op> op_pool;
  std::size_t blocks_used = 0, ops_used = 0;  ///< of the pools; they start afresh with flush_blocks()
  Block no_block;                             ///< what is found where there is none: its mode is no mode
  Block::Link no_link() { return {0, &no_block}; }
  /// Which links hold: bits 37-32 are the mode and privilege in which they were made, the rest is an age that grows
  /// with whatever ends them all (a block dropped, a translation of code given up, the pools' fresh start). On the
  /// Pentium only, where code has a TLB of its own and data do not drive it out.
  std::uint64_t code_context = link_age;
  static constexpr std::uint64_t link_age = std::uint64_t{1} << 38, oldest_link = std::uint64_t{1} << 63;
  std::uint32_t linked_limit = 0, linked_base = 0;  ///< of the code segment in which the links were made
  std::unordered_map<std::uint32_t, Block*>
      page_heads;  ///< first block of a physical page; never iterated in an order that matters
  Block* current_block = nullptr;
  int longest_chain = 256;         ///< in instructions: bounds the stack where the compiler makes no tail calls
  int chain_room = longest_chain;  ///< what is left of that

  // ---- lazy flags ---------------------------------------------------------------------------------------------------
  // flag_result: the last result, sign-extended. ZF = (result == 0).
  // flag_aux: bit 31 CF; bit 30 CF ^ OF; bit 3 AF; bit 2 is added to SF; bit 8 is added to the parity. The carries of
  // an addition (borrows of a subtraction) land there with one shift and one mask.
  static constexpr std::uint32_t aux_mask = 0xC0000008u;

  bool cf() const { return flag_aux >> 31; }
  bool of() const { return (flag_aux ^ flag_aux << 1) >> 31; }
  bool af() const { return flag_aux >> 3 & 1; }
  bool zf() const { return flag_result == 0; }
  bool sf() const { return (flag_result >> 31) ^ (flag_aux >> 2 & 1); }
  bool pf() const { return !__builtin_parity((flag_result & 0xFF) ^ (flag_aux >> 8 & 1)); }

  template <class T>
  void set_result(T r) {
    flag_result = static_cast<std::uint32_t>(static_cast<std::int32_t>(static_cast<std::make_signed_t<T>>(r)));
  }
  template <class T>
  static std::uint32_t place_carries(std::uint32_t carries) {
    if constexpr (sizeof(T) == 4)
      return carries & aux_mask;
    else
      return (carries << (32 - 8 * sizeof(T)) & 0xC0000000u) | (carries & 8);
  }
  template <class T>
  void set_add(T a, T b, T r) {
    set_result(r);
    flag_aux = place_carries<T>(static_cast<std::uint32_t>((a & b) | ((a | b) & ~std::uint32_t{r})));
  }
  template <class T>
  void set_sub(T a, T b, T r) {
    set_result(r);
    flag_aux = place_carries<T>(static_cast<std::uint32_t>((~std::uint32_t{a} & b) | ((~std::uint32_t{a} | b) & r)));
  }
  template <class T>
  void set_logic(T r) {
    set_result(r);
    flag_aux = 0;
  }
  /// INC and DEC leave CF alone.
  template <class T>
  void set_inc_dec(T r, bool overflow, bool adjust) {
    const std::uint32_t c = flag_aux & 0x80000000u;
    set_result(r);
    flag_aux = c | ((c >> 1) ^ (std::uint32_t{overflow} << 30)) | std::uint32_t{adjust} << 3;
  }
  void set_cf_of(bool c, bool o) {
    flag_aux = (flag_aux & 0x3FFFFFFFu) | std::uint32_t{c} << 31 | std::uint32_t{c != o} << 30;
  }
  void set_cf(bool c) { set_cf_of(c, of()); }
  /// Sets the six arithmetic flags from an EFLAGS image.
  void set_arithmetic(std::uint32_t f) {
    flag_result = f & flag_zf ? 0 : 0x100;
    const bool c = f & flag_cf, o = f & flag_of;
    flag_aux = std::uint32_t{c} << 31 | std::uint32_t{c != o} << 30 | (f & flag_af ? 8u : 0) | (f & flag_sf ? 4u : 0) |
               (f & flag_pf ? 0 : 0x100u);
  }
  std::uint32_t arithmetic() const {
    return (cf() ? flag_cf : 0) | (pf() ? flag_pf : 0) | (af() ? flag_af : 0) | (zf() ? flag_zf : 0) |
           (sf() ? flag_sf : 0) | (of() ? flag_of : 0);
  }
  std::uint32_t eflags() const { return 2 | system_flags | arithmetic(); }
  /// Replaces the bits of `mask`; settles everything that depends on them.
  void set_eflags(std::uint32_t value, std::uint32_t mask);
  /// The EFLAGS bits that exist on this model.
  std::uint32_t flags_supported() const;
  unsigned iopl() const { return system_flags >> 12 & 3; }

  // ---- registers
  // -------------------------------------------------------------------------------------------------------
  template <class T>
  T get(unsigned r) const {
    if constexpr (sizeof(T) == 1)
      return static_cast<T>(gpr[r & 3] >> ((r & 4) * 2));
    else
      return static_cast<T>(gpr[r]);
  }
  template <class T>
  void set(unsigned r, T v) {
    if constexpr (sizeof(T) == 1) {
      const unsigned shift = (r & 4) * 2;
      gpr[r & 3] = (gpr[r & 3] & ~(0xFFu << shift)) | std::uint32_t{v} << shift;
    } else if constexpr (sizeof(T) == 2) {
      gpr[r] = (gpr[r] & 0xFFFF0000u) | v;
    } else {
      gpr[r] = v;
    }
  }
  std::uint32_t effective_address(const Op& op) const {
    return (gpr[op.base] + (gpr[op.index] << op.scale) + op.displacement) & op.address_mask;
  }
  /// A 16- or 32-bit view of a counter or pointer register (CX/ECX...).
  std::uint32_t get_sized(unsigned r, bool wide) const { return wide ? gpr[r] : gpr[r] & 0xFFFF; }
  void set_sized(unsigned r, bool wide, std::uint32_t v) { gpr[r] = wide ? v : (gpr[r] & 0xFFFF0000u) | (v & 0xFFFF); }

  // ---- memory: segment checks, then linear
  // -------------------------------------------------------------------------------
  template <class T>
  static T load(const std::uint8_t* p) {
    T v;
    std::memcpy(&v, p, sizeof v);
    if constexpr (std::endian::native == std::endian::big && sizeof(T) == 2) v = __builtin_bswap16(v);
    if constexpr (std::endian::native == std::endian::big && sizeof(T) == 4) v = __builtin_bswap32(v);
    return v;
  }
  template <class T>
  static void store(std::uint8_t* p, T v) {
    if constexpr (std::endian::native == std::endian::big && sizeof(T) == 2) v = __builtin_bswap16(v);
    if constexpr (std::endian::native == std::endian::big && sizeof(T) == 4) v = __builtin_bswap32(v);
    std::memcpy(p, &v, sizeof v);
  }

  /// What the host knows of the page of `linear` at the present privilege, if its tag says that page.
  const HostTlbEntry& host_entry(std::uint32_t linear) const { return tlb[linear >> 12 & (host_tlb_entries - 1)]; }

  std::uint32_t linear_for_read(unsigned s, std::uint32_t offset, unsigned bytes) {
    const Segment& g = seg[s];
    if (std::int64_t{offset - g.low} + (bytes - 1) > g.read_span) [[unlikely]]
      segment_violation(s);
    return g.base + offset;
  }
  std::uint32_t linear_for_write(unsigned s, std::uint32_t offset, unsigned bytes) {
    const Segment& g = seg[s];
    if (std::int64_t{offset - g.low} + (bytes - 1) > g.write_span) [[unlikely]]
      segment_violation(s);
    return g.base + offset;
  }

  // Views: where a segment begins at 0 and ends nowhere, an offset whose view has been opened in the present context is
  // sure to be allowed, translated, in the cache and free of charge. One comparison, in line; the rest is out of line.
  std::uint64_t view_context = 0;  ///< bit 32: user; above: counts what closes all views
  /// Whether segment `g` begins at 0 and ends nowhere; its offsets are looked up in views from now on.
  [[gnu::noinline]] bool admit(Segment& g) const {
    if (g.base != 0 || g.low != 0) return false;
    if (g.read_span == Segment::endless) g.reads.value = view_context;
    if (g.write_span == Segment::endless) g.writes.value = view_context;
    return true;
  }
  /// Opens the view of `linear`, an offset of segment `g` just accessed, if the data cache has it in the way used last.
  /// `known`: the segment's context for that access.
  [[gnu::always_inline]] void open_view(Segment& g, const Segment::ViewContext& known, const HostTlbEntry& e,
                                        std::uint32_t linear) {
    const std::uint32_t page = linear & page_mask, physical = e.physical + (linear & 0xFFF);
    if ((known.value != view_context && !admit(g)) || !timing.in_view(physical)) return;
    LineView& v = timing.view(linear);
    const std::uint64_t key = view_context + (linear & LineView::mask);
    v.base = reinterpret_cast<std::uintptr_t>(e.host) - page;
    v.physical = physical & LineView::mask;
    v.reads = e.read_tag == page ? key : 0;
    v.writes = timing.write_hits(physical) && e.write_tag == page && !e.holds_code(linear) ? key : 0;
  }
  void forget_segment_views() {
    for (Segment& g : seg) g.reads = g.writes = {};
  }
  void forget_views() {
    view_context += std::uint64_t{1} << 33;
    forget_segment_views();
  }
  template <class T>
  static std::uint64_t seen_as(const Segment::ViewContext& context, std::uint32_t offset) {
    return context.value + (offset & (LineView::mask | (sizeof(T) - 1)));
  }
  /// Whether a T at `offset` of segment `s` may be read, or written, in its view `v`.
  template <class T>
  bool readable(const LineView& v, unsigned s, std::uint32_t offset) const {
    return v.reads == seen_as<T>(seg[s].reads, offset);
  }
  template <class T>
  bool writable(const LineView& v, unsigned s, std::uint32_t offset) const {
    return v.writes == seen_as<T>(seg[s].writes, offset);
  }

  template <class T>
  [[gnu::noinline]] T read_arriving(const LineView& v, std::uint32_t offset) {
    timing.read_view(v, offset);
    return load<T>(v.at(offset));
  }
  template <class T>
  [[gnu::noinline]] T read_checked(unsigned s, std::uint32_t offset) {
    const std::uint32_t linear = linear_for_read(s, offset, sizeof(T));
    return read_linear<T>(linear, [&](const HostTlbEntry& e) { open_view(seg[s], seg[s].reads, e, linear); });
  }
  template <class T>
  [[gnu::noinline]] void write_checked(unsigned s, std::uint32_t offset, T v) {
    const std::uint32_t linear = linear_for_write(s, offset, sizeof(T));
    write_linear<T>(linear, v, [&](const HostTlbEntry& e) { open_view(seg[s], seg[s].writes, e, linear); });
  }
  template <class T, class F>
  [[gnu::noinline]] void modify_checked(unsigned s, std::uint32_t offset, F& f) {
    const std::uint32_t linear = linear_for_write(s, offset, sizeof(T));
    const HostTlbEntry& e = host_entry(linear);
    if (e.write_tag == (linear & (page_mask | (sizeof(T) - 1)))) {
      const std::uint32_t physical = e.physical + (linear & 0xFFF);
      timing.read_aligned(physical, sizeof(T));
      std::uint8_t* p = e.host + (linear & 0xFFF);
      const T v = f(load<T>(p));
      timing.write_aligned(physical, sizeof(T));
      open_view(seg[s], seg[s].writes, e, linear);
      store<T>(p, v);
      if (e.holds_code(linear)) [[unlikely]]
        code_written(physical, sizeof(T));
      return;
    }
    probe_write(linear, sizeof(T), cpl == 3);
    const T v = f(static_cast<T>(read_slow(linear, sizeof(T), cpl == 3)));
    write_slow(linear, sizeof(T), v, cpl == 3);
  }

  /// `M`: the model if the caller knows it. `seen` gets the translation of an access that the host's TLB allows, done
  /// but for the data.
  static void unseen(const HostTlbEntry&) {}
  template <class T, Model... M, class Seen = decltype(unseen)>
  T read_linear(std::uint32_t linear, Seen&& seen = unseen) {
    const HostTlbEntry& e = host_entry(linear);
    if (e.read_tag != (linear & (page_mask | (sizeof(T) - 1)))) [[unlikely]]
      return static_cast<T>(read_slow(linear, sizeof(T), cpl == 3));
    timing.read_aligned<M...>(e.physical + (linear & 0xFFF), sizeof(T));
    seen(e);
    return load<T>(e.host + (linear & 0xFFF));
  }
  template <class T, Model... M, class Seen = decltype(unseen)>
  void write_linear(std::uint32_t linear, T v, Seen&& seen = unseen) {
    const HostTlbEntry& e = host_entry(linear);
    if (e.write_tag != (linear & (page_mask | (sizeof(T) - 1)))) [[unlikely]]
      return write_slow(linear, sizeof(T), v, cpl == 3);
    timing.write_aligned<M...>(e.physical + (linear & 0xFFF), sizeof(T));
    seen(e);
    store<T>(e.host + (linear & 0xFFF), v);
    if (e.holds_code(linear)) [[unlikely]]
      code_written(e.physical + (linear & 0xFFF), sizeof(T));
  }
  template <class T>
  T read(unsigned s, std::uint32_t offset) {
    const LineView& v = timing.view(offset);
    if (!readable<T>(v, s, offset)) [[unlikely]]
      return read_checked<T>(s, offset);
    if (!timing.settled()) [[unlikely]]
      return read_arriving<T>(v, offset);
    return load<T>(v.at(offset));
  }
  template <class T>
  void write(unsigned s, std::uint32_t offset, T value) {
    const LineView& v = timing.view(offset);
    if (writable<T>(v, s, offset)) [[likely]]
      store<T>(v.at(offset), value);
    else
      write_checked<T>(s, offset, value);
  }

  /// Read, compute, write back: `f(old)` gives the new value and may set flags (it runs after all checks).
  template <class T, class F>
  void modify(unsigned s, std::uint32_t offset, F&& f) {
    const LineView& v = timing.view(offset);
    if (writable<T>(v, s, offset)) [[likely]]
      store<T>(v.at(offset), f(load<T>(v.at(offset))));
    else
      modify_checked<T>(s, offset, f);
  }

  /// Descriptor tables and task states: supervisor rights whatever the CPL.
  std::uint32_t read_system(std::uint32_t linear, unsigned bytes);
  void write_system(std::uint32_t linear, unsigned bytes, std::uint32_t v);

  std::uint32_t read_slow(std::uint32_t linear, unsigned bytes, bool user);
  void write_slow(std::uint32_t linear, unsigned bytes, std::uint32_t v, bool user);
  /// Faults now if a write of these bytes would.
  void probe_write(std::uint32_t linear, unsigned bytes, bool user);
  std::uint32_t read_physical(std::uint32_t physical, unsigned bytes);
  void store_ram(Page& page, std::uint32_t physical, unsigned bytes, std::uint32_t v);
  void write_physical(std::uint32_t physical, unsigned bytes, std::uint32_t v);

  // ---- paging.cpp
  // -----------------------------------------------------------------------------------------------------
  std::uint32_t translate(std::uint32_t linear, bool user, Access access);
  const TlbEntry& walk(std::uint32_t linear, bool user, Access access);
  ModelTlb& tlb_for(Access access) {
    return model == Model::pentium && access == Access::execute ? code_tlb : data_tlb;
  }
  [[noreturn]] void page_fault(std::uint32_t linear, bool user, Access access, unsigned bits);
  void fill_host_tlb(std::uint32_t linear, std::uint32_t frame, bool user, bool readable, bool writable, bool execute);
  bool permitted(const TlbEntry& entry, bool user, Access access) const;
  enum class Half : std::uint8_t { data = 1, code = 2, both = 3 };
  void drop_host(std::uint32_t linear_page, Half half);
  void drop_evicted(const ModelTlb& from, const TlbEntry& entry);
  void flush_host_tlb();
  void flush_tlb();
  void invalidate_page(std::uint32_t linear);
  bool peek_translate(std::uint32_t linear, std::uint32_t& physical) const;

  // ---- blocks.cpp
  // ----------------------------------------------------------------------------------------------------
  /// The block at `physical` in the present mode, decoded if there is none; null if no block may hold the instruction
  /// there.
  Block* find_block(std::uint32_t physical);
  /// No link that exists may be followed any more.
  void forget_links() {
    code_context += link_age;
    if (code_context >= oldest_link) [[unlikely]]
      drop_links();
  }
  void drop_links();
  std::uint64_t link_key(std::uint32_t linear) const { return code_context + linear; }
  void enter_link_context();
  static constexpr unsigned block_slots = 1u << 14;
  static unsigned block_slot(std::uint32_t physical) { return (physical ^ physical >> 14) & (block_slots - 1); }
  void flush_blocks();
  void code_written(std::uint32_t physical, std::uint32_t bytes);

  // ---- run.cpp, chain.cpp
  // ----------------------------------------------------------------------------------------------
  void run(Time horizon);
  void step_observed();
  void step();
  /// Looks after the boundary and executes. False if the boundary took the turn.
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
  void run_unplanned(bool begun);
  void run_singly();
  [[gnu::cold, gnu::noinline]] void enter_slowly(const Op& first, bool goes_on);
  bool cross_line(const Op& op);
  [[gnu::cold, gnu::noinline]] void cross_line_in_chain(const Op& op);
  void begin_chained(const Op& op);
  void look_around(const Op& op);
  void look_over_edge(const Op& op);
  [[gnu::cold, gnu::noinline]] void go_on_singly(const Op& op);
  void arrive_at(const Op& op);
  void step_on(const Op& op);
  [[gnu::cold, gnu::noinline]] void stop_behind(const Op& op);
  bool branched() const { return eip != block_eip + current_block->bytes; }
  void chain_to_next(bool branched);
  [[gnu::noinline]] void chain_branch_as_new(const Op& op, bool taken, std::uint32_t target);
  void leave_block(bool executed);
  std::uint64_t instructions_executed() const {
    return instructions + static_cast<unsigned>(longest_chain - chain_room);
  }
  void settle_chain() {
    instructions = instructions_executed();
    chain_room = longest_chain;
  }
  void fetch_uncached(std::uint32_t linear);
  void run_uncached(std::uint32_t physical);
  void take_fault(const Fault& fault);
  void reset(Time now);
  void perform_reset();
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
  // ---------------------------------------------------------------------------------------------------
  [[noreturn]] void segment_violation(unsigned s);
  Descriptor read_descriptor(std::uint16_t selector, std::uint8_t vector);
  bool try_read_descriptor(std::uint16_t selector, Descriptor& d);
  std::uint32_t descriptor_address(std::uint16_t selector, std::uint8_t vector);
  void mark_accessed(std::uint16_t selector, Descriptor& d);
  void load_segment(unsigned s, std::uint16_t selector);
  void load_real_segment(unsigned s, std::uint16_t selector);
  Segment stack_segment(std::uint16_t selector, unsigned new_cpl, std::uint8_t vector);
  static Segment make_segment(std::uint16_t selector, const Descriptor& d);
  void set_cpl(unsigned level);
  void drop_privileged_segments();
  void load_cs(std::uint16_t selector, Descriptor d, unsigned new_cpl);

  // ---- stack
  // -------------------------------------------------------------------------------------------------------------
  template <class T>
  void push(T v) {
    if (seg[SS].big) {
      const std::uint32_t sp = gpr[ESP] - static_cast<std::uint32_t>(sizeof(T));
      write<T>(SS, sp, v);
      gpr[ESP] = sp;
    } else {
      const std::uint32_t sp = (gpr[ESP] - static_cast<std::uint32_t>(sizeof(T))) & 0xFFFF;
      write<T>(SS, sp, v);
      gpr[ESP] = (gpr[ESP] & 0xFFFF0000u) | sp;
    }
  }
  template <class T>
  T pop() {
    if (seg[SS].big) {
      const T v = read<T>(SS, gpr[ESP]);
      gpr[ESP] += static_cast<std::uint32_t>(sizeof(T));
      return v;
    }
    const T v = read<T>(SS, gpr[ESP] & 0xFFFF);
    gpr[ESP] = (gpr[ESP] & 0xFFFF0000u) | ((gpr[ESP] + static_cast<std::uint32_t>(sizeof(T))) & 0xFFFF);
    return v;
  }

  // ---- far.cpp, interrupt.cpp, task.cpp
  // ----------------------------------------------------------------------------------
  void jump_far(const Op& op, std::uint16_t selector, std::uint32_t offset);
  void call_far(const Op& op, std::uint16_t selector, std::uint32_t offset);
  void return_far(const Op& op, std::uint32_t release);
  void call_gate(const Op& op, std::uint16_t selector, const Descriptor& gate, bool call);
  void interrupt_return(const Op& op);
  enum class Source : std::uint8_t { external, exception, software, icebp };
  void interrupt(std::uint8_t vector, Source source, bool has_error, std::uint16_t error);
  void interrupt_real(std::uint8_t vector);
  void interrupt_protected(std::uint8_t vector, Source source, bool has_error, std::uint16_t error);
  void deliver(Fault fault);
  void software_interrupt(const Op& op, std::uint8_t vector, Source source);
  enum class Switch : std::uint8_t { jump, call, iret };
  void task_switch(std::uint16_t selector, const Descriptor& d, Switch how, bool has_error, std::uint16_t error);
  void task_stack(unsigned level, std::uint16_t& selector, std::uint32_t& pointer);

  // ---- io.cpp, system.cpp, debug.cpp
  // -------------------------------------------------------------------------------------
  void check_io(std::uint16_t port, unsigned bytes);
  std::uint32_t in(std::uint16_t port, unsigned bytes) { return in(port, bytes, timing.cycle_start(true)); }
  void out(std::uint16_t port, unsigned bytes, std::uint32_t v) { out(port, bytes, v, timing.cycle_start(true)); }
  /// The same with the cycle's start asked for already.
  std::uint32_t in(std::uint16_t port, unsigned bytes, std::uint64_t start);
  void out(std::uint16_t port, unsigned bytes, std::uint32_t v, std::uint64_t start);
  void set_cr0(std::uint32_t v);
  void require_cpl0();
  void set_dr7(std::uint32_t v);
  void check_data_breakpoints(std::uint32_t linear, unsigned bytes, Access access);
  std::uint32_t instruction_breakpoints(std::uint32_t linear) const;

  void archive(Archive& a);
  void describe(Description& description) const;
};

// Faults, out of line: the hot paths stay small.
[[noreturn]] void raise(std::uint8_t vector);
[[noreturn]] void raise(std::uint8_t vector, std::uint16_t error);

using Handler = void (*)(Engine&, const Op&);

}  // namespace planar::cpu
