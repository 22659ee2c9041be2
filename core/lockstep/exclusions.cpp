// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/lockstep/exclusions.hpp"

namespace planar::lockstep {

using cpu::Model;

namespace {

constexpr std::uint32_t c = 1, p = 4, a = 16, z = 64, s = 128, o = 0x800, all = c | p | a | z | s | o;
constexpr std::uint32_t flag_tf = 0x100;

bool is_escape(const cpu::Op& op) { return op.opcode >= 0xD8 && op.opcode <= 0xDF; }
bool is_double_shift(const cpu::Op& op) {
  return op.opcode == 0x0FA4 || op.opcode == 0x0FA5 || op.opcode == 0x0FAC || op.opcode == 0x0FAD;
}

unsigned shift_count(const cpu::Op& op, const cpu::Registers& before) {
  switch (op.opcode) {
    case 0xD0:
    case 0xD1: return 1;
    case 0xD2:
    case 0xD3:
    case 0x0FA5:
    case 0x0FAD: return before.gpr[1] & 31;
    default: return op.immediate & 31;
  }
}

}  // namespace

Exclusion exclusion(const cpu::Op& op, const cpu::Registers& before, const cpu::CpuConfig& config) {
  if (before.eflags & flag_tf) return Exclusion::single_step;
  switch (op.opcode) {
    // clang-format off
    case 0x0FA2: case 0x0F30: case 0x0F31: case 0x0F32: case 0x0F21: case 0x0F23: case 0x0F24: case 0x0F26: case 0xF1:
    case 0x0F10: case 0x0F11: case 0x0F12: case 0x0F13: case 0x0F33: case 0x0F34: case 0x0F35:
      return Exclusion::chip;
    // clang-format on
    case 0x0F20:
      if (config.model == Model::i386sx && op.reg == 0) return Exclusion::model;
      break;
    case 0x0F01:
      if (config.model == Model::i386sx && op.reg == 4) return Exclusion::model;
      break;
    case 0x61:
      if (config.model == Model::i386sx && op.operand32 && !before.segment[2].big) return Exclusion::erratum;
      break;
    case 0x0FAE:
      if (op.has_memory && op.reg == 0) return Exclusion::fpu_image;
      break;
    case 0xC8:
      if (op.operand32 != before.segment[2].big) return Exclusion::erratum;
      break;
    // clang-format off
    case 0x0FC8: case 0x0FC9: case 0x0FCA: case 0x0FCB: case 0x0FCC: case 0x0FCD: case 0x0FCE: case 0x0FCF:
      // clang-format on
      if (!op.operand32) return Exclusion::undefined;
      break;
    default: break;
  }
  if (is_double_shift(op) && !op.operand32 && shift_count(op, before) > 16) return Exclusion::undefined;
  if (is_escape(op)) {
    if (!config.fpu) return Exclusion::no_fpu;
    const bool image = op.has_memory && ((op.opcode == 0xD9 || op.opcode == 0xDD) && op.reg == 6);
    if (image) return Exclusion::fpu_image;
  }
  return Exclusion::none;
}

std::uint32_t undefined_flags(const cpu::Op& op, const cpu::Registers& before) {
  const unsigned code = op.opcode;
  switch (code) {
    // clang-format off
    case 0x27: case 0x2F: return o;                  // DAA, DAS
    case 0x37: case 0x3F: return o | s | z | p;      // AAA, AAS
    case 0xD4: case 0xD5: return o | a | c;          // AAM, AAD
    case 0x69: case 0x6B: case 0x0FAF: return s | z | a | p;
    case 0xF6: case 0xF7: return op.reg >= 6 ? all : op.reg >= 4 ? s | z | a | p : 0;
    case 0x0FBC: case 0x0FBD: return all & ~z;
    case 0x0FA3: case 0x0FAB: case 0x0FB3: case 0x0FBB: case 0x0FBA: return all & ~c;
    case 0xC0: case 0xC1: case 0xD0: case 0xD1: case 0xD2: case 0xD3: {
      // clang-format on
      const unsigned count = shift_count(op, before);
      if (count == 0) return 0;
      if (op.reg < 4) return count == 1 ? 0 : o;
      const unsigned bits = !(code & 1) ? 8 : op.operand32 ? 32 : 16;
      return a | (count != 1 ? o : 0) | (count >= bits ? c : 0);
    }
    default: break;
  }
  if (is_double_shift(op)) {
    const unsigned count = shift_count(op, before);
    return count == 0 ? 0 : a | (count != 1 ? o : 0);
  }
  // Logical instructions leave AF undefined.
  const unsigned group = code < 0x40 ? code >> 3 : code >= 0x80 && code <= 0x83 ? op.reg : 8;
  const bool logic = (group == 1 || group == 4 || group == 6) && (code >= 0x40 || (code & 7) < 6);
  if (!op.has_memory && (op.modrm >= 0xE8 && op.modrm <= 0xF7) && (code == 0xDB || code == 0xDF))
    return o | s | a;  // FCOMI, FUCOMI: a P6 clears them, Unicorn does not
  const bool test = code == 0x84 || code == 0x85 || code == 0xA8 || code == 0xA9;
  return logic || test ? a : 0;
}

bool undefined_destination(const cpu::Op& op, const cpu::Registers& after) {
  return (op.opcode == 0x0FBC || op.opcode == 0x0FBD) && (after.eflags & z);
}

bool is_mmx(const cpu::Op& op) {
  return (op.opcode >= 0x0F60 && op.opcode <= 0x0F7F) || (op.opcode >= 0x0FD0 && op.opcode <= 0x0FFE);
}

bool far_transfer(const cpu::Op& op) {
  switch (op.opcode) {
    case 0x9A:
    case 0xEA:
    case 0xCA:
    case 0xCB:
    case 0xCF: return true;
    case 0xFF: return op.reg == 3 || op.reg == 5;
    default: return false;
  }
}

bool transcendental(const cpu::Op& op) {
  if (op.opcode != 0xD9 || op.has_memory) return false;
  switch (op.modrm) {
    case 0xF0:
    case 0xF1:
    case 0xF2:
    case 0xF3:
    case 0xF5:
    case 0xF8:
    case 0xF9:
    case 0xFB:
    case 0xFE:
    case 0xFF: return true;
    default: return false;
  }
}

bool unicorn_may_miss(std::uint8_t vector, const cpu::Op* op, const cpu::Registers& before,
                      const cpu::CpuConfig& config, Exclusion& why) {
  why = Exclusion::limits;
  if (vector == 12 || vector == 13 || vector == 17) return true;
  why = Exclusion::model;
  if (vector == 6 && op && config.model < Model::pentium) {
    const unsigned code = op->opcode;
    return code == 0x0F08 || code == 0x0F09 || code == 0x0F01 || code == 0x0FB0 || code == 0x0FB1 || code == 0x0FC0 ||
           code == 0x0FC1 || code == 0x0FC7 || (code >= 0x0FC8 && code <= 0x0FCF) || code == 0x0FA2;
  }
  why = Exclusion::fpu_trap;
  if (vector == 16) return true;
  why = Exclusion::chip;
  return vector == 1 && (before.dr[7] & 0xFF);
}

}  // namespace planar::lockstep
