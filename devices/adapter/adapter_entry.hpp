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
enum class ProcessorGeneration : std::uint8_t { i386, i486, pentium };

/// A card's row of the registry. `Bus` is the expansion bus that it is made for: its name, and the types Context (an
/// AdapterOptions with the slot) and Parts (the card).
template <class Bus>
struct AdapterRow {
  std::string_view name;     ///< of the command line: "ne2"
  std::string_view title;    ///< "Novell NE/2"
  std::uint16_t adapter_id;  ///< by which configuration knows the card: on the Micro Channel its POS ID by default
  MediumKind medium;
  std::string_view data_path;  ///< "PIO (remote DMA)", "shared RAM", "bus master"...
  unsigned bus_width;          ///< bits
  typename Bus::Parts (*make)(const typename Bus::Context& context);
  std::span<const std::string_view> limits;  ///< what is not modelled, one sentence each
  /// Why a machine with this processor cannot hold the card; empty if it can. Null: it fits all.
  std::string_view (*refusal)(ProcessorGeneration processor) = nullptr;
  /// No public programming information exists: the interface is planar's own declaration, and every report says so.
  bool hypothetical = false;
  std::string_view profile{};  ///< name of the timing profile's file if it is not `name`
  /// Bits per second, of a ring adapter that does not do 16 Mbit/s; 0: its medium's own.
  std::uint64_t medium_rate = 0;
  bool full_duplex = false;  ///< it can send and receive at once

  static constexpr std::string_view bus() { return Bus::name; }
  /// The values of its timing profile.
  std::vector<TimingValue> timing() const {
    return TimingProfile::embedded(profile_path(profile.empty() ? name : profile)).rows();
  }
};

}  // namespace planar
