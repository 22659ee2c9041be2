// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/output/svg_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace planar {
namespace {

constexpr double width = 860, left = 70, right = 190, top = 40, bottom = 52;
constexpr double plot_width = width - left - right;
constexpr double line_height = 380, bar_height = 22;

// The palette of Okabe and Ito without its yellow, which white swallows: told apart with every kind of colour vision.
constexpr const char* colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"};
constexpr const char* dashes[] = {"none", "8 3", "2 3", "8 3 2 3"};
std::string colour(std::size_t n) { return colours[n % std::size(colours)]; }
std::string dash(std::size_t n) { return dashes[n / std::size(colours) % std::size(dashes)]; }

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

/// A line's sample, with its dashes.
std::string line_legend(std::size_t n, const std::string& name) {
  const double y = top + 8 + 18 * static_cast<double>(n);
  return fmt::format(
             "<line x1=\"{0}\" x2=\"{1}\" y1=\"{2}\" y2=\"{2}\" stroke=\"{3}\" stroke-width=\"2.5\" "
             "stroke-dasharray=\"{4}\"/>\n",
             width - right + 8, width - right + 30, y - 4, colour(n), dash(n)) +
         text(width - right + 34, y, "start", name);
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

std::string svg_lines(const std::string& title, const std::vector<std::string>& categories, const PlotAxes& axes,
                      const std::vector<PlotLine>& lines) {
  double most = 0, least = std::numeric_limits<double>::max();
  for (const PlotLine& line : lines)
    for (const auto* list : {&line.values, &line.marks})
      for (const auto& v : *list) {
        most = std::max(most, v.value_or(0));
        least = std::min(least, v.value_or(least));
      }
  // Differences show where the axis does not begin far below them.
  const bool cut = least > most / 2 && least < most;
  const double step = step_for(cut ? most - least : most);
  const double from = cut ? std::max(0.0, (std::floor(least / step) - 1) * step) : 0;
  const double to = std::max(from + step, std::ceil(most / step) * step);
  const double height = top + line_height + bottom;
  const auto x = [&](std::size_t n) {
    return left + plot_width * (static_cast<double>(n) + 0.5) / static_cast<double>(categories.size());
  };
  const auto y = [&](double v) { return top + line_height * (1 - (v - from) / (to - from)); };
  const double middle = top + line_height / 2;
  std::string out = head(title, height);
  out += fmt::format(
      "<text x=\"16\" y=\"{0:.1f}\" text-anchor=\"middle\" transform=\"rotate(-90 16 {0:.1f})\">{1}</text>\n", middle,
      escaped(axes.y + (from > 0 ? fmt::format(" (from {:g})", from) : "")));
  out += text(left + plot_width / 2, height - 6, "middle", axes.x);
  for (double v = from; v <= to * 1.0001; v += step)
    out += fmt::format("<line x1=\"{0}\" x2=\"{1}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\" stroke=\"#ddd\"/>\n", left,
                       left + plot_width, y(v)) +
           text(left - 6, y(v) + 4, "end", fmt::format("{:g}", v));
  for (std::size_t n = 0; n < categories.size(); ++n)
    if (!categories[n].empty()) out += text(x(n), height - 28, "middle", categories[n]);
  for (std::size_t n = 0; n < lines.size(); ++n) {
    std::string path;
    bool pen = false;
    for (std::size_t c = 0; c < lines[n].values.size(); ++c) {
      const auto v = lines[n].values[c];
      if (v) path += fmt::format("{}{:.1f},{:.1f} ", pen ? "L" : "M", x(c), y(*v));
      pen = v.has_value();
    }
    out += fmt::format(
        "<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\" "
        "stroke-dasharray=\"{}\"><title>{}</title></path>\n",
        path, colour(n), dash(n), escaped(lines[n].name));
    for (std::size_t c = 0; c < lines[n].marks.size(); ++c)
      if (const auto v = lines[n].marks[c])
        out += fmt::format("<path d=\"M{0:.1f},{1:.1f} l8,8 m-8,0 l8,-8\" stroke=\"{2}\" stroke-width=\"1.5\"/>\n",
                           x(c) - 4, y(*v) - 4, colour(n));
    out += line_legend(n, lines[n].name);
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
  out += text(from + length / 2, height - 12, "middle", unit);
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
