// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/timeline/timeline_span.hpp"

#include <fmt/format.h>

#include "core/common/error.hpp"
#include "frontend/options/option_time.hpp"
#include "machines/config/units.hpp"

namespace planar {

TimelineSpan TimelineSpan::parse(const std::optional<std::string>& from, const std::optional<std::string>& length,
                                 const std::optional<std::string>& frame) {
  TimelineSpan span;
  if (frame && (from || length))
    throw Error("--timeline-frame and --timeline-from or --timeline-for: a frame says when; leave the times out");
  if (from || length) {
    span.kind = Kind::time;
    if (from) span.from = option_time("--timeline-from", *from, "\"7.5 s\"");
    if (length) span.length = option_time("--timeline-for", *length, "\"20 ms\"");
    if (span.length == Time{}) throw Error("--timeline-for: an empty span; write for example 20 ms");
  }
  if (frame && *frame != "data") {
    const auto number = parse_number(*frame);
    if (!number || *number == 0)
      throw Error(
          fmt::format("--timeline-frame {}: write a frame's number in the capture, from 1 on, or data", *frame));
    span.kind = Kind::frame;
    span.frame = *number;
  }
  return span;
}

}  // namespace planar
