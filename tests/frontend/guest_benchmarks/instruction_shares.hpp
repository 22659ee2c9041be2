// SPDX-License-Identifier: GPL-2.0-or-later
// Classifies the instructions that a processor executes, from their bytes: 32-bit code of the 386's integer set.
#pragma once

#include <cstdint>

#include "core/cpu/cpu.hpp"

namespace planar {

struct InstructionShares {
  std::uint64_t all = 0;
  std::uint64_t memory = 0;    ///< explicit memory operand read or written (LEA has none)
  std::uint64_t stack = 0;     ///< PUSH, POP, LEAVE
  std::uint64_t branches = 0;  ///< jumps, conditional or not, LOOP
  std::uint64_t calls = 0;     ///< CALL and RET
  std::uint64_t strings = 0;   ///< REP counted once
  double percent(std::uint64_t count) const { return 100.0 * static_cast<double>(count) / static_cast<double>(all); }

  /// Counts the instruction at `eip` (flat addressing).
  void count(const cpu::Cpu& cpu, std::uint32_t eip) {
    auto byte = [&](std::uint32_t n) { return cpu.peek_linear(eip + n).value_or(0); };
    std::uint32_t at = 0;
    while (byte(at) == 0x66 || byte(at) == 0xF2 || byte(at) == 0xF3) ++at;
    const unsigned op = byte(at), modrm = byte(at + 1);
    ++all;
    const bool memory_form = modrm < 0xC0;
    if (op == 0x0F) {
      if (modrm >= 0x80 && modrm <= 0x8F)
        ++branches;
      else if (byte(at + 2) < 0xC0)
        ++memory;  // all other 0F opcodes of the programs have a ModRM byte
    } else if ((op >= 0x70 && op <= 0x7F) || (op >= 0xE0 && op <= 0xE3) || op == 0xE9 || op == 0xEB) {
      ++branches;
    } else if (op == 0xE8 || op == 0xC3 || op == 0xC2) {
      ++calls;
    } else if (op == 0xFF && (modrm >> 3 & 7) == 4) {
      ++branches;
      if (memory_form) ++memory;
    } else if ((op >= 0x50 && op <= 0x61) || op == 0x68 || op == 0x6A || op == 0xC9) {
      ++stack;
    } else if ((op >= 0xA4 && op <= 0xA7) || (op >= 0xAA && op <= 0xAF)) {
      ++strings;
    } else if (op >= 0xA0 && op <= 0xA3) {
      ++memory;
    } else if (memory_form && has_modrm(op)) {
      ++memory;
    }
  }

 private:
  static bool has_modrm(unsigned op) {
    if (op < 0x40) return (op & 7) < 4;
    return op == 0x69 || op == 0x6B || (op >= 0x80 && op <= 0x8B) || op == 0xC0 || op == 0xC1 || op == 0xC6 ||
           op == 0xC7 || (op >= 0xD0 && op <= 0xD3) || op == 0xF6 || op == 0xF7 || op == 0xFE || op == 0xFF;
  }
};

}  // namespace planar
