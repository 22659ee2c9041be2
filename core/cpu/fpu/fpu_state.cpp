// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/cpu/fpu/fpu.hpp"

namespace planar::cpu {

void Fpu::initialise() {
  control = 0x037F;
  status = 0;
  tags = 0xFFFF;
  opcode = 0;
  instruction_offset = operand_offset = 0;
  instruction_selector = operand_selector = 0;
}

void Fpu::summarise() {
  if (status & ~control & 0x3F)
    status |= fpu_summary;
  else
    status &= static_cast<std::uint16_t>(~fpu_summary);
}

void Fpu::set(unsigned i, const Float80& v) {
  const unsigned n = (top() + i) & 7;
  registers[n] = v;
  tags &= static_cast<std::uint16_t>(~(3u << (2 * n)));
}

void Fpu::push(const Float80& v) {
  set_top(top() - 1);
  set(0, v);
}

void Fpu::pop() {
  free(0);
  set_top(top() + 1);
}

std::uint16_t Fpu::tag_word() const {
  unsigned word = 0;
  for (unsigned n = 0; n < 8; ++n) {
    unsigned tag = 3;
    if ((tags >> (2 * n) & 3) != 3) {
      const FloatClass c = classify(registers[n]);
      tag = c == FloatClass::normal ? 0 : c == FloatClass::zero ? 1 : 2;
    }
    word |= tag << (2 * n);
  }
  return static_cast<std::uint16_t>(word);
}

FloatEnvironment Fpu::environment() const {
  // PC: 24, reserved (taken as 64), 53, 64 bits.
  static constexpr std::uint8_t precisions[4] = {24, 64, 53, 64};
  FloatEnvironment env;
  env.rounding = static_cast<Rounding>(control >> 10 & 3);
  env.precision = precisions[control >> 8 & 3];
  env.masks = control & 0x3F;
  return env;
}

bool Fpu::settle(const FloatEnvironment& env) {
  status |= env.raised;
  set_c1(env.rounded_up);
  summarise();
  return !env.stopped();
}

bool Fpu::stack_underflow() {
  status |= float_invalid | fpu_stack_fault;
  set_c1(false);
  summarise();
  return control & float_invalid;
}

bool Fpu::stack_overflow() {
  status |= float_invalid | fpu_stack_fault;
  set_c1(true);
  summarise();
  return control & float_invalid;
}

void Fpu::archive(Archive& a) {
  a.section("fpu", 1);
  a(registers, control, status, tags, opcode, instruction_offset, operand_offset, instruction_selector,
    operand_selector, error_line, ignore_error, stopped);
}

}  // namespace planar::cpu
