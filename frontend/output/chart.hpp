// SPDX-License-Identifier: GPL-2.0-or-later
// A line plot of a self-contained page: uPlot draws it on the screen, with the values under the pointer, lines that the
// legend switches on and off, and zoom; on paper, and without scripts, the page shows the same as SVG (svg_plot.hpp).
// Bars (svg_bars) are SVG everywhere: uPlot has none that are stacked and lie.
#pragma once

#include <string>
#include <vector>

#include "frontend/output/svg_plot.hpp"

namespace planar {

/// As svg_lines.
std::string chart_lines(const std::string& title, const std::vector<std::string>& categories, const PlotAxes& axes,
                        const std::vector<PlotLine>& lines);

/// For the style and script elements of a page with charts.
std::string chart_style();
std::string chart_script();

}  // namespace planar
