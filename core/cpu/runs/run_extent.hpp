// SPDX-License-Identifier: GPL-2.0-or-later
// How far a run of a REP's iterations may go.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/cpu/engine/engine.hpp"

namespace planar::cpu {

/// How many of `count` elements from `offset` on, upwards, lie within the segment, the page and the index register.
template <class T>
std::uint32_t elements_within(const Segment& g, std::int64_t span, std::uint32_t offset, bool wide,
                              std::uint32_t count) {
  const std::int64_t left = span - std::int64_t{offset - g.low} + 1;
  if (left <= 0) return 0;
  const std::int64_t in_register = std::int64_t{wide ? 0xFFFFFFFF : 0xFFFF} - offset;  // the index does not wrap
  const std::int64_t in_page = 0x1000 - ((g.base + offset) & 0xFFF);
  const std::int64_t bytes = std::min({left, in_register, in_page});
  return static_cast<std::uint32_t>(std::min<std::int64_t>(count, bytes / static_cast<std::int64_t>(sizeof(T))));
}

/// Fewer iterations are not worth a run.
constexpr std::uint32_t worthwhile_run = 4;

}  // namespace planar::cpu
