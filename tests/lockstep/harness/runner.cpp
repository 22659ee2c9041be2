// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/lockstep/harness/compare.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cstring>
#include <utility>

namespace planar::lockstep {

namespace {

constexpr unsigned most_iterations = 64, most_boundaries = 1000, halts_after = 48;

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
}

// The program is followed by this many HLTs.
void Runner::place(unsigned halts) {
  for (auto* memory : {&arena.ours, &arena.theirs}) {
    const auto at = memory->begin() + start_linear_;
    std::copy(program_->bytes.begin(), program_->bytes.end(), at);
    std::fill_n(at + static_cast<std::ptrdiff_t>(program_->bytes.size()), halts, std::uint8_t{0xF4});
  }
}

// Whether the program is unchanged: it may have stored into itself, whether masked or not.
bool Runner::intact() const {
  const auto& bytes = program_->bytes;
  return std::memcmp(&arena.ours[start_linear_], bytes.data(), bytes.size()) == 0 &&
         std::memcmp(&arena.theirs[start_linear_], bytes.data(), bytes.size()) == 0;
}

// Runs from the common start state to the end, wherever that is.
void Runner::go() {
  current_ = -1;
  next_ = Next::go_on;
  rep_passed_ = false;
  boundaries_ = iterations_ = 0;
  const StepResult result = arena.unicorn.run([this](std::uint32_t address) { return boundary(address); });
  if (next_ != Next::go_on || found_ || current_ < 0) return;
  // HLT ends Unicorn's loop without another boundary.
  next_ = result.kind == StepResult::Kind::done ? finish() : finish_exception(result);
}

// A mismatch is confirmed by a second run: the whole program from the same memory and the same random numbers, with all
// memory compared at every instruction. planar discards all decoded and translated code at each start, so it repeats
// itself; if the second run is clean, Unicorn was not deterministic.
std::optional<Mismatch> Runner::run(const Program& program, Random& random, unsigned states) {
  if (aborts_unicorn(program.bytes)) {
    coverage_.note(Mask::lock_bit_register);
    return std::nullopt;
  }
  memory_before_ = arena.ours;
  const Random draws = random;
  auto found = run_once(program, random, states);
  if (!found) return found;
  arena.ours = arena.theirs = memory_before_;
  arena.unicorn.flush_tlb();
  arena.unicorn.flush_code();
  trace_memory_ = true;
  random = draws;
  auto again = run_once(program, random, states);
  trace_memory_ = false;
  if (!again) coverage_.note(Mask::not_repeated);
  return again;
}

std::optional<Mismatch> Runner::run_once(const Program& program, Random& random, unsigned states) {
  load(program);
  place(halts_after);
  for (unsigned state = 0; state < states && !found_; ++state) {
    for (unsigned index = 0; index < program.instructions.size() && !found_;) {
      Registers r = arena.initial(program.mode, random);
      r.eip = program.offset + program.instructions[index].offset;
      arena.set(r);
      const cpu::Fpu f = arena.initial_fpu(random);
      arena.processor->set_fpu(f);
      arena.unicorn.set_fpu(f);
      go();
      if (trace_memory_ && !found_ && arena.ours != arena.theirs) {
        const auto at =
            std::mismatch(arena.ours.begin(), arena.ours.end(), arena.theirs.begin()).first - arena.ours.begin();
        error_text_ = fmt::format("memory at {:X} after this instruction or one before it", at);
        const bool was = std::exchange(thorough_, true);
        if (current_ < 0) current_ = static_cast<int>(index);
        mismatch(error_text_.c_str());
        thorough_ = was;
      }
      if (!intact()) code_stored_ = true;
      if (next_ == Next::stop || code_stored_) break;
      index = static_cast<unsigned>(std::max(current_ + 1, static_cast<int>(index) + 1));
    }
    if (code_stored_) {
      place(halts_after);
      arena.unicorn.invalidate_code(code_at, code_end - code_at);
      code_stored_ = false;
    }
    if (!found_ && (tables_stored_ || state + 1 == states)) arena.restore_tables();
    tables_stored_ = false;
  }
  if (!found_ && arena.ours != arena.theirs) {
    const auto at =
        std::mismatch(arena.ours.begin(), arena.ours.end(), arena.theirs.begin()).first - arena.ours.begin();
    Mismatch m;
    m.what = fmt::format("memory at {:X} after a program", at);
    m.model = arena.model;
    m.mode = program.mode;
    m.code = program.bytes;
    m.before = m.ours = m.theirs = arena.processor->registers();
    found_ = std::move(m);
  }
  return std::move(found_);
}

// The instruction alone, in unchanged memory: the bytes after it may be its operand.
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
  place(0);
  arena.set(m.before);
  arena.processor->set_fpu(m.fpu_before);
  arena.unicorn.set_fpu(m.fpu_before);
  go();
  code_stored_ = false;
  return std::move(found_);
}

