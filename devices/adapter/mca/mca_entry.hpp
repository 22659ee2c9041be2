// SPDX-License-Identifier: GPL-2.0-or-later
// A Micro Channel card's registry row, the context it is built with, and the parts that result.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bus/mca/slot.hpp"
#include "devices/adapter/adapter_entry.hpp"
#include "devices/adapter/network_adapter.hpp"
#include "devices/adapter/storage_adapter.hpp"

namespace planar {

/// What an adapter is built with: its slot and its options.
struct McaContext : AdapterOptions {
  McaContext(bus::Slot& at, net::Medium* medium = nullptr, std::optional<std::string> mac = {},
             std::vector<std::pair<std::string, std::string>> settings = {}, std::uint64_t seed = 1,
             unsigned machine = 0)
      : AdapterOptions{at.number(), medium, std::move(mac), std::move(settings), seed, machine}, slot(at) {}

  bus::Slot& slot;
};

/// A card as its slot sees it, and the same object by its other interfaces; null where it lacks one.
struct McaParts {
  std::unique_ptr<bus::Adapter> card;
  NetworkAdapter* network = nullptr;
  StorageAdapter* storage = nullptr;
};

struct MicroChannel {
  static constexpr std::string_view name = "micro-channel";
  using Context = McaContext;
  using Parts = McaParts;
};
using McaEntry = AdapterRow<MicroChannel>;

}  // namespace planar
