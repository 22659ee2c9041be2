// SPDX-License-Identifier: GPL-2.0-or-later
// Two kinds of plot as SVG text: figures as lines, and bars of where a frame's time goes. They are used in Markdown
// pages, on paper, and in a report without scripts (with scripts, chart.hpp draws the lines). Every point and part
// shows its value at the pointer; plot_style() contains the palette for dark pages.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace planar {

/// A line of a plot; a missing value breaks the line.
struct PlotLine {
  std::string name;
  std::vector<std::optional<double>> values{};  ///< one per category
  std::vector<std::optional<double>> marks{};   ///< published values of the same categories, drawn as crosses
  std::vector<double> within{};     ///< half of each value's confidence interval, drawn as a bar; empty: unknown
  std::optional<double> knee = {};  ///< on a numeric axis: the value above which losses begin
  std::size_t number = 0;           ///< selects colour, dashes and points: the same in all plots of a page
  bool points = true;               ///< draws the points; false where they would be too close together
};

/// Labels and scales of the axes.
struct PlotAxes {
  std::string x, y;                  ///< "packet size", "KB/s"
  std::vector<double> at{};          ///< position of each category on a numeric axis; empty: equally spaced
  std::optional<double> limit = {};  ///< an upper limit of all values, drawn across the plot
  std::string limit_name = {};
  std::string all = {};  ///< if the x axis has the unit of y: name of the line x = y
};

/// How lines are distinguished: by colour, on white and on dark pages, and by dashes and points.
struct LineStyle {
  const char *light, *dark;
  const char* dashes;  ///< lengths of dashes and gaps in turn, or "none"
  std::size_t shape;   ///< shape of its points: circle, square, triangle, diamond
};
LineStyle line_style(std::size_t number);

/// The range of a plot's y axis, in round steps.
struct PlotRange {
  double from = 0, to = 1, step = 1;
};
PlotRange plot_range(const PlotAxes& axes, const std::vector<PlotLine>& lines);

/// x: `categories`, where an empty text means no label. y: from 0, or, if all values lie in the upper half, from below
/// the least value; the axis then says so and shows a break.
std::string svg_lines(const std::string& title, const std::vector<std::string>& categories, const PlotAxes& axes,
                      const std::vector<PlotLine>& lines);

/// A bar of stacked parts, one value for each of the plot's part names.
struct PlotBar {
  std::string name;
  std::vector<double> parts;
};
std::string svg_bars(const std::string& title, const std::vector<std::string>& parts, const std::string& unit,
                     const std::vector<PlotBar>& bars);

/// For a page's style element.
std::string plot_style();

/// `text` with the special characters of XML and HTML escaped.
std::string escaped(const std::string& text);

}  // namespace planar
