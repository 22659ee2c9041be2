// SPDX-License-Identifier: GPL-2.0-or-later
// Unicorn as a second processor: one instruction at a time, the whole state in and out, no timing.
//
// How it is used, for generated code and for a machine's run alike: give it memory (map), the interpreter's state
// (set_registers, set_fpu), then for each instruction step() both and compare. The interpreter leads:
//
//   - Unicorn delivers nothing. step() reports an exception with vector and error code and leaves the registers as they
//     were before the instruction (after INT n, INT3 and INTO: with EIP behind it). Let the interpreter deliver it,
//     copy what it pushed (memory is the caller's) and adopt its registers with set_registers(). The same goes for
//     interrupts, NMI, task switches and everything else that comes from outside.
//   - Ports and unmapped memory are asked from Outside, which replays what the interpreter saw.
//   - After the caller itself wrote memory that may hold code: invalidate_code(). After it wrote page tables, or INVLPG
//     and MOV CR3 semantics are wanted: flush_tlb(). set_registers() flushes it when CR0, CR3 or CR4 change.
//
// What Unicorn 2.1.4 does not do (each found by trial; the lockstep masks name them again where they apply): segment
// limits and the I/O permission bitmap are not checked, alignment is not, debug registers trap nothing; it has no 386
// model (AC and ID toggle); HLT ends like any instruction; there is no shutdown. Transcendental x87 instructions are
// computed in double precision.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/cpu/cpu.hpp"
#include "core/cpu/fpu/fpu.hpp"

namespace planar::lockstep {

/// What lies outside Unicorn's memory.
class Outside {
 public:
  virtual ~Outside() = default;
  virtual std::uint32_t port_read(std::uint16_t port, unsigned bytes) = 0;
  virtual void port_write(std::uint16_t port, unsigned bytes, std::uint32_t value) = 0;
  /// Device ranges (map_device); `bytes` is 1, 2 or 4.
  virtual std::uint32_t memory_read(std::uint32_t address, unsigned bytes) = 0;
  virtual void memory_write(std::uint32_t address, unsigned bytes, std::uint32_t value) = 0;
};

/// What became of one instruction.
struct StepResult {
  enum class Kind : std::uint8_t {
    done,
    exception,  ///< `vector`, `error`; nothing was delivered
    unmapped,   ///< it touched physical memory that is neither mapped nor a device: the instruction did not happen
  };
  Kind kind = Kind::done;
  std::uint8_t vector = 0;
  std::uint16_t error = 0;    ///< of vectors 8, 10 to 14 and 17
  bool software = false;      ///< INT n, INT3, INTO: EIP stands behind the instruction
  std::uint32_t address = 0;  ///< physical, for `unmapped`
};

/// A store to mapped memory.
struct Store {
  std::uint32_t address;  ///< physical
  std::uint32_t bytes;
  std::array<std::uint8_t, 16> before{};  ///< what stood there
};

class UnicornCpu {
 public:
  /// Throws Error if this Unicorn's register file is laid out in a way this class does not know.
  explicit UnicornCpu(cpu::Model model, Outside* outside = nullptr);
  ~UnicornCpu();
  UnicornCpu(const UnicornCpu&) = delete;
  UnicornCpu& operator=(const UnicornCpu&) = delete;

  /// Physical memory in whole pages, used in place: it must outlive this object.
  void map(std::uint32_t base, std::span<std::uint8_t> memory, bool writable = true);
  /// Every access to [base, base + size) goes to Outside.
  void map_device(std::uint32_t base, std::uint32_t size);
  void unmap(std::uint32_t base, std::uint32_t size);

  /// Everything but the x87, descriptor caches as given. RF is dropped: it never outlives an instruction. DR7's
  /// breakpoints are kept as a value and trap nothing.
  void set_registers(const cpu::Registers& registers);
  cpu::Registers registers() const;
  void set_fpu(const cpu::Fpu& fpu);
  /// Stack, control, status and tags; error_line, ignore_error and stopped stay at their defaults.
  cpu::Fpu fpu() const;

  /// The registers most instructions change, without the cost of the rest.
  struct Core {
    std::uint32_t gpr[8];
    std::uint32_t eip;
    std::uint32_t eflags;
  };
  Core core() const;
  void set_core(const Core& core);

  /// One instruction. A REP instruction does one iteration, as cpu::Cpu::step() does, and leaves EIP in front of it
  /// until the last.
  StepResult step();
  /// Runs on: `boundary` is called in front of each instruction (and each iteration of a REP, and once more behind the
  /// last one) with its linear address; false ends the run in front of it. Inside, core(), registers(), fpu(), stores()
  /// and set_fpu() may be used. Returns what ended it; behind an
  /// exception the arithmetic flags are not reliable (those read in front of the instruction are). Cheaper than step():
  /// code is translated in whole blocks.
  StepResult run(std::function<bool(std::uint32_t)> boundary);
  /// What was stored since the last step(), run() or clear_stores(), in order. Accessed and dirty bits of descriptors
  /// are in it, those of page tables not.
  std::span<const Store> stores() const;
  void clear_stores();

  /// Code in [physical, physical + bytes) was written by the caller.
  void invalidate_code(std::uint32_t physical, std::uint32_t bytes);
  void flush_tlb();
  /// Off forces physical address bit 20 to 0.
  void set_a20(bool on);
  /// Forgets all translated code.
  void flush_code();

 private:
  struct Private;
  std::unique_ptr<Private> p_;
};

}  // namespace planar::lockstep
