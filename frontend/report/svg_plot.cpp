// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/report/svg_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace planar {
namespace {

constexpr double width = 860, left = 70, right = 190, top = 40, bottom = 40;
constexpr double plot_width = width - left - right;
constexpr double line_height = 380, bar_height = 22;

// Distinct hues with two lightnesses, readable on white.
constexpr const char* colours[] = {"#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e", "#17becf", "#8c564b",
                                   "#e377c2", "#7f7f7f", "#bcbd22", "#004c6d", "#7a0019", "#0b5d1e", "#4b2e83"};
std::string colour(std::size_t n) { return colours[n % std::size(colours)]; }

/// A round step that divides `most` into about five.
double step_for(double most) {
  const double raw = std::max(most, 1e-9) / 5, magnitude = std::pow(10.0, std::floor(std::log10(raw)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (raw <= factor * magnitude) return factor * magnitude;
  return 10 * magnitude;
}

std::string head(const std::string& title, double height) {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" font-family=\"sans-serif\" "
      "font-size=\"12\" role=\"img\" aria-label=\"{}\">\n<text x=\"{}\" y=\"20\" font-size=\"15\">{}</text>\n",
      width, height, escaped(title), left, escaped(title));
}

std::string text(double x, double y, const char* anchor, const std::string& words) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", x, y, anchor, escaped(words));
}

std::string legend(std::size_t n, const std::string& name) {
  const double y = top + 8 + 18 * static_cast<double>(n);
  return fmt::format("<rect x=\"{0}\" y=\"{1}\" width=\"12\" height=\"12\" fill=\"{2}\"/>\n", width - right + 16,
                     y - 10, colour(n)) +
         text(width - right + 34, y, "start", name);
}

}  // namespace

std::string escaped(const std::string& plain) {
  std::string out;
  for (const char c : plain) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      default: out += c;
    }
  }
  return out;
}

std::string svg_lines(const std::string& title, const std::vector<std::string>& categories, const std::string& unit,
                      const std::vector<PlotLine>& lines) {
  double most = 0;
  for (const PlotLine& line : lines)
    for (const auto* list : {&line.values, &line.marks})
      for (const auto& v : *list) most = std::max(most, v.value_or(0));
  const double step = step_for(most), range = std::max(step, std::ceil(most / step) * step);
  const double height = top + line_height + bottom;
  const auto x = [&](std::size_t n) {
    return left + plot_width * (static_cast<double>(n) + 0.5) / static_cast<double>(categories.size());
  };
  const auto y = [&](double v) { return top + line_height * (1 - v / range); };
  std::string out = head(title, height) + text(10, top - 6, "start", unit);
  for (double v = 0; v <= range * 1.0001; v += step)
    out += fmt::format("<line x1=\"{0}\" x2=\"{1}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\" stroke=\"#ddd\"/>\n", left,
                       left + plot_width, y(v)) +
           text(left - 6, y(v) + 4, "end", fmt::format("{:g}", v));
  for (std::size_t n = 0; n < categories.size(); ++n) out += text(x(n), height - 16, "middle", categories[n]);
  for (std::size_t n = 0; n < lines.size(); ++n) {
    std::string path;
    bool pen = false;
    for (std::size_t c = 0; c < lines[n].values.size(); ++c) {
      const auto v = lines[n].values[c];
      if (v) path += fmt::format("{}{:.1f},{:.1f} ", pen ? "L" : "M", x(c), y(*v));
      pen = v.has_value();
    }
    out += fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\"/>\n", path, colour(n));
    for (std::size_t c = 0; c < lines[n].marks.size(); ++c)
      if (const auto v = lines[n].marks[c])
        out += fmt::format("<path d=\"M{0:.1f},{1:.1f} l8,8 m-8,0 l8,-8\" stroke=\"{2}\" stroke-width=\"1.5\"/>\n",
                           x(c) - 4, y(*v) - 4, colour(n));
    out += legend(n, lines[n].name);
  }
  return out + "</svg>\n";
}

std::string svg_bars(const std::string& title, const std::vector<std::string>& parts, const std::string& unit,
                     const std::vector<PlotBar>& bars) {
  double most = 0;
  for (const PlotBar& bar : bars) {
    double sum = 0;
    for (const double part : bar.parts) sum += part;
    most = std::max(most, sum);
  }
  const double step = step_for(most), range = std::max(step, std::ceil(most / step) * step);
  const double height = top + bar_height * static_cast<double>(std::max<std::size_t>(bars.size(), 6)) + bottom;
  const double names = 60, from = left + names, length = plot_width - names;
  std::string out = head(title, height);
  for (double v = 0; v <= range * 1.0001; v += step) {
    const double at = from + length * v / range;
    out += fmt::format("<line x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1}\" y2=\"{2}\" stroke=\"#ddd\"/>\n", at, top,
                       height - bottom) +
           text(at, height - bottom + 16, "middle", fmt::format("{:g}", v));
  }
  out += text(from + length, height - 6, "end", unit);
  for (std::size_t n = 0; n < bars.size(); ++n) {
    const double y = top + bar_height * static_cast<double>(n);
    double at = from;
    out += text(from - 6, y + 15, "end", bars[n].name);
    for (std::size_t p = 0; p < bars[n].parts.size(); ++p) {
      const double extent = length * bars[n].parts[p] / range;
      out += fmt::format(
          "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{}\" fill=\"{}\"><title>{}: {:.1f} {}"
          "</title></rect>\n",
          at, y + 3, extent, bar_height - 6, colour(p), escaped(parts[p]), bars[n].parts[p], escaped(unit));
      at += extent;
    }
  }
  for (std::size_t p = 0; p < parts.size(); ++p) out += legend(p, parts[p]);
  return out + "</svg>\n";
}

}  // namespace planar
