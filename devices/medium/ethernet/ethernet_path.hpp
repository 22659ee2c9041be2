// SPDX-License-Identifier: GPL-2.0-or-later
// What lies between two stations of an Ethernet segment, and how long a signal is on its way
// (docs/hardware/netio-path.md#the-path).
#pragma once

#include <cstdint>
#include <string_view>

#include "core/time/time.hpp"

namespace planar::net {

/// cable: a bare cable, which delays everything alike. coax: 10BASE2 with a transceiver at each station.
/// twisted_pair: 10BASE-T, two links and a hub between them.
enum class PathKind : std::uint8_t { cable, coax, twisted_pair };

inline constexpr std::string_view path_names[] = {"cable", "10base2", "10base-t"};  // in the order of PathKind

/// From one station's interface to another's, in half duplex at 10 Mbit/s. A transceiver passes bits on only after it
/// has lost the first few, so that carrier sense comes late and the rest of the frame sooner.
struct PathDelays {
  Time begins;    ///< first preamble bit leaves until carrier is sensed
  Time data;      ///< a bit of the frame
  Time ends;      ///< last bit leaves until carrier sense drops
  Time own_ends;  ///< the same at the sender itself, which hears its own frame
};

/// What IEEE 802.3 allows of coax, and of one of the two links of twisted pair: metres.
inline constexpr unsigned longest_coax = 185, longest_pair = 100;

/// `bare`: of PathKind::cable. `metres`: of the coax between the two stations, or of each link of twisted pair; 0: a
/// third of what is allowed, the mean distance of two stations anywhere on such a cable.
PathDelays path_delays(PathKind kind, Time bare, unsigned metres = 0);

}  // namespace planar::net
