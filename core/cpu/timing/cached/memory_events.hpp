// SPDX-License-Identifier: GPL-2.0-or-later
// What happens between a first-level cache and the bus, one function an event and all that it needs in line: a code
// line entered, a datum missed, a write posted. `Timing` is Timing486 or TimingPentium; `G` is the geometry, where it
// is one of those known when planar is compiled, or any_geometry.
//
// Of `Timing` it asks: second_line(), before an instruction's second line is entered; line_entered<G>(line), when an
// instruction's last line has been; first_overtaken() and delay_writes(), for a read that goes before posted writes;
// code_line_replaced(slot) of a separate code cache.
#pragma once

#include <cstdint>

#include "core/cpu/timing/common/cached_timing.hpp"

namespace planar::cpu {

template <class Timing, Geometry G>
class MemoryEvents {
  static constexpr std::uint32_t no_line = CacheState::no_line;
  static constexpr std::uint32_t page_mask = 0xFFFFF000;

  static bool split(const Timing& t) { return G.known ? G.split : t.config_.l1.split; }
  static bool write_back(const Timing& t) { return G.known ? G.write_back : t.config_.l1.write_back; }
  static std::uint32_t line_of(const Timing& t, std::uint32_t address) {
    return address & (G.known ? ~(G.l1.line - 1) : t.line_mask_);
  }
  static TagCache& code_cache(Timing& t) { return split(t) ? t.state_.code : t.state_.data; }

  // ---- lines ---------------------------------------------------------------------------------------------------
  /// A line that may be cached comes into `cache`, wanted at core clock `at`.
  [[gnu::always_inline]] static CachedPath::Burst fill(Timing& t, TagCache& cache, std::uint32_t address,
                                                       std::uint64_t at) {
    const auto burst = t.path_.template fetch_line<G>(at, address);
    const std::uint32_t victim = cache.fill<G.l1>(address);
    if ((!G.known || G.write_back) && (victim & TagCache::dirty))
      t.path_.template write_back<G>(burst.done, line_of(t, victim));
    if (&cache == &t.state_.code) t.code_line_replaced(cache.slot<G.l1>(address));
    return burst;
  }
  [[gnu::always_inline]] static CachedPath::Burst fill_code(Timing& t, std::uint32_t line, std::uint64_t at) {
    if (!t.cache_enabled_ || !t.path_.cacheable(line)) [[unlikely]]
      return t.path_.read_single(at, line, t.state_.data.line());
    return fill(t, code_cache(t), line, at);
  }

  // ---- code ----------------------------------------------------------------------------------------------------
  static void fetch(Timing& t, std::uint32_t eip, std::uint32_t last_line) {
    const std::uint32_t first_line = line_of(t, eip);
    if (first_line != last_line) {
      if (first_line != t.state_.code_line) enter_line(t, first_line);
      t.second_line();
    }
    enter_line(t, last_line);
    t.state_.code_line = last_line;
    t.template line_entered<G>(last_line);
  }
  /// Code goes on in `line`; the one behind it is wanted next.
  static void enter_line(Timing& t, std::uint32_t line) {
    CacheState& state = t.state_;
    TagCache& cache = code_cache(t);
    if (state.prefetch_line != no_line) {
      settle_prefetch(t);
      state.prefetch_line = no_line;
    }
    if (cache.find<G.l1>(line)) {
      if (!t.settled()) t.wait_for_fill(line);
    } else {
      ++t.counters_.code_misses;
      const auto burst = fill_code(t, line, t.clock_);
      t.note_fill(1, line, burst.done);
      t.jump_to(burst.first);
    }
    const std::uint32_t next = line + (G.known ? G.l1.line : cache.line());
    if (((next ^ line) & page_mask) == 0 && !cache.holds<G.l1>(next) && t.cache_enabled_ && t.path_.cacheable(next)) {
      state.prefetch_line = next;
      state.prefetch_from = t.clock_;
    }
  }
  /// A wanted code line goes to the bus as soon as that is free: has it by now?
  static void settle_prefetch(Timing& t) {
    CacheState& state = t.state_;
    const std::uint64_t free = t.path_.template free<G>();
    const std::uint64_t at = state.prefetch_from > free ? state.prefetch_from : free;
    if (at >= t.clock_) return;
    const std::uint32_t line = state.prefetch_line;
    state.prefetch_line = no_line;
    if (!split(t) && state.data.find<G.l1>(line)) return;  // a datum has brought it
    t.note_fill(1, line, fill_code(t, line, at).done);
  }

  // ---- data, within a doubleword -------------------------------------------------------------------------------
  /// The line is not the one used last in its set, or a fill is under way.
  static void read(Timing& t, std::uint32_t address, unsigned bytes) {
    if (t.state_.data.template find<G.l1>(address)) {
      if (!t.settled()) t.wait_for_fill(line_of(t, address));
      return;
    }
    if (t.state_.prefetch_line != no_line) settle_prefetch(t);
    if (!t.cache_enabled_ || !t.path_.cacheable(address)) [[unlikely]] {
      t.clock_ = t.path_.read_single(t.clock_, address, bytes).done;
      return;
    }
    if (!split(t) && t.state_.data.template find<G.l1>(address)) {  // the prefetch brought the line
      t.wait_for_fill(line_of(t, address));
      return;
    }
    ++t.counters_.read_misses;
    const std::uint64_t writes_from = t.first_overtaken();
    if (writes_from == UINT64_MAX) [[likely]]
      return t.take_data_line(address, fill(t, t.state_.data, address, t.clock_));
    const std::uint64_t resume = t.path_.take_back(writes_from);
    const auto burst = fill(t, t.state_.data, address, t.clock_);
    t.delay_writes(writes_from, resume);
    t.take_data_line(address, burst);
  }
  /// It is no write into a dirty line that is the one used last in its set.
  static void write(Timing& t, std::uint32_t address, unsigned bytes) {
    TagCache& data = t.state_.data;
    if (t.state_.prefetch_line != no_line) settle_prefetch(t);
    const bool hit = write_back(t) ? data.find_for_write<G.l1>(address) : data.find<G.l1>(address);
    if (hit && write_back(t)) {
      if (!t.settled()) t.wait_for_fill(line_of(t, address));
      return;
    }
    t.wait_for_buffer();
    t.post(t.path_.template write_aligned<G>(t.clock_, address, bytes));
    t.count_posted(hit);
  }

 public:
  static constexpr CachedTiming::Events events{
      [](CachedTiming& c, std::uint32_t eip, std::uint32_t last_line) {
        fetch(static_cast<Timing&>(c), eip, last_line);
      },
      [](CachedTiming& c, std::uint32_t address, unsigned bytes) { read(static_cast<Timing&>(c), address, bytes); },
      [](CachedTiming& c, std::uint32_t address, unsigned bytes) { write(static_cast<Timing&>(c), address, bytes); },
      [](CachedTiming& c) { settle_prefetch(static_cast<Timing&>(c)); }};
};

}  // namespace planar::cpu
