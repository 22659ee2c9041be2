// SPDX-License-Identifier: GPL-2.0-or-later
// What happens between a first-level cache and the bus, one function an event and all that it needs in line: a code
// line entered, a datum missed, a write posted. `Timing` is Timing486 or TimingPentium; `G` is the geometry, where it
// is one of those known when planar is compiled, or any_geometry.
//
// Of `Timing` it asks: second_line(), before an instruction's second line is entered; line_entered(slot), when an
// instruction's last line has been, which the code cache has there or (`uncached`) nowhere; first_overtaken() and
// delay_writes(), for a read that goes before posted writes; code_line_replaced(slot) of a separate code cache.
#pragma once

#include <cstdint>
#include <utility>

#include "core/cpu/timing/common/cached_timing.hpp"

namespace planar::cpu {

template <class Timing, Geometry G>
class MemoryEvents {
  static constexpr std::uint32_t no_line = CacheState::no_line;
  static constexpr CacheShape code_shape = G.split() ? G.code : G.data;

  static bool split(const Timing& t) { return G.known ? G.split() : t.config_.l1.split; }
  static bool write_back(const Timing& t) { return G.known ? G.write_back : t.config_.l1.write_back; }
  static std::uint32_t line_of(const Timing& t, std::uint32_t address) {
    return address & (G.known ? ~(G.data.line - 1) : t.line_mask_);
  }
  static TagCache& code_cache(Timing& t) { return split(t) ? t.state_.code : t.state_.data; }

  // ---- lines ---------------------------------------------------------------------------------------------------
  /// Whether the line at `address` is RAM that may be cached now. False says nothing.
  static bool surely_cached(const Timing& t, std::uint32_t address) {
    return t.cache_enabled_ && t.path_.surely_ram(address);
  }
  static bool may_be_cached(const Timing& t, std::uint32_t address) {
    return t.cache_enabled_ && t.path_.cacheable(address);
  }
  /// A line comes by `burst`, is put into the cache, and sends its victim out; the processor goes on with a datum.
  [[gnu::always_inline]] static CachedPath::Burst take_code_line(Timing& t, std::uint32_t line,
                                                                 CachedPath::Burst burst) {
    TagCache& cache = code_cache(t);
    const std::uint32_t victim = cache.fill<code_shape>(line);
    if (split(t))
      t.code_line_replaced(cache.slot<code_shape>(line));
    else
      write_back_victim(t, victim, burst.done);
    return burst;
  }
  [[gnu::always_inline]] static void fill_data(Timing& t, std::uint32_t address, CachedPath::Burst burst) {
    write_back_victim(t, t.state_.data.template fill<G.data>(address), burst.done);
  }
  [[gnu::always_inline]] static void go_on_with_datum(Timing& t, std::uint32_t address, CachedPath::Burst burst) {
    t.note_fill(0, line_of(t, address), burst.done);
    t.jump_to(burst.first);
  }
  [[gnu::always_inline]] static void take_data_line(Timing& t, std::uint32_t address, CachedPath::Burst burst) {
    fill_data(t, address, burst);
    go_on_with_datum(t, address, burst);
  }
  static void write_back_victim(Timing& t, std::uint32_t victim, std::uint64_t at) {
    if ((!G.known || G.write_back) && (victim & TagCache::dirty)) t.path_.template write_back<G>(at, line_of(t, victim));
  }
  /// Code from wherever it is, cached or not.
  [[gnu::noinline]] static CachedPath::Burst fetch_code(Timing& t, std::uint32_t line, std::uint64_t at) {
    if (!may_be_cached(t, line)) return t.path_.read_single(at, line, t.state_.data.line());
    return take_code_line(t, line, t.path_.template fetch_line<G>(at, line));
  }

