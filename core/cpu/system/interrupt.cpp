// SPDX-License-Identifier: GPL-2.0-or-later
// Interrupts and exceptions: delivery in each mode, double and triple fault, INT n, IRET.
// Intel 386 PRM chapter 9 and the INT and IRET pages; Pentium manual volume 3 for the double-fault classes.
#include "core/cpu/exec/stack_frame.hpp"

namespace planar::cpu {

namespace {

bool contributory(std::uint8_t v) { return v == vec_de || (v >= vec_ts && v <= vec_gp); }
/// Error code of #TS, #NP, #SS and #GP: raised while an exception or an external interrupt was delivered, not by INT n.
constexpr std::uint16_t ext = 1;
/// Faults push an image with RF set, so that the instruction can be restarted past an instruction breakpoint.
bool is_fault(std::uint8_t v) { return v != vec_db && v != vec_nmi && v != vec_bp && v != vec_of && v != vec_df; }

}  // namespace

// Delivers an exception and any exception that its delivery raises, up to shutdown. Tasks that are entered by
// exceptions, fault before their first instruction, and clear one another's busy bits with what the switch writes would
// keep a real chip busy forever; here they end in shutdown.
void Engine::deliver(Fault fault) {
  timing.abandon();
  constexpr unsigned most_task_switches = 64;
  for (unsigned switches = 0;;) {
    try {
      trace(TraceCategory::irq, now(), "cpu", "exception {:02X} error {:04X} at {:04X}:{:08X}", fault.vector,
            fault.error, seg[CS].selector, eip);
      interrupt(fault.vector, Source::exception, fault.has_error, fault.error);
      timing.abandon();  // the delivery's accesses do not belong to the next instruction
      return;
    } catch (const Fault& second) {
      if (second.committed && ++switches < most_task_switches) {
        fault = second;
        continue;
      }
      if (second.committed || fault.vector == vec_df) {
        trace(TraceCategory::cpu, now(), "cpu", "triple fault: shutdown");
        attend(attend_shutdown);
        pins.shutdown(now());
        return;
      }
      const bool twice = (contributory(fault.vector) && contributory(second.vector)) ||
                         (fault.vector == vec_pf && (contributory(second.vector) || second.vector == vec_pf));
      fault = twice ? Fault{vec_df, true, 0} : second;
    }
  }
}

void Engine::interrupt(std::uint8_t vector, Source source, bool has_error, std::uint16_t error) {
  if (observer) observer->delivering(vector, source, has_error, error);
  timing.interrupt_flush();
  if (accounting) accounting->interrupted();
  try {
    if (protected_mode)
      interrupt_protected(vector, source, has_error, error);
    else
      interrupt_real(vector);
  } catch (Fault& fault) {
    if (source != Source::software && fault.vector >= vec_ts && fault.vector <= vec_gp) fault.error |= ext;
    throw;
  }
  step_armed = false;
  pending_debug &= ~0x4000u;
  attention &= ~(attend_halted | attend_rep | attend_inhibit);
  break_loop();
}

void Engine::interrupt_real(std::uint8_t vector) {
  const std::uint32_t entry = vector * 4u;
  if (entry + 3 > idt_limit) raise(vec_gp, 0);
  const std::uint16_t offset = static_cast<std::uint16_t>(read_system(idt_base + entry, 2));
  const std::uint16_t selector = static_cast<std::uint16_t>(read_system(idt_base + entry + 2, 2));
  StackFrame stack(*this, seg[SS], gpr[ESP], false, 0);
  stack.push(eflags(), false);
  stack.push_return(false);
  gpr[ESP] = stack.merged(gpr[ESP]);
  set_eflags(0, flag_if | flag_tf | flag_ac | flag_rf);
  load_real_segment(CS, selector);
  eip = offset;
  update_mode();
  timing.spend(interrupt_clocks(timing.config(), Transfer::interrupt, Reach::real));
}

void Engine::interrupt_protected(std::uint8_t vector, Source source, bool has_error, std::uint16_t error) {
  const std::uint16_t idt_error = static_cast<std::uint16_t>(vector * 8 + 2);
  if (vector * 8u + 7 > idt_limit) raise(vec_gp, idt_error);
  Descriptor gate;
  gate.lo = read_system(idt_base + vector * 8u, 4);
  gate.hi = read_system(idt_base + vector * 8u + 4, 4);
  const unsigned type = gate.system() ? gate.type() : 0;
  if (type != 5 && type != 6 && type != 7 && type != 14 && type != 15) raise(vec_gp, idt_error);
  if (source == Source::software && gate.dpl() < cpl) raise(vec_gp, idt_error);
  if (!gate.present()) raise(vec_np, idt_error);
  const std::uint16_t target = gate.gate_selector();

  // RF as an IRET has left it. It is set for a fault, and between the iterations of a repeated string, so that a
  // breakpoint at the instruction does not fault again (Intel 386 PRM 12.3.1.1).
  std::uint32_t image = eflags();
  if ((source == Source::exception && is_fault(vector)) || (attention & attend_rep)) image |= flag_rf;

  if (type == 5) {
    if ((target & 4) || is_null(target)) raise(vec_gp, error_of(target));
    const Descriptor tss = read_descriptor(target, vec_gp);
    if (!tss.available_tss()) raise(vec_gp, error_of(target));
    if (!tss.present()) raise(vec_np, error_of(target));
    if (image & flag_rf) set_eflags(flag_rf, flag_rf);
    task_switch(target, tss, Switch::call, has_error, error);
    return;
  }

  const bool wide = type >= 14;
  const std::uint32_t offset = wide ? gate.gate_offset() : gate.gate_offset() & 0xFFFF;
  if (is_null(target)) raise(vec_gp, 0);
  const std::uint16_t target_error = error_of(target);
  if (!in_table(target)) raise(vec_gp, target_error);
  const Descriptor d = read_descriptor(target, vec_gp);
  if (!d.code() || d.dpl() > cpl) raise(vec_gp, target_error);
  if (!d.present()) raise(vec_np, target_error);

  const bool inner = !d.conforming() && d.dpl() < cpl;
  if (v86 && (!inner || d.dpl() != 0)) raise(vec_gp, target_error);
  if (inner) {
    const unsigned level = d.dpl();
    std::uint16_t ss_selector;
    std::uint32_t sp;
    task_stack(level, ss_selector, sp);
    const Segment ss = stack_segment(ss_selector, level, vec_ts);
    if (offset > d.limit()) raise(vec_gp, 0);
    StackFrame stack(*this, ss, sp, false, error_of(ss_selector));
    const bool from_v86 = v86;
    if (from_v86)
      for (unsigned s : {GS, FS, DS, ES}) stack.push(seg[s].selector, wide);
    stack.push(seg[SS].selector, wide);
    stack.push(gpr[ESP], wide);
    stack.push(image, wide);
    stack.push_return(wide);
    if (has_error) stack.push(error, wide);
    Descriptor marked = d;
    mark_accessed(target, marked);
    if (from_v86) {
      set_eflags(0, flag_vm);
      for (unsigned s : {GS, FS, DS, ES}) {
        seg[s] = Segment{};
        seg[s].access = 0;
        seg[s].derive();
      }
    }
    load_cs(target, marked, level);
    seg[SS] = ss;
    gpr[ESP] = stack.merged(ss.big ? 0 : gpr[ESP]);
    timing.spend(interrupt_clocks(timing.config(), Transfer::interrupt, from_v86 ? Reach::from_v86 : Reach::inner));
  } else {
    if (offset > d.limit()) raise(vec_gp, 0);
    StackFrame stack(*this, seg[SS], gpr[ESP], cpl == 3, 0);
    stack.push(image, wide);
    stack.push_return(wide);
    if (has_error) stack.push(error, wide);
    load_cs(target, d, cpl);
    gpr[ESP] = stack.merged(gpr[ESP]);
    timing.spend(interrupt_clocks(timing.config(), Transfer::interrupt, Reach::same));
  }
  eip = offset;
  set_eflags(0, flag_tf | flag_nt | flag_rf | (type & 1 ? 0 : flag_if));
}

void Engine::software_interrupt(const Op& op, std::uint8_t vector, Source source) {
  interrupt(vector, source, false, 0);
  timing.branch(op, true, seg[CS].base + eip);
}

void Engine::interrupt_return(const Op& op) {
  const bool wide = op.operand32;
  const auto charge = [&](Reach reach) {
    nmi_masked = false;
    if (attention & attend_nmi) break_loop();
    timing.spend(interrupt_clocks(timing.config(), Transfer::iret, reach));
    timing.branch(op, true, seg[CS].base + eip);
  };
  std::uint32_t flags_mask = arithmetic_flags | flag_tf | flag_df | flag_nt;
  if (wide) flags_mask |= flag_rf | flag_ac | flag_id;

  if (!protected_mode || v86) {
    if (v86 && iopl() < 3) raise(vec_gp, 0);
    StackFrame stack(*this, seg[SS], gpr[ESP], cpl == 3, 0);
    const std::uint32_t offset = stack.pop(wide);
    const std::uint16_t selector = static_cast<std::uint16_t>(stack.pop(wide));
    const std::uint32_t image = stack.pop(wide);
    if (offset > seg[CS].limit) raise(vec_gp, 0);
    gpr[ESP] = stack.merged(gpr[ESP]);
    load_real_segment(CS, selector);
    eip = offset;
    flags_mask |= flag_if;
    if (!v86) flags_mask |= flag_iopl;
    set_eflags(image, flags_mask);
    update_mode();
    charge(Reach::real);
    return;
  }

  if (system_flags & flag_nt) {
    const std::uint16_t link = static_cast<std::uint16_t>(read_system(task.base, 2));
    if ((link & 4) || is_null(link)) raise(vec_ts, error_of(link));
    const Descriptor d = read_descriptor(link, vec_ts);
    if (!d.system() || (d.type() != 3 && d.type() != 11)) raise(vec_ts, error_of(link));
    if (!d.present()) raise(vec_np, error_of(link));
    task_switch(link, d, Switch::iret, false, 0);
    nmi_masked = false;
    timing.branch(op, true, seg[CS].base + eip);
    return;
  }

  StackFrame stack(*this, seg[SS], gpr[ESP], cpl == 3, 0);
  const std::uint32_t offset = stack.pop(wide);
  const std::uint16_t selector = static_cast<std::uint16_t>(stack.pop(wide));
  const std::uint32_t image = stack.pop(wide);

  if (wide && (image & flag_vm) && cpl == 0) {
    const std::uint32_t sp = stack.pop(true);
    std::uint16_t selectors[5];
    static constexpr unsigned order[5] = {SS, ES, DS, FS, GS};
    for (auto& s : selectors) s = static_cast<std::uint16_t>(stack.pop(true));
    if (offset > 0xFFFF) raise(vec_gp, 0);
    set_eflags(image, flags_mask | flag_if | flag_iopl | flag_vm);
    set_cpl(3);
    load_real_segment(CS, selector);
    for (unsigned i = 0; i < 5; ++i) load_real_segment(order[i], selectors[i]);
    eip = offset;
    gpr[ESP] = sp;
    update_mode();
    charge(Reach::to_v86);
    return;
  }

  const Descriptor d = code_to_return_to(selector);
  if (cpl == 0) flags_mask |= flag_iopl;
  if (cpl <= iopl()) flags_mask |= flag_if;
  if ((selector & 3u) == cpl) {
    if (offset > d.limit()) raise(vec_gp, 0);
    load_cs(selector, d, cpl);
    gpr[ESP] = stack.merged(gpr[ESP]);
    eip = offset;
    set_eflags(image, flags_mask);
    charge(Reach::same);
    return;
  }
  return_outwards(stack, wide, selector, d, offset, 0);
  set_eflags(image, flags_mask);
  charge(Reach::outer);
}

}  // namespace planar::cpu
