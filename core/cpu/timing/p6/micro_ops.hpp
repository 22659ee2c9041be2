// SPDX-License-Identifier: GPL-2.0-or-later
// Decode time: the micro-ops of an instruction on the P6.
//
// Each access to memory has micro-ops of its own, issued when it happens: a load one for port 2, a store one for port 3
// (address) and one for port 4 (data). Listed here are the others, and the total number of micro-ops.
//
// Figures: Agner Fog's table for Pentium Pro, II and III (2000), measured by him, with port and latency from GCC's
// description of the Pentium Pro, which cites Intel 245127, as collected in docs/hardware/processors.md; exceptions are
// marked.
#pragma once

#include <array>
#include <cstdint>

#include "core/cpu/timing/common/static_clocks.hpp"
#include "core/cpu/x86/op.hpp"

namespace planar::cpu {

/// The ports of the reservation station, as bits.
enum : std::uint8_t { port_0 = 1, port_1 = 2, port_load = 4, port_address = 8, port_data = 16, port_01 = 3 };

/// Status flags by how instructions write them, as bits.
enum : std::uint8_t { flag_carry = 1, flag_zso = 2, flag_ap = 4, flags_all = 7 };

/// What an instruction does besides its accesses to memory.
struct MicroOps {
  std::uint8_t uops;           ///< in total, loads and stores included: what decoding and renaming count
  std::uint8_t compute;        ///< of these, those that compute, one after the other
  std::uint8_t ports;          ///< where those execute
  std::uint8_t latency;        ///< clocks of the last of them; those before it take one each
  std::uint8_t busy = 1;       ///< clocks before port 0 takes the next one of the kind (division)
  bool stack = false;          ///< ESP is changed by a micro-op of its own
  bool serializing = false;    ///< begins when all before it have retired; what follows is fetched once it has
  std::uint8_t microcode = 0;  ///< clocks beyond those of the micro-ops
};

/// Bits of Op::P6::decoding: clocks of prefixes, then how it reads and writes registers, then whether it is a string
/// instruction under REP.
enum : std::uint8_t { extra_clocks = 15, reads_whole = 16, writes_part = 32, zeroes = 64, repeats = 128 };

/// Indexed by Op::P6::micro_ops.
extern const MicroOps* const micro_op_table;
inline const MicroOps& micro_ops(std::uint16_t number) { return micro_op_table[number]; }

/// Fills Op::p6 of `op`, whose form is `form`.
void set_micro_ops(Op& op, const StaticForm& form);

}  // namespace planar::cpu
