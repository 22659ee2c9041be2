// SPDX-License-Identifier: GPL-2.0-or-later
// Fuzz target: decoder and executor of the processor. The input chooses the model, the mode, control and segment
// registers, and pieces of code, descriptor tables, page tables and task states; the guest runs on them for a few
// thousand clocks. Port writes change the processor's pins, write RAM by DMA and change the memory map at any time.
//
// A finding: a crash or sanitizer report, an instruction that does not end, runaway virtual time, and a run whose
// result changes with short blocks, flushes, shortened horizons, or a snapshot loaded in the middle.
#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "core/common/random.hpp"
#include "core/cpu/cpu.hpp"
#include "core/cpu/x86/features.hpp"
#include "core/memory/address_space.hpp"
#include "core/state/trace.hpp"
#include "core/time/scheduler.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace {

using namespace planar;
using cpu::Model;
using fuzz::Input;

enum : unsigned { ES, CS, SS, DS, FS, GS };
constexpr unsigned esp_index = 4;

// The memory map: 256 KB of RAM, device memory at A0000h, ROM at F0000h and at the end of the address space.
constexpr std::uint32_t ram_size = 0x40000, idt_at = 0x1000, gdt_at = 0x2000, ldt_at = 0x2400, tss_at = 0x3000,
                        tss16_at = 0x3800, other_tss_at = 0x3C00, directory_at = 0x4000, table_at = 0x5000,
                        handler_at = 0xF00, code_at = 0x10000, data_at = 0x20000, stack_top = 0x38000,
                        inner_stack_top = 0x3C000, remapped_at = 0x3E000;
constexpr std::uint16_t code0 = 0x08, data0 = 0x10, code3 = 0x1B, data3 = 0x23, tss_selector = 0x28, code16 = 0x30,
                        data16 = 0x38, other_tss = 0x40, tss16 = 0x48, task_gate = 0x50, ldt_selector = 0x68,
                        code3_16 = 0xC3, data3_16 = 0xCB;

/// The pieces of an input are written here: the base for each kind.
constexpr std::array<std::uint32_t, 16> piece_bases = {
    code_at,      code_at,  code_at, gdt_at,         ldt_at,
    idt_at,       0,        tss_at,  tss16_at,       other_tss_at,
    directory_at, table_at, data_at, stack_top - 64, inner_stack_top - 64,
    handler_at};

using Memory = std::vector<std::uint8_t>;

void put16(Memory& m, std::uint32_t at, std::uint32_t v) {
  m[at] = static_cast<std::uint8_t>(v);
  m[at + 1] = static_cast<std::uint8_t>(v >> 8);
}
void put32(Memory& m, std::uint32_t at, std::uint32_t v) {
  put16(m, at, v);
  put16(m, at + 2, v >> 16);
}
void descriptor(Memory& m, std::uint32_t selector, std::uint32_t base, std::uint32_t limit, unsigned access,
                unsigned flags) {
  const std::uint32_t at = gdt_at + (selector & 0xF8);
  put32(m, at, (limit & 0xFFFF) | base << 16);
  put32(m, at + 4, (base >> 16 & 0xFF) | access << 8 | (limit & 0xF0000) | flags << 20 | (base & 0xFF000000u));
}
void gate(Memory& m, std::uint32_t at, std::uint16_t selector, std::uint32_t offset, unsigned access,
          unsigned params = 0) {
  put32(m, at, (offset & 0xFFFF) | std::uint32_t{selector} << 16);
  put32(m, at + 4, (offset & 0xFFFF0000u) | access << 8 | params);
}

