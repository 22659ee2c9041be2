// SPDX-License-Identifier: GPL-2.0-or-later
// What can be chosen about a ring.
#pragma once

#include <cstdint>

namespace planar::net {

struct RingConfig {
  std::uint64_t bits_per_second = 16'000'000;  ///< 4'000'000 or 16'000'000
  bool full_duplex = false;                    ///< dedicated: the two stations that ask for it transmit at once
  bool early_token_release = true;             ///< of plain stations, at 16 Mbit/s; adapters say it themselves
  unsigned lobe_metres = 30;                   ///< every station's cable
  bool quick_insertion = false;                ///< no waiting in the phases of insertion
  bool source_routing = false;                 ///< a source-routing bridge is on it: plain stations explore
  bool stepwise = false;                       ///< test hook: an event at each station that the idle token passes
};

}  // namespace planar::net
