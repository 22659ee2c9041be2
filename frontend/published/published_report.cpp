// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/published/published_report.hpp"
#include "frontend/output/output.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "frontend/matrix/spread.hpp"
#include "frontend/output/labels.hpp"
#include "frontend/published/references.hpp"

namespace planar {
namespace {

using nlohmann::ordered_json;

/// The scores of a machine: their names in the text and in the JSON object.
struct ScoredKind {
  const char *title, *key;
  Rows rows;
};
constexpr ScoredKind kinds[] = {{"all", "all", Rows::all},
                                {"calibration", "calibration", Rows::calibration},
                                {"informed", "informed_by_published", Rows::informed},
                                {"prediction", "prediction", Rows::prediction},
                                {"off limit", "off_limit", Rows::off_limit},
                                {"  unfitted", "off_limit_unfitted", Rows::off_limit_unfitted},
                                {"apart", "apart", Rows::apart}};
constexpr std::size_t largest_shown = 8;  // number of residuals of individual sizes

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

std::string title_of(const PublishedRow& p) {
  std::string title = p.title;
  if (!p.duplex.empty()) title += ", " + p.duplex;
  if (!p.server.empty()) title += (p.direction == "received" ? ", from " : ", to ") + p.server;
  return title;
}

char mark_of(const PublishedRow& p, std::uint32_t size) {
  return p.fitted_sizes.contains(size) ? '*' : p.informed_sizes.contains(size) ? '~' : ' ';
}

std::string with_interval_percent(const ScoredRow& row) {
  const auto ci = row.average_ci95();
  return ci ? fmt::format(" ± {:.1f}", *ci / row.print.average() * 100) : std::string{};
}

/// A row with one figure, in one line.
std::string single_text(const ScoredRow& row, std::size_t width) {
  const auto& [size, published] = *row.print.figures.begin();
  const std::string out =
      fmt::format("{:<{}} {:>10.2f}{} ", title_of(row.print), width, published, mark_of(row.print, size));
  if (!row.run())
    return out + fmt::format("{}; {}\n",
                             row.ours ? row.ours->problem : "cannot run here: planar has no " + row.print.missing,
                             use_of(row));
  return out + fmt::format("{:>10} {:>10}{}  {}\n", figure(row.figure(size), 2), signed_percent(row.residual(size)),
                           with_interval_percent(row), use_of(row));
}

/// A row with one figure per size of `sizes`: published, planar's, residuals.
std::string sizes_text(const ScoredRow& row, std::size_t width, const std::vector<std::uint32_t>& sizes) {
  const PublishedRow& p = row.print;
  std::string out = fmt::format("{:<{}}", title_of(p), width);
  for (const auto size : sizes) {
    const auto cell = p.figures.find(size);
    out +=
        fmt::format(" {:>8}{}", cell == p.figures.end() ? "-" : fmt::format("{:.1f}", cell->second), mark_of(p, size));
  }
  const std::string load = p.load ? fmt::format("{:.1f} %", *p.load) : p.rating.empty() ? "-" : p.rating;
  out += fmt::format(" {:>7}{}  {}\n", load, p.load_fitted ? '*' : ' ', use_of(row));
  if (!row.run()) return out + fmt::format("{:<{}} {}\n", "  planar", width, row.ours->problem);
  out += fmt::format("{:<{}}", "  planar", width);
  for (const auto size : sizes) out += fmt::format(" {:>8} ", figure(row.figure(size)));
  if (p.rating.empty())
    out += fmt::format(" {:>5.1f} %\n", (*row.ours->result)["cpu_load_percent"].get<double>());
  else
    out += fmt::format(" {:>7}\n", row.rating().empty() ? "-" : row.rating());
  out += fmt::format("{:<{}}", "  residual %, load in points", width);
  for (const auto size : sizes) out += fmt::format(" {:>8} ", signed_percent(row.residual(size)));
  out += fmt::format(" {:>7}", signed_percent(row.load_residual()));
  if (const auto average = row.average_residual())
    out += fmt::format("   average {} %{}", signed_percent(average), with_interval_percent(row));
  out += "\n";
  if (p.rating.empty() || !row.sending_load()) return out;
  out += fmt::format("{:<{}}", "  load while sending, %", width);
  for (const auto size : sizes) out += fmt::format(" {:>8} ", figure(row.sending_load(size)));
  return out + fmt::format(" {:>7}\n", figure(row.sending_load()));
}

/// Rows that were run or failed, and rows that cannot be run if other rows of their table were.
bool is_shown(const ScoredRow& row, const std::vector<ScoredRow>& rows) {
  if (row.ours) return row.available;
  return !row.print.missing.empty() && std::any_of(rows.begin(), rows.end(), [&](const ScoredRow& r) {
    return r.ours && r.print.source == row.print.source;
  });
}

/// Layout of a table: the sizes that have columns; none if each row has one figure.
struct Layout {
  std::string unit;
  std::vector<std::uint32_t> sizes;
  std::size_t width = 28;  // width of the title column
  bool operator==(const Layout&) const = default;