// Called before each of Unicorn's instructions: the previous one is complete.
bool Runner::boundary(std::uint32_t address) {
  const int index = index_at(address);
  if (current_ >= 0) {
    if (rep_passed_ && index == current_) return true;
    if (index == current_ && !program_->instructions[static_cast<std::size_t>(index)].rep &&
        arena.unicorn.core().gpr[ESP] == before_.gpr[ESP]) {
      if (++boundaries_ > most_boundaries) return next_ = Next::stop, false;
      arena.unicorn.clear_stores();  // it stored into its own block: Unicorn retranslates and repeats the instruction
      return true;
    }
    if (!rep_passed_) {
      next_ = finish();
      if (next_ != Next::go_on) return false;
      const Instruction& i = program_->instructions[static_cast<std::size_t>(current_)];
      if (i.rep && index == current_) {
        if (thorough_) return next_ = Next::restart, false;  // a replay covers one iteration
        const Registers now = arena.processor->registers();
        if (now.eip != before_.eip)
          rep_passed_ = true;  // Unicorn tests the count again
        else if (++iterations_ > most_iterations)
          return next_ = Next::restart, false;
        before_ = now;
        arena.unicorn.clear_stores();
        return true;
      }
    }
    ++instructions;
  }
  rep_passed_ = false;
  iterations_ = 0;
  if (++boundaries_ > most_boundaries) return next_ = Next::stop, false;  // a return or jump went back repeatedly
  current_ = index < 0 ? current_ : index;
  if (index < 0) return next_ = Next::stop, false;
  begin(index);
  return true;
}

void Runner::begin(int index) {
  current_ = index;
  before_ = arena.processor->registers();
  const Form& form = forms()[program_->instructions[static_cast<std::size_t>(index)].cell.form];
  if (form.kind == Kind::fpu || form.kind == Kind::image || form.is_mmx()) fpu_before_ = arena.processor->fpu();
  if (!thorough_) coverage_.count(program_->mode, program_->instructions[static_cast<std::size_t>(index)].cell);
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
    if (in_memory(stores[s]))
      std::copy_n(stores[s].before.begin(), std::min<std::size_t>(16, stores[s].bytes),
                  m.memory.begin() + stores[s].address);
  if (!intact()) return exclude(Mask::own_block);
  for (const Store& store : stores)
    if (store.address < code_end && store.address + store.bytes > code_at) return exclude(Mask::own_block);
  // Repeat from a clean start: within a block Unicorn sometimes loses flags that it keeps when it starts with the
  // instruction.
  if (!thorough_) {
    if (!second_) second_ = std::make_unique<Runner>(arena.model, coverage_);
    second_->meddle = meddle;
    if (!second_->replay(m) && same_as_second(m)) return exclude(Mask::hooked_flags);
  }
  found_ = std::move(m);
  return Next::stop;
}

