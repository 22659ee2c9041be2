// SPDX-License-Identifier: GPL-2.0-or-later
// Configuration of a ring.
#pragma once

#include <cstdint>

namespace planar::net {

struct RingConfig {
  std::uint64_t bits_per_second = 16'000'000;  ///< 4'000'000 or 16'000'000
  bool full_duplex = false;                    ///< dedicated: two stations that ask for it transmit immediately
  bool early_token_release = true;             ///< for plain stations at 16 Mbit/s; adapters set it themselves
  unsigned lobe_metres = 30;                   ///< cable length, the same for every station
  bool quick_insertion = false;                ///< insertion phases without waiting times
  bool source_routing = false;                 ///< a source-routing bridge is attached: plain stations explore
  bool stepwise = false;                       ///< test hook: an event at each station that the idle token passes
};

}  // namespace planar::net
