// SPDX-License-Identifier: GPL-2.0-or-later
// What happens between a first-level cache and the bus, one function per event: a code line is entered, a datum misses,
// a write is posted. `Timing` is Timing486 or TimingPentium; `G` is the geometry if it is one of those known when
// planar is compiled, else any_geometry.
//
// Each event has two forms. The quick one handles the usual case inline and without a call, or reports that it is
// another case, with nothing changed that the other form would not change, too. The other form, out of line, handles
// every case.
//
// It requires of `Timing`: second_line(), called between the two lines of an instruction, and second_line_waits(),
// whether that takes time; line_entered(slot), called when a line has been entered, with its slot in the code cache or
// `uncached`; writes_wait(), first_overtaken() and delay_writes(), for a read that overtakes posted writes; and
// code_line_replaced(slot) of a separate code cache.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "core/cpu/timing/cached/cached_timing.hpp"

namespace planar::cpu {

template <class Timing, Geometry G>
class MemoryEvents {
  using Burst = CachedPath::Burst;
  static constexpr std::uint32_t no_line = CacheState::no_line;
  static constexpr CacheShape code_shape = G.split() ? G.code : G.data;

  static bool split(const Timing& t) { return G.known ? G.split() : t.config_.l1.split; }
  static bool write_back(const Timing& t) { return G.known ? G.write_back : t.config_.l1.write_back; }
  static std::uint32_t line_of(const Timing& t, std::uint32_t address) {
    return address & (G.known ? ~(G.data.line - 1) : t.line_mask_);
  }
  static TagCache& code_cache(Timing& t) { return split(t) ? t.state_.code : t.state_.data; }

  // ---- lines ---------------------------------------------------------------------------------------------------
  /// True: the line at `address` is RAM that may be cached now. False: unknown.
  static bool surely_cached(const Timing& t, std::uint32_t address) {
    return t.cache_enabled_ && t.path_.surely_ram(address);
  }
  static bool may_be_cached(const Timing& t, std::uint32_t address) {
    return t.cache_enabled_ && t.path_.cacheable(address);
  }
  // Puts a line that arrives with `burst` into the cache, and writes out what it displaces.
  [[gnu::always_inline]] static void fill_code(Timing& t, std::uint32_t line, const Burst& burst) {
    TagCache& cache = code_cache(t);
    const std::uint32_t victim = cache.fill<code_shape>(line);
    t.note_fill(1, line, burst.done);
    if (split(t))
      t.code_line_replaced(cache.slot<code_shape>(line));
    else
      write_back_victim(t, victim, burst.done);
  }
  static void write_back_victim(Timing& t, std::uint32_t victim, std::uint64_t at) {
    if ((!G.known || G.write_back) && (victim & TagCache::dirty))
      t.path_.template write_back<G>(at, line_of(t, victim));
  }

  // ---- code ----------------------------------------------------------------------------------------------------
 public:
  static std::uint32_t next_line(const Timing& t, std::uint32_t line) {
    return line + (G.known ? G.data.line : t.state_.data.line());
  }
  /// Code continues at `eip`, with an instruction that ends in `last_line`, which is not the executing line.
  [[gnu::always_inline]] static void fetch(Timing& t, std::uint32_t eip, std::uint32_t last_line) {
    if (!fetch_quickly(t, eip, last_line)) [[unlikely]]
      fetch_slowly(t, eip, last_line);
  }
  [[gnu::always_inline]] static bool fetch_quickly(Timing& t, std::uint32_t eip, std::uint32_t last_line) {
    return goes_to_one_line(t, eip, last_line) && enter_quickly(t, last_line);
  }
  /// To be called after fetch_quickly() has refused.
  [[gnu::noinline]] static void fetch_slowly(Timing& t, std::uint32_t eip, std::uint32_t last_line) {
    const std::uint32_t first_line = line_of(t, eip);
    if (first_line != last_line) {
      if (first_line != t.state_.code_line) enter_slowly(t, first_line);
      t.second_line();
    }
    enter_slowly(t, last_line);
  }

