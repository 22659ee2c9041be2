// SPDX-License-Identifier: GPL-2.0-or-later
// The host's L0 line cache: a direct-mapped table of data-cache lines that are known to hit.
#pragma once

#include <array>
#include <cstdint>

namespace planar::cpu {

/// The host's direct access to 16 bytes of RAM in the most recently used way of their set in the data cache, by the
/// linear addresses that an address context gives them; a line of 32 bytes has two entries. Emptied as soon as the set
/// changes. It is not state of the machine.
struct alignas(32) L0Line {
  static constexpr std::uint32_t bytes = 16, mask = ~(bytes - 1);
  static constexpr unsigned count = 256;  ///< indexed by address bits 11-4, the same in linear and physical addresses

  /// Address context + linear address: reads cost nothing unless a fill is in progress; 0: none.
  std::uint64_t reads = 0;
  std::uint64_t writes = 0;    ///< likewise; the line is dirty, so no fill of it is in progress
  std::uintptr_t base = 0;     ///< + linear address: address of the host's byte
  std::uint32_t physical = 0;  ///< address of the first byte
  void drop() { reads = writes = 0; }
  std::uint8_t* at(std::uint32_t linear) const { return reinterpret_cast<std::uint8_t*>(base + linear); }
};

using L0Lines = std::array<L0Line, L0Line::count>;

/// The entry that would hold `address`.
inline L0Line& l0_line(L0Lines& lines, std::uint32_t address) {
  static_assert(sizeof(L0Line) == 2 * L0Line::bytes);
  return *reinterpret_cast<L0Line*>(reinterpret_cast<std::uint8_t*>(lines.data()) + 2 * std::size_t{address & 0xFF0});
}

}  // namespace planar::cpu
