// SPDX-License-Identifier: GPL-2.0-or-later
// REP MOVS from RAM to RAM and REP STOS to RAM on a processor with a first-level cache: the time of each iteration is
// computed (cached_run.hpp), and the data of all are moved at once. The result is the same as one by one
// (tests/core/cpu/timing/test_memory_run.cpp).
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/cpu/mmu/access.hpp"
#include "core/cpu/runs/cached_run.hpp"
#include "core/cpu/runs/run_extent.hpp"

namespace planar::cpu {

/// A stretch of RAM, or of ROM that is read, within a page.
struct Stretch {
  std::uint8_t* host = nullptr;
  std::uint32_t physical = 0;
  std::uint32_t count = 0;  ///< elements; 0: must be accessed one by one
};
/// At most `count` elements from `offset` on.
template <class T, bool writing>
Stretch stretch_at(const Engine& c, unsigned s, std::uint32_t offset, bool wide, std::uint32_t count) {
  const Segment& g = c.seg[s];
  const std::uint32_t linear = g.base + offset;
  const HostTlbEntry& e = c.host_entry(linear);
  if ((writing ? e.write_tag : e.read_tag) != (linear & page_mask)) return {};
  if (writing && e.page->code_granules != 0) {
    if (e.holds_code(linear)) return {};
    count = std::min<std::uint32_t>(count, (Page::granule_bytes - (linear & (Page::granule_bytes - 1))) / sizeof(T));
  }
  return {e.host + (linear & 0xFFF), e.physical + (linear & 0xFFF),
          elements_within<T>(g, writing ? g.write_span : g.read_span, offset, wide, count)};
}

/// Makes up to `count` iterations of `op`, a REP MOVS (`copies`) or REP STOS, upwards, with all their costs and data
/// and the index registers, but not the count register; returns how many. 0, with nothing done: the next one must be
/// made on its own, and so must all that follow if `possible` is cleared. Ends at stop_at as the iterations would.
template <class T, bool copies>
std::uint32_t run_memory(Engine& c, const Op& op, std::uint32_t count, bool& possible) {
  constexpr std::uint32_t size = sizeof(T);
  possible = c.timing.has_cache() && !c.one_by_one && !(c.system_flags & (flag_df | flag_ac));
  if (!possible || count < worthwhile_run) return 0;
  const bool wide = op.address32;
  const std::uint32_t si = c.get_sized(ESI, wide), di = c.get_sized(EDI, wide);
  const Stretch to = stretch_at<T, true>(c, ES, di, wide, count);
  const Stretch from = copies ? stretch_at<T, false>(c, op.segment, si, wide, to.count) : to;
  if (from.count < 2) return 0;

  const unsigned each = repeat_iteration(c.model, op);
  // Of words at odd addresses, only every second one lies across doublewords.
  const bool alike = size == 4 || ((from.physical | to.physical) & (size - 1)) == 0;
  const unsigned across = CachedRun::across(to.physical, size) + (copies ? CachedRun::across(from.physical, size) : 0);
  CachedRun clock(c.timing.cached());
  std::uint32_t done = 0;
  do {
    if constexpr (copies) clock.read(from.physical + done * size, size);
    clock.write(to.physical + done * size, size);
    clock.spend(each);
    if (++done == from.count) break;
    if (!alike) continue;
    std::uint32_t free = clock.free_writes(to.physical + done * size, size);
    if constexpr (copies)
      if (free != 0) free = std::min(free, clock.free_reads(from.physical + done * size, size));
    done += clock.skip_free(std::min(free, from.count - done), each + across, c.stop_at);
  } while (done < from.count && clock.clocks() < c.stop_at);
  clock.leave();

  for (std::uint32_t i = 0; i < done; ++i)
    store_little<T>(to.host + i * size, copies ? load_little<T>(from.host + i * size) : c.get<T>(EAX));
  if (copies) c.set_sized(ESI, wide, si + done * size);
  c.set_sized(EDI, wide, di + done * size);
  return done;
}

}  // namespace planar::cpu
