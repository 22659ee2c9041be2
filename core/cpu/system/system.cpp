// SPDX-License-Identifier: GPL-2.0-or-later
// Control, debug and test registers, descriptor-table instructions, selector inspection, HLT, CLI, STI.
#include "core/cpu/dispatch/select.hpp"
#include "core/cpu/exec/fpu/fpu_instructions.hpp"
#include "core/cpu/exec/operands.hpp"
#include "core/cpu/system/system_instructions.hpp"
#include "core/cpu/x86/cr0.hpp"
#include "core/cpu/x86/features.hpp"

namespace planar::cpu {

void Engine::require_cpl0() {
  if (cpl != 0) raise(vec_gp, 0);
}

void Engine::set_cr0(std::uint32_t v) {
  v = written_cr0(v, model);
  if ((v & cr0_pg) && !(v & cr0_pe)) raise(vec_gp, 0);
  if ((v & cr0_nw) && !(v & cr0_cd)) raise(vec_gp, 0);
  const std::uint32_t changed = cr0 ^ v;
  cr0 = v;
  if (changed & cr0_cd) timing.set_cache_enabled(!(v & cr0_cd));
  if (changed & (cr0_pg | cr0_pe | cr0_wp)) flush_tlb();
  if (changed & cr0_pe) {
    protected_mode = v & cr0_pe;
    if (!protected_mode) set_cpl(0);
    update_mode();
  }
  break_loop();
}

void Engine::set_cr3(std::uint32_t v) {
  cr3 = v & (model == Model::i386sx ? page_mask : page_mask | 0x18);
  flush_tlb(kept_across_tasks());
}

namespace {

/// Stores a system register: a word to memory, but all of `v` to a 32-bit register.
void store_word(Engine& c, const Op& op, std::uint32_t v) {
  if (op.has_memory)
    c.write<std::uint16_t>(op.segment, c.effective_address(op), static_cast<std::uint16_t>(v));
  else
    c.set_sized(op.rm, op.operand32, v);
}
void require_protected(const Engine& c) {
  if (!c.protected_mode || c.v86) raise(vec_ud);
}

// ---- 0F 00 ----
// clang-format off
void sldt(Engine& c, const Op& op) { require_protected(c); store_word(c, op, c.ldt.selector); }
void str(Engine& c, const Op& op) { require_protected(c); store_word(c, op, c.task.selector); }
// clang-format on
void lldt(Engine& c, const Op& op) {
  require_protected(c);
  c.require_cpl0();
  const std::uint16_t selector = operand<std::uint16_t>(c, op);
  if (is_null(selector)) {
    c.ldt = Segment{};
    c.ldt.selector = selector;
    c.ldt.access = 0;
    return;
  }
  if (selector & 4) raise(vec_gp, error_of(selector));
  const Descriptor d = c.read_descriptor(selector, vec_gp);
  if (!d.system() || d.type() != 2) raise(vec_gp, error_of(selector));
  if (!d.present()) raise(vec_np, error_of(selector));
  c.ldt = Engine::make_segment(selector, d);
}
void ltr(Engine& c, const Op& op) {
  require_protected(c);
  c.require_cpl0();
  const std::uint16_t selector = operand<std::uint16_t>(c, op);
  if (is_null(selector)) raise(vec_gp, 0);
  if (selector & 4) raise(vec_gp, error_of(selector));
  const Descriptor d = c.read_descriptor(selector, vec_gp);
  if (!d.available_tss()) raise(vec_gp, error_of(selector));
  if (!d.present()) raise(vec_np, error_of(selector));
  c.write_system(c.descriptor_address(selector, vec_gp) + 4, 4, d.hi | 0x200);
  c.task = Engine::make_segment(selector, d);
  c.task.access |= 2;
}
/// Sets ZF if the selector may be used at this privilege and `allowed` accepts its descriptor; null, out-of-limit and
/// privileged selectors clear it.
template <class F>
void inspect(Engine& c, const Op& op, F&& allowed) {
  require_protected(c);
  const std::uint16_t selector = operand<std::uint16_t>(c, op);
  if (is_null(selector) || !c.in_table(selector)) return c.set_zf(false);
  const Descriptor d = c.read_descriptor(selector, vec_gp);
  c.set_zf((d.conforming() || (d.dpl() >= c.cpl && d.dpl() >= (selector & 3u))) && allowed(d));
}
template <bool Write>
void verify(Engine& c, const Op& op) {
  inspect(c, op, [](const Descriptor& d) { return Write ? d.writable_data() : d.readable(); });
}
template <class T>
void lar(Engine& c, const Op& op) {
  inspect(c, op, [&](const Descriptor& d) {
    if (d.system() && !(0x1A3E >> d.type() & 1)) return false;  // 1 2 3 4 5 9 B C
    c.set<T>(op.reg, static_cast<T>(d.hi & 0x00F0FF00u));
    return true;
  });
}
template <class T>
void lsl(Engine& c, const Op& op) {
  inspect(c, op, [&](const Descriptor& d) {
    if (d.system() && !(0x0A0E >> d.type() & 1)) return false;  // 1 2 3 9 B
    c.set<T>(op.reg, static_cast<T>(d.limit()));
    return true;
  });
}

// ---- 0F 01 ----
template <bool Idt>
void store_table(Engine& c, const Op& op) {
  c.write<std::uint16_t>(op.segment, c.effective_address(op), Idt ? c.idt_limit : c.gdt_limit);
  c.write<std::uint32_t>(op.segment, second_part(c, op, 2), Idt ? c.idt_base : c.gdt_base);
}
template <bool Idt>
void load_table(Engine& c, const Op& op) {
  c.require_cpl0();
  const std::uint16_t limit = c.read<std::uint16_t>(op.segment, c.effective_address(op));
  std::uint32_t base = c.read<std::uint32_t>(op.segment, second_part(c, op, 2));
  if (!op.operand32) base &= 0x00FFFFFF;
  (Idt ? c.idt_base : c.gdt_base) = base;
  (Idt ? c.idt_limit : c.gdt_limit) = limit;
}
void smsw(Engine& c, const Op& op) { store_word(c, op, read_cr0(c.cr0, c.model)); }
// LMSW sets PE but never clears it.
void lmsw(Engine& c, const Op& op) {
  c.require_cpl0();
  const std::uint32_t v = operand<std::uint16_t>(c, op) & 15u;
  c.set_cr0((c.cr0 & ~14u) | v);
}
void invlpg(Engine& c, const Op& op) {
  c.require_cpl0();
  c.invalidate_page(c.seg[op.segment].base + c.effective_address(op));
}

// ---- registers ----
void clts(Engine& c, const Op&) {
  c.require_cpl0();
  c.cr0 &= ~cr0_ts;
}
void mov_from_cr(Engine& c, const Op& op) {
  c.require_cpl0();
  switch (op.reg) {
    case 0: c.gpr[op.rm] = read_cr0(c.cr0, c.model); break;
    case 2: c.gpr[op.rm] = c.cr2; break;
    case 3: c.gpr[op.rm] = c.cr3; break;
    default: c.gpr[op.rm] = c.cr4; break;
  }
}
void mov_to_cr(Engine& c, const Op& op) {
  c.require_cpl0();
  const std::uint32_t v = c.gpr[op.rm];
  switch (op.reg) {
    case 0: c.set_cr0(v); break;
    case 2: c.cr2 = v; break;
    case 3: c.set_cr3(v); break;
    default:
      if (v & ~cr4_supported(c.model)) raise(vec_gp, 0);
      if ((c.cr4 ^ v) & (cr4_pse | cr4_pge)) c.flush_tlb();
      c.cr4 = v;
      break;
  }
}
/// DR4 and DR5 are aliases of DR6 and DR7; with CR4.DE they raise #UD.
unsigned debug_register(const Engine& c, unsigned reg) {
  if (reg != 4 && reg != 5) return reg;
  if (c.cr4 & cr4_de) raise(vec_ud);
  return reg + 2;
}
void general_detect(Engine& c) {
  if (!(c.dr[7] & 0x2000)) return;
  c.dr[6] |= 0x2000;
  c.dr[7] &= ~0x2000u;
  raise(vec_db);
}
void mov_from_dr(Engine& c, const Op& op) {
  c.require_cpl0();
  const unsigned reg = debug_register(c, op.reg);
  general_detect(c);
  c.gpr[op.rm] = c.dr[reg];
}
void mov_to_dr(Engine& c, const Op& op) {
  c.require_cpl0();
  const unsigned reg = debug_register(c, op.reg);
  general_detect(c);
  const std::uint32_t v = c.gpr[op.rm];
  if (reg == 7)
    c.set_dr7(v);
  else if (reg == 6)
    c.dr[6] = (v & 0xE00F) | 0xFFFF0FF0u;
  else
    c.dr[reg] = v;
}
void mov_from_tr(Engine& c, const Op& op) {
  c.require_cpl0();
  c.gpr[op.rm] = c.tr[op.reg - 3u];
}
void mov_to_tr(Engine& c, const Op& op) {
  c.require_cpl0();
  c.tr[op.reg - 3u] = c.gpr[op.rm];
}

// ---- state of the processor ----
void hlt(Engine& c, const Op&) {
  c.require_cpl0();
  c.attend(attend_halted);
}
void cli(Engine& c, const Op&) {
  if (c.protected_mode && c.cpl > c.iopl()) raise(vec_gp, 0);
  c.system_flags &= ~flag_if;
}
// The instruction after STI still runs without interrupts, if IF was 0.
void sti(Engine& c, const Op&) {
  if (c.protected_mode && c.cpl > c.iopl()) raise(vec_gp, 0);
  if (c.system_flags & flag_if) return;
  c.system_flags |= flag_if;
  c.inhibit_all = false;
  c.attend(attend_inhibit);
}
template <bool WriteBack>
void invalidate_caches(Engine& c, const Op&) {
  c.require_cpl0();
  c.timing.flush_caches(WriteBack);
}

}  // namespace

Handlers select_system(const Op& op, Model model) {
  const bool is386 = model == Model::i386sx, pentium = model >= Model::pentium;
  const bool has_cr = op.reg == 0 || op.reg == 2 || op.reg == 3 || (op.reg == 4 && pentium);
  switch (op.opcode) {
    case 0xF4: return hlt;
    case 0xFA: return cli;
    case 0xFB: return sti;
    case 0x0F00:
      switch (op.reg) {
        case 0: return sldt;
        case 1: return str;
        case 2: return lldt;
        case 3: return ltr;
        case 4: return verify<false>;
        case 5: return verify<true>;
        default: return nullptr;
      }
    case 0x0F01:
      switch (op.reg) {
        case 0: return op.has_memory ? Handler(store_table<false>) : nullptr;
        case 1: return op.has_memory ? Handler(store_table<true>) : nullptr;
        case 2: return op.has_memory ? Handler(load_table<false>) : nullptr;
        case 3: return op.has_memory ? Handler(load_table<true>) : nullptr;
        case 4: return smsw;
        case 6: return lmsw;
        case 7: return op.has_memory && !is386 ? Handler(invlpg) : nullptr;
        default: return nullptr;
      }
    case 0x0F02: return by_word(op, []<class T> { return any<lar<T>>; });
    case 0x0F03: return by_word(op, []<class T> { return any<lsl<T>>; });
    case 0x0F06: return clts;
    case 0x0F08: return is386 ? nullptr : Handler(invalidate_caches<false>);
    case 0x0F09: return is386 ? nullptr : Handler(invalidate_caches<true>);
    case 0x0F20: return has_cr ? Handler(mov_from_cr) : nullptr;
    case 0x0F22: return has_cr ? Handler(mov_to_cr) : nullptr;
    case 0x0F21: return mov_from_dr;
    case 0x0F23: return mov_to_dr;
    case 0x0F24: return !pentium && op.reg >= (is386 ? 6 : 3) ? Handler(mov_from_tr) : nullptr;
    case 0x0F26: return !pentium && op.reg >= (is386 ? 6 : 3) ? Handler(mov_to_tr) : nullptr;
    case 0x0F30: return pentium ? Handler(wrmsr) : nullptr;
    case 0x0F31: return pentium ? Handler(rdtsc) : nullptr;
    case 0x0F32: return pentium ? Handler(rdmsr) : nullptr;
    case 0x0F33: return rdpmc;
    case 0x0F34: return sysenter;
    case 0x0F35: return sysexit;
    case 0x0FAE:
      if (!op.has_memory) return nullptr;
      return op.reg == 0 ? Handler(fxsave) : op.reg == 1 ? Handler(fxrstor) : nullptr;
    case 0x0FA2: return pentium ? Handler(cpuid) : nullptr;
    default: return nullptr;
  }
}

}  // namespace planar::cpu