/// A system with every kind of descriptor, gate and task, so that single changes have far-reaching effects. Its
/// handlers skip one byte of the code that faulted.
Memory prepared_memory() {
  Memory m(ram_size);
  const auto put = [&](std::uint32_t at, std::initializer_list<unsigned> bytes) {
    for (unsigned b : bytes) m[at++] = static_cast<std::uint8_t>(b);
  };
  put(handler_at, {0x83, 0xC4, 0x04, 0xFF, 0x04, 0x24, 0xCF});               // ADD ESP,4; INC dword [ESP]; IRETD
  put(handler_at + 0x10, {0xFF, 0x04, 0x24, 0xCF});                          // INC dword [ESP]; IRETD
  put(handler_at + 0x20, {0x55, 0x89, 0xE5, 0xFF, 0x46, 0x02, 0x5D, 0xCF});  // 16 bits: INC word [BP+2]; IRET
  put(handler_at + 0x30, {0xCB});                                            // RETF
  put(handler_at + 0x38, {0xCF, 0xEB, 0xFD});                                // a task: IRETD, again when resumed
  for (unsigned v = 0; v < 256; ++v) {
    put32(m, v * 4, handler_at + 0x20);
    const bool error = v == 8 || (v >= 10 && v <= 14) || v == 17;
    gate(m, idt_at + v * 8, code0, error ? handler_at : handler_at + 0x10, v & 1 ? 0xEE : v & 2 ? 0xEF : 0x8E);
  }
  gate(m, idt_at + 8 * 8, task_gate & 0xF8, 0, 0x85);
  gate(m, idt_at + 10 * 8, other_tss, 0, 0x85);
  gate(m, idt_at + 0x30 * 8, code16, handler_at + 0x20, 0xE6);
  gate(m, idt_at + 0x31 * 8, tss16, 0, 0xE5);
  descriptor(m, code0, 0, 0xFFFFF, 0x9B, 0xC);
  descriptor(m, data0, 0, 0xFFFFF, 0x93, 0xC);
  descriptor(m, code3, 0, 0xFFFFF, 0xFB, 0xC);
  descriptor(m, data3, 0, 0xFFFFF, 0xF3, 0xC);
  descriptor(m, tss_selector, tss_at, 0x7FF, 0x8B, 0);
  descriptor(m, code16, 0, 0xFFFF, 0x9B, 0);
  descriptor(m, data16, data_at, 0xFFFF, 0x93, 0);
  descriptor(m, other_tss, other_tss_at, 0x67, 0xE9, 0);
  descriptor(m, tss16, tss16_at, 0x2B, 0xE1, 0);
  gate(m, gdt_at + task_gate, other_tss, 0, 0xE5);
  gate(m, gdt_at + 0x58, code0, handler_at + 0x30, 0xEC, 2);
  gate(m, gdt_at + 0x60, code16, handler_at + 0x30, 0xE4, 3);
  descriptor(m, ldt_selector, ldt_at, 0xFF, 0x82, 0);
  descriptor(m, 0x70, 0, 0xFFFFF, 0x9F, 0xC);       // conforming
  descriptor(m, 0x78, data_at, 0xFFF, 0xF7, 0x4);   // expand-down
  descriptor(m, 0x80, data_at, 0x7F, 0xF3, 0x4);    // small
  descriptor(m, 0x88, data_at, 0xFFFF, 0x73, 0x4);  // not present
  descriptor(m, 0x90, 0, 0xFFFFF, 0xBB, 0xC);       // ring 1
  descriptor(m, 0x98, 0, 0xFFFFF, 0xB3, 0xC);
  descriptor(m, 0xA0, 0, 0xFFFFF, 0xDB, 0xC);  // ring 2
  descriptor(m, 0xA8, 0, 0xFFFFF, 0xD3, 0xC);
  gate(m, gdt_at + 0xB0, 0x90, handler_at + 0x30, 0xEC, 31);
  descriptor(m, 0xB8, data_at, 0xFFF, 0xF7, 0x0);  // expand-down, 64 KB
  descriptor(m, code3_16, code_at, 0xFFFF, 0xFB, 0);
  descriptor(m, data3_16, data_at, 0xFFFF, 0xF3, 0);
  descriptor(m, 0xD0, 0, 0xFFFFF, 0xF1, 0xC);  // read-only
  descriptor(m, 0xD8, 0, 0xFFFFF, 0xF9, 0xC);  // execute-only
  std::copy_n(m.begin() + gdt_at, 0x100, m.begin() + ldt_at);
  for (const std::uint32_t at : {tss_at, other_tss_at}) {
    for (unsigned ring = 0; ring < 3; ++ring) {
      put32(m, at + 4 + 8 * ring, inner_stack_top - 0x400 * ring);
      put32(m, at + 8 + 8 * ring, ring == 0 ? data0 : ring == 1 ? 0x99 : 0xAA);
      put16(m, tss16_at + 2 + 4 * ring, inner_stack_top - 0x400 * ring);
      put16(m, tss16_at + 4 + 4 * ring, ring == 0 ? data0 : ring == 1 ? 0x99 : 0xAA);
    }
    put32(m, at + 0x1C, directory_at);
    put32(m, at + 0x20, handler_at + 0x38);
    put32(m, at + 0x24, 2);
    put32(m, at + 0x38, inner_stack_top - 0xC00);
    for (unsigned s = 0; s < 6; ++s) put32(m, at + 0x48 + 4 * s, s == CS ? code0 : data0);
    put32(m, at + 0x64, 0x68u << 16);
  }
  put16(m, tss16_at + 0x0E, handler_at + 0x38);
  put16(m, tss16_at + 0x1A, 0x9000);
  for (unsigned s = 0; s < 4; ++s) put16(m, tss16_at + 0x22 + 2 * s, s == CS ? code16 : data16);
  put32(m, directory_at, table_at | 7);
  put32(m, directory_at + 4, 0x87);                  // 4 MB, from the Pentium on with CR4.PSE
  put32(m, directory_at + 8, 0x187);                 // and global, on a P6 with CR4.PGE
  put32(m, directory_at + 0xFFC, directory_at | 7);  // the tables map themselves
  for (std::uint32_t i = 0; i < 0x110; ++i) put32(m, table_at + 4 * i, i << 12 | 7 | (i % 16 == 4 ? 0x100 : 0));
  return m;
}

