// SPDX-License-Identifier: GPL-2.0-or-later
// Selects devices of a lab's machines by name and describes their present state.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/state/description.hpp"
#include "core/time/time.hpp"
#include "machines/lab/lab.hpp"

namespace planar {

struct MachineDevices {
  std::string machine;  ///< its name in a lab of several; otherwise the model's
  Time at{};            ///< the virtual time up to which its devices are shown
  std::vector<Description> devices;
};

/// Describes the devices named in `chosen`, or all if it is empty, without changing anything. A name is that of a
/// device ("pic", "slot1.ne2"), of its card or slot alone ("ne2", "slot1"), or either of these after a machine's name
/// and a dot ("client.pic"); a machine's name alone selects all of its devices. What is named without a machine is
/// described of each, or of machine `selected` alone. Throws Error, with a suggestion or the devices, for a name that
/// matches nothing.
std::vector<MachineDevices> describe_devices(Lab& lab, const std::vector<std::string>& chosen,
                                             std::optional<std::size_t> selected = {});

/// Each machine under a heading with its time, each device under its name.
std::string to_text(const std::vector<MachineDevices>& machines);
/// {"schema": "planar.describe/1", "machines": [{"name", "virtual_ps", "devices": [...]}]}.
nlohmann::ordered_json to_json(const std::vector<MachineDevices>& machines);

}  // namespace planar
