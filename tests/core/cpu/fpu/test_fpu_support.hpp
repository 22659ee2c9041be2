// SPDX-License-Identifier: GPL-2.0-or-later
// One x87 instruction between FRSTOR and FNSAVE, on the emulated Pentium and on the host; random states for both.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

#include "core/common/random.hpp"
#include "core/cpu/fpu/float80.hpp"
#include "tests/core/cpu/machine.hpp"

namespace planar::fpu_test {

using cpu::Float80;

/// The 108 bytes of FNSAVE with 32-bit operands in protected mode.
struct Image {
  std::array<std::uint8_t, 108> bytes{};

  std::uint16_t get16(unsigned at) const { return static_cast<std::uint16_t>(bytes[at] | bytes[at + 1] << 8); }
  void put16(unsigned at, std::uint16_t v) {
    bytes[at] = static_cast<std::uint8_t>(v);
    bytes[at + 1] = static_cast<std::uint8_t>(v >> 8);
  }
  std::uint16_t control() const { return get16(0); }
  std::uint16_t status() const { return get16(4); }
  std::uint16_t tags() const { return get16(8); }
  void set(std::uint16_t control, std::uint16_t status, std::uint16_t tags) {
    put16(0, control);
    put16(4, status);
    put16(8, tags);
  }
  /// ST(i).
  Float80 st(unsigned i) const {
    Float80 v;
    for (unsigned n = 0; n < 8; ++n) v.mantissa |= std::uint64_t{bytes[28 + 10 * i + n]} << (8 * n);
    v.exponent = get16(28 + 10 * i + 8);
    return v;
  }
  void set_st(unsigned i, const Float80& v) {
    for (unsigned n = 0; n < 8; ++n) bytes[28 + 10 * i + n] = static_cast<std::uint8_t>(v.mantissa >> (8 * n));
    put16(28 + 10 * i + 8, v.exponent);
  }
};

using Operand = std::array<std::uint8_t, 16>;

/// An instruction by its two bytes; a ModRM below C0h stands for a memory operand, with only its reg field used.
struct Instruction {
  std::uint8_t opcode, modrm;
  bool memory() const { return modrm < 0xC0; }
  unsigned reg() const { return modrm >> 3 & 7; }
};

/// Every form whose result is determined exactly by RC, PC, masks and operands.
std::vector<Instruction> exact_instructions();

/// A Pentium that executes single x87 instructions.
class Guest {
 public:
  Guest() {
    for (unsigned o = 0xD8; o <= 0xDF; ++o)
      for (unsigned m = 0; m < 256; ++m) {
        const std::uint32_t at = stub(o, m);
        if (m >= 0xC0)
          board_.put(at, {o, m});
        else
          board_.put(at, {o, (m & 0x38) | 5, operand_at & 0xFF, operand_at >> 8 & 0xFF, operand_at >> 16, 0});
        const std::uint32_t after = at + (m >= 0xC0 ? 2 : 6);
        const std::uint32_t distance = save_at - (after + 5);
        board_.put(after, {0xE9, distance & 0xFF, distance >> 8 & 0xFF, distance >> 16 & 0xFF, distance >> 24});
      }
    const std::uint32_t loop = save_at + 16;
    board_.put(save_at, {0xDD, 0x35, out_at & 0xFF, out_at >> 8 & 0xFF, out_at >> 16, 0, 0xEB, 8});  // FNSAVE, JMP loop
    board_.put(loop, {0xDD, 0x25, in_at & 0xFF, in_at >> 8 & 0xFF, in_at >> 16, 0,                   // FRSTOR
                      0xFF, 0x25, target_at & 0xFF, target_at >> 8 & 0xFF, target_at >> 16, 0});     // JMP [target]
    board_.flat({0x90});
    board_.change([&](Registers& r) {
      r.eip = loop;
      r.cr0 |= 0x20;
    });
  }

