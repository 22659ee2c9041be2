// SPDX-License-Identifier: GPL-2.0-or-later
// The options that every Ethernet adapter reads: manufacturer ID, station address, timing profile, seed.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "devices/adapter/adapter_entry.hpp"
#include "devices/adapter/timing_profile.hpp"
#include "devices/medium/ethernet/ethernet_frame.hpp"

namespace planar::ethernet {

/// An adapter ID under which the same board was also sold, and its vendor.
struct OemId {
  std::uint16_t id;
  std::string_view maker;
};

struct StationOptions {
  std::uint16_t adapter_id;  ///< the first OEM ID, or the one chosen by the setting "adapter_id"
  net::MacAddress mac;       ///< the user's, or the maker's prefix and 01:(2 + machine number):(slot number)
  TimingProfile profile;     ///< the card's timing profile with the user's overrides
  std::uint64_t seed;        ///< for the station's backoff generator
};

/// Reads the options of `card`. Throws Error for an ID not in `ids`, a bad address or an unknown timing value.
StationOptions station_options(const AdapterOptions& given, std::string_view card, std::span<const OemId> ids,
                               std::array<std::uint8_t, 3> maker_prefix);

}  // namespace planar::ethernet
