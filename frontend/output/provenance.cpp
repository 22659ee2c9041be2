// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/output/provenance.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>

#include "core/state/sha256.hpp"
#include "devices/adapter/timing_profile.hpp"
#include "machines/registry/adapter_registry.hpp"
#include "planar_commit.hpp"  // generated: frontend/commit.cmake

namespace planar {
namespace {

using nlohmann::ordered_json;

ordered_json card_provenance(const CardConfig& card) {
  ordered_json j{{"slot", card.slot}, {"card", card.name}};
  if (!card.enabled) j["enabled"] = false;
  for (const CardConfig::Pin& pin : card.pins) j[pin.key] = pin.value;
  if (card.mac) j["mac"] = *card.mac;
  if (!card.driver.empty()) j["driver"] = card.driver;
  return j;
}

/// What a card's timing values are listed under: its name, with the slot if another card of that name has other values.
std::string name_of_values(const MachineConfig& machine, const CardConfig& card) {
  const bool apart = std::any_of(machine.cards.begin(), machine.cards.end(), [&](const CardConfig& other) {
    return other.name == card.name && other.settings != card.settings;
  });
  return apart ? fmt::format("{}={}", card.slot, card.name) : card.name;
}

/// The timing values in force for a card: those of its profile, or the user's.
void add_timing(const std::string& card, const CardConfig& config, ordered_json& out) {
  const auto values = timing_values(config.name);
  for (const auto& [name, value] : values.items()) out[card + "." + name] = value;
  for (const auto& [key, value] : config.settings) out[card + "." + key] = value;
}

/// The lines of in_order() as names and values: "cpu.clock", or "1.cpu.clock" for the machines of a lab.
ordered_json settings_of(const std::string& ordered) {
  ordered_json settings = ordered_json::object();
  std::istringstream lines(ordered);
  for (std::string line; std::getline(lines, line);) {
    const auto equals = line.find(" = ");
    if (equals == std::string::npos) continue;
    std::string name = line.substr(0, equals);
    const auto open = name.find('['), close = name.find("].");
    if (open != std::string::npos && open > 0 && close != std::string::npos) {
      name.erase(close, 1);
      name[open] = '.';
      if (name.starts_with("0.")) name.erase(0, 2);
    }
    settings[name] = line.substr(equals + 3);
  }
  return settings;
}

ordered_json machine_provenance(const MachineConfig& machine) {
  ordered_json j;
  if (!machine.label.empty()) j["name"] = machine.label;
  j["built_in"] = machine.name;
  j["title"] = machine.title;
  j["clock_hz"] = machine.clock.hz();
  j["changes"] = machine.changes;
  j["cards"] = ordered_json::array();
  j["set"] = ordered_json::array();
  j["timing"] = ordered_json::object();
  for (const CardConfig& card : machine.cards) {
    j["cards"].push_back(card_provenance(card));
    const std::string name = name_of_values(machine, card);
    for (const auto& [key, value] : card.settings) j["set"].push_back(fmt::format("{}.{}={}", name, key, value));
    add_timing(name, card, j["timing"]);
  }
  return j;
}

/// The settings of a resolved file, one per line, sorted by name: the same for a lab and for the lab that its snapshot
/// restores. Settings with an empty text are left out.
std::string in_order(const std::string& resolved) {
  std::vector<std::string> settings;
  std::istringstream lines(resolved);
  std::string table;
  unsigned machines = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("[["))
      table = fmt::format("{}{}.", line, machines++);
    else if (line.starts_with("["))
      table = fmt::format("{}{}.", machines, line);
    else if (!line.empty() && !line.ends_with(" = \"\""))
      settings.push_back(table + line + "\n");
  }
  std::sort(settings.begin(), settings.end());
  return fmt::format("{}", fmt::join(settings, ""));
}

}  // namespace

ordered_json timing_values(const std::string& card) {
  ordered_json values = ordered_json::object();
  for (const TimingValue& v : find_adapter(card).timing())
    if (!v.rule) values[v.name] = v.value;
  return values;
}

std::string build_commit() { return PLANAR_COMMIT; }

ordered_json program_provenance() { return {{"version", PLANAR_VERSION}, {"commit", build_commit()}}; }

ordered_json configuration_provenance(Lab& lab) {
  const std::string text = in_order(lab.configuration());
  ordered_json j{{"sha256", sha256_hex(text)}};
  if (lab.machines() == 1) {
    j.update(machine_provenance(lab.machine().config()));
  } else {
    j["machines"] = ordered_json::array();
    for (std::size_t n = 0; n < lab.machines(); ++n)
      j["machines"].push_back(machine_provenance(lab.machine(n).config()));
  }
  j["settings"] = settings_of(text);
  return j;
}

std::vector<std::string> host_command_line() {
  std::ifstream in("/proc/self/cmdline", std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  std::vector<std::string> words;
  for (std::size_t at = 0; at < text.size();) {
    const auto end = std::min(text.find('\0', at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

}  // namespace planar
