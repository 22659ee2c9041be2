// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/output/svg_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>
#include <string_view>

namespace planar {
namespace {

constexpr double width = 1000, left = 70, right = 310, top = 40, bottom = 52;
constexpr double plot_width = width - left - right;
constexpr double line_height = 380, bar_height = 22, legend_step = 18;

/// Colours for white and for dark pages. The first seven are the palette of Okabe and Ito, distinguishable with every
/// kind of colour vision, without its yellow, which is invisible on white. From the thirteenth line on, dashes
/// distinguish the lines.
struct Colour {
  const char *light, *dark;
};
constexpr std::array<Colour, 12> colours{{{"#0072b2", "#4db2ff"},
                                          {"#d55e00", "#ff8a3d"},
                                          {"#009e73", "#2fd6a5"},
                                          {"#cc79a7", "#f0a3cc"},
                                          {"#e69f00", "#ffc23d"},
                                          {"#56b4e9", "#8fd3ff"},
                                          {"#000000", "#ffffff"},
                                          {"#8c564b", "#c98f83"},
                                          {"#7f7f7f", "#a8a8a8"},
                                          {"#9a9b00", "#d6d84a"},
                                          {"#6a3d9a", "#b48ae0"},
                                          {"#a00020", "#ff7086"}}};
/// Parts of a frame's time: none of the lines' colours is used, so that a colour has one meaning on a page.
constexpr std::array<Colour, 6> part_colours{{{"#9ecae1", "#4a7a94"},
                                              {"#7ba4cf", "#3d648f"},
                                              {"#f7b6a0", "#b0604a"},
                                              {"#c7b3e5", "#7d68a3"},
                                              {"#b7d7a8", "#5d8a4b"},
                                              {"#d9d9d9", "#5c5c5c"}}};
constexpr const char* dashes[] = {"none", "8 3", "2 3", "8 3 2 3"};

const char* dash(std::size_t n) { return dashes[n / colours.size() % std::size(dashes)]; }

/// A round step that divides `most` into about five.
double step_for(double most) {
  const double raw = std::max(most, 1e-9) / 5, magnitude = std::pow(10.0, std::floor(std::log10(raw)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (raw <= factor * magnitude) return factor * magnitude;
  return 10 * magnitude;
}

/// Calls `draw` with each tick value of an axis. Each value is a multiple, not a running sum: a step may be smaller
/// than the last digit of a value.
template <class F>
void each_mark(double from, double to, double step, F draw) {
  const double last = std::min((to - from) / step * 1.0001, 50.0);
  for (unsigned n = 0; n <= last; ++n) draw(from + n * step);
}

std::string head(const std::string& title, double height) {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" font-family=\"sans-serif\" "
      "font-size=\"12\" fill=\"currentColor\" role=\"img\" aria-label=\"{}\">\n<text x=\"{}\" y=\"20\" "
      "font-size=\"15\">{}</text>\n",
      width, height, escaped(title), left, escaped(title));
}

std::string text(double x, double y, const char* anchor, const std::string& words) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", x, y, anchor, escaped(words));
}

std::string grid(double x1, double x2, double y1, double y2) {
  return fmt::format("<line class=\"grid\" x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"#ddd\"/>\n",
                     x1, x2, y1, y2);
}

/// `words` broken into lines of at most `most` characters.
std::vector<std::string> in_lines(const std::string& words, std::size_t most) {
  std::vector<std::string> lines;
  std::string rest = words;
  while (rest.size() > most) {
    auto cut = rest.rfind(' ', most);
    if (cut == std::string::npos) break;
    lines.push_back(rest.substr(0, cut));
    rest = rest.substr(cut + 1);
  }
  lines.push_back(rest);
  return lines;
}

/// The point of line `n`: a circle, a square, a triangle or a diamond, so that lines that coincide can be
/// distinguished.
std::string point(std::size_t n, double x, double y) {
  switch (n % 4) {
    case 0: return fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3.5\"/>", x, y);
    case 1: return fmt::format("<path d=\"M{:.1f},{:.1f} h7 v7 h-7 z\"/>", x - 3.5, y - 3.5);
    case 2: return fmt::format("<path d=\"M{:.1f},{:.1f} l4.5,8 h-9 z\"/>", x, y - 5);
    default: return fmt::format("<path d=\"M{:.1f},{:.1f} l4.5,4.5 l-4.5,4.5 l-4.5,-4.5 z\"/>", x, y - 4.5);
  }
}

std::string value_text(double value) {
  return value >= 100 ? fmt::format("{:.0f}", value) : fmt::format("{:.1f}", value);
}

/// Adds a line's legend entry below `y`; returns its height.
double line_legend(std::string& out, const PlotLine& line, double y) {
  const double from = width - right + 12;
  const std::size_t n = line.number;
  out += fmt::format(
      "<line class=\"s{0}\" x1=\"{1}\" x2=\"{2}\" y1=\"{3}\" y2=\"{3}\" stroke=\"{4}\" stroke-width=\"2.5\" "
      "stroke-dasharray=\"{5}\"/><g class=\"f{0}\" fill=\"{4}\">{6}</g>\n",
      n % colours.size(), from, from + 26, y - 4, colours[n % colours.size()].light, dash(n),
      line.points ? point(n, from + 13, y - 4) : "");
  double height = 0;
  for (const auto& words : in_lines(line.name, 38)) {
    out += text(from + 32, y + height, "start", words);
    height += legend_step;
  }
  return height;
}

double legend_height(const std::vector<PlotLine>& lines) {
  double height = 0;
  for (const PlotLine& line : lines) height += legend_step * static_cast<double>(in_lines(line.name, 38).size());
  return height;
}

}  // namespace

