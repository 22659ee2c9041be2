// SPDX-License-Identifier: GPL-2.0-or-later
// A look-out for loops in steady state on the P6 (interpreter/loop_run.hpp). The host's: no state of the machine.
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

/// The processor before the pass of a loop that is being compared with what follows it.
struct LoopMark {
  LoopRegisters registers;
  SystemRegisters system;
  bool nmi_masked = false;
  std::uint64_t clock = 0, instructions = 0, pin_clocks = 0, counted = 0;
  ProcessorTiming::Counters counters;
  PipelineP6 pipeline;
  std::uint64_t tlb_changes = 0;
  std::array<ModelTlb, 4> tlbs;  ///< without paging
  /// Where the passes before have stored, and what was there.
  StoreLog places;
  std::array<std::uint32_t, StoreLog::most> content{};

  StoreLog stored;                 ///< since the mark
  Predictor::Before predictor;     ///< what has changed since then
  unsigned counter = no_register;  ///< register that counts down
  unsigned passes = 0;             ///< since the mark
  unsigned renewal = 1;            ///< after so many passes it is made afresh
  unsigned tried = 0;              ///< passes since the loop was found
  unsigned blocks = 0;             ///< since it was found
};

struct LoopWatch {
  static constexpr unsigned usual_patience = 61, most_patience = 4096, longest_window = 976, most_meetings = 6;
  static constexpr std::uint32_t nowhere = 0xFFFFFFFF;

  std::uint32_t eip = nowhere;       ///< of `seen`, until EIP is there again
  unsigned left = 1;                 ///< blocks until it looks elsewhere
  unsigned window = usual_patience;  ///< blocks in which EIP is to be there again; grows until a loop is found
  unsigned meetings = 0;             ///< times that it was there with other registers
  LoopRegisters seen;
  bool marked = false;  ///< a loop is being followed from `mark` on
  std::unique_ptr<LoopMark> mark;
  unsigned patience = usual_patience;  ///< blocks until the next try, after one that came to nothing
  std::uint64_t passes_left_out = 0;   ///< for tests

  /// Whether the block at `at` is to be looked at.
  bool due(std::uint32_t at) { return --left == 0 || at == eip; }
};

}  // namespace planar::cpu
