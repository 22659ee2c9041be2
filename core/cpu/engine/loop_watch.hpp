// SPDX-License-Identifier: GPL-2.0-or-later
// Detects steady-state loops on the P6 (interpreter/loop_run.hpp). Host-side only: not part of the machine's state.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "core/cpu/engine/tlb.hpp"
#include "core/cpu/timing/p6/pipeline.hpp"
#include "core/cpu/timing/p6/store_log.hpp"
#include "core/cpu/timing/timing.hpp"
#include "core/cpu/x86/op.hpp"
#include "core/cpu/x86/system_registers.hpp"

namespace planar::cpu {

/// The registers before a block, as far as the instructions of such a loop can change them.
struct LoopRegisters {
  std::array<std::uint32_t, 8> gpr{};
  std::uint32_t eip = 0, flag_result = 0, flag_aux = 0, system_flags = 0;
  bool operator==(const LoopRegisters&) const = default;
};

/// The processor before the pass of a loop with which the following passes are compared.
struct LoopMark {
  LoopRegisters registers;
  SystemRegisters system;
  bool nmi_masked = false;
  std::uint64_t clock = 0, instructions = 0, pin_clocks = 0, counted = 0;
  ProcessorTiming::Counters counters;
  PipelineP6 pipeline;
  std::uint64_t tlb_changes = 0;
  std::array<ModelTlb, 4> tlbs;  ///< valid without paging
  /// Where the previous passes stored, and what memory held there.
  StoreLog places;
  std::array<std::uint32_t, StoreLog::most> content{};

  StoreLog stored;                 ///< since the mark
  Predictor::Before predictor;     ///< what has changed since the mark
  unsigned counter = no_register;  ///< register that counts down
  unsigned passes = 0;             ///< since the mark
  unsigned renewal = 1;            ///< passes after which the mark is set again
  unsigned tried = 0;              ///< passes since the loop was found
  unsigned blocks = 0;             ///< blocks since the loop was found
};

struct LoopWatch {
  static constexpr unsigned usual_patience = 61, most_patience = 4096, longest_window = 976, most_meetings = 6;
  static constexpr std::uint32_t nowhere = 0xFFFFFFFF;

  std::uint32_t eip = nowhere;       ///< EIP of `seen`, until execution returns there
  unsigned left = 1;                 ///< blocks until another address is watched
  unsigned window = usual_patience;  ///< blocks within which EIP must return there; grows until a loop is found
  unsigned meetings = 0;             ///< returns with other registers that are still tolerated
  LoopRegisters seen;
  bool marked = false;  ///< a loop is being followed, starting from `mark`
  std::unique_ptr<LoopMark> mark;
  unsigned patience = usual_patience;  ///< blocks until the next attempt, after one that failed
  std::uint64_t passes_left_out = 0;   ///< for tests

  /// Whether the block at `at` is to be examined.
  bool due(std::uint32_t at) { return --left == 0 || at == eip; }
};

}  // namespace planar::cpu
