// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/published/score.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "frontend/guest_benchmarks/benchmarks.hpp"
#include "frontend/guest_benchmarks/netio_converge.hpp"
#include "frontend/matrix/spread.hpp"
#include "frontend/output/output.hpp"
#include "machines/registry/adapter_registry.hpp"

namespace planar {
namespace {

std::optional<double> mean(const std::vector<double>& values) {
  if (values.empty()) return {};
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// Ranks from 1; equal values share the mean of their ranks.
std::vector<double> ranks(const std::vector<double>& values) {
  std::vector<double> result;
  for (const double v : values) {
    const auto below = std::count_if(values.begin(), values.end(), [v](double o) { return o < v; });
    const auto equal = std::count(values.begin(), values.end(), v);
    result.push_back(static_cast<double>(below) + (static_cast<double>(equal) + 1) / 2);
  }
  return result;
}

std::optional<double> correlation(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() < 3) return {};
  const double ma = *mean(a), mb = *mean(b);
  double ab = 0, aa = 0, bb = 0;
  for (std::size_t n = 0; n < a.size(); ++n) {
    ab += (a[n] - ma) * (b[n] - mb);
    aa += (a[n] - ma) * (a[n] - ma);
    bb += (b[n] - mb) * (b[n] - mb);
  }
  if (aa == 0 || bb == 0) return {};
  return ab / std::sqrt(aa * bb);
}

std::optional<double> percent(std::optional<double> ours, double print) {
  if (!ours || print <= 0) return {};
  return (*ours - print) / print * 100;
}

}  // namespace

std::optional<double> ScoredRow::figure(std::uint32_t size) const {
  return run() ? ours->figure(find_benchmark(print.benchmark), size) : std::nullopt;
}

std::optional<double> ScoredRow::residual(std::uint32_t size) const {
  const auto cell = print.figures.find(size);
  if (cell == print.figures.end()) return {};
  return percent(figure(size), cell->second);
}

std::optional<double> ScoredRow::average() const {
  if (!run() || print.average_sizes.empty()) return {};
  double sum = 0;
  for (const auto size : print.average_sizes) {
    const auto value = figure(size);
    if (!value) return {};
    sum += *value;
  }
  return sum / static_cast<double>(print.average_sizes.size());
}

std::size_t runs_of(const ScoredRow& row) {
  return row.run() && is_combined(*row.ours->result) ? row.ours->result->at("results").size() : 1;
}

CellOutcome run_of(const ScoredRow& row, std::size_t n) {
  CellOutcome outcome = *row.ours;
  if (row.run() && is_combined(*row.ours->result)) outcome.result = row.ours->result->at("results").at(n);
  return outcome;
}

std::optional<double> ScoredRow::average_ci95() const {
  std::vector<double> averages;
  for (std::size_t n = 0; n < runs_of(*this); ++n) {
    const CellOutcome one = run_of(*this, n);
    ScoredRow row = *this;
    row.ours = &one;
    if (const auto value = row.average()) averages.push_back(*value);
  }
  if (averages.size() < 2) return {};
  return spread_of(averages).ci95;
}

std::optional<double> ScoredRow::average_residual() const { return percent(average(), print.average()); }

std::optional<double> ScoredRow::sending_load(std::uint32_t size) const {
  if (!run()) return {};
  for (const auto& row : (*ours->result)["rows"])
    if (row.value("packet_bytes", std::uint32_t{}) == size && row.contains("busy_percent"))
      return row["busy_percent"].get<double>();
  return {};
}

std::optional<double> ScoredRow::sending_load() const {
  std::vector<double> loads;
  for (const auto size : print.average_sizes) {
    const auto load = sending_load(size);
    if (!load) return {};
    loads.push_back(*load);
  }
  return mean(loads);
}

std::string ScoredRow::rating() const {
  const auto load = sending_load();
  return load && !ended_early(*ours->result) ? print.rating_of(*load) : std::string{};
}

std::optional<double> ScoredRow::load_residual() const {
  if (!run() || !print.load || ended_early(*ours->result)) return {};
  return (*ours->result)["cpu_load_percent"].get<double>() - *print.load;
}

bool is_run_of(const Cell& cell, const PublishedRow& row) {
  return cell.machine == row.machine && cell.card == row.card && cell.options == row.options &&
         cell.variant == row.variant();
}

std::vector<ScoredRow> score_rows(const std::vector<PublishedRow>& print, const std::vector<CellOutcome>& ours) {
  std::vector<ScoredRow> rows;
  const auto cards = adapter_registry();
  for (const PublishedRow& row : print) {
    const auto found =
        std::find_if(ours.begin(), ours.end(), [&](const CellOutcome& o) { return is_run_of(o.cell, row); });
    const auto card = std::find_if(cards.begin(), cards.end(), [&](const auto& c) { return c.name == row.card; });
    const bool available = card != cards.end();
    rows.push_back({row, found == ours.end() ? nullptr : &*found, available && card->hypothetical, available});
  }
  return rows;
}

namespace {

bool counts(const ScoredRow& row, Rows which) {
  const bool calibrated = !row.print.calibrated.empty(), prediction = row.print.prediction();
  switch (which) {
    case Rows::calibration: return calibrated;
    case Rows::informed: return !calibrated && !prediction;
    case Rows::prediction: return prediction;
    case Rows::off_limit: return !row.print.at_limit();
    case Rows::off_limit_unfitted: return !row.print.at_limit() && !calibrated;
    case Rows::all:
    case Rows::apart: break;
  }
  return true;
}

}  // namespace

namespace {

Score score_of(const std::vector<ScoredRow>& rows, const std::string& machine, Rows which) {
  std::vector<double> printed, averages, ours, errors, cells, loads, by_median;
  bool all_loads = true;  // the few rows that needed their whole duration would not represent the machine
  Score s;
  for (const ScoredRow& row : rows)
    if (row.print.group == machine && !row.print.repeats && !row.apart()) printed.push_back(row.print.average());
  for (const ScoredRow& row : rows) {
    if (row.print.group != machine || row.print.repeats || row.apart() != (which == Rows::apart) ||
        !row.average_residual() || !counts(row, which))
      continue;
    ++s.rows;
    averages.push_back(row.print.average());
    ours.push_back(*row.average());
    errors.push_back(std::abs(*row.average_residual()));
    if (which != Rows::apart)
      by_median.push_back(std::abs(median(printed) - row.print.average()) / row.print.average() * 100);
    for (const auto& [size, value] : row.print.figures)
      if (const auto r = row.residual(size)) cells.push_back(std::abs(*r));
    if (const auto r = row.load_residual()) loads.push_back(std::abs(*r));
    all_loads &= !ended_early(*row.ours->result);
    s.rated += !row.print.rating.empty();
    s.rated_alike += !row.print.rating.empty() && row.rating() == row.print.rating;
  }
  s.mape = mean(errors);
  s.all_sizes = mean(cells);
  if (all_loads)
    s.load_error = mean(loads);
  else
    s.rated = s.rated_alike = 0;
  if (which == Rows::apart) return s;
  s.median_mape = mean(by_median);
  if (averages.size() >= 3) s.rank = correlation(ranks(averages), ranks(ours));
  if (s.mape && s.median_mape && *s.median_mape > 0) s.skill = 1 - *s.mape / *s.median_mape;
  return s;
}

}  // namespace

Score score(const std::vector<ScoredRow>& rows, const std::string& machine, Rows which) {
  Score s = score_of(rows, machine, which);
  std::size_t runs = std::numeric_limits<std::size_t>::max();
  for (const ScoredRow& row : rows)
    if (row.run() && row.print.group == machine) runs = std::min(runs, runs_of(row));
  if (s.rows == 0 || runs < 2) return s;
  std::vector<double> mape, load;
  for (std::size_t n = 0; n < runs; ++n) {
    std::vector<CellOutcome> outcomes;
    outcomes.reserve(rows.size());  // the rows point into this vector
    std::vector<ScoredRow> of_run = rows;
    for (ScoredRow& row : of_run)
      if (row.ours && row.print.group == machine) row.ours = &outcomes.emplace_back(run_of(row, n));
    const Score one = score_of(of_run, machine, which);
    if (one.mape) mape.push_back(*one.mape);
    if (one.load_error) load.push_back(*one.load_error);
  }
  if (mape.size() > 1) s.mape_ci95 = spread_of(mape).ci95;
  if (load.size() > 1) s.load_error_ci95 = spread_of(load).ci95;
  return s;
}

}  // namespace planar
