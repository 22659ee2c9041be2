// SPDX-License-Identifier: GPL-2.0-or-later
// The path between two stations of an Ethernet segment and its delays (docs/hardware/netio-path.md#the-path).
#pragma once

#include <cstdint>
#include <string_view>

#include "core/time/time.hpp"

namespace planar::net {

/// cable: a bare cable, which delays everything equally. coax: 10BASE2 with a transceiver at each station.
/// twisted_pair: 10BASE-T, two links with a hub between them.
enum class PathKind : std::uint8_t { cable, coax, twisted_pair };

inline constexpr std::string_view path_names[] = {"cable", "10base2", "10base-t"};  // in the order of PathKind

/// From one station's interface to another's, in half duplex at 10 Mbit/s. A transceiver loses the first few bits
/// before it passes any on, so carrier sense is delayed more than the rest of the frame.
struct PathDelays {
  Time begins;    ///< from the first preamble bit leaving until carrier is sensed
  Time data;      ///< a bit of the frame
  Time ends;      ///< from the last bit leaving until carrier sense drops
  Time own_ends;  ///< the same at the sender, which hears its own frame
};

/// Maximum lengths in IEEE 802.3 of coax, and of one of the two twisted-pair links, in metres.
inline constexpr unsigned longest_coax = 185, longest_pair = 100;

/// `bare`: for PathKind::cable. `metres`: length of the coax between the two stations, or of each twisted-pair link; 0:
/// a third of the maximum, the mean distance of two stations placed at random on such a cable.
PathDelays path_delays(PathKind kind, Time bare, unsigned metres = 0);

}  // namespace planar::net
