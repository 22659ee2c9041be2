// SPDX-License-Identifier: GPL-2.0-or-later
// REP MOVS and REP STOS within one line of a write-back cache in one go: no iteration needs the bus.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/cpu/mmu/access.hpp"

namespace planar::cpu {

/// Bytes of RAM or ROM within one line of the data cache.
struct LineSpan {
  std::uint8_t* host = nullptr;
  std::uint32_t physical = 0;
  unsigned count = 0;  ///< elements; 0: must be accessed one by one
};
/// At most `count` elements from `offset` on.
template <class T, bool Writing>
LineSpan within_line(const Engine& c, unsigned s, std::uint32_t offset, unsigned count) {
  const Segment& g = c.seg[s];
  const std::uint32_t linear = g.base + offset, line = c.timing.cached().data_line();
  const HostTlbEntry& e = c.host_entry(linear);
  if ((Writing ? e.write_tag : e.read_tag) != (linear & (page_mask | (sizeof(T) - 1)))) return {};
  count = std::min<unsigned>(count, (line - (linear & (line - 1))) / sizeof(T));
  if (std::int64_t{offset - g.low} + static_cast<std::int64_t>(count * sizeof(T) - 1) >
      (Writing ? g.write_span : g.read_span))
    return {};
  if (Writing && e.holds_code(linear)) return {};
  return {e.host + (linear & 0xFFF), e.physical + (linear & 0xFFF), count};
}

/// Up to `count` iterations of `op`, a REP MOVS (`Copies`) or REP STOS, upwards, with all that they cost and move, the
/// index registers included, the count register not; returns how many. 0, with nothing done: the next one must be made
/// by itself, and all that follow if `possible` is cleared. Ends at stop_at like the iterations.
template <class T, bool Copies>
std::uint32_t run_line(Engine& c, const Op& op, std::uint32_t count, bool& possible) {
  possible = c.timing.has_cache() && c.timing.cached().writes_back() && op.address32 && !(c.system_flags & flag_df);
  if (!possible) return 0;
  const LineSpan to = within_line<T, true>(c, ES, c.gpr[EDI], count);
  const LineSpan from = Copies ? within_line<T, false>(c, op.segment, c.gpr[ESI], to.count) : to;
  if (from.count == 0 || (Copies && !c.timing.cached().read_hits(from.physical))) return 0;
  const unsigned each = repeat_iteration(c.model, op);
  const unsigned done = c.timing.cached().write_run(to.physical, from.count, each, c.stop_at);
  if (done == 0) return 0;
  if constexpr (Copies)
    c.timing.spend_before_write(each);
  else
    c.timing.spend(each);
  for (unsigned i = 0; i < done; ++i)
    c.store<T>(to.host + i * sizeof(T), Copies ? c.load<T>(from.host + i * sizeof(T)) : c.get<T>(EAX));
  const unsigned bytes = done * static_cast<unsigned>(sizeof(T));
  if (Copies) c.gpr[ESI] += bytes;
  c.gpr[EDI] += bytes;
  return done;
}

}  // namespace planar::cpu
