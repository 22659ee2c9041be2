// SPDX-License-Identifier: GPL-2.0-or-later
// A card's entry in the registry and the options its user chose, whatever its bus. What is specific to a bus (the slot
// that a card is built into, the card as the slot sees it) is in that bus's folder: mca/mca_entry.hpp.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
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

/// What an adapter is built with, apart from its slot.
struct AdapterOptions {
  unsigned slot_number = 0;        ///< counted from 0; part of the station address and seed
  net::Medium* medium = nullptr;   ///< null: the cable is not plugged in
  std::optional<std::string> mac;  ///< "00:00:d8:01:02:03"; default: an address with the card's own prefix
  /// Timing values overridden by the user, as name and value with unit; an unknown name or bad value throws Error.
  std::vector<std::pair<std::string, std::string>> settings;
  std::uint64_t seed = 1;  ///< of the lab; with machine and slot it gives the station's backoff generator its seed
  unsigned machine = 0;    ///< its number in the lab, 0 to 7
};

/// The machine's processor, as far as a card may depend on it.
enum class ProcessorGeneration : std::uint8_t { i386, i486, pentium, p6 };

/// The limits of a card that has one more than its relatives.
template <std::size_t N>
consteval auto limits_and(const std::string_view (&common)[N], auto... own) {
  std::array<std::string_view, N + sizeof...(own)> limits{};
  const std::array<std::string_view, sizeof...(own)> more{own...};
  std::copy(more.begin(), more.end(), std::copy(std::begin(common), std::end(common), limits.begin()));
  return limits;
}

/// Describes a card, whatever its bus.
struct AdapterEntry {
  std::string_view name;     ///< on the command line: "ne2"
  std::string_view title;    ///< "Novell NE/2"
  std::uint16_t adapter_id;  ///< the ID that configuration knows the card by: its default POS ID, or its PCI device ID
  MediumKind medium;
  std::string_view data_path;                ///< "PIO (remote DMA)", "shared RAM", "bus master"...
  unsigned bus_width;                        ///< bits
  std::span<const std::string_view> limits;  ///< what is not modelled, one sentence each
  /// Why a machine with this processor cannot take the card; empty if it can. Null: every machine can.
  std::string_view (*refusal)(ProcessorGeneration processor);
  /// No public programming information exists: the interface is planar's own definition, and every report says so.
  bool hypothetical;
  std::string_view profile;  ///< file name of the timing profile, if it is not `name`
  /// Bits per second, for a ring adapter that cannot do 16 Mbit/s; 0: the medium's own rate.
  std::uint64_t medium_rate;
  bool full_duplex;         ///< can send and receive at the same time
  std::uint16_t vendor;     ///< its PCI vendor ID; 0 on other buses
  bool delays_interrupts;   ///< has timers by which its driver can have interrupts delayed
  std::string_view on_bus;  ///< the expansion bus it is made for

  std::string_view bus() const { return on_bus; }
  /// Two such cards agree on full duplex by themselves: auto-negotiation at 10, 100 and 1000 Mbit/s.
  bool agrees_on_full_duplex() const {
    return full_duplex && (medium == MediumKind::ethernet_100 || medium == MediumKind::ethernet_1000);
  }
  /// The values of its timing profile.
  std::vector<TimingValue> timing() const {
    return TimingProfile::embedded(profile_path(profile.empty() ? name : profile)).rows();
  }
};

/// A card's registry row as the card declares it: the fields of AdapterEntry, and the function that builds it. `Bus` is
/// the expansion bus: its name, and the types Context (AdapterOptions with the slot) and Parts (the card).
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
  bool delays_interrupts = false;

  std::vector<TimingValue> timing() const { return entry().timing(); }
  AdapterEntry entry() const {
    return {name,         title,   adapter_id,  medium,      data_path, bus_width,         limits,   refusal,
            hypothetical, profile, medium_rate, full_duplex, vendor,    delays_interrupts, Bus::name};
  }
};

}  // namespace planar