Runner::Next Runner::exclude(Mask mask) {
  const Instruction& instruction = program_->instructions[static_cast<std::size_t>(current_)];
  if (mask == Mask::hooked_flags)
    coverage_.note(mask);  // it was compared after all
  else if (!thorough_)
    coverage_.exclude(program_->mode, instruction.cell, mask);
  if (mask == Mask::delivery || mask == Mask::unmapped || mask == Mask::wrap || mask == Mask::far_stack ||
      mask == Mask::rights || mask == Mask::hooked_flags || mask == Mask::own_block || mask == Mask::limits ||
      several_stores(forms()[instruction.cell.form])) {
    arena.copy_memory();
    arena.unicorn.flush_tlb();
    tables_stored_ = true;
  } else {
    resynchronise();
  }
  return code_stored_ || tables_stored_ ? Next::stop : Next::restart;
}

// Copies planar's memory to Unicorn where Unicorn stored, and the frame if planar delivered an exception.
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

// Executes the instruction in planar; a planted fault changes its result.
Registers Runner::step_planar(const Instruction& instruction) {
  arena.processor->step();
  const Registers ours = arena.processor->registers();
  if (!meddle) return ours;
  Registers changed = ours;
  meddle(instruction, before_, changed);
  if (changed.gpr != ours.gpr || changed.eip != ours.eip || changed.eflags != ours.eflags ||
      !same_system(changed, ours))
    arena.processor->set_registers(changed);
  return changed;
}

// Unicorn has executed the current instruction without an exception.
Runner::Next Runner::finish() {
  const Instruction& instruction = program_->instructions[static_cast<std::size_t>(current_)];
  const Form& form = forms()[instruction.cell.form];
  const Registers ours = step_planar(instruction);
  if (arena.processor->in_shutdown()) return exclude(Mask::delivery);
  if (form.kind == Kind::enter_ring0) return exclude(Mask::sysenter);
  if (form.kind == Kind::model_register && !is_ring3(program_->mode) && !names_sysenter_register(before_.gpr[ECX]))
    return exclude(Mask::other_msr);
  if (form.opcode == 0x0F22 && form.group == 4 && sets_other_cr4_bits(instruction)) return exclude(Mask::cr4_bits);
  const int vector = Arena::vector_at(ours);
  if (vector >= 0 && Arena::vector_at(arena.unicorn.registers()) != vector) {
    if (wraps(instruction)) return exclude(Mask::wrap);
    if ((vector == 13 || vector == 12) && !is_wide(program_->mode)) return exclude(Mask::limits);
    if (vector == 13 && form.opcode == 0x0F22 && form.group == 0 && refused_cr0(instruction))
      return exclude(Mask::control_bits);
    if (vector == 14 && form.kind == Kind::fpu && instruction.cell.memory && form.group == 4)
      return exclude(Mask::fpu_pointers);
    if (vector == 14 && form.kind == Kind::image) return exclude(Mask::image_end);
    for (const Store& store : arena.unicorn.stores())  // beyond it, in a 4 MB page
      if (!in_memory(store)) return exclude(Mask::unmapped);
    if (vector == 13 && through_cs(instruction)) return exclude(Mask::rights);
    if (vector == 13 && (form.kind == Kind::port || form.kind == Kind::string_io) && is_ring3(program_->mode))
      return exclude(Mask::io_permission);
    if (form.opcode == 0x0F00 && form.group == 3 && vector == 13 &&
        (arena.unicorn.registers().tr.selector & 0xFFFC) == 0)
      return exclude(Mask::ltr_null);
    if (const Registers u = arena.unicorn.registers(); vector == 13 && u.eip > u.segment[CS].limit)
      return exclude(Mask::limits);
    if (form.opcode == 0xCF && before_.cpl != 0 && (arena.unicorn.core().eflags & flag_vm))
      return exclude(Mask::iret_vm);
    if (form.opcode == 0xCF && vector == 13 && (arena.unicorn.core().eflags & flag_vm)) return exclude(Mask::limits);
    if (form.kind == Kind::enter && (vector == 14 || vector == 12)) return exclude(Mask::enter_probe);
    if (is_far(form.kind) && vector == 14 && before_.cpl == 3) return exclude(Mask::far_stack);
    return mismatch("planar raised an exception, Unicorn did not");
  }
  return compare_done();
}

