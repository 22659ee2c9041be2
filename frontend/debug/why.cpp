// SPDX-License-Identifier: GPL-2.0-or-later
// What a machine is waiting for, in terms of the parts of a frame's time (meters/frame_time.hpp).
#include <fmt/format.h>

#include <algorithm>

#include "frontend/debug/command_parts.hpp"
#include "frontend/debug/disassembly.hpp"

namespace planar::debug_commands {

namespace {

std::string running(const cpu::Cpu& cpu) {
  const auto at = cpu.instruction_address();
  const char* part = "stack: it executes code";
  switch (instruction_kind(cpu, at)) {
    case InstructionKind::copy: part = "cpu_copy: it copies"; break;
    case InstructionKind::port: part = "bus_wait: it is about to wait for a cycle on its pins"; break;
    default: break;
  }
  return fmt::format("{}\n  {}\n", part, disassemble(cpu, at, 1));
}

/// The next event that is not another machine's; null: none.
const Event* next_event(Debugger& d) {
  const auto of_another = [&](const Event* event) {
    for (std::size_t n = 0; n < d.lab().machines(); ++n)
      if (n != d.current() && event->name().starts_with(d.lab().machine(n).config().name_prefix())) return true;
    return false;
  };
  const auto pending = d.lab().scheduler().pending();
  const auto own = std::find_if_not(pending.begin(), pending.end(), of_another);
  return own == pending.end() ? nullptr : *own;
}

/// For a halted processor: the wire if a frame is on it, otherwise the owner of the next event.
std::string waiting(Debugger& d) {
  Machine& machine = d.machine();
  const std::string prefix = machine.config().name_prefix();
  if (d.frames_on_the_wire() > 0)
    return fmt::format("wire: {} on the wire\n", d.frames_on_the_wire() == 1 ? "a frame is" : "frames are");
  const Event* const next = next_event(d);
  if (!next) return "idle: nothing is going to happen\n";
  const bool of_card = next->name().starts_with(prefix + "slot");
  return fmt::format("{}: the next event is {} in {:.3f} µs\n", of_card ? "card" : "idle", next->name(),
                     (next->when() - machine.cpu().time()).seconds() * 1e6);
}

}  // namespace

std::string why(Debugger& d) {
  const cpu::Cpu& cpu = d.machine().cpu();
  std::string out;
  if (cpu.in_shutdown())
    out = "the processor is in shutdown (a triple fault) and waits for RESET\n";
  else if (cpu.halted())
    out = fmt::format("the processor is halted{} - {}",
                      cpu.registers().eflags >> 9 & 1 ? ", interrupts on" : ", interrupts off: only NMI wakes it",
                      waiting(d));
  else
    out = "the processor runs - " + running(cpu);
  for (const Event* event : d.lab().scheduler().pending())
    out += fmt::format("  in {:12.3f} µs  {}\n", (event->when() - cpu.time()).seconds() * 1e6, event->name());
  return out;
}

}  // namespace planar::debug_commands
