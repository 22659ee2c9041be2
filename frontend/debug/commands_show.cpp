// SPDX-License-Identifier: GPL-2.0-or-later
// Commands that show and change the machine's state.
#include <fmt/format.h>

#include <algorithm>

#include "core/common/error.hpp"
#include "core/cpu/fpu/fpu.hpp"
#include "frontend/debug/command_parts.hpp"
#include "frontend/debug/disassembly.hpp"
#include "frontend/debug/lab_devices.hpp"

namespace planar::debug_commands {

namespace {

constexpr std::uint32_t most_bytes = 0x10000;
constexpr unsigned most_instructions = 1000;

Result registers(Debugger& d, const Arguments&) {
  const cpu::Cpu& cpu = d.machine().cpu();
  const auto r = cpu.registers();
  constexpr const char* general[] = {"EAX", "ECX", "EDX", "EBX", "ESP", "EBP", "ESI", "EDI"};
  constexpr const char* segments[] = {"ES", "CS", "SS", "DS", "FS", "GS"};
  std::string out;
  for (const unsigned n : {0u, 3u, 1u, 2u, 6u, 7u, 5u, 4u})
    out += fmt::format("{} {:08X}{}", general[n], r.gpr[n], n == 2 || n == 4 ? "\n" : "  ");
  std::string flags;
  constexpr std::pair<const char*, unsigned> bits[] = {{"CF", 0},  {"PF", 2},  {"AF", 4},  {"ZF", 6},
                                                       {"SF", 7},  {"TF", 8},  {"IF", 9},  {"DF", 10},
                                                       {"OF", 11}, {"NT", 14}, {"RF", 16}, {"VM", 17}};
  for (const auto& [name, bit] : bits)
    if (r.eflags >> bit & 1) flags += fmt::format(" {}", name);
  out += fmt::format("EIP {:08X}  EFLAGS {:08X}{}  CPL {}\n", r.eip, r.eflags, flags, r.cpl);
  for (unsigned n = 0; n < 6; ++n)
    out += fmt::format("{} {:04X} base {:08X} limit {:08X}{}", segments[n], r.segment[n].selector, r.segment[n].base,
                       r.segment[n].limit, n % 2 ? "\n" : "  ");
  out += fmt::format("GDTR {:08X}:{:04X}  IDTR {:08X}:{:04X}  LDTR {:04X}  TR {:04X}\n", r.gdtr.base, r.gdtr.limit,
                     r.idtr.base, r.idtr.limit, r.ldtr.selector, r.tr.selector);
  out += fmt::format("CR0 {:08X}  CR2 {:08X}  CR3 {:08X}  CR4 {:08X}\n", r.cr0, r.cr2, r.cr3, r.cr4);
  if (cpu.config().fpu) {
    const cpu::Fpu& f = cpu.fpu();
    out += fmt::format("x87 control {:04X}  status {:04X}  tags {:04X}\n", f.control, f.status, f.tag_word());
  }
  return {out};
}

Result disassemble_command(Debugger& d, const Arguments& a) {
  const cpu::Cpu& cpu = d.machine().cpu();
  const auto at = a.empty() ? cpu.instruction_address() : parse_address(d, a[0]);
  return {disassemble(cpu, at, a.size() > 1 ? parse_count(a[1], most_instructions) : 10) + "\n"};
}

Result memory(Debugger& d, const Arguments& a) {
  if (a.empty()) throw Error("mem needs an address");
  return {dump(parse_address(d, a[0]), a.size() > 1 ? parse_count(a[1], most_bytes) : 64,
               [&](std::uint32_t at) { return d.machine().cpu().peek_linear(at); })};
}

Result physical(Debugger& d, const Arguments& a) {
  if (a.empty()) throw Error("phys needs an address");
  return {dump(parse_address(d, a[0]), a.size() > 1 ? parse_count(a[1], most_bytes) : 64,
               [&](std::uint32_t at) { return std::optional(d.machine().peek_memory(at)); })};
}

Result translate(Debugger& d, const Arguments& a) {
  if (a.empty()) throw Error("translate needs a linear address");
  const auto linear = parse_address(d, a[0]);
  const auto physical = d.machine().cpu().translate(linear);
  return {physical ? fmt::format("{:08X}h is physical {:08X}h\n", linear, *physical)
                   : fmt::format("{:08X}h is not present\n", linear)};
}

Result write_bytes(Debugger& d, const Arguments& a, bool is_physical) {
  if (a.size() < 2) throw Error("write needs an address and bytes: write 1000 90 90");
  const auto at = parse_address(d, a[0]);
  cpu::Cpu& cpu = d.machine().cpu();
  for (std::uint32_t n = 1; n < a.size(); ++n) {
    const auto value = static_cast<std::uint8_t>(parse_small(d, a[n], 0xFF));
    if (!(is_physical ? cpu.poke(at + n - 1, value) : cpu.poke_linear(at + n - 1, value)))
      throw Error(fmt::format("{:08X}h is not writable memory", at + n - 1));
  }
  d.changed();
  return {};
}
Result write_linear(Debugger& d, const Arguments& a) { return write_bytes(d, a, false); }
Result write_physical(Debugger& d, const Arguments& a) { return write_bytes(d, a, true); }

Result port(Debugger& d, const Arguments& a) {
  if (a.empty()) throw Error("port needs a port");
  const auto number = static_cast<std::uint16_t>(parse_small(d, a[0], 0xFFFF));
  return {fmt::format("{:04X}h: {:02X}h\n", number, d.machine().peek_port(number))};
}

Result describe(Debugger& d, const Arguments& a) {
  if (a.empty()) {
    std::string out;
    for (const auto& device : d.machine().devices()) out += device + "\n";
    return {out + "describe DEVICE shows its registers and state\n"};
  }
  return {to_text(describe_devices(d.lab(), a, d.current()))};
}

/// To the picosecond, which a floating-point number of seconds does not hold after some hours.
std::string exactly(Time t) {
  constexpr std::int64_t second = 1'000'000'000'000;
  return fmt::format("{}.{:012} s", t.ps / second, t.ps % second);
}

Result time(Debugger& d, const Arguments&) {
  std::string out;
  for (std::size_t n = 0; n < d.lab().machines(); ++n) {
    const cpu::Cpu& cpu = d.lab().machine(n).cpu();
    out += fmt::format("{}{}, {} clocks ({} of them halted), {} instructions\n",
                       d.lab().machines() > 1 ? d.lab().name(n) + ": " : std::string{}, exactly(cpu.time()),
                       cpu.clocks(), cpu.halted_clocks(), cpu.instructions());
  }
  for (const Event* event : d.lab().scheduler().pending())
    out += fmt::format("  {}  {}\n", exactly(event->when()), event->name());
  return {out};
}

Result why_command(Debugger& d, const Arguments&) { return {why(d)}; }

Result machine(Debugger& d, const Arguments& a) {
  std::string out;
  for (std::size_t n = 0; n < d.lab().machines(); ++n) {
    const auto name = d.lab().name(n).empty() ? d.lab().machine(n).config().shown_name() : d.lab().name(n);
    if (!a.empty() && a[0] == name) {
      d.select(n);
      return {};
    }
    const bool inside = !d.lab().scheduler().between_instructions(d.lab().machine(n).cpu());
    out += fmt::format("{} {}{}\n", n == d.current() ? "*" : " ", name, inside ? " (inside an instruction)" : "");
  }
  if (!a.empty()) throw Error(fmt::format("there is no machine '{}'; the lab has\n{}", a[0], out));
  return {out};
}

constexpr Command show_command_table[] = {
    {"regs r", "", "the processor's registers", registers},
    {"dis d", "[ADDRESS [COUNT]]", "disassemble, from the next instruction", disassemble_command},
    {"mem m", "ADDRESS [BYTES]", "memory at linear addresses, through the page tables", memory},
    {"phys", "ADDRESS [BYTES]", "physical memory", physical},
    {"translate", "ADDRESS", "the physical address of a linear one", translate},
    {"write", "ADDRESS BYTE...", "change memory", write_linear},
    {"writephys", "ADDRESS BYTE...", "change physical memory", write_physical},
    {"port", "PORT", "what a port would read, without side effects", port},
    {"describe", "[DEVICE...]", "a device's registers and state; without a name, the devices", describe},
    {"pci", "[[BUS:]DEVICE[.FUNCTION]|slotN]",
     "the functions on PCI; of one, its configuration space by name and in full", pci_command},
    {"time", "", "virtual time, clocks, and the events to come", time},
    {"why", "", "what the machine waits for now, in terms of the parts of a frame's time", why_command},
    {"machine", "[NAME]", "of several machines, the one that commands apply to", machine},
};

}  // namespace

std::span<const Command> show_commands() { return show_command_table; }

}  // namespace planar::debug_commands
