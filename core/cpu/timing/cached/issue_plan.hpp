// SPDX-License-Identifier: GPL-2.0-or-later
// At which clocks a block's instructions begin (486 and Pentium).
//
// On the Pentium most of that is determined when a block is decoded (issue_state.hpp): only what happened before the
// block and what the code cache knows about its bytes can change it, and both are known when the block is entered. The
// 486 uses only the clocks and addresses. Running by plan and issuing one by one give the same clocks and leave the
// same state.
#pragma once

#include <array>
#include <cstdint>

#include "core/cpu/timing/common/issue_state.hpp"

namespace planar::cpu {

/// The first-execution plan of one code line: how the instructions of a block that end in it issue if the code cache
/// does not know where any instruction that opens an issue begins, because the line is new, as code from the second
/// level mostly is. Their clocks, counted from the line's first instruction, are in Op::Pentium::at[1].
struct ColdLine {
  const Op* first = nullptr;     ///< null: they must be issued one by one
  std::uint32_t starts = 0;      ///< bytes at which an issue opens: known from then on
  std::uint32_t pairable = 0;    ///< those of them that would matter if they were known
  std::uint32_t reach = 0;       ///< clocks until the last instruction but one has begun
  std::uint8_t entry_reads = 0;  ///< address registers of the first issue
  bool single = false;           ///< there is only one issue
  IssueState end;                ///< after the last instruction
};

/// How a block's instructions issue if the first one opens an issue, no interlock carries over from before the block,
/// and the code cache knows where the instructions begin. Their clocks are in Op::Pentium::at[0].
struct IssuePlan {
  static constexpr unsigned most_lines = 4;
  static constexpr unsigned most_clocks = UINT16_MAX;  ///< of a block's instructions together
  std::uint32_t reach = 0;                             ///< clocks until the last instruction but one has begun
  std::uint32_t first_line = 0;                        ///< code line in which the first instruction ends
  std::uint8_t entry_reads = 0;                        ///< address registers of the first issue
  bool single = false;                            ///< there is only one issue: the one before it precedes the block
  IssueState end;                                 ///< after the last instruction
  std::array<std::uint32_t, most_lines> marks{};  ///< bytes of each line that must be known to begin an instruction
  const Op* first = nullptr;                      ///< the block's instructions
  std::uint32_t eip = 0;                          ///< physical address of the first
  std::array<ColdLine, most_lines> cold;          ///< where the plan does not hold
};

}  // namespace planar::cpu
