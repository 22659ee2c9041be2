// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/report/sensitivity_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace planar {
namespace {

using nlohmann::ordered_json;

ordered_json rounded_or_null(std::optional<double> value) {
  if (!value) return nullptr;
  return std::round(*value * 100) / 100;
}

std::string difference(std::optional<double> value, std::optional<double> ours) {
  return value && ours ? fmt::format("{:+.1f}", *value - *ours) : "-";
}

}  // namespace

std::string sensitivity_text(const std::vector<SensitiveRow>& rows) {
  std::size_t width = 28;
  for (const SensitiveRow& r : rows) width = std::max(width, r.row.print.title.size());
  std::string out = fmt::format("{:<{}} {:>8} {:>8}  {:<34}", "KB/s, mean of the judged sizes", width, "print",
                                "planar", "at the value's low and high end");
  out += "band, and print\n";
  std::string machine;
  for (const SensitiveRow& r : rows) {
    if (r.row.print.machine != machine && !r.effects.empty()) {
      machine = r.row.print.machine;
      out += fmt::format("\n{}:", machine);
      for (const Effect& e : r.effects)
        out += fmt::format(" {} {} ({} to {});", e.value.name, e.value.used, e.value.low, e.value.high);
      out.back() = '\n';
    }
    const auto ours = r.row.average();
    std::string effects;
    for (const Effect& e : r.effects)
      effects += fmt::format(" {:>6}{:>7}", difference(e.low, ours), difference(e.high, ours));
    out += fmt::format("{:<{}} {:>8.1f} {:>8} {}", r.row.print.title, width, r.row.print.average(),
                       ours ? fmt::format("{:.1f}", *ours) : "-", effects);
    if (const auto band = r.band())
      out += fmt::format("  {:.1f} to {:.1f}, {}", band->from, band->to, *r.within() ? "within" : "outside");
    out += "\n";
  }
  const auto within = std::count_if(rows.begin(), rows.end(), [](const auto& r) { return r.within().value_or(false); });
  const auto judged = std::count_if(rows.begin(), rows.end(), [](const auto& r) { return r.within().has_value(); });
  return out + fmt::format("\nprint lies in the band in {} of {} rows\n", within, judged);
}

ordered_json sensitivity_json(const std::vector<SensitiveRow>& rows) {
  ordered_json j{{"schema", "planar.sensitivity/1"}, {"rows", ordered_json::array()}};
  for (const SensitiveRow& r : rows) {
    ordered_json row{{"source", r.row.print.source},
                     {"machine", r.row.print.machine},
                     {"card", r.row.print.card},
                     {"printed_as", r.row.print.title},
                     {"print_kb_per_s", rounded_or_null(r.row.print.average())},
                     {"kb_per_s", rounded_or_null(r.row.average())},
                     {"values", ordered_json::array()}};
    for (const Effect& e : r.effects)
      row["values"].push_back({{"name", e.value.name},
                               {"used", e.value.used},
                               {"low", e.value.low},
                               {"high", e.value.high},
                               {"low_kb_per_s", rounded_or_null(e.low)},
                               {"high_kb_per_s", rounded_or_null(e.high)}});
    if (const auto band = r.band()) {
      row["band_kb_per_s"] = {rounded_or_null(band->from), rounded_or_null(band->to)};
      row["within"] = *r.within();
    }
    j["rows"].push_back(std::move(row));
  }
  return j;
}

}  // namespace planar
