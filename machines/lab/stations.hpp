// SPDX-License-Identifier: GPL-2.0-or-later
// What a person does at the cables and stations of a lab while it runs.
//
// A station goes by the name of its port, as captures and traces have it ("client.slot1.ne2.port", "peer.port",
// "switch.ring"), or by any part of that between dots which no other port has: "client", "ne2", "peer".
#pragma once

#include <string>
#include <vector>

#include "devices/medium/ring/ring_port.hpp"
#include "devices/stations/peer/peer.hpp"
#include "machines/lab/lab.hpp"

namespace planar {

/// The lab's reference stations ("peer"), in its own order; empty where --net leads elsewhere.
std::vector<net::Peer*> reference_stations(Lab& lab);

/// Throws Error for a name that no port has, or several have.
net::Port& station_port(Lab& lab, const std::string& name);
/// The same, of a station that can be taken off a ring (`insert`: and put back from outside). Throws Error.
net::RingPort& ring_station_port(Lab& lab, const std::string& name, bool insert);

/// Pulls a station's cable or plugs it in again.
void plug_cable(Lab& lab, const std::string& name, bool plugged);
/// Takes a station off its ring, as a configuration report server does: an adapter's driver is told, and opens it again
/// if it wants to.
void remove_station(Lab& lab, const std::string& name);
/// Lets a station that is no adapter go onto its ring again, phase by phase.
void insert_station(Lab& lab, const std::string& name);

}  // namespace planar
