// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/cpu/interpreter/loop_run.hpp"

#include <algorithm>
#include <cstring>

#include "core/cpu/account/copy_account.hpp"

namespace planar::cpu {
namespace {

constexpr unsigned most_blocks = 2048, most_passes = 64, longest_renewal = 16;
constexpr std::uint32_t highest_count = 0x7FFFFFFF;

/// Whether the instruction always does the same if the processor and RAM are the same. A boot loader that switches
/// modes to ask the BIOS for a key also loads segments, tables and CR0, so these are allowed; but caches, debug and
/// test registers, MSRs, the x87 and MMX, ports and the time are not compared (LoopMark).
bool computes(const Op& op) {
  const bool beyond = op.opcode > 0xFF;
  const unsigned opcode = op.opcode & 0xFF, extension = op.extension();
  const auto within = [&](unsigned first, unsigned last) { return opcode >= first && opcode <= last; };
  if (beyond)  // 0F01 /7: INVLPG
    return !(opcode == 0x01 && extension == 7) && !within(0x05, 0x17) && opcode != 0x21 && !within(0x23, 0x3F) &&
           !within(0x50, 0x7F) && opcode != 0xAE && !within(0xC2, 0xC6) && !within(0xD0, 0xFF);
  return !within(0x62, 0x63) && !within(0x6C, 0x6F) && opcode != 0x9B && !within(0xD8, 0xDF) && !within(0xE4, 0xE7) &&
         !within(0xEC, 0xEF) && opcode != 0xF1 && opcode != 0xF4;  // BOUND ARPL, INS OUTS, WAIT, x87, IN OUT, HLT
}
/// The same for the block; also, its passes are not counted.
bool computes(const Block& b) {
  return std::all_of(b.ops, b.ops + b.count, [](const Op& op) { return computes(op) && !counts_passes(op); });
}

/// The register that the block counts down to zero, or below, by jumping to itself; no_register: not such a block.
unsigned counter_of(const Block& b) {
  if (b.count != 2) return no_register;
  const Op &decrement = b.ops[0], &branch = b.ops[1];
  const bool decrements =
      (decrement.opcode & ~7u) == 0x48 || (decrement.opcode == 0xFF && decrement.reg == 1 && !decrement.has_memory);
  const unsigned condition = branch.opcode & 0xFu;
  if (!decrements || !decrement.operand32 || branch.branch != BranchKind::conditional || !branch.operand32 ||
      (condition != 5 && condition != 9))
    return no_register;
  return branch.immediate == 0u - b.bytes ? decrement.rm & 7u : no_register;
}

LoopRegisters registers_of(const Engine& c) {
  LoopRegisters r;
  std::copy_n(c.gpr, 8, r.gpr.begin());
  r.eip = c.eip;
  r.flag_result = c.flag_result;
  r.flag_aux = c.flag_aux;
  r.system_flags = c.system_flags;
  return r;
}
/// Whether they are the same, except that `counter` has counted down, which determines all flags but the carry.
bool same(LoopRegisters now, LoopRegisters before, unsigned counter) {
  if (counter != no_register) {
    if (now.gpr[counter] >= before.gpr[counter] || before.gpr[counter] > highest_count) return false;
    now.gpr[counter] = before.gpr[counter];
    now.flag_result = before.flag_result;
    now.flag_aux &= 0x80000000u;
    before.flag_aux &= 0x80000000u;
  }
  return now == before;
}

bool same(const Segment& a, const Segment& b) {
  return a.selector == b.selector && a.access == b.access && a.big == b.big && a.base == b.base && a.limit == b.limit;
}
/// Whether they are the same in everything that a loop's instructions can change.
bool same(const SystemRegisters& a, const SystemRegisters& b) {
  return std::equal(a.seg.begin(), a.seg.end(), b.seg.begin(),
                    [](const auto& x, const auto& y) { return same(x, y); }) &&
         a.gdt_base == b.gdt_base && a.idt_base == b.idt_base && a.gdt_limit == b.gdt_limit &&
         a.idt_limit == b.idt_limit && a.cr0 == b.cr0 && a.cr2 == b.cr2 && a.cr3 == b.cr3 && a.cr4 == b.cr4 &&
         a.cpl == b.cpl && a.mode == b.mode && same(a.ldt, b.ldt) && same(a.task, b.task);
}
bool same(const ModelTlb& a, const ModelTlb& b) { return a.entries == b.entries && a.next == b.next; }

/// Whether only the clock decides when the run ends.
bool undisturbed(const Engine& c) {
  return c.stop_at == c.horizon_clock && (c.attention & ~attend_test) == 0 && !c.step_armed && !c.one_by_one;
}

/// The contents of RAM there; false: not RAM, too long, or the place extends beyond its page.
bool content(Engine& c, const StoreLog::Place& place, std::uint32_t& value) {
  const std::uint32_t offset = place.address & 0xFFF;
  const Page& page = c.space.page(place.address);
  if (offset + place.bytes > 0x1000 || place.bytes > sizeof value || page.kind != PageKind::ram) return false;
  value = 0;
  std::memcpy(&value, page.data + offset, place.bytes);
  return true;
}
std::uint64_t counted(const Engine& c) { return c.accounting ? c.accounting->counted() : 0; }

/// Whether the data stored since the mark is what memory held before.
bool same_memory(Engine& c, const LoopMark& m) {
  if (m.stored.full()) return false;
  return std::all_of(m.stored.begin(), m.stored.end(), [&](const StoreLog::Place& place) {
    const unsigned n = m.places.number_of(place);
    std::uint32_t value;
    return n != StoreLog::most && content(c, place, value) && value == m.content[n];
  });
}

/// Sets the mark here.
void put_mark(Engine& c, LoopMark& m) {
  TimingP6& timing = c.timing.p6();
  m.registers = registers_of(c);
  m.system = c;
  m.nmi_masked = c.nmi_masked;
  m.clock = timing.clocks();
  m.instructions = c.instructions;
  m.pin_clocks = timing.pin_clocks();
  m.counted = counted(c);
  m.counters = timing.counters();
  m.pipeline = timing.pipeline();
  m.tlb_changes = c.tlb_changes;
  if (!(c.cr0 & cr0_pg)) m.tlbs = {c.data_tlb, c.code_tlb, c.large_tlb, c.large_code_tlb};
  m.places.clear();
  unsigned n = 0;
  for (const StoreLog::Place& place : m.stored) {
    if (!content(c, place, m.content[n])) continue;
    m.places.add(place.address, place.bytes);
    ++n;
  }
  m.stored.clear();
  timing.watch_pass(m.stored, m.predictor);
  m.passes = 0;
}

/// Whether the modelled TLBs are unchanged: without paging, a change of mode has flushed TLBs that were empty.
bool same_tlbs(const Engine& c, const LoopMark& m) {
  if (c.tlb_changes == m.tlb_changes) return true;
  return !(m.system.cr0 & cr0_pg) && same(c.data_tlb, m.tlbs[0]) && same(c.code_tlb, m.tlbs[1]) &&
         same(c.large_tlb, m.tlbs[2]) && same(c.large_code_tlb, m.tlbs[3]);
}

/// Whether the passes since the mark have led back to it.
bool recurs(Engine& c, const LoopMark& m) {
  TimingP6& timing = c.timing.p6();
  const ProcessorTiming::Counters& n = timing.counters();
  return timing.clocks() > m.clock && timing.pin_clocks() == m.pin_clocks && n.code_misses == m.counters.code_misses &&
         n.read_misses == m.counters.read_misses && n.write_misses == m.counters.write_misses && same(c, m.system) &&
         c.nmi_masked == m.nmi_masked && same_tlbs(c, m) &&
         timing.recurs(m.pipeline, m.predictor, timing.clocks() - m.clock) && same_memory(c, m);
}

/// Skips all passes that end before the horizon, except the last ones of a counter.
void leave_out(Engine& c, const LoopMark& m) {
  TimingP6& timing = c.timing.p6();
  const std::uint64_t clocks = timing.clocks() - m.clock;
  std::uint64_t times = (c.horizon_clock - 1 - timing.clocks()) / clocks;
  if (m.counter != no_register) {
    std::uint32_t& count = c.gpr[m.counter];
    const std::uint32_t by = m.registers.gpr[m.counter] - count;
    times = count == 0 ? 0 : std::min<std::uint64_t>(times, (count - 1) / by);
    if (times == 0) return;
    count -= by * static_cast<std::uint32_t>(times);
    c.set_inc_dec(count, false, ((count + 1) & 15) == 0);
  }
  timing.advance(m.pipeline, clocks, timing.counters().mispredictions - m.counters.mispredictions, times);
  c.instructions += (c.instructions - m.instructions) * times;
  if (c.accounting) c.accounting->add((counted(c) - m.counted) * times);
  c.loop_watch.passes_left_out += times;
}

void look_at(LoopWatch& w, Engine& c) {
  w.seen = registers_of(c);
  w.eip = c.eip;
  w.left = w.window;
  w.meetings = LoopWatch::most_meetings;
}
/// The window has passed without a loop: the next one is longer; the longest is followed by the shortest.
void look_further(LoopWatch& w, Engine& c) {
  w.window = w.window < LoopWatch::longest_window ? 2 * w.window : LoopWatch::usual_patience;
  look_at(w, c);
}

void give_up(Engine& c) {
  LoopWatch& w = c.loop_watch;
  forget_loop(c);
  w.eip = LoopWatch::nowhere;
  w.left = w.patience;
  w.patience = std::min(2 * w.patience, LoopWatch::most_patience);
}

}  // namespace

void forget_loop(Engine& c) {
  LoopWatch& w = c.loop_watch;
  if (!w.marked) return;
  w.marked = false;
  w.left = LoopWatch::usual_patience;
  c.timing.p6().forget_pass();
}

void watch_loop(Engine& c, const Block& b) {
  LoopWatch& w = c.loop_watch;
  if (!w.marked) {
    const unsigned counter = counter_of(b);
    const bool back = c.eip == w.eip && same(registers_of(c), w.seen, counter);
    if (!back || !undisturbed(c)) {
      if (w.left == 0)
        look_further(w, c);
      else if (--w.meetings == 0)
        w.eip = LoopWatch::nowhere;
      return;
    }
    w.eip = LoopWatch::nowhere;
    w.window = LoopWatch::usual_patience;
    if (!w.mark) w.mark = std::make_unique<LoopMark>();
    LoopMark& m = *w.mark;
    m.stored.clear();
    m.counter = counter;
    m.renewal = 1;
    m.tried = m.blocks = 0;
    put_mark(c, m);
    w.marked = true;
  } else if (LoopMark& m = *w.mark;
             c.eip == m.registers.eip && undisturbed(c) && same(registers_of(c), m.registers, m.counter)) {
    ++m.passes;
    if (recurs(c, m)) {
      leave_out(c, m);
      forget_loop(c);
      w.patience = LoopWatch::usual_patience;
      if (m.counter == no_register) look_at(w, c);
      return;
    }
    if (++m.tried > most_passes) return give_up(c);
    if (m.passes >= m.renewal) {
      m.renewal = std::min(2 * m.renewal, longest_renewal);
      put_mark(c, m);
    }
  } else if (m.counter != no_register) {
    return forget_loop(c);  // the loop has ended
  }
  w.left = 1;
  if (++w.mark->blocks > most_blocks || !computes(b)) give_up(c);
}

}  // namespace planar::cpu
