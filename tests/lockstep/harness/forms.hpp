// SPDX-License-Identifier: GPL-2.0-or-later
// The instruction forms that lockstep generates: opcode, group member, operands, and the properties needed for
// comparison. Derived from the manuals' opcode maps (386 PRM appendix A, 486 and Pentium additions), not from planar's
// decoder.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/cpu/x86/model.hpp"

namespace planar::lockstep {

/// Flags that the manuals leave undefined after a form.
enum class Undefined : std::uint8_t {
  // clang-format off
  none, adjust /*AF: logic*/, shift, rotate, double_shift, multiply, divide, decimal /*DAA, DAS*/, ascii /*AAA, AAS*/,
  ascii_multiply /*AAM, AAD*/, bit_test, bit_scan, fpu_compare /*FCOMI: OF, SF and AF, which a P6 clears*/
  // clang-format on
};

/// How the generator prepares the operands, so that execution gets past the first check.
enum class Kind : std::uint8_t {
  plain,
  string,  ///< may get a REP prefix and a small count
  string_io,
  jump,  ///< relative, a short distance forward
  call_near,
  indirect,      ///< FF /2 /4: target in register or memory
  return_near,   ///< C2, C3
  far_pointer,   ///< 9A, EA
  far_indirect,  ///< FF /3 /5
  return_far,    ///< CA, CB, CF
  load_far,      ///< LDS, LES, LFS, LGS, LSS
  selector,      ///< an r/m16 that is a selector: MOV Sreg, LAR, VERR, LLDT, LTR...
  pop_segment,
  pop_flags,
  divide,
  enter,
  port,
  bound,
  control,  ///< MOV to CR0 and CR4, LMSW
  halt,
  fpu,
  shift_count,     ///< CL set to a useful value
  bit_offset,      ///< a bit offset within range
  mmx,             ///< no operand size
  mmx_shift,       ///< the same, with a useful value as the count
  image,           ///< FXSAVE, FXRSTOR
  model_register,  ///< RDMSR, WRMSR: mostly of SYSENTER's registers
  enter_ring0,     ///< SYSENTER
  leave_ring0,     ///< SYSEXIT
};

struct Form {
  std::uint16_t opcode;       ///< 00h..FFh, 0F00h | second byte
  std::int8_t group;          ///< ModRM reg field, or -1: any
  std::string_view operands;  ///< "", or ModRM: M any, m memory, r register; then b w z s immediates, j J relative,
                              ///< o moffs, f far pointer, n ENTER
  Undefined undefined = Undefined::none;
  Kind kind = Kind::plain;
  cpu::Model since = cpu::Model::i386sx;
  bool system =
      false;  ///< may change segments, control registers or tables: everything is compared, then a fresh start

  bool is_mmx() const { return kind == Kind::mmx || kind == Kind::mmx_shift; }
  bool modrm() const { return !operands.empty() && (operands[0] == 'M' || operands[0] == 'm' || operands[0] == 'r'); }
  bool memory_form() const { return modrm() && operands[0] != 'r'; }
  bool register_form() const { return !modrm() || operands[0] != 'm'; }
};

/// All forms, in opcode order.
const std::vector<Form>& forms();
/// "0F BA /4" and so on.
std::string form_name(const Form& form);

}  // namespace planar::lockstep