  void run(Instruction i, Image& image, Operand& operand) {
    std::memcpy(&board_.ram[in_at], image.bytes.data(), image.bytes.size());
    std::memcpy(&board_.ram[operand_at], operand.data(), operand.size());
    board_.put32(target_at, stub(i.opcode, i.modrm));
    board_.step(6);  // FRSTOR, JMP, instruction, JMP, FNSAVE, JMP
    if (board_.cpu.halted() || board_.cpu.in_shutdown()) FAIL("the guest took an exception");
    std::memcpy(image.bytes.data(), &board_.ram[out_at], image.bytes.size());
    std::memcpy(operand.data(), &board_.ram[operand_at], operand.size());
  }
  std::uint16_t ax() const { return static_cast<std::uint16_t>(board_.reg(cpu_test::EAX)); }

 private:
  using Registers = cpu::Registers;
  static constexpr std::uint32_t stubs_at = 0x100000, save_at = 0x18000, in_at = 0x20000, out_at = 0x21000,
                                 operand_at = 0x22000, target_at = 0x23000;
  static std::uint32_t stub(unsigned opcode, unsigned modrm) { return stubs_at + ((opcode & 7) * 256 + modrm) * 16; }
  cpu_test::Board board_{cpu::Model::pentium};
};

/// Values of all classes, often close to each other so that sums cancel and comparisons are equal.
class Values {
 public:
  explicit Values(std::uint64_t seed) : random(seed) {}
  Random random;