/// The board around the processor. Every access takes 100 ns.
struct Board final : cpu::Pins {
  Scheduler scheduler;
  AddressSpace space;
  Trace trace;
  Memory ram = Memory(ram_size), rom = Memory(0x10000), spare = Memory(0x1000);
  std::unique_ptr<cpu::Cpu> processor;
  MemoryClaim device, moving_device;
  struct Unmapped final : Slave {
    std::uint32_t read(std::uint32_t, unsigned, Time) override { return 0xFFFFFFFFu; }
    void write(std::uint32_t, unsigned, std::uint32_t, Time) override {}
    std::uint32_t peek(std::uint32_t, unsigned, Time) const override { return 0xFFFFFFFFu; }
  } unmapped;
  Event alarm{scheduler, "alarm", Priority::device, Callback::to<&Board::ring>(this)};
  Event soon{scheduler, "soon", Priority::device, Callback::to<&Board::ring>(this)};
  Time alarm_period{};
  bool reset_on_shutdown = false, ram_moved = false, master_rings = false;
  Random random{0};
  std::vector<std::uint8_t> pristine;

  explicit Board(const cpu::CpuConfig& config)
      : processor(std::make_unique<cpu::Cpu>(scheduler, space, *this, trace, config)) {
    space.map_ram(0, ram);
    std::fill(rom.begin(), rom.end(), std::uint8_t{0x90});
    const std::uint8_t start[] = {0xEA, 0x00, 0x00, 0x00, 0x10};  // JMP 1000:0000
    std::copy_n(start, sizeof start, rom.end() - 16);
    for (const std::uint32_t at : {0x000F0000u, 0x00FF0000u, 0xFFFF0000u}) space.map_rom(at, rom);
    device = space.claim(0xA0000, 0x10000, unmapped, CycleSpec{});
    Archive saved = Archive::saver();
    archive(saved);
    pristine = saved.stream();
  }

  void archive(Archive& a) {
    processor->archive(a);
    scheduler.archive(a);
    alarm.archive(a);
    soon.archive(a);
    a(alarm_period, reset_on_shutdown, ram_moved, master_rings, random);
    a.bytes(ram);
    a.bytes(spare);
  }
  void load(const std::vector<std::uint8_t>& stream) {
    Archive a = Archive::loader(stream);
    move_ram(false);
    archive(a);
    a.expect_end();
    const bool moved = ram_moved;
    ram_moved = false;
    move_ram(moved);
  }
  std::vector<std::uint8_t> saved() {
    Archive a = Archive::saver();
    archive(a);
    return a.stream();
  }

