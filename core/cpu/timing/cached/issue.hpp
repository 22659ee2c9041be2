// SPDX-License-Identifier: GPL-2.0-or-later
// The Pentium's two pipes, from instruction to instruction: which one each goes to and for how many clocks.
//
// U waits for a partner; the next instruction joins it in V if both may pair and the second neither reads nor writes
// what the first writes. An address that needs a register written by the issue before costs a clock.
//
// Most of that is settled when a block is decoded (IssuePlan): only what happened before the block and what the code
// cache knows about its bytes can change it, and both are seen when the block is entered. Running by plan and issuing
// one by one give the same clocks and leave the same state.
#pragma once

#include <array>
#include <cstdint>

#include "core/cpu/timing/common/instruction_table.hpp"
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
  std::uint8_t pair_open = 0;      ///< pair_v: the U pipe's instruction would take a partner
  bool in_v = false;               ///< the latest instruction went to V
  std::uint32_t eip = 0;           ///< U address of the open issue
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

/// How those instructions of a block issue that end in one code line, if the code cache knows of none that opens an
/// issue where it begins: the line is new, as code that has come from the second level mostly is. Their clocks, from
/// the line's first instruction on, are in Op::Pentium::at[1].
struct ColdLine {
  const Op* first = nullptr;     ///< null: they must be issued one by one
  std::uint32_t starts = 0;      ///< bytes at which an issue opens: known from then on
  std::uint32_t pairable = 0;    ///< of these, the ones that would matter if they were known
  std::uint32_t reach = 0;       ///< clocks until the last instruction but one has begun
  std::uint8_t entry_reads = 0;  ///< address registers of the first issue
  bool single = false;           ///< one issue is all
  IssueState end;                ///< after the last instruction
};

/// How a block's instructions issue if the first one opens an issue, no interlock reaches in from before the block, and
/// the code cache knows where the instructions begin. Their clocks are in Op::Pentium::at[0].
struct IssuePlan {
  static constexpr unsigned most_lines = 4;
  static constexpr unsigned most_clocks = UINT16_MAX;  ///< of a block's instructions together
  std::uint32_t reach = 0;                             ///< clocks until the last instruction but one has begun
  std::uint32_t first_line = 0;                        ///< code line in which the first instruction ends
  std::uint8_t entry_reads = 0;                        ///< address registers of the first issue
  bool single = false;                            ///< one issue is all: the one before it is the one before the block
  IssueState end;                                 ///< after the last instruction
  std::array<std::uint32_t, most_lines> marks{};  ///< bytes of each line that must be known as an instruction's first
  const Op* first = nullptr;                      ///< the block's instructions
  std::uint32_t eip = 0;                          ///< physical address of the first
  std::array<ColdLine, most_lines> cold;          ///< for where the plan does not hold
};

}  // namespace planar::cpu
