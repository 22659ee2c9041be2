// SPDX-License-Identifier: GPL-2.0-or-later
// A line plot in a self-contained page. On screen, uPlot draws it, with the values at the pointer, zoom, and lines that
// the legend shows and hides; on paper, and without scripts, the page shows the same plot as SVG (svg_plot.hpp). Bars
// (svg_bars) are always SVG, because uPlot has no stacked horizontal bars.
#pragma once

#include <string>
#include <vector>

#include "frontend/output/svg_plot.hpp"

namespace planar {

/// Parameters as for svg_lines.
std::string chart_lines(const std::string& title, const std::vector<std::string>& categories, const PlotAxes& axes,
                        const std::vector<PlotLine>& lines);

/// Contents of the style and script elements of a page with charts.
std::string chart_style();
std::string chart_script();

}  // namespace planar
