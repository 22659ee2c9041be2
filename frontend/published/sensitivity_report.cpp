// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/published/sensitivity_report.hpp"
#include "frontend/output/output.hpp"
#include "frontend/published/published_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace planar {
namespace {

using nlohmann::ordered_json;

std::string range(const UncertainValue& v) { return fmt::format("{} {} ({} to {})", v.name, v.used, v.low, v.high); }

std::string band_text(const std::optional<SensitiveRow::Band>& band, std::optional<bool> within) {
  if (!band) return "-";
  const char* verdict = !within ? "" : *within ? ", within" : ", outside";
  return fmt::format("{:.1f} to {:.1f}{}", band->from, band->to, verdict);
}

std::string difference(std::optional<double> value, std::optional<double> ours) {
  return value && ours ? fmt::format("{:+.1f}", *value - *ours) : "-";
}

}  // namespace

std::string sensitivity_text(const std::vector<SensitiveRow>& rows) {
  using Values = SensitiveRow::Values;
  std::size_t width = 28;
  for (const SensitiveRow& r : rows) width = std::max(width, r.row.print.title.size());
  std::string out =
      fmt::format("{:<{}} {:>9} {:>8}  {:<26} {:<26} {:>6}  {}\n", "mean of the judged sizes", width, "published",
                  "planar", "with shared values", "with the card's own", "load", "by tick phase");
  std::string machine;
  for (const SensitiveRow& r : rows) {
    if (r.row.print.machine != machine) {
      machine = r.row.print.machine;
      std::string shared;
      for (const Effect& e : r.effects)
        if (!e.value.of_card) shared += (shared.empty() ? " " : "; ") + range(e.value);
      out += fmt::format("\n{}, {}:{}\n", machine, r.row.print.unit(), shared);
    }
    const auto ours = r.row.average();
    out += fmt::format(
        "{:<{}} {:>9.1f} {:>8}  {:<26} {:<26} {:>6}  {}\n", r.row.print.title, width, r.row.print.average(),
        ours ? fmt::format("{:.1f}", *ours) : "-", band_text(r.band(Values::shared), r.within(Values::shared)),
        band_text(r.band(Values::all), r.within(Values::all)),
        r.row.print.load ? fmt::format("{:.1f}", *r.row.print.load) : "-", band_text(r.load_band(), r.load_within()));
    for (const bool of_card : {false, true}) {
      std::string effects;
      for (const Effect& e : r.effects)
        if (e.value.of_card == of_card)
          effects += fmt::format("{}{} {} {}", effects.empty() ? "" : "; ", of_card ? range(e.value) : e.value.name,
                                 difference(e.low, ours), difference(e.high, ours));
      if (!effects.empty()) out += fmt::format("    {}\n", effects);
    }
  }
  const auto count = [&](auto&& within) { return std::count_if(rows.begin(), rows.end(), within); };
  const auto judged = count([](const SensitiveRow& r) { return r.within(Values::shared).has_value(); });
  out +=
      fmt::format("\nthe published figure lies within the band in {} of {} rows; with the card's own values, in {}\n",
                  count([](const SensitiveRow& r) { return r.within(Values::shared) == true; }), judged,
                  count([](const SensitiveRow& r) { return r.within(Values::all) == true; }));
  if (const auto loads = count([](const SensitiveRow& r) { return r.load_within().has_value(); }))
    out += fmt::format("the published load lies between those of five phases in {} of {} rows\n",
                       count([](const SensitiveRow& r) { return r.load_within() == true; }), loads);
  std::vector<ScoredRow> scored;
  for (const SensitiveRow& r : rows) scored.push_back(r.row);
  return out + averages_text(scored);
}

ordered_json sensitivity_json(const std::vector<SensitiveRow>& rows) {
  ordered_json j{{"schema", "planar.sensitivity/2"}, {"rows", ordered_json::array()}};
  for (const SensitiveRow& r : rows) {
    ordered_json row{{"source", r.row.print.source},
                     {"machine", r.row.print.machine},
                     {"card", r.row.print.card},
                     {"printed_as", r.row.print.title},
                     {"unit", r.row.print.unit()},
                     {"published", rounded_or_null(r.row.print.average(), 2)},
                     {"planar", rounded_or_null(r.row.average(), 2)},
                     {"values", ordered_json::array()}};
    for (const Effect& e : r.effects)
      row["values"].push_back({{"name", e.value.name},
                               {"of_card", e.value.of_card},
                               {"used", e.value.used},
                               {"low", e.value.low},
                               {"high", e.value.high},
                               {"at_low", rounded_or_null(e.low, 2)},
                               {"at_high", rounded_or_null(e.high, 2)}});
    const auto add_band = [&](const char* name, const char* verdict, const auto& band, std::optional<bool> within) {
      if (band) row[name] = {rounded_or_null(band->from, 2), rounded_or_null(band->to, 2)};
      if (within) row[verdict] = *within;
    };
    add_band("band", "within", r.band(SensitiveRow::Values::shared), r.within(SensitiveRow::Values::shared));
    add_band("card_band", "card_within", r.band(SensitiveRow::Values::all), r.within(SensitiveRow::Values::all));
    row["tick_phases"] = ordered_json::array();
    for (const PhaseRun& run : r.phases)
      row["tick_phases"].push_back({{"phase", run.phase},
                                    {"planar", rounded_or_null(run.average, 2)},
                                    {"cpu_load_percent", rounded_or_null(run.load, 2)}});
    if (r.row.print.load) row["print_cpu_load_percent"] = rounded_or_null(r.row.print.load, 2);
    add_band("band_cpu_load_percent", "load_within", r.load_band(), r.load_within());
    j["rows"].push_back(std::move(row));
  }
  return j;
}

}  // namespace planar
