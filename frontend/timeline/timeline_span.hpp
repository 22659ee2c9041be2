// SPDX-License-Identifier: GPL-2.0-or-later
// Which part of a run a timeline shows: a span of time, or the neighbourhood of a frame.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/time/time.hpp"

namespace planar {

struct TimelineSpan {
  enum class Kind : std::uint8_t { time, frame, data_frame };
  Kind kind = Kind::data_frame;
  Time from{}, length = 10_ms;  ///< of a span of time
  std::uint64_t frame = 0;      ///< as the capture numbers it, from 1

  /// A frame is shown from the end of the fourth frame before it, or of the fourth such frame of a data frame, to the
  /// end of the next one, and if none comes, this long after its own end.
  static constexpr unsigned lead = 4;
  static constexpr Time tail = 10_ms;
  /// The data frame of Kind::data_frame: after this many of the longest that the first machine sends, when a connection
  /// has opened its window, the first that is the third of such frames in a row, or without one the sixteenth.
  static constexpr unsigned steady = 32, in_a_row = 3, patience = 16;

  /// From the values of --timeline-from, --timeline-for and --timeline-frame. Throws Error naming the option.
  static TimelineSpan parse(const std::optional<std::string>& from, const std::optional<std::string>& length,
                            const std::optional<std::string>& frame);
};

}  // namespace planar
