// SPDX-License-Identifier: GPL-2.0-or-later
// Operands that are memory or a register, and operands in memory that have two parts.
#pragma once

#include "core/cpu/mmu/access.hpp"

namespace planar::cpu {

/// What ModRM names, memory or a register.
template <class T>
T operand(Engine& c, const Op& op) {
  return op.has_memory ? c.read<T>(op.segment, c.effective_address(op)) : c.get<T>(op.rm);
}

/// Where the second part of an operand in memory lies, after a first one of `bytes`. The offset wraps with the address
/// size.
inline std::uint32_t second_part(const Engine& c, const Op& op, unsigned bytes) {
  return (c.effective_address(op) + bytes) & op.address_mask;
}

struct FarPointer {
  std::uint16_t selector;
  std::uint32_t offset;
};
template <class T>
FarPointer far_pointer(Engine& c, const Op& op) {
  const T offset = c.read<T>(op.segment, c.effective_address(op));
  return {c.read<std::uint16_t>(op.segment, second_part(c, op, sizeof(T))), offset};
}

}  // namespace planar::cpu
