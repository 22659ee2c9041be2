// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/published/published_report.hpp"
#include "frontend/output/output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "frontend/guest_benchmarks/benchmarks.hpp"
#include "frontend/output/labels.hpp"
#include "frontend/published/references.hpp"

namespace planar {
namespace {

using nlohmann::ordered_json;

constexpr std::pair<const char*, Rows> kinds[] = {{"all", Rows::all},
                                                  {"calibration", Rows::calibration},
                                                  {"informed", Rows::informed},
                                                  {"prediction", Rows::prediction},
                                                  {"off limit", Rows::off_limit},
                                                  {"  unfitted", Rows::off_limit_unfitted}};
constexpr std::size_t largest_shown = 8;  // residuals of single sizes

/// What the row was used for.
std::string use_of(const ScoredRow& row) {
  const PublishedRow& p = row.print;
  std::string use;
  if (!p.calibrated.empty()) use = "calibrated: " + p.calibrated;
  if (!p.informed.empty()) use += (use.empty() ? "" : "; ") + std::string("informed: ") + p.informed;
  if (use.empty()) use = p.released ? "prediction, made before the row was known" : "prediction";
  return use + (row.hypothetical ? ", hypothetical interface" : "") + (p.at_limit() ? ", at the medium's limit" : "") +
         (p.repeats ? ", repeats another row" : "");
}

std::string signed_percent(std::optional<double> value) { return value ? fmt::format("{:+.1f}", *value) : "-"; }

std::string figure(std::optional<double> value, int decimals = 1) {
  return value ? fmt::format("{:.{}f}", *value, decimals) : "-";
}

std::optional<double> measured(const ScoredRow& row, std::uint32_t size) {
  return row.run() ? row.ours->figure(find_benchmark(published_benchmark), size) : std::nullopt;
}

std::string title_of(const PublishedRow& p) {
  std::string title = p.title;
  if (!p.duplex.empty()) title += ", " + p.duplex;
  if (!p.server.empty()) title += ", to " + p.server;
  return title;
}

std::string row_text(const ScoredRow& row, std::size_t width) {
  const PublishedRow& p = row.print;
  std::string out = fmt::format("{:<{}}", title_of(p), width);
  for (const auto size : published_sizes) {
    const auto cell = p.kb_per_s.find(size);
    const char mark = p.fitted_sizes.contains(size) ? '*' : p.informed_sizes.contains(size) ? '~' : ' ';
    out += fmt::format(" {:>8}{}", cell == p.kb_per_s.end() ? "-" : fmt::format("{:.1f}", cell->second), mark);
  }
  const std::string load = p.load ? fmt::format("{:.1f} %", *p.load) : p.rating.empty() ? "-" : p.rating;
  out += fmt::format(" {:>7}{}  {}\n", load, p.load_fitted ? '*' : ' ', use_of(row));
  if (!row.run()) return out + fmt::format("{:<{}} {}\n", "  planar", width, row.ours->problem);
  out += fmt::format("{:<{}}", "  planar", width);
  for (const auto size : published_sizes) out += fmt::format(" {:>8} ", figure(measured(row, size)));
  out += fmt::format(" {:>5.1f} %{}{}\n", (*row.ours->result)["cpu_load_percent"].get<double>(),
                     p.rating.empty() ? "" : "  ", row.rating());
  out += fmt::format("{:<{}}", "  residual %, load in points", width);
  for (const auto size : published_sizes) out += fmt::format(" {:>8} ", signed_percent(row.residual(size)));
  out +=
      fmt::format(" {:>7}   average {} %", signed_percent(row.load_residual()), signed_percent(row.average_residual()));
  if (const auto ci = row.average_ci95()) out += fmt::format(" ± {:.1f}", *ci / p.average() * 100);
  return out + "\n";
}

/// The single sizes that are furthest from their published figure, for `machines` in one list.
std::string largest_residuals(const std::vector<ScoredRow>& rows, const std::vector<std::string>& machines) {
  struct Residual {
    double percent;
    std::string text;
  };
  std::vector<Residual> list;
  for (const ScoredRow& row : rows) {
    if (row.print.repeats || row.apart() ||
        std::find(machines.begin(), machines.end(), row.print.group) == machines.end())
      continue;
    for (const auto& [size, published] : row.print.kb_per_s)
      if (const auto r = row.residual(size))
        list.push_back({*r, fmt::format("  {:+6.1f} %  {} {}: published {:.1f}, planar {:.1f}\n", *r, row.print.name(),
                                        size_name(size), published, *measured(row, size))});
  }
  const std::size_t shown = std::min(largest_shown, list.size());
  std::partial_sort(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(shown), list.end(),
                    [](const Residual& a, const Residual& b) { return std::abs(a.percent) > std::abs(b.percent); });
  std::string out;
  for (std::size_t n = 0; n < shown; ++n) out += list[n].text;
  return out.empty() ? out : "\nlargest residuals of a single size\n" + out;
}

std::string references_text(const std::vector<ScoredRow>& rows, const std::vector<std::string>& machines) {
  std::string out;
  for (const auto& machine : machines)
    for (const Reference& r : references(rows, machine))
      out += fmt::format("  {:<11} {:<26} {:>6.2f} %   planar on the same {} rows {:.2f} %\n", machine, r.predictor,
                         r.mape, r.rows, r.planars_mape);
  return out.empty() ? out : "\nwithout physics: mean error of a predictor made of published figures alone\n" + out;
}

std::string block_title(const PublishedRow& p) {
  return p.section.empty() ? p.source : fmt::format("{}, section {}", p.source, p.section);
}

std::string with_interval(std::optional<double> value, std::optional<double> ci95) {
  return figure(value, 2) + (value && ci95 ? fmt::format(" ± {:.2f}", *ci95) : "");
}

std::string score_text(const std::string& machine, const char* which, const Score& s) {
  return fmt::format("{:<11} {:<12} {:>4} {:>13} {:>9} {:>8} {:>13} {:>12} {:>7} {:>10}\n", machine, which, s.rows,
                     with_interval(s.mape, s.mape_ci95), figure(s.all_sizes, 2), figure(s.rank, 3),
                     with_interval(s.load_error, s.load_error_ci95), figure(s.median_mape, 2), figure(s.skill, 2),
                     s.rated ? fmt::format("{} of {}", s.rated_alike, s.rated) : "-");
}

ordered_json number(std::optional<double> value, int decimals) {
  if (!value) return nullptr;
  return rounded(*value, decimals);
}

ordered_json score_json(const Score& s) {
  ordered_json j{{"rows", s.rows},
                 {"plateau_mape_percent", number(s.mape, 2)},
                 {"all_sizes_mape_percent", number(s.all_sizes, 2)},
                 {"rank_correlation", number(s.rank, 3)},
                 {"load_error_points", number(s.load_error, 2)},
                 {"median_predictor_mape_percent", number(s.median_mape, 2)},
                 {"skill", number(s.skill, 3)}};
  if (s.mape_ci95) j["plateau_mape_ci95"] = number(s.mape_ci95, 2);
  if (s.load_error_ci95) j["load_error_ci95"] = number(s.load_error_ci95, 2);
  if (s.rated) j["load_rating"] = {{"rows", s.rated}, {"alike", s.rated_alike}};
  return j;
}

const char* use_key(const ScoredRow& row) {
  if (row.apart()) return "apart";
  if (row.print.prediction()) return "prediction";
  return row.print.calibrated.empty() ? "informed-by-published" : "calibration";
}

/// What a table says beside the figures, where it does.
void put_setup(const PublishedRow& p, ordered_json& j) {
  const std::pair<const char*, const std::string*> texts[] = {
      {"section", &p.section},          {"driver", &p.driver},         {"duplex", &p.duplex},    {"server", &p.server},
      {"print_load_rating", &p.rating}, {"calibrated", &p.calibrated}, {"informed", &p.informed}};
  for (const auto& [key, text] : texts)
    if (!text->empty()) j[key] = *text;
  if (p.released) j["released"] = true;
  if (p.repeats) j["repeats"] = true;
  if (p.at_limit()) j["at_limit"] = true;
}

ordered_json row_json(const ScoredRow& row) {
  const PublishedRow& p = row.print;
  ordered_json j{{"source", p.source},    {"machine", p.machine},          {"card", p.card},
                 {"printed_as", p.title}, {"medium", to_string(p.medium)}, {"hypothetical", row.hypothetical},
                 {"use", use_key(row)}};
  put_setup(p, j);
  j["name"] = p.name();
  j["cells"] = ordered_json::array();
  for (const auto& [size, value] : p.kb_per_s)
    j["cells"].push_back({{"packet_bytes", size},
                          {"print_kb_per_s", value},
                          {"kb_per_s", number(measured(row, size), 2)},
                          {"residual_percent", number(row.residual(size), 2)},
                          {"fitted", p.fitted_sizes.contains(size)},
                          {"in_view", p.informed_sizes.contains(size)}});
  if (p.load) j["print_load_percent"] = *p.load;
  if (!row.run()) {
    j["not_run"] = !row.available ? "not available" : row.ours ? row.ours->problem : "not selected";
    return j;
  }
  j["load_percent"] = (*row.ours->result)["cpu_load_percent"];
  if (row.ours->result->contains("placements")) j["placements"] = (*row.ours->result)["placements"];
  if (const auto ci = row.average_ci95()) j["average_ci95_kb_per_s"] = number(ci, 2);
  if (row.ours->result->contains("converged")) j["converged"] = (*row.ours->result)["converged"];
  if (!p.rating.empty() && !row.rating().empty()) j["load_rating"] = row.rating();
  return j;
}

ordered_json references_json(const std::vector<ScoredRow>& rows, const std::string& machine) {
  ordered_json list = ordered_json::array();
  for (const Reference& r : references(rows, machine))
    list.push_back({{"predictor", r.predictor},
                    {"rows", r.rows},
                    {"mape_percent", number(r.mape, 2)},
                    {"planar_mape_percent", number(r.planars_mape, 2)}});
  return list;
}

}  // namespace

std::string published_text(const std::vector<ScoredRow>& rows, const std::vector<std::string>& machines) {
  // Rows that were run, or failed.
  const auto shown = [](const ScoredRow& row) { return row.available && row.ours; };
  std::size_t width = 28;
  for (const ScoredRow& row : rows) width = std::max(width, title_of(row.print).size());
  std::string block, out = fmt::format("{:<{}}", "KB/s; * calibrated, ~ informed", width);
  for (const auto size : published_sizes) out += fmt::format(" {:>8} ", size_name(size));
  out += fmt::format(" {:>7}\n", "load");
  for (const ScoredRow& row : rows) {
    if (row.apart() || !shown(row)) continue;
    if (const auto title = block_title(row.print); title != block) out += fmt::format("\n{}\n", block = title);
    out += row_text(row, width);
  }
  if (std::any_of(rows.begin(), rows.end(), [&](const ScoredRow& row) { return row.apart() && shown(row); }))
    out += "\nScored separately: cards whose interface is defined by planar\n";
  for (const ScoredRow& row : rows)
    if (row.apart() && shown(row)) out += row_text(row, width);
  out += fmt::format("\n{:<11} {:<12} {:>4} {:>13} {:>9} {:>8} {:>13} {:>12} {:>7} {:>10}\n", "machine", "rows of",
                     "rows", "average %", "all %", "rank", "load pts", "median pr. %", "skill", "load words");
  for (const auto& machine : machines) {
    for (const auto& [name, which] : kinds) out += score_text(machine, name, score(rows, machine, which));
    if (const Score s = score(rows, machine, Rows::apart); s.rows) out += score_text(machine, "apart", s);
  }
  out +=
      "\naverage %, all %: mean absolute error of the rows' averages and of every packet size; rank: correlation of "
      "the\n"
      "averages' ranks; load pts: mean absolute error of the load in points; median pr. %: average % of a predictor\n"
      "that gives every card the median of the published averages; skill: 1 - average % / median pr. %; load words:\n"
      "rows whose load has the published rating; off limit: rows whose average is more than 5 % below what the medium\n"
      "lets through, unfitted: those of them on which no value was fitted\n";
  return out + references_text(rows, machines) + largest_residuals(rows, machines);
}

ordered_json published_json(const std::vector<ScoredRow>& rows, const std::vector<std::string>& machines) {
  ordered_json j{{"schema", "planar.published/1"}, {"rows", ordered_json::array()}, {"scores", ordered_json::array()}};
  for (const ScoredRow& row : rows) j["rows"].push_back(row_json(row));
  for (const auto& machine : machines)
    j["scores"].push_back({{"machine", machine},
                           {"all", score_json(score(rows, machine, Rows::all))},
                           {"calibration", score_json(score(rows, machine, Rows::calibration))},
                           {"informed_by_published", score_json(score(rows, machine, Rows::informed))},
                           {"prediction", score_json(score(rows, machine, Rows::prediction))},
                           {"off_limit", score_json(score(rows, machine, Rows::off_limit))},
                           {"off_limit_unfitted", score_json(score(rows, machine, Rows::off_limit_unfitted))},
                           {"apart", score_json(score(rows, machine, Rows::apart))},
                           {"references", references_json(rows, machine)}});
  return j;
}

}  // namespace planar
