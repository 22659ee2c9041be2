// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/comparison/spread_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "frontend/comparison/compare_report.hpp"
#include "frontend/matrix/spread.hpp"
#include "frontend/output/svg_plot.hpp"
#include "machines/registry/adapter_registry.hpp"

namespace planar {
namespace {

struct SpreadRow {
  const CellOutcome* outcome;
  std::uint32_t size;
  Spread spread;
  std::string name;  ///< of the size or rate
};

std::vector<SpreadRow> rows_of(const Comparison& c) {
  std::vector<SpreadRow> rows;
  for (const CellOutcome& o : c.outcomes) {
    if (!o.result || !is_combined(*o.result)) continue;
    for (const auto size : c.sizes)
      if (const auto spread = figure_spread(c.benchmark, *o.result, size))
        rows.push_back({&o, size, *spread, c.benchmark.row_name(size)});
  }
  return rows;
}

std::string title(const Comparison& c, const std::vector<SpreadRow>& rows) {
  return fmt::format("{} runs each, {}: {} with the mean's 95 % confidence interval", rows.front().spread.count,
                     runs_text(*rows.front().outcome->result), c.benchmark.unit);
}

using Cells = std::array<std::string, 8>;

/// Machine, card, size, mean, confidence, deviation, least and most.
Cells cells_of(const SpreadRow& row) {
  const Spread& s = row.spread;
  return {row.outcome->cell.machine,      row.outcome->cell.card_option(), row.name,
          fmt::format("{:.1f}", s.mean),  fmt::format("{:.2f}", s.ci95),   fmt::format("{:.2f}", s.stddev),
          fmt::format("{:.1f}", s.least), fmt::format("{:.1f}", s.most)};
}

/// The same for a page, which has room for the card's title.
Cells page_cells_of(const SpreadRow& row) {
  Cells cells = cells_of(row);
  cells[1] = card_title(row.outcome->cell);
  return cells;
}

std::string text_line(const Cells& c) {
  // Within 80 columns; a longer name gets a line of its own.
  std::string name = fmt::format("{:<9} {}", c[0], c[1]);
  if (name.size() > 26) name += fmt::format("\n{:<26}", "");
  return fmt::format("{:<26} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8}\n", name, c[2], c[3], c[4], c[5], c[6], c[7]);
}

}  // namespace

std::string spread_text(const Comparison& c) {
  const auto rows = rows_of(c);
  if (rows.empty()) return {};
  std::string out = fmt::format("\n{}\n", title(c, rows)) +
                    text_line({"machine", "card", "size", "mean", "+-", "std.dev.", "least", "most"});
  for (const SpreadRow& row : rows) out += text_line(cells_of(row));
  return out;
}

std::string spread_markdown(const Comparison& c) {
  const auto rows = rows_of(c);
  if (rows.empty()) return {};
  std::string out = fmt::format(
      "\n## Spread\n\n{}.\n\n| machine | card | size | mean | ± | standard deviation | least | most |\n"
      "|---|---|---|---:|---:|---:|---:|---:|\n",
      title(c, rows));
  for (const SpreadRow& row : rows) out += fmt::format("| {} |\n", fmt::join(page_cells_of(row), " | "));
  return out;
}

std::string spread_html(const Comparison& c) {
  const auto rows = rows_of(c);
  if (rows.empty()) return {};
  std::string out = fmt::format(
      "<h2>Spread</h2>\n<p>{}.</p>\n<table><tr><th>machine</th><th>card</th><th>size</th><th>mean</th><th>±</th>"
      "<th>standard deviation</th><th>least</th><th>most</th></tr>\n",
      escaped(title(c, rows)));
  for (const SpreadRow& row : rows) {
    out += "<tr>";
    for (const auto& cell : page_cells_of(row)) out += fmt::format("<td>{}</td>", escaped(cell));
    out += "</tr>\n";
  }
  return out + "</table>\n";
}

std::string spread_csv(const Comparison& c) {
  std::string out;
  for (const SpreadRow& row : rows_of(c)) {
    const std::pair<const char*, double> values[] = {
        {"ci95", row.spread.ci95}, {"stddev", row.spread.stddev}, {"min", row.spread.least}, {"max", row.spread.most}};
    const Cell& cell = row.outcome->cell;
    const auto machine = csv_field(cell.machine), card = csv_field(cell.card_option());
    for (const auto& [name, value] : values)
      out += fmt::format("{},{},{},{}_{},{:.2f},{},{}\n", machine, card, row.size, c.benchmark.metric, name, value,
                         c.benchmark.unit, find_adapter(cell.card).hypothetical ? "yes" : "no");
  }
  return out;
}

}  // namespace planar
