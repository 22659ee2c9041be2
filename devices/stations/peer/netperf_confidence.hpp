// SPDX-License-Identifier: GPL-2.0-or-later
// How often netperf 2.1 repeats a test, and the confidence interval of the mean (options -i and -I;
// docs/hardware/netperf.md).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/common/student_t.hpp"
#include "core/state/archive.hpp"

namespace planar::net {

/// netperf's own limit; its tables of Student's t end there.
inline constexpr unsigned most_netperf_runs = 30;

/// The requests of -i and -I. A single run without them.
struct NetperfRepetition {
  unsigned most = 1, least = 1;  ///< -i: at least `least` runs, and fewer than `most`
  unsigned level = 99;           ///< -I: 95 or 99 percent
  std::uint32_t width = 50'000;  ///< -I: full width of the interval, in millionths of the mean

  bool several() const { return most > 1 || least > 1; }
  /// The maximum number of runs.
  unsigned limit() const { return std::max(least, most - 1); }
  bool sensible() const {
    return least >= 1 && least <= most && most <= most_netperf_runs && (level == 95 || level == 99) && width >= 10 &&
           width <= 1'000'000;
  }
  void archive(Archive& a) { a(most, least, level, width); }
};

/// Width of the confidence interval of the mean of `results`, relative to that mean: 2 t s / (mean sqrt(n - 1)), where
/// the deviation s has n in its denominator and t has n - 1 degrees of freedom, two-sided. 0 for fewer than two results
/// or a mean of 0.
inline double netperf_width(std::span<const double> results, unsigned level) {
  const std::size_t n = results.size();
  if (n < 2) return 0;
  double sum = 0, squares = 0;
  for (const double r : results) sum += r;
  const double mean = sum / static_cast<double>(n);
  for (const double r : results) squares += (r - mean) * (r - mean);
  if (mean <= 0) return 0;
  const std::size_t degrees = std::min<std::size_t>(n, most_netperf_runs) - 1;
  const double t = level == 95 ? student_t95(degrees) : student_t99(degrees);
  return 2 * t * std::sqrt(squares / static_cast<double>(n)) / (mean * std::sqrt(static_cast<double>(n - 1)));
}

}  // namespace planar::net
