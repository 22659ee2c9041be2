// SPDX-License-Identifier: GPL-2.0-or-later
// Two plots as SVG text for the self-contained report: throughput by packet size, and where a frame's time goes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace planar {

/// A line of the throughput plot; a missing value breaks the line.
struct PlotLine {
  std::string name;
  std::vector<std::optional<double>> values;  ///< one per category
  std::vector<std::optional<double>> marks;   ///< the published value of the same category
};

/// What an axis says of itself.
struct PlotAxes {
  std::string x, y;  ///< "packet size", "KB/s"
};

/// x: `categories` at equal distances, an empty one without a label; y: from 0, or from below the least value where all
/// lie in the upper half, which the axis then says. Lines have colours that people with colour blindness tell apart
/// and, from the eighth on, dashes; marks are crosses.
std::string svg_lines(const std::string& title, const std::vector<std::string>& categories, const PlotAxes& axes,
                      const std::vector<PlotLine>& lines);

/// A bar of stacked parts, one value for each of the plot's part names.
struct PlotBar {
  std::string name;
  std::vector<double> parts;
};
std::string svg_bars(const std::string& title, const std::vector<std::string>& parts, const std::string& unit,
                     const std::vector<PlotBar>& bars);

/// `text` with the characters escaped that mean something in XML and HTML.
std::string escaped(const std::string& text);

}  // namespace planar
