// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/published/references.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "frontend/output/output.hpp"

namespace planar {
namespace {

constexpr std::size_t fewest_rows = 3;

bool counts(const ScoredRow& row) { return !row.print.repeats && !row.apart(); }

/// A published average, what predicts it, and planar's error on it in percent.
struct Pair {
  double published = 0, predictor = 0, planars = 0;
};

/// The constant that minimizes the mean of |constant x predictor - published| / published: the median of the ratios
/// published / predictor, weighted by predictor / published.
double best_constant(std::vector<Pair> pairs) {
  const auto ratio = [](const Pair& p) { return p.published / p.predictor; };
  std::sort(pairs.begin(), pairs.end(), [&](const Pair& a, const Pair& b) { return ratio(a) < ratio(b); });
  double total = 0, sum = 0;
  for (const Pair& p : pairs) total += 1 / ratio(p);
  for (const Pair& p : pairs)
    if ((sum += 1 / ratio(p)) * 2 >= total) return ratio(p);
  return 1;
}

Reference judged(std::string predictor, const std::vector<Pair>& pairs, double constant) {
  Reference r{std::move(predictor), pairs.size(), 0, 0};
  for (const Pair& p : pairs) {
    r.mape += std::abs(constant * p.predictor - p.published) / p.published * 100 / static_cast<double>(pairs.size());
    r.planars_mape += p.planars / static_cast<double>(pairs.size());
  }
  return r;
}

}  // namespace

std::vector<Reference> references(const std::vector<ScoredRow>& rows, const std::string& machine) {
  std::vector<Reference> list;
  std::vector<double> printed;
  std::vector<const ScoredRow*> own;
  std::vector<std::string> others;
  for (const ScoredRow& row : rows) {
    if (!counts(row)) continue;
    if (row.print.group != machine) {
      if (std::find(others.begin(), others.end(), row.print.group) == others.end()) others.push_back(row.print.group);
      continue;
    }
    printed.push_back(row.print.average());
    if (row.average_residual()) own.push_back(&row);
  }
  if (own.size() < fewest_rows) return list;
  const double middle = median(printed);
  std::vector<Pair> pairs;
  for (const ScoredRow* row : own) pairs.push_back({row->print.average(), middle, std::abs(*row->average_residual())});
  list.push_back(judged("the median of its rows", pairs, 1));
  for (const std::string& other : others) {
    pairs.clear();
    for (const ScoredRow* row : own) {
      const auto found = std::find_if(rows.begin(), rows.end(), [&](const ScoredRow& r) {
        return counts(r) && r.print.group == other && r.print.card == row->print.card &&
               r.print.driver == row->print.driver && r.print.duplex == row->print.duplex &&
               r.print.test == row->print.test && r.print.setup == row->print.setup;
      });
      if (found != rows.end())
        pairs.push_back({row->print.average(), found->print.average(), std::abs(*row->average_residual())});
    }
    if (pairs.size() < fewest_rows) continue;
    const double constant = best_constant(pairs);
    list.push_back(judged(fmt::format("{} x {:.3f}", other, constant), pairs, constant));
  }
  return list;
}

}  // namespace planar
