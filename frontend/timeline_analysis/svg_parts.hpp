// SPDX-License-Identifier: GPL-2.0-or-later
// Helpers for drawing the pictures of timelines.
#pragma once

#include <string>

#include "core/time/time.hpp"

namespace planar {

inline constexpr double svg_letter = 6.6;  ///< width of a letter of a label

constexpr double in_us(Time t) { return static_cast<double>(t.ps) * 1e-6; }
/// A round step that divides `most` into about eight.
double axis_step(double most);
std::string svg_text(double x, double y, const char* anchor, const std::string& words, const char* fill = "#222");
/// Colour for a kind of span: "kernel", "I/O", "transfer". Distinguishable with every kind of colour vision.
const char* span_colour(const std::string& kind);

}  // namespace planar
