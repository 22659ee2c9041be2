// SPDX-License-Identifier: GPL-2.0-or-later
// The network's part of a configuration: media, what each card is plugged into, bridges, what else is attached.
//
//   [net]                       # without [medium.NAME] tables, of the lab's one medium:
//   rate = "10 Mbit/s"          #   the first card's by default
//   duplex = "half"
//   path = "10base2"            #   or "10base-t", or "cable" with delay = "500 ns"
//
//   [medium.floor]              # or media under names of the user's; then each network adapter says
//   kind = "ethernet"           #   which one it is plugged into (slot.N.medium), and so does net.medium
//   rate = "10 Mbit/s"
//   duplex = "half"
//
//   [medium.ring]
//   kind = "token-ring"
//   rate = "16 Mbit/s"
//   duplex = "full"             #   dedicated: two stations that both ask for it transmit at once
//   early_release = true
//   insertion = "realistic"
//   lobe_metres = 30
//   ring_number = 1
//
//   [bridge.between]            # or [switch.between], with a switch's figures
//   media = ["floor", "office"]
//   delay = "67.2 us"
//   ageing = "300 s"
//
//   [net]
//   bond = ["one", "two"]       # the reference station has a port on each, in place of net.medium
//
//   [station.north]             # reference stations beside the one of net.attach
//   medium = "ring"
//   address = "192.168.10.11"
//
//   [bridge.rings]
//   kind = "source-route"
//   media = ["ring", "other"]
//   number = 1
//   delay = "500 us"
//
// A machine with a Token Ring adapter, a net and no such tables gets the tables of the usual installation: the adapter
// and a port of a switch on a dedicated ring, and what net.attach says at the switch's Ethernet uplink.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "machines/config/machine_config.hpp"

namespace planar {

/// How the origin begins of a net.rate that nobody has written: the first card of the lab decides.
inline constexpr std::string_view first_machines_card = "the card of ";

/// "16 Mbit/s", as files write it.
std::string bit_rate(const MediumConfig& medium);
/// The same of the ring that the first Token Ring adapter of a machine works on by default; nothing if it has none.
std::optional<std::string> ring_rate(const Config& c);
/// The rate of a machine's first network adapter; nothing if it has none.
std::optional<std::string> first_card_rate(const Config& c);

/// Reads it into `m`, whose cards are known. Throws Error naming file, line, key and remedy.
void read_network(Config& c, MachineConfig& m);

}  // namespace planar
