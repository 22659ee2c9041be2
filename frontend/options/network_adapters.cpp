// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/options/network_adapters.hpp"

#include <algorithm>

namespace planar {

std::vector<Plugged> network_adapters(const Config& config) {
  std::vector<Plugged> found;
  for (const std::string& slot : config.children("slot"))
    for (const AdapterEntry& row : adapter_registry())
      if (const std::string path = "slot." + slot; row.name == config.peek_text(path + ".card"))
        found.push_back({slot, &row, config.peek_text(path + ".enabled") != "false"});
  std::ranges::sort(found, {}, &Plugged::slot);
  return found;
}

}  // namespace planar
