// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/matrix/spread.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/common/error.hpp"
#include "core/common/student_t.hpp"
#include "frontend/guest/guest_image.hpp"
#include "frontend/output/output.hpp"
#include "frontend/output/provenance.hpp"

namespace planar {
namespace {

using nlohmann::ordered_json;

ordered_json to_json(const Spread& s) {
  return {{"stddev", rounded(s.stddev, 3)},
          {"ci95", rounded(s.ci95, 3)},
          {"min", rounded(s.least, 3)},
          {"max", rounded(s.most, 3)}};
}

using Side = std::vector<const ordered_json*>;

bool all_equal(const Side& values) {
  return std::all_of(values.begin(), values.end(), [&](const ordered_json* v) { return *v == *values.front(); });
}

/// The mean of the values at `pointer` in all results; null if there is none. Adds the spreads of values that differ.
ordered_json mean_of(const Side& values, const ordered_json::json_pointer& pointer, ordered_json& spreads) {
  const ordered_json& first = *values.front();
  if (all_equal(values)) return first;
  const auto all = [&](auto is) { return std::all_of(values.begin(), values.end(), is); };
  if (all([](const ordered_json* v) { return v->is_number(); })) {
    std::vector<double> numbers;
    for (const ordered_json* v : values) numbers.push_back(v->get<double>());
    const Spread spread = spread_of(numbers);
    spreads[pointer.to_string()] = to_json(spread);
    return rounded(spread.mean, 3);
  }
  ordered_json mean;
  if (all([](const ordered_json* v) { return v->is_object(); })) {
    mean = ordered_json::object();
    for (const auto& [key, member] : first.items()) {
      Side below;
      for (const ordered_json* v : values)
        if (const auto found = v->find(key); found != v->end()) below.push_back(&*found);
      if (below.size() < values.size()) continue;
      if (auto value = mean_of(below, pointer / key, spreads); !value.is_null()) mean[key] = std::move(value);
    }
  } else if (all([](const ordered_json* v) { return v->is_array(); })) {
    ordered_json none;  // a series over time gets no spread per point
    ordered_json& of_elements = pointer.back().ends_with("_over_time") ? none : spreads;
    mean = ordered_json::array();
    std::size_t least = first.size();
    for (const ordered_json* v : values) least = std::min(least, v->size());
    for (std::size_t n = 0; n < least; ++n) {
      Side below;
      for (const ordered_json* v : values) below.push_back(&(*v)[n]);
      mean.push_back(mean_of(below, pointer / n, of_elements));
    }
  }
  return mean;
}

}  // namespace

Spread spread_of(const std::vector<double>& values) {
  Spread s;
  s.count = values.size();
  const auto n = static_cast<double>(s.count);
  s.mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  double squares = 0;
  for (const double v : values) squares += (v - s.mean) * (v - s.mean);
  s.stddev = std::sqrt(squares / (n - 1));
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  s.least = *least;
  s.most = *most;
  s.ci95 = student_t95(s.count - 1) * s.stddev / std::sqrt(n);
  return s;
}

ordered_json combine_runs(const std::vector<ordered_json>& results) {
  Side values;
  ordered_json combined{{"schema", "planar.runs/1"},
                        {"runs", results.size()},
                        {"seeds", ordered_json::array()},
                        {"placements", ordered_json::array()}};
  ordered_json of_host, each = ordered_json::array();
  double host_seconds = 0;
  std::size_t from_cache = 0;
  std::vector<ordered_json> figures = results;
  for (ordered_json& figure : figures) {
    combined["seeds"].push_back(figure["seed"]);
    combined["placements"].push_back(figure["placement"]);
    host_seconds += figure["host"].value("seconds", 0.0);
    from_cache += runs_from_cache(figure);
    figure.erase("host");
    figure.erase("schema");
    each.push_back(figure);
    each.back().erase("planar");
    each.back().erase("configuration");
    figure.erase("seed");
    figure.erase("placement");
    if (figure.contains("converged")) figure["converged"].erase("runs");
    figure.erase("state_hash");
    for (const char* rare : {"stalls", "retransmitted"}) figure.erase(rare);  // some runs have none
    values.push_back(&figure);
  }
  ordered_json spreads = ordered_json::object();
  combined.update(mean_of(values, ordered_json::json_pointer(), spreads));
  combined["spread"] = std::move(spreads);
  combined["results"] = std::move(each);
  combined["host"] = {{"seconds", rounded(host_seconds, 3)}, {"command_line", host_command_line()}};
  if (from_cache) combined["host"]["runs_from_cache"] = from_cache;
  return combined;
}

std::optional<Spread> figure_spread(const Benchmark& benchmark, const ordered_json& combined, std::uint32_t size) {
  std::vector<double> values;
  for (const ordered_json& result : combined.at("results"))
    if (const auto value = benchmark.figure(result, size)) values.push_back(*value);
  if (values.size() < 2) return std::nullopt;
  return spread_of(values);
}

std::string runs_text(const ordered_json& combined) {
  const auto range = [&](const char* key) {
    const auto [least, most] = std::minmax_element(combined[key].begin(), combined[key].end());
    return *least == *most ? fmt::format("{} {}", std::string(key, std::string_view(key).size() - 1), least->dump())
                           : fmt::format("{} {} to {}", key, least->dump(), most->dump());
  };
  return range("seeds") + ", " + range("placements");
}

std::size_t runs_from_cache(const ordered_json& result) {
  const auto host = result.find("host");
  if (host == result.end()) return 0;
  return host->value("runs_from_cache", std::size_t{host->value("from_cache", false)});
}

bool is_combined(const ordered_json& result) { return result.value("schema", "") == "planar.runs/1"; }

std::string note_of(const Benchmark& benchmark, const ordered_json& result) {
  if (!benchmark.note) return {};
  if (!is_combined(result)) return benchmark.note(result);
  std::string first;
  std::size_t runs = 0;
  for (const auto& run : result.at("results"))
    if (const auto note = benchmark.note(run); !note.empty() && runs++ == 0) first = note;
  return first.empty() ? first : fmt::format("in {} of {} runs: {}", runs, result.at("results").size(), first);
}

std::vector<Cell> with_runs(const std::vector<Cell>& cells, const RunSeries& series) {
  constexpr std::uint64_t most = INT64_MAX;  // of run.seed
  if (series.first_seed > most - (series.runs - 1))
    throw Error(fmt::format("--seed {} and {} runs, each with the next seed: the last is above {}; take a smaller seed",
                            series.first_seed, series.runs, most));
  std::vector<Cell> list;
  for (const Cell& cell : cells)
    for (unsigned n = 0; n < series.runs; ++n) {
      list.push_back(cell);
      list.back().seed = series.first_seed + n;
      list.back().placement = series.placement.value_or(n % guest_placements);
    }
  return list;
}

std::vector<CellOutcome> combine_outcomes(const std::vector<CellOutcome>& outcomes, unsigned runs) {
  if (runs < 2) return outcomes;
  std::vector<CellOutcome> list;
  for (std::size_t at = 0; at + runs <= outcomes.size(); at += runs) {
    CellOutcome combined = outcomes[at];
    std::vector<ordered_json> results;
    for (std::size_t n = at; n < at + runs; ++n) {
      if (outcomes[n].result)
        results.push_back(*outcomes[n].result);
      else if (combined.result || (combined.refused() && !outcomes[n].refused()))
        combined = outcomes[n];
    }
    combined.checked = 0;
    for (std::size_t n = at; n < at + runs; ++n) combined.checked += outcomes[n].checked;
    if (results.size() == runs) combined.result = combine_runs(results);
    list.push_back(std::move(combined));
  }
  return list;
}

}  // namespace planar