  /// The alarm interrupts, or a master takes the memory for a while and writes.
  void ring(Time now) {
    if (master_rings) {
      processor->steal(processor->clocks(), 10);  // at most half of the time
      processor->master_wrote(code_at + (noise() & 0x3FF), 16);
    } else {
      processor->set_intr(true);
    }
    if (alarm_period > Time{}) alarm.at(now + alarm_period);
  }
  /// Maps other memory at a page that may contain code, stack or tables.
  void move_ram(bool moved) {
    if (moved == ram_moved) return;
    ram_moved = moved;
    space.unmap(remapped_at, 0x1000);
    space.map_ram(remapped_at, moved ? std::span(spare) : std::span(ram).subspan(remapped_at, 0x1000));
    moving_device = moved ? space.claim(0x3F000, 0x100, unmapped, CycleSpec{}) : MemoryClaim{};
  }

  Time done(Time start) {
    const Time end = start + 100_ns;
    scheduler.advance(end);
    return end;
  }
  std::uint32_t noise() { return static_cast<std::uint32_t>(random.next()); }

  cpu::Cycle io_read(std::uint16_t, unsigned, Time start) override {
    const Time end = done(start);
    return {noise(), end};
  }
  Time io_write(std::uint16_t port, unsigned, std::uint32_t value, Time start) override {
    const Time end = done(start);
    switch (port & 15) {
      case 0: processor->set_a20(value & 1); break;
      case 1: processor->nmi(); break;
      case 2: processor->set_intr(value & 1); break;
      case 3: processor->reset(end); break;
      case 4: {
        std::array<std::uint8_t, 8> data;
        for (auto& b : data) b = static_cast<std::uint8_t>(noise());
        space.master_write(code_at + (value & 0x3FF), data, end);
        break;
      }
      case 5: move_ram(value & 1); break;
      case 6: processor->ignore_fpu_error(value & 1); break;
      case 7: soon.at(end + Time{1000 * std::int64_t{value & 0xFF}}); break;
      case 8: processor->steal(processor->clocks(), value & 31); break;
      case 9: processor->master_wrote(value & 0x3FFFF, 16); break;
      default: break;
    }
    return end;
  }
  cpu::Cycle memory_read(std::uint32_t, unsigned, Time start) override {
    const Time end = done(start);
    return {noise(), end};
  }
  Time memory_write(std::uint32_t, unsigned, std::uint32_t, Time start) override { return done(start); }
  cpu::Cycle acknowledge_interrupt(Time start) override {
    processor->set_intr(false);
    const Time end = done(start);
    return {noise() & 0x3F, end};
  }
  void shutdown(Time now) override {
    if (reset_on_shutdown) processor->reset(now);
  }
  void fpu_error(bool, Time) override {}
};

/// `machine`: with the caches of a real machine, for which the memory events are compiled; otherwise with smaller ones.
cpu::CpuConfig config(Model model, bool fpu, bool machine) {
  cpu::CpuConfig c;
  c.model = c.timing.model = model;
  c.fpu = fpu;
  c.clock = ClockDomain(model == Model::i386sx   ? 20'000'000
                        : model == Model::i486sx ? 33'333'333
                        : model == Model::p6     ? 400'000'000
                                                 : 90'000'000);
  c.timing.dram.width = model == Model::i386sx ? 2 : model == Model::i486sx ? 4 : 8;
  if (model == Model::i486sx) {
    c.timing.l1.bytes = 8192;
    c.timing.write_buffers = 4;
  }
  if (model == Model::pentium) {
    c.timing.core_per_bus_num = 3;
    c.timing.core_per_bus_den = 2;
    c.timing.l1 = {.bytes = 8192, .ways = 2, .line = 32, .split = true, .write_back = true};
    c.timing.write_buffers = 2;
    if (machine) c.timing.l2 = {.bytes = 256 * 1024, .ways = 2, .line = 32, .write_allocate = true};
  }
  if (model == Model::p6) {
    c.timing.core_per_bus_num = 4;
    c.timing.l1 = {.bytes = 16384, .ways = 4, .line = 32, .split = true, .write_back = true};
    c.timing.write_buffers = 8;
    if (machine) c.timing.l2 = {.bytes = 512 * 1024, .ways = 4};
  }
  return c;
}

cpu::SegmentView view(const Memory& m, std::uint16_t selector) {
  const std::uint32_t at = (selector & 4 ? ldt_at : gdt_at) + (selector & 0xF8);
  const auto word = [&](std::uint32_t a) {
    return m[a] | m[a + 1] << 8 | m[a + 2] << 16 | static_cast<std::uint32_t>(m[a + 3]) << 24;
  };
  const std::uint32_t lo = word(at), hi = word(at + 4);
  std::uint32_t limit = (lo & 0xFFFF) | (hi & 0xF0000);
  if (hi & 0x800000) limit = limit << 12 | 0xFFF;
  return {selector, lo >> 16 | (hi & 0xFF) << 16 | (hi & 0xFF000000u), limit, static_cast<std::uint8_t>(hi >> 8),
          (hi & 0x400000) != 0};
}

