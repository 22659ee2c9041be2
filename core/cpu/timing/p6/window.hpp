// SPDX-License-Identifier: GPL-2.0-or-later
// The out-of-order part of the P6: micro-ops are renamed three a clock, in order; wait in the reservation station until
// their operands are there and a port is free; and retire three a clock, in order.
//
// One pass over the micro-ops in program order gives each its clocks (as in zsim, Sanchez and Kozyrakis 2013): what
// comes later never delays what comes before, so that the clocks of a micro-op are final when it has been passed.
//
// Sizes: reorder buffer of 40, reservation station of 20, two reads of registers that have retired a clock (Agner Fog,
// 2000, chapters 16 and 18). Not modelled: retirement of taken jumps in the first slot only.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "core/cpu/timing/p6/micro_ops.hpp"
#include "core/cpu/timing/p6/period.hpp"
#include "core/state/archive.hpp"

namespace planar::cpu {

class Window {
 public:
  static constexpr unsigned width = 3, reorder_buffer = 40, stations = 20, register_reads = 2;

  /// Renames the next micro-op, not before `decoded`; it reads those registers that have retired. Returns the clock.
  std::uint64_t rename(std::uint64_t decoded, unsigned retired_registers = 0) {
    const std::uint64_t room = std::max(retired_[at_], dispatched_[station_]);
    if (const std::uint64_t t = std::max(decoded, room); t > rename_clock_) advance(t);
    if (renamed_ == width) advance(rename_clock_ + 1);
    if (retired_registers != 0) {
      const unsigned together = registers_read_ | retired_registers;
      if (without_a_pair(together) != 0) {
        if (registers_read_ != 0) advance(rename_clock_ + 1);
        // More than two by itself: a clock more for each further pair.
        for (unsigned left = without_a_pair(retired_registers); left != 0; left = without_a_pair(left))
          advance(rename_clock_ + 1);
        registers_read_ = static_cast<std::uint16_t>(retired_registers);
      } else {
        registers_read_ = static_cast<std::uint16_t>(together);
      }
    }
    ++renamed_;
    return rename_clock_;
  }
  /// The clock at which the micro-op renamed last begins to execute on `ports`, of which there are one or two: `ready`
  /// or later.
  std::uint64_t dispatch(std::uint64_t ready, unsigned ports, unsigned busy = 1) {
    ready = std::max(ready, rename_clock_ + 1);
    std::uint64_t t = ready;
    if (ready - rename_clock_ < slots) {
      const auto from = static_cast<unsigned>(ready - rename_clock_);
      auto on = static_cast<unsigned>(std::countr_zero(ports));
      unsigned best = first_free(on, from);
      if (const unsigned second = ports & (ports - 1); second != 0) {
        const auto p = static_cast<unsigned>(std::countr_zero(second));
        if (const unsigned free = first_free(p, from); free < best) {
          best = free;
          on = p;
        }
      }
      if (best < slots) {
        t = rename_clock_ + best;
        const std::uint64_t span = busy >= slots ? ~std::uint64_t{0} : (std::uint64_t{1} << busy) - 1;
        taken_[on] |= span << best;
      }
    }
    dispatched_[station_] = t;
    station_ = station_ + 1 == stations ? 0 : static_cast<std::uint8_t>(station_ + 1);
    return t;
  }
  /// The micro-op renamed last has its result at `done`: it retires; returns when.
  std::uint64_t retire(std::uint64_t done) {
    if (done > retire_clock_) {
      retire_clock_ = done;
      retiring_ = 0;
    } else if (retiring_ == width) {
      ++retire_clock_;
      retiring_ = 0;
    }
    ++retiring_;
    retired_[at_] = retire_clock_;
    at_ = at_ + 1 == reorder_buffer ? 0 : static_cast<std::uint8_t>(at_ + 1);
    return retire_clock_;
  }
  /// When the last micro-op so far retires, and when it was renamed.
  std::uint64_t retire_clock() const { return retire_clock_; }
  std::uint64_t rename_clock() const { return rename_clock_; }
  /// Nothing more happens before `clock`: the window is empty then.
  void drain(std::uint64_t clock) {
    if (clock > retire_clock_) {
      retire_clock_ = clock;
      retiring_ = 0;
    }
    if (clock > rename_clock_) advance(clock);
  }

  /// As it was `before` but for the time; and `times` passes later (PipelineP6).
  bool recurs(const Window& before, const Period& period) const;
  void advance(const Window& before, const Period& period, std::uint64_t times);

  void archive(Archive& a) {
    a(retired_, dispatched_, taken_, rename_clock_, retire_clock_, registers_read_, renamed_, retiring_, at_, station_);
  }
  /// Whether what has been loaded can have come from a run.
  bool sound() const { return at_ < reorder_buffer && station_ < stations && rename_clock_ <= retire_clock_ + 1; }

 private:
  static constexpr unsigned slots = 64, ports = 5;
  unsigned first_free(unsigned port, unsigned from) const {
    return from + static_cast<unsigned>(std::countr_one(taken_[port] >> from));
  }
  static_assert(register_reads == 2);
  /// `registers` without the two lowest.
  static unsigned without_a_pair(unsigned registers) {
    registers &= registers - 1;
    return registers & (registers - 1);
  }

  /// Renaming goes on at clock `t`.
  void advance(std::uint64_t t) {
    const std::uint64_t by = t - rename_clock_;
    if (by < slots)
      for (std::uint64_t& p : taken_) p >>= by;
    else
      taken_.fill(0);
    rename_clock_ = t;
    renamed_ = 0;
    registers_read_ = 0;
  }

  std::array<std::uint64_t, reorder_buffer> retired_{};  // of the micro-op that had the place before
  std::array<std::uint64_t, stations> dispatched_{};
  std::array<std::uint64_t, ports> taken_{};  // clocks from rename_clock_ on, as bits
  std::uint64_t rename_clock_ = 0, retire_clock_ = 0;
  std::uint16_t registers_read_ = 0;
  std::uint8_t renamed_ = 0, retiring_ = 0, at_ = 0, station_ = 0;
};

}  // namespace planar::cpu
