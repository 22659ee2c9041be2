// SPDX-License-Identifier: GPL-2.0-or-later
// Which part of a run a timeline shows: a span of time, or the surroundings of a frame.
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

  /// A frame is shown from the end of the fourth frame before it to the end of the next one, or for `tail` after its
  /// own end if none follows. For a data frame, only full-size frames of the first machine are counted.
  static constexpr unsigned lead = 4;
  static constexpr Time tail = 10_ms;
  /// The frame of Kind::data_frame: after the first machine has sent `steady` frames of its greatest length, so that a
  /// connection has opened its window, the first one that is the third such frame in a row, or else the sixteenth.
  static constexpr unsigned steady = 32, in_a_row = 3, patience = 16;

  /// From the values of --timeline-from, --timeline-for and --timeline-frame. Throws Error naming the option.
  static TimelineSpan parse(const std::optional<std::string>& from, const std::optional<std::string>& length,
                            const std::optional<std::string>& frame);
};

}  // namespace planar
