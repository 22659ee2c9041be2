// SPDX-License-Identifier: GPL-2.0-or-later
// A test board with only a processor and 2 MB of RAM. Code is given as bytes, with the assembler text in comments.
// Every exception vector points to a separate HLT, so that a test can determine which one was taken.
#pragma once

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "core/cpu/cpu.hpp"
#include "core/memory/address_space.hpp"
#include "core/state/trace.hpp"
#include "core/time/scheduler.hpp"
#include "tests/catch.hpp"

namespace planar::cpu_test {

using cpu::Model;
using cpu::Registers;

enum : unsigned { EAX, ECX, EDX, EBX, ESP, EBP, ESI, EDI };
enum : unsigned { ES, CS, SS, DS, FS, GS };

/// Pins of a board whose I/O and memory cycles all take 400 ns.
struct BoardPins : cpu::Pins {
  std::vector<std::pair<std::uint16_t, std::uint32_t>> written;
  std::uint32_t input = 0;
  unsigned vector = 0x20, acknowledged = 0, shutdowns = 0;
  cpu::Cpu* processor = nullptr;
  Scheduler* scheduler = nullptr;
  Time cycle{400'000};
  std::function<void(Time end)> after_memory_write;  ///< the reaction of the device that was written to

  Time done(Time start) {
    const Time end = start + cycle;
    if (scheduler) scheduler->advance(end);
    return end;
  }
  cpu::Cycle io_read(std::uint16_t, unsigned, Time start) override {
    const Time t = done(start);
    return {input, t};
  }
  Time io_write(std::uint16_t port, unsigned, std::uint32_t v, Time start) override {
    written.emplace_back(port, v);
    return done(start);
  }
  cpu::Cycle memory_read(std::uint32_t, unsigned, Time start) override { return {0xFFFFFFFFu, done(start)}; }
  Time memory_write(std::uint32_t, unsigned, std::uint32_t, Time start) override {
    const Time end = done(start);
    if (after_memory_write) after_memory_write(end);
    return end;
  }
  cpu::Cycle acknowledge_interrupt(Time start) override {
    ++acknowledged;
    processor->set_intr(false);
    return {vector, done(start)};
  }
  void shutdown(Time) override { ++shutdowns; }
  std::vector<bool> fpu_errors;  ///< successive levels of FERR#
  void fpu_error(bool level, Time) override { fpu_errors.push_back(level); }
};

// Memory layout.
inline constexpr std::uint32_t gdt_at = 0x3000, ldt_at = 0x3800, idt_at = 0x1000, handlers_at = 0x5000, tss_at = 0x4000,
                               page_directory_at = 0x8000, page_table_at = 0x9000, code_at = 0x10000, data_at = 0x20000,
                               stack_at = 0x40000, ring0_stack_at = 0x48000;
// Selectors of the prepared GDT.
inline constexpr std::uint16_t code0 = 0x08, data0 = 0x10, code3 = 0x1B, data3 = 0x23, tss_selector = 0x28,
                               code16 = 0x30, data16 = 0x38, spare = 0x40;

struct Board {
  Scheduler scheduler;
  AddressSpace space;
  BoardPins pins;
  Trace trace;
  std::vector<std::uint8_t> ram = std::vector<std::uint8_t>(2 << 20);
  std::unique_ptr<cpu::Cpu> processor;
  cpu::Cpu& cpu;

  static cpu::CpuConfig config(Model model) {
    cpu::CpuConfig c;
    c.model = model;
    c.clock = ClockDomain(model == Model::i386sx   ? 20'000'000
                          : model == Model::i486sx ? 33'333'333
                          : model == Model::p6     ? 400'000'000
                                                   : 90'000'000);
    c.fpu = model >= Model::pentium;
    c.timing.model = model;
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
    }
    if (model == Model::p6) {
      c.timing.core_per_bus_num = 4;
      c.timing.l1 = {.bytes = 16384, .ways = 4, .line = 32, .split = true, .write_back = true};
      c.timing.l2 = {.bytes = 512 << 10, .ways = 4};
      c.timing.write_buffers = 8;
    }
    return c;
  }