  std::uint64_t below(std::uint64_t n) { return random.below(n); }
  std::uint64_t significand() {
    std::uint64_t v = random.next();
    switch (below(8)) {
      case 0: v = std::uint64_t{1} << 63; break;
      case 1: v = ~std::uint64_t{0} << below(63); break;
      case 2: v = std::uint64_t{1} << 63 | std::uint64_t{1} << below(63); break;
      case 3: v &= ~std::uint64_t{0} << below(64); break;
      case 4: v = ~std::uint64_t{0} >> below(63); break;
      default: break;
    }
    return v | std::uint64_t{1} << 63;
  }
  std::uint16_t sign() { return below(2) ? 0x8000 : 0; }
  Float80 with_exponent(int biased) { return {significand(), static_cast<std::uint16_t>(sign() | (biased & 0x7FFF))}; }
  Float80 any() {
    switch (below(20)) {
      case 0: return {0, sign()};
      case 1: return {std::uint64_t{1} << 63, static_cast<std::uint16_t>(sign() | 0x7FFF)};
      case 2: return {random.next() | std::uint64_t{3} << 62, static_cast<std::uint16_t>(sign() | 0x7FFF)};  // QNaN
      case 3: return {(random.next() >> 2 | 1) | std::uint64_t{1} << 63, static_cast<std::uint16_t>(sign() | 0x7FFF)};
      case 4: return {random.next() >> (1 + below(63)), sign()};                       // denormal
      case 5: return {random.next(), sign()};                                          // denormal and pseudo-denormal
      case 6: return {random.next() >> 1, static_cast<std::uint16_t>(random.next())};  // unsupported
      case 7: return with_exponent(1 + static_cast<int>(below(70)));
      case 8: return with_exponent(0x7FFE - static_cast<int>(below(70)));
      case 9: return with_exponent(1 + static_cast<int>(below(0x7FFE)));
      case 10: return with_exponent(16383 - 127 - 30 + static_cast<int>(below(60)));  // near the limits of real32
      case 11: return with_exponent(16383 + 127 - 5 + static_cast<int>(below(10)));
      case 12: return with_exponent(16383 - 1023 - 60 + static_cast<int>(below(120)));  // near the limits of real64
      case 13: return with_exponent(16383 + 1023 - 5 + static_cast<int>(below(10)));
      case 14: {  // integers
        const auto v = static_cast<std::int64_t>(random.next());
        return cpu::from_integer(v >> below(64));
      }
      case 15: return with_exponent(16383 + static_cast<int>(below(3)));
      default: return with_exponent(16383 - 64 + static_cast<int>(below(128)));
    }
  }
  /// RC, PC and masks; three times in four all exceptions are masked.
  std::uint16_t control() {
    const auto modes = static_cast<std::uint16_t>(below(16) << 8);
    return static_cast<std::uint16_t>(0x40 | modes | (below(4) ? 0x3F : below(64)));
  }
  Image state(bool full_stack = false) {
    Image s;
    // Bytes 16 to 27 are pointers; the contents of the reserved words are undefined.
    const std::uint16_t c = control();
    // One random draw per statement: the sequence must not depend on the compiler's order of evaluation.
    const std::uint64_t codes = random.next() & 0x4700;
    const auto condition = static_cast<std::uint16_t>(codes | below(8) << 11);
    // A sticky flag is set only if it is masked, so that no exception is pending.
    const auto sticky = static_cast<std::uint16_t>(below(4) ? 0 : (random.next() & 0x3F & c));
    std::uint16_t tags = 0;
    const auto top = condition >> 11 & 7u;
    for (unsigned i = 0; i < 8; ++i) {
      // ST(7) empty for pushes, the others mostly in use.
      const bool empty = !full_stack && (i >= 6 ? below(8) != 0 : below(24) == 0);
      if (empty) tags |= static_cast<std::uint16_t>(3u << (2 * ((top + i) & 7)));
    }
    s.set(c, static_cast<std::uint16_t>(condition | sticky), tags);
    for (unsigned i = 0; i < 8; ++i) s.set_st(i, any());
    if (below(4) == 0) {  // a close pair
      Float80 v = s.st(0);
      v.mantissa += below(3) - 1;
      if (below(2)) v.exponent ^= 0x8000;
      s.set_st(1, v);
    }
    return s;
  }
  Operand operand(Instruction i) {
    Operand o{};
    for (auto& b : o) b = static_cast<std::uint8_t>(random.next());
    const auto put = [&](std::uint64_t v, unsigned n) {
      for (unsigned k = 0; k < n; ++k) o[k] = static_cast<std::uint8_t>(v >> (8 * k));
    };
    const unsigned special = static_cast<unsigned>(below(3));
    switch (i.opcode) {
      case 0xD8:
      case 0xD9:
        if (special == 0) put(real(23, 8), 4);
        break;
      case 0xDC:
      case 0xDD:
        if (special == 0) put(real(52, 11), 8);
        break;
      case 0xDB:
        if (i.reg() == 5) {
          const Float80 v = any();
          put(v.mantissa, 8);
          o[8] = static_cast<std::uint8_t>(v.exponent);
          o[9] = static_cast<std::uint8_t>(v.exponent >> 8);
        }
        break;
      case 0xDF:
        if (i.reg() == 4)  // decimal digits
          for (unsigned k = 0; k < 9; ++k) {
            const std::uint64_t tens = below(10);
            o[k] = static_cast<std::uint8_t>(tens << 4 | below(10));
          }
        break;
      default: break;
    }
    if (special == 1 && i.opcode != 0xDF) {  // small integers
      const auto v = static_cast<std::int64_t>(random.next());
      put(static_cast<std::uint64_t>(v >> below(64)), 8);
    }
    return o;
  }
  /// Infinities, NaNs, zeros and denormals of a short format.
  std::uint64_t real(unsigned fraction, unsigned exponent) {
    const std::uint64_t largest = (std::uint64_t{1} << exponent) - 1;
    const std::uint64_t bits = random.next() & ((std::uint64_t{1} << fraction) - 1);
    const std::uint64_t s = below(2) << (fraction + exponent);
    switch (below(5)) {
      case 0: return s;
      case 1: return s | largest << fraction;
      case 2: return s | largest << fraction | bits;
      default: return s | bits >> below(fraction);
    }
  }
};

}  // namespace planar::fpu_test