  /// Whether the instruction begins in the line where it ends, or in the executing line: then only one line has to be
  /// entered.
  [[gnu::always_inline]] static bool goes_to_one_line(const Timing& t, std::uint32_t eip, std::uint32_t last_line) {
    const std::uint32_t first_line = line_of(t, eip);
    return first_line == last_line || (first_line == t.state_.code_line && !t.second_line_waits());
  }
  /// Enters `line` if it is in the most recently used way of its set and nothing else has to be done. False: nothing
  /// has changed.
  [[gnu::always_inline]] static bool enter_held(Timing& t, std::uint32_t line) {
    line = line_of(t, line);
    const TagCache& cache = code_cache(t);
    if (t.template prefetch_started<G>() || !cache.in_mru_way<code_shape>(line)) [[unlikely]]
      return false;
    const std::uint32_t wanted = missing_after(t, line);
    if (wanted != no_line && !surely_cached(t, line)) [[unlikely]]
      return false;
    if (!t.settled()) t.wait_for_fill(line);
    execute_in_line(t, line, wanted);
    t.line_entered(cache.slot<code_shape>(line));
    return true;
  }
  /// Enters `line` in the usual cases. False: something else has to be done; enter_slowly() does it.
  [[gnu::always_inline]] static bool enter_quickly(Timing& t, std::uint32_t line) {
    line = line_of(t, line);  // it already is one: this tells the compiler
    CacheState& state = t.state_;
    TagCache& cache = code_cache(t);
    const bool on_the_way = t.template prefetch_started<G>();
    if ((on_the_way && state.prefetch_line != line) || !surely_cached(t, line)) [[unlikely]]
      return false;
    if (cache.find<code_shape>(line)) {
      if (!t.settled()) t.wait_for_fill(line);
    } else {
      Burst burst;
      if (!t.path_.template try_line_from_ram<G>(on_the_way ? prefetch_start(t) : t.clock_, line, burst)) [[unlikely]]
        return false;
      fill_code(t, line, burst);
      if (!on_the_way) {
        ++t.counters_.code_misses;
        t.jump_to(burst.first);
      } else if (!t.settled()) {
        t.wait_for_fill(line);
      }
    }
    go_on_in_line(t, line, true);
    t.line_entered(cache.slot<code_shape>(line));
    return true;
  }
  [[gnu::noinline]] static void enter_slowly(Timing& t, std::uint32_t line) {
    const TagCache& cache = code_cache(t);
    if (t.template prefetch_started<G>()) start_prefetch(t);
    if (code_cache(t).template find<code_shape>(line)) {
      if (!t.settled()) t.wait_for_fill(line);
    } else {
      ++t.counters_.code_misses;
      t.jump_to(fetch_code(t, line, t.clock_).first);
    }
    go_on_in_line(t, line, false);
    t.line_entered(cache.in_mru_way<code_shape>(line) ? cache.slot<code_shape>(line) : Timing::uncached);
  }

 private:
  /// The line after `line` if it is in the same page and not in the cache; else no_line.
  [[gnu::always_inline]] static std::uint32_t missing_after(Timing& t, std::uint32_t line) {
    const std::uint32_t next = next_line(t, line);
    return (next & 0xFFF) == 0 || code_cache(t).template holds<code_shape>(next) ? no_line : next;
  }
  /// Code executes in `line`; `wanted` is fetched next, unless it is no_line.
  [[gnu::always_inline]] static void execute_in_line(Timing& t, std::uint32_t line, std::uint32_t wanted) {
    t.state_.code_line = line;
    t.state_.prefetch_line = wanted;
    if (wanted != no_line) t.state_.prefetch_from = t.clock_;
  }
  /// Code executes in `line`; the line after it is wanted next. `cached`: all of its page may be cached.
  [[gnu::always_inline]] static void go_on_in_line(Timing& t, std::uint32_t line, bool cached) {
    const std::uint32_t next = missing_after(t, line);
    execute_in_line(t, line, cached || next == no_line || may_be_cached(t, next) ? next : no_line);
  }
  static Burst fetch_code(Timing& t, std::uint32_t line, std::uint64_t at) {
    Burst burst;
    if (may_be_cached(t, line)) {
      burst = t.path_.template fetch_line<G>(at, line);
      fill_code(t, line, burst);
    } else {
      burst = t.path_.read_single(at, line, t.state_.data.line());
      t.note_fill(1, line, burst.done);
    }
    return burst;
  }
  /// When the wanted line went to the bus.
  static std::uint64_t prefetch_start(const Timing& t) {
    return std::max(t.state_.prefetch_from, t.path_.template free<G>());
  }

  /// The wanted line has gone to the bus.
  [[gnu::noinline]] static void start_prefetch(Timing& t) {
    const std::uint32_t line = std::exchange(t.state_.prefetch_line, no_line);
    if (!split(t) && t.state_.data.template find<G.data>(line)) return;  // a data access has fetched it
    const std::uint64_t at = prefetch_start(t);
    if (Burst burst; surely_cached(t, line) && t.path_.template try_line_from_ram<G>(at, line, burst)) [[likely]]
      fill_code(t, line, burst);
    else
      fetch_code(t, line, at);
  }

