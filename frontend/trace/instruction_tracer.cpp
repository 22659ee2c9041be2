// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/trace/instruction_tracer.hpp"

#include "frontend/debug/disassembly.hpp"

namespace planar {

void InstructionTracer::forget() {
  began_ = false;
  deliveries_.clear();
}

void InstructionTracer::before_step() {
  const cpu::Cpu& cpu = machine_.cpu();
  began_ = true;
  deliveries_.clear();
  linear_ = cpu.instruction_address();
  clocks_ = cpu.clocks();
  wanted_ = trace_.filter().passes(memory_address(linear_));
  if (!wanted_) return;
  const cpu::Registers r = cpu.registers();
  selector_ = r.segment[1].selector;
  offset_ = r.eip;
  // Disassembled now, because the instruction may overwrite itself. substr() removes the linear address.
  text_ = disassemble(cpu, linear_, 1).substr(10);
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
  const std::uint64_t clocks = cpu.clocks() - clocks_;
  const auto line = [&](const std::string& text) {
    trace_(TraceCategory::cpu, cpu.time(), "cpu", "{:04X}:{:08X}  {:<50} {} clocks", selector_, offset_, text, clocks);
  };
  if (executed) line(text_);
  for (const Delivery& d : deliveries_) {
    if (d.source == cpu::InterruptSource::software) continue;  // the instruction itself shows it
    line(fmt::format("takes {} {:02X}{}", d.source == cpu::InterruptSource::external ? "interrupt" : "exception",
                     d.vector, d.has_error ? fmt::format(" error {:04X}", d.error) : ""));
  }
  if (!executed && deliveries_.empty() && cpu.instruction_address() != linear_) line("is reset");
}

}  // namespace planar
