// SPDX-License-Identifier: GPL-2.0-or-later
// Iterations of a REP that each move a datum between RAM and a slave on the pins, in one step: while the slave, the
// channel and the memory's page stay as they are, the time of each iteration is computed here and the data of all
// iterations are moved at once. The result is the same as one by one (tests/machines/test_access_runs.cpp).
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "core/cpu/mmu/access.hpp"
#include "core/cpu/runs/cached_run.hpp"
#include "core/cpu/runs/run_extent.hpp"
#include "core/cpu/runs/steady_386.hpp"

namespace planar::cpu {

/// A run of elements of `T` between RAM at `data`, with the physical address `physical`, and the slave on the pins:
/// written to it, or read from it. `Target` is what the slave responds as: a port (port_run.cpp) or memory
/// (window_run.cpp).
template <class T, Direction direction, class Target>
struct Repeated {
  static constexpr bool writes = direction == Direction::write;
  static constexpr std::uint32_t size = sizeof(T);
  using Byte = std::conditional_t<writes, const std::uint8_t, std::uint8_t>;
  Engine& c;
  PinsRun& run;
  Target target;
  std::uint32_t physical, linear;
  Byte* data;
  unsigned each;

  /// Makes iterations until `count` of them are done or the clock has reached stop_at; returns how many.
  std::uint32_t go(std::uint32_t count) {
    count = std::min(count, run.port.count);
    return c.timing.has_cache() ? go<CachedRun>(c.timing.cached(), count) : go<Steady386>(c.timing.i386sx(), count);
  }

 private:
  /// Moves the data of `count` iterations whose time has been computed; the last access ended at `end`.
  void flush(std::uint32_t count, Time end) {
    if (count == 0) return;
    if constexpr (writes)
      c.pins.run_written(run, {data, count * size}, count, end);
    else
      c.pins.run_read(run, {data, count * size}, count, end);
  }
  /// Makes the access of iteration `n` on its own.
  void access(std::uint32_t n, std::uint64_t start) {
    if constexpr (writes)
      target.write(c, n * size, load_little<T>(data + n * size), start);
    else
      c.write_linear<T>(linear + n * size, target.template read<T>(c, n * size, start));
  }
  /// The access that would start at `t` finds a refresh due; the one before it ended at `end`. True: only the refresh
  /// defers it, and `t` is now when it starts.
  bool await_refresh(Time end, Time& t) {
    const Time starts = c.pins.run_continued(run, end, t);
    if (starts == Time::never()) return false;
    t = starts;
    return true;
  }
  /// Computes the time of iterations one by one, or many at once after one that shows how the next ones will go; the
  /// first that no longer fits the run is made on its own and is the last.
  template <class Clock, class ProcessorClock>
  std::uint32_t go(ProcessorClock& timing, std::uint32_t count) {
    Clock clock(timing);
    Time ready = run.port.ready, end{};
    const std::uint64_t usual = c.clock.span(run.synchronisation + run.cycle);
    for (std::uint32_t done = 0;;) {
      if constexpr (writes) clock.read(physical + done * size, size);
      const std::uint64_t start = clock.cycle_start(Target::io);
      Time t = c.clock.at(start) + run.synchronisation;
      const bool put_off = t >= run.before && await_refresh(end, t);
      const Time earliest = t + run.cycle, ends = std::max(earliest, ready);
      if (t < run.from || t >= run.before || ends >= run.quiet_until || ends - t > run.limit) [[unlikely]] {
        clock.leave();
        flush(done, end);
        access(done, start);
        Target::spend(c.timing, each);
        return done + 1;
      }
      end = ends;
      const bool regular = usual != 0 && ends == earliest && !put_off;
      const std::uint64_t ended = regular ? start + usual : c.clock.first_at_or_after(end);
      clock.wait_until(ended);
      if constexpr (!writes) clock.write(physical + done * size, size);
      Target::spend(clock, each);
      if (++done == count || clock.clocks() >= c.stop_at) {
        clock.leave();
        flush(done, end);
        return done;
      }
      done += skip(clock, done, count, regular, t, ended, end);
      ready = run.port.next_ready(end);
    }
  }

  // After iteration `done` - 1, whose access began at `t` and ended at `end`, for the processor at clock `ended`: the
  // iterations that can be counted at once, at most one fewer than remain. `end` becomes the last one's.