  // ---- data, within a doubleword -------------------------------------------------------------------------------
 public:
  [[gnu::always_inline]] static bool read_quickly(Timing& t, std::uint32_t address) {
    TagCache& data = t.state_.data;
    if (data.find<G.data>(address)) {
      if (!t.settled()) t.wait_for_fill(line_of(t, address));
      return true;
    }
    if (t.template prefetch_started<G>() || !surely_cached(t, address) || t.writes_wait()) [[unlikely]]
      return false;
    const std::uint32_t victim = write_back(t) ? data.next_victim<G.data>(address) : 0;
    const bool goes_out = victim & TagCache::dirty;
    if (goes_out && !t.path_.template takes_line<G>(line_of(t, victim))) [[unlikely]]
      return false;
    Burst burst;
    if (!t.path_.template try_line_from_ram<G>(t.clock_, address, burst)) [[unlikely]]
      return false;
    ++t.counters_.read_misses;
    data.fill<G.data>(address);
    t.note_fill(0, line_of(t, address), burst.done);
    if (goes_out) t.path_.template write_back_taken<G>(burst.done, line_of(t, victim));
    t.jump_to(burst.first);
    return true;
  }
  /// To be called after read_quickly() has refused.
  [[gnu::noinline]] static void read_slowly(Timing& t, std::uint32_t address, unsigned bytes) {
    if (t.template prefetch_started<G>()) {
      start_prefetch(t);
      if (!split(t) && may_be_cached(t, address) && t.state_.data.template find<G.data>(address)) {  // it was that line
        t.wait_for_fill(line_of(t, address));
        return;
      }
    }
    if (!may_be_cached(t, address)) {
      t.clock_ = t.path_.read_single(t.clock_, address, bytes).done;
      return;
    }
    ++t.counters_.read_misses;
    const std::uint64_t writes_from = t.template first_overtaken<G>();
    const bool overtakes = writes_from != UINT64_MAX;
    const std::uint64_t resume = overtakes ? t.path_.take_back(writes_from) : 0;
    const Burst burst = t.path_.template fetch_line<G>(t.clock_, address);
    write_back_victim(t, t.state_.data.template fill<G.data>(address), burst.done);
    t.note_fill(0, line_of(t, address), burst.done);
    if (overtakes) t.template delay_writes<G>(writes_from, resume);
    t.jump_to(burst.first);
  }
  /// A write that is posted.
  [[gnu::always_inline]] static bool write_quickly(Timing& t, std::uint32_t address) {
    if (t.template prefetch_started<G>()) [[unlikely]]
      return false;
    TagCache& data = t.state_.data;
    if (write_back(t) && data.holds<G.data>(address)) [[unlikely]]
      return false;
    const bool hit = !write_back(t) && data.find<G.data>(address);
    const std::uint64_t at = std::max(t.clock_, t.state_.write_done[t.state_.write_next]);
    Burst burst;
    if (!t.path_.template try_write<G>(at, address, burst)) [[unlikely]]
      return false;
    t.clock_ = at;
    t.template post<G>(burst);
    t.count_posted(hit);
    return true;
  }
  [[gnu::noinline]] static void write_slowly(Timing& t, std::uint32_t address, unsigned bytes) {
    if (t.template prefetch_started<G>()) start_prefetch(t);
    TagCache& data = t.state_.data;
    const bool hit = write_back(t) ? data.find_for_write<G.data>(address) : data.find<G.data>(address);
    if (hit && write_back(t)) {
      if (!t.settled()) t.wait_for_fill(line_of(t, address));
      return;
    }
    t.wait_for_buffer();
    t.template post<G>(t.path_.template write_aligned<G>(t.clock_, address, bytes));
    t.count_posted(hit);
  }

 public:
  static constexpr CachedTiming::Events events{[](CachedTiming& c, std::uint32_t eip, std::uint32_t last_line) {
                                                 fetch(static_cast<Timing&>(c), eip, last_line);
                                               },
                                               [](CachedTiming& c, std::uint32_t address, unsigned bytes) {
                                                 auto& t = static_cast<Timing&>(c);
                                                 if (!read_quickly(t, address)) read_slowly(t, address, bytes);
                                               },
                                               [](CachedTiming& c, std::uint32_t address, unsigned bytes) {
                                                 auto& t = static_cast<Timing&>(c);
                                                 if (!write_quickly(t, address)) write_slowly(t, address, bytes);
                                               },
                                               [](CachedTiming& c) { start_prefetch(static_cast<Timing&>(c)); }};
};

}  // namespace planar::cpu
