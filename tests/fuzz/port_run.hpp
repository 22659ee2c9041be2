// SPDX-License-Identifier: GPL-2.0-or-later
// A REP INS or OUTS as executed by the processor (core/cpu/runs): its time is computed in advance if the pins grant a
// run.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "core/cpu/pins.hpp"

namespace planar::fuzz {

class RepeatedAccess {
 public:
  /// `data` holds what the accesses, of `bytes` bytes each, write, or receives what they read.
  RepeatedAccess(cpu::Pins& pins, std::uint16_t port, unsigned bytes, Direction direction, std::span<std::uint8_t> data)
      : pins_(pins), port_(port), bytes_(bytes), direction_(direction), left_(data) {}

  bool over() const { return left_.empty(); }

  /// Makes the next access, on its own, from `start`; returns its end.
  Time one(Time start) {
    const auto datum = next(1);
    if (direction_ == Direction::read) {
      const cpu::Cycle cycle = pins_.io_read(port_, bytes_, start);
      for (unsigned n = 0; n < bytes_; ++n) datum[n] = static_cast<std::uint8_t>(cycle.value >> 8 * n);
      return cycle.end;
    }
    std::uint32_t value = 0;
    for (unsigned n = 0; n < bytes_; ++n) value |= std::uint32_t{datum[n]} << 8 * n;
    return pins_.io_write(port_, bytes_, value, start);
  }

  /// Makes the next accesses as a run, each from the end of the previous one, and the first that does not fit on its
  /// own; returns the end of the last one.
  Time many(Time start) {
    cpu::PinsRun run;
    if (!pins_.port_run(port_, bytes_, direction_, run)) return one(start);
    const auto most = std::min(run.port.count, static_cast<std::uint32_t>(left_.size() / bytes_));
    Time ready = run.port.ready, end{};
    for (std::uint32_t done = 0;;) {
      Time t = start + run.synchronisation;
      if (t >= run.before)
        if (const Time put_off = pins_.run_continued(run, end, t); put_off != Time::never()) t = put_off;
      const Time ends = std::max(t + run.cycle, ready);
      if (t < run.from || t >= run.before || ends >= run.quiet_until || ends - t > run.limit) {
        make(run, done, end);
        return one(start);
      }
      start = end = ends;
      if (++done == most) {
        make(run, done, end);
        return end;
      }
      ready = run.port.next_ready(end);
    }
  }

 private:
  std::span<std::uint8_t> next(std::uint32_t count) {
    const auto data = left_.first(std::size_t{count} * bytes_);
    left_ = left_.subspan(data.size());
    return data;
  }
  /// Makes the accesses of which only the time has been computed; the last one ended at `end`.
  void make(cpu::PinsRun& run, std::uint32_t count, Time end) {
    if (count == 0) return;
    if (direction_ == Direction::read)
      pins_.run_read(run, next(count), count, end);
    else
      pins_.run_written(run, next(count), count, end);
  }

  cpu::Pins& pins_;
  std::uint16_t port_;
  unsigned bytes_;
  Direction direction_;
  std::span<std::uint8_t> left_;
};

}  // namespace planar::fuzz
