// SPDX-License-Identifier: GPL-2.0-or-later
// REP INS and REP OUTS in one go: while the slave, the channel and the memory's page stay as they are, the time of an
// iteration is computed here and the data of all iterations is moved at once. The result is the same as one by one
// (tests/machines/test_port_run.cpp).
#include "core/cpu/exec/port_run.hpp"

#include <algorithm>
#include <type_traits>

#include "core/cpu/timing/cached/cached_run.hpp"
#include "core/cpu/timing/i386sx/steady_386.hpp"

namespace planar::cpu {

namespace {
constexpr std::uint32_t worthwhile = 4;  // iterations

/// How many of `count` elements from `offset` on, upwards, lie within the segment, the page and the index register.
template <class T>
std::uint32_t within(const Segment& g, std::int64_t span, std::uint32_t offset, bool wide, std::uint32_t count) {
  const std::int64_t left = span - std::int64_t{offset - g.low} + 1;
  if (left <= 0) return 0;
  const std::int64_t in_register = std::int64_t{wide ? 0xFFFFFFFF : 0xFFFF} - offset;  // the index does not wrap
  const std::int64_t in_page = 0x1000 - ((g.base + offset) & 0xFFF);
  const std::int64_t bytes = std::min({left, in_register, in_page});
  return static_cast<std::uint32_t>(std::min<std::int64_t>(count, bytes / static_cast<std::int64_t>(sizeof(T))));
}

/// A run of REP OUTS (`direction` write) or REP INS with elements of `T` at `data`, which is `physical`.
template <class T, Direction direction>
struct Repeated {
  using Byte = std::conditional_t<direction == Direction::write, const std::uint8_t, std::uint8_t>;
  static constexpr std::uint32_t size = sizeof(T);
  Engine& c;
  PinsRun& run;
  std::uint16_t port;
  std::uint32_t physical, linear;
  Byte* data;
  unsigned each;

