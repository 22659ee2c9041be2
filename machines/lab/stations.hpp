// SPDX-License-Identifier: GPL-2.0-or-later
// User actions on the cables and stations of a lab while it runs.
//
// A station is identified by the name of its port, as in captures and traces ("client.slot1.ne2.port", "peer.port",
// "switch.ring"), or by any dot-separated part of it that no other port has: "client", "ne2", "peer".
#pragma once

#include <string>
#include <vector>

#include "devices/medium/ring/ring_port.hpp"
#include "devices/stations/peer/peer.hpp"
#include "machines/lab/lab.hpp"

namespace planar {

/// The lab's reference stations ("peer"), in the lab's order; empty if --net selects something else.
std::vector<net::Peer*> reference_stations(Lab& lab);

/// Throws Error for a name that matches no port or several.
net::Port& station_port(Lab& lab, const std::string& name);
/// The same for a station that can be removed from a ring (`insert`: and reinserted from outside). Throws Error.
net::RingPort& ring_station_port(Lab& lab, const std::string& name, bool insert);

/// Pulls a station's cable or plugs it in again.
void plug_cable(Lab& lab, const std::string& name, bool plugged);
/// Removes a station from its ring, as a configuration report server does: an adapter's driver is notified, and reopens
/// the adapter if it wants to.
void remove_station(Lab& lab, const std::string& name);
/// Lets a station that is not an adapter rejoin its ring, phase by phase.
void insert_station(Lab& lab, const std::string& name);

}  // namespace planar
