// SPDX-License-Identifier: GPL-2.0-or-later
// The P6 between two instructions, without its clock, predictor and way to memory: with how branches are predicted and
// the first level's lines, all that decides how long code takes that needs no other.
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
  /// Ready times and retirement of what a register held last.
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
  std::uint64_t addresses_known_ = 0;                   // of all stores so far
  std::array<std::uint64_t, general> partial_until_{};  // a part of the register was written: when that has retired
  std::uint64_t last_flags_retired_ = 0;                // of the last instruction that wrote flags, and which
  std::uint8_t last_flags_ = 7;
  std::uint8_t zeroed_ = 0;  // registers that an XOR or SUB with themselves has cleared: their parts cost nothing
  // Registers whose value is known to have retired before the clock that renaming has reached, which never goes back.
  std::uint8_t retired_ = 0;
  std::uint8_t parts_ = 0;  // registers whose partial_until_ is not 0
  std::uint32_t last_read_ = 0, last_write_ = 0;

  /// A repeated string: its place in time, in quarters of a clock, and the lines that it is in, of reads and of writes.
  struct Repeat {
    bool active = false, started = false, may_be_fast = false, fast = false, first_store = false;
    std::uint16_t opcode = 0;
    std::uint32_t from = 0;  // where its first access was
    std::uint64_t quarters = 0;
    std::array<std::uint32_t, 2> line{1, 1};
    std::array<std::uint64_t, 2> arrives{};
    void end() { active = started = false; }
    /// As it was `before` but for the time; and `times` passes later (PipelineP6).
    bool recurs(const Repeat& before, const Period& period) const;
    void advance(const Repeat& before, const Period& period, std::uint64_t times);
  } repeat_;

  /// Times that decide nothing any more become the oldest of that kind, which changes nothing of what follows: no
  /// micro-op begins to execute before the clock that renaming has reached.
  void settle();
  /// As it is when it has settled, as a value, when the processor's clock is `clock`; false: some time lies too far
  /// away.
  bool pack(PackedPipeline& to, std::uint64_t clock);
  /// As it was when it was packed, with renaming at `rename_clock` now; but for what is no part of the value: the
  /// stores and the last addresses.
  void unpack(const PackedPipeline& from, std::uint64_t rename_clock);

  /// Whether it is as it was `before`, `clocks` ago, but for the time: the same instructions with the same addresses,
  /// decisions and hits in the first level take the same clocks again.
  bool recurs(const PipelineP6& before, std::uint64_t clocks) const;
  /// The same instructions `times` times more.
  void advance(const PipelineP6& before, std::uint64_t clocks, std::uint64_t times);

 private:
  /// All but the window, whose rings pack() settles as it goes.
  void settle_values();
};

}  // namespace planar::cpu
