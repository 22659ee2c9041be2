// SPDX-License-Identifier: GPL-2.0-or-later
// The processor as named fields: registers, segments, control and debug registers, flags, x87, TLBs; the timing model
// adds the caches.
#include <fmt/format.h>

#include <algorithm>

#include "core/cpu/engine/engine.hpp"
#include "core/cpu/x86/cr0.hpp"
#include "core/state/description.hpp"

namespace planar::cpu {

namespace {

constexpr const char* general_names[] = {"EAX", "ECX", "EDX", "EBX", "ESP", "EBP", "ESI", "EDI"};
constexpr const char* segment_names[] = {"ES", "CS", "SS", "DS", "FS", "GS"};

void describe_segment(Description& d, const char* name, const Segment& s) {
  d.part(name)
      .reg("selector", s.selector, 16)
      .reg("base", s.base, 32)
      .reg("limit", s.limit, 32)
      .reg("access", s.access, 8)
      .flag("32-bit", s.big);
}

void describe_flags(Description& d, std::uint32_t eflags) {
  struct Bit {
    const char* name;
    std::uint32_t mask;
  };
  constexpr Bit bits[] = {{"CF", flag_cf}, {"PF", flag_pf}, {"AF", flag_af}, {"ZF", flag_zf}, {"SF", flag_sf},
                          {"TF", flag_tf}, {"IF", flag_if}, {"DF", flag_df}, {"OF", flag_of}, {"NT", flag_nt},
                          {"RF", flag_rf}, {"VM", flag_vm}, {"AC", flag_ac}, {"ID", flag_id}};
  Description& flags = d.part("EFLAGS");
  for (const Bit& bit : bits) flags.flag(bit.name, eflags & bit.mask);
  flags.number("IOPL", eflags >> 12 & 3);
}

void describe_fpu(Description& d, const Fpu& f) {
  Description& part = d.part("x87");
  part.reg("control", f.control, 16).reg("status", f.status, 16).reg("tags", f.tag_word(), 16).number("TOP", f.top());
  for (unsigned i = 0; i < 8; ++i) {
    const Float80& v = f.registers[(f.top() + i) & 7];
    const std::string name = fmt::format("ST{}", i);
    part.text(name, f.empty(i) ? "empty" : fmt::format("{:04X}:{:016X}", v.exponent, v.mantissa));
  }
  part.reg("opcode", f.opcode, 11)
      .reg("instruction selector", f.instruction_selector, 16)
      .reg("instruction offset", f.instruction_offset, 32)
      .reg("operand selector", f.operand_selector, 16)
      .reg("operand offset", f.operand_offset, 32)
      .flag("FERR", f.error_line)
      .flag("IGNNE", f.ignore_error);
}

void describe_mmx(Description& d, const Fpu& f) {
  Description& part = d.part("MMX");
  for (unsigned i = 0; i < 8; ++i) part.text(fmt::format("MM{}", i), fmt::format("{:016X}", f.registers[i].mantissa));
}

void describe_p6(Description& d, const P6Registers& r) {
  d.part("SYSENTER").reg("CS", r.sysenter_cs, 32).reg("ESP", r.sysenter_esp, 32).reg("EIP", r.sysenter_eip, 32);
  const MemoryTypeRanges& m = r.memory_types;
  Description& part = d.part("MTRR");
  part.reg("default type", m.defaults, 64);
  for (unsigned i = 0; i < MemoryTypeRanges::variable_count; ++i)
    part.reg(fmt::format("base {}", i), m.variable[i].base, 64).reg(fmt::format("mask {}", i), m.variable[i].mask, 64);
  for (unsigned i = 0; i < m.fixed.size(); ++i) part.reg(fmt::format("fixed {}", i), m.fixed[i], 64);
}

void describe_tlb(Description& d, const char* name, const ModelTlb& tlb) {
  const auto held = std::count_if(tlb.entries.begin(), tlb.entries.begin() + tlb.size(),
                                  [](const TlbEntry& e) { return e.tag != no_tag; });
  d.part(name).number("entries", tlb.size()).number("in use", static_cast<std::uint64_t>(held));
}

}  // namespace

void Engine::describe(Description& d) const {
  for (unsigned r = 0; r < 8; ++r) d.reg(general_names[r], gpr[r], 32);
  d.reg("EIP", eip, 32).reg("EFLAGS", eflags(), 32).number("CPL", cpl);
  d.reg("CR0", read_cr0(cr0, model), 32).reg("CR2", cr2, 32).reg("CR3", cr3, 32);
  if (model >= Model::pentium) d.reg("CR4", cr4, 32);
  for (const unsigned i : {0u, 1u, 2u, 3u, 6u, 7u}) d.reg(fmt::format("DR{}", i), dr[i], 32);
  d.reg("GDTR base", gdt_base, 32).reg("GDTR limit", gdt_limit, 16);
  d.reg("IDTR base", idt_base, 32).reg("IDTR limit", idt_limit, 16);
  d.flag("A20", a20).flag("INTR", attention & attend_intr).flag("NMI masked", nmi_masked);
  d.flag("halted", attention & attend_halted).flag("shutdown", attention & attend_shutdown);
  d.number("instructions", instructions_executed()).number("clocks", timing.clocks());
  describe_flags(d, eflags());
  for (unsigned s = 0; s < 6; ++s) describe_segment(d, segment_names[s], seg[s]);
  describe_segment(d, "LDTR", ldt);
  describe_segment(d, "TR", task);
  if (config.fpu) describe_fpu(d, fpu);
  if (has_mmx(model)) describe_mmx(d, fpu);
  if (model == Model::p6) describe_p6(d, p6);
  if (model >= Model::pentium) {
    describe_tlb(d, "data TLB", data_tlb);
    describe_tlb(d, "code TLB", code_tlb);
    describe_tlb(d, "4 MB page TLB", large_tlb);
    if (has_large_code_tlb(model)) describe_tlb(d, "4 MB page code TLB", large_code_tlb);
  } else {
    describe_tlb(d, "TLB", data_tlb);
  }
  timing.describe(d);
}

}  // namespace planar::cpu
