// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/comparison/delivered.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "machines/registry/adapter_registry.hpp"

namespace planar {

bool differs_from_delivered(const Benchmark& benchmark, const CellOutcome& o, std::uint32_t size) {
  return o.result && benchmark.differs_from_delivered(*o.result, size);
}

std::string figure_text(const Benchmark& benchmark, const CellOutcome& o, std::uint32_t size) {
  const auto figure = o.figure(benchmark, size);
  if (!figure) return "-";
  return fmt::format("{:.1f}{}", *figure, differs_from_delivered(benchmark, o, size) ? "*" : "");
}

std::string delivered_note(const Comparison& c) {
  std::string cells;
  double most = 0;
  for (const CellOutcome& o : c.outcomes) {
    std::string sizes;
    for (const auto size : c.sizes) {
      if (!differs_from_delivered(c.benchmark, o, size)) continue;
      sizes += fmt::format("{}{} {:.1f}", sizes.empty() ? "" : ", ", c.benchmark.row_name(size),
                           *o.delivered(c.benchmark, size));
      most = std::max(most, c.benchmark.excess(*o.result, size));
    }
    if (!sizes.empty())
      cells += fmt::format("{}{} in {}: {}", cells.empty() ? "" : "; ", card_name(o.cell), o.cell.machine, sizes);
  }
  if (cells.empty()) return {};
  // What a queue holds does not depend on the length of the run.
  const auto seconds = std::ceil(std::strtod(c.seconds.c_str(), nullptr) * most / Benchmark::tolerated_excess);
  return fmt::format("{}. With --seconds {:.0f} or more both agree", c.benchmark.delivered_note(cells), seconds);
}

std::string delivered_csv(const Comparison& c) {
  std::string out;
  for (const CellOutcome& o : c.outcomes)
    for (const auto size : c.sizes)
      if (const auto value = o.delivered(c.benchmark, size))
        out += fmt::format("{},{},{},{}_delivered,{:.2f},{},{}\n", csv_field(o.cell.machine),
                           csv_field(o.cell.card_option()), size, c.benchmark.metric, *value, c.benchmark.unit,
                           find_adapter(o.cell.card).hypothetical ? "yes" : "no");
  return out;
}

}  // namespace planar
