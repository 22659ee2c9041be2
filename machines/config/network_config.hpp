// SPDX-License-Identifier: GPL-2.0-or-later
// The network part of a configuration: media, which card is plugged into which, bridges, and other stations.
//
//   [net]                       # without [medium.NAME] tables, for the lab's one medium:
//   rate = "10 Mbit/s"          #   the first card's by default
//   duplex = "half"
//   path = "10base2"            #   or "10base-t", or "cable" with delay = "500 ns"
//
//   [medium.floor]              # or user-named media; each network adapter then says which one
//   kind = "ethernet"           #   it is plugged into (slot.N.medium), and so does net.medium
//   rate = "10 Mbit/s"
//   duplex = "half"
//
//   [medium.ring]
//   kind = "token-ring"
//   rate = "16 Mbit/s"
//   duplex = "full"             #   dedicated: two stations that both request it transmit at once
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
//   bond = ["one", "two"]       # the reference station has a port on each, instead of net.medium
//
//   [station.north]             # reference stations in addition to that of net.attach
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
// and a switch port on a dedicated ring, and the target of net.attach on the switch's Ethernet uplink.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "machines/config/machine_config.hpp"

namespace planar {

/// Prefix of the origin of a default net.rate, which the lab's first card determines.
inline constexpr std::string_view first_machines_card = "the card of ";

/// For example "16 Mbit/s", as written in files.
std::string bit_rate(const MediumConfig& medium);
/// The same for the default ring rate of a machine's first Token Ring adapter; nothing if it has none.
std::optional<std::string> ring_rate(const Config& c);
/// The rate of a machine's first network adapter; nothing if it has none.
std::optional<std::string> first_card_rate(const Config& c);

/// Reads the network settings into `m`, whose cards are already known. Throws Error naming file, line, key and remedy.
void read_network(Config& c, MachineConfig& m);

/// Throws Error if two cards, one of `m` and one of `other` (the same machine or another one of the lab), have the same
/// station address on one network. On separate media they may: those of a bond have one address.
void refuse_same_address(const Config& c, const MachineConfig& m, const MachineConfig& other);

/// Throws Error if more than two stations are on a full-duplex Ethernet of the lab of these machines; `c` is the
/// first's.
void refuse_shared_links(const Config& c, const std::vector<MachineConfig>& machines);

}  // namespace planar
