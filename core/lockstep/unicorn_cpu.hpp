// SPDX-License-Identifier: GPL-2.0-or-later
// Unicorn as a second processor: executes one instruction at a time, with the complete state as input and output and no
// timing.
//
// Usage, for generated code and for a machine's run alike: provide memory (map) and the interpreter's state
// (set_registers, set_fpu), then step() both for each instruction and compare. The interpreter leads:
//
// - Unicorn delivers nothing. step() reports an exception with vector and error code and leaves the registers as they
//   were before the instruction (after INT n, INT3 and INTO: with EIP after it). Let the interpreter deliver it, copy
//   what it pushed (memory is the caller's) and adopt its registers with set_registers(). The same applies to
//   interrupts, NMI, task switches and all other external events.
// - Ports and unmapped memory are read from ExternalBus, which replays what the interpreter saw.
// - After writing memory that may hold code, the caller must call invalidate_code(); after writing page tables, or for
//   the effect of INVLPG and MOV CR3, flush_tlb(). set_registers() flushes the TLB when CR0, CR3 or CR4 change.
//
// Limitations of Unicorn 2.1.4, each found by experiment (the lockstep masks refer to them where they apply): segment
// limits, the I/O permission bitmap and alignment are not checked; debug registers trap nothing; there is no 386 model
// (AC and ID can be toggled); HLT ends like any other instruction; there is no shutdown. Transcendental x87
// instructions are computed in double precision.
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

/// Ports, device memory and unmapped memory, as accessed by Unicorn.
class ExternalBus {
 public:
  virtual ~ExternalBus() = default;
  virtual std::uint32_t port_read(std::uint16_t port, unsigned bytes) = 0;
  virtual void port_write(std::uint16_t port, unsigned bytes, std::uint32_t value) = 0;
  /// For device ranges (map_device); `bytes` is 1, 2 or 4.
  virtual std::uint32_t memory_read(std::uint32_t address, unsigned bytes) = 0;
  virtual void memory_write(std::uint32_t address, unsigned bytes, std::uint32_t value) = 0;
};

/// The outcome of one instruction.
struct StepResult {
  enum class Kind : std::uint8_t {
    done,
    exception,  ///< `vector`, `error`; nothing was delivered
    unmapped,   ///< it accessed physical memory that is neither mapped nor a device: the instruction had no effect
  };
  Kind kind = Kind::done;
  std::uint8_t vector = 0;
  std::uint16_t error = 0;    ///< of vectors 8, 10 to 14 and 17
  bool software = false;      ///< INT n, INT3, INTO: EIP is after the instruction
  std::uint32_t address = 0;  ///< physical, for `unmapped`
};

/// A store to mapped memory.
struct Store {
  std::uint32_t address;  ///< physical
  std::uint32_t bytes;
  std::array<std::uint8_t, 16> before{};  ///< previous contents
};

class UnicornCpu {
 public:
  /// Throws Error if this Unicorn's register file has an unknown layout.
  explicit UnicornCpu(cpu::Model model, ExternalBus* bus = nullptr);
  ~UnicornCpu();
  UnicornCpu(const UnicornCpu&) = delete;
  UnicornCpu& operator=(const UnicornCpu&) = delete;

  /// Maps physical memory in whole pages. It is used in place and must outlive this object.
  void map(std::uint32_t base, std::span<std::uint8_t> memory, bool writable = true);
  /// Directs every access to [base, base + size) to ExternalBus.
  void map_device(std::uint32_t base, std::uint32_t size);
  void unmap(std::uint32_t base, std::uint32_t size);

  /// Everything except the x87, with descriptor caches as given. RF is dropped, since it never outlives an instruction.
  /// DR7's breakpoints are stored but trap nothing.
  void set_registers(const cpu::Registers& registers);
  cpu::Registers registers() const;
  void set_fpu(const cpu::Fpu& fpu);
  /// Stack, control, status and tags; error_line, ignore_error and stopped keep their defaults.
  cpu::Fpu fpu() const;

  /// The registers that most instructions change, cheaper than the full set.
  struct Core {
    std::uint32_t gpr[8];
    std::uint32_t eip;
    std::uint32_t eflags;
  };
  Core core() const;
  void set_core(const Core& core);

  /// Executes one instruction. A REP instruction does one iteration, as in cpu::Cpu::step(), and leaves EIP before it
  /// until the last one. Whatever prevents the next instruction from being fetched is not reported as a fault of this
  /// one.
  StepResult step();
  /// Runs continuously. `boundary` is called before each instruction (and each iteration of a REP, and once more after
  /// the last one) with its linear address; returning false ends the run before it. It may use core(), registers(),
  /// fpu(), stores() and set_fpu(). Returns what ended the run. After an exception the arithmetic flags are not
  /// reliable (those read before the instruction are). Cheaper than step(), because code is translated in whole blocks.
  StepResult run(std::function<bool(std::uint32_t)> boundary);
  /// The stores since the last step(), run() or clear_stores(), in order. They include accessed and dirty bits of
  /// descriptors, but not those of page tables.
  std::span<const Store> stores() const;
  void clear_stores();

  /// The caller has written code in [physical, physical + bytes).
  void invalidate_code(std::uint32_t physical, std::uint32_t bytes);
  void flush_tlb();
  /// Off: forces physical address bit 20 to 0.
  void set_a20(bool on);
  /// Discards all translated code.
  void flush_code();

 private:
  struct Private;
  std::unique_ptr<Private> p_;
};

}  // namespace planar::lockstep
