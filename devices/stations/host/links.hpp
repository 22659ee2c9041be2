// SPDX-License-Identifier: GPL-2.0-or-later
// The available links, each in its own file. Each throws Error with a remedy if it cannot be opened.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "devices/stations/host/host_link.hpp"
#include "devices/stations/host/host_net.hpp"

namespace planar::net {

/// `isolated`: nothing from the guest leaves for the host or beyond; forwarded ports still lead in.
std::unique_ptr<HostLink> open_slirp(const std::vector<Forward>& forwards, bool isolated);
/// Joins the tap device `name`, or creates it for the duration of the run.
std::unique_ptr<HostLink> open_tap(const std::string& name);
/// A packet socket on the interface `name`.
std::unique_ptr<HostLink> open_packet_socket(const std::string& name);
/// The single wire between two processes. `address`: HOST:PORT or unix:PATH.
std::unique_ptr<HostLink> open_socket(const std::string& address);
bool socket_address_good(const std::string& address);

}  // namespace planar::net
