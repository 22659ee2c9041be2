// SPDX-License-Identifier: GPL-2.0-or-later
// The processor's registers as gdb numbers them: its i386 core with the x87, followed by planar's own feature with the
// system registers (control, debug and table registers, segment bases).
//
// gdb's memory commands take linear addresses, so `eip` is the linear address of the next instruction; with a CS base
// of 0, as in every flat program, that is EIP itself. `ip` is the processor's EIP, `stack` the linear address of the
// top of the stack.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "core/cpu/cpu.hpp"

namespace planar::gdb {

/// The target description (XML) that names all registers in order.
std::string target_description();

/// The number of registers.
std::size_t register_count();
/// The value of register `number`, its least significant byte first.
std::string read_register(const cpu::Cpu& cpu, std::size_t number);
/// Writes a register. False, with nothing changed: no such register, a value of another length, or a register that is
/// read-only (segment bases and selectors in protected mode, tables, CPL).
bool write_register(cpu::Cpu& cpu, std::size_t number, std::string_view value);

}  // namespace planar::gdb
