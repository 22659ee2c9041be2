// SPDX-License-Identifier: GPL-2.0-or-later
// At which clocks a block's instructions begin (486 and Pentium).
//
// On the Pentium most of that is settled when a block is decoded (issue_state.hpp): only what happened before the block
// and what the code cache knows about its bytes can change it, and both are seen when the block is entered. The 486
// uses the clocks and places alone. Running by plan and issuing one by one give the same clocks and leave the same
// state.
#pragma once

#include <array>
#include <cstdint>

#include "core/cpu/timing/common/issue_state.hpp"

namespace planar::cpu {

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
