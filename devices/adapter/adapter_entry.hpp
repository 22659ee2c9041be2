// SPDX-License-Identifier: GPL-2.0-or-later
// What a card says of itself to the registry, and what its user chose for it, whatever bus it is made for. What a bus
// adds (the slot that a card is built into, the card as the slot sees it) is in that bus's folder: mca/mca_entry.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "devices/adapter/timing_profile.hpp"
#include "devices/medium/medium.hpp"
#include "devices/medium/medium_kind.hpp"

namespace planar {

/// What an adapter is built with, its slot excepted.
struct AdapterOptions {
  unsigned slot_number = 0;        ///< of its slot, from 0: part of its station address and seed
  net::Medium* medium = nullptr;   ///< null: the cable is not plugged in
  std::optional<std::string> mac;  ///< "00:00:d8:01:02:03"; a default with the card's own prefix otherwise
  /// Timing values overridden by the user, name and value with unit; an unknown name or a bad value throws Error.
  std::vector<std::pair<std::string, std::string>> settings;
  std::uint64_t seed = 1;  ///< of the lab; the station's backoff generator derives from it, the machine and the slot
  unsigned machine = 0;    ///< its number in the lab, 0 to 7
};

/// The processor of the machine, as far as a card may depend on it.
enum class ProcessorGeneration : std::uint8_t { i386, i486, pentium, p6 };

/// What a card is, whatever bus it is made for.
struct AdapterEntry {
  std::string_view name;     ///< of the command line: "ne2"
  std::string_view title;    ///< "Novell NE/2"
  std::uint16_t adapter_id;  ///< by which configuration knows the card: its POS ID by default, or its PCI device ID
  MediumKind medium;
  std::string_view data_path;                ///< "PIO (remote DMA)", "shared RAM", "bus master"...
  unsigned bus_width;                        ///< bits
  std::span<const std::string_view> limits;  ///< what is not modelled, one sentence each
  /// Why a machine with this processor cannot hold the card; empty if it can. Null: it fits all.
  std::string_view (*refusal)(ProcessorGeneration processor);
  /// No public programming information exists: the interface is planar's own declaration, and every report says so.
  bool hypothetical;
  std::string_view profile;  ///< name of the timing profile's file if it is not `name`
  /// Bits per second, of a ring adapter that does not do 16 Mbit/s; 0: its medium's own.
  std::uint64_t medium_rate;
  bool full_duplex;         ///< it can send and receive at once
  std::uint16_t vendor;     ///< its PCI vendor ID; 0 on other buses
  std::string_view on_bus;  ///< the expansion bus that it is made for

  std::string_view bus() const { return on_bus; }
  /// Two of them agree on full duplex by themselves: auto-negotiation of 10, 100 and 1000 Mbit/s.
  bool agrees_on_full_duplex() const {
    return full_duplex && (medium == MediumKind::ethernet_100 || medium == MediumKind::ethernet_1000);
  }
  /// The values of its timing profile.
  std::vector<TimingValue> timing() const {
    return TimingProfile::embedded(profile_path(profile.empty() ? name : profile)).rows();
  }
};

/// A card's row of the registry, as the card declares it: AdapterEntry's fields, and what builds it. `Bus` is the
/// expansion bus: its name, and the types Context (an AdapterOptions with the slot) and Parts (the card).
template <class Bus>
struct AdapterRow {
  std::string_view name;
  std::string_view title;
  std::uint16_t adapter_id;
  MediumKind medium;
  std::string_view data_path;
  unsigned bus_width;
  typename Bus::Parts (*make)(const typename Bus::Context& context);
  std::span<const std::string_view> limits;
  std::string_view (*refusal)(ProcessorGeneration processor) = nullptr;
  bool hypothetical = false;
  std::string_view profile{};
  std::uint64_t medium_rate = 0;
  bool full_duplex = false;
  std::uint16_t vendor = 0;

  std::vector<TimingValue> timing() const { return entry().timing(); }
  AdapterEntry entry() const {
    return {name,    title,        adapter_id, medium,      data_path,   bus_width, limits,
            refusal, hypothetical, profile,    medium_rate, full_duplex, vendor,    Bus::name};
  }
};

}  // namespace planar
