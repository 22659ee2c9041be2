// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/comparison/converged.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "frontend/guest_benchmarks/netio_converge.hpp"

namespace planar {

std::string converged_note(const std::vector<CellOutcome>& outcomes) {
  std::size_t all = 0, early = 0;
  double least = std::numeric_limits<double>::infinity(), most = 0, percent = 0, whole = 0;
  for (const CellOutcome& o : outcomes) {
    if (!o.result || !o.result->contains("converged")) continue;
    const auto& converged = (*o.result)["converged"];
    ++all;
    percent = converged["percent"].get<double>();
    whole = converged["of_seconds"].get<double>();
    if (!ended_early(*o.result)) continue;
    ++early;
    for (const auto& row : converged["rows"]) {
      least = std::min(least, row["seconds"].get<double>());
      most = std::max(most, row["seconds"].get<double>());
    }
  }
  if (all == 0) return {};
  std::string out = fmt::format("--converge {:g}: figures for {:g} s per size, meant to be within {:g} % of them; ",
                                percent, whole, percent);
  if (early == 0) return out + "no run ended early";
  out += fmt::format("{} of {} runs ended early, after {:g}{} s per size", early, all, least,
                     most > least ? fmt::format(" to {:g}", most) : "");
  return out + ", and their load is measured over this shorter time";
}

}  // namespace planar