  explicit Board(Model model = Model::i486sx) : Board(config(model)) {}
  explicit Board(const cpu::CpuConfig& configuration)
      : processor(std::make_unique<cpu::Cpu>(scheduler, space, pins, trace, configuration)), cpu(*processor) {
    pins.processor = &cpu;
    space.map_ram(0, ram);
    for (unsigned v = 0; v < 256; ++v) {
      ram[handlers_at + v] = 0xF4;                                // HLT
      put16(v * 4, static_cast<std::uint16_t>(handlers_at + v));  // real-mode vectors
      gate(idt_at + v * 8, code0, handlers_at + v, 0x8E);
    }
    descriptor(gdt_at + 0x08, 0, 0xFFFFF, 0x9B, 0xC);
    descriptor(gdt_at + 0x10, 0, 0xFFFFF, 0x93, 0xC);
    descriptor(gdt_at + 0x18, 0, 0xFFFFF, 0xFB, 0xC);
    descriptor(gdt_at + 0x20, 0, 0xFFFFF, 0xF3, 0xC);
    descriptor(gdt_at + 0x28, tss_at, 0x2067, 0x8B, 0x0);
    descriptor(gdt_at + 0x30, code_at, 0xFFFF, 0x9B, 0x0);
    descriptor(gdt_at + 0x38, data_at, 0xFFFF, 0x93, 0x0);
    put32(tss_at + 4, ring0_stack_at);
    put16(tss_at + 8, data0);
    put16(tss_at + 0x66, 0x68);
    std::fill_n(&ram[tss_at + 0x68], 0x2000, 0xFF);
    std::fill_n(&ram[handlers_at], 256, 0xF4);
  }

  void put8(std::uint32_t a, std::uint8_t v) { ram[a] = v; }
  void put16(std::uint32_t a, std::uint16_t v) {
    for (int i = 0; i < 2; ++i) ram[a + i] = static_cast<std::uint8_t>(v >> 8 * i);
  }
  void put32(std::uint32_t a, std::uint32_t v) {
    for (int i = 0; i < 4; ++i) ram[a + i] = static_cast<std::uint8_t>(v >> 8 * i);
  }
  std::uint16_t get16(std::uint32_t a) const { return static_cast<std::uint16_t>(ram[a] | ram[a + 1] << 8); }
  std::uint32_t get32(std::uint32_t a) const { return get16(a) | static_cast<std::uint32_t>(get16(a + 2)) << 16; }
  void put(std::uint32_t a, std::initializer_list<unsigned> bytes) {
    for (unsigned b : bytes) ram[a++] = static_cast<std::uint8_t>(b);
  }
  void descriptor(std::uint32_t at, std::uint32_t base, std::uint32_t limit, unsigned access, unsigned flags) {
    put32(at, (limit & 0xFFFF) | base << 16);
    put32(at + 4, (base >> 16 & 0xFF) | access << 8 | (limit & 0xF0000) | flags << 20 | (base & 0xFF000000u));
  }
  void gate(std::uint32_t at, std::uint16_t selector, std::uint32_t offset, unsigned access, unsigned params = 0) {
    put32(at, (offset & 0xFFFF) | std::uint32_t{selector} << 16);
    put32(at + 4, (offset & 0xFFFF0000u) | access << 8 | params);
  }
  cpu::SegmentView segment(std::uint16_t selector) const {
    const std::uint32_t lo = get32(gdt_at + (selector & 0xFFF8)), hi = get32(gdt_at + (selector & 0xFFF8) + 4);
    std::uint32_t limit = (lo & 0xFFFF) | (hi & 0xF0000);
    if (hi & 0x800000) limit = limit << 12 | 0xFFF;
    return {selector, lo >> 16 | (hi & 0xFF) << 16 | (hi & 0xFF000000u), limit, static_cast<std::uint8_t>(hi >> 8),
            (hi & 0x400000) != 0};
  }

