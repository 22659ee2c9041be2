// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/comparison/delivered.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>

#include "frontend/output/labels.hpp"
#include "machines/registry/adapter_registry.hpp"

namespace planar {
namespace {

std::optional<double> delivered(const Benchmark& benchmark, const CellOutcome& o, std::uint32_t size) {
  return benchmark.delivered && o.result ? benchmark.delivered(*o.result, size) : std::nullopt;
}

}  // namespace

bool differs_from_delivered(const Benchmark& benchmark, const CellOutcome& o, std::uint32_t size) {
  return o.result && benchmark.excess(*o.result, size) > Benchmark::tolerated_excess;
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
      sizes += fmt::format("{}{} {:.1f}", sizes.empty() ? "" : ", ", size_name(size), *delivered(c.benchmark, o, size));
      most = std::max(most, c.benchmark.excess(*o.result, size));
    }
    if (!sizes.empty())
      cells += fmt::format("{}{} in {}: {}", cells.empty() ? "" : "; ", find_adapter(o.cell.card).title, o.cell.machine,
                           sizes);
  }
  if (cells.empty()) return {};
  // What a queue holds stays the same, however long the run is.
  const auto seconds = std::ceil(std::strtod(c.seconds.c_str(), nullptr) * most / Benchmark::tolerated_excess);
  return fmt::format(
      "* differs from what was delivered by more than 1 %: {} also counts what is still in a queue when the time is "
      "over. Delivered, {}: {}. With --seconds {:.0f} or more both agree",
      c.benchmark.verb, c.benchmark.unit, cells, seconds);
}

std::string delivered_csv(const Comparison& c) {
  std::string out;
  for (const CellOutcome& o : c.outcomes)
    for (const auto size : c.sizes)
      if (const auto value = delivered(c.benchmark, o, size)) {
        const auto card = o.cell.card_option();
        const bool quoted = card.find(',') != std::string::npos;
        out += fmt::format("{},{}{}{},{},{}_delivered,{:.2f},{},{}\n", o.cell.machine, quoted ? "\"" : "", card,
                           quoted ? "\"" : "", size, c.benchmark.metric, *value, c.benchmark.unit,
                           find_adapter(o.cell.card).hypothetical ? "yes" : "no");
      }
  return out;
}

}  // namespace planar
