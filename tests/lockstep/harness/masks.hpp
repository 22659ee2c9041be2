// SPDX-License-Identifier: GPL-2.0-or-later
// What lockstep does not compare, and why. Everything else is compared.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "tests/lockstep/harness/program.hpp"

namespace planar::lockstep {

enum class Mask : std::uint8_t {
  undefined_flags,
  undefined_result,
  limits,
  rights,
  delivery,
  unmapped,
  absent_flags,
  icebp,
  enter_66,
  access_order,
  fpu_flags,
  fpu_pointers,
  fpu_stack,
  fpu_special,
  transcendental,
  constants,
  bcd,
  cpuid,
  control_bits,
  wide_push,
  smsw,
  cr0_386,
  io_permission,
  arpl,
  wrap,
  pushf_v86,
  popad_386,
  iret_vm,
  ltr_null,
  far_stack,
  enter_probe,
  own_block,
  hooked_flags,
  not_repeated,
  lock_bit_register,
  image_end,
  image_pointers,
  other_msr,
  sysenter,
  cr4_bits,
  count
};
struct MaskReason {
  const char* name;
  const char* reason;
};
inline constexpr std::array<MaskReason, static_cast<unsigned>(Mask::count)> mask_reasons{{
    {"undefined flags", "undefined in the manuals; the values differ between processors"},
    {"undefined result", "SHLD/SHRD of a word by more than 16"},
    {"segment limits", "not checked by Unicorn: #GP and #SS for an offset beyond the limit (16-bit segments)"},
    {"segment rights", "not checked by Unicorn at an access: writes through CS, reads of execute-only segments"},
    {"delivery", "Unicorn delivers nothing: a second exception while the first is delivered (#DF, #SS on the frame)"},
    {"unmapped memory", "Unicorn stops at physical addresses without memory; on the bus they read as ones"},
    // clang-format off
    {"AC, ID", "Unicorn has no 386 (AC does not exist there) and lets ID, VIF and VIP toggle on the 486; never compared if the model has none (not counted)"},
    {"INT1", "F1h is #UD in Unicorn; the chips use the debug trap's vector"},
    {"ENTER with 66h", "Unicorn masks the frame pointer by the operand size"},
    {"order of accesses", "specific to the chip if one instruction makes several accesses: CR2, and W in the error code of a read-modify-write (Unicorn reads first, the chips check for write permission); registers loaded by POPAD before a fault"},
    {"x87 flags", "Unicorn 2.1 sets exception flags and C1 for few instructions"},
    {"x87 pointers", "last instruction and operand: different in Unicorn"},
    {"x87 stack faults", "not detected by Unicorn: an empty register is used, a full one overwritten"},
    {"x87 special operands", "NaNs, denormals and unsupported formats: Unicorn 2.1 keeps signaling NaNs signaling and raises nothing"},
    {"x87 functions", "computed in double precision by Unicorn; tests/core/cpu/fpu/test_fpu_host.cpp compares with the host's x87"},
    {"x87 constants", "Unicorn loads FLDPI and similar constants identically in every rounding mode"},
    {"packed BCD", "FBLD of digits above 9 is undefined; FBSTP of a number that rounds to minus zero loses its sign in Unicorn"},
    // clang-format on
    {"CPUID", "results are specific to the model"},
    {"CR0 combinations", "PG without PE and NW without CD are #GP(0) by the manuals; Unicorn accepts them"},
    {"upper half of a pushed selector", "a 32-bit push of a segment register writes 16 bits on some processors"},
    {"SMSW r32", "the upper half is undefined; Unicorn does not change it"},
    {"SMSW and MOV from CR0, 386", "undefined bits read as ones on a 386; Unicorn has none"},
    {"I/O permission", "not checked by Unicorn: ports beyond the TSS's limit"},
    {"ARPL", "Unicorn writes the selector back even if it is unchanged, and faults on read-only pages"},
    {"wrap within an operand",
     "a far pointer or table pointer at the end of a 64 KB segment: planar wraps its second part, Unicorn does not (or "
     "the limit applies)"},
    {"PUSHFD in V86", "Unicorn pushes VM set; by the manual the image has VM and RF clear"},
    {"POPAD, 386", "the 386 loads the upper half of ESP from the stack in a 16-bit stack segment"},
    {"IRETD with VM outside ring 0", "Unicorn enters V86 from any ring; the chips ignore the bit"},
    {"LTR null", "Unicorn loads it; by the manual it is #GP(0)"},
    {"far transfers in ring 3", "Unicorn accesses the stack of a far call or return with supervisor privilege"},
    {"ENTER's new top of the stack", "the chip checks that it is writable; Unicorn does not access it"},
    {"stores into its own block",
     "Unicorn repeats such an instruction and loses flags; tests/core/cpu covers self-modifying code"},
    {"flags inside a block",
     "not a mask: the instruction was repeated at the start of a block, with equal results (Unicorn loses lazy flags "
     "at a code hook)"},
    {"not repeated",
     "not a mask: a program run again from the same state was equal throughout; planar starts without decoded or "
     "translated code, Unicorn keeps its blocks"},
    {"LOCK of a register's bit",
     "such a program is not run: Unicorn 2.1.4 aborts when it translates LOCK BT, BTS, BTR or BTC with a register, #UD "
     "on the chips; only a jump into the middle of an instruction creates one (counted in programs)"},
    {"end of FXSAVE's image",
     "a processor without SSE leaves it alone, but checks that it could be written; Unicorn does not"},
    {"pointers in FXSAVE's image", "Unicorn stores zeros and loads none"},
    {"other MSRs", "values of the chip; those that it lacks are #GP(0), Unicorn reads zeros and drops what is written"},
    {"SYSENTER",
     "Unicorn leaves it to a hook of the caller's and does nothing itself; #GP(0) in real mode is compared"},
    {"CR4", "of the bits only PSE and PGE are compared: Unicorn takes those that a chip lacks, and never OSFXSR"},
}};

inline constexpr std::uint32_t arithmetic_mask = 0x8D5;

/// Flags that are undefined after the instruction, given the registers before it. `result_undefined` is set if the
/// destination is undefined too.
std::uint32_t undefined_flags(const Instruction& instruction, const Registers& before, bool& result_undefined);

/// Whether `code` contains, at any byte offset, an encoding at which Unicorn aborts (Mask::lock_bit_register).
bool aborts_unicorn(std::span<const std::uint8_t> code);

}  // namespace planar::lockstep