  /// Whether the slave ends each access that starts at most `turn` after the end of the one before, and none so late
  /// that it must be made on its own.
  bool slave_ends_all(Time turn) const {
    const Time soonest = run.port.request + run.port.use;
    return turn + run.cycle <= soonest && soonest + run.port.taken <= run.limit;
  }
  /// Counts those that go like that one: either it was `regular`, and so are they, clock by clock; or the slave ends
  /// them all.
  std::uint32_t skip(Steady386& clock, std::uint32_t done, std::uint32_t count, bool regular, Time t,
                     std::uint64_t ended, Time& end) {
    const std::uint32_t most = std::min(count - done - 1, clock.elements_in_row(physical + done * size, size));
    return regular ? skip_regular(clock, most, t, ended, end) : skip_held(clock, most, ended, end);
  }
  std::uint32_t skip_regular(Steady386& clock, std::uint32_t most, Time t, std::uint64_t ended, Time& end) {
    const std::uint64_t clocks = clock.step(ended);
    if (clocks == 0 || run.port.period != Time{}) return 0;
    const Time span = c.clock.at(clocks);
    if (run.port.request + run.port.use > span) return 0;
    const std::int64_t by_time = std::min(run.before - t - 1_ps, run.quiet_until - end - 1_ps) / span;
    if (by_time <= 0) return 0;
    const std::uint64_t n =
        std::min({clock.may_skip(clocks, c.stop_at), static_cast<std::uint64_t>(by_time), std::uint64_t{most}});
    if (n == 0) return 0;
    clock.skip(n, clocks);
    end += static_cast<std::int64_t>(n) * span;
    return static_cast<std::uint32_t>(n);
  }
  std::uint32_t skip_held(Steady386& clock, std::uint32_t most, std::uint64_t ended, Time& end) {
    if (!clock.step_by_end(ended)) return 0;
    // To the start of the next access; the previous end may have come up to a clock before `ended`.
    const Time turn = c.clock.at(clock.turn() + 1) + run.synchronisation;
    if (!slave_ends_all(turn)) return 0;
    const Time last_end = c.clock.at(clock.latest_end(std::min(c.stop_at, c.clock.first_at_or_after(run.quiet_until))));
    std::uint32_t n = 0;
    while (n < most && end <= last_end && end + turn < run.before) {
      const Time ready = run.port.next_ready(end);
      if (ready > last_end || ready >= run.quiet_until) break;
      end = ready;
      ++n;
    }
    if (n != 0) clock.skip_to_end(n, c.clock.first_at_or_after(end));
    return n;
  }

  /// Counts those whose data lie in a line that costs nothing: either the slave ends all of them, and each end depends
  /// only on the one before; or it ends none, and their length depends on where the start lies between the clock edges.
  std::uint32_t skip(CachedRun& clock, std::uint32_t done, std::uint32_t count, bool, Time, std::uint64_t, Time& end) {
    const std::uint32_t most = std::min(clock.free_elements(physical + done * size, size), count - done - 1);
    if (most < 2) return 0;
    const unsigned across = clock.across(physical, size), before = writes ? across : 0, after = each + across - before;
    const std::uint64_t start = clock.next_start(before);
    const Time t = c.clock.at(start) + run.synchronisation, ready = run.port.next_ready(end);
    if (t >= run.before) return 0;
    return t + run.cycle < ready ? skip_held(clock, most, before, after, ready, end)
                                 : skip_free(clock, most, before, after, start, end);
  }
  std::uint32_t skip_held(CachedRun& clock, std::uint32_t most, unsigned before, unsigned after, Time ready,
                          Time& end) {
    // From the end of one access to the latest start of the next one, with two bus clocks for the edges.
    const Time turn = c.clock.at(before + after + clock.edges()) + run.synchronisation;
    if (!slave_ends_all(turn)) return 0;
    const std::uint64_t stop = std::min(c.stop_at, c.clock.first_at_or_after(run.quiet_until));
    const Time last_end = c.clock.at(stop > after + 1 ? stop - after - 1 : 0);
    std::uint32_t n = 0;
    Time previous = end;
    while (ready < last_end) {
      if (n != 0 && end + turn >= run.before && !starts_in_time(clock, before + after, end, ready)) break;
      previous = end;
      end = ready;
      if (++n == most) break;
      ready = run.port.next_ready(end);
    }
    if (n != 0) clock.skip(n, c.clock.first_at_or_after(previous), c.clock.first_at_or_after(end), before, after);
    return n;
  }
  /// Whether the access after the one that ended at `end` starts early enough to end at `ready`, even if a refresh is
  /// due before it.
  bool starts_in_time(const CachedRun& clock, unsigned between, Time end, Time ready) {
    Time t = c.clock.at(clock.start_after(c.clock.first_at_or_after(end) + between)) + run.synchronisation;
    if (t >= run.before && !await_refresh(end, t)) return false;
    return t >= run.from && t < run.before && t + run.cycle <= ready;
  }
  std::uint32_t skip_free(CachedRun& clock, std::uint32_t most, unsigned before, unsigned after, std::uint64_t start,
                          Time& end) {
    const Time usual = run.synchronisation + run.cycle;
    if (run.port.period != Time{} || run.port.request + run.port.use > usual || run.cycle > run.limit) return 0;
    const CyclePace* const pace = clock.pace(c.clock, usual, before + after);
    if (pace == nullptr) return 0;
    const std::uint64_t in_time =
        c.clock.first_at_or_after(std::min(run.before - run.synchronisation, run.quiet_until - usual));
    const std::uint64_t longest = pace->longest() + after;
    const std::uint64_t until = std::min(in_time, c.stop_at > longest ? c.stop_at - longest : 0);
    std::uint64_t previous = 0;
    const std::uint32_t n = pace->follow(start, previous, until, most);
    if (n == 0) return 0;
    end = c.clock.at(start) + usual;
    clock.skip(n, previous + pace->busy(previous), start + pace->busy(start), before, after);
    return n;
  }
};

}  // namespace planar::cpu