Runner::Next Runner::compare_done() {
  const Instruction& instruction = program_->instructions[static_cast<std::size_t>(current_)];
  const Form& form = forms()[instruction.cell.form];
  const Registers ours = arena.processor->registers();
  UnicornCpu::Core theirs = arena.unicorn.core();
  // Unicorn tests the count of a REP again before leaving it.
  if (instruction.rep && theirs.eip == before_.eip && ours.eip == before_.eip + instruction.length)
    theirs.eip = ours.eip;
  for (const Store& store : arena.unicorn.stores())
    if (!in_memory(store)) return exclude(Mask::unmapped);
  bool result_undefined = false;
  const std::uint32_t undefined = undefined_flags(instruction, before_, result_undefined);
  if (result_undefined) return exclude(Mask::undefined_result);
  if (form.opcode == 0x0FA2) return exclude(Mask::cpuid);
  if (form.opcode == 0x61 && instruction.cell.size32 && arena.model == Model::i386sx && !is_wide(program_->mode))
    return exclude(Mask::popad_386);
  if (form.opcode == 0xCF && (theirs.eflags & ~ours.eflags & flag_vm) && before_.cpl != 0)
    return exclude(Mask::iret_vm);
  if (form.opcode == 0x9C && instruction.cell.size32 && program_->mode == Mode::v86) return exclude(Mask::pushf_v86);
  if (form.kind == Kind::enter && instruction.cell.size32 != is_wide(program_->mode)) return exclude(Mask::enter_66);
  const bool smsw = form.opcode == 0x0F01 && form.group == 4;
  if (smsw && instruction.cell.size32 && !instruction.cell.memory) return exclude(Mask::smsw);
  if (arena.model == Model::i386sx && (smsw || (form.opcode == 0x0F20 && form.group == 0)))
    return exclude(Mask::cr0_386);
  const char* what = nullptr;
  if (form.opcode == 0xDF && form.group == 4 && !instruction.cell.memory)  // FNSTSW AX: exceptions and C1
    theirs.gpr[EAX] = (theirs.gpr[EAX] & ~0x02FFu) | (ours.gpr[EAX] & 0x02FFu);
  if (form.undefined == Undefined::fpu_compare && (arena.processor->fpu().status & 0x40))
    return exclude(Mask::fpu_stack);
  if (!same_core(ours, theirs, undefined, what)) return wraps(instruction) ? exclude(Mask::wrap) : mismatch(what);
  if (undefined) coverage_.note(Mask::undefined_flags);
  if (form.system) {
    if (const char* difference = system_difference(ours, arena.unicorn.registers()))
      return wraps(instruction) ? exclude(Mask::wrap) : mismatch(difference);
  } else if (!same_system(before_, ours)) {
    return mismatch("an ordinary instruction changed the system state");
  }
  if (form.kind == Kind::fpu && wraps(instruction)) return exclude(Mask::wrap);
  if (form.kind == Kind::fpu)
    if (const char* difference = compare_fpu(form)) return mismatch(difference);
  if (form.is_mmx())
    if (const char* difference = compare_mmx(form))
      return wraps(instruction) ? exclude(Mask::wrap) : mismatch(difference);
  if (form.kind == Kind::image)
    if (const char* difference = compare_image(form))
      return wraps(instruction) ? exclude(Mask::wrap) : mismatch(difference);
  if (form.kind == Kind::port && arena.pins.written != arena.port_written) return mismatch("port");
  if (!stores_equal()) {
    if (wraps(instruction)) return exclude(Mask::wrap);
    error_text_ = "memory";
    for (const Store& st : arena.unicorn.stores()) {
      error_text_ += fmt::format(" {:X}:", st.address);
      for (unsigned i = 0; i < st.bytes && st.address + i < memory_bytes; ++i)
        error_text_ += fmt::format(" {:02X}/{:02X}", arena.ours[st.address + i], arena.theirs[st.address + i]);
    }
    return mismatch(error_text_.c_str());
  }
  if (code_stored_ || tables_stored_) return Next::stop;
  const bool loads_control =
      form.kind == Kind::fpu && instruction.cell.memory &&
      ((form.opcode == 0xD9 && (form.group == 4 || form.group == 5)) || (form.opcode == 0xDD && form.group == 4));
  // may unmask exceptions that Unicorn does not collect
  if (form.system || loads_control || (form.kind == Kind::image && form.group == 1) ||
      (form.kind == Kind::fpu && fpu_fault_) || (ours.eflags & 0x100))
    return Next::restart;
  return Next::go_on;
}

