// SPDX-License-Identifier: GPL-2.0-or-later
// The processor's registers as gdb numbers them: its i386 core with the x87, and after it planar's own feature with
// what belongs to the system (control, debug and table registers, segment bases).
//
// gdb's memory commands take linear addresses, and so `eip` is the linear address of the next instruction: where CS
// begins at 0, as in every flat program, that is EIP itself. `ip` is EIP as the processor has it, `stack` the linear
// address of the stack's top.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "core/cpu/cpu.hpp"

namespace planar::gdb {

/// The target description (XML) that names all registers in order.
std::string target_description();

/// How many there are.
std::size_t register_count();
/// The value of register `number`, its least significant byte first.
std::string read_register(const cpu::Cpu& cpu, std::size_t number);
/// Writes it. False, with nothing done: no such register, a value of another length, or one that is only shown (segment
/// bases and selectors in protected mode, tables, CPL).
bool write_register(cpu::Cpu& cpu, std::size_t number, std::string_view value);

}  // namespace planar::gdb
