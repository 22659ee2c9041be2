// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/cpu/interpreter/loop_run.hpp"

#include <algorithm>
#include <cstring>

#include "core/cpu/account/copy_account.hpp"

namespace planar::cpu {
namespace {

constexpr unsigned most_blocks = 2048, most_passes = 64, longest_renewal = 16;
constexpr std::uint32_t highest_count = 0x7FFFFFFF;

/// Instructions that compute with registers and memory, and do the same each time.
bool computes(const Op& op) {
  if (op.rep || op.repne) return false;
  const unsigned extension = op.modrm >> 3 & 7u;
  switch (op.opcode) {
    case 0x8D:  // LEA
    case 0x98:
    case 0x99:  // CWDE CDQ
    case 0x9C:
    case 0x9D:  // PUSHF POPF
    case 0xA0:
    case 0xA1:
    case 0xA2:
    case 0xA3:
    case 0xA8:
    case 0xA9:
    case 0xC0:
    case 0xC1:
    case 0xD0:
    case 0xD1:
    case 0xD2:
    case 0xD3:
    case 0xC2:
    case 0xC3:
    case 0xC9:  // RET LEAVE
    case 0xC6:
    case 0xC7:
    case 0xE8:
    case 0xE9:
    case 0xEB:  // CALL JMP
    case 0xF6:
    case 0xF7:
    case 0xFE:
    case 0xF5:
    case 0xF8:
    case 0xF9:
    case 0xFA:
    case 0xFB:
    case 0xFC:
    case 0xFD:  // CMC to STD
    case 0x68:
    case 0x69:
    case 0x6A:
    case 0x6B:
    case 0x0F18:  // PREFETCHh
    case 0x0FA3:
    case 0x0FAB:
    case 0x0FB3:
    case 0x0FBA:
    case 0x0FBB:
    case 0x0FBC:
    case 0x0FBD:
    case 0x0FAF:
    case 0x0FB6:
    case 0x0FB7:
    case 0x0FBE:
    case 0x0FBF: return true;
    case 0xFF: return extension != 3 && extension != 5;  // no far transfers
    default: break;
  }
  const auto within = [&](unsigned first, unsigned last) { return op.opcode >= first && op.opcode <= last; };
  if (op.opcode < 0x40) return (op.opcode & 7) < 6;  // ADD to CMP
  return within(0x40, 0x5F) || within(0x70, 0x8B) || within(0x90, 0x97) || within(0xB0, 0xBF) ||
         within(0x0F40, 0x0F4F) || within(0x0F80, 0x0F9F);
}
/// The same of the block, and nobody counts its passes.
bool computes(const Block& b) {
  return std::all_of(b.ops, b.ops + b.count, [](const Op& op) { return computes(op) && !is_counted(op); });
}

/// The register that the block counts down to zero, or below, by jumping to itself; no_register: it is another one.
unsigned counter_of(const Block& b) {
  if (b.count != 2) return no_register;
  const Op &decrement = b.ops[0], &branch = b.ops[1];
  const bool decrements = (decrement.opcode & ~7u) == 0x48 ||
                          (decrement.opcode == 0xFF && (decrement.modrm >> 3 & 7) == 1 && !decrement.has_memory);
  const unsigned condition = branch.opcode & 0xFu;
  const bool jumps = (branch.opcode & 0xFFF0) == 0x70 || (branch.opcode & 0xFFF0) == 0x0F80;
  if (!decrements || !decrement.operand32 || !jumps || !branch.operand32 || (condition != 5 && condition != 9))
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
/// Whether they are the same. `counter` has counted down instead, which tells the flags but for the carry.
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

/// Nothing but the clock decides when the run ends.
bool undisturbed(const Engine& c) {
  return c.stop_at == c.horizon_clock && (c.attention & ~attend_test) == 0 && !c.step_armed && !c.one_by_one;
}

/// What RAM has there; false: the place goes beyond its page.
bool content(Engine& c, const StoreLog::Place& place, std::uint32_t& value) {
  const std::uint32_t offset = place.address & 0xFFF;
  const Page& page = c.space.page(place.address);
  if (offset + place.bytes > 0x1000 || place.bytes > sizeof value || page.kind != PageKind::ram) return false;
  value = 0;
  std::memcpy(&value, page.data + offset, place.bytes);
  return true;
}
/// Whether what has been stored since the mark is what was there before.
bool same_memory(Engine& c, const LoopMark& m) {
  if (m.stored.full) return false;
  for (unsigned n = 0; n < m.stored.count; ++n) {
    const auto* const end = m.places.places.begin() + m.places.count;
    const auto* const known = std::find(m.places.places.begin(), end, m.stored.places[n]);
    std::uint32_t value;
    if (known == end || !content(c, *known, value) ||
        value != m.content[static_cast<std::size_t>(known - m.places.places.begin())])
      return false;
  }
  return true;
}

/// The mark is here.
void put_mark(Engine& c, LoopMark& m) {
  TimingP6& timing = c.timing.p6();
  m.registers = registers_of(c);
  m.code = c.seg[CS].selector;
  m.stack = c.seg[SS].selector;
  m.fault_address = c.cr2;
  m.clock = timing.clocks();
  m.instructions = c.instructions;
  m.pin_clocks = timing.pin_clocks();
  m.counters = timing.counters();
  m.pipeline = timing.pipeline();
  m.tlb_changes = c.tlb_changes;
  m.places.clear();
  for (unsigned n = 0; n < m.stored.count; ++n)
    if (content(c, m.stored.places[n], m.content[m.places.count]))
      m.places.places[m.places.count++] = m.stored.places[n];
  m.stored.clear();
  timing.watch_pass(m.stored, m.predictor);
  m.passes = 0;
}

/// Whether the passes since the mark have led back to it.
bool recurs(Engine& c, const LoopMark& m) {
  TimingP6& timing = c.timing.p6();
  const ProcessorTiming::Counters& n = timing.counters();
  return timing.clocks() > m.clock && timing.pin_clocks() == m.pin_clocks && n.code_misses == m.counters.code_misses &&
         n.read_misses == m.counters.read_misses && n.write_misses == m.counters.write_misses &&
         c.seg[CS].selector == m.code && c.seg[SS].selector == m.stack && c.cr2 == m.fault_address &&
         c.tlb_changes == m.tlb_changes && timing.recurs(m.pipeline, m.predictor, timing.clocks() - m.clock) &&
         same_memory(c, m);
}

/// All passes that end before the horizon, but for the last ones of a counter.
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
  c.loop_watch.passes_left_out += times;
}

void look_at(LoopWatch& w, Engine& c) {
  w.seen = registers_of(c);
  w.eip = c.eip;
  w.left = LoopWatch::usual_patience;
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
    w.eip = LoopWatch::nowhere;
    if (!back || !undisturbed(c)) {
      if (w.left == 0) look_at(w, c);
      return;
    }
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
    return forget_loop(c);  // it has come to its end
  }
  w.left = 1;
  if (++w.mark->blocks > most_blocks || !computes(b)) give_up(c);
}

}  // namespace planar::cpu
