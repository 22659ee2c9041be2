// SPDX-License-Identifier: GPL-2.0-or-later
// Parses and checks `--net` and `--forward`, and opens the link they describe.
//
//   slirp              the host's network through libslirp: no privileges needed, connections leave from the process
//   slirp:isolated     the same without the host's loopback and without any outside network: forwarded ports lead in,
//                      DHCP and ping of slirp's own addresses are answered, nothing leads out
//   tap:NAME           a tap device of the host
//   pcap:IFACE         an interface of the host, frames in and out alongside its own
//   socket:HOST:PORT   another planar (or QEMU's `-netdev socket`): the first one listens, the other connects
//   socket:unix:PATH   the same through a Unix socket
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "devices/stations/host/host_link.hpp"

namespace planar::net {

/// The addresses that slirp uses. The host answers at `slirp_host`: traffic to it goes to the host's loopback. They
/// equal those of the reference station, so that a guest set up for `peer` finds the host instead.
inline constexpr Ipv4 slirp_network = ipv4(192, 168, 10, 0), slirp_mask = ipv4(255, 255, 255, 0);
inline constexpr Ipv4 slirp_host = ipv4(192, 168, 10, 1), slirp_name_server = ipv4(192, 168, 10, 3);
/// The guest's address by DHCP, and the default destination of forwarded ports.
inline constexpr Ipv4 slirp_guest = ipv4(192, 168, 10, 2);

/// A port of the host that is forwarded to the guest.
struct Forward {
  bool udp = false;
  Ipv4 host = ipv4(127, 0, 0, 1);
  std::uint16_t host_port = 0;
  Ipv4 guest = slirp_guest;
  std::uint16_t guest_port = 0;
};

/// "tcp 127.0.0.1:2323 -> 23", "udp 0.0.0.0:6900 -> 192.168.10.15:69"; the default address is 127.0.0.1. Throws Error
/// with the text and the expected form.
Forward parse_forward(const std::string& text);

struct HostNet {
  enum class Kind : std::uint8_t { slirp, tap, pcap, socket };
  Kind kind = Kind::slirp;
  std::string name;  ///< of the device, or the socket's address
  std::vector<Forward> forwards;
  bool isolated = false;  ///< slirp: the guest reaches neither the host nor any outside network
};

/// True for a `--net` of libslirp, which uses no device or address of the host.
bool is_slirp(const std::string& attach);
/// True for a `--net` that brings the host into the loop, even if incomplete.
bool is_host_net(const std::string& attach);
/// Checks the text after `--net` (without opening anything). Throws Error with the text and the expected form.
HostNet parse_host_net(const std::string& attach, const std::vector<std::string>& forwards);

/// Opens the link described by `net`. Throws Error with a remedy if the device, the permission or the port is
/// unavailable.
std::unique_ptr<HostLink> open_host_link(const HostNet& net);

}  // namespace planar::net
