// SPDX-License-Identifier: GPL-2.0-or-later
// The network adapters of a configuration, before the machine is built.
#pragma once

#include <string>
#include <vector>

#include "machines/config/config.hpp"
#include "machines/registry/adapter_registry.hpp"

namespace planar {

struct Plugged {
  std::string slot;
  const AdapterEntry* card;
  bool enabled;  ///< by POST; the guest's drivers skip the others
};
/// By slot.
std::vector<Plugged> network_adapters(const Config& config);

}  // namespace planar