  Layout(const std::vector<ScoredRow>& rows, const PublishedRow& of) : unit(of.unit()) {
    std::set<std::uint32_t> all;
    bool single = true;
    for (const ScoredRow& row : rows) {
      if (row.print.unit() == unit && is_shown(row, rows)) width = std::max(width, title_of(row.print).size());
      if (row.print.source != of.source) continue;
      single &= row.print.single();
      for (const auto& [size, value] : row.print.figures) all.insert(size);
    }
    if (!single) sizes.assign(all.begin(), all.end());
  }

  std::string heading() const {
    std::string out = fmt::format("{:<{}}", unit + "; * calibrated, ~ informed", width);
    if (sizes.empty()) return out + fmt::format(" {:>10}  {:>10} {:>10}\n", "published", "planar", "residual %");
    for (const auto size : sizes) out += fmt::format(" {:>8} ", size_name(size));
    return out + fmt::format(" {:>7}\n", "load");
  }
  std::string row(const ScoredRow& row) const {
    return sizes.empty() ? single_text(row, width) : sizes_text(row, width, sizes);
  }
};

/// The individual sizes that are furthest from their published figures, over all `machines` in one list.
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
    for (const auto& [size, published] : row.print.figures)
      if (const auto r = row.residual(size))
        list.push_back({*r, fmt::format("  {:+6.1f} %  {} {}: published {:.1f}, planar {:.1f}\n", *r, row.print.name(),
                                        size_name(size), published, *row.figure(size))});
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
  return out.empty() ? out : "\nfor comparison: mean error of predictions from published figures alone\n" + out;
}

std::string block_title(const PublishedRow& p) {
  return p.section.empty() ? p.source : fmt::format("{}, section {}", p.source, p.section);
}

/// The values that the runs of the rows assume, each once.
std::string assumed_text(const std::vector<ScoredRow>& rows) {
  std::vector<std::string> lines;
  for (const ScoredRow& row : rows)
    for (const AssumedValue& a : row.print.assumed)
      if (auto line = fmt::format("{}: {} ({}): {}\n", row.print.server, a.value, a.confidence, a.source);
          row.run() && std::find(lines.begin(), lines.end(), line) == lines.end())
        lines.push_back(std::move(line));
  return lines.empty() ? std::string{} : fmt::format("\n{}", fmt::join(lines, ""));
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

ordered_json score_json(const Score& s) {
  ordered_json j{{"rows", s.rows},
                 {"plateau_mape_percent", rounded_or_null(s.mape, 2)},
                 {"all_sizes_mape_percent", rounded_or_null(s.all_sizes, 2)},
                 {"rank_correlation", rounded_or_null(s.rank, 3)},
                 {"load_error_points", rounded_or_null(s.load_error, 2)},
                 {"median_predictor_mape_percent", rounded_or_null(s.median_mape, 2)},
                 {"skill", rounded_or_null(s.skill, 3)}};
  if (s.mape_ci95) j["plateau_mape_ci95"] = rounded_or_null(s.mape_ci95, 2);
  if (s.load_error_ci95) j["load_error_ci95"] = rounded_or_null(s.load_error_ci95, 2);
  if (s.rated) j["load_rating"] = {{"rows", s.rated}, {"alike", s.rated_alike}};
  return j;
}

const char* use_key(const ScoredRow& row) {
  if (row.apart()) return "apart";
  if (row.print.prediction()) return "prediction";
  return row.print.calibrated.empty() ? "informed-by-published" : "calibration";
}

/// What a table states besides the figures.
void put_setup(const PublishedRow& p, ordered_json& j) {
  const std::pair<const char*, const std::string*> texts[] = {
      {"section", &p.section},       {"test", &p.test},
      {"direction", &p.direction},   {"setup", &p.setup},
      {"driver", &p.driver},         {"duplex", &p.duplex},
      {"server", &p.server},         {"print_load_rating", &p.rating},
      {"calibrated", &p.calibrated}, {"informed", &p.informed}};
  for (const auto& [key, text] : texts)
    if (!text->empty()) j[key] = *text;
  if (p.released) j["released"] = true;
  if (p.repeats) j["repeats"] = true;
  if (p.at_limit()) j["at_limit"] = true;
  if (!p.arguments.empty()) j["arguments"] = p.arguments;
  for (const AssumedValue& a : p.assumed)
    j["assumed"].push_back({{"value", a.value}, {"source", a.source}, {"confidence", a.confidence}});
}

ordered_json row_json(const ScoredRow& row) {
  const PublishedRow& p = row.print;
  ordered_json j{{"source", p.source},    {"machine", p.machine},          {"card", p.card},
                 {"printed_as", p.title}, {"medium", to_string(p.medium)}, {"hypothetical", row.hypothetical},
                 {"use", use_key(row)},   {"benchmark", p.benchmark},      {"unit", p.unit()}};
  put_setup(p, j);
  j["name"] = p.name();
  j["cells"] = ordered_json::array();
  for (const auto& [size, value] : p.figures) {
    j["cells"].push_back({{"packet_bytes", size},
                          {"published", value},
                          {"planar", rounded_or_null(row.figure(size), 2)},
                          {"residual_percent", rounded_or_null(row.residual(size), 2)},
                          {"fitted", p.fitted_sizes.contains(size)},
                          {"in_view", p.informed_sizes.contains(size)}});
    if (!p.rating.empty() && row.sending_load(size))
      j["cells"].back()["sending_load_percent"] = rounded_or_null(row.sending_load(size), 2);
  }
  if (p.load) j["print_load_percent"] = *p.load;
  if (!row.run()) {
    j["not_run"] = !row.available               ? "not available"
                   : !row.print.missing.empty() ? "no " + row.print.missing
                   : row.ours                   ? row.ours->problem
                                                : "not selected";
    return j;
  }
  j["load_percent"] = (*row.ours->result)["cpu_load_percent"];
  if (const auto runs = runs_from_cache(*row.ours->result)) j["host"] = {{"runs_from_cache", runs}};
  if (row.ours->result->contains("placements")) j["placements"] = (*row.ours->result)["placements"];
  if (const auto ci = row.average_ci95()) j["average_ci95"] = rounded_or_null(ci, 2);
  if (row.ours->result->contains("converged")) j["converged"] = (*row.ours->result)["converged"];
  if (!p.rating.empty() && !row.rating().empty()) {
    j["sending_load_percent"] = rounded_or_null(row.sending_load(), 2);
    j["load_rating"] = row.rating();
  }
  return j;
}

ordered_json references_json(const std::vector<ScoredRow>& rows, const std::string& machine) {
  ordered_json list = ordered_json::array();
  for (const Reference& r : references(rows, machine))
    list.push_back({{"predictor", r.predictor},
                    {"rows", r.rows},
                    {"mape_percent", rounded_or_null(r.mape, 2)},
                    {"planar_mape_percent", rounded_or_null(r.planars_mape, 2)}});
  return list;
}

}  // namespace

std::string averages_text(const std::vector<ScoredRow>& rows) {
  std::string out;
  std::set<std::string> sources;
  for (const ScoredRow& row : rows) {
    const auto& sizes = row.print.average_sizes;
    if (!row.run() || sizes.size() < 2 || !sources.insert(row.print.source).second) continue;
    std::vector<std::string> names;
    for (const auto size : sizes) names.push_back(size_name(size));
    out += fmt::format("averages of the rows of {} are over {}", row.print.source, fmt::join(names, ", "));
    const bool lacking = std::any_of(rows.begin(), rows.end(), [&](const ScoredRow& other) {
      return other.print.source == row.print.source && other.run() && !other.average();
    });
    out += lacking ? "; a row that is run without one of these sizes (--sizes) has none\n" : "\n";
  }
  return out.empty() ? out : "\n" + out;
}

std::string published_text(const std::vector<ScoredRow>& rows, const std::vector<std::string>& machines) {
  std::string block, out;
  std::optional<Layout> layout;
  for (const ScoredRow& row : rows) {
    if (row.apart() || !is_shown(row, rows)) continue;
    if (const Layout own(rows, row.print); own != layout) {
      out += (out.empty() ? "" : "\n") + own.heading();
      layout = own;
    }
    if (const auto title = block_title(row.print); title != block) out += fmt::format("\n{}\n", block = title);
    out += layout->row(row);
  }
  out += assumed_text(rows);
  const auto apart = [&](const ScoredRow& row) { return row.apart() && is_shown(row, rows); };
  if (std::any_of(rows.begin(), rows.end(), apart))
    out += "\nScored separately: cards whose interface is defined by planar\n";
  for (const ScoredRow& row : rows)
    if (apart(row)) out += Layout(rows, row.print).row(row);
  out += fmt::format("\n{:<11} {:<12} {:>4} {:>13} {:>9} {:>8} {:>13} {:>12} {:>7} {:>10}\n", "machine", "rows of",
                     "rows", "average %", "all %", "rank", "load pts", "median pr. %", "skill", "load words");
  for (const auto& machine : machines)
    for (const ScoredKind& kind : kinds)
      if (const Score s = score(rows, machine, kind.rows); s.rows || kind.rows != Rows::apart)
        out += score_text(machine, kind.title, s);
  out +=
      "\naverage %, all %: mean absolute error of the rows' averages and of every packet size; rank: correlation of "
      "the\n"
      "averages' ranks; load pts: mean absolute error of the load in points; median pr. %: average % of a predictor\n"
      "that gives every card the median of the published averages; skill: 1 - average % / median pr. %; load words:\n"
      "rows for which the author's word for planar's load, the mean of the six sizes while sending, is the published\n"
      "one; off limit: rows whose average is more than 5 % below the medium's limit; unfitted: those of them to which\n"
      "no value was fitted\n";
  return out + averages_text(rows) + references_text(rows, machines) + largest_residuals(rows, machines);
}

ordered_json published_json(const std::vector<ScoredRow>& rows, const std::vector<std::string>& machines) {
  ordered_json j{{"schema", "planar.published/2"}, {"rows", ordered_json::array()}, {"scores", ordered_json::array()}};
  for (const ScoredRow& row : rows) j["rows"].push_back(row_json(row));
  for (const auto& machine : machines) {
    ordered_json scores{{"machine", machine}};
    for (const ScoredKind& kind : kinds) scores[kind.key] = score_json(score(rows, machine, kind.rows));
    scores["references"] = references_json(rows, machine);
    j["scores"].push_back(std::move(scores));
  }
  return j;
}

}  // namespace planar
