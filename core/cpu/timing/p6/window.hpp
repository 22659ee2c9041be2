// SPDX-License-Identifier: GPL-2.0-or-later
// The out-of-order part of the P6: micro-ops are renamed three per clock, in order; wait in the reservation station
// until their operands are ready and a port is free; and retire three per clock, in order.
//
// One pass over the micro-ops in program order gives each its clocks (as in zsim, Sanchez and Kozyrakis 2013): later
// micro-ops never delay earlier ones, so that a micro-op's clocks are final once it has been passed.
//
// Sizes: reorder buffer of 40, reservation station of 20, two reads of retired registers per clock (Agner Fog, 2000,
// chapters 16 and 18). Not modelled: retirement of taken jumps in the first slot only.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "core/cpu/timing/p6/micro_ops.hpp"
#include "core/cpu/timing/p6/packed_pipeline.hpp"
#include "core/cpu/timing/p6/period.hpp"
#include "core/state/archive.hpp"

namespace planar::cpu {

class Window {
 public:
  static constexpr unsigned width = 3, reorder_buffer = 40, stations = 20, register_reads = 2;

  /// Renames the next micro-op, not before `decoded`; it reads these retired registers. Returns the clock.
  [[gnu::always_inline]] std::uint64_t rename(std::uint64_t decoded, unsigned retired_registers = 0) {
    const std::uint64_t t = std::max({decoded, retired_[at_], dispatched_[station_]});
    if (t > rename_clock_)
      advance(t);
    else if (renamed_ == width)
      advance(rename_clock_ + 1);
    if (retired_registers != 0) {
      const unsigned together = registers_read_ | retired_registers;
      if (without_a_pair(together) != 0) {
        if (registers_read_ != 0) advance(rename_clock_ + 1);
        // More than two on its own: one more clock for each further pair.
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
  /// The clock, `ready` or later, at which the micro-op renamed last begins to execute on `ports`, of which there are
  /// one or two.
  [[gnu::always_inline]] std::uint64_t dispatch(std::uint64_t ready, unsigned ports, unsigned busy = 1) {
    ready = std::max(ready, rename_clock_ + 1);
    std::uint64_t t = ready;
    if (const std::uint64_t from = ready - rename_clock_; from < slots) [[likely]] {
      auto on = static_cast<unsigned>(std::countr_zero(ports));
      unsigned wait = taken_for(on, from);
      if (const unsigned second = ports & (ports - 1); second != 0) {
        const auto p = static_cast<unsigned>(std::countr_zero(second));
        const unsigned other = taken_for(p, from);
        on = other < wait ? p : on;
        wait = std::min(wait, other);
      }
      if (const std::uint64_t slot = from + wait; slot < slots) [[likely]] {
        t = ready + wait;
        const std::uint64_t span = busy == 1 ? 1 : busy >= slots ? ~std::uint64_t{0} : (std::uint64_t{1} << busy) - 1;
        taken_[on] |= span << slot;
      }
    }
    const unsigned station = station_;
    dispatched_[station] = t;
    station_ = static_cast<std::uint8_t>(station + 1 == stations ? 0 : station + 1);
    return t;
  }
  /// Retires the micro-op renamed last, which has its result at `done`; returns when.
  [[gnu::always_inline]] std::uint64_t retire(std::uint64_t done) {
    std::uint64_t t = retire_clock_;
    unsigned retiring = retiring_ + 1u;
    if (done > t || retiring > width) {
      t = std::max(done, t + 1);
      retiring = 1;
    }
    retire_clock_ = t;
    retiring_ = static_cast<std::uint8_t>(retiring);
    const unsigned at = at_;
    retired_[at] = t;
    at_ = static_cast<std::uint8_t>(at + 1 == reorder_buffer ? 0 : at + 1);
    return t;
  }
  /// When the last micro-op so far retires, and when it was renamed.
  std::uint64_t retire_clock() const { return retire_clock_; }
  std::uint64_t rename_clock() const { return rename_clock_; }
  /// Nothing more happens before `clock`; the window is empty then.
  void drain(std::uint64_t clock) {
    if (clock > retire_clock_) {
      retire_clock_ = clock;
      retiring_ = 0;
    }
    if (clock > rename_clock_) advance(clock);
  }

  /// Whether it is as it was `before`, shifted in time; and its state `times` passes later (PipelineP6).
  bool recurs(const Window& before, const Period& period) const;
  void advance(const Window& before, const Period& period, std::uint64_t times);

  /// Times that no longer affect anything become the oldest equivalent ones: what renaming has passed holds nothing up,
  /// and a micro-op begins to execute a clock later at the earliest. The rings begin at their oldest entries.
  void settle() {
    std::rotate(retired_.begin(), retired_.begin() + at_, retired_.end());
    std::rotate(dispatched_.begin(), dispatched_.begin() + station_, dispatched_.end());
    at_ = station_ = 0;
    for (std::uint64_t& t : retired_) t = std::max(t, rename_clock_);
    for (std::uint64_t& t : dispatched_) t = std::max(t, rename_clock_);
    for (std::uint64_t& t : taken_) t &= ~std::uint64_t{1};
  }
  /// Writes the settled state, relative to rename_clock(); the rings themselves stay as they are.
  void pack(Packer& p) const {
    pack_by_age(p, retired_, at_);
    pack_by_age(p, dispatched_, station_);
    for (const std::uint64_t t : taken_) p.bits(t & ~std::uint64_t{1});
    p.time_about(retire_clock_);
    p.bits(registers_read_);
    p.bits(renamed_);
    p.bits(retiring_);
  }
  void unpack(Unpacker& p, std::uint64_t rename_clock) {
    for (std::uint64_t& t : retired_) p.time(t);
    for (std::uint64_t& t : dispatched_) p.time(t);
    for (std::uint64_t& t : taken_) p.bits(t);
    p.time_about(retire_clock_);
    p.bits(registers_read_);
    p.bits(renamed_);
    p.bits(retiring_);
    rename_clock_ = rename_clock;
    at_ = station_ = 0;
  }

  void archive(Archive& a) {
    a(retired_, dispatched_, taken_, rename_clock_, retire_clock_, registers_read_, renamed_, retiring_, at_, station_);
  }
  /// Whether the loaded values can come from a run that has not passed clock `limit`.
  bool sound(std::uint64_t limit) const {
    const auto near = [=](std::uint64_t t) { return t <= limit; };
    return at_ < reorder_buffer && station_ < stations && rename_clock_ <= retire_clock_ + 1 && near(retire_clock_) &&
           std::all_of(retired_.begin(), retired_.end(), near) &&
           std::all_of(dispatched_.begin(), dispatched_.end(), near);
  }

 private:
  static constexpr unsigned slots = 64, ports = 5;
  /// For how many clocks from `from` on, which is not 0, `port` is taken: the bits shifted in at the top are 0.
  unsigned taken_for(unsigned port, std::uint64_t from) const {
    return static_cast<unsigned>(__builtin_ctzll(~(taken_[port] >> from)));
  }
  template <class Ring>
  static void pack_by_age(Packer& p, const Ring& ring, unsigned oldest) {
    for (std::size_t n = oldest; n < ring.size(); ++n) p.time(ring[n]);
    for (std::size_t n = 0; n < oldest; ++n) p.time(ring[n]);
  }
  static_assert(register_reads == 2);
  /// `registers` without the two lowest.
  static unsigned without_a_pair(unsigned registers) {
    registers &= registers - 1;
    return registers & (registers - 1);
  }

  /// Renaming continues at clock `t`.
  [[gnu::always_inline]] void advance(std::uint64_t t) {
    const std::uint64_t by = t - rename_clock_;
    if (by < slots) [[likely]] {  // unrolled: a loop is vectorised, and then waits for the last dispatch
      taken_[0] >>= by;
      taken_[1] >>= by;
      taken_[2] >>= by;
      taken_[3] >>= by;
      taken_[4] >>= by;
    } else {
      taken_.fill(0);
    }
    rename_clock_ = t;
    renamed_ = 0;
    registers_read_ = 0;
  }

  std::array<std::uint64_t, reorder_buffer> retired_{};  // when the entry's previous micro-op retired
  std::array<std::uint64_t, stations> dispatched_{};
  std::array<std::uint64_t, ports> taken_{};  // clocks from rename_clock_ on, as bits
  std::uint64_t rename_clock_ = 0, retire_clock_ = 0;
  std::uint16_t registers_read_ = 0;
  std::uint8_t renamed_ = 0, retiring_ = 0, at_ = 0, station_ = 0;
};

}  // namespace planar::cpu
