// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/trace/instruction_tracer.hpp"

#include <utility>

#include "frontend/debug/disassembly.hpp"

namespace planar {

void InstructionTracer::forget() {
  began_ = false;
  deliveries_.clear();
  waits_since_.reset();
}

void InstructionTracer::line(std::uint64_t clocks, const std::string& text) {
  trace_(TraceCategory::cpu, machine_.cpu().time(), "cpu", "{:04X}:{:08X}  {:<50} {} clocks", selector_, offset_, text,
         clocks);
}

void InstructionTracer::before_step() {
  const cpu::Cpu& cpu = machine_.cpu();
  began_ = true;
  deliveries_.clear();
  linear_ = cpu.instruction_address();
  clocks_ = cpu.clocks();
  wanted_ = trace_.filter().passes(memory_address(linear_));
  const auto since = cpu.asleep() ? std::nullopt : std::exchange(waits_since_, std::nullopt);
  if (!wanted_) return;
  const cpu::Registers r = cpu.registers();
  selector_ = r.segment[1].selector;
  offset_ = r.eip;
  // Disassembled now, because the instruction may overwrite itself. substr() removes the linear address.
  text_ = disassemble(cpu, linear_, 1).substr(10);
  if (since) line(clocks_ - *since, cpu.in_shutdown() ? "was in shutdown" : "was halted");
}

void InstructionTracer::delivering(std::uint8_t vector, cpu::InterruptSource source, bool has_error,
                                   std::uint16_t error) {
  deliveries_.push_back({vector, source, has_error, error});
}

void InstructionTracer::after_step(bool executed, const cpu::Op*) {
  if (!began_) return;
  began_ = false;
  if (!wanted_) return;
  const cpu::Cpu& cpu = machine_.cpu();
  std::uint64_t clocks = cpu.clocks() - clocks_;
  const auto show = [&](const std::string& text) { line(std::exchange(clocks, 0), text); };
  if (executed) show(text_);
  for (const Delivery& d : deliveries_) {
    if (d.source == cpu::InterruptSource::software) continue;  // the instruction itself shows it
    show(fmt::format("takes {} {:02X}{}", d.source == cpu::InterruptSource::external ? "interrupt" : "exception",
                     d.vector, d.has_error ? fmt::format(" error {:04X}", d.error) : ""));
  }
  if (executed || !deliveries_.empty()) return;
  if (cpu.instruction_address() != linear_)
    show("is reset");
  else if (!waits_since_ && clocks > 0)
    waits_since_ = clocks_;
}

}  // namespace planar
