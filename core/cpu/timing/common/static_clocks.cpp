// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/cpu/timing/common/static_clocks.hpp"

#include "core/cpu/timing/common/instruction_clocks.hpp"

namespace planar::cpu {
namespace {

constexpr std::uint16_t eax = 1, ecx = 2, edx = 4, ebx = 8, esp = 16, ebp = 32, esi = 64, edi = 128, flags = 256;

/// Whether an instruction uses the stack pointer to form an address.
bool uses_stack(std::uint16_t o, unsigned extension) {
  if (o >= 0x50 && o <= 0x61) return true;
  if (o < 0x20) return (o & 7) >= 6 && o != 0x0F;
  switch (o) {
    case 0x68:
    case 0x6A:
    case 0x8F:
    case 0x9A:
    case 0x9C:
    case 0x9D:
    case 0xC2:
    case 0xC3:
    case 0xC8:
    case 0xCA:
    case 0xCB:
    case 0xCF:
    case 0xE8:
    case 0x0FA0:
    case 0x0FA1:
    case 0x0FA8:
    case 0x0FA9: return true;
    case 0xFF: return extension == 2 || extension == 3 || extension == 6;
    default: return false;
  }
}

BranchKind kind_of(std::uint16_t o, unsigned extension) {
  if ((o >= 0x70 && o <= 0x7F) || (o & 0xFFF0) == 0x0F80) return BranchKind::conditional;
  switch (o) {
    case 0xE0:
    case 0xE1: return BranchKind::loop_z;
    case 0xE2: return BranchKind::loop;
    case 0xE3: return BranchKind::jcxz;
    case 0xE8:
    case 0xE9:
    case 0xEB: return BranchKind::direct;
    case 0xC2:
    case 0xC3: return BranchKind::ret;
    case 0x9A:
    case 0xEA:
    case 0xCA:
    case 0xCB:
    case 0xCC:
    case 0xCD:
    case 0xCE:
    case 0xCF:
    case 0xF1: return BranchKind::far;
    case 0xFF:
      if (extension == 2 || extension == 4) return BranchKind::indirect;
      if (extension == 3 || extension == 5) return BranchKind::far;
      return BranchKind::none;
    default: return BranchKind::none;
  }
}

std::uint8_t address_registers(const Op& op, Form form) {
  unsigned set = 0;
  if (op.has_memory) {
    if (op.base < no_register) set |= 1u << op.base;
    if (op.index < no_register) set |= 1u << op.index;
  }
  const std::uint16_t o = op.opcode;
  if (form == Form::string) {
    const unsigned low = o & 0xFE;
    if (low == 0xA4 || low == 0xA6 || low == 0xAC || low == 0x6E) set |= esi;
    if (low == 0xA4 || low == 0xA6 || low == 0xAA || low == 0xAE || low == 0x6C) set |= edi;
  }
  if (o == 0xC9) set |= ebp;
  if (o == 0xD7) set |= ebx | eax;
  if (uses_stack(o, op.extension())) set |= esp;
  return static_cast<std::uint8_t>(set);
}

/// Returns the registers read.
std::uint16_t operand_registers(Op& op, const InstructionRow& row) {
  const bool byte = byte_operand(op.opcode);
  const auto bit = [&](std::uint8_t r) -> unsigned { return 1u << (byte ? r & 3u : r & 7u); };
  const unsigned rm = op.has_memory ? 0u : bit(op.rm);
  const unsigned reg = bit(op.reg);
  const unsigned low = bit(op.rm);
  const unsigned full_reg = 1u << (op.reg & 7);
  unsigned r = 0, w = 0;
  switch (row.form) {
    case Form::none: break;
    // clang-format off
    case Form::rm_reg: r = rm | reg; w = rm | flags; break;
    case Form::reg_rm: r = rm | reg; w = reg | flags; break;
    case Form::rm_reg_test: r = rm | reg; w = flags; break;
    case Form::rm_reg_move: r = reg; w = rm; break;
    case Form::reg_rm_move: r = rm; w = op.opcode == 0x8A ? reg : full_reg; break;
    case Form::reg_address: w = full_reg; break;
    case Form::rm: r = rm; w = rm | flags; break;
    case Form::rm_test: r = rm; w = flags; break;
    case Form::rm_move: w = rm; break;
    case Form::acc: r = eax; w = eax | flags; break;
    case Form::acc_test: r = eax; w = flags; break;
    case Form::acc_move: w = eax; break;
    case Form::acc_store: r = eax; break;
    case Form::low:
      r = low; w = low | flags;
      if (op.opcode >= 0x91 && op.opcode <= 0x97) { r |= eax; w |= eax; }
      // clang-format on
      break;
    case Form::low_test: r = low; break;
    case Form::low_move: w = low; break;
    case Form::exchange: r = w = rm | reg; break;
    case Form::acc_data:
      r = eax | edx;
      w = eax | edx | flags;
      break;
    case Form::string:
      w = op.address_reads;
      if (op.rep || op.repne) w |= ecx;
      if ((op.opcode & 0xFE) == 0xAC) w |= eax;
      r = w | (op.opcode >= 0xAA && op.opcode <= 0xAF ? eax : 0u);
      break;
    case Form::count: r = w = ecx; break;
    case Form::all: w = 0xFF & ~unsigned{esp}; break;
  }
  if (op.opcode == 0xC9) w |= ebp;
  // Inputs that the form does not name: those of shifts by CL and of conditional jumps.
  if ((op.opcode & 0xFFFE) == 0xD2 || op.opcode == 0x0FA5 || op.opcode == 0x0FAD) r |= ecx;
  if (op.branch == BranchKind::conditional) r |= flags;
  // What the first half of a pair must not write, as one mask, so that pairing is one test. Flags never matter.
  op.reads = static_cast<std::uint8_t>((r | w | op.address_reads) & 0xFF);
  op.writes = static_cast<std::uint16_t>(w);
  return static_cast<std::uint16_t>(r & 0xFF);
}

}  // namespace

bool byte_operand(std::uint16_t opcode) {
  if (opcode >= 0x0F00) return (opcode & 0xFFF0) == 0x0F90 || opcode == 0x0FB0 || opcode == 0x0FC0;
  if (opcode < 0x40) return (opcode & 1) == 0;
  if (opcode >= 0xB0 && opcode <= 0xB7) return true;
  switch (opcode) {
    // clang-format off
    case 0x80: case 0x82: case 0x84: case 0x86: case 0x88: case 0x8A: case 0xA0: case 0xA2: case 0xA8: case 0xC0:
    case 0xC6: case 0xD0: case 0xD2: case 0xF6: case 0xFE: return true;
    // clang-format on
    default: return false;
  }
}

StaticForm static_form(Op& op, Model model) {
  StaticForm form;
  form.row = &instruction_row(op);
  const bool repeated = form.row->form == Form::string && (op.rep || op.repne);
  form.memory = op.has_memory;
  form.repeated = repeated;
  if (repeated) form.repeat_clocks = repeat_zero(model, op);
  form.prefixes = op.prefixes - (repeated && op.prefixes > 0 ? 1u : 0u);  // the table includes the REP prefix
  op.branch = kind_of(op.opcode, op.extension());
  op.address_reads = address_registers(op, form.row->form);
  form.sources = operand_registers(op, *form.row);
  return form;
}

}  // namespace planar::cpu
