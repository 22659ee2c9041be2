// SPDX-License-Identifier: GPL-2.0-or-later
// What must be equal after an instruction, and the conditions for the masks.
#include "tests/lockstep/harness/compare.hpp"

#include <algorithm>
#include <cstring>

#include "core/cpu/decode/decoder.hpp"

namespace planar::lockstep {

// Whether planar's result within the program equals the one from a clean start, with which Unicorn agreed.
bool Runner::same_as_second(const Mismatch& m) const {
  const Registers again = second_->arena.processor->registers();
  bool result_undefined = false;
  const std::uint32_t mask = ~(flag_rf | undefined_flags(m.instruction, m.before, result_undefined));
  if (again.gpr != m.ours.gpr || again.eip != m.ours.eip || (again.eflags ^ m.ours.eflags) & mask ||
      !same_system(again, m.ours))
    return false;
  for (const Store& s : second_->arena.unicorn.stores())
    if (in_memory(s) && std::memcmp(&arena.ours[s.address], &second_->arena.ours[s.address], s.bytes) != 0)
      return false;
  return true;
}

bool Runner::through_cs(const Instruction& instruction) const {
  const auto first = program_->bytes.begin() + instruction.offset;
  const auto last = first + std::min<unsigned>(instruction.length, 4);  // prefixes come first
  return std::find(first, last, 0x2E) != last;
}

// MOV CR0 with a value that the manuals reject: PG without PE, NW without CD.
bool Runner::refused_cr0(const Instruction& instruction) const {
  const std::uint32_t v = before_.gpr[program_->bytes[instruction.offset + instruction.length - 1u] & 7];
  return (v & 0x80000001u) == 0x80000000u || (v & 0x60000000u) == 0x20000000u;
}

// MOV CR4 with bits other than PSE and a P6's PGE.
bool Runner::sets_other_cr4_bits(const Instruction& instruction) const {
  const std::uint32_t v = before_.gpr[program_->bytes[instruction.offset + instruction.length - 1u] & 7];
  return v & ~(cr4_pse | (arena.model == Model::p6 ? cr4_pge : 0));
}

bool Runner::stores_equal() {
  bool equal = true;
  const Form& form = forms()[program_->instructions[static_cast<std::size_t>(current_)].cell.form];
  const bool pushes_selector = form.opcode == 0x06 || form.opcode == 0x0E || form.opcode == 0x16 ||
                               form.opcode == 0x1E || form.opcode == 0x0FA0 || form.opcode == 0x0FA8;
  for (const Store& s : arena.unicorn.stores()) {
    if (!in_memory(s)) continue;
    if (pushes_selector && s.bytes == 4 &&
        std::memcmp(&arena.ours[s.address + 2], &arena.theirs[s.address + 2], 2) != 0) {
      coverage_.note(Mask::wide_push);
      std::copy_n(&arena.ours[s.address + 2], 2, &arena.theirs[s.address + 2]);
    }
    if (s.address < code_end && s.address + s.bytes > code_at) code_stored_ = true;
    if (s.address < tables_end) tables_stored_ = true;
    equal = equal && std::memcmp(&arena.ours[s.address], &arena.theirs[s.address], s.bytes) == 0;
  }
  if ((thorough_ || trace_memory_) && arena.ours != arena.theirs) return false;
  return equal;
}

// A page fault leaves planar's tables unchanged. Unicorn has already marked entries if the access was the second of its
// instruction: the write of ADD [m], r; a second page.
void Runner::take_back_marks() {
  bool marked = false;
  for (std::uint32_t at = 0; at < tables_end; at += 4) {
    const std::uint8_t more = arena.theirs[at] & static_cast<std::uint8_t>(~arena.ours[at]) & entry_marks;
    arena.theirs[at] ^= more;
    marked = marked || more;
  }
  if (!marked) return;
  coverage_.note(Mask::access_order);
  arena.unicorn.flush_tlb();
}

bool Runner::same_core(const Registers& ours, const UnicornCpu::Core& theirs, std::uint32_t undefined,
                       const char*& what) {
  std::uint32_t mask = ~(flag_rf | undefined);
  mask &= ~(flag_vif | flag_vip);
  if (arena.model == Model::i386sx) mask &= ~(flag_ac | flag_id);
  if (arena.model == Model::i486sx) mask &= ~flag_id;
  what = nullptr;
  if (ours.eip != theirs.eip)
    what = "EIP";
  else if ((ours.eflags ^ theirs.eflags) & mask)
    what = "flags";
  else
    for (unsigned i = 0; i < 8; ++i)
      if (ours.gpr[i] != theirs.gpr[i]) what = "register";
  return !what;
}

const char* Runner::system_difference(const Registers& a, const Registers& b) {
  for (unsigned s = 0; s < 6; ++s) {
    const auto &x = a.segment[s], &y = b.segment[s];
    if (x.selector != y.selector) return "selector";
    // A null selector's cache is never used.
    if ((a.cr0 & 1) && !(a.eflags & 0x20000) && (x.selector & 0xFFFC) == 0) continue;
    if (x.base != y.base) return "segment base";
    if (!(a.cr0 & 1) || (a.eflags & 0x20000))
      continue;  // in real mode and V86, limit and rights are specific to the
                 // chip
    if (x.limit != y.limit) return "segment limit";
    if ((x.access ^ y.access) & 0xFE || x.big != y.big) return "segment rights";
  }
  if (a.ldtr.selector != b.ldtr.selector || ((a.ldtr.selector & 0xFFFC) && a.ldtr.base != b.ldtr.base)) return "LDTR";
  if (a.tr.selector != b.tr.selector || a.tr.base != b.tr.base) return "TR";
  if (!same_table(a.gdtr, b.gdtr)) return "GDTR";
  if (!same_table(a.idtr, b.idtr)) return "IDTR";
  if ((a.cr0 ^ b.cr0) & (arena.model == Model::i386sx ? 0x8000000Fu : 0x8001000Fu)) return "CR0";
  if (a.cr2 != b.cr2 && !next_fetch_faulted_) return "CR2";
  if ((a.cr3 ^ b.cr3) & 0xFFFFF000u) return "CR3";
  if (a.cr4 != b.cr4) return "CR4";
  for (unsigned i = 0; i < 4; ++i)
    if (a.dr[i] != b.dr[i]) return "DR";
  if (a.cpl != b.cpl) return "CPL";
  return nullptr;
}

// Null: equal, or masked (and made equal).
const char* Runner::compare_fpu(const Form& form) {
  const cpu::Fpu ours = arena.processor->fpu(), theirs = arena.unicorn.fpu();
  const auto empty = [](std::uint16_t tags) { return tags & tags >> 1 & 0x5555; };
  const Instruction& instruction = program_->instructions[static_cast<std::size_t>(current_)];
  const unsigned key = (form.opcode & 7u) << 3 | static_cast<unsigned>(form.group);
  const char* what = nullptr;
  for (unsigned i = 0; i < 8; ++i)
    if ((ours.tags >> (2 * i) & 3) != 3 && !(ours.registers[i] == theirs.registers[i])) what = "x87 register";
  if (empty(ours.tags) != empty(theirs.tags)) what = "x87 tags";
  if (ours.top() != theirs.top()) what = "x87 top";
  if ((ours.control ^ theirs.control) & 0x1F3F) what = "x87 control word";
  // FCOM, FCOMP, FTST, FXAM, FUCOM...: C3, C2, C0.
  const bool compares = (key & 0x16) == 2 || key == 0x0C || key == 0x2C || key == 0x2D || key == 0x15 || key == 0x33;
  if (compares && (ours.status ^ theirs.status) & 0x4500) what = "x87 condition codes";
  const bool stored = stores_equal();
  if (!what && !stored) what = "x87 memory";
  if ((ours.status ^ theirs.status) & 0x023F) coverage_.note(Mask::fpu_flags);
  std::optional<Mask> why;
  const unsigned modrm = program_->bytes[instruction.offset + instruction.length - 1u];
  const bool is_register = !instruction.cell.memory;
  // D9 F0 to F5, F8, F9, FB, FD to FF: transcendental functions; also FXTRACT and FSCALE, which Unicorn rounds by the
  // precision control or differently at the ends of the range. FSQRT, FRNDINT, FDECSTP and FINCSTP are computed as the
  // x87 does.
  const bool function =
      is_register && form.opcode == 0xD9 &&
      ((modrm >= 0xF0 && modrm <= 0xF5) || modrm == 0xF8 || modrm == 0xF9 || modrm == 0xFB || modrm >= 0xFD);
  bool special = false;
  for (unsigned i = 0; i < 8; ++i)
    for (const cpu::Fpu* f : {static_cast<const cpu::Fpu*>(&fpu_before_), &ours}) {
      const auto c = cpu::classify(f->registers[i]);
      if ((f->tags >> (2 * i) & 3) != 3 && c != cpu::FloatClass::normal && c != cpu::FloatClass::zero) special = true;
    }
  if (!is_register && ((key == 0x0E) || (key == 0x2E) || key == 0x0C || key == 0x2C))
    why = Mask::fpu_pointers;
  else if (ours.status & 0x40)
    why = Mask::fpu_stack;
  else if (function)
    why = Mask::transcendental;
  else if (is_register && key == 0x0D)
    why = Mask::constants;
  else if (!is_register && (key == 0x3C || key == 0x3E))
    why = Mask::bcd;
  else if (is_register && (key == 0x2A || key == 0x2B) && empty(fpu_before_.tags) != empty(ours.tags))
    why = Mask::fpu_stack;
  else if (special || (ours.status & ~fpu_before_.status & 3))
    why = Mask::fpu_special;
  if (what && why) {
    coverage_.exclude(program_->mode, instruction.cell, *why);
    resynchronise();
    what = nullptr;
  }
  fpu_fault_ = ours.status & 0x40;  // sticky: requires a fresh start
  if (!what) arena.unicorn.set_fpu(ours);
  return what;
}

// Unicorn leaves the exponents unchanged, and EMMS does not change its top.
const char* Runner::compare_mmx(const Form& form) {
  const cpu::Fpu ours = arena.processor->fpu(), theirs = arena.unicorn.fpu();
  const bool emms = form.opcode == 0x0F77;
  for (unsigned i = 0; i < 8; ++i)
    if (ours.registers[i].mantissa != theirs.registers[i].mantissa) return "x87: MMX register";
  if (ours.tags != theirs.tags) return "x87 tags";
  if (ours.top() != (emms ? 0 : theirs.top())) return "x87 top";
  if (ours.control != theirs.control) return "x87 control word";
  arena.unicorn.set_fpu(ours);
  return nullptr;
}

/// The linear address; empty if the instruction cannot be decoded.
std::optional<std::uint32_t> Runner::operand_address(const Instruction& instruction) const {
  cpu::Op op;
  const auto bytes = std::span(program_->bytes).subspan(instruction.offset, instruction.length);
  if (!cpu::decode(bytes, {arena.model, is_wide(program_->mode), (before_.cr0 & 1) != 0, program_->mode == Mode::v86},
                   op))
    return {};
  const auto reg = [&](std::uint8_t r) { return r < 8 ? before_.gpr[r] : 0; };
  const std::uint32_t offset = reg(op.base) + reg(op.index) * op.scale + op.displacement;
  return before_.segment[op.segment].base + (op.address32 ? offset : offset & 0xFFFF);
}

// Compares the whole state after FXRSTOR, and the image of FXSAVE; except the pointers.
const char* Runner::compare_image(const Form& form) {
  const cpu::Fpu ours = arena.processor->fpu(), theirs = arena.unicorn.fpu();
  const auto empty = [](std::uint16_t tags) { return tags & tags >> 1 & 0x5555; };
  for (unsigned i = 0; i < 8; ++i)
    if (!(ours.registers[i] == theirs.registers[i])) return "x87: register";
  if (empty(ours.tags) != empty(theirs.tags)) return "x87: tags";
  if ((ours.status ^ theirs.status) & 0x7F7F) return "x87: status word";  // except ES and B
  if ((ours.control ^ theirs.control) & 0x1F3F) return "x87: control word";
  arena.unicorn.set_fpu(ours);
  if (form.group == 1) return nullptr;
  const auto linear = operand_address(program_->instructions[static_cast<std::size_t>(current_)]);
  if (!linear) return "x87: no address";
  for (std::uint32_t i = 0; i < 160; ++i) {
    const auto at = arena.processor->translate(*linear + i);
    if (!at || *at >= memory_bytes) continue;
    const std::uint8_t o = arena.ours[*at], u = arena.theirs[*at];
    const bool pointers = i >= 5 && i < 24, control = i < 2;
    arena.theirs[*at] = o;
    if (pointers || o == u || (control && ((o ^ u) & (i == 0 ? 0x3F : 0x1F)) == 0)) continue;
    return "x87: image in memory";
  }
  coverage_.note(Mask::image_pointers);
  return nullptr;
}

// Compares the frame that planar pushed with the state before the instruction and Unicorn's report of the exception.
const char* Runner::check_frame(const Registers& before, const Registers& after, const StepResult& result,
                                std::uint16_t& error) {
  const auto u = arena.unicorn.core();
  const std::uint32_t flags = before.eflags & ~flag_rf;  // both agreed on them before the instruction
  std::vector<std::uint32_t> frame;
  const bool is_real = !(before.cr0 & 1), v86 = !is_real && (before.eflags & 0x20000);
  const unsigned unit = is_real ? 2 : 4;
  const int vector = Arena::vector_at(after);
  const bool has_error =
      !is_real && !result.software && (vector == 8 || (vector >= 10 && vector <= 14) || vector == 17);
  if (v86)
    for (unsigned s : {GS, FS, DS, ES}) frame.push_back(before.segment[s].selector);
  if (before.cpl == 3) {
    frame.push_back(before.segment[SS].selector);
    frame.push_back(u.gpr[ESP]);
  }
  const bool trap = result.software || vector == 1 || vector == 3 || vector == 4;
  frame.push_back(trap || is_real ? flags : flags | flag_rf);
  frame.push_back(before.segment[CS].selector);
  frame.push_back(u.eip);
  error = 0;
  std::uint32_t sp = after.gpr[ESP];
  const std::uint32_t mask = after.segment[SS].big ? 0xFFFFFFFFu : 0xFFFFu;
  const auto pop = [&] {
    std::uint32_t v = 0;
    for (unsigned i = 0; i < unit; ++i) {
      // A frame that overlaps the page tables may have changed its own entry; the memory there is mapped one-to-one.
      const std::uint32_t at = after.segment[SS].base + ((sp + i) & mask);
      const std::uint8_t byte = at < tables_end ? arena.ours[at] : arena.processor->peek_linear(at).value_or(0);
      v |= std::uint32_t{byte} << (8 * i);
    }
    sp = (sp + unit) & mask;
    return v;
  };
  if (has_error) error = static_cast<std::uint16_t>(pop());
  while (!frame.empty()) {
    const std::uint32_t got = pop();
    const std::uint32_t want = is_real ? frame.back() & 0xFFFF : frame.back();
    if (got != want && !((got ^ want) == flag_rf)) return "the frame of the exception";
    frame.pop_back();
  }
  return nullptr;
}

// A 16-bit offset so close to the segment's end that the operand does not fit.
bool Runner::wraps(const Instruction& instruction) const {
  if (!is_wide(program_->mode) && is_far(forms()[instruction.cell.form].kind) &&
      ((before_.gpr[ESP] + 0x10) & 0xFFFF) < 0x20)
    return true;
  if (!instruction.cell.memory) return false;
  cpu::Op op;
  const auto bytes = std::span(program_->bytes).subspan(instruction.offset, instruction.length);
  if (!cpu::decode(bytes, {arena.model, is_wide(program_->mode), (before_.cr0 & 1) != 0, program_->mode == Mode::v86},
                   op))
    return false;
  if (op.address32) return false;
  const auto reg = [&](std::uint8_t r) { return r < 8 ? before_.gpr[r] : 0; };
  return ((reg(op.base) + reg(op.index) + op.displacement) & 0xFFFF) >
         (op.opcode >= 0xD8 && op.opcode <= 0xDF ? 0xFF80u : 0xFFF0u);
}

bool Runner::stack_usable(const Registers& handler) const {
  const std::uint32_t mask = handler.segment[SS].big ? 0xFFFFFFFFu : 0xFFFFu;
  for (const std::uint32_t i : {0u, 39u}) {
    const auto physical = arena.processor->translate(handler.segment[SS].base + ((handler.gpr[ESP] + i) & mask));
    if (!physical || *physical >= memory_bytes || *physical < tables_end) return false;
  }
  return true;
}

}  // namespace planar::lockstep
