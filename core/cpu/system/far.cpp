// SPDX-License-Identifier: GPL-2.0-or-later
// Far JMP, CALL and RET: direct, through call gates, and to tasks. Intel 386 PRM sections 6.3 and 7.5.
#include <algorithm>

#include "core/cpu/exec/stack_frame.hpp"

namespace planar::cpu {

namespace {

bool is_call_gate(const Descriptor& d) { return d.system() && (d.type() == 4 || d.type() == 12); }

void charge(Engine& c, const Op& op, Transfer transfer, Reach reach, unsigned params = 0) {
  c.timing.spend(transfer_clocks(c.model, transfer, reach, params));
  c.timing.branch(op, true, c.seg[CS].base + c.eip);
}

/// A far transfer to a TSS or task gate. True if `d` was one (the switch has been made).
bool to_task(Engine& c, const Op& op, std::uint16_t selector, const Descriptor& d, Engine::Switch how) {
  if (!d.available_tss() && !(d.system() && d.type() == 5)) return false;
  if (d.dpl() < std::max<unsigned>(c.cpl, selector & 3)) raise(vec_gp, error_of(selector));
  if (!d.present()) raise(vec_np, error_of(selector));
  std::uint16_t target = selector;
  Descriptor tss = d;
  if (d.type() == 5) {
    target = d.gate_selector();
    if ((target & 4) || is_null(target)) raise(vec_gp, error_of(target));
    tss = c.read_descriptor(target, vec_gp);
    if (!tss.available_tss()) raise(vec_gp, error_of(target));
    if (!tss.present()) raise(vec_np, error_of(target));
  }
  c.task_switch(target, tss, how, false, 0);
  c.timing.branch(op, true, c.seg[CS].base + c.eip);
  return true;
}

void check_direct(Engine& c, std::uint16_t selector, const Descriptor& d, std::uint32_t offset) {
  if (!d.code()) raise(vec_gp, error_of(selector));
  if (d.conforming() ? d.dpl() > c.cpl : (selector & 3u) > c.cpl || d.dpl() != c.cpl) raise(vec_gp, error_of(selector));
  if (!d.present()) raise(vec_np, error_of(selector));
  if (offset > d.limit()) raise(vec_gp, 0);
}

}  // namespace

void Engine::go_far(const Op& op, std::uint16_t selector, std::uint32_t offset, bool call) {
  const Transfer transfer = call ? Transfer::call : Transfer::jump;
  StackFrame stack(*this, seg[SS], gpr[ESP], cpl == 3, 0);
  if (!protected_mode || v86) {
    if (offset > seg[CS].limit) raise(vec_gp, 0);
    if (call) stack.push_return(op.operand32);
    gpr[ESP] = stack.merged(gpr[ESP]);
    load_real_segment(CS, selector);
    eip = offset;
    update_mode();
    charge(*this, op, transfer, Reach::real);
    return;
  }
  if (is_null(selector)) raise(vec_gp, 0);
  const Descriptor d = read_descriptor(selector, vec_gp);
  if (to_task(*this, op, selector, d, call ? Switch::call : Switch::jump)) return;
  if (is_call_gate(d)) {
    call_gate(op, selector, d, call);
    return;
  }
  check_direct(*this, selector, d, offset);
  if (call) stack.push_return(op.operand32);
  load_cs(selector, d, cpl);
  gpr[ESP] = stack.merged(gpr[ESP]);
  eip = offset;
  charge(*this, op, transfer, Reach::same);
}

void Engine::call_gate(const Op& op, std::uint16_t selector, const Descriptor& gate, bool call) {
  if (gate.dpl() < std::max<unsigned>(cpl, selector & 3)) raise(vec_gp, error_of(selector));
  if (!gate.present()) raise(vec_np, error_of(selector));
  const std::uint16_t target = gate.gate_selector();
  const bool wide = gate.is32();
  const std::uint32_t offset = wide ? gate.gate_offset() : gate.gate_offset() & 0xFFFF;
  if (is_null(target)) raise(vec_gp, 0);
  const Descriptor d = read_descriptor(target, vec_gp);
  if (!d.code() || d.dpl() > cpl || (!call && !d.conforming() && d.dpl() != cpl)) raise(vec_gp, error_of(target));
  if (!d.present()) raise(vec_np, error_of(target));
  const bool inner = call && !d.conforming() && d.dpl() < cpl;
  if (!inner) {
    if (offset > d.limit()) raise(vec_gp, 0);
    StackFrame stack(*this, seg[SS], gpr[ESP], cpl == 3, 0);
    if (call) stack.push_return(wide);
    load_cs(target, d, cpl);
    gpr[ESP] = stack.merged(gpr[ESP]);
    eip = offset;
    charge(*this, op, call ? Transfer::call : Transfer::jump, Reach::gate_same);
    return;
  }
  const unsigned level = d.dpl();
  std::uint16_t ss_selector;
  std::uint32_t sp;
  task_stack(level, ss_selector, sp);
  const Segment ss = stack_segment(ss_selector, level, vec_ts);
  if (offset > d.limit()) raise(vec_gp, 0);
  const unsigned params = gate.hi & 31;
  std::uint32_t words[31];
  StackFrame outer(*this, seg[SS], gpr[ESP], cpl == 3, 0);
  for (unsigned i = 0; i < params; ++i) words[i] = outer.pop(wide);
  StackFrame stack(*this, ss, sp, false, error_of(ss_selector));
  stack.push(seg[SS].selector, wide);
  stack.push(gpr[ESP], wide);
  for (unsigned i = params; i-- > 0;) stack.push(words[i], wide);
  stack.push_return(wide);
  load_cs(target, d, level);
  seg[SS] = ss;
  gpr[ESP] = stack.merged(ss.big ? 0 : gpr[ESP]);
  eip = offset;
  charge(*this, op, Transfer::call, Reach::inner, params);
}

void Engine::return_far(const Op& op, std::uint32_t release) {
  const bool wide = op.operand32;
  StackFrame stack(*this, seg[SS], gpr[ESP], cpl == 3, 0);
  const std::uint32_t offset = stack.pop(wide);
  const std::uint16_t selector = static_cast<std::uint16_t>(stack.pop(wide));
  if (!protected_mode || v86) {
    if (offset > seg[CS].limit) raise(vec_gp, 0);
    stack.skip(release);
    gpr[ESP] = stack.merged(gpr[ESP]);
    load_real_segment(CS, selector);
    eip = offset;
    update_mode();
    charge(*this, op, Transfer::ret, Reach::real);
    return;
  }
  const Descriptor d = code_to_return_to(selector);
  if ((selector & 3u) == cpl) {
    if (offset > d.limit()) raise(vec_gp, 0);
    stack.skip(release);
    load_cs(selector, d, cpl);
    gpr[ESP] = stack.merged(gpr[ESP]);
    eip = offset;
    charge(*this, op, Transfer::ret, Reach::same);
    return;
  }
  stack.skip(release);
  return_outwards(stack, wide, selector, d, offset, release);
  charge(*this, op, Transfer::ret, Reach::outer);
}

Descriptor Engine::code_to_return_to(std::uint16_t selector) {
  if (is_null(selector)) raise(vec_gp, 0);
  const unsigned rpl = selector & 3;
  const Descriptor d = read_descriptor(selector, vec_gp);
  if (!d.code() || rpl < cpl || (d.conforming() ? d.dpl() > rpl : d.dpl() != rpl)) raise(vec_gp, error_of(selector));
  if (!d.present()) raise(vec_np, error_of(selector));
  return d;
}

void Engine::return_outwards(StackFrame& frame, bool wide, std::uint16_t selector, const Descriptor& d,
                             std::uint32_t offset, std::uint32_t release) {
  const std::uint32_t sp = frame.pop(wide);
  const unsigned rpl = selector & 3;
  const Segment ss = stack_segment(static_cast<std::uint16_t>(frame.pop(wide)), rpl, vec_gp);
  if (offset > d.limit()) raise(vec_gp, 0);
  load_cs(selector, d, rpl);
  seg[SS] = ss;
  set_sized(ESP, ss.big, sp + release);
  eip = offset;
  // Clear data segments that the outer level could not have loaded.
  for (unsigned s : {ES, DS, FS, GS}) {
    Segment& g = seg[s];
    if (g.present() && !g.conforming() && g.dpl() < cpl) {
      g.selector = 0;
      g.access = 0;
      g.derive();
    }
  }
}

void Engine::task_stack(unsigned level, std::uint16_t& selector, std::uint32_t& pointer) {
  const bool wide = task.access & 0x08;
  const std::uint32_t at = wide ? 4 + 8 * level : 2 + 4 * level;
  if (at + (wide ? 5 : 3) > task.limit) raise(vec_ts, error_of(task.selector));
  pointer = read_system(task.base + at, wide ? 4 : 2);
  selector = static_cast<std::uint16_t>(read_system(task.base + at + (wide ? 4 : 2), 2));
}

}  // namespace planar::cpu
