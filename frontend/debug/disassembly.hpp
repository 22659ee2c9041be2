// SPDX-License-Identifier: GPL-2.0-or-later
// Instructions as text, and what kind they are. The one place that knows Zydis.
#pragma once

#include <cstdint>
#include <string>

#include "core/cpu/cpu.hpp"

namespace planar {

/// `count` instructions from the linear address on, one line each: address, bytes, text in Intel's syntax, in the mode
/// that the code segment has now. Stops where memory cannot be read. No line end after the last one.
std::string disassemble(const cpu::Cpu& cpu, std::uint32_t linear, unsigned count);

enum class InstructionKind : std::uint8_t { other, copy, port, halt };
/// What the instruction at `linear` does for a frame: a repeated MOVS, INS or OUTS copies; IN and OUT reach a port.
InstructionKind instruction_kind(const cpu::Cpu& cpu, std::uint32_t linear);

}  // namespace planar
