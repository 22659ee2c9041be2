// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/debug/lab_devices.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/common/edit_distance.hpp"
#include "core/common/error.hpp"
#include "core/common/small_letters.hpp"
#include "frontend/debug/description_text.hpp"

namespace planar {

namespace {

/// "slot1.ne2" also matches "slot1" and "ne2".
bool fits(const std::string& device, std::string_view name) {
  if (device == name) return true;
  const auto dot = device.find('.');
  return dot != std::string::npos && (device.substr(0, dot) == name || device.substr(dot + 1) == name);
}

/// One of the names given by the user, as it applies to the machines of a lab.
struct Asked {
  std::optional<std::size_t> machine;  ///< nothing: all
  std::string device;                  ///< in lower case like all device names; empty: all
  bool applies_to(std::size_t n) const { return !machine || *machine == n; }
};

Asked parse(Lab& lab, std::string_view name, std::optional<std::size_t> selected) {
  for (std::size_t n = 0; n < lab.machines(); ++n) {
    const std::string& machine = lab.name(n);
    if (name == machine) return {n, ""};
    if (!machine.empty() && name.starts_with(machine + '.'))
      return {n, small_letters(std::string(name.substr(machine.size() + 1)))};
  }
  return {selected, small_letters(std::string(name))};
}

[[noreturn]] void refuse(Lab& lab, const std::string& name, const Asked& asked) {
  std::vector<std::string> there;
  for (std::size_t n = 0; n < lab.machines(); ++n) {
    if (!asked.applies_to(n)) continue;
    for (const bus::SlotView& slot : lab.machine(n).board().slots())
      if (!slot.card && asked.device == fmt::format("slot{}", slot.number))
        throw Error(fmt::format("{}: the slot is empty; put a card into it with {}", name,
                                lab.machines() > 1 ? fmt::format("[machine.slot.{}] in the lab's file", slot.number)
                                                   : fmt::format("--card {}=CARD", slot.number)));
    for (const auto& device : lab.machine(n).devices())
      if (std::find(there.begin(), there.end(), device) == there.end()) there.push_back(device);
  }
  const auto guess = nearest(asked.device, there);
  throw Error(fmt::format("there is no device '{}'; {}", name,
                          guess.empty() ? fmt::format("the devices are {}", fmt::join(there, ", "))
                                        : fmt::format("did you mean '{}'?", guess)));
}

}  // namespace

std::vector<MachineDevices> describe_devices(Lab& lab, const std::vector<std::string>& chosen,
                                             std::optional<std::size_t> selected) {
  std::vector<MachineDevices> machines;
  std::vector<Asked> asked;
  for (const std::string& name : chosen) asked.push_back(parse(lab, name, selected));
  std::vector<bool> found(chosen.size());
  for (std::size_t n = 0; n < lab.machines(); ++n) {
    const Machine& machine = lab.machine(n);
    MachineDevices& entry = machines.emplace_back();
    entry.machine = lab.name(n).empty() ? machine.config().shown_name() : lab.name(n);
    entry.at = machine.now();
    for (const auto& device : machine.devices()) {
      bool wanted = chosen.empty();
      for (std::size_t k = 0; k < asked.size(); ++k) {
        if (!asked[k].applies_to(n) || (!asked[k].device.empty() && !fits(device, asked[k].device))) continue;
        wanted = found[k] = true;
      }
      if (wanted) entry.devices.push_back(machine.describe(device));
    }
  }
  for (std::size_t k = 0; k < chosen.size(); ++k)
    if (!found[k]) refuse(lab, chosen[k], asked[k]);
  std::erase_if(machines, [](const MachineDevices& m) { return m.devices.empty(); });
  return machines;
}

std::string to_text(const std::vector<MachineDevices>& machines) {
  std::string out;
  for (const auto& m : machines) {
    out += fmt::format("---- {} at {:.9f} s virtual ----\n", m.machine, m.at.seconds());
    for (const auto& device : m.devices) out += to_text(device);
  }
  return out;
}

nlohmann::ordered_json to_json(const std::vector<MachineDevices>& machines) {
  nlohmann::ordered_json j{{"schema", "planar.describe/1"}};
  for (const auto& m : machines) {
    nlohmann::ordered_json devices = nlohmann::ordered_json::array();
    for (const auto& device : m.devices) devices.push_back(to_json(device));
    j["machines"].push_back({{"name", m.machine}, {"virtual_ps", m.at.ps}, {"devices", std::move(devices)}});
  }
  return j;
}

}  // namespace planar
