// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/guest/measured.hpp"

#include <algorithm>

namespace planar {
namespace {

bool starts_clock(const GuestLine& line) { return line.tagged("@netio start") || line.tagged("@netperf start"); }

/// The guest's clock, from the start of its benchmark on, at the event that the line reports; nothing if it does not
/// say.
std::optional<Time> guest_clock(const GuestLine& line) {
  if (starts_clock(line)) return Time{};
  constexpr std::uint64_t longest = 1'000'000;  // seconds; the guest's values are unchecked
  const auto seconds = line.number("ended_s"), microseconds = line.number("ended_us");
  if (!seconds || !microseconds || *seconds > longest || *microseconds >= 1'000'000) return std::nullopt;
  return Time{static_cast<std::int64_t>(*seconds * 1'000'000 + *microseconds) * 1'000'000};
}

Time end_of(const GuestOutput& guest, const GuestLine& record) {
  const auto ended = guest_clock(record);
  if (!ended) return record.began;
  Time start = record.began - *ended;  // by the line that was late by the least
  for (const GuestLine& other : guest.lines())
    if (const auto clock = guest_clock(other))
      start = starts_clock(other) ? other.began : std::min(start, other.began - *clock);
  return start + *ended;
}

}  // namespace

Measured measured(const GuestOutput& guest, const GuestLine& record, Time duration) {
  const Time to = std::max(end_of(guest, record), Time{});
  return {std::max(to - duration, Time{}), to};
}

}  // namespace planar
