// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/lockstep/runner.hpp"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

#include "core/cpu/decoder.hpp"

namespace planar::lockstep {

namespace {

constexpr std::uint32_t flag_rf = 0x10000, flag_vm = 0x20000, flag_ac = 0x40000, flag_vif = 0x80000, flag_vip = 0x100000,
    flag_id = 0x200000;
constexpr unsigned most_iterations = 64, most_boundaries = 1000;

bool same_segment(const cpu::SegmentView& a, const cpu::SegmentView& b) {
  return a.selector == b.selector && a.base == b.base && a.limit == b.limit && a.access == b.access && a.big == b.big;
}
bool same_table(const cpu::TableView& a, const cpu::TableView& b) { return a.base == b.base && a.limit == b.limit; }

/// What no ordinary instruction changes.
bool same_system(const Registers& a, const Registers& b) {
  for (unsigned s = 0; s < 6; ++s)
    if (!same_segment(a.segment[s], b.segment[s])) return false;
  return same_segment(a.ldtr, b.ldtr) && same_segment(a.tr, b.tr) && same_table(a.gdtr, b.gdtr) &&
         same_table(a.idtr, b.idtr) && a.cr0 == b.cr0 && a.cr2 == b.cr2 && a.cr3 == b.cr3 && a.cr4 == b.cr4 &&
         a.dr == b.dr && a.cpl == b.cpl;
}

/// Stores more than one operand: what stands in memory after a fault in the middle is the chip's own affair.
bool several_stores(const Form& f) {
  return f.opcode == 0x60 || f.opcode == 0x0F01 || f.kind == Kind::enter || f.kind == Kind::far_pointer ||
         f.kind == Kind::far_indirect || (f.kind == Kind::fpu && f.memory_form());
}
bool in_memory(const Store& s) { return s.address < memory_bytes && s.bytes <= memory_bytes - s.address; }
bool is_far(Kind k) { return k == Kind::far_pointer || k == Kind::far_indirect || k == Kind::return_far; }

}  // namespace

Runner::Runner(Model model, Coverage& coverage) : arena(model), coverage_(coverage) {}

int Runner::index_at(std::uint32_t linear) const {
  const std::uint32_t offset = linear - start_linear_;
  return offset < index_.size() ? index_[offset] : -1;
}

void Runner::load(const Program& program) {
  program_ = &program;
  found_.reset();
  start_linear_ = (is_wide(program.mode) ? 0 : code_at) + program.offset;
  index_.assign(program.bytes.size(), -1);
  for (std::size_t i = 0; i < program.instructions.size(); ++i)
    index_[program.instructions[i].offset] = static_cast<std::int16_t>(i);
  place();
}

void Runner::place() {
  for (auto* memory : {&arena.ours, &arena.theirs}) {
    const auto at = memory->begin() + start_linear_;
    std::copy(program_->bytes.begin(), program_->bytes.end(), at);
    std::fill_n(at + static_cast<std::ptrdiff_t>(program_->bytes.size()), 48, 0xF4);
  }
}

// From the state both have been given to wherever it ends.
void Runner::go() {
  current_ = -1;
  next_ = Next::go_on;
  rep_passed_ = false;
  boundaries_ = iterations_ = 0;
  const StepResult result = arena.unicorn.run([this](std::uint32_t address) { return boundary(address); });
  if (next_ == Next::go_on && !found_ && result.kind != StepResult::Kind::done) next_ = finish_exception(result);
}

std::optional<Mismatch> Runner::run(const Program& program, Random& random, unsigned states) {
  load(program);
  for (unsigned state = 0; state < states && !found_; ++state) {
    for (unsigned index = 0; index < program.instructions.size() && !found_;) {
      Registers r = arena.initial(program.mode, random);
      r.eip = program.offset + program.instructions[index].offset;
      arena.set(r);
      const cpu::Fpu f = arena.initial_fpu(random);
      arena.processor->set_fpu(f);
      arena.unicorn.set_fpu(f);
      go();
      if (next_ == Next::stop) break;
      index = static_cast<unsigned>(std::max(current_ + 1, static_cast<int>(index) + 1));
    }
    if (code_stored_) {
      place();
      arena.unicorn.invalidate_code(code_at, code_end - code_at);
      code_stored_ = false;
    }
    if (!found_ && (tables_stored_ || state + 1 == states)) arena.restore_tables();
    tables_stored_ = false;
  }
  if (!found_ && arena.ours != arena.theirs) {
    const auto at = std::mismatch(arena.ours.begin(), arena.ours.end(), arena.theirs.begin()).first - arena.ours.begin();
    Mismatch m;
    m.what = fmt::format("memory at {:X} behind a program", at);
    m.model = arena.model;
    m.mode = program.mode;
    m.code = program.bytes;
    m.before = m.ours = m.theirs = arena.processor->registers();
    found_ = std::move(m);
  }
  return std::move(found_);
}

std::optional<Mismatch> Runner::replay(const Mismatch& m) {
  thorough_ = true;
  const Program one{m.mode, m.before.eip, m.code, {m.instruction}};
  arena.ours = m.memory;
  arena.theirs = m.memory;
  arena.unicorn.flush_tlb();
  arena.unicorn.flush_code();
  Program program = one;
  program.instructions[0].offset = 0;
  load(program);
  arena.set(m.before);
  arena.processor->set_fpu(m.fpu_before);
  arena.unicorn.set_fpu(m.fpu_before);
  go();
  code_stored_ = false;
  return std::move(found_);
}

// In front of each instruction of Unicorn: the one before is complete.
bool Runner::boundary(std::uint32_t address) {
  const int index = index_at(address);
  if (current_ >= 0) {
    if (rep_passed_ && index == current_) return true;
    if (index == current_ && !program_->instructions[static_cast<std::size_t>(index)].rep &&
        arena.unicorn.core().gpr[ESP] == before_.gpr[ESP]) {
      if (++boundaries_ > most_boundaries) return next_ = Next::stop, false;
      arena.unicorn.clear_stores();  // it stored into its own block: Unicorn translates anew and repeats the instruction
      return true;
    }
    if (!rep_passed_) {
      next_ = finish();
      if (next_ != Next::go_on) return false;
      const Instruction& i = program_->instructions[static_cast<std::size_t>(current_)];
      if (i.rep && index == current_) {
        const Registers now = arena.processor->registers();
        if (now.eip != before_.eip) rep_passed_ = true;  // Unicorn looks at the count once more
        else if (++iterations_ > most_iterations) return next_ = Next::restart, false;
        before_ = now;
        arena.unicorn.clear_stores();
        return true;
      }
    }
    ++instructions;
  }
  rep_passed_ = false;
  iterations_ = 0;
  if (++boundaries_ > most_boundaries) return next_ = Next::stop, false;  // a return or jump went back, again and again
  current_ = index < 0 ? current_ : index;
  if (index < 0) return next_ = Next::stop, false;
  begin(index);
  return true;
}

void Runner::begin(int index) {
  current_ = index;
  before_ = arena.processor->registers();
  if (forms()[program_->instructions[static_cast<std::size_t>(index)].cell.form].kind == Kind::fpu) fpu_before_ = arena.processor->fpu();
  coverage_.count(program_->mode, program_->instructions[static_cast<std::size_t>(index)].cell);
  arena.unicorn.clear_stores();
  arena.port_written = arena.pins.written = {};
}

Runner::Next Runner::mismatch(const char* what) {
  Mismatch m;
  m.what = what;
  m.model = arena.model;
  m.mode = program_->mode;
  const Instruction& i = program_->instructions[static_cast<std::size_t>(current_)];
  m.instruction = i;
  m.code.assign(program_->bytes.begin() + i.offset, program_->bytes.begin() + i.offset + i.length);
  m.before = before_;
  m.ours = arena.processor->registers();
  m.theirs = arena.unicorn.registers();
  m.fpu_before = fpu_before_;
  m.fpu_ours = arena.processor->fpu();
  m.fpu_theirs = arena.unicorn.fpu();
  m.our_vector = Arena::vector_at(m.ours);
  m.memory = arena.theirs;
  const auto stores = arena.unicorn.stores();
  for (std::size_t s = stores.size(); s-- > 0;)
    if (in_memory(stores[s])) std::copy_n(stores[s].before.begin(), std::min<std::size_t>(16, stores[s].bytes), m.memory.begin() + stores[s].address);
  for (const Store& store : stores)
    if (store.address < code_end && store.address + store.bytes > code_at) return excuse(Mask::own_block);
  // Once more from a clean start: inside a block Unicorn sometimes loses flags it keeps when it starts with the instruction.
  if (!thorough_) {
    if (!second_) second_ = std::make_unique<Runner>(arena.model, coverage_);
    second_->meddle = meddle;
    if (!second_->replay(m)) return excuse(Mask::hooked_flags);
  }
  found_ = std::move(m);
  return Next::stop;
}

bool Runner::through_cs(const Instruction& instruction) const {
  const auto first = program_->bytes.begin() + instruction.offset;
  return std::find(first, first + 4, 0x2E) != first + 4;
}

Runner::Next Runner::excuse(Mask mask) {
  coverage_.excuse(mask);
  if (mask == Mask::delivery || mask == Mask::unmapped || mask == Mask::wrap || mask == Mask::far_stack ||
      mask == Mask::rights || mask == Mask::own_block || mask == Mask::limits ||
      several_stores(forms()[program_->instructions[static_cast<std::size_t>(current_)].cell.form])) {
    arena.copy_memory();
    arena.unicorn.flush_tlb();
    tables_stored_ = true;
  } else {
    resynchronise();
  }
  return code_stored_ ? Next::stop : Next::restart;
}

// Unicorn's memory as planar's again: where Unicorn stored, and the frame if planar delivered an exception.
void Runner::resynchronise() {
  for (const Store& s : arena.unicorn.stores()) {
    if (!in_memory(s)) continue;
    if (s.address < code_end && s.address + s.bytes > code_at) code_stored_ = true;
    if (s.address < tables_end) tables_stored_ = true;
    std::copy_n(&arena.ours[s.address], s.bytes, &arena.theirs[s.address]);
  }
  const Registers ours = arena.processor->registers();
  if (Arena::vector_at(ours) >= 0) sync_stack(ours);
}

bool Runner::stores_equal() {
  bool equal = true;
  const Form& form = forms()[program_->instructions[static_cast<std::size_t>(current_)].cell.form];
  const bool pushes_selector = form.opcode == 0x06 || form.opcode == 0x0E || form.opcode == 0x16 || form.opcode == 0x1E ||
                               form.opcode == 0x0FA0 || form.opcode == 0x0FA8;
  for (const Store& s : arena.unicorn.stores()) {
    if (!in_memory(s)) continue;
    if (pushes_selector && s.bytes == 4 && std::memcmp(&arena.ours[s.address + 2], &arena.theirs[s.address + 2], 2) != 0) {
      coverage_.excuse(Mask::wide_push);
      std::copy_n(&arena.ours[s.address + 2], 2, &arena.theirs[s.address + 2]);
    }
    if (s.address < code_end && s.address + s.bytes > code_at) code_stored_ = true;
    if (s.address < tables_end) tables_stored_ = true;
    equal = equal && std::memcmp(&arena.ours[s.address], &arena.theirs[s.address], s.bytes) == 0;
  }
  if (thorough_ && arena.ours != arena.theirs) return false;
  return equal;
}

bool Runner::same_core(const Registers& ours, const UnicornCpu::Core& theirs, std::uint32_t undefined, const char*& what) {
  std::uint32_t mask = ~(flag_rf | undefined);
  mask &= ~(flag_vif | flag_vip);
  if (arena.model == Model::i386sx) mask &= ~(flag_ac | flag_id);
  if (arena.model == Model::i486sx) mask &= ~flag_id;
  what = nullptr;
  if (ours.eip != theirs.eip) what = "EIP";
  else if ((ours.eflags ^ theirs.eflags) & mask) what = "flags";
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
    if (!(a.cr0 & 1) || (a.eflags & 0x20000)) continue;  // real mode and V86 leave limit and rights to the chip
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
  for (unsigned i = 0; i < 4; ++i)
    if (a.dr[i] != b.dr[i]) return "DR";
  if (a.cpl != b.cpl) return "CPL";
  return nullptr;
}

// planar's turn; a planted fault changes what it leaves.
Registers Runner::step_planar(const Instruction& instruction) {
  arena.processor->step();
  const Registers ours = arena.processor->registers();
  if (!meddle) return ours;
  Registers changed = ours;
  meddle(instruction, before_, changed);
  if (changed.gpr != ours.gpr || changed.eip != ours.eip || changed.eflags != ours.eflags || !same_system(changed, ours))
    arena.processor->set_registers(changed);
  return changed;
}

// Unicorn has executed the current instruction without an exception.
Runner::Next Runner::finish() {
  const Instruction& instruction = program_->instructions[static_cast<std::size_t>(current_)];
  const Form& form = forms()[instruction.cell.form];
  const Registers ours = step_planar(instruction);
  if (form.kind == Kind::halt && arena.processor->halted()) return excuse(Mask::halt);
  if (arena.processor->in_shutdown()) return excuse(Mask::delivery);
  const int vector = Arena::vector_at(ours);
  if (vector >= 0 && arena.unicorn.core().eip != ours.eip) {
    if ((vector == 13 || vector == 12) && !is_wide(program_->mode)) return excuse(Mask::limits);
    if (vector == 13 && through_cs(instruction)) return excuse(Mask::rights);
    if (vector == 13 && (form.kind == Kind::port || form.kind == Kind::string_io) && is_ring3(program_->mode))
      return excuse(Mask::io_permission);
    if (form.opcode == 0x0F00 && form.group == 3 && vector == 13 && (arena.unicorn.registers().tr.selector & 0xFFFC) == 0)
      return excuse(Mask::ltr_null);
    if (const Registers u = arena.unicorn.registers(); vector == 13 && u.eip > u.segment[CS].limit) return excuse(Mask::limits);
    if (form.opcode == 0xCF && before_.cpl != 0 && (arena.unicorn.core().eflags & flag_vm)) return excuse(Mask::iret_vm);
    if (form.kind == Kind::enter && (vector == 14 || vector == 12)) return excuse(Mask::enter_probe);
    if (is_far(form.kind) && vector == 14 && before_.cpl == 3) return excuse(Mask::far_stack);
    return mismatch("planar raised an exception, Unicorn did not");
  }
  return compare_done();
}

Runner::Next Runner::compare_done() {
  const Instruction& instruction = program_->instructions[static_cast<std::size_t>(current_)];
  const Form& form = forms()[instruction.cell.form];
  const Registers ours = arena.processor->registers();
  UnicornCpu::Core theirs = arena.unicorn.core();
  // Unicorn looks at the count of a REP once more before it leaves it.
  if (instruction.rep && theirs.eip == before_.eip && ours.eip == before_.eip + instruction.length) theirs.eip = ours.eip;
  bool result_undefined = false;
  const std::uint32_t undefined = undefined_flags(instruction, before_, result_undefined);
  if (result_undefined) return excuse(Mask::undefined_result);
  if (form.opcode == 0x0FA2) return excuse(Mask::cpuid);
  if (form.opcode == 0x61 && instruction.cell.size32 && arena.model == Model::i386sx && !is_wide(program_->mode))
    return excuse(Mask::popad_386);
  if (form.opcode == 0xCF && (theirs.eflags & ~ours.eflags & flag_vm) && before_.cpl != 0) return excuse(Mask::iret_vm);
  if (form.opcode == 0x9C && instruction.cell.size32 && program_->mode == Mode::v86) return excuse(Mask::pushf_v86);
  if (form.kind == Kind::enter && instruction.cell.size32 != is_wide(program_->mode)) return excuse(Mask::enter_66);
  if (form.opcode == 0x0F01 && form.group == 4 && instruction.cell.size32 && !instruction.cell.memory)
    return excuse(Mask::smsw);
  const char* what = nullptr;
  if (form.opcode == 0xDF && form.group == 4 && !instruction.cell.memory)  // FNSTSW AX: exceptions and C1
    theirs.gpr[EAX] = (theirs.gpr[EAX] & ~0x02FFu) | (ours.gpr[EAX] & 0x02FFu);
  if (!same_core(ours, theirs, undefined, what)) return wraps(instruction) ? excuse(Mask::wrap) : mismatch(what);
  if (undefined) coverage_.excuse(Mask::undefined_flags);
  if (form.system) {
    if (const char* difference = system_difference(ours, arena.unicorn.registers()))
      return wraps(instruction) ? excuse(Mask::wrap) : mismatch(difference);
  } else if (!same_system(before_, ours)) {
    return mismatch("an ordinary instruction changed the system state");
  }
  if (form.kind == Kind::fpu)
    if (const char* difference = compare_fpu(form)) return mismatch(difference);
  if (form.kind == Kind::port && arena.pins.written != arena.port_written) return mismatch("port");
  if (!stores_equal()) {
    if (wraps(instruction)) return excuse(Mask::wrap);
    error_text_ = "memory";
    for (const Store& st : arena.unicorn.stores()) {
      error_text_ += fmt::format(" {:X}:", st.address);
      for (unsigned i = 0; i < st.bytes && st.address + i < memory_bytes; ++i)
        error_text_ += fmt::format(" {:02X}/{:02X}", arena.ours[st.address + i], arena.theirs[st.address + i]);
    }
    return mismatch(error_text_.c_str());
  }
  if (code_stored_ || tables_stored_) return Next::stop;
  const bool loads_control = form.kind == Kind::fpu && instruction.cell.memory &&
                             ((form.opcode == 0xD9 && (form.group == 4 || form.group == 5)) ||
                              (form.opcode == 0xDD && form.group == 4));  // may unmask exceptions that Unicorn does not collect
  if (form.system || loads_control || (form.kind == Kind::fpu && fpu_fault_) || (ours.eflags & 0x100)) return Next::restart;
  return Next::go_on;
}

// Null: equal, or excused (and made equal).
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
  if ((ours.status ^ theirs.status) & 0x023F) coverage_.excuse(Mask::fpu_flags);
  std::optional<Mask> why;
  const unsigned modrm = program_->bytes[instruction.offset + instruction.length - 1u];
  const bool is_register = !instruction.cell.memory;
  // D9 F0 to F3, F5, F8, F9, FB, FE, FF; FSQRT, FRNDINT, FSCALE, FXTRACT, FDECSTP and FINCSTP are computed as the x87 does.
  const bool function = is_register && form.opcode == 0xD9 &&
                        ((modrm >= 0xF0 && modrm <= 0xF5) || modrm == 0xF8 || modrm == 0xF9 || modrm == 0xFB || modrm >= 0xFD);
  bool special = false;
  for (unsigned i = 0; i < 8; ++i)
    for (const cpu::Fpu* f : {static_cast<const cpu::Fpu*>(&fpu_before_), &ours}) {
      const auto c = cpu::classify(f->registers[i]);
      if ((f->tags >> (2 * i) & 3) != 3 && c != cpu::FloatClass::normal && c != cpu::FloatClass::zero) special = true;
    }
  if (!is_register && ((key == 0x0E) || (key == 0x2E) || key == 0x0C || key == 0x2C)) why = Mask::fpu_pointers;
  else if (ours.status & 0x40) why = Mask::fpu_stack;
  else if (function) why = Mask::transcendental;
  else if (is_register && key == 0x0D) why = Mask::constants;
  else if (!is_register && (key == 0x3C || key == 0x3E)) why = Mask::bcd;
  else if (is_register && (key == 0x2A || key == 0x2B) && empty(fpu_before_.tags) != empty(ours.tags)) why = Mask::fpu_stack;
  else if (special || (ours.status & ~fpu_before_.status & 3)) why = Mask::fpu_special;
  if (what && why) {
    coverage_.excuse(*why);
    resynchronise();
    what = nullptr;
  }
  fpu_fault_ = ours.status & 0x40;  // sticky: a fresh start
  if (!what) arena.unicorn.set_fpu(ours);
  return what;
}

