// SPDX-License-Identifier: GPL-2.0-or-later
// What the Pentium's pipes and prefetcher remember between instructions. Part of a snapshot.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/cpu/timing/common/issue_state.hpp"
#include "core/cpu/timing/pentium/btb.hpp"
#include "core/state/archive.hpp"

namespace planar::cpu {

struct PipelineState {
  /// For a code cache of `lines` lines.
  explicit PipelineState(std::size_t lines) : marks(lines + 1, 0) {}

  IssueState issue;
  std::uint32_t mispredicted_issue = 0;  ///< address of the issue that TimingPentium::misprediction_mark replaced
  std::uint64_t redirected = 0;          ///< when the prefetcher last followed a jump
  std::uint32_t mark_slot = 0;           ///< the code line that executes, as an index into marks
  std::vector<std::uint32_t> marks;      ///< bytes of each code line at which an instruction was seen to begin
  BranchTargetBuffer btb;

  /// Instructions have issued that leave `end`; `single`: all in one issue, so that the one before it is the current
  /// one.
  void follow(const IssueState& end, bool single) {
    const IssueState before = issue;
    issue = end;
    if (single) {
      issue.agi_writes = before.last_writes;
      issue.previous_eip = before.eip;
    }
  }

  void archive(Archive& a) {
    const std::size_t slots = marks.size();
    a(issue.last_writes, issue.last_clocks, issue.pair_open, issue.in_v, issue.agi_writes, issue.eip,
      issue.previous_eip, mispredicted_issue, redirected, mark_slot, marks);
    if (a.loading()) {
      marks.resize(slots);
      if (mark_slot >= slots) mark_slot = static_cast<std::uint32_t>(slots - 1);
      issue.last_clocks &= 3;
    }
    btb.archive(a);
  }
};

}  // namespace planar::cpu
