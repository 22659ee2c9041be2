// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/output/chart.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "core/common/embedded_file.hpp"
#include "frontend/output/embedded_charts.hpp"

namespace planar {
namespace {

std::string chart_file(std::string_view name) {
  return std::string(embedded_text(embedded_charts(), fmt::format("frontend/output/{}", name)));
}

nlohmann::json json_values(const std::vector<std::optional<double>>& list) {
  auto out = nlohmann::json::array();
  for (const auto& value : list) out.push_back(value ? nlohmann::json(*value) : nlohmann::json());
  return out;
}

nlohmann::json line_data(const PlotLine& line) {
  const LineStyle style = line_style(line.number);
  nlohmann::json out{{"name", line.name},
                     {"number", line.number},
                     {"values", json_values(line.values)},
                     {"marks", json_values(line.marks)},
                     {"within", line.within},
                     {"points", line.points},
                     {"light", style.light},
                     {"dark", style.dark},
                     {"dashes", style.dashes},
                     {"shape", style.shape}};
  if (line.knee) out["knee"] = *line.knee;
  return out;
}

}  // namespace

std::string chart_lines(const std::string& title, const std::vector<std::string>& categories, const PlotAxes& axes,
                        const std::vector<PlotLine>& lines) {
  const PlotRange range = plot_range(axes, lines);
  nlohmann::json data{{"title", title},  {"categories", categories},    {"x", axes.x},    {"y", axes.y},
                      {"at", axes.at},   {"from", range.from},          {"to", range.to}, {"step", range.step},
                      {"all", axes.all}, {"limitName", axes.limit_name}};
  if (axes.limit) data["limit"] = *axes.limit;
  for (const PlotLine& line : lines) data["lines"].push_back(line_data(line));
  std::string text = data.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  for (std::size_t at = 0; (at = text.find('<', at)) != std::string::npos;) text.replace(at, 1, "\\u003c");
  return fmt::format("<figure class=\"chart\">\n{}<script type=\"application/json\">{}</script>\n</figure>\n",
                     svg_lines(title, categories, axes, lines), text);
}

std::string chart_style() { return chart_file("uplot/uPlot.min.css") + "\n" + chart_file("charts.css"); }

std::string chart_script() {
  // uPlot's licence must accompany every copy.
  return "/*\n" + chart_file("uplot/LICENSE") + "*/\n" + chart_file("uplot/uPlot.iife.min.js") + "\n" +
         chart_file("charts.js");
}

}  // namespace planar