// The frame that planar pushed, against the state in front of the instruction and what Unicorn says of the exception.
const char* Runner::check_frame(const Registers& before, const Registers& after, const StepResult& result, std::uint16_t& error) {
  const auto u = arena.unicorn.core();
  const std::uint32_t flags = before.eflags & ~flag_rf;  // both agreed on them in front of the instruction
  std::vector<std::uint32_t> frame;
  const bool is_real = !(before.cr0 & 1), v86 = !is_real && (before.eflags & 0x20000);
  const unsigned unit = is_real ? 2 : 4;
  const int vector = Arena::vector_at(after);
  const bool has_error = !is_real && !result.software && (vector == 8 || (vector >= 10 && vector <= 14) || vector == 17);
  if (v86) for (unsigned s : {GS, FS, DS, ES}) frame.push_back(before.segment[s].selector);
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
    for (unsigned i = 0; i < unit; ++i)
      v |= std::uint32_t{arena.processor->peek_linear(after.segment[SS].base + ((sp + i) & mask)).value_or(0)} << (8 * i);
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

// Unicorn stopped in the current instruction, or at the fetch of the one behind it.
Runner::Next Runner::finish_exception(const StepResult& result) {
  if (current_ < 0) return Next::stop;
  const Instruction& instruction = program_->instructions[static_cast<std::size_t>(current_)];
  const Form& form = forms()[instruction.cell.form];
  const Registers theirs = arena.unicorn.registers();
  if (rep_passed_) return Next::stop;
  if (!result.software && (theirs.eip != before_.eip || theirs.gpr != before_.gpr)) {  // the next instruction could not be fetched
    next_fetch_faulted_ = true;
    const Next next = finish();
    next_fetch_faulted_ = false;
    return next == Next::go_on ? Next::restart : next;
  }
  const Registers ours = step_planar(instruction);
  ++instructions;
  const int vector = Arena::vector_at(ours);
  if (arena.processor->in_shutdown() || !stack_in_memory(ours)) return excuse(Mask::delivery);
  if (result.kind == StepResult::Kind::unmapped) return excuse(vector == 12 || vector == 13 ? Mask::limits : Mask::unmapped);
  ++exceptions;
  const bool is_limit = (vector == 12 || vector == 13) && !is_wide(program_->mode);
  if (vector != result.vector) {
    if (vector == 8) return excuse(Mask::delivery);
    if (wraps(instruction)) return excuse(Mask::wrap);
    if (vector == 13 && (form.kind == Kind::port || form.kind == Kind::string_io) && is_ring3(program_->mode))
      return excuse(Mask::io_permission);
    if (form.opcode == 0xF1) return excuse(Mask::icebp);
    if (form.opcode == 0x63 && vector < 0 && result.vector == 14) return excuse(Mask::arpl);
    if (is_limit) return excuse(Mask::limits);
    if (vector == 13 && through_cs(instruction)) return excuse(Mask::rights);
    found_.reset();
    const Next n = mismatch("vector");
    if (found_) found_->their_vector = result.vector;
    return n;
  }
  std::uint16_t error = 0;
  const char* what = check_frame(before_, ours, result, error);
  if (!what && result.vector == 14 && ours.cr2 != theirs.cr2) {
    const bool crosses = (ours.cr2 ^ theirs.cr2) & 0xFFFFF000u && ours.cr2 - theirs.cr2 + 16 < 32;
    // FBLD, FBSTP, environments and FSAVE images: the parts in the chip's own order.
    const bool large = form.kind == Kind::fpu && (form.group == 4 || form.group == 6) && (form.opcode & 1);
    if (crosses || large || form.opcode == 0xA6 || form.opcode == 0xA7 || form.opcode == 0x60) return excuse(Mask::access_order);
    what = "CR2";
  }
  if (!what && (before_.cr0 & 1) && !result.software && error != result.error) {
    if (vector == 14 && (error ^ result.error) == 2 && (error & 2) && instruction.cell.memory) return excuse(Mask::access_order);
    // A far transfer beyond the target's limit: #GP(0) by the manual, #GP(selector) in Unicorn.
    if ((is_limit || (vector == 13 && is_far(form.kind))) && error == 0) return excuse(Mask::limits);
    if (wraps(instruction)) return excuse(Mask::wrap);
    if (is_far(form.kind) && vector == 14 && (error ^ result.error) == 4 && before_.cpl == 3) return excuse(Mask::far_stack);
    error_text_ = fmt::format("error code {:X} and {:X}", error, result.error);
    what = error_text_.c_str();
  }
  for (unsigned i = 0; i < 8 && !what; ++i)
    if (i != ESP && ours.gpr[i] != theirs.gpr[i]) what = "register behind an exception";
  if (what) {
    const Next n = mismatch(what);
    if (found_) found_->their_vector = result.vector;
    return n;
  }
  // An instruction of several stores may have done some of them: the chip's own order.
  if (!arena.unicorn.stores().empty() || several_stores(form)) {
    coverage_.excuse(Mask::access_order);
    arena.copy_memory();
  }
  resynchronise();
  return code_stored_ ? Next::stop : Next::restart;
}

// A 16-bit offset so near the segment's end that the operand does not fit.
bool Runner::wraps(const Instruction& instruction) const {
  if (!is_wide(program_->mode) && is_far(forms()[instruction.cell.form].kind) && ((before_.gpr[ESP] + 0x10) & 0xFFFF) < 0x20) return true;
  if (!instruction.cell.memory) return false;
  cpu::Op op;
  const auto bytes = std::span(program_->bytes).subspan(instruction.offset, instruction.length);
  if (!cpu::decode(bytes, {{arena.model, true}, is_wide(program_->mode), (before_.cr0 & 1) != 0, program_->mode == Mode::v86}, op)) return false;
  if (op.address32) return false;
  const auto reg = [&](std::uint8_t r) { return r < 8 ? before_.gpr[r] : 0; };
  return ((reg(op.base) + reg(op.index) + op.displacement) & 0xFFFF) > 0xFFF0;
}

bool Runner::stack_in_memory(const Registers& handler) const {
  const std::uint32_t mask = handler.segment[SS].big ? 0xFFFFFFFFu : 0xFFFFu;
  for (const std::uint32_t i : {0u, 39u}) {
    const auto physical = arena.processor->translate(handler.segment[SS].base + ((handler.gpr[ESP] + i) & mask));
    if (!physical || *physical >= memory_bytes) return false;
  }
  return true;
}

// What the delivery pushed, which Unicorn knows nothing of.
void Runner::sync_stack(const Registers& handler) {
  const std::uint32_t mask = handler.segment[SS].big ? 0xFFFFFFFFu : 0xFFFFu;
  for (std::uint32_t i = 0; i < 48; ++i) {
    const std::uint32_t linear = handler.segment[SS].base + ((handler.gpr[ESP] + i) & mask);
    if (const auto physical = arena.processor->translate(linear); physical && *physical < memory_bytes)
      arena.theirs[*physical] = arena.ours[*physical];
  }
}

std::string Mismatch::describe() const {
  std::string text = fmt::format("{} [{} {}]", what, model_names[static_cast<unsigned>(model)],
                                 mode_names[static_cast<unsigned>(mode)]);
  for (const auto b : code) text += fmt::format(" {:02X}", b);
  const auto line = [&](const char* name, const Registers& r) {
    text += fmt::format("\n  {} eip={:08X} fl={:08X}", name, r.eip, r.eflags);
    static constexpr const char* names[8] = {"eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi"};
    for (unsigned i = 0; i < 8; ++i) text += fmt::format(" {}={:08X}", names[i], r.gpr[i]);
    text += fmt::format(" cr0={:08X} cr2={:08X}", r.cr0, r.cr2);
    for (unsigned s = 0; s < 6; ++s) text += fmt::format(" {:04X}", r.segment[s].selector);
  };
  if (what.starts_with("x87")) {
    text += fmt::format("\n  control {:04X} status {:04X} tags {:04X}:", fpu_before.control, fpu_before.status, fpu_before.tags);
    for (unsigned i = 0; i < 8; ++i)
      text += fmt::format(" {:04X}.{:016X}", fpu_before.registers[i].exponent, fpu_before.registers[i].mantissa);
    for (const auto* f : {&fpu_ours, &fpu_theirs}) {
      text += fmt::format("\n  {:04X} {:04X} {:04X}:", f->control, f->status, f->tags);
      for (unsigned i = 0; i < 8; ++i) text += fmt::format(" {:04X}.{:016X}", f->registers[i].exponent, f->registers[i].mantissa);
    }
  }
  line("before", before);
  line("planar", ours);
  line("theirs", theirs);
  text += fmt::format("\n  vectors {} and {}", our_vector, their_vector);
  return text;
}

}  // namespace planar::lockstep
