// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/published/sensitivity.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "devices/adapter/timing_profile.hpp"
#include "machines/config/machine_config.hpp"
#include "machines/config/machine_files.hpp"
#include "machines/registry/adapter_registry.hpp"

namespace planar {
namespace {

constexpr Time start_up = 10_ms;

/// In the largest unit that expresses it exactly.
std::string text_of(Time t) {
  if (t.ps % 1'000'000 == 0) return fmt::format("{} µs", t.ps / 1'000'000);
  if (t.ps % 1'000 == 0) return fmt::format("{} ns", t.ps / 1'000);
  return fmt::format("{} ps", t.ps);
}

UncertainValue half_to_double(std::string name, Time used) {
  return {std::move(name), text_of(used), text_of(Time{used.ps / 2}), text_of(used * 2)};
}

/// The ranges that docs/hardware/p6.md gives for memory on boards of the period, the second level, repeated strings,
/// interrupts and page walks.
void add_values_of_p6(std::vector<UncertainValue>& values, const cpu::TimingConfig& t) {
  const auto clocks = [&](const char* name, unsigned used, unsigned low, unsigned high) {
    values.push_back({name, fmt::format("{} clocks", used), std::to_string(low), std::to_string(high)});
  };
  clocks("cpu.repeat_start", t.repeat_start, 15, 72);
  clocks("cpu.repeat_slow_start", t.repeat_slow_start, 15, 70);
  clocks("cpu.interrupt_entry", t.interrupt_entry, std::max(10, t.interrupt_entry - 10), t.interrupt_entry + 10u);
  clocks("cpu.interrupt_return", t.interrupt_return, std::max(10, t.interrupt_return - 10), t.interrupt_return + 10u);
  clocks("cpu.page_walk", t.page_walk, 1, 10);
  clocks("l2.latency", t.l2.latency, std::max(1, t.l2.latency - 3), t.l2.latency + 4u);
  clocks("l2.line_clocks", t.l2.line_clocks, (t.l2.line_clocks + 1u) / 2, t.l2.line_clocks * 2u);
  clocks("memory.dram.read_hit", t.dram.read_hit, std::max(2, t.dram.read_hit - 3),
         std::min<unsigned>(t.dram.read_hit + 3u, t.dram.read_miss));
  clocks("memory.dram.line_clocks", t.dram.line_clocks, std::max(4, t.dram.line_clocks - 1), t.dram.line_clocks + 1u);
}

bool contains(double value, const SensitiveRow::Band& band) { return band.from <= value && value <= band.to; }

}  // namespace

std::vector<UncertainValue> uncertain_values(const Cell& cell) {
  Config config = load_machine(cell.machine);
  for (const std::string& setting : cell.settings)  // what the row assumes about the other end
    if (const auto equals = setting.find('='); setting.starts_with("peer.") && equals != std::string::npos)
      config.set(setting.substr(0, equals), setting.substr(equals + 1), "--set " + setting);
  const MachineConfig m = read_machine(config);
  std::vector<UncertainValue> values{half_to_double("peer.turnaround", m.peer_turnaround)};
  for (const char* name :
       {"channel.synchronisation", "pci.synchronisation", "pci.completion", "pci.memory_line", "pci.read_access"})
    if (config.has(name) && config.time(name) > Time{}) values.push_back(half_to_double(name, config.time(name)));
  for (const char* name : {"memory.dram.read_miss", "memory.dram.write_miss"}) {
    const auto clocks = config.integer(name, 2, 63);
    values.push_back({name, fmt::format("{} clocks", clocks), std::to_string(std::max<std::int64_t>(2, clocks - 1)),
                      std::to_string(clocks + 1)});
  }
  if (m.timing.model == cpu::Model::p6) add_values_of_p6(values, m.timing);
  values.push_back({"peer.receive_buffer", fmt::format("{} bytes", m.peer_receive_buffer), "32767", "65535"});
  if (find_adapter(cell.card).medium == MediumKind::ethernet_10) {
    constexpr unsigned used = net::longest_coax / 3;
    values.push_back({"net.length", fmt::format("{} m", used), std::to_string(used / 2), std::to_string(used * 2)});
  }
  return values;
}

std::vector<UncertainValue> inferred_times(const std::string& card) {
  std::vector<UncertainValue> values;
  const TimingProfile profile = TimingProfile::embedded(profile_path(card));
  for (const ProfileValue& v : profile.values()) {
    if (v.confidence != "inferred" || v.value == 0) continue;
    UncertainValue value;
    if (v.unit == "clocks")
      value = {v.name, {}, std::to_string((v.value + 1) / 2), std::to_string(v.value * 2)};
    else if (v.unit == "ps" || v.unit == "ns" || v.unit == "us")
      value = half_to_double(v.name, profile.time(v.name));
    else
      continue;
    if (v.unit != "clocks" && profile.time(v.name) >= start_up) continue;
    value.name = fmt::format("{}.{}", card, v.name);
    value.used = fmt::format("{} {}", v.value, v.unit);
    value.of_card = true;
    values.push_back(std::move(value));
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

std::optional<SensitiveRow::Band> SensitiveRow::band(Values which) const {
  const auto ours = row.average();
  if (!ours) return {};
  Band band{*ours, *ours};
  for (const Effect& effect : effects) {
    if (effect.value.of_card && which == Values::shared) continue;
    if (!effect.low || !effect.high) return {};
    const auto [least, most] = std::minmax({0.0, *effect.low - *ours, *effect.high - *ours});
    band.from += least;
    band.to += most;
  }
  return band;
}

std::optional<bool> SensitiveRow::within(Values which) const {
  const auto open = band(which);
  if (!open) return {};
  return contains(row.print.average(), *open);
}

std::optional<SensitiveRow::Band> SensitiveRow::load_band() const {
  if (phases.empty() || !row.run()) return {};
  const auto used = (*row.ours->result)["cpu_load_percent"].get<double>();
  Band band{used, used};
  for (const PhaseRun& run : phases) {
    if (!run.load) return {};
    band = {std::min(band.from, *run.load), std::max(band.to, *run.load)};
  }
  return band;
}

std::optional<bool> SensitiveRow::load_within() const {
  const auto open = load_band();
  if (!open || !row.print.load) return {};
  return contains(*row.print.load, *open);
}

}  // namespace planar
