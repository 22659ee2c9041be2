// SPDX-License-Identifier: GPL-2.0-or-later
// Disassembles and classifies instructions. The only code that uses Zydis.
#pragma once

#include <cstdint>
#include <string>

#include "core/cpu/cpu.hpp"

namespace planar {

/// `count` instructions from the linear address on, one line each: address, bytes, text in Intel's syntax, in the mode
/// that the code segment has now. Stops where memory cannot be read. No newline after the last line.
std::string disassemble(const cpu::Cpu& cpu, std::uint32_t linear, unsigned count);

enum class InstructionKind : std::uint8_t { other, copy, port, halt };
/// The kind of the instruction at `linear`, for the parts of a frame's time: repeated MOVS, INS and OUTS copy; IN and
/// OUT access a port.
InstructionKind instruction_kind(const cpu::Cpu& cpu, std::uint32_t linear);

}  // namespace planar