LineStyle line_style(std::size_t number) {
  const Colour& colour = colours[number % colours.size()];
  return {colour.light, colour.dark, dash(number), number % 4};
}

PlotRange plot_range(const PlotAxes& axes, const std::vector<PlotLine>& lines) {
  double most = axes.limit.value_or(0), least = axes.limit.value_or(std::numeric_limits<double>::max());
  for (const PlotLine& line : lines) {
    for (const auto* list : {&line.values, &line.marks})
      for (const auto& v : *list) {
        most = std::max(most, v.value_or(0));
        least = std::min(least, v.value_or(least));
      }
    for (std::size_t n = 0; n < std::min(line.within.size(), line.values.size()); ++n)
      if (line.values[n]) most = std::max(most, *line.values[n] + line.within[n]);
  }
  // Differences are visible only if the axis does not begin far below the values.
  const bool cut = least > most / 2 && least < most;
  PlotRange r;
  r.step = step_for(cut ? most - least : most);
  r.from = cut ? std::max(0.0, (std::floor(least / r.step) - 1) * r.step) : 0;
  r.to = std::max(r.from + r.step, std::ceil(most / r.step) * r.step);
  return r;
}

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
  const PlotRange range = plot_range(axes, lines);
  const double plot_height = std::max(line_height, legend_height(lines));
  const double height = top + plot_height + bottom, floor = top + plot_height;
  const double furthest = axes.at.empty() ? 0 : *std::max_element(axes.at.begin(), axes.at.end());
  const auto x = [&](std::size_t n) {
    return axes.at.empty() ? left + plot_width * (static_cast<double>(n) + 0.5) / static_cast<double>(categories.size())
                           : left + plot_width * axes.at[n] / (furthest * 1.04);
  };
  const auto y = [&](double v) { return top + plot_height * (1 - (v - range.from) / (range.to - range.from)); };
  const double middle = top + plot_height / 2;
  std::string out = head(title, height);
  out += fmt::format(
      "<text x=\"16\" y=\"{0:.1f}\" text-anchor=\"middle\" transform=\"rotate(-90 16 {0:.1f})\">{1}</text>\n", middle,
      escaped(axes.y + (range.from > 0 ? fmt::format(" (from {:g})", range.from) : "")));
  out += text(left + plot_width / 2, height - 6, "middle", axes.x);
  each_mark(range.from, range.to, range.step, [&](double v) {
    out += grid(left, left + plot_width, y(v), y(v)) + text(left - 6, y(v) + 4, "end", fmt::format("{:g}", v));
  });
  if (range.from > 0)  // the break of an axis that does not begin at zero
    out += fmt::format(
        "<path class=\"axis\" d=\"M{0},{1} v-4 l-6,-3 l12,-5 l-6,-3 V{2}\" fill=\"none\" stroke=\"#888\"/>\n", left,
        floor, top);
  if (axes.at.empty()) {
    for (std::size_t n = 0; n < categories.size(); ++n)
      if (!categories[n].empty()) out += text(x(n), height - 28, "middle", categories[n]);
  } else {
    each_mark(0, furthest * 1.04, step_for(furthest), [&](double v) {
      const double at = left + plot_width * v / (furthest * 1.04);
      out += grid(at, at, floor, floor + 4) + text(at, height - 28, "middle", fmt::format("{:g}", v));
    });
  }
  if (axes.limit)
    out += fmt::format(
               "<line class=\"limit\" x1=\"{0}\" x2=\"{1}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\" stroke=\"#888\" "
               "stroke-dasharray=\"3 4\"/>\n",
               left, left + plot_width, y(*axes.limit)) +
           text(left + plot_width, y(*axes.limit) - 5, "end",
                fmt::format("{}: {}", axes.limit_name, value_text(*axes.limit)));
  if (!axes.all.empty()) {
    const double end = std::min(furthest, range.to);
    out += fmt::format(
        "<line class=\"limit\" x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"#888\" "
        "stroke-dasharray=\"3 4\"><title>{}</title></line>\n",
        left, left + plot_width * end / (furthest * 1.04), y(range.from), y(end), escaped(axes.all));
  }
  double legend = top + 8;
  std::set<std::pair<int, int>> taken;  // a published value that coincides with another is drawn slightly to the right
  for (const PlotLine& line : lines) {
    const std::size_t n = line.number;
    const char* colour = colours[n % colours.size()].light;
    std::string path, points;
    bool pen = false;
    for (std::size_t c = 0; c < line.values.size(); ++c) {
      const auto v = line.values[c];
      if (v) path += fmt::format("{}{:.1f},{:.1f} ", pen ? "L" : "M", x(c), y(*v));
      pen = v.has_value();
      if (!v || !line.points) continue;
      const double within = c < line.within.size() ? line.within[c] : 0;
      if (within > 0)
        points += fmt::format(
            "<path class=\"s{0}\" d=\"M{1:.1f},{2:.1f} h8 m-4,0 V{3:.1f} m-4,0 h8\" fill=\"none\" stroke=\"{4}\"/>\n",
            n % colours.size(), x(c) - 4, y(*v + within), y(*v - within), colour);
      points +=
          fmt::format("<g class=\"f{0}\" fill=\"{1}\">{2}<title>{3}, {4}: {5}{6} {7}</title></g>\n", n % colours.size(),
                      colour, point(n, x(c), y(*v)), escaped(line.name),
                      axes.at.empty() ? escaped(categories[c]) : fmt::format("{:g}", axes.at[c]),
                      fmt::format("{:.1f}", *v), within > 0 ? fmt::format(" ± {:.1f}", within) : "", escaped(axes.y));
    }
    out += fmt::format(
        "<g class=\"line\"><path class=\"s{}\" d=\"{}\" fill=\"none\" stroke=\"{}\" "
        "stroke-width=\"2\" stroke-opacity=\"0.85\" stroke-dasharray=\"{}\"><title>{}</title></path>\n{}",
        n % colours.size(), path, colour, dash(n), escaped(line.name), points);
    if (line.knee && furthest > 0) {
      const double at = left + plot_width * *line.knee / (furthest * 1.04);
      out += fmt::format(
          "<g class=\"knee\"><path class=\"s{0}\" d=\"M{1:.1f},{2:.1f} V{3:.1f}\" fill=\"none\" stroke=\"{4}\" "
          "stroke-dasharray=\"2 3\"/><path class=\"f{0}\" d=\"M{1:.1f},{3:.1f} l5,-8 h-10 z\" fill=\"{4}\"/>"
          "<title>{5}: knee at {6:.0f}; above it more than 1 % is lost</title></g>\n",
          n % colours.size(), at, y(std::min(*line.knee, range.to)), floor, colour, escaped(line.name), *line.knee);
    }
    for (std::size_t c = 0; c < line.marks.size(); ++c)
      if (const auto v = line.marks[c]) {
        double at = x(c) - 4;
        while (!taken.emplace(static_cast<int>(at), static_cast<int>(y(*v) / 4)).second) at += 5;
        out += fmt::format(
            "<path class=\"s{}\" d=\"M{:.1f},{:.1f} l8,8 m-8,0 l8,-8\" fill=\"none\" stroke=\"{}\" "
            "stroke-width=\"1.5\"><title>{}, {}: published {:.1f} {}</title></path>\n",
            n % colours.size(), at, y(*v) - 4, colour, escaped(line.name), escaped(categories[c]), *v, escaped(axes.y));
      }
    out += "</g>\n";
    legend += line_legend(out, line, legend);
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
  // Names are to the left of the bars, on two lines if necessary; the names of the parts are below the title.
  const double names = 230, from = names, length = width - names - 40, above = top + 24;
  const double height = above + (bar_height + 12) * static_cast<double>(bars.size()) + bottom;
  std::string out = head(title, height);
  double at_key = from;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    out += fmt::format("<rect class=\"p{0}\" x=\"{1:.1f}\" y=\"{2}\" width=\"12\" height=\"12\" fill=\"{3}\"/>\n",
                       p % part_colours.size(), at_key, top - 8, part_colours[p % part_colours.size()].light) +
           text(at_key + 17, top + 2, "start", parts[p]);
    at_key += 17 + 8.0 * static_cast<double>(parts[p].size()) + 20;
  }
  each_mark(0, range, step, [&](double v) {
    const double at = from + length * v / range;
    out += grid(at, at, above, height - bottom) + text(at, height - bottom + 16, "middle", fmt::format("{:g}", v));
  });
  out += text(from + length / 2, height - 12, "middle", unit);
  for (std::size_t n = 0; n < bars.size(); ++n) {
    const double y = above + (bar_height + 12) * static_cast<double>(n) + 6;
    double at = from, line = y + 15;
    const auto words = in_lines(bars[n].name, 34);
    if (words.size() > 1) line -= 7;
    for (const auto& word : words) {
      out += text(from - 8, line, "end", word);
      line += 14;
    }
    for (std::size_t p = 0; p < bars[n].parts.size(); ++p) {
      const double value = bars[n].parts[p], extent = length * value / range;
      out += fmt::format(
          "<rect class=\"p{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{}\" fill=\"{}\"><title>{}, {}: "
          "{:.1f} {}</title></rect>\n",
          p % part_colours.size(), at, y, extent, bar_height, part_colours[p % part_colours.size()].light,
          escaped(bars[n].name), escaped(parts[p]), value, escaped(unit));
      const auto figure = value_text(value);
      if (extent > 8.0 * static_cast<double>(figure.size()) + 4)
        out += fmt::format(
            "<text class=\"inside\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\" fill=\"#000\">{}</text>\n",
            at + extent / 2, y + 15, figure);
      at += extent;
    }
  }
  return out + "</svg>\n";
}

std::string plot_style() {
  std::string dark;
  for (std::size_t n = 0; n < colours.size(); ++n)
    dark += fmt::format(".s{0}{{stroke:{1}}}.f{0}{{fill:{1}}}", n, colours[n].dark);
  for (std::size_t n = 0; n < part_colours.size(); ++n) dark += fmt::format(".p{}{{fill:{}}}", n, part_colours[n].dark);
  return "@media screen and (prefers-color-scheme:dark){.grid{stroke:#444}.inside{fill:#fff}" + dark + "}";
}

}  // namespace planar
