// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/cpu/fpu/fpu.hpp"

#include "core/cpu/exec/fpu/fpu_instructions.hpp"
#include "core/cpu/x86/features.hpp"

namespace planar::cpu {

namespace {

// Nothing responds on the coprocessor's ports: status and control read as ones.
void without_fpu(Engine& c, const Op& op) {
  const unsigned escape = op.opcode & 7;
  if (op.has_memory) {
    if ((escape == 1 || escape == 5) && op.reg == 7)
      c.write<std::uint16_t>(op.segment, c.effective_address(op), 0xFFFF);
  } else if (escape == 7 && op.modrm == 0xE0) {
    c.set<std::uint16_t>(EAX, 0xFFFF);
  }
}

/// FERR#: signals the pending exception to the planar.
void drive_error(Engine& c) {
  const bool level = c.fpu.pending() && !(c.cr0 & cr0_ne);
  if (level == c.fpu.error_line) return;
  c.fpu.error_line = level;
  c.pins.fpu_error(level, c.now());
}

enum class Action : std::uint8_t { undefined, control, load, store, arithmetic, registers };

/// Instructions that do not wait for a pending exception.
bool never_waits(const Op& op) {
  const unsigned escape = op.opcode & 7;
  if (op.has_memory) return (escape == 1 && op.reg >= 6) || (escape == 5 && op.reg >= 6);
  return (escape == 3 && op.modrm >= 0xE0 && op.modrm <= 0xE4) || (escape == 7 && op.modrm == 0xE0);
}

Action memory_action(const Op& op) {
  using enum Action;
  // By reg field, for D9, DB, DD, DF; D8, DA, DC, DE compute with a memory operand.
  static constexpr Action odd[4][8] = {
      {load, undefined, store, store, control, control, control, control},
      {load, undefined, store, store, undefined, load, undefined, store},
      {load, undefined, store, store, control, undefined, control, control},
      {load, undefined, store, store, load, load, store, store},
  };
  const unsigned escape = op.opcode & 7;
  return escape & 1 ? odd[escape >> 1][op.reg] : arithmetic;
}

/// FCMOVcc, FCOMI, FUCOMI, and the last two with a pop.
bool works_with_flags(unsigned escape, unsigned modrm) {
  const unsigned group = modrm >> 3 & 7;
  switch (escape) {
    case 2: return group <= 3;
    case 3: return group <= 3 || group == 5 || group == 6;
    case 7: return group == 5 || group == 6;
    default: return false;
  }
}

bool defined_register_form(Model model, unsigned escape, unsigned modrm) {
  if (works_with_flags(escape, modrm) && has_cmov(model)) return true;
  const unsigned group = modrm >> 3 & 7, i = modrm & 7;
  switch (escape) {
    case 0:
    case 4: return true;
    case 1:
      switch (group) {
        case 2: return i == 0;                                // FNOP
        case 4: return i == 0 || i == 1 || i == 4 || i == 5;  // FCHS FABS FTST FXAM
        case 5: return i != 7;                                // constants
        default: return true;
      }
    case 2: return modrm == 0xE9;  // FUCOMPP
    case 3: return modrm >= 0xE0 && modrm <= 0xE4;
    case 5: return group <= 5;                   // FFREE FXCH4 FST FSTP FUCOM FUCOMP
    case 6: return group != 3 || i == 1;         // FCOMPP
    default: return group < 4 || modrm == 0xE0;  // FFREEP FXCH7 FSTP8 FSTP9, FNSTSW AX
  }
}

void control_memory(Engine& c, const Op& op) {
  if ((op.opcode & 7) == 1) {
    switch (op.reg) {
      case 4: fpu_load_environment(c, op); break;
      case 5: fpu_load_control(c, op); break;
      case 6: fpu_store_environment(c, op); break;
      default: fpu_store_control(c, op); break;
    }
  } else {
    switch (op.reg) {
      case 4: fpu_restore(c, op); break;
      case 6: fpu_save(c, op); break;
      default: fpu_store_status(c, op); break;
    }
  }
}

void arithmetic_memory(Engine& c, const Op& op) {
  const FpuSource source = fpu_read_source(c, op);
  fpu_note_pointers(c, op);
  if (op.reg == 2 || op.reg == 3)
    fpu_compare_memory(c.fpu, source, op.reg == 3);
  else
    fpu_arithmetic_memory(c.fpu, op.reg, source);
}

/// Executes register forms that change no pointer; false if `op` is not one.
bool control_register(Engine& c, const Op& op) {
  Fpu& f = c.fpu;
  switch ((op.opcode & 7u) << 8 | op.modrm) {
    case 0x3E0:
    case 0x3E1:
    case 0x3E4: return true;                                       // FENI, FDISI, FSETPM: ignored since the 387
    case 0x3E2: f.status &= 0x7F00; return true;                   // FNCLEX
    case 0x3E3: f.initialise(); return true;                       // FNINIT
    case 0x7E0: c.set<std::uint16_t>(EAX, f.status); return true;  // FNSTSW AX
    default: return false;
  }
}

void d9_register(Fpu& f, unsigned modrm) {
  const unsigned i = modrm & 7;
  switch (modrm >> 3 & 7) {
    case 0: fpu_load_register(f, i); return;
    case 1: fpu_exchange(f, i); return;
    case 2: return;                          // FNOP
    case 3: fpu_move_and_pop(f, i); return;  // FSTP1
    case 5: fpu_load_constant(f, i); return;
    default: break;
  }
  switch (modrm) {
    case 0xE0: fpu_change_sign(f); break;
    case 0xE1: fpu_absolute(f); break;
    case 0xE4: fpu_test(f); break;
    case 0xE5: fpu_examine(f); break;
    case 0xF0: fpu_exp2_minus_1(f); break;
    case 0xF1: fpu_y_log2_x(f, false); break;
    case 0xF2: fpu_tangent(f); break;
    case 0xF3: fpu_arc_tangent(f); break;
    case 0xF4: fpu_extract(f); break;
    case 0xF5: fpu_remainder(f, true); break;
    // clang-format off
    case 0xF6: f.set_c1(false); f.set_top(f.top() - 1); break;  // FDECSTP
    case 0xF7: f.set_c1(false); f.set_top(f.top() + 1); break;  // FINCSTP
    // clang-format on
    case 0xF8: fpu_remainder(f, false); break;
    case 0xF9: fpu_y_log2_x(f, true); break;
    case 0xFA: fpu_square_root(f); break;
    case 0xFB: fpu_sine_cosine(f); break;
    case 0xFC: fpu_round(f); break;
    case 0xFD: fpu_scale(f); break;
    case 0xFE: fpu_sine_or_cosine(f, false); break;
    default: fpu_sine_or_cosine(f, true); break;
  }
}

void on_registers(Fpu& f, unsigned escape, unsigned modrm) {
  const unsigned group = modrm >> 3 & 7, i = modrm & 7;
  switch (escape) {
    // clang-format off
    case 0: case 4: case 6:
      if (group == 2) fpu_compare_register(f, i, false, escape == 6 ? 1 : 0);
      else if (group == 3) fpu_compare_register(f, i, false, escape == 6 ? 2 : 1);
      else fpu_arithmetic_register(f, group, i, escape == 0, escape == 6);
      // clang-format on
      break;
    case 1: d9_register(f, modrm); break;
    case 2: fpu_compare_register(f, 1, true, 2); break;
    case 5:
      switch (group) {
        case 0:
          f.set_c1(false);
          f.free(i);
          break;
        case 1: fpu_exchange(f, i); break;
        case 2: fpu_store_register(f, i, false); break;
        case 3: fpu_store_register(f, i, true); break;
        case 4: fpu_compare_register(f, i, true, 0); break;
        default: fpu_compare_register(f, i, true, 1); break;
      }
      break;
    default:
      switch (group) {
        case 0:  // FFREEP
          f.set_c1(false);
          f.free(i);
          f.pop();
          break;
        case 1: fpu_exchange(f, i); break;
        default: fpu_store_register(f, i, true); break;
      }
      break;
  }
}

void on_flags(Engine& c, unsigned escape, unsigned modrm) {
  const unsigned group = modrm >> 3 & 7, i = modrm & 7;
  if (group <= 3)
    fpu_conditional_move(c, group, escape == 3, i);
  else
    fpu_compare_to_flags(c, i, group == 5, escape == 7);
}

}  // namespace

bool fpu_wait_for_error(Engine& c, const Op& op) {
  if (!c.fpu.pending()) return false;
  if (c.cr0 & cr0_ne) raise(vec_mf);
  drive_error(c);
  if (c.fpu.ignore_error) return false;
  // The processor stays at the instruction until it is interrupted.
  c.eip -= op.length;
  --c.instructions;
  c.step_armed = false;
  c.fpu.stopped = true;
  c.attend(attend_halted);
  return true;
}

void fpu_note_pointers(Engine& c, const Op& op) {
  Fpu& f = c.fpu;
  f.opcode = static_cast<std::uint16_t>((op.opcode & 7u) << 8 | op.modrm);
  f.instruction_selector = c.seg[CS].selector;
  f.instruction_offset = c.eip - op.length;
  if (!op.has_memory) return;
  f.operand_selector = c.seg[op.segment].selector;
  f.operand_offset = c.effective_address(op);
}

void fpu_wait(Engine& c, const Op& op) {
  if ((c.cr0 & (cr0_mp | cr0_ts)) == (cr0_mp | cr0_ts)) raise(vec_nm);
  if (c.config.fpu) fpu_wait_for_error(c, op);
}

void fpu_escape(Engine& c, const Op& op) {
  if (c.cr0 & (cr0_em | cr0_ts)) raise(vec_nm);
  if (!c.config.fpu) {
    without_fpu(c, op);
    return;
  }
  const unsigned escape = op.opcode & 7;
  const Action action = op.has_memory                                      ? memory_action(op)
                        : defined_register_form(c.model, escape, op.modrm) ? Action::registers
                                                                           : Action::undefined;
  if (action == Action::undefined) raise(vec_ud);
  if (!never_waits(op) && fpu_wait_for_error(c, op)) return;
  c.timing.spend(fpu_extra_clocks(c.model, op, c.fpu.environment().precision));
  switch (action) {
    case Action::control: control_memory(c, op); break;
    case Action::load: fpu_load(c, op); break;
    case Action::store: fpu_store(c, op); break;
    case Action::arithmetic: arithmetic_memory(c, op); break;
    default:
      if (control_register(c, op)) break;
      fpu_note_pointers(c, op);
      if (works_with_flags(escape, op.modrm))
        on_flags(c, escape, op.modrm);
      else
        on_registers(c.fpu, escape, op.modrm);
      break;
  }
  drive_error(c);
}

}  // namespace planar::cpu
