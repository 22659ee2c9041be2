// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/lockstep/harness/program.hpp"

#include <algorithm>
#include <array>

namespace planar::lockstep {

namespace {

unsigned form_of(std::uint16_t opcode, int group = -1) {
  const auto& table = forms();
  for (unsigned i = 0; i < table.size(); ++i)
    if (table[i].opcode == opcode && table[i].group == group) return i;
  return 0;
}

/// Offset (in the data segment, or linear in flat modes) of the operands that preparations write.
constexpr std::uint32_t prepared = 0x0F00;

}  // namespace

std::vector<Cell> cells(Model model) {
  std::vector<Cell> list;
  const auto& table = forms();
  for (unsigned i = 0; i < table.size(); ++i) {
    if (table[i].since > model) continue;
    for (bool size32 : {false, true}) {
      if (table[i].register_form()) list.push_back({static_cast<std::uint16_t>(i), size32, false});
      if (table[i].memory_form()) list.push_back({static_cast<std::uint16_t>(i), size32, true});
    }
  }
  return list;
}

Generator::Generator(Model model, Mode mode, std::uint64_t seed)
    : model_(model), mode_(mode), random_(seed), wide_(is_wide(mode)) {
  // Forms that fewer models support, and x87 forms, are generated more often on those that do, so that each cell is
  // well covered.
  for (const Cell& cell : cells(model)) {
    const Form& form = forms()[cell.form];
    const unsigned times = form.since >= Model::pentium                            ? 4
                           : form.since == Model::i486sx || form.kind == Kind::fpu ? 2
                                                                                   : 1;
    cells_.insert(cells_.end(), times, cell);
  }
  at_ = cells_.size();
}

void Generator::restrict_to(std::vector<Cell> cells) {
  cells_ = std::move(cells);
  at_ = cells_.size();
}

Program Generator::make(std::uint32_t eip) {
  program_ = Program{mode_, eip, {}, {}};
  for (unsigned n = 0; n < 12; ++n) {
    if (at_ == cells_.size()) {
      for (std::size_t i = cells_.size(); i > 1; --i) std::swap(cells_[i - 1], cells_[random_.below(i)]);
      at_ = 0;
    }
    emit(cells_[at_++]);
  }
  return program_;
}

void Generator::value(std::uint32_t v, unsigned bytes) {
  for (unsigned i = 0; i < bytes; ++i) byte(v >> (8 * i));
}

void Generator::immediate(unsigned bytes) {
  const std::uint64_t kind = random_.below(3);
  for (unsigned i = 0; i < bytes; ++i)
    byte(kind ? static_cast<std::uint32_t>(random_.next()) : random_.below(2) ? 0 : random_.below(2) ? 0xFF : 0x80);
}

void Generator::begin(unsigned form, bool size32, bool memory) {
  program_.instructions.push_back({static_cast<std::uint32_t>(program_.bytes.size()),
                                   0,
                                   false,
                                   0,
                                   0,
                                   {static_cast<std::uint16_t>(form), size32, memory}});
}

void Generator::end() {
  Instruction& i = program_.instructions.back();
  i.length = static_cast<std::uint8_t>(program_.bytes.size() - i.offset);
  i.immediate = program_.bytes.back();
}

void Generator::prefixes(bool size32) {
  address32_ = wide_;
  if (size32 != wide_) byte(0x66);
  if (fixed_memory_ < 0 && random_.below(wide_ ? 16 : 6) == 0) {
    byte(0x67);
    address32_ = !address32_;
  }
  if (fixed_memory_ < 0 && random_.below(8) == 0) {
    static constexpr std::array<std::uint8_t, 6> overrides{0x26, 0x2E, 0x36, 0x3E, 0x64, 0x65};
    byte(overrides[random_.below(6)]);
  }
}

// ModRM, SIB and displacement. In 16-bit segments with 32-bit addresses, and vice versa, most of them are out of range,
// which exercises the limit and #PF checks.
void Generator::modrm(unsigned reg, bool memory, int rm) {
  program_.instructions.back().modrm = static_cast<std::uint8_t>(reg << 3);
  if (!memory) {
    byte(0xC0 | reg << 3 | (rm >= 0 ? static_cast<unsigned>(rm) : static_cast<unsigned>(random_.below(8))));
    return;
  }
  if (fixed_memory_ >= 0) {
    byte(reg << 3 | (address32_ ? 5 : 6));
    value(static_cast<std::uint32_t>(fixed_memory_), address32_ ? 4 : 2);
    return;
  }
  const unsigned mod = static_cast<unsigned>(random_.below(3)), field = static_cast<unsigned>(random_.below(8));
  byte(mod << 6 | reg << 3 | field);
  if (!address32_) {
    if (mod == 1) byte(static_cast<std::uint32_t>(random_.next()));
    if (mod == 2 || (mod == 0 && field == 6)) value(static_cast<std::uint32_t>(random_.next()), 2);
    return;
  }
  unsigned base = field;
  if (field == 4) {
    unsigned sib = static_cast<unsigned>(random_.below(256));
    if (random_.below(2)) sib = (sib & 7) | 0x20;
    if ((sib >> 3 & 7) == 4) sib &= 0x3F;  // a scale without an index is undefined
    byte(sib);
    base = sib & 7;
  }
  if (mod == 1)
    byte(static_cast<std::uint32_t>(random_.next()));
  else if (mod == 2)
    value(static_cast<std::uint32_t>(random_.below(0x4000)) - 0x2000u, 4);
  else if (mod == 0 && base == 5)
    value((wide_ ? data_at : 0u) + static_cast<std::uint32_t>(random_.below(wide_ ? 0x60000 : 0x10000)), 4);
}

void Generator::set_register(unsigned reg, std::uint32_t v) {
  begin(form_of(static_cast<std::uint16_t>(0xB8 + reg)), true, false);
  if (!wide_) byte(0x66);
  byte(0xB8 + reg);
  value(v, 4);
  end();
}

void Generator::push(std::uint32_t v, bool size32) {
  begin(form_of(0x68), size32, false);
  if (size32 != wide_) byte(0x66);
  byte(0x68);
  value(v, size32 ? 4 : 2);
  end();
}

void Generator::store(std::uint32_t at, std::uint32_t v, bool size32) {
  begin(form_of(0xC7, 0), size32, true);
  if (size32 != wide_) byte(0x66);
  byte(0xC7);
  byte(wide_ ? 5 : 6);
  value(at, wide_ ? 4 : 2);
  value(v, size32 ? 4 : 2);
  end();
}

void Generator::write_model_register(std::uint32_t number, std::uint32_t v) {
  set_register(ECX, number);
  set_register(EAX, v);
  set_register(EDX, 0);
  begin(form_of(0x0F30), wide_, false);
  byte(0x0F);
  byte(0x30);
  end();
}

// Stores a far pointer and sets fixed_memory_ to its address.
void Generator::store_pointer(std::uint32_t offset, std::uint16_t sel, bool size32) {
  const std::uint32_t at = (wide_ ? data_at : 0u) + prepared;
  store(at, offset, size32);
  store(at + (size32 ? 4 : 2), sel, false);
  fixed_memory_ = static_cast<int>(at);
}

std::uint16_t Generator::selector() {
  static constexpr std::array<std::uint16_t, 24> some{
      data32,       user_data32, data16,       user_data16,  0,         3,        code32,      user_code32,
      code16,       local_data,  tss_selector, ldt_selector, call_gate, free_tss, not_present, read_only,
      execute_only, conforming,  expand_down,  user_stack16, stack16,   0x0F,     0xF8,        0x1230};
  if (mode_ == Mode::real || mode_ == Mode::v86) return static_cast<std::uint16_t>(0x2000 + random_.below(0x4000));
  const std::uint16_t s = some[random_.below(some.size())];
  return random_.below(4) ? s : static_cast<std::uint16_t>(s ^ random_.below(4));
}

std::uint16_t Generator::code_selector() {
  switch (mode_) {
    case Mode::real:
    case Mode::v86: return 0x1000;
    case Mode::protected16: return code16;
    case Mode::user16: return user_code16;
    case Mode::protected32: return code32;
    default: return user_code32;
  }
}

/// CMP reg, imm: gives every arithmetic flag a value on which both processors agree.
void Generator::define_flags() {
  begin(form_of(0x81, 7), wide_, false);
  byte(0x81);
  byte(0xF8 | static_cast<unsigned>(random_.below(8)));
  immediate(wide_ ? 4 : 2);
  end();
}

void Generator::prepare(const Form& form, const Cell& cell) {
  const auto u32 = [&](std::uint64_t bound) { return static_cast<std::uint32_t>(random_.below(bound)); };
  const std::uint32_t data = wide_ ? data_at : 0;
  switch (form.kind) {
    case Kind::string:
    case Kind::string_io:
      if (random_.below(4)) set_register(ECX, u32(6));
      if (random_.below(2)) set_register(ESI, data + u32(0x8000));
      if (random_.below(2)) set_register(EDI, data + u32(0x8000));
      break;
    case Kind::pop_segment:
    case Kind::pop_flags:
      if (form.kind == Kind::pop_flags)
        push(u32(0x10000) & ~0x100u, cell.size32);
      else
        push(selector(), cell.size32);
      break;
    case Kind::selector:
      if (!cell.memory) {
        fixed_register_ = static_cast<int>(random_.below(4));
        set_register(static_cast<unsigned>(fixed_register_), selector());
      } else if (random_.below(8)) {
        store_pointer(selector(), 0, false);
      }
      break;
    case Kind::load_far:
      if (random_.below(8)) store_pointer(static_cast<std::uint32_t>(random_.next()), selector(), cell.size32);
      break;
    case Kind::divide:
      if (random_.below(4)) {
        set_register(EDX, u32(4));
        set_register(EAX, u32(0x10000));
      }
      break;
    case Kind::control: {
      static constexpr std::array<std::uint32_t, 6> words{0x11, 0x80000011u, 0x10011, 0x13, 0x1B, 0x80010011u};
      fixed_register_ = 0;
      const bool cr3 = form.opcode == 0x0F22 && form.group == 3, cr4 = form.opcode == 0x0F22 && form.group == 4;
      if (cr4) {
        set_register(EAX, u32(2) * cr4_pse | (model_ == Model::p6 ? u32(2) * cr4_pge : 0));
      } else if (!cell.memory) {
        std::uint32_t v = cr3 ? page_directory_at : words[random_.below(words.size())];
        if (!cr3 && mode_ == Mode::real) v &= ~0x80000001u;
        if (model_ == Model::i386sx) v &= ~0x10000u;
        set_register(EAX, v);
      } else {
        store_pointer(words[random_.below(words.size())] & (mode_ == Mode::real ? ~1u : ~0u), 0, false);
      }
      break;
    }
    case Kind::image:
      if (random_.below(16))
        fixed_memory_ = static_cast<int>(data + (wide_ && random_.below(4) == 0 ? 0x40000 : 0x2000) + 16 * u32(0x600));
      break;
    case Kind::model_register:
    case Kind::enter_ring0: {
      const std::uint32_t code = mode_ == Mode::protected32 || mode_ == Mode::real ? 0 : code_at;
      const std::uint32_t values[3]{random_.below(8) ? code32 : u32(0x10000), stack_at + 4 * u32(0x1000),
                                    code + here(24 + u32(24))};
      if (form.kind == Kind::enter_ring0) {
        if (is_ring3(mode_) || random_.below(4) == 0) break;
        for (std::uint32_t n = 0; n < 3; ++n) write_model_register(sysenter_cs + n, values[n]);
        break;
      }
      const std::uint32_t n = u32(3);
      set_register(ECX, random_.below(8) ? sysenter_cs + n : 0x4000 + u32(0x1000));
      set_register(EAX, values[n]);
      set_register(EDX, 0);
      break;
    }
    case Kind::leave_ring0:
      set_register(ECX, stack_at + 4 * u32(0x1000));
      set_register(EDX, code_at + here(12) % code_at);
      break;
    case Kind::return_near: push(here(cell.size32 ? (wide_ ? 12 : 14) : 12), cell.size32); break;
    case Kind::return_far:
      if (form.opcode == 0xCF) {
        std::uint32_t flags = 0x3202 | (u32(0x1000) & 0xCD5);
        if (mode_ == Mode::v86) flags |= 0x20000;
        push(flags, cell.size32);
      }
      push(random_.below(8) ? code_selector() : selector(), cell.size32);
      push(here(16), cell.size32);
      break;
    case Kind::indirect:
      if (cell.memory) {
        if (random_.below(8)) store_pointer(here(40), 0, cell.size32);
      } else {
        fixed_register_ = static_cast<int>(random_.below(4));
        set_register(static_cast<unsigned>(fixed_register_), here(12));
      }
      break;
    case Kind::far_indirect:
      if (cell.memory && random_.below(8))
        store_pointer(here(40), random_.below(8) ? code_selector() : selector(), cell.size32);
      break;
    case Kind::shift_count:
      if (random_.below(2)) set_register(ECX, u32(40));
      break;
    case Kind::bit_offset:
      if (cell.memory && random_.below(2)) fixed_memory_ = static_cast<int>(data + 0x2000 + u32(0x4000));
      break;
    case Kind::mmx_shift:
      if (form.group >= 0 || random_.below(4) == 0) break;
      if (cell.memory) {
        store(data + prepared, u32(80), true);
        store(data + prepared + 4, 0, true);
        fixed_memory_ = static_cast<int>(data + prepared);
      } else {
        set_register(EAX, u32(80));
        fixed_register_ = static_cast<int>(random_.below(8));
        begin(form_of(0x0F6E), wide_, false);  // MOVD mm,EAX
        byte(0x0F);
        byte(0x6E);
        byte(0xC0u | static_cast<unsigned>(fixed_register_) << 3);
        end();
      }
      break;
    default: break;
  }
}

void Generator::operands(const Form& form, const Cell& cell) {
  std::string_view rest = form.operands;
  const unsigned word = cell.size32 ? 4 : 2;
  const auto u32 = [&](std::uint64_t bound) { return static_cast<std::uint32_t>(random_.below(bound)); };
  if (form.modrm()) {
    unsigned reg = form.group >= 0 ? static_cast<unsigned>(form.group) : u32(8);
    int rm = fixed_register_;
    if (form.kind == Kind::bit_offset && cell.memory) reg = u32(8);
    if (form.kind == Kind::fpu && !cell.memory) {
      const unsigned key = (form.opcode & 7u) << 3 | reg;
      static constexpr std::array<int, 4> sign{0, 1, 4, 5};
      // clang-format off
      if (key == 0x0A || key == 0x3C) rm = 0;                     // D9 D0, DF E0
      else if (key == 0x0C) rm = sign[random_.below(4)];          // D9 E0 E1 E4 E5
      else if (key == 0x0D) rm = static_cast<int>(random_.below(7));
      else if (key == 0x15 || key == 0x33) rm = 1;                // DA E9, DE D9
      else if (key == 0x1C) rm = 2 + static_cast<int>(random_.below(2));
      else rm = -1;
      // clang-format on
    }
    if (form.kind == Kind::control && !cell.memory) rm = EAX;
    if (form.opcode >= 0x0F20 && form.opcode <= 0x0F23 && form.kind != Kind::control) rm = -1;
    modrm(reg, cell.memory, rm);
    program_.instructions.back().modrm = static_cast<std::uint8_t>(reg << 3);
    rest.remove_prefix(1);
  }
  for (const char c : rest) {
    switch (c) {
      case 'b':
        if (form.opcode == 0xCD)
          byte(0x20 + u32(0xD0));
        else if (form.is_mmx())
          byte(u32(80));
        else
          immediate(1);
        break;
      case 's': immediate(1); break;
      case 'w':
        if (form.opcode == 0xC2 || form.opcode == 0xCA)
          value(u32(64) * 2, 2);
        else
          immediate(2);
        break;
      case 'z': immediate(word); break;
      case 'j': byte(u32(24)); break;
      case 'J': value(u32(40), word); break;
      case 'o': value((wide_ ? data_at : 0u) + u32(address32_ && wide_ ? 0x60000 : 0x10000), address32_ ? 4 : 2); break;
      case 'f':
        value(here(10 + u32(20)), word);
        value(random_.below(6) ? code_selector() : selector(), 2);
        break;
      case 'n':
        value(u32(64) * 2, 2);
        byte(random_.below(4) ? 0 : u32(6));
        break;
      default: break;
    }
  }
}

void Generator::emit(const Cell& cell) {
  const Form& form = forms()[cell.form];
  fixed_memory_ = fixed_register_ = -1;
  prepare(form, cell);
  begin(cell.form, cell.size32, cell.memory);
  const bool count = (form.kind == Kind::string || form.kind == Kind::string_io) && program_.instructions.size() > 1 &&
                     random_.below(2);
  if (count) {
    // Only after a preparation that made the count small; otherwise a REP would run for seconds.
    bool small = false;
    for (std::size_t i = program_.instructions.size() - 1; i-- > 0 && program_.instructions.size() - i < 5;)
      if (forms()[program_.instructions[i].cell.form].opcode == 0xB9) small = true;
    if (small) {
      byte(random_.below(2) ? 0xF3 : 0xF2);
      program_.instructions.back().rep = true;
    }
  }
  if (model_ != Model::i386sx && form.opcode < 0x30 && cell.memory && (form.opcode & 7) < 2 && random_.below(8) == 0)
    byte(0xF0);
  prefixes(form.is_mmx() ? wide_ : cell.size32);
  if (form.opcode > 0xFF) byte(0x0F);
  byte(form.opcode & 0xFFu);
  operands(form, cell);
  end();
  if (form.undefined != Undefined::none) define_flags();
}

}  // namespace planar::lockstep
