// SPDX-License-Identifier: GPL-2.0-or-later
// What every Ethernet adapter reads from its options: the maker's ID, the station address, the timing profile, the
// seed.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "devices/adapter/adapter_entry.hpp"
#include "devices/adapter/timing_profile.hpp"
#include "devices/medium/ethernet/ethernet_frame.hpp"

namespace planar::ethernet {

/// An adapter ID that the same board is known by, and whose it is.
struct OemId {
  std::uint16_t id;
  std::string_view maker;
};

struct StationOptions {
  std::uint16_t adapter_id;  ///< the first of the OEM IDs, or the one that the setting "adapter_id" names
  net::MacAddress mac;       ///< the user's, or the maker's prefix and 01:(2 + number of the machine):(slot number)
  TimingProfile profile;     ///< devices/ethernet/CARD.toml with the user's values in it
  std::uint64_t seed;        ///< of the station's backoff generator
};

/// Reads the options of `card`. Throws Error for an ID that is none of `ids`, a bad address, an unknown timing value.
StationOptions station_options(const AdapterOptions& given, std::string_view card, std::span<const OemId> ids,
                               std::array<std::uint8_t, 3> maker_prefix);

}  // namespace planar::ethernet
