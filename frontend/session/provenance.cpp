// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/session/provenance.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>

#include "core/state/sha256.hpp"
#include "planar_commit.hpp"  // generated: frontend/commit.cmake

namespace planar {
namespace {

using nlohmann::ordered_json;

ordered_json card_provenance(const CardConfig& card) {
  ordered_json j{{"slot", card.slot}, {"card", card.name}};
  if (!card.enabled) j["enabled"] = false;
  for (const auto& [key, value] : card.pins) j[key] = value;
  if (card.mac) j["mac"] = *card.mac;
  if (!card.driver.empty()) j["driver"] = card.driver;
  return j;
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
  for (const CardConfig& card : machine.cards) {
    j["cards"].push_back(card_provenance(card));
    for (const auto& [key, value] : card.settings) j["set"].push_back(fmt::format("{}.{}={}", card.name, key, value));
  }
  return j;
}

/// The settings of a resolved file, one a line in the order of their names: the same for a lab and for what a snapshot
/// of it restores. Empty texts are as good as left out.
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

std::string build_commit() { return PLANAR_COMMIT; }

ordered_json program_provenance() { return {{"version", PLANAR_VERSION}, {"commit", build_commit()}}; }

ordered_json configuration_provenance(Lab& lab) {
  ordered_json j{{"sha256", sha256_hex(in_order(lab.configuration()))}};
  if (lab.machines() == 1) {
    j.update(machine_provenance(lab.machine().config()));
  } else {
    j["machines"] = ordered_json::array();
    for (std::size_t n = 0; n < lab.machines(); ++n)
      j["machines"].push_back(machine_provenance(lab.machine(n).config()));
  }
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