// Unicorn stopped in the current instruction, or at the fetch of the next one.
Runner::Next Runner::finish_exception(const StepResult& result) {
  if (current_ < 0) return Next::stop;
  const Instruction& instruction = program_->instructions[static_cast<std::size_t>(current_)];
  const Form& form = forms()[instruction.cell.form];
  const Registers theirs = arena.unicorn.registers();
  if (rep_passed_) return Next::stop;
  // Unicorn's POPAD keeps the registers loaded before a page fault; planar's leaves all unchanged.
  const bool broken_off = form.opcode == 0x61 && theirs.eip == before_.eip;
  if (!result.software && !broken_off &&
      (theirs.eip != before_.eip || theirs.gpr != before_.gpr)) {  // the next instruction could not be fetched
    next_fetch_faulted_ = true;
    const Next next = finish();
    next_fetch_faulted_ = false;
    return next == Next::go_on ? Next::restart : next;
  }
  const Registers ours = step_planar(instruction);
  ++instructions;
  const int vector = Arena::vector_at(ours);
  if (arena.processor->in_shutdown() || !stack_usable(ours)) return exclude(Mask::delivery);
  if (result.kind == StepResult::Kind::unmapped)
    return exclude(vector == 12 || vector == 13 ? Mask::limits : Mask::unmapped);
  ++exceptions;
  if (result.vector == 14) take_back_marks();
  const bool is_limit = (vector == 12 || vector == 13) && !is_wide(program_->mode);
  std::uint16_t error = 0;
  const char* what = check_frame(before_, ours, result, error);
  if (vector != result.vector) {
    if (vector == 8) return exclude(Mask::delivery);
    if (wraps(instruction)) return exclude(Mask::wrap);
    if (vector == 13 && (form.kind == Kind::port || form.kind == Kind::string_io) && is_ring3(program_->mode))
      return exclude(Mask::io_permission);
    if (form.opcode == 0xF1) return exclude(Mask::icebp);
    if (form.opcode == 0x63 && vector < 0 && result.vector == 14) return exclude(Mask::arpl);
    if (is_limit) return exclude(Mask::limits);
    if (vector == 13 && through_cs(instruction)) return exclude(Mask::rights);
    // Unicorn reads the stack of a far return with ring 0 privilege, and so reaches the selector stored there.
    if (is_far(form.kind) && vector == 14 && result.vector == 13 && before_.cpl == 3 && ours.cr2 - before_.gpr[ESP] < 8)
      return exclude(Mask::far_stack);
    // Unicorn pushes before it compares a far call's target with the limit of its segment, #GP(0).
    if (is_far(form.kind) && vector == 13 && result.vector == 14 && !what && error == 0) return exclude(Mask::limits);
    found_.reset();
    const Next n = mismatch("vector");
    if (found_) found_->their_vector = result.vector;
    return n;
  }
  if (!what && result.vector == 14 && ours.cr2 != theirs.cr2) {
    const bool crosses = (ours.cr2 ^ theirs.cr2) & 0xFFFFF000u && ours.cr2 - theirs.cr2 + 16 < 32;
    // FBLD, FBSTP, environments, FSAVE images, and 80-bit operands: the order of the parts is specific to the chip.
    const bool m80 = form.opcode == 0xDB && form.group >= 5;
    const bool large = form.kind == Kind::fpu && (m80 || ((form.opcode & 1) && (form.group == 4 || form.group == 6)));
    if (crosses || large || form.opcode == 0xA6 || form.opcode == 0xA7 || form.opcode == 0x60)
      return exclude(Mask::access_order);
    what = "CR2";
  }
  const bool only_write = vector == 14 && (error ^ result.error) == 2 && (error & 2) && instruction.cell.memory;
  if (only_write) coverage_.note(Mask::access_order);
  if (!what && (before_.cr0 & 1) && !result.software && error != result.error && !only_write) {
    // A far transfer beyond the target's limit: #GP(0) by the manual, #GP(selector) in Unicorn.
    if ((is_limit || (vector == 13 && is_far(form.kind))) && error == 0) return exclude(Mask::limits);
    if (wraps(instruction)) return exclude(Mask::wrap);
    if (is_far(form.kind) && vector == 14 && (error ^ result.error) == 4 && before_.cpl == 3)
      return exclude(Mask::far_stack);
    error_text_ = fmt::format("error code {:X} and {:X}", error, result.error);
    what = error_text_.c_str();
  }
  const auto& kept = broken_off ? before_.gpr : theirs.gpr;
  for (unsigned i = 0; i < 8 && !what; ++i)
    if (i != ESP && ours.gpr[i] != kept[i]) what = "register after an exception";
  if (broken_off && before_.gpr != theirs.gpr) coverage_.note(Mask::access_order);
  if (what) {
    const Next n = mismatch(what);
    if (found_) found_->their_vector = result.vector;
    return n;
  }
  // An instruction with several stores may have completed some of them; the order is specific to the chip.
  if (!arena.unicorn.stores().empty() || several_stores(form)) {
    coverage_.note(Mask::access_order);
    arena.copy_memory();
  }
  resynchronise();
  return code_stored_ || tables_stored_ ? Next::stop : Next::restart;
}

