// SPDX-License-Identifier: GPL-2.0-or-later
// Operands in memory or a register, and memory operands that have two parts.
#pragma once

#include "core/cpu/mmu/access.hpp"

namespace planar::cpu {

/// The operand that ModRM names, memory or a register.
template <class T>
T operand(Engine& c, const Op& op) {
  return op.has_memory ? c.read<T>(op.segment, c.effective_address(op)) : c.get<T>(op.rm);
}

/// The offset of the second part of a memory operand, after a first part of `bytes`. It wraps at the address size.
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
