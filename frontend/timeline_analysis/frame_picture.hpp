// SPDX-License-Identifier: GPL-2.0-or-later
// The paths of data frames as one SVG picture, one card below the other on a common time scale.
#pragma once

#include <string>
#include <vector>

#include "frontend/timeline_analysis/frame_way.hpp"

namespace planar {

/// Lanes for the processor, the bus, the card's engines and levels, and the wire in both directions. The colours can be
/// distinguished with every kind of colour vision; where slices are too close to be drawn separately, the shade shows
/// how much of the time they cover.
std::string svg_frame_ways(const std::string& title, const std::vector<FrameWay>& ways);

/// The same in two lines of text: the time of a frame, and what it is spent on.
std::vector<std::string> frame_way_text(const FrameWay& way);

}  // namespace planar