  // ---- code ----------------------------------------------------------------------------------------------------
  static void fetch(Timing& t, std::uint32_t eip, std::uint32_t last_line) {
    const std::uint32_t first_line = line_of(t, eip);
    if (first_line != last_line) [[unlikely]]
      enter_first_line(t, first_line);
    const bool cached = enter_line(t, last_line);
    t.state_.code_line = last_line;
    t.line_entered(cached ? code_cache(t).template slot<code_shape>(last_line) : Timing::uncached);
  }
  [[gnu::noinline]] static void enter_first_line(Timing& t, std::uint32_t line) {
    if (line != t.state_.code_line) enter_line(t, line);
    t.second_line();
  }
  /// Code goes on in `line`; the one behind it is wanted next. Returns whether the cache has it.
  [[gnu::always_inline]] static bool enter_line(Timing& t, std::uint32_t line) {
    CacheState& state = t.state_;
    TagCache& cache = code_cache(t);
    bool on_the_way = false;  // it has been prefetched
    if (state.prefetch_line != no_line) {
      if (t.template prefetch_started<G>()) {
        on_the_way = state.prefetch_line == line;
        if (!on_the_way) [[unlikely]]
          start_prefetch(t);
      }
      state.prefetch_line = no_line;
    }
    bool cached = true;
    if (cache.find<code_shape>(line)) {
      if (!t.settled()) t.wait_for_fill(line);
    } else if (surely_cached(t, line)) [[likely]] {
      const std::uint64_t at = on_the_way ? prefetch_start(t) : t.clock_;
      const auto burst = take_code_line(t, line, t.path_.template fetch_line_from_ram<G>(at, line));
      t.note_fill(1, line, burst.done);
      if (on_the_way) {
        if (!t.settled()) t.wait_for_fill(line);
      } else {
        ++t.counters_.code_misses;
        t.jump_to(burst.first);
      }
    } else {
      cached = enter_special_line(t, line, on_the_way);
    }
    const std::uint32_t next = line + (G.known ? G.data.line : cache.line());
    if ((next & 0xFFF) != 0 && !cache.holds<code_shape>(next) && may_be_cached(t, next)) {
      state.prefetch_line = next;
      state.prefetch_from = t.clock_;
    }
    return cached;
  }
  /// The same in ROM, where nothing may be cached, or with the cache off.
  [[gnu::noinline]] static bool enter_special_line(Timing& t, std::uint32_t line, bool on_the_way) {
    if (on_the_way) {
      t.note_fill(1, line, fetch_code(t, line, prefetch_start(t)).done);
      if (code_cache(t).template find<code_shape>(line)) {
        if (!t.settled()) t.wait_for_fill(line);
        return true;
      }
    }
    ++t.counters_.code_misses;
    const auto burst = fetch_code(t, line, t.clock_);
    t.note_fill(1, line, burst.done);
    t.jump_to(burst.first);
    return code_cache(t).template in_mru_way<code_shape>(line);
  }
  /// When the wanted line went to the bus.
  static std::uint64_t prefetch_start(const Timing& t) {
    const std::uint64_t free = t.path_.template free<G>();
    return t.state_.prefetch_from > free ? t.state_.prefetch_from : free;
  }
  /// The wanted line has gone to the bus.
  [[gnu::noinline]] static void start_prefetch(Timing& t) {
    const std::uint32_t line = std::exchange(t.state_.prefetch_line, no_line);
    if (!split(t) && t.state_.data.template find<G.data>(line)) return;  // a datum has brought it
    const std::uint64_t at = prefetch_start(t);
    if (surely_cached(t, line)) [[likely]]
      t.note_fill(1, line, take_code_line(t, line, t.path_.template fetch_line_from_ram<G>(at, line)).done);
    else
      t.note_fill(1, line, fetch_code(t, line, at).done);
  }

  // ---- data, within a doubleword -------------------------------------------------------------------------------
 public:
  [[gnu::always_inline]] static void read(Timing& t, std::uint32_t address, unsigned bytes) {
    if (t.state_.data.template find<G.data>(address)) {
      if (!t.settled()) t.wait_for_fill(line_of(t, address));
      return;
    }
    if (t.template prefetch_started<G>()) {
      start_prefetch(t);
      if (!split(t) && may_be_cached(t, address) && t.state_.data.template find<G.data>(address)) {  // the prefetch brought the line
        t.wait_for_fill(line_of(t, address));
        return;
      }
    }
    if (!surely_cached(t, address)) [[unlikely]]
      return read_special(t, address, bytes);
    ++t.counters_.read_misses;
    const std::uint64_t writes_from = t.first_overtaken();
    if (writes_from != UINT64_MAX) [[unlikely]]
      return read_before_writes(t, address, writes_from);
    take_data_line(t, address, t.path_.template fetch_line_from_ram<G>(t.clock_, address));
  }
  /// True if the cache has taken it; else it has been posted.
  [[gnu::always_inline]] static bool write(Timing& t, std::uint32_t address, unsigned bytes) {
    TagCache& data = t.state_.data;
    if (t.template prefetch_started<G>()) start_prefetch(t);
    const bool hit =
        write_back(t) ? data.find_for_write<G.data>(address) : data.find<G.data>(address);
    if (hit && write_back(t)) {
      if (!t.settled()) t.wait_for_fill(line_of(t, address));
      return true;
    }
    t.wait_for_buffer();
    t.template post<G>(t.path_.template write_aligned<G>(t.clock_, address, bytes));
    t.count_posted(hit);
    return false;
  }

 private:
  [[gnu::noinline]] static void read_special(Timing& t, std::uint32_t address, unsigned bytes) {
    if (!may_be_cached(t, address)) {
      t.clock_ = t.path_.read_single(t.clock_, address, bytes).done;
      return;
    }
    ++t.counters_.read_misses;
    const std::uint64_t writes_from = t.first_overtaken();
    if (writes_from != UINT64_MAX) return read_before_writes(t, address, writes_from);
    take_data_line(t, address, t.path_.template fetch_line<G>(t.clock_, address));
  }
  /// The line is read before the posted writes that begin at core clock `writes_from`, and they are delayed.
  [[gnu::noinline]] static void read_before_writes(Timing& t, std::uint32_t address, std::uint64_t writes_from) {
    const std::uint64_t resume = t.path_.take_back(writes_from);
    const auto burst = t.path_.template fetch_line<G>(t.clock_, address);
    fill_data(t, address, burst);
    t.delay_writes(writes_from, resume);
    go_on_with_datum(t, address, burst);
  }

 public:
  static constexpr CachedTiming::Events events{
      [](CachedTiming& c, std::uint32_t eip, std::uint32_t last_line) {
        fetch(static_cast<Timing&>(c), eip, last_line);
      },
      [](CachedTiming& c, std::uint32_t address, unsigned bytes) { read(static_cast<Timing&>(c), address, bytes); },
      [](CachedTiming& c, std::uint32_t address, unsigned bytes) { write(static_cast<Timing&>(c), address, bytes); },
      [](CachedTiming& c) { start_prefetch(static_cast<Timing&>(c)); }};
};

}  // namespace planar::cpu
