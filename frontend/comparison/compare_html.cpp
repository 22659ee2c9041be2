// SPDX-License-Identifier: GPL-2.0-or-later
// The self-contained report: tables and plots in one file.
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>

#include "frontend/comparison/compare_report.hpp"
#include "frontend/comparison/converged.hpp"
#include "frontend/comparison/spread_table.hpp"
#include "frontend/meters/frame_time.hpp"
#include "frontend/output/labels.hpp"
#include "frontend/output/output.hpp"
#include "frontend/output/provenance.hpp"
#include "frontend/output/svg_plot.hpp"
#include "frontend/published/published_figures.hpp"
#include "machines/registry/adapter_registry.hpp"

namespace planar {
namespace {

constexpr const char* style =
    "body{font-family:sans-serif;max-width:70em;margin:2em auto;padding:0 1em;color:#222}"
    "table{border-collapse:collapse;margin:1em 0}th,td{padding:.25em .7em;border-bottom:1px solid #ddd}"
    "td+td,th+th{text-align:right;font-variant-numeric:tabular-nums}td.problem{text-align:left;color:#a00}"
    "tr:hover{background:#f6f6f6}small{color:#666}svg{max-width:100%;height:auto}code{overflow-wrap:anywhere}"
    "@media print{body{max-width:none;margin:0}svg,table{break-inside:avoid}h2{break-after:avoid}}";

/// Where the page comes from.
std::string origin() {
  return fmt::format("<p><small>planar {} ({}), {:%Y-%m-%d}: <code>{}</code></small></p>\n", PLANAR_VERSION,
                     build_commit(), fmt::gmtime(std::time(nullptr)), escaped(shell_line(host_command_line())));
}

bool belongs(const CellOutcome& o, const std::string& machine, MediumKind medium) {
  return o.cell.machine == machine && find_adapter(o.cell.card).medium == medium;
}

std::string table(const Comparison& c, const std::string& machine, MediumKind medium) {
  std::string out = "<table><tr><th>card</th>";
  for (const auto size : c.sizes) out += fmt::format("<th>{}</th>", size_name(size));
  out += "<th>load %</th><th>busy %</th></tr>\n";
  for (const CellOutcome& o : c.outcomes) {
    if (!belongs(o, machine, medium)) continue;
    const AdapterEntry& card = find_adapter(o.cell.card);
    out += fmt::format("<tr><td>{}{}{}</td>", escaped(std::string(card.title)),
                       o.cell.options.empty() ? "" : ", " + escaped(o.cell.options),
                       card.hypothetical ? " <small>(hypothetical interface)</small>" : "");
    if (!o.result) {
      out += fmt::format("<td class=\"problem\" colspan=\"{}\">{}</td></tr>\n", c.sizes.size() + 2, escaped(o.problem));
      continue;
    }
    for (const auto size : c.sizes) {
      const auto value = o.figure(c.benchmark, size);
      out += value ? fmt::format("<td>{:.1f}</td>", *value) : "<td>-</td>";
    }
    out += fmt::format("<td>{:.1f}</td><td>{:.1f}</td></tr>\n", (*o.result)["cpu_load_percent"].get<double>(),
                       (*o.result)["true_busy_percent"].get<double>());
  }
  return out + "</table>\n";
}

std::string plot_name(const CellOutcome& o) {
  return o.cell.card_option() + (find_adapter(o.cell.card).hypothetical ? " (hyp.)" : "");
}

std::string throughput_plot(const Comparison& c, const std::string& machine, MediumKind medium,
                            const std::vector<PublishedRow>& print) {
  std::vector<std::string> categories;
  for (const auto size : c.sizes) categories.push_back(size_name(size));
  std::vector<PlotLine> lines;
  for (const CellOutcome& o : c.outcomes) {
    if (!belongs(o, machine, medium) || !o.result) continue;
    PlotLine line{plot_name(o), {}, {}};
    const auto row = std::find_if(print.begin(), print.end(), [&](const PublishedRow& r) {
      return r.machine == machine && r.card == o.cell.card && r.options == o.cell.options && r.duplex != "full";
    });
    for (const auto size : c.sizes) {
      line.values.push_back(o.figure(c.benchmark, size));
      const bool printed = row != print.end() && row->kb_per_s.contains(size);
      line.marks.push_back(printed ? std::optional(row->kb_per_s.at(size)) : std::nullopt);
    }
    lines.push_back(std::move(line));
  }
  if (lines.empty()) return {};
  return svg_lines(fmt::format("{}{}", c.benchmark.heading, print.empty() ? "" : " (crosses: published)"), categories,
                   {std::string(c.benchmark.axis), std::string(c.benchmark.unit)}, lines);
}

/// What was delivered over the time of each size, one size after the other; nothing where that was not watched.
std::string time_plot(const Comparison& c, const std::string& machine, MediumKind medium) {
  constexpr const char* series = "delivered_over_time";
  if (c.benchmark.name != published_benchmark) return {};
  std::size_t parts = 0;  // of a size, and one between two sizes, where the lines break
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
    categories[size * parts + parts / 2] = size_name(c.sizes[size]);
  std::vector<PlotLine> lines;
  for (const CellOutcome& o : c.outcomes) {
    if (!belongs(o, machine, medium) || !o.result) continue;
    PlotLine line{plot_name(o), std::vector<std::optional<double>>(categories.size()), {}};
    each_row(o, [&](std::size_t size, const auto& values) {
      for (std::size_t n = 0; n < values.size(); ++n) line.values[size * parts + n] = values[n].template get<double>();
    });
    lines.push_back(std::move(line));
  }
  return svg_lines("Data delivered over the time of each packet size", categories,
                   {converged_note(c.outcomes).empty() ? fmt::format("packet size, bytes; {} s each", c.seconds)
                                                       : std::string("packet size, bytes; for as long as each ran"),
                    "KB/s"},
                   lines);
}

std::string frame_plot(const Comparison& c, const std::string& machine, MediumKind medium) {
  std::vector<std::string> parts;
  for (const auto* name : FrameTime::names) parts.push_back(frame_part_title(name));
  std::vector<PlotBar> bars;
  for (const CellOutcome& o : c.outcomes) {
    if (!belongs(o, machine, medium) || !o.result || !o.result->contains("frame_time")) continue;
    PlotBar bar{plot_name(o), {}};
    for (const auto* name : FrameTime::names)
      bar.parts.push_back((*o.result)["frame_time"]["parts_us"].value(name, 0.0));
    bars.push_back(std::move(bar));
  }
  if (bars.empty()) return {};
  return svg_bars("Where the time of a data frame goes (largest packet size)", parts, "µs per frame", bars);
}

std::string side_by_side_html(const Comparison& c, const std::string& machine) {
  std::string out;
  for (const auto& [o, mean] : side_by_side(c, machine)) {
    if (out.empty())
      out = fmt::format(
          "<h2>{}, side by side</h2>\n<table><tr><th>card</th><th>medium</th><th>{}, mean of the sizes</th>"
          "<th>load %</th><th>busy %</th></tr>\n",
          escaped(machine_title(machine)), c.benchmark.unit);
    out += fmt::format("<tr><td>{}</td><td>{}</td><td>{:.1f}</td><td>{:.1f}</td><td>{:.1f}</td></tr>\n",
                       escaped(plot_name(*o)), title(find_adapter(o->cell.card).medium), mean,
                       (*o->result)["cpu_load_percent"].get<double>(), (*o->result)["true_busy_percent"].get<double>());
  }
  return out.empty() ? out : out + "</table>\n";
}

}  // namespace

std::string comparison_html(const Comparison& c) {
  const auto print = c.benchmark.name == published_benchmark ? published_rows() : std::vector<PublishedRow>();
  std::string out = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>planar compare</title>"
      "<style>{}</style></head><body>\n<h1>{} on PS/2 network adapters</h1>\n"
      "<p>{}, {} virtual seconds per packet size, seed {}. Load: by the guest's clock ticks; busy: the share of time "
      "in which the processor really executed. Hypothetical interface (hyp.): no programming information for that card "
      "is public; planar defines an interface of its own.</p>\n",
      style, c.benchmark.name, c.benchmark.heading, c.seconds, c.seed);
  out += fmt::format("<p><small>{}</small></p>\n", frame_parts_explained);
  c.each_table([&](const std::string& machine, MediumKind medium) {
    out += fmt::format("<h2>{}</h2>\n{}{}{}", escaped(table_title(machine, medium)), table(c, machine, medium),
                       throughput_plot(c, machine, medium, print) + time_plot(c, machine, medium),
                       frame_plot(c, machine, medium));
    if (const auto picture = c.pictures.find({machine, medium}); picture != c.pictures.end()) out += picture->second;
  });
  for (const std::string& machine : c.machines) out += side_by_side_html(c, machine);
  out += spread_html(c);
  if (const auto note = converged_note(c.outcomes); !note.empty()) out += fmt::format("<p>{}.</p>\n", escaped(note));
  for (const CellOutcome& o : c.outcomes)
    if (o.result && o.result->contains("guest_image_sha256")) {
      out += fmt::format("<p><small>Guest image SHA-256 {}</small></p>\n",
                         escaped((*o.result)["guest_image_sha256"].get<std::string>()));
      break;
    }
  return out + origin() + "</body></html>\n";
}

}  // namespace planar
