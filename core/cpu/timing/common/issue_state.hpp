// SPDX-License-Identifier: GPL-2.0-or-later
// The Pentium's two pipes, from one instruction to the next: the pipe that each goes to, and the clocks it takes there.
//
// U waits for a partner; the next instruction joins it in V if both may pair and the second neither reads nor writes
// what the first writes. An address that needs a register written by the previous issue costs a clock.
#pragma once

#include <cstdint>

#include "core/cpu/x86/op.hpp"

namespace planar::cpu {

/// Clocks that a V-pipe instruction adds to the U-pipe's (0..3 clocks each, memory operands included): the longer one
/// counts, and two that both use memory and modify interleave (docs/hardware/processors.md#pentium-pairing).
inline constexpr std::uint8_t pair_extra[4][4] = {{0, 1, 2, 3}, {0, 0, 1, 2}, {0, 0, 0, 2}, {0, 0, 1, 2}};

/// The open issue and the one before.
struct IssueState {
  std::uint16_t last_writes = 0;   ///< registers written by the open issue
  std::uint16_t agi_writes = 0;    ///< by the issue before the open one
  std::uint16_t last_clocks = 0;   ///< of the U pipe's instruction, at most 3
  std::uint8_t pair_open = 0;      ///< pair_v: the U pipe's instruction can take a partner
  bool in_v = false;               ///< the latest instruction went to V
  std::uint32_t eip = 0;           ///< address of the open issue's U instruction
  std::uint32_t previous_eip = 0;  ///< and of the one before

  /// Whether `op` joins the open issue in V.
  bool takes(const Op& op) const { return (op.pentium.pair & pair_open) && !(op.reads & last_writes); }
  /// Puts `op` into V; returns the clocks it adds.
  unsigned join(const Op& op) {
    const unsigned clocks = pair_extra[last_clocks][op.clocks & 3] + ((op.address_reads & agi_writes) != 0);
    last_writes |= op.writes;
    pair_open = 0;
    in_v = true;
    return clocks;
  }
  /// Puts `op` into U; returns its clocks. It may take a partner if bit 0 of `seen` is set.
  unsigned open(const Op& op, std::uint32_t physical_eip, unsigned seen) {
    pair_open = static_cast<std::uint8_t>((op.pentium.pair & seen & 1) << 1);
    agi_writes = last_writes;
    const unsigned clocks = op.clocks + ((op.address_reads & agi_writes) != 0);
    last_writes = op.writes;
    last_clocks = op.clocks < 3 ? op.clocks : 3;
    in_v = false;
    previous_eip = eip;
    eip = physical_eip;
    return clocks;
  }
};

}  // namespace planar::cpu
