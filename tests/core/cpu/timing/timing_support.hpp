// SPDX-License-Identifier: GPL-2.0-or-later
// Drives Timing as the executor does, with hand-made instructions.
#pragma once

#include <cstdint>
#include <initializer_list>

#include "core/cpu/timing/timing.hpp"

namespace planar::cpu::timing_test {

/// Typical parameters of the machines, independent of the machine files; the 56 SX has the two wait states of a DRAM
/// miss reported for its class (docs/hardware/memory.md#dram-page-mode).
TimingConfig sx_config();         // 56SX
TimingConfig i486_config();       // 77
TimingConfig pentium_config();    // 95
TimingConfig overdrive_config();  // Pentium OverDrive on a 486 bus
TimingConfig pc_config();         // Pentium 166 with a direct-mapped L2 cache and memory that is shared line by line

// Register numbers as encoded in ModRM.
enum : std::uint8_t { eax, ecx, edx, ebx, esp, ebp, esi, edi };

/// A 32-bit protected-mode instruction without operands.
Op plain(std::uint16_t opcode, std::uint8_t length);
/// Opcode with a register in its low bits (40h..5Fh, B8h..).
Op low(std::uint16_t opcode, std::uint8_t reg, std::uint8_t length = 1);
/// ModRM, register operand; `reg` is also the extension of group opcodes.
Op rr(std::uint16_t opcode, std::uint8_t rm, std::uint8_t reg, std::uint8_t length = 2);
/// ModRM, memory operand [base + index + displacement of `disp_bytes`].
Op rm(std::uint16_t opcode, std::uint8_t reg, std::uint8_t base, std::uint8_t disp_bytes = 0,
      std::uint8_t index = no_register);
/// Adds an immediate of `bytes`.
Op with_immediate(Op op, std::uint8_t bytes);
/// Adds `count` prefix bytes.
Op with_prefixes(Op op, std::uint8_t count);
Op real_mode(Op op);
Op sixteen_bit(Op op);
inline Op jcc() { return plain(0x75, 2); }  // JNZ short

/// A memory location where instructions run consecutively.
class Runner {
 public:
  explicit Runner(const TimingConfig& config, std::uint32_t eip = 0x100000) : timing(config), eip(eip) {}

  Timing timing;
  std::uint32_t eip;

  Op with_clocks(Op op) const {
    timing.set_static_clocks(op);
    return op;
  }
  /// Issues `op` at eip and advances past it; returns the instruction with its cost.
  Op issue(const Op& op);
  void load(const Op& op, std::uint32_t address, unsigned bytes = 4);
  void store(const Op& op, std::uint32_t address, unsigned bytes = 4);
  void modify(const Op& op, std::uint32_t address, unsigned bytes = 4);
  /// A branch: taken to `target`, or not taken.
  void jump(const Op& op, std::uint32_t target);
  void fall_through(const Op& op);
  /// Clocks since the last call of lap().
  std::uint64_t lap();

 private:
  std::uint64_t mark_ = 0;
};

/// Without refresh, sequences take whole clocks.
inline TimingConfig without_refresh(TimingConfig c) {
  c.refresh.period_num = 0;
  return c;
}

}  // namespace planar::cpu::timing_test