/// The initial state of an input. Fields are at fixed positions; each is used only if its bit of `replace` is set, so
/// that few changes lead to a sane state.
void start(Board& b, Input& in) {
  static const Memory prepared = prepared_memory();
  std::copy(prepared.begin(), prepared.end(), b.ram.begin());

  const unsigned shape = in.u8(), mode = in.u8();
  b.reset_on_shutdown = shape & 1;
  b.master_rings = shape & 4;
  b.alarm_period = Time{1'000'000 * std::int64_t{in.u8() & 31}};
  b.random = Random(in.u16());
  const std::uint32_t replace = in.u32();
  const auto choose = [&](unsigned bit, std::uint32_t sane, std::uint32_t value) {
    return replace >> bit & 1 ? value : sane;
  };

  cpu::Registers r;
  const bool real = mode % 6 == 0, v86 = mode % 6 == 3, ring3 = mode % 6 >= 3, wide = mode % 6 == 2 || mode % 6 == 4;
  r.eflags = choose(0, 0x202, in.u32()) & ~0x20000u;
  r.cr0 = choose(1, 0x10, in.u32());
  r.cr3 = choose(2, directory_at, in.u32());
  r.cr4 = choose(3, cpu::cr4_pse, in.u8() | (shape & 0x18u) << 5);
  const std::uint16_t gdt_limit = in.u16(), idt_limit = in.u16(), ldt = in.u16(), tr = in.u16();
  r.gpr[0] = in.u32();
  for (unsigned i = 1; i < 8; ++i) r.gpr[i] = r.gpr[0] * 0x9E3779B1u * i >> (i & 7);
  for (unsigned i : {3u, 5u, 6u, 7u}) r.gpr[i] = choose(4, data_at + (r.gpr[i] & 0xFFF), r.gpr[i]);
  r.gpr[1] = choose(5, r.gpr[1] & 0xF, r.gpr[1]);
  r.gpr[esp_index] = choose(6, real || v86 ? 0x8000 : stack_top, in.u32());
  const std::uint16_t eip = in.u16();
  std::array<std::uint16_t, 6> selectors;
  for (auto& s : selectors) s = in.u16();
  const std::uint32_t dr7 = in.u32();
  const std::uint16_t breakpoint = in.u16();

  while (in.left() >= 4) {
    const std::uint32_t base = piece_bases[in.u8() % piece_bases.size()];
    const std::uint32_t offset = in.u16();
    const auto piece = in.take(in.u8());
    for (std::size_t i = 0; i < piece.size(); ++i) b.ram[(base + offset + i) % ram_size] = piece[i];
  }

  r.gdtr = {gdt_at, static_cast<std::uint16_t>(choose(7, 0x1FF, gdt_limit))};
  r.idtr = real ? cpu::TableView{0, static_cast<std::uint16_t>(choose(8, 0x3FF, idt_limit))}
                : cpu::TableView{idt_at, static_cast<std::uint16_t>(choose(8, 0x7FF, idt_limit))};
  r.ldtr = view(b.ram, static_cast<std::uint16_t>(choose(9, ldt_selector, ldt) & 0xF8));
  r.tr = view(b.ram, static_cast<std::uint16_t>(choose(10, tss_selector, tr) & 0xF8));
  // States that no instruction can produce are excluded: a guest starts in a state that it could have reached.
  r.cr0 = real ? r.cr0 & ~1u : r.cr0 | 1;
  if (r.cr0 & 0x20000000u) r.cr0 |= 0x40000000u;
  r.cr0 = !real && mode & 0x80 ? r.cr0 | 0x80000000u : r.cr0 & 0x7FFFFFFFu;
  const Model model = b.processor->config().model;
  r.cr0 &= model == Model::i386sx ? 0x8000001Fu : 0xE005003Fu;
  r.cr4 &= cpu::cr4_supported(model);
  if (v86) r.eflags |= 0x20000;
  r.cpl = ring3 ? 3 : 0;
  for (unsigned s = 0; s < 6; ++s) {
    const std::uint16_t flat = s == CS ? (ring3  ? wide ? code3 : code3_16
                                          : wide ? code0
                                                 : code16)
                                       : (ring3  ? wide ? data3 : data3_16
                                          : wide ? data0
                                                 : data16);
    const auto selector =
        static_cast<std::uint16_t>(choose(11 + s, real || v86 ? (s == CS ? 0x1000 : 0x2000) : flat, selectors[s]));
    if (real || v86)
      r.segment[s] = {selector, selector * 16u, 0xFFFF, static_cast<std::uint8_t>(v86 ? 0xF3 : 0x93), false};
    else
      r.segment[s] = view(b.ram, selector);
  }
  r.eip = choose(17, 0, eip);
  if (r.segment[CS].base != code_at && r.eip < code_at) r.eip += code_at;
  r.dr = {code_at + breakpoint, data_at + (breakpoint & 0xFF), r.gpr[3], gdt_at + code0, 0, 0,
          0xFFFF0FF0u,          choose(18, 0x400, dr7)};
  b.processor->set_registers(r);
  b.processor->set_a20(!(shape & 2));
  if (b.alarm_period > Time{}) b.alarm.at(b.alarm_period);
}

