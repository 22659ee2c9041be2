// SPDX-License-Identifier: GPL-2.0-or-later
// The P6 between two instructions, without its clock, predictor and path to memory: together with the branch
// predictions and the first level's lines, everything that determines how long code takes that needs no other lines.
#pragma once

#include <array>
#include <cstdint>

#include "core/cpu/timing/p6/front_end.hpp"
#include "core/cpu/timing/p6/packed_pipeline.hpp"
#include "core/cpu/timing/p6/period.hpp"
#include "core/cpu/timing/p6/store_buffer.hpp"
#include "core/cpu/timing/p6/window.hpp"

namespace planar::cpu {

struct PipelineP6 {
  /// When the latest value of a register is ready, and when it has retired.
  struct Value {
    std::uint64_t ready = 0, retired = 0;
  };
  static constexpr unsigned general = 8, fp = 8, flag_groups = 3;

  FrontEnd front_end_;
  Window window_;
  StoreBuffer stores_;
  std::array<Value, general> registers_{};
  std::array<Value, fp> fp_registers_{};
  std::array<Value, flag_groups> flags_{};
  std::uint64_t addresses_known_ = 0;                   // when those of all stores so far are known
  std::array<std::uint64_t, general> partial_until_{};  // when a write to part of the register has retired
  std::uint64_t last_flags_retired_ = 0;                // of the last instruction that wrote flags, and which
  std::uint8_t last_flags_ = 7;
  std::uint8_t zeroed_ = 0;  // registers cleared by an XOR or SUB with themselves: their parts cost nothing
  // Registers whose value is known to have retired before the clock that renaming has reached, which never goes back.
  std::uint8_t retired_ = 0;
  std::uint8_t parts_ = 0;  // registers whose partial_until_ is not 0
  std::uint32_t last_read_ = 0, last_write_ = 0;

  /// A repeated string: its position in time, in quarters of a clock, and the lines it is in, of reads and of writes.
  struct Repeat {
    bool active = false, started = false, may_be_fast = false, fast = false, first_store = false;
    std::uint16_t opcode = 0;
    std::uint32_t from = 0;  // address of its first access
    std::uint64_t quarters = 0;
    std::array<std::uint32_t, 2> line{1, 1};
    std::array<std::uint64_t, 2> arrives{};
    void end() { active = started = false; }
    /// Whether it is as it was `before`, shifted in time; and its state `times` passes later (PipelineP6).
    bool recurs(const Repeat& before, const Period& period) const;
    void advance(const Repeat& before, const Period& period, std::uint64_t times);
  } repeat_;

  /// Times that no longer affect anything become the oldest equivalent ones, which changes nothing of what follows: no
  /// micro-op begins to execute before the clock that renaming has reached.
  void settle();
  /// Writes the settled state as a value, with the processor's clock at `clock`; false: some time lies too far away.
  bool pack(PackedPipeline& to, std::uint64_t clock);
  /// Restores what was packed, with renaming at `rename_clock` now; except what is not part of the value: the stores
  /// and the last addresses.
  void unpack(const PackedPipeline& from, std::uint64_t rename_clock);

  /// Whether it is as it was `before`, `clocks` ago, shifted in time: the same instructions with the same addresses,
  /// decisions and hits in the first level take the same clocks again.
  bool recurs(const PipelineP6& before, std::uint64_t clocks) const;
  /// Advances by the same instructions `times` more times.
  void advance(const PipelineP6& before, std::uint64_t clocks, std::uint64_t times);

 private:
  /// Settles all but the window, whose rings pack() settles as it goes.
  void settle_values();
};

}  // namespace planar::cpu
