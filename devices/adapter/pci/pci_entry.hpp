// SPDX-License-Identifier: GPL-2.0-or-later
// A PCI card's registry row, the context it is built with, and the parts that result.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bus/common/card.hpp"
#include "bus/pci/function.hpp"
#include "bus/pci/slot.hpp"
#include "devices/adapter/adapter_entry.hpp"
#include "devices/adapter/network_adapter.hpp"

namespace planar {

/// What a PCI adapter is built with: its slot and its options.
struct PciContext : AdapterOptions {
  PciContext(pci::Slot& at, net::Medium* medium = nullptr, std::optional<std::string> mac = {},
             std::vector<std::pair<std::string, std::string>> settings = {}, std::uint64_t seed = 1,
             unsigned machine = 0)
      : AdapterOptions{at.number() ? at.number() - 1 : 0, medium, std::move(mac), std::move(settings), seed, machine},
        slot(at) {}

  pci::Slot& slot;
};

/// A card, and the same object by its other interfaces; null where it lacks one.
struct PciParts {
  std::unique_ptr<bus::Card> card;
  pci::Function* function = nullptr;
  NetworkAdapter* network = nullptr;
};

struct Pci {
  static constexpr std::string_view name = "pci";
  using Context = PciContext;
  using Parts = PciParts;
};
using PciEntry = AdapterRow<Pci>;

}  // namespace planar