  /// Real mode, 1000:0000, data at 2000:0, stack at 4000:8000.
  Board& real(std::initializer_list<unsigned> code) {
    put(code_at, code);
    Registers r;
    const std::uint16_t selectors[6] = {0x2000, 0x1000, 0x4000, 0x2000, 0x2000, 0x2000};
    for (unsigned s = 0; s < 6; ++s) r.segment[s] = {selectors[s], selectors[s] * 16u, 0xFFFF, 0x93, false};
    r.idtr = {0, 0x3FF};
    r.gpr[ESP] = 0x8000;
    r.cr0 = 0x10;
    r.dr[7] = 0x400;
    cpu.set_registers(r);
    return *this;
  }
  /// Flat 32-bit protected mode in the given ring, code at 10000h, paging off.
  Board& flat(std::initializer_list<unsigned> code, unsigned ring = 0) {
    put(code_at, code);
    Registers r;
    for (auto& s : r.segment) s = segment(ring == 3 ? data3 : data0);
    r.segment[CS] = segment(ring == 3 ? code3 : code0);
    r.cpl = ring;
    r.gdtr = {gdt_at, 0x7FF};
    r.idtr = {idt_at, 0x7FF};
    r.tr = {tss_selector, tss_at, 0x2067, 0x8B, false};
    r.ldtr = {0, 0, 0, 0, false};
    r.gpr[ESP] = stack_at;
    r.eip = code_at;
    r.cr0 = 0x11;
    r.dr[7] = 0x400;
    cpu.set_registers(r);
    return *this;
  }
  /// Identity-mapped pages for the 2 MB, all user and writable; then CR0.PG.
  Board& paged(std::initializer_list<unsigned> code, unsigned ring = 0) {
    flat(code, ring);
    put32(page_directory_at, page_table_at | 7);
    for (std::uint32_t i = 0; i < 512; ++i) put32(page_table_at + i * 4, i << 12 | 7);
    change([](Registers& r) {
      r.cr3 = page_directory_at;
      r.cr0 |= 0x80000000u;
    });
    return *this;
  }
  void pte(std::uint32_t linear, std::uint32_t v) { put32(page_table_at + (linear >> 12) * 4, v); }
  std::uint32_t pte(std::uint32_t linear) const { return get32(page_table_at + (linear >> 12) * 4); }

  template <class F>
  void change(F&& f) {
    Registers r = cpu.registers();
    f(r);
    cpu.set_registers(r);
  }
  Board& step(unsigned n = 1) {
    while (n-- > 0) cpu.step();
    return *this;
  }
  /// Runs until HLT or for `span`.
  Board& run(Time span = 1_ms) {
    const Time end = cpu.time() + span;
    while (!cpu.halted() && !cpu.in_shutdown() && cpu.time() < end) cpu.step();
    return *this;
  }
  /// The vector of the exception handler in which the CPU is halted, or -1.
  int vector() const {
    const Registers r = cpu.registers();
    const std::uint32_t linear = r.segment[CS].base + r.eip;
    if (linear >= handlers_at && linear <= handlers_at + 0x100)
      return static_cast<int>(linear - handlers_at - (cpu.halted() ? 1 : 0));
    return -1;
  }
  std::uint32_t reg(unsigned r) const { return cpu.registers().gpr[r]; }
  std::uint32_t flags() const { return cpu.registers().eflags; }
  /// A dword of the current stack, `index` dwords above the top.
  std::uint32_t stack(unsigned index) const {
    const Registers r = cpu.registers();
    return get32(r.segment[SS].base + r.gpr[ESP] + 4 * index);
  }
  std::uint16_t stack16(unsigned index) const {
    const Registers r = cpu.registers();
    return get16(r.segment[SS].base + (r.gpr[ESP] & 0xFFFF) + 2 * index);
  }
  /// Architectural and timing state as a hash.
  std::string hash() {
    Archive a = Archive::saver();
    cpu.archive(a);
    a.bytes(ram);
    return sha256_hex(a.stream());
  }
};

inline constexpr cpu::Model models[] = {cpu::Model::i386sx, cpu::Model::i486sx, cpu::Model::pentium};

}  // namespace planar::cpu_test
