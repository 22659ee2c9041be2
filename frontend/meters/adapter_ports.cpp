// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/meters/adapter_ports.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "frontend/guest/guest_image.hpp"
#include "machines/registry/adapter_registry.hpp"

namespace planar {

AdapterPorts::AdapterPorts(Lab& lab, std::size_t machine) : lab_(lab), number_(machine) {}

bool AdapterPorts::contains(std::string_view port) const { return lab_.is_adapter_of(number_, port); }

std::vector<net::Medium*> AdapterPorts::media() const { return lab_.media_of(number_); }

std::vector<net::Medium*> AdapterPorts::used_media() const {
  const MachineConfig& config = lab_.machine(number_).config();
  const auto settings = settings_of(lab_.diskette_image(number_));
  if (settings.empty() || !config.net_bond.empty() || setting(settings, "bond") || setting(settings, "forward"))
    return media();
  const auto used = std::min_element(config.cards.begin(), config.cards.end(), [](const auto& a, const auto& b) {
    const auto rank = [](const CardConfig& card) {
      return std::pair(!card.enabled || find_adapter(card.name).medium == MediumKind::scsi, card.slot);
    };
    return rank(a) < rank(b);
  });
  if (used == config.cards.end()) return {};
  const std::string name = fmt::format("{}slot{}.", config.name_prefix(), used->slot);
  auto list = media();
  std::erase_if(list, [&](const net::Medium* medium) {
    return std::none_of(medium->ports().begin(), medium->ports().end(),
                        [&](const net::Port* port) { return port && port->name().starts_with(name); });
  });
  return list;
}

}  // namespace planar
