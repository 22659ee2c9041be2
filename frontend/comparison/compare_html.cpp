// SPDX-License-Identifier: GPL-2.0-or-later
// The self-contained report: tables and plots in one file.
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>

#include "frontend/comparison/compare_report.hpp"
#include "frontend/comparison/converged.hpp"
#include "frontend/comparison/delivered.hpp"
#include "frontend/comparison/notes.hpp"
#include "frontend/comparison/reasons.hpp"
#include "frontend/comparison/side_by_side.hpp"
#include "frontend/comparison/spread_table.hpp"
#include "frontend/guest_benchmarks/benchmarks.hpp"
#include "frontend/matrix/spread.hpp"
#include "frontend/meters/frame_time.hpp"
#include "frontend/output/chart.hpp"
#include "frontend/output/labels.hpp"
#include "frontend/output/output.hpp"
#include "frontend/output/provenance.hpp"
#include "frontend/output/svg_plot.hpp"
#include "frontend/published/published_figures.hpp"
#include "machines/registry/adapter_registry.hpp"

namespace planar {
namespace {

constexpr const char* style =
    ":root{color-scheme:light dark}"
    "body{font-family:sans-serif;max-width:70em;margin:2em auto;padding:0 1em;color:#222;background:#fff}"
    "table{border-collapse:collapse;margin:1em 0}th,td{padding:.25em .7em;border-bottom:1px solid #ddd}"
    "th:first-child{text-align:left}td+td,th+th{text-align:right;font-variant-numeric:tabular-nums}"
    "td.problem{text-align:left;color:#a00}"
    "tr:hover{background:#f6f6f6}small{color:#666}svg{max-width:100%;height:auto;display:block;margin:1em 0}"
    "code{overflow-wrap:anywhere}li{margin:.3em 0}"
    "@media screen and (prefers-color-scheme:dark){body{color:#ddd;background:#181818}th,td{border-color:#444}"
    "tr:hover{background:#242424}small{color:#999}td.problem{color:#f88}}"
    "@media "
    "print{@page{margin:12mm}body{max-width:none;margin:0;font-size:10pt}svg{max-height:95mm;width:auto;max-width:"
    "100%}svg,tr{break-inside:avoid}h2,h3{break-after:avoid}table{margin:.5em 0}}";

/// The version and the command line that made the page.
std::string origin() {
  return fmt::format("<p><small>planar {} ({}), {:%Y-%m-%d}: <code>{}</code></small></p>\n", PLANAR_VERSION,
                     build_commit(), fmt::gmtime(std::time(nullptr)), escaped(shell_line(host_command_line())));
}

bool belongs(const CellOutcome& o, const std::string& machine, MediumKind medium) {
  return o.cell.machine == machine && find_adapter(o.cell.card).medium == medium;
}

std::string table(const Comparison& c, const std::string& machine, MediumKind medium) {
  std::string out = "<table><tr><th>card</th>";
  for (const auto size : c.sizes) out += fmt::format("<th>{}</th>", c.benchmark.row_name(size));
  out += "<th>load %</th><th>busy %</th></tr>\n";
  for (const CellOutcome& o : c.outcomes) {
    if (!belongs(o, machine, medium) || o.refused()) continue;
    out += fmt::format("<tr><td>{}</td>", escaped(card_title(o.cell)));
    if (!o.result) {
      out += fmt::format("<td class=\"problem\" colspan=\"{}\">{}</td></tr>\n", c.sizes.size() + 2, escaped(o.problem));
      continue;
    }
    for (const auto size : c.sizes) out += fmt::format("<td>{}</td>", figure_text(c.benchmark, o, size));
    out += fmt::format("<td>{}</td><td>{}</td></tr>\n", c.benchmark.load_text(*o.result, "cpu_load_percent"),
                       c.benchmark.load_text(*o.result, "true_busy_percent"));
  }
  return out + "</table>\n";
}

/// A card's index among all cards of the page, so that its colour is the same in every plot.
std::size_t number_of(const Comparison& c, const Cell& cell) {
  std::vector<std::string> seen;
  for (const CellOutcome& o : c.outcomes) {
    if (o.refused()) continue;
    const auto name = o.cell.card_option();
    if (name == cell.card_option()) break;
    if (std::find(seen.begin(), seen.end(), name) == seen.end()) seen.push_back(name);
  }
  return seen.size();
}

/// Of an overload: the rate above which more than 1 % is lost; nothing if the highest one that was tried is delivered.
std::optional<double> knee_of(const nlohmann::ordered_json& result) {
  if (!result.contains("knee_per_s") || result.at("rows").empty()) return std::nullopt;
  const auto& rows = result["rows"];
  const auto& highest = *std::max_element(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
    return a.value("rate", 0.0) < b.value("rate", 0.0);
  });
  const double knee = result["knee_per_s"].get<double>();
  return std::abs(highest.value("offered_per_s", 0.0) - knee) < 1 ? std::nullopt : std::optional(knee);
}

/// The most that the medium carries; for bonded cards, their wires together.
void add_limit(PlotAxes& axes, const Comparison& c, MediumKind medium) {
  const unsigned wires = c.outcomes.empty() ? 1 : c.outcomes.front().cell.bonded();
  axes.limit = medium_limit(c.benchmark, medium, wires);
  axes.limit_name = wires > 1 ? fmt::format("{} x {} carry at most", wires, title(medium))
                              : fmt::format("{} carries at most", title(medium));
}

std::string throughput_plot(const Comparison& c, const std::string& machine, MediumKind medium,
                            const std::vector<PublishedRow>& print) {
  std::vector<std::string> categories;
  for (const auto size : c.sizes) categories.push_back(c.benchmark.row_name(size));
  std::vector<PlotLine> lines;
  for (const CellOutcome& o : c.outcomes) {
    if (!belongs(o, machine, medium) || !o.result) continue;
    PlotLine line{.name = card_title(o.cell), .number = number_of(c, o.cell)};
    const auto row = std::find_if(print.begin(), print.end(), [&](const PublishedRow& r) {
      return r.machine == machine && r.card == o.cell.card && r.options == o.cell.options && r.duplex != "full" &&
             r.direction != "received" && r.setup.empty() && o.cell.bonded() == 1;
    });
    for (const auto size : c.sizes) {
      line.values.push_back(o.figure(c.benchmark, size));
      const bool printed = row != print.end() && row->figures.contains(size);
      line.marks.push_back(printed ? std::optional(row->figures.at(size)) : std::nullopt);
      const auto spread = is_combined(*o.result) ? figure_spread(c.benchmark, *o.result, size) : std::nullopt;
      line.within.push_back(spread ? spread->ci95 : 0);
    }
    line.knee = knee_of(*o.result);
    lines.push_back(std::move(line));
  }
  if (lines.empty()) return {};
  PlotAxes axes{std::string(c.benchmark.axis), std::string(c.benchmark.unit)};
  add_limit(axes, c, medium);
  if (c.benchmark.row_key == "rate") {  // both axes count frames
    for (const auto size : c.sizes) axes.at.push_back(size);
    axes.all = "all that is offered is delivered";
  }
  const bool bars = std::any_of(lines.begin(), lines.end(), [](const PlotLine& line) {
    return std::any_of(line.within.begin(), line.within.end(), [](double w) { return w > 0; });
  });
  const bool crosses = std::any_of(lines.begin(), lines.end(), [](const PlotLine& line) {
    return std::any_of(line.marks.begin(), line.marks.end(), [](const auto& mark) { return mark.has_value(); });
  });
  return chart_lines(fmt::format("{}{}{}", c.benchmark.heading, crosses ? " (crosses: published)" : "",
                                 bars ? " (bars: 95 % confidence)" : ""),
                     categories, axes, lines);
}

/// The delivered rate over the time of each size, one size after another; empty if it was not watched.
std::string time_plot(const Comparison& c, const std::string& machine, MediumKind medium) {
  constexpr const char* series = "delivered_over_time";
  if (c.benchmark.name != benchmarks().front()->name) return {};
  std::size_t parts = 0;  // per size, and one between sizes, where the lines break
  const auto each_row = [&](const CellOutcome& o, const auto& visit) {
    for (std::size_t size = 0; size < c.sizes.size(); ++size)
      for (const auto& row : (*o.result)["rows"])
        if (row["packet_bytes"] == c.sizes[size] && row.contains(series)) visit(size, row[series]);
  };
  for (const CellOutcome& o : c.outcomes)
    if (belongs(o, machine, medium) && o.result)
      each_row(o, [&](std::size_t, const auto& values) { parts = std::max(parts, values.size() + 1); });
  if (parts == 0) return {};
  std::vector<std::string> categories(c.sizes.size() * parts);
  for (std::size_t size = 0; size < c.sizes.size(); ++size)
    categories[size * parts + parts / 2] = c.benchmark.row_name(c.sizes[size]);
  std::vector<PlotLine> lines;
  for (const CellOutcome& o : c.outcomes) {
    if (!belongs(o, machine, medium) || !o.result) continue;
    PlotLine line{.name = card_title(o.cell),
                  .values = std::vector<std::optional<double>>(categories.size()),
                  .number = number_of(c, o.cell),
                  .points = false};
    each_row(o, [&](std::size_t size, const auto& values) {
      for (std::size_t n = 0; n < values.size(); ++n) line.values[size * parts + n] = values[n].template get<double>();
    });
    lines.push_back(std::move(line));
  }
  PlotAxes axes{converged_note(c.outcomes).empty() ? fmt::format("packet size, bytes; {} s each", c.seconds)
                                                   : std::string("packet size, bytes; for as long as each ran"),
                "KB/s"};
  add_limit(axes, c, medium);
  return chart_lines("Data delivered over the time of each packet size", categories, axes, lines);
}

std::string frame_plot(const Comparison& c, const std::string& machine, MediumKind medium) {
  std::vector<std::string> parts;
  for (const auto* name : FrameTime::names) parts.push_back(frame_part_title(name));
  std::vector<PlotBar> bars;
  for (const CellOutcome& o : c.outcomes) {
    const auto* const frame = c.frame_time(o);
    if (!belongs(o, machine, medium) || !frame) continue;
    PlotBar bar{card_title(o.cell), {}};
    for (const auto* name : FrameTime::names) bar.parts.push_back((*frame)["parts_us"].value(name, 0.0));
    bars.push_back(std::move(bar));
  }
  if (bars.empty()) return {};
  return svg_bars("Where the time of a data frame goes (largest packet size)", parts, "µs per frame", bars);
}

/// The figures of frame_plot.
std::string frame_table(const Comparison& c, const std::string& machine, MediumKind medium) {
  std::string out;
  for (const CellOutcome& o : c.outcomes) {
    const auto* const frame = c.frame_time(o);
    if (!belongs(o, machine, medium) || !frame) continue;
    if (out.empty()) {
      out = "<table><tr><th>µs per data frame</th><th>all</th>";
      for (const auto* name : FrameTime::names) out += fmt::format("<th>{}</th>", frame_part_title(name));
      out += "</tr>\n";
    }
    out += fmt::format("<tr><td>{}</td><td>{:.1f}</td>", escaped(card_title(o.cell)), (*frame)["us"].get<double>());
    for (const auto* name : FrameTime::names)
      out += fmt::format("<td>{:.1f}</td>", (*frame)["parts_us"].value(name, 0.0));
    out += "</tr>\n";
  }
  return out.empty() ? out : out + "</table>\n";
}

std::string reasons_html(const Comparison& c, const std::string& machine, MediumKind medium) {
  const Reasons reasons = reasons_of(c, machine, medium);
  if (reasons.cards.empty()) return {};
  std::string out = "<ul>\n";
  for (const auto* list : {&reasons.cards, &reasons.pairs})
    for (const auto& sentence : *list) out += fmt::format("<li>{}</li>\n", escaped(sentence));
  return out + "</ul>\n";
}

}  // namespace

