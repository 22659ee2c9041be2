// SPDX-License-Identifier: GPL-2.0-or-later
// The paths of data frames as one SVG picture, one card above the other on one time scale.
#pragma once

#include <string>
#include <vector>

#include "frontend/timeline_analysis/frame_way.hpp"

namespace planar {

/// Lanes for processor, bus, what the card says of its engines and levels, and the wire in both directions. Colours
/// are told apart with every kind of colour vision; where slices lie too close to be seen apart, the shade says how
/// much of the time they cover.
std::string svg_frame_ways(const std::string& title, const std::vector<FrameWay>& ways);

/// The same in two lines of words: the time of a frame, and what takes it.
std::vector<std::string> frame_way_text(const FrameWay& way);

}  // namespace planar
