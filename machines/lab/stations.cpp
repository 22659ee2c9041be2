// SPDX-License-Identifier: GPL-2.0-or-later
#include "machines/lab/stations.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace planar {

std::vector<net::Peer*> reference_stations(Lab& lab) {
  std::vector<net::Peer*> peers;
  for (const auto& station : lab.stations())
    if (auto* const peer = dynamic_cast<net::Peer*>(station.get())) peers.push_back(peer);
  return peers;
}

net::Port& station_port(Lab& lab, const std::string& name) {
  std::vector<std::string> all, fitting;
  net::Port* found = nullptr;
  for (const net::Medium* medium : lab.media())
    for (net::Port* port : medium->ports()) {
      if (!port) continue;
      all.push_back(port->name());
      if (fmt::format(".{}.", port->name()).find(fmt::format(".{}.", name)) == std::string::npos) continue;
      fitting.push_back(port->name());
      found = port;
    }
  if (fitting.size() > 1)
    throw Error(fmt::format("'{}' matches the stations {}; write more of the name", name, fmt::join(fitting, ", ")));
  if (!found) throw Error(fmt::format("there is no station '{}'; the lab has {}", name, fmt::join(all, ", ")));
  return *found;
}

net::RingPort& ring_station_port(Lab& lab, const std::string& name, bool insert) {
  net::Port& port = station_port(lab, name);
  auto* const station = dynamic_cast<net::RingPort*>(&port);
  if (!station) throw Error(fmt::format("{} is not on a ring; write pull cable or plug cable", port.name()));
  if (insert && !station->plain())
    throw Error(
        fmt::format("{} goes onto the ring when its driver opens it; only a station without a driver can be "
                    "inserted",
                    port.name()));
  return *station;
}

void plug_cable(Lab& lab, const std::string& name, bool plugged) {
  station_port(lab, name).set_plugged(plugged, lab.scheduler().now());
}

void remove_station(Lab& lab, const std::string& name) {
  ring_station_port(lab, name, false).remove_by_server(lab.scheduler().now());
}

void insert_station(Lab& lab, const std::string& name) {
  net::RingPort& port = ring_station_port(lab, name, true);
  port.insert(port.parameters(), lab.scheduler().now());
}

}  // namespace planar
