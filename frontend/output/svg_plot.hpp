// SPDX-License-Identifier: GPL-2.0-or-later
// Two plots as SVG text, for pages in Markdown, for paper, and for a report without scripts (chart.hpp draws its lines
// otherwise): figures as lines, and where a frame's time goes. Every point and part tells its value under the pointer;
// plot_style is the palette of dark pages.
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
  std::vector<std::optional<double>> marks{};   ///< the published value of the same category: a cross
  std::vector<double> within{};                 ///< half of each value's confidence interval: a bar; empty: not known
  std::optional<double> knee = {};              ///< on a numeric axis: from here on something is lost
  std::size_t number = 0;                       ///< chooses colour, dashes and points: the same in all plots of a page
  bool points = true;                           ///< shows its values; false where they stand too close
};

/// What an axis says of itself.
struct PlotAxes {
  std::string x, y;                  ///< "packet size", "KB/s"
  std::vector<double> at{};          ///< where each category is on a numeric axis; empty: at equal distances
  std::optional<double> limit = {};  ///< a value that none can exceed, drawn across the plot
  std::string limit_name = {};
  std::string all = {};  ///< on a numeric axis in the unit of y: names the line on which both are equal
};

/// How a line is told apart from others: by colour, on white pages and on dark ones, and by dashes and points.
struct LineStyle {
  const char *light, *dark;
  const char* dashes;  ///< lengths, drawn and not drawn in turn, or none
  std::size_t shape;   ///< of its points: circle, square, triangle, diamond
};
LineStyle line_style(std::size_t number);

/// The values that a plot's axis y shows, in round steps.
struct PlotRange {
  double from = 0, to = 1, step = 1;
};
PlotRange plot_range(const PlotAxes& axes, const std::vector<PlotLine>& lines);

/// x: `categories`, an empty one without a label; y: from 0, or from below the least value where all lie in the upper
/// half: the axis then says so and shows the break.
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

/// `text` with the characters escaped that mean something in XML and HTML.
std::string escaped(const std::string& text);

}  // namespace planar
