// SPDX-License-Identifier: GPL-2.0-or-later
// Internals of the debugger's commands; included only by their source files.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "frontend/debug/commands.hpp"

namespace planar::debug_commands {

using Arguments = std::vector<std::string>;
using Result = DebugCommands::Result;

struct Command {
  const char* names;      ///< the name, then after a blank a short form
  const char* arguments;  ///< as shown by help
  const char* help;
  Result (*run)(Debugger&, const Arguments&);
  bool runs = false;  ///< advances virtual time
};

std::span<const Command> show_commands();
std::span<const Command> break_commands();
std::span<const Command> run_commands();
std::span<const Command> drive_commands();

/// A linear address or number: hexadecimal (1000, 0x1000, 1000h), a register, an offset from the base of a segment
/// register (cs:eip), SEGMENT:OFFSET as in real mode, or a sum of these. Throws Error.
std::uint32_t parse_address(Debugger& debugger, const std::string& text);
/// A decimal number from 1 to `most`. Throws Error.
std::uint32_t parse_count(const std::string& text, std::uint32_t most);
/// A port, vector or the like, hexadecimal. Throws Error if it exceeds `most`.
std::uint32_t parse_small(Debugger& debugger, const std::string& text, std::uint32_t most);
/// Throws Error, listing the lab's ports, if no port's name contains `sender`: such a breakpoint would never be hit.
void check_sender(Debugger& debugger, const std::string& sender);
/// One line per 16 bytes, in hexadecimal and as text; `byte` returns nothing for an address that cannot be read.
std::string dump(std::uint32_t address, std::uint32_t length,
                 const std::function<std::optional<std::uint8_t>(std::uint32_t)>& byte);
/// A PCI device, and one of its functions if one was named.
struct FunctionPlace {
  unsigned bus = 0, device = 0;
  std::optional<unsigned> function;
};
/// Parses "9", "A.1", "01:07.1" (hexadecimal, as `pci` lists them) or "slot1"; an empty `text` only checks that there
/// is PCI. Throws Error if there is no PCI, or no such device or function.
FunctionPlace find_function(Debugger& debugger, const std::string& text);
/// `pci`: lists the functions, or shows one with its configuration space.
Result pci_command(Debugger& debugger, const Arguments& arguments);
/// What the machine is doing or waiting for now.
std::string why(Debugger& debugger);

}  // namespace planar::debug_commands
