// SPDX-License-Identifier: GPL-2.0-or-later
// Task switch (Intel 386 PRM section 7.5).
#include "core/cpu/exec/stack_frame.hpp"

namespace planar::cpu {

namespace {

/// Offsets in a TSS; a 32-bit one also has CR3 at 1Ch and T at 64h.
struct Layout {
  unsigned word;      ///< bytes of a register
  unsigned segments;  ///< how many of ES CS SS DS FS GS
  std::uint32_t ip, flags, registers, selectors, ldt, last;
};
constexpr Layout layouts[2] = {{2, 4, 0x0E, 0x10, 0x12, 0x22, 0x2A, 0x2B}, {4, 6, 0x20, 0x24, 0x28, 0x48, 0x60, 0x67}};

struct Image {
  std::uint32_t cr3 = 0, eip = 0, eflags = 0, gpr[8] = {};
  std::uint16_t selectors[6] = {}, ldt = 0;
  bool trap = false;
};

}  // namespace

// Until the commit, a fault belongs to the old task. After it, the new task's registers are in place, and the checks of
// its segments fault in the new task with #TS.
void Engine::task_switch(std::uint16_t selector, const Descriptor& d, Switch how, bool has_error, std::uint16_t error) {
  const bool wide = d.is32();
  const std::uint32_t base = d.base(), limit = d.limit();
  const Layout &to = layouts[wide], &from = layouts[(task.access & 0x08) != 0];
  if (limit < to.last) raise(vec_ts, error_of(selector));
  if (task.limit < from.last) raise(vec_ts, error_of(task.selector));

  // Check every page that will be accessed, before anything changes.
  probe_write(task.base + from.ip, 1, false);
  probe_write(task.base + from.last, 1, false);
  const auto word = [&](std::uint32_t at) { return static_cast<std::uint16_t>(read_system(base + at, 2)); };
  Image in;
  if (wide) in.cr3 = read_system(base + 0x1C, 4);
  in.eip = read_system(base + to.ip, to.word);
  in.eflags = read_system(base + to.flags, to.word);
  for (unsigned r = 0; r < 8; ++r)
    in.gpr[r] = (wide ? 0 : 0xFFFF0000u) | read_system(base + to.registers + to.word * r, to.word);
  for (unsigned s = 0; s < to.segments; ++s) in.selectors[s] = word(to.selectors + to.word * s);
  in.ldt = word(to.ldt);
  if (wide) in.trap = word(0x64) & 1;
  if (how == Switch::call) probe_write(base, 2, false);  // the link
  if (how != Switch::iret) probe_write(gdt_base + (selector & 0xFFF8u) + 4, 4, false);

  // The outgoing task.
  std::uint32_t image = eflags();
  if (how == Switch::iret) image &= ~flag_nt;
  const auto set_busy = [&](std::uint16_t sel, bool busy) {
    const std::uint32_t at = gdt_base + (sel & 0xFFF8u) + 4;
    const std::uint32_t hi = read_system(at, 4);
    write_system(at, 4, busy ? hi | 0x200 : hi & ~0x200u);
  };
  if (how != Switch::call) set_busy(task.selector, false);
  const std::uint32_t mask = from.word == 4 ? 0xFFFFFFFFu : 0xFFFF;
  const auto save = [&](std::uint32_t at, std::uint32_t v) { write_system(task.base + at, from.word, v & mask); };
  save(from.ip, eip);
  save(from.flags, image);
  for (unsigned r = 0; r < 8; ++r) save(from.registers + from.word * r, gpr[r]);
  for (unsigned s = 0; s < from.segments; ++s)
    write_system(task.base + from.selectors + from.word * s, 2, seg[s].selector);
  if (how == Switch::call) {
    write_system(base, 2, task.selector);
    in.eflags |= flag_nt;
  }
  if (how != Switch::iret) set_busy(selector, true);

  // Commit: from here on this is the new task.
  const unsigned old_cpl = cpl;
  task = make_segment(selector, d);
  task.access |= 2;
  cr0 |= cr0_ts;
  if (wide && (cr0 & cr0_pg)) set_cr3(in.cr3);
  eip = in.eip;
  for (unsigned r = 0; r < 8; ++r) gpr[r] = in.gpr[r];
  set_eflags(in.eflags, 0xFFFFFFFFu);  // a 16-bit task has none of the upper flags
  for (unsigned s = 0; s < 6; ++s) {
    seg[s].selector = in.selectors[s];
    seg[s].access = 0;
    seg[s].derive();
  }
  dr[7] &= ~0x155u;
  set_dr7(dr[7]);
  if (in.trap) {
    pending_debug |= 0x8000;
    attend(attend_debug);
  }
  timing.spend(transfer_clocks(model,
                               how == Switch::jump   ? Transfer::jump
                               : how == Switch::call ? Transfer::call
                                                     : Transfer::iret,
                               Reach::task));
  timing.interrupt_flush();
  break_loop();

  try {
    ldt = Segment{};
    ldt.selector = in.ldt;
    ldt.access = 0;
    ldt.limit = 0;
    if (!is_null(in.ldt)) {
      if (in.ldt & 4) raise(vec_ts, error_of(in.ldt));
      const Descriptor l = read_descriptor(in.ldt, vec_ts);
      if (!l.system() || l.type() != 2 || !l.present()) raise(vec_ts, error_of(in.ldt));
      ldt = make_segment(in.ldt, l);
    }
    if (v86) {
      set_cpl(3);
      for (unsigned s = 0; s < 6; ++s) load_real_segment(s, in.selectors[s]);
      update_mode();
    } else {
      const std::uint16_t cs = in.selectors[CS];
      // Until the code segment has been checked, the privilege is the old task's, for delivering a fault of that check.
      set_cpl(old_cpl);
      if (is_null(cs)) raise(vec_ts, 0);
      Descriptor c = read_descriptor(cs, vec_ts);
      const unsigned rpl = cs & 3;
      if (!c.code() || (c.conforming() ? c.dpl() > rpl : c.dpl() != rpl)) raise(vec_ts, error_of(cs));
      if (!c.present()) raise(vec_np, error_of(cs));
      load_cs(cs, c, rpl);
      seg[SS] = stack_segment(in.selectors[SS], rpl, vec_ts);
      for (unsigned s : {ES, DS, FS, GS})
        if (!is_null(in.selectors[s])) seg[s] = data_segment(in.selectors[s], vec_ts);
    }
    if (has_error) {
      StackFrame stack(*this, seg[SS], gpr[ESP], cpl == 3, 0);
      stack.push(error, wide);
      gpr[ESP] = stack.merged(gpr[ESP]);
    }
    if (eip > seg[CS].limit) raise(vec_gp, 0);
  } catch (Fault& fault) {
    fault.committed = true;
    throw;
  }
}

}  // namespace planar::cpu
