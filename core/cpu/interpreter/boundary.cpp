// SPDX-License-Identifier: GPL-2.0-or-later
// Between two instructions: reset, traps, interrupts, HLT; also the delivery of faults.
#include "core/cpu/interpreter/loop_run.hpp"

namespace planar::cpu {

// Handles everything that waits for an instruction boundary. Returns whether an instruction is to be executed; sets
// stop_at to 0 if only one may be. Priorities: 386 PRM section 9.4.
bool Engine::boundary() {
  if (attention & attend_test) {
    if (flush_at_random && flush_random.below(8) == 0) attention |= attend_flush;
  }
  if (attention & attend_flush) {
    attention &= ~attend_flush;
    flush_blocks();
    const std::uint64_t stop = stop_at;
    flush_host_tlb();
    stop_at = stop;
  }
  if (attention & attend_reset) {
    perform_reset();
    return false;
  }
  if (attention & attend_shutdown) {
    wait_halted();
    return false;
  }
  const bool inhibited = attention & attend_inhibit;
  if (!(inhibited && inhibit_all)) {
    if (attention & attend_debug) {
      attention &= ~attend_debug;
      const std::uint32_t bits = pending_debug;
      pending_debug = 0;
      if (bits) {
        forget_loop(*this);
        dr[6] |= bits;
        deliver(Fault{vec_db});
        return false;
      }
    }
    if ((attention & attend_nmi) && !nmi_masked) {
      attention &= ~attend_nmi;
      nmi_masked = true;
      take_interrupt(vec_nmi);
      return false;
    }
    if ((attention & attend_intr) && (system_flags & flag_if) && !inhibited) {
      const Cycle cycle = pins.acknowledge_interrupt(clock.at(timing.cycle_start(true)));
      wait_for(cycle.end);
      take_interrupt(static_cast<std::uint8_t>(cycle.value));
      return false;
    }
  }
  if (attention & attend_halted) {
    wait_halted();
    return false;
  }
  const std::uint32_t before = attention;
  if (inhibited) {
    attention &= ~attend_inhibit;
    stop_at = 0;
  }
  if (before & (attend_breakpoint | attend_step | attend_rf)) {
    // A repeated string is one instruction, however often it is cut.
    if ((before & attend_breakpoint) && !(before & (attend_rf | attend_rep))) {
      const std::uint32_t hits = instruction_breakpoints(seg[CS].base + eip);
      if (hits) {
        forget_loop(*this);
        dr[6] |= hits;
        attention &= ~attend_rep;
        deliver(Fault{vec_db});
        return false;
      }
    }
    // RF is in force for one instruction.
    if (before & attend_rf) {
      system_flags &= ~flag_rf;
      attention &= ~attend_rf;
    }
    if (before & attend_step) step_armed = true;
    stop_at = 0;
  }
  resumed = before & attend_rep;
  attention &= ~attend_rep;
  return true;
}

// HLT and shutdown: time advances to the horizon; by then, every event that could wake the CPU has fired.
void Engine::wait_halted() {
  const std::uint64_t from = timing.clocks();
  if (horizon_clock > from) {
    if (from != halted_until) halted_from = from;
    timing.jump_to(horizon_clock);
    halted_until = timing.clocks();
    halted_clocks += halted_until - from;
  }
}

void Engine::take_interrupt(std::uint8_t vector) {
  forget_loop(*this);
  timing.abandon();
  try {
    trace(TraceCategory::irq, now(), "cpu", "interrupt {:02X} at {:04X}:{:08X}", vector, seg[CS].selector, eip);
    interrupt(vector, Source::external, false, 0);
    timing.abandon();  // as in deliver()
  } catch (const Fault& fault) {
    attention &= ~(attend_rep | attend_halted);
    deliver(fault);
  }
}

void Engine::take_fault(const Fault& fault) {
  forget_loop(*this);
  step_armed = false;
  attention &= ~attend_rep;
  lone_goes_on = false;
  if (!fault.committed) eip -= current_op_length;
  deliver(fault);
}

}  // namespace planar::cpu
