// SPDX-License-Identifier: GPL-2.0-or-later
// What a card says of itself to the registry, and what it is built with.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bus/mca/slot.hpp"
#include "devices/adapter/network_adapter.hpp"
#include "devices/adapter/storage_adapter.hpp"
#include "devices/adapter/timing_profile.hpp"
#include "devices/medium/medium_kind.hpp"

namespace planar {

/// What an adapter is built with.
struct AdapterContext {
  bus::Slot& slot;
  net::Medium* medium = nullptr;   ///< null: the cable is not plugged in
  std::optional<std::string> mac;  ///< "00:00:d8:01:02:03"; a default with the card's own prefix otherwise
  /// Timing values overridden by the user, name and value with unit; an unknown name or a bad value throws Error.
  std::vector<std::pair<std::string, std::string>> settings;
  std::uint64_t seed = 1;  ///< of the lab; the station's backoff generator derives from it, the machine and the slot
  unsigned machine = 0;    ///< its number in the lab, 0 to 7
};

/// A card, seen from its slot, and the same object as what it is to the rest of the machine; null where it is none.
struct AdapterParts {
  std::unique_ptr<bus::Adapter> card;
  NetworkAdapter* network = nullptr;
  StorageAdapter* storage = nullptr;
};

/// The expansion bus that a card is made for.
enum class BusKind : std::uint8_t { micro_channel };
constexpr std::string_view to_string(BusKind) { return "micro-channel"; }

/// The processor of the machine, as far as a card may depend on it.
enum class ProcessorGeneration : std::uint8_t { i386, i486, pentium };

/// A card's row of the registry.
struct AdapterEntry {
  std::string_view name;     ///< of the command line: "ne2"
  std::string_view title;    ///< "Novell NE/2"
  std::uint16_t adapter_id;  ///< POS ID by default
  MediumKind medium;
  std::string_view data_path;  ///< "PIO (remote DMA)", "shared RAM", "bus master"...
  unsigned bus_width;          ///< bits
  AdapterParts (*make)(const AdapterContext& context);
  std::span<const std::string_view> limits;  ///< what is not modelled, one sentence each
  /// Why a machine with this processor cannot hold the card; empty if it can. Null: it fits all.
  std::string_view (*refusal)(ProcessorGeneration processor) = nullptr;
  /// No public programming information exists: the interface is planar's own declaration, and every report says so.
  bool hypothetical = false;
  std::string_view profile{};  ///< name of the timing profile's file if it is not `name`
  BusKind bus = BusKind::micro_channel;

  /// The values of its timing profile.
  std::vector<TimingValue> timing() const {
    return TimingProfile::embedded(profile_path(profile.empty() ? name : profile)).rows();
  }
};

}  // namespace planar