  /// Moves the data of `count` iterations whose time has been computed; the last access ended at `end`.
  void flush(std::uint32_t count, Time end) {
    if (count == 0) return;
    if constexpr (direction == Direction::write)
      c.pins.run_written(run, {data, count * size}, count, end);
    else
      c.pins.run_read(run, {data, count * size}, count, end);
  }
  /// The access of iteration `n` by itself.
  void access(std::uint32_t n, std::uint64_t start) {
    if constexpr (direction == Direction::write)
      c.out(port, size, Engine::load<T>(data + n * size), start);
    else
      c.write_linear<T>(linear + n * size, static_cast<T>(c.in(port, size, start)));
  }
  /// The access that wants to start at `t` finds a refresh due; the one before it ended at `end`. If only that puts it
  /// off: true, and `t` is when it starts.
  bool await_refresh(Time end, Time& t) {
    const Time starts = c.pins.run_continued(run, end, t);
    if (starts == Time::never()) return false;
    t = starts;
    return true;
  }
  /// Computes the time of iterations until `count` of them are over or the clock has reached stop_at; the first that
  /// does not fit the run any more is made by itself and is the last.
  template <class Clock, class ProcessorClock>
  std::uint32_t go(ProcessorClock& timing, std::uint32_t count) {
    Clock clock(timing);
    Time ready = run.port.ready, end{};
    const std::uint64_t usual = c.clock.span(run.synchronisation + run.cycle);
    for (std::uint32_t done = 0;;) {
      if constexpr (direction == Direction::write) clock.read_aligned(physical + done * size, size);
      const std::uint64_t start = clock.cycle_start();
      Time t = c.clock.at(start) + run.synchronisation;
      const bool put_off = t >= run.before && await_refresh(end, t);
      const Time earliest = t + run.cycle, ends = std::max(earliest, ready);
      if (t < run.from || t >= run.before || ends >= run.quiet_until || ends - t > run.limit) [[unlikely]] {
        clock.leave();
        flush(done, end);
        access(done, start);
        c.timing.spend(each);
        return done + 1;
      }
      end = ends;
      clock.wait_until(usual != 0 && ends == earliest && !put_off ? start + usual : c.clock.first_at_or_after(end));
      if constexpr (direction == Direction::read) clock.write_aligned(physical + done * size, size);
      clock.spend(each);
      if (++done == count || clock.clocks() >= c.stop_at) {
        clock.leave();
        flush(done, end);
        return done;
      }
      if constexpr (Clock::skips) {
        if (usual != 0 && ends == earliest && !put_off)
          done += static_cast<std::uint32_t>(skip(clock, done, count, t, end));
        else
          clock.irregular();
      }
      ready = run.port.next_ready(end);
    }
  }
  /// Behind iteration `done` - 1, whose access began at `t`: the iterations that would go like it and can be counted at
  /// once, at most one less than there are to do. `end` becomes the last one's.
  template <class Clock>
  std::uint64_t skip(Clock& clock, std::uint32_t done, std::uint32_t count, Time t, Time& end) {
    const std::uint64_t clocks = clock.step();
    if (clocks == 0 || run.port.period != Time{}) return 0;
    const Time span = c.clock.at(clocks);
    if (run.port.request + run.port.use > span) return 0;
    const std::int64_t by_time = std::min(run.before - t - 1_ps, run.quiet_until - end - 1_ps) / span;
    if (by_time <= 0) return 0;
    const std::uint64_t n = std::min({clock.may_skip(clocks, c.stop_at, physical + done * size, size),
                                      static_cast<std::uint64_t>(by_time), std::uint64_t{count - done - 1}});
    if (n == 0) return 0;
    clock.skip(n, clocks);
    end += static_cast<std::int64_t>(n) * span;
    return n;
  }
  std::uint32_t go(std::uint32_t count) {
    count = std::min(count, run.port.count);
    return c.timing.has_cache() ? go<CachedRun>(c.timing.cached(), count) : go<Steady386>(c.timing.i386sx(), count);
  }
};
}  // namespace

template <class T, Direction direction>
std::uint32_t run_port(Engine& c, const Op& op, std::uint16_t port, std::uint32_t count, bool& possible) {
  possible = !c.one_by_one && count >= worthwhile && !(c.system_flags & flag_df);
  if (!possible) return 0;
  constexpr bool writes_port = direction == Direction::write;
  constexpr unsigned index = writes_port ? ESI : EDI;
  const Segment& g = c.seg[writes_port ? op.segment : unsigned{ES}];
  const std::uint32_t offset = c.get_sized(index, op.address32), linear = g.base + offset;
  const HostTlbEntry& e = c.host_entry(linear);
  if ((writes_port ? e.read_tag : e.write_tag) != (linear & (page_mask | (sizeof(T) - 1)))) return 0;
  if (!writes_port && e.page->code_granules != 0) return 0;
  count = within<T>(g, writes_port ? g.read_span : g.write_span, offset, op.address32, count);
  if (count < worthwhile) return 0;
  PinsRun run;
  possible = c.pins.port_run(port, sizeof(T), direction, run);
  if (!possible) return 0;
  Repeated<T, direction> repeated{
      c, run, port, e.physical + (linear & 0xFFF), linear, e.host + (linear & 0xFFF), repeat_iteration(c.model, op)};
  const std::uint32_t done = repeated.go(count);
  c.set_sized(index, op.address32, offset + done * static_cast<std::uint32_t>(sizeof(T)));
  return done;
}

template std::uint32_t run_port<std::uint8_t, Direction::write>(Engine&, const Op&, std::uint16_t, std::uint32_t,
                                                                bool&);
template std::uint32_t run_port<std::uint8_t, Direction::read>(Engine&, const Op&, std::uint16_t, std::uint32_t, bool&);
template std::uint32_t run_port<std::uint16_t, Direction::write>(Engine&, const Op&, std::uint16_t, std::uint32_t,
                                                                 bool&);
template std::uint32_t run_port<std::uint16_t, Direction::read>(Engine&, const Op&, std::uint16_t, std::uint32_t,
                                                                bool&);
template std::uint32_t run_port<std::uint32_t, Direction::write>(Engine&, const Op&, std::uint16_t, std::uint32_t,
                                                                 bool&);
template std::uint32_t run_port<std::uint32_t, Direction::read>(Engine&, const Op&, std::uint16_t, std::uint32_t,
                                                                bool&);

}  // namespace planar::cpu
