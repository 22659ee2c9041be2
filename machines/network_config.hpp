// SPDX-License-Identifier: GPL-2.0-or-later
// The network's part of a configuration: media, what each card is plugged into, bridges, what else is attached.
//
//   [net]                       # without [medium.NAME] tables, of the lab's one medium:
//   rate = "10 Mbit/s"          #   the first card's by default
//   duplex = "half"
//
//   [medium.floor]              # or media under names of the user's; then each network adapter says
//   kind = "ethernet"           #   which one it is plugged into (slot.N.medium), and so does net.medium
//   rate = "10 Mbit/s"
//   duplex = "half"
//
//   [bridge.between]
//   media = ["floor", "office"]
//   delay = "67.2 us"
//   ageing = "300 s"
#pragma once

#include "machines/machine_config.hpp"

namespace planar {

/// Reads it into `m`, whose cards are known. Throws Error naming file, line, key and remedy.
void read_network(Config& c, MachineConfig& m);

}  // namespace planar