std::string comparison_html(const Comparison& c) {
  auto print = published_rows();
  std::erase_if(print, [&](const PublishedRow& row) { return row.benchmark != c.benchmark.name; });
  std::string out = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>planar compare</title>"
      "<meta name=\"viewport\" content=\"width=device-width\"><style>{}{}</style></head><body>\n<h1>{} on network "
      "adapters</h1>\n"
      "<p>{}, {} virtual second{} per {}, seed {}. Load: by the guest's clock ticks; busy: the share of time "
      "in which the processor really executed. Hypothetical interface: no programming information for that card "
      "is public; planar defines an interface of its own.</p>\n",
      style, plot_style() + chart_style(), c.benchmark.name, c.benchmark.heading, c.seconds,
      c.seconds == "1" ? "" : "s", c.benchmark.row_key == "rate" ? "rate" : "packet size", c.seed);
  if (c.benchmark.frame_times) out += fmt::format("<p><small>{}</small></p>\n", frame_parts_explained);
  c.each_table([&](const std::string& machine, MediumKind medium) {
    out += fmt::format("<h2>{}</h2>\n{}{}", escaped(table_title(machine, medium)), table(c, machine, medium),
                       reasons_html(c, machine, medium));
    out += throughput_plot(c, machine, medium, print) + time_plot(c, machine, medium);
    out += frame_plot(c, machine, medium) + frame_table(c, machine, medium);
    if (const auto picture = c.pictures.find({machine, medium}); picture != c.pictures.end()) out += picture->second;
  });
  out += side_by_side_html(c);
  out += spread_html(c);
  for (const auto& note : notes_of(c)) out += fmt::format("<p>{}.</p>\n", escaped(note));
  for (const CellOutcome& o : c.outcomes)
    if (o.result && o.result->contains("guest_image_sha256")) {
      out += fmt::format("<p><small>Guest image SHA-256 {}</small></p>\n",
                         escaped((*o.result)["guest_image_sha256"].get<std::string>()));
      break;
    }
  return out + origin() + fmt::format("<script>{}</script>\n</body></html>\n", chart_script());
}

}  // namespace planar