// Copies the words pushed by the delivery, which Unicorn does not execute. Where they overlap the page tables, which
// are mapped one-to-one, they may have changed their own entry.
void Runner::sync_stack(const Registers& handler) {
  const std::uint32_t mask = handler.segment[SS].big ? 0xFFFFFFFFu : 0xFFFFu;
  for (std::uint32_t i = 0; i < 48; ++i) {
    const std::uint32_t linear = handler.segment[SS].base + ((handler.gpr[ESP] + i) & mask);
    const auto physical = linear < tables_end ? std::optional(linear) : arena.processor->translate(linear);
    if (!physical || *physical >= memory_bytes) continue;
    tables_stored_ = tables_stored_ || *physical < tables_end;
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
    text += fmt::format("\n  control {:04X} status {:04X} tags {:04X}:", fpu_before.control, fpu_before.status,
                        fpu_before.tags);
    for (unsigned i = 0; i < 8; ++i)
      text += fmt::format(" {:04X}.{:016X}", fpu_before.registers[i].exponent, fpu_before.registers[i].mantissa);
    for (const auto* f : {&fpu_ours, &fpu_theirs}) {
      text += fmt::format("\n  {:04X} {:04X} {:04X}:", f->control, f->status, f->tags);
      for (unsigned i = 0; i < 8; ++i)
        text += fmt::format(" {:04X}.{:016X}", f->registers[i].exponent, f->registers[i].mantissa);
    }
  }
  line("before", before);
  line("planar", ours);
  line("theirs", theirs);
  text += fmt::format("\n  vectors {} and {}", our_vector, their_vector);
  return text;
}

}  // namespace planar::lockstep
