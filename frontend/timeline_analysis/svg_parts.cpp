// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/timeline_analysis/svg_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "frontend/output/svg_plot.hpp"

namespace planar {

double axis_step(double most) {
  const double raw = std::max(most, 1e-3) / 8, magnitude = std::pow(10.0, std::floor(std::log10(raw)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (raw <= factor * magnitude) return factor * magnitude;
  return 10 * magnitude;
}

std::string svg_text(double x, double y, const char* anchor, const std::string& words, const char* fill) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" fill=\"{}\">{}</text>\n", x, y, anchor, fill,
                     escaped(words));
}

const char* span_colour(const std::string& kind) {
  // The palette of Okabe and Ito.
  static const std::map<std::string, const char*> colours{
      {"user", "#56b4e9"},      {"kernel", "#0072b2"},   {"real", "#0072b2"},
      {"interrupt", "#cc79a7"}, {"halted", "#e8e8e8"},   {"waits for the bus", "#d55e00"},
      {"I/O", "#d55e00"},       {"memory", "#e69f00"},   {"interrupt acknowledge", "#cc79a7"},
      {"transfer", "#009e73"},  {"activity", "#009e73"}, {"sent", "#0072b2"},
      {"received", "#56b4e9"},  {"level", "#bbbbbb"},    {"owned", "#a8d8c8"},
      {"refresh", "#bbbbbb"}};
  const auto found = colours.find(kind);
  return found == colours.end() ? "#009e73" : found->second;
}

}  // namespace planar
