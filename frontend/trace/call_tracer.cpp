// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/trace/call_tracer.hpp"

#include <algorithm>

namespace planar {

namespace {

constexpr std::uint8_t call_vector = 0x80;
constexpr std::uint32_t flag_v86 = 1u << 17, protection_enable = 1;
constexpr std::size_t most_open = 1024;  // calls of terminated processes never return
constexpr std::uint32_t errors = 4095;   // results from -4095 on are error numbers

std::string argument(std::uint32_t value) {
  return value < 10 ? fmt::format("{}", value) : fmt::format("{:X}h", value);
}

std::string result(std::uint32_t value) {
  if (value >= 0u - errors) return fmt::format("-{}", 0u - value);
  return value < 0x10000 ? fmt::format("{}", value) : fmt::format("{:X}h", value);
}

}  // namespace

void CallTracer::delivering(std::uint8_t vector, cpu::InterruptSource source, bool, std::uint16_t) {
  if (vector != call_vector || source != cpu::InterruptSource::software) return;
  const cpu::Cpu& cpu = machine_.cpu();
  const cpu::Registers r = cpu.registers();
  if (!(r.cr0 & protection_enable) || (r.eflags & flag_v86)) return;
  const std::uint32_t number = r.gpr[0];
  const std::uint32_t values[] = {r.gpr[3], r.gpr[1], r.gpr[2], r.gpr[6], r.gpr[7]};
  const auto known = call_name(table_, number);
  std::string name = known ? std::string(known->name) : fmt::format("call {}", number);
  if (name == "socketcall")
    if (const auto what = socket_call_name(values[0]); !what.empty()) name += fmt::format(".{}", what);
  std::string text;
  for (unsigned n = 0; n < (known ? known->arguments : 3); ++n)
    text += (text.empty() ? "" : ", ") + argument(values[n]);
  trace_(TraceCategory::syscall, cpu.time(), "cpu", "{}({})", name, text);
  Call call{r.cr3, r.gpr[4], cpu.instruction_address(), std::move(name)};
  std::erase_if(open_, [&](const Call& c) {
    return c.tables == call.tables && c.stack == call.stack && c.return_to == call.return_to;
  });
  if (open_.size() == most_open) open_.erase(open_.begin());
  open_.push_back(std::move(call));
}

void CallTracer::before_step() {
  if (open_.empty()) return;
  const cpu::Cpu& cpu = machine_.cpu();
  const std::uint32_t here = cpu.instruction_address();
  if (std::none_of(open_.begin(), open_.end(), [&](const Call& c) { return c.return_to == here; })) return;
  const cpu::Registers r = cpu.registers();
  const auto call = std::find_if(open_.begin(), open_.end(), [&](const Call& c) {
    return c.return_to == here && c.tables == r.cr3 && c.stack == r.gpr[4];
  });
  if (call == open_.end() || r.cpl == 0) return;
  trace_(TraceCategory::syscall, cpu.time(), "cpu", "{} = {}", call->name, result(r.gpr[0]));
  open_.erase(call);
}

}  // namespace planar
