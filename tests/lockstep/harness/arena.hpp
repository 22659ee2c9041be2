// SPDX-License-Identifier: GPL-2.0-or-later
// The environment of generated code: a board and a Unicorn with the same 1 MB + 64 KB of memory, descriptor tables,
// page tables and vectors. Every vector points to a separate address at which nothing is executed.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/common/random.hpp"
#include "core/lockstep/unicorn_cpu.hpp"
#include "core/state/trace.hpp"
#include "core/time/scheduler.hpp"

namespace planar::lockstep {

using cpu::Model;
using cpu::Registers;

enum : unsigned { EAX, ECX, EDX, EBX, ESP, EBP, ESI, EDI };
enum : unsigned { ES, CS, SS, DS, FS, GS };
inline constexpr std::uint32_t cr4_pse = 0x10, cr4_pge = 0x80;
inline constexpr std::uint8_t entry_marks = 0x60;  ///< accessed and dirty bits of a page table entry
inline constexpr std::uint32_t sysenter_cs = 0x174, sysenter_esp = 0x175, sysenter_eip = 0x176;

enum class Mode : std::uint8_t { real, v86, protected16, user16, protected32, user32 };
inline constexpr unsigned mode_count = 6;
inline constexpr std::array<const char*, mode_count> mode_names{"real", "v86", "pm16", "pm16r3", "pm32", "pm32r3"};
inline constexpr std::array<const char*, 4> model_names{"386", "486", "pentium", "p6"};
inline constexpr std::array<Model, 4> models{Model::i386sx, Model::i486sx, Model::pentium, Model::p6};
constexpr bool is_wide(Mode m) { return m == Mode::protected32 || m == Mode::user32; }
constexpr bool is_16bit_stack(Mode m) { return !is_wide(m); }
constexpr bool is_ring3(Mode m) { return m == Mode::v86 || m == Mode::user16 || m == Mode::user32; }

// Memory, physical and (except for a few pages) linear.
/// If CR4.PSE is set, linear addresses from 4 MB on are in this many 4 MB pages, each mapped to the first 4 MB.
inline constexpr std::uint32_t large_page = 0x400000, large_pages = 6;
inline constexpr std::uint32_t memory_bytes = 0x110000, idt_at = 0x1000, page_directory_at = 0x2000,
                               page_table_at = 0x3000, tss_at = 0x4000, gdt_at = 0x7000, ldt_at = 0x7800,
                               ring0_stack_at = 0x9000, tables_end = 0x8000, code_at = 0x10000, code_end = 0x20000,
                               data_at = 0x20000, stack_at = 0x40000;
// Selectors. 16-bit segments have their bases at the areas above.
inline constexpr std::uint16_t code32 = 0x08, data32 = 0x10, user_code32 = 0x1B, user_data32 = 0x23, code16 = 0x28,
                               data16 = 0x30, stack16 = 0x38, tss_selector = 0x40, ldt_selector = 0x48,
                               user_code16 = 0x53, user_data16 = 0x5B, user_stack16 = 0x63, call_gate = 0x6B,
                               free_tss = 0x70, not_present = 0x78, read_only = 0x83, execute_only = 0x8B,
                               conforming = 0x90, expand_down = 0x9B, local_data = 0x07;
/// Offset of vector v's handler: real mode and protected mode.
inline constexpr std::uint32_t real_handlers = 0xF800, handlers = 0xFFFF0000u;

struct ArenaPins : cpu::Pins {
  Time done(Time start) { return start + Time{100'000}; }
  static std::uint32_t port_value(std::uint16_t port, unsigned bytes) {
    return (port * 0x01010101u ^ 0x5A3C96E1u) & (bytes == 4 ? 0xFFFFFFFFu : (1u << 8 * bytes) - 1);
  }
  cpu::Cycle io_read(std::uint16_t port, unsigned bytes, Time start) override {
    return {port_value(port, bytes), done(start)};
  }
  Time io_write(std::uint16_t port, unsigned bytes, std::uint32_t v, Time start) override {
    written = {port, bytes, v};
    return done(start);
  }
  cpu::Cycle memory_read(std::uint32_t, unsigned, Time start) override { return {0xFFFFFFFFu, done(start)}; }
  Time memory_write(std::uint32_t, unsigned, std::uint32_t, Time start) override { return done(start); }
  cpu::Cycle acknowledge_interrupt(Time start) override { return {0xFF, done(start)}; }
  void shutdown(Time) override {}
  void fpu_error(bool, Time) override {}
  std::array<std::uint32_t, 3> written{};
};

class Arena : public ExternalBus {
 public:
  explicit Arena(Model model);

  /// Segments, tables and control registers as the mode requires; the rest is 0, with ESP in the stack and EIP at the
  /// code.
  Registers plain(Mode mode) const;
  /// A start state: segments, tables and control registers as the mode requires, the rest random.
  Registers initial(Mode mode, Random& random) const;
  cpu::Fpu initial_fpu(Random& random) const;
  /// Loads the state into both processors.
  void set(const Registers& registers);
  /// Restores the tables and clears all other memory.
  void clear();
  /// Fills everything above the code with new contents and restores the tables.
  void fill(Random& random);
  /// Restores the tables; returns true if they had been changed.
  bool restore_tables();
  /// Copies planar's memory to Unicorn.
  void copy_memory() { theirs = ours; }

  /// Linear address of EIP.
  static std::uint32_t linear(const Registers& r) { return r.segment[CS].base + r.eip; }
  /// The vector whose handler EIP points to, or -1.
  static int vector_at(const Registers& r);

  Model model;
  Scheduler scheduler;
  AddressSpace space;
  ArenaPins pins;
  Trace trace;
  std::vector<std::uint8_t> ours, theirs;
  std::unique_ptr<cpu::Cpu> processor;
  UnicornCpu unicorn;
  std::array<std::uint32_t, 3> port_written{};

  std::uint32_t port_read(std::uint16_t port, unsigned bytes) override { return ArenaPins::port_value(port, bytes); }
  void port_write(std::uint16_t port, unsigned bytes, std::uint32_t v) override { port_written = {port, bytes, v}; }
  std::uint32_t memory_read(std::uint32_t, unsigned) override { return 0xFFFFFFFFu; }
  void memory_write(std::uint32_t, unsigned, std::uint32_t) override {}

 private:
  void build_tables();
  void write_model_register(std::uint32_t number, std::uint32_t value);
  cpu::SegmentView segment(std::uint16_t selector) const;
  std::vector<std::uint8_t> tables_;
};

void put16(std::vector<std::uint8_t>& memory, std::uint32_t at, std::uint32_t v);
void put32(std::vector<std::uint8_t>& memory, std::uint32_t at, std::uint32_t v);
std::uint32_t get(const std::vector<std::uint8_t>& memory, std::uint32_t at, unsigned bytes);

}  // namespace planar::lockstep
