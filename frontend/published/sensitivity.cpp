// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/published/sensitivity.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "machines/machine_config.hpp"
#include "machines/machine_files.hpp"

namespace planar {
namespace {

UncertainValue half_to_double(std::string name, Time used) {
  const auto text = [](Time t) { return fmt::format("{} ps", t.ps); };
  return {std::move(name), fmt::format("{} ns", used.ps / 1000), text(Time{used.ps / 2}), text(used * 2)};
}

}  // namespace

std::vector<UncertainValue> uncertain_values(const std::string& machine) {
  Config config = load_machine(machine);
  const MachineConfig m = read_machine(config);
  std::vector<UncertainValue> values{half_to_double("peer.turnaround", m.peer_turnaround),
                                     half_to_double("channel.synchronisation", config.time("channel.synchronisation"))};
  for (const char* name : {"memory.dram.read_miss", "memory.dram.write_miss"}) {
    const auto clocks = config.integer(name, 2, 63);
    values.push_back({name, fmt::format("{} clocks", clocks), std::to_string(std::max<std::int64_t>(2, clocks - 1)),
                      std::to_string(clocks + 1)});
  }
  return values;
}

Cell with_value(Cell cell, const std::string& name, const std::string& value) {
  cell.settings.insert(cell.settings.end(), {"--set", fmt::format("{}={}", name, value)});
  std::string tag = fmt::format("{}-{}", name, value);
  std::replace(tag.begin(), tag.end(), ' ', '-');
  cell.variant += (cell.variant.empty() ? "" : "-") + tag;
  return cell;
}

std::optional<SensitiveRow::Band> SensitiveRow::band() const {
  const auto ours = row.average();
  if (!ours) return {};
  Band band{*ours, *ours};
  for (const Effect& effect : effects) {
    if (!effect.low || !effect.high) return {};
    const auto [least, most] = std::minmax({0.0, *effect.low - *ours, *effect.high - *ours});
    band.from += least;
    band.to += most;
  }
  return band;
}

std::optional<bool> SensitiveRow::within() const {
  const auto open = band();
  if (!open) return {};
  const double print = row.print.average();
  return open->from <= print && print <= open->to;
}

}  // namespace planar
