// SPDX-License-Identifier: GPL-2.0-or-later
// Segment registers: descriptor fetch, checks, loading; MOV Sreg, LDS and family, ARPL.
// Intel 386 PRM chapter 6 for the checks and their error codes.
#include "core/cpu/dispatch/select.hpp"
#include "core/cpu/exec/operands.hpp"

namespace planar::cpu {

void Segment::derive() {
  low = 0;
  read_span = write_span = -1;
  reads = writes = {};
  if ((access & 0x90) != 0x90) return;  // not present, null or a system segment
  const bool is_code = access & 0x08;
  const bool expand_down = !is_code && (access & 0x04);
  std::int64_t span;
  if (expand_down) {
    const std::uint32_t high = big ? 0xFFFFFFFFu : 0xFFFF;
    if (limit >= high) return;  // no offset is valid
    low = limit + 1;
    span = high - low;
  } else {
    span = limit == 0xFFFFFFFFu ? endless : std::int64_t{limit};
  }
  if (!is_code || (access & 0x02)) read_span = span;
  if (!is_code && (access & 0x02)) write_span = span;
}

void raise(std::uint8_t vector) { throw Fault{vector}; }
void raise(std::uint8_t vector, std::uint16_t error) { throw Fault{vector, true, error}; }

void Engine::segment_violation(unsigned s) { raise(s == SS ? vec_ss : vec_gp, 0); }

bool Engine::in_table(std::uint16_t selector) const {
  const std::uint32_t last = (selector & 0xFFF8u) + 7;
  return selector & 4 ? ldt.present() && last <= ldt.limit : last <= gdt_limit;
}

std::uint32_t Engine::descriptor_address(std::uint16_t selector, std::uint8_t vector) {
  if (!in_table(selector)) raise(vector, error_of(selector));
  return (selector & 4 ? ldt.base : gdt_base) + (selector & 0xFFF8u);
}

Descriptor Engine::read_descriptor(std::uint16_t selector, std::uint8_t vector) {
  const std::uint32_t address = descriptor_address(selector, vector);
  Descriptor d;
  d.lo = read_system(address, 4);
  d.hi = read_system(address + 4, 4);
  return d;
}

void Engine::mark_accessed(std::uint16_t selector, Descriptor& d) {
  if (d.hi & 0x100) return;
  d.hi |= 0x100;
  write_system(descriptor_address(selector, vec_gp) + 5, 1, d.hi >> 8 & 0xFF);
}

Segment Engine::make_segment(std::uint16_t selector, const Descriptor& d) {
  Segment s;
  s.selector = selector;
  s.access = d.access();
  s.big = d.big();
  s.base = d.base();
  s.limit = d.limit();
  s.derive();
  return s;
}

// Real mode changes only selector and base (limit and D are kept from protected mode); V86 has 64 KB segments.
void Engine::load_real_segment(unsigned s, std::uint16_t selector) {
  Segment& g = seg[s];
  g.selector = selector;
  g.base = std::uint32_t{selector} << 4;
  if (v86) {
    g.access = 0xF3;
    g.limit = 0xFFFF;
    g.big = false;
  } else {
    g.access = 0x93;
  }
  g.derive();
}

void Engine::load_segment(unsigned s, std::uint16_t selector) {
  if (!protected_mode || v86) {
    load_real_segment(s, selector);
    return;
  }
  if (s == SS) {
    seg[SS] = stack_segment(selector, cpl, vec_gp);
  } else if (is_null(selector)) {
    seg[s] = Segment{};
    seg[s].selector = selector;
    seg[s].access = 0;
    seg[s].limit = 0;
    seg[s].derive();
  } else {
    seg[s] = data_segment(selector, vec_gp);
  }
}

Segment Engine::data_segment(std::uint16_t selector, std::uint8_t vector) {
  Descriptor d = read_descriptor(selector, vector);
  if (!d.readable() || (!d.conforming() && (d.dpl() < cpl || d.dpl() < (selector & 3u))))
    raise(vector, error_of(selector));
  if (!d.present()) raise(vec_np, error_of(selector));
  mark_accessed(selector, d);
  return make_segment(selector, d);
}

Segment Engine::stack_segment(std::uint16_t selector, unsigned new_cpl, std::uint8_t vector) {
  if (is_null(selector)) raise(vector, 0);
  Descriptor d = read_descriptor(selector, vector);
  if ((selector & 3u) != new_cpl || d.dpl() != new_cpl || !d.writable_data()) raise(vector, error_of(selector));
  if (!d.present()) raise(vec_ss, error_of(selector));
  mark_accessed(selector, d);
  return make_segment(selector, d);
}

void Engine::set_cpl(unsigned level) {
  cpl = level;
  const bool user = level == 3;
  tlb = host_tlb[user].data();
  if (user == static_cast<bool>(l0_context >> 32 & 1)) return;
  l0_context ^= std::uint64_t{1} << 32;
  forget_segment_contexts();
}

void Engine::load_cs(std::uint16_t selector, Descriptor d, unsigned new_cpl) {
  mark_accessed(selector, d);
  seg[CS] = make_segment(static_cast<std::uint16_t>((error_of(selector)) | new_cpl), d);
  set_cpl(new_cpl);
  update_mode();
}

namespace {

template <class T>
void mov_e_sreg(Engine& c, const Op& op) {
  const std::uint16_t v = c.seg[op.reg].selector;
  if (op.has_memory)
    c.write<std::uint16_t>(op.segment, c.effective_address(op), v);
  else
    c.set<T>(op.rm, v);
}
void mov_sreg_e(Engine& c, const Op& op) {
  c.load_segment(op.reg, operand<std::uint16_t>(c, op));
  if (op.reg == SS) {
    c.inhibit_all = true;
    c.attend(attend_inhibit);
  }
}

template <unsigned S, class T>
void load_far_pointer(Engine& c, const Op& op) {
  const FarPointer to = far_pointer<T>(c, op);
  c.load_segment(S, to.selector);
  c.set<T>(op.reg, static_cast<T>(to.offset));
}

// Memory is written (and must be writable) only if the selector changes.
void arpl(Engine& c, const Op& op) {
  if (!c.protected_mode || c.v86) raise(vec_ud);
  const std::uint16_t v = operand<std::uint16_t>(c, op);
  const unsigned rpl = c.gpr[op.reg] & 3;
  const bool raised = (v & 3u) < rpl;
  if (raised) {
    const auto adjusted = static_cast<std::uint16_t>((v & ~3u) | rpl);
    if (op.has_memory)
      c.write<std::uint16_t>(op.segment, c.effective_address(op), adjusted);
    else
      c.set<std::uint16_t>(op.rm, adjusted);
  }
  c.set_zf(raised);
}

}  // namespace

Handlers select_segment(const Op& op) {
  switch (op.opcode) {
    case 0x63: return arpl;
    case 0x8C: return op.reg < 6 ? by_word(op, []<class T> { return any<mov_e_sreg<T>>; }) : nullptr;
    case 0x8E: return op.reg < 6 && op.reg != CS ? Handler(mov_sreg_e) : nullptr;
    case 0xC4: return op.has_memory ? by_word(op, []<class T> { return any<load_far_pointer<ES, T>>; }) : nullptr;
    case 0xC5: return op.has_memory ? by_word(op, []<class T> { return any<load_far_pointer<DS, T>>; }) : nullptr;
    case 0x0FB2: return op.has_memory ? by_word(op, []<class T> { return any<load_far_pointer<SS, T>>; }) : nullptr;
    case 0x0FB4: return op.has_memory ? by_word(op, []<class T> { return any<load_far_pointer<FS, T>>; }) : nullptr;
    case 0x0FB5: return op.has_memory ? by_word(op, []<class T> { return any<load_far_pointer<GS, T>>; }) : nullptr;
    default: return nullptr;
  }
}

}  // namespace planar::cpu