enum class Disturbance { none, short_blocks, flushes, cuts, snapshot };

/// Boards are built once: one undisturbed, and one for each disturbance. A snapshot of the initial state undoes a run.
struct Pair {
  Board plain;
  std::array<std::unique_ptr<Board>, 5> disturbed;
  explicit Pair(const cpu::CpuConfig& c) : plain(c) {
    for (unsigned d = 1; d < 5; ++d) disturbed[d] = std::make_unique<Board>(c);
    disturbed[1]->processor->limit_block_length(1);
    // On the P6, also: no code is learnt; known code is verified; there is hardly any room for it.
    disturbed[1]->processor->limit_learning(0);
    disturbed[3]->processor->verify_learning();
    disturbed[4]->processor->limit_learning(20);
  }
};

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static std::array<std::unique_ptr<Pair>, 16> pairs;
  Input in({data, size});
  const unsigned choice = in.u8();
  const auto model = (choice & 0x38) == 0x38 ? Model::p6 : static_cast<Model>(choice % 3);
  const bool fpu = choice & 0x80, machine = choice & 0x40;
  auto& pair = pairs[static_cast<unsigned>(model) * 4 + fpu * 2 + machine];
  if (!pair) pair = std::make_unique<Pair>(config(model, fpu, machine));
  static constexpr Disturbance kinds[8] = {Disturbance::none,     Disturbance::short_blocks, Disturbance::cuts,
                                           Disturbance::snapshot, Disturbance::none,         Disturbance::none,
                                           Disturbance::none,     Disturbance::flushes};
  const Disturbance disturbance = kinds[in.u8() % 8];

  const ClockDomain clock = pair->plain.processor->config().clock;
  const Time limit = clock.at(disturbance == Disturbance::flushes ? 500 : 2500);  // a flush is expensive on the host
  const auto begin = [&](Board& b) {
    b.load(b.pristine);
    Input rest = in;
    start(b, rest);
  };
  const auto finish = [&](Board& b) {
    b.scheduler.run_until(limit);
    fuzz::expect(b.processor->time() >= limit, "the processor stopped short of its time");
    fuzz::expect(b.processor->time() < limit + 1_ms, "one instruction took more than a millisecond");
  };

  begin(pair->plain);
  finish(pair->plain);
  if (disturbance == Disturbance::none) return 0;

  Board& other = *pair->disturbed[static_cast<unsigned>(disturbance)];
  begin(other);
  if (disturbance == Disturbance::flushes) other.processor->flush_blocks_at_random(size);
  if (disturbance == Disturbance::cuts) other.scheduler.cut_horizons_at_random(size);
  if (disturbance == Disturbance::snapshot) {
    other.scheduler.run_until(clock.at(1000));
    const auto half = other.saved();
    other.load(other.pristine);
    other.load(half);
    fuzz::expect(other.saved() == half, "a snapshot that is loaded saves as another one");
  }
  finish(other);
  fuzz::expect(pair->plain.saved() == other.saved(), "the run depends on how the host cuts it");
  return 0;
}
