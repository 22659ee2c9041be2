// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/lockstep/harness/arena.hpp"

#include <algorithm>
#include <cstring>

namespace planar::lockstep {

void put16(std::vector<std::uint8_t>& m, std::uint32_t at, std::uint32_t v) {
  m[at] = static_cast<std::uint8_t>(v);
  m[at + 1] = static_cast<std::uint8_t>(v >> 8);
}
void put32(std::vector<std::uint8_t>& m, std::uint32_t at, std::uint32_t v) {
  put16(m, at, v & 0xFFFF);
  put16(m, at + 2, v >> 16);
}
std::uint32_t get(const std::vector<std::uint8_t>& m, std::uint32_t at, unsigned bytes) {
  std::uint32_t v = 0;
  for (unsigned i = 0; i < bytes; ++i) v |= std::uint32_t{m[at + i]} << (8 * i);
  return v;
}

namespace {

cpu::CpuConfig configuration(Model model) {
  cpu::CpuConfig c;
  c.model = model;
  c.clock = ClockDomain(20'000'000);
  c.fpu = true;  // a 387 or 487 in its socket
  c.timing.model = model;
  c.timing.dram.width = model == Model::i386sx ? 2 : model == Model::i486sx ? 4 : 8;
  if (model == Model::i486sx) c.timing.l1.bytes = 8192;
  if (model == Model::pentium) c.timing.l1 = {.bytes = 8192, .ways = 2, .line = 32, .split = true, .write_back = true};
  if (model == Model::p6) c.timing.l1 = {.bytes = 16384, .ways = 4, .line = 32, .split = true, .write_back = true};
  if (model != Model::i386sx) c.timing.write_buffers = 2;
  return c;
}

void descriptor(std::vector<std::uint8_t>& m, std::uint32_t at, std::uint32_t base, std::uint32_t limit,
                std::uint32_t access, std::uint32_t flags) {
  put32(m, at, (limit & 0xFFFF) | base << 16);
  put32(m, at + 4, (base >> 16 & 0xFF) | access << 8 | (limit & 0xF0000) | flags << 20 | (base & 0xFF000000u));
}

}  // namespace

Arena::Arena(Model model_)
    : model(model_),
      ours(memory_bytes),
      theirs(memory_bytes),
      processor(std::make_unique<cpu::Cpu>(scheduler, space, pins, trace, configuration(model_))),
      unicorn(model_, this) {
  space.map_ram(0, ours);
  unicorn.map(0, theirs);
  processor->limit_block_length(1);  // stepping may start at any instruction: longer blocks would be decoded again at
                                     // each
  build_tables();
  if (model != Model::p6) return;
  write_model_register(sysenter_cs, code32);
  write_model_register(sysenter_esp, ring0_stack_at);
  write_model_register(sysenter_eip, code_end - 0x100);
}

// By WRMSR, which both execute.
void Arena::write_model_register(std::uint32_t number, std::uint32_t value) {
  for (auto* memory : {&ours, &theirs}) {
    (*memory)[code_at] = 0x0F;
    (*memory)[code_at + 1] = 0x30;
  }
  Registers r = plain(Mode::real);
  r.gpr[ECX] = number;
  r.gpr[EAX] = value;
  set(r);
  processor->step();
  unicorn.step();
}

void Arena::build_tables() {
  tables_.assign(tables_end, 0);
  auto& m = tables_;
  for (unsigned v = 0; v < 256; ++v) {
    put16(m, v * 4, real_handlers + v);
    put32(m, idt_at + v * 8, ((handlers + v) & 0xFFFF) | std::uint32_t{code32} << 16);
    put32(m, idt_at + v * 8 + 4, (handlers & 0xFFFF0000u) | 0xEE00);
  }
  const auto gdt = [&](std::uint16_t selector, std::uint32_t base, std::uint32_t limit, std::uint32_t access,
                       std::uint32_t flags) {
    descriptor(m, gdt_at + (selector & 0xFFF8), base, limit, access, flags);
  };
  gdt(code32, 0, 0xFFFFF, 0x9B, 0xC);
  gdt(data32, 0, 0xFFFFF, 0x93, 0xC);
  gdt(user_code32, 0, 0xFFFFF, 0xFB, 0xC);
  gdt(user_data32, 0, 0xFFFFF, 0xF3, 0xC);
  gdt(code16, code_at, 0xFFFF, 0x9B, 0);
  gdt(data16, data_at, 0xFFFF, 0x93, 0);
  gdt(stack16, stack_at, 0xFFFF, 0x93, 0);
  gdt(tss_selector, tss_at, 0x20E7, 0x8B, 0);
  gdt(ldt_selector, ldt_at, 0x3F, 0x82, 0);
  gdt(user_code16, code_at, 0xFFFF, 0xFB, 0);
  gdt(user_data16, data_at, 0xFFFF, 0xF3, 0);
  gdt(user_stack16, stack_at, 0xFFFF, 0xF3, 0);
  put32(m, gdt_at + (call_gate & 0xFFF8), std::uint32_t{code32} << 16 | (code_at & 0xFFFF));
  put32(m, gdt_at + (call_gate & 0xFFF8) + 4, (code_at & 0xFFFF0000u) | 0xEC00);
  gdt(free_tss, tss_at, 0x67, 0x89, 0);
  gdt(not_present, data_at, 0xFFFF, 0x13, 0);
  gdt(read_only, data_at, 0xFFFF, 0xF1, 0);
  gdt(execute_only, code_at, 0xFFFF, 0xF9, 0);
  gdt(conforming, 0, 0xFFFFF, 0x9F, 0xC);
  gdt(expand_down, data_at, 0xFFF, 0xF7, 0);
  descriptor(m, ldt_at, data_at, 0xFFFFF, 0xF2, 0x4);
  put32(m, tss_at + 4, ring0_stack_at);
  put16(m, tss_at + 8, data32);
  put16(m, tss_at + 0x66, 0x68);  // a bitmap that permits every port: Unicorn does not check it
  m[tss_at + 0x68 + 0x2000] = 0xFF;

  // The first 4 MB: identity-mapped where there is memory, with pages of each protection, some mapped twice, a few not
  // present.
  put32(m, page_directory_at, page_table_at | 0x67);
  for (std::uint32_t page = 0; page < memory_bytes >> 12; ++page) {
    std::uint32_t entry = page << 12 | 0x67;
    if (page < code_at >> 12) entry = page << 12 | 0x63;
    // clang-format off
    if (page >= 0x60 && page < 0x68) entry = page << 12 | 0x65;         // read-only
    else if (page >= 0x68 && page < 0x6C) entry = page << 12 | 0x63;    // supervisor
    else if (page >= 0x6C && page < 0x70) entry = page << 12 | 0x61;
    else if (page >= 0x70 && page < 0x74) entry = 0;                    // not present
    else if (page >= 0x74 && page < 0x78) entry = (page - 0x24) << 12 | 0x67;  // mapped twice
    else if (page >= 0x78 && page < 0x80) entry = page << 12 | 0x07;    // never used
    else if (page >= 0x80 && page < 0x88) entry = page << 12 | 0x27;    // never written
    else if (page >= 0x88 && page < 0x90) entry = page << 12 | 0x167;   // global on a P6, if CR4.PGE is set
    // clang-format on
    put32(m, page_table_at + page * 4, entry);
  }

  // 4 MB pages of each protection, one of them global, one never used, one not present.
  static constexpr std::uint32_t rights[large_pages]{0xE7, 0xE5, 0xE3, 0x1E7, 0x87, 0x86};
  if (model >= Model::pentium)
    for (std::uint32_t n = 0; n < large_pages; ++n) put32(m, page_directory_at + 4 * (n + 1), rights[n]);
}

bool Arena::restore_tables() {
  const bool changed = std::memcmp(ours.data(), tables_.data(), tables_end) != 0 ||
                       std::memcmp(theirs.data(), tables_.data(), tables_end) != 0;
  if (changed) {
    std::copy(tables_.begin(), tables_.end(), ours.begin());
    std::copy(tables_.begin(), tables_.end(), theirs.begin());
    unicorn.flush_tlb();
  }
  return changed;
}

void Arena::clear() {
  std::fill(ours.begin(), ours.end(), std::uint8_t{0});
  std::copy(tables_.begin(), tables_.end(), ours.begin());
  theirs = ours;
}

void Arena::fill(Random& random) {
  for (std::uint32_t a = data_at; a < memory_bytes; a += 8) {
    std::uint64_t v = random.next();
    if ((v & 7) == 0)
      v = random.below(0x100) * 0x0101010101010101u;
    else if ((v & 7) == 1)
      v = (v >> 8 & 0x7FFFF) | (v >> 30 & 0x7FFFF) << 32;
    std::memcpy(&ours[a], &v, 8);
  }
  std::copy(tables_.begin(), tables_.end(), ours.begin());
  theirs = ours;
  unicorn.flush_tlb();
  unicorn.flush_code();
}

cpu::SegmentView Arena::segment(std::uint16_t selector) const {
  const std::uint32_t at = gdt_at + (selector & 0xFFF8);
  const std::uint32_t lo = get(tables_, at, 4), hi = get(tables_, at + 4, 4);
  std::uint32_t limit = (lo & 0xFFFF) | (hi & 0xF0000);
  if (hi & 0x800000) limit = limit << 12 | 0xFFF;
  return {selector, lo >> 16 | (hi & 0xFF) << 16 | (hi & 0xFF000000u), limit, static_cast<std::uint8_t>(hi >> 8),
          (hi & 0x400000) != 0};
}

Registers Arena::plain(Mode mode) const {
  Registers r;
  r.gdtr = {gdt_at, 0x9F};
  r.idtr = {idt_at, 0x7FF};
  r.ldtr = {ldt_selector, ldt_at, 0x3F, 0x82, false};
  r.tr = {tss_selector, tss_at, 0x20E7, 0x8B, false};
  r.dr[6] = 0xFFFF0FF0u;
  r.dr[7] = model == Model::i386sx ? 0 : 0x400;
  r.cr3 = page_directory_at;
  r.cr0 = 0x11;
  r.cpl = is_ring3(mode) ? 3 : 0;
  if (is_ring3(mode) || mode == Mode::protected32) r.cr0 |= 0x80000000u;
  switch (mode) {
    case Mode::real:
    case Mode::v86: {
      static constexpr std::uint16_t selectors[6] = {0x2000, 0x1000, 0x4000, 0x2800, 0x3100, 0x5000};
      for (unsigned s = 0; s < 6; ++s)
        r.segment[s] = {selectors[s], selectors[s] * 16u, 0xFFFF,
                        static_cast<std::uint8_t>(mode == Mode::v86 ? 0xF3 : 0x93), false};
      if (mode == Mode::real) {
        r.cr0 &= ~0x80000001u;
        r.idtr = {0, 0x3FF};
      }
      break;
    }
    case Mode::protected16:
    case Mode::user16:
      for (auto& s : r.segment) s = segment(mode == Mode::user16 ? user_data16 : data16);
      r.segment[CS] = segment(mode == Mode::user16 ? user_code16 : code16);
      r.segment[SS] = segment(mode == Mode::user16 ? user_stack16 : stack16);
      break;
    case Mode::protected32:
    case Mode::user32:
      for (auto& s : r.segment) s = segment(mode == Mode::user32 ? user_data32 : data32);
      r.segment[CS] = segment(mode == Mode::user32 ? user_code32 : code32);
      break;
  }
  r.gpr[ESP] = (is_wide(mode) ? stack_at : 0u) + 0x5000u;
  r.eip = is_wide(mode) ? code_at : 0;
  r.eflags = mode == Mode::v86 ? 0x20002 : 2;
  return r;
}

Registers Arena::initial(Mode mode, Random& random) const {
  Registers r = plain(mode);
  const bool wide = is_wide(mode);
  if (mode == Mode::protected32 && random.below(4) == 0) r.cr0 &= ~0x80000000u;
  if (model != Model::i386sx && random.below(2)) r.cr0 |= 0x10000;
  const bool large = model >= Model::pentium && random.below(2) != 0;
  if (large) r.cr4 |= cr4_pse;
  if (model == Model::p6 && random.below(2) != 0) r.cr4 |= cr4_pge;
  for (auto& g : r.gpr) {
    switch (random.below(8)) {
      case 0: g = static_cast<std::uint32_t>(random.next()); break;
      case 1: g = static_cast<std::uint32_t>(random.below(256)); break;
      case 2: g = static_cast<std::uint32_t>(0 - random.below(256)); break;
      case 3: g = 1u << random.below(32); break;
      case 4:
        g = wide ? 0x5F000u + static_cast<std::uint32_t>(random.below(0x2A000))
                 : static_cast<std::uint32_t>(random.below(0x10000));
        break;
      default:
        g = wide ? data_at + static_cast<std::uint32_t>(random.below(0x30000))
                 : static_cast<std::uint32_t>(random.below(0xF000));
        break;
    }
    if (!wide && random.below(8) == 0) g |= static_cast<std::uint32_t>(random.next()) << 16;
    if (wide && large && random.below(4) == 0)
      g += large_page * (1 + static_cast<std::uint32_t>(random.below(large_pages)));
  }
  r.gpr[ESP] =
      (wide ? stack_at : 0u) + 0x4000u + static_cast<std::uint32_t>(random.below(0x1000)) * 4u + (random.below(8) == 0);
  if (random.below(2)) r.gpr[ECX] &= 0x1F;
  r.eflags |= static_cast<std::uint32_t>(random.next()) & 0xCD5u;
  if (random.below(4)) r.eflags &= ~0x400u;
  if (random.below(2)) r.eflags |= 0x3000;
  if (random.below(2)) r.eflags |= 0x200;
  return r;
}

cpu::Fpu Arena::initial_fpu(Random& random) const {
  cpu::Fpu f;
  f.initialise();
  f.control =
      static_cast<std::uint16_t>(0x003F | random.below(4) << 10 | (random.below(3) ? 3 : random.below(2) * 2) << 8);
  const bool special = random.below(8) == 0;
  for (unsigned i = 0; i < 8; ++i) {
    auto& v = f.registers[i];
    v.mantissa = random.next() | 1ull << 63;
    v.exponent = static_cast<std::uint16_t>(0x3FFF - 40 + random.below(80));
    switch (random.below(10)) {
      case 0:
        if (special) v.exponent = 0x7FFF;
        if (special && random.below(2)) v.mantissa = 1ull << 63;
        break;
      case 1: v = {}; break;
      case 2:
        if (special) v.exponent = static_cast<std::uint16_t>(random.below(0x7FFF));
        break;
      case 3: v.mantissa &= ~0ull << (20 + random.below(44)); break;
      default: break;
    }
    if (random.below(2)) v.exponent |= 0x8000;
    if (i > 1) f.tags &= static_cast<std::uint16_t>(~(3u << (2 * i)));
  }
  f.set_top(2 + (random.below(4) == 0));  // six or five in use
  return f;
}

void Arena::set(const Registers& r) {
  processor->set_registers(r);
  unicorn.set_registers(r);
}

int Arena::vector_at(const Registers& r) {
  const bool is_real = !(r.cr0 & 1);
  const std::uint32_t first = is_real ? real_handlers : handlers;
  if (r.segment[CS].selector != (is_real ? 0 : code32) || r.eip - first > 0xFF) return -1;
  return static_cast<int>(r.eip - first);
}

}  // namespace planar::lockstep
