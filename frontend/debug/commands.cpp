// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/debug/commands.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <sstream>

#include "core/common/edit_distance.hpp"
#include "core/common/error.hpp"
#include "frontend/debug/command_parts.hpp"
#include "frontend/debug/disassembly.hpp"
#include "machines/config/units.hpp"

namespace planar {

using debug_commands::Arguments;
using debug_commands::Command;

namespace {

std::array<std::span<const Command>, 4> tables() {
  return {debug_commands::show_commands(), debug_commands::break_commands(), debug_commands::run_commands(),
          debug_commands::drive_commands()};
}

std::vector<std::string> words(const std::string& line) {
  std::istringstream in(line);
  std::vector<std::string> list;
  for (std::string word; in >> word;) {
    if (word.starts_with('#')) break;
    list.push_back(word);
  }
  return list;
}

bool is(const Command& command, const std::string& name) {
  const auto names = words(command.names);
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// The most words that may follow the command's name.
std::size_t most_words(const Command& command) {
  const std::string_view arguments = command.arguments;
  const bool any = arguments.find("...") != arguments.npos || arguments.find('"') != arguments.npos;
  const std::size_t time = arguments.find("TIME") == arguments.npos ? 0 : 1;  // "8.2 s" are two words
  return any ? SIZE_MAX : words(command.arguments).size() + time;
}

/// The command of that name; among several forms, the one that begins like `arguments` ("break io"), otherwise the
/// first. Null: no such command.
const Command* find(const std::string& name, const Arguments& arguments) {
  const Command* found = nullptr;
  for (const auto& table : tables())
    for (const Command& c : table) {
      if (!is(c, name)) continue;
      const auto form = words(c.arguments);
      if (!arguments.empty() && !form.empty() && form.front() == arguments.front()) return &c;
      if (!found) found = &c;
    }
  return found;
}

std::string help(bool runs) {
  std::string out;
  for (const auto& table : tables())
    for (const Command& c : table)
      if (runs || !c.runs) out += fmt::format("{:<36} {}\n", fmt::format("{} {}", c.names, c.arguments), c.help);
  return out +
         "Addresses are linear: hexadecimal (C0100000, 1000h), a segment register and an offset (cs:eip, ss:esp), "
         "SEGMENT:OFFSET\nas in real mode (F000:E05B), registers by themselves (esi), or sums (ss:esp+8).\n";
}

}  // namespace

std::vector<std::string> DebugCommands::completions(std::string_view prefix) const {
  std::vector<std::string> list;
  for (const auto& table : tables())
    for (const Command& c : table)
      if (const auto name = words(c.names).front();
          (runs_ || !c.runs) && name.starts_with(prefix) && (list.empty() || list.back() != name))
        list.push_back(name);
  return list;
}

DebugCommands::Result DebugCommands::execute(Debugger& debugger, const std::string& line) {
  Arguments arguments = words(line);
  if (arguments.empty()) return {};
  const std::string name = arguments.front();
  arguments.erase(arguments.begin());
  if (name == "help" || name == "?") return {help(runs_)};
  if (const Command* const c = find(name, arguments)) {
    if (c->runs && !runs_) throw Error(fmt::format("{}: gdb itself steps and continues the machine", name));
    if (const auto most = most_words(*c); arguments.size() > most)
      throw Error(fmt::format("{}: unexpected argument '{}'; write {}", line, arguments[most],
                              most ? fmt::format("{} {}", name, c->arguments) : name));
    return c->run(debugger, arguments);
  }
  auto known = completions("");
  known.emplace_back("help");
  const auto guess = nearest(name, known);
  throw Error(fmt::format("there is no command '{}'; {}", name,
                          guess.empty() ? "help lists them" : fmt::format("did you mean '{}'?", guess)));
}

std::string DebugCommands::describe_stop(Debugger& debugger, const Stop& stop) {
  Lab& lab = debugger.lab();
  std::string out;
  if (stop.why == Stop::Why::breakpoint)
    out += fmt::format(
        "{}: {}\n", stop.breakpoint.number ? fmt::format("breakpoint {}", stop.breakpoint.number) : "stop", stop.text);
  if (stop.why == Stop::Why::beginning) out += "the history begins here\n";
  if (stop.why == Stop::Why::halted) out += "the processor has halted for good: no interrupt can wake it\n";
  if (stop.why == Stop::Why::ended) return out + "the run is over\n";
  const cpu::Cpu& cpu = debugger.machine().cpu();
  return out + fmt::format("{}{:.9f} s  {}\n", lab.machines() > 1 ? lab.name(debugger.current()) + "  " : std::string{},
                           cpu.time().seconds(), disassemble(cpu, cpu.instruction_address(), 1));
}

namespace debug_commands {

namespace {

constexpr const char* segment_names[] = {"es", "cs", "ss", "ds", "fs", "gs"};

std::optional<std::uint32_t> register_value(const cpu::Cpu& cpu, const std::string& name) {
  const auto r = cpu.registers();
  constexpr const char* general[] = {"eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi"};
  for (unsigned n = 0; n < 8; ++n) {
    if (name == general[n]) return r.gpr[n];
    if (name == general[n] + 1) return r.gpr[n] & 0xFFFF;
  }
  for (unsigned n = 0; n < std::size(segment_names); ++n)
    if (name == segment_names[n]) return r.segment[n].selector;
  if (name == "eip") return r.eip;
  if (name == "ip") return r.eip & 0xFFFF;
  if (name == "cr2") return r.cr2;
  if (name == "cr3") return r.cr3;
  return {};
}

std::uint32_t term(Debugger& debugger, const std::string& text) {
  if (const auto value = register_value(debugger.machine().cpu(), text)) return *value;
  std::string_view digits = text;
  if (digits.starts_with("0x") || digits.starts_with("0X")) digits.remove_prefix(2);
  if (digits.ends_with('h') || digits.ends_with('H')) digits.remove_suffix(1);
  if (digits.size() <= 8)
    if (const auto value = parse_number("0x" + std::string(digits))) return static_cast<std::uint32_t>(*value);
  throw Error(
      fmt::format("'{}' is no number or address; write hexadecimal digits, a register or SEGMENT:OFFSET", text));
}

/// The base of a segment register, or of a segment in real mode.
std::uint32_t segment_base(Debugger& debugger, const std::string& text) {
  const auto r = debugger.machine().cpu().registers();
  for (unsigned n = 0; n < std::size(segment_names); ++n)
    if (text == segment_names[n]) return r.segment[n].base;
  const std::uint32_t segment = term(debugger, text);
  if (segment > 0xFFFF) throw Error(fmt::format("'{}': a segment has at most four digits, as in F000:E05B", text));
  return segment << 4;
}

}  // namespace

std::uint32_t parse_address(Debugger& debugger, const std::string& text) {
  std::uint32_t sum = 0;
  for (std::size_t at = 0; at <= text.size();) {
    const auto plus = std::min(text.find('+', at), text.size());
    const std::string part = text.substr(at, plus - at);
    const auto colon = part.find(':');
    if (colon == std::string::npos) {
      sum += term(debugger, part);
    } else {
      sum += segment_base(debugger, part.substr(0, colon)) + term(debugger, part.substr(colon + 1));
    }
    at = plus + 1;
  }
  return sum;
}

std::uint32_t parse_count(const std::string& text, std::uint32_t most) {
  const auto value = parse_number(text);
  if (!value || *value < 1 || *value > most) throw Error(fmt::format("'{}' is not a number from 1 to {}", text, most));
  return static_cast<std::uint32_t>(*value);
}

std::uint32_t parse_small(Debugger& debugger, const std::string& text, std::uint32_t most) {
  const std::uint32_t value = parse_address(debugger, text);
  if (value > most) throw Error(fmt::format("'{}' is beyond {:X}h", text, most));
  return value;
}

void check_sender(Debugger& debugger, const std::string& sender) {
  std::vector<std::string> all;
  for (const net::Medium* medium : debugger.lab().media())
    for (const net::Port* port : medium->ports())
      if (port) all.push_back(port->name());
  if (all.empty()) throw Error("no adapter of this lab is on a medium; there are no frames");
  const auto meant = [&](const std::string& name) { return name.find(sender) != std::string::npos; };
  if (std::none_of(all.begin(), all.end(), meant))
    throw Error(fmt::format("'{}' sends no frames; the senders are {}", sender, fmt::join(all, ", ")));
}

std::string dump(std::uint32_t address, std::uint32_t length,
                 const std::function<std::optional<std::uint8_t>(std::uint32_t)>& byte) {
  constexpr std::uint32_t row = 16;
  std::string out;
  for (std::uint32_t done = 0; done < length; done += row) {
    std::string text;
    out += fmt::format("{:08X} ", address + done);
    for (std::uint32_t n = 0; n < row && done + n < length; ++n) {
      const auto value = byte(address + done + n);
      out += value ? fmt::format(" {:02X}", *value) : " ??";
      text += value && *value >= 0x20 && *value < 0x7F ? static_cast<char>(*value) : '.';
    }
    out += fmt::format("{:{}}  {}\n", "", 3 * (row - text.size()), text);
  }
  return out;
}

}  // namespace debug_commands

}  // namespace planar
