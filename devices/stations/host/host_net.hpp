// SPDX-License-Identifier: GPL-2.0-or-later
// What `--net` and `--forward` say about the host's network, checked, and the link that they ask for.
//
//   slirp              the host's network through libslirp: no rights needed, connections go out from the process
//   slirp:isolated     the same without the host's loopback and without anything outside: forwarded ports lead in,
//                      DHCP and ping of slirp's own addresses are answered, nothing leads out
//   tap:NAME           a tap device of the host
//   pcap:IFACE         an interface of the host, frames in and out beside its own
//   socket:HOST:PORT   another planar (or QEMU's `-netdev socket`): whoever comes first listens, the other connects
//   socket:unix:PATH   the same through a Unix socket
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "devices/stations/host/host_link.hpp"

namespace planar::net {

/// The addresses that slirp lends the guest. The host itself answers at `slirp_host`: what the guest sends there goes
/// to the host's loopback. They are those of the reference station, so that a guest set up for `peer` finds the host
/// instead.
inline constexpr Ipv4 slirp_network = ipv4(192, 168, 10, 0), slirp_mask = ipv4(255, 255, 255, 0);
inline constexpr Ipv4 slirp_host = ipv4(192, 168, 10, 1), slirp_name_server = ipv4(192, 168, 10, 3);
/// The guest's address where it asks by DHCP, and where a forwarded port leads to unless it says otherwise.
inline constexpr Ipv4 slirp_guest = ipv4(192, 168, 10, 2);

/// A port of the host that leads into the guest.
struct Forward {
  bool udp = false;
  Ipv4 host = ipv4(127, 0, 0, 1);
  std::uint16_t host_port = 0;
  Ipv4 guest = slirp_guest;
  std::uint16_t guest_port = 0;
};

/// "tcp 127.0.0.1:2323 -> 23", "udp 0.0.0.0:6900 -> 192.168.10.15:69"; without an address 127.0.0.1 is meant. Throws
/// Error naming the text and the form.
Forward parse_forward(const std::string& text);

struct HostNet {
  enum class Kind : std::uint8_t { slirp, tap, pcap, socket };
  Kind kind = Kind::slirp;
  std::string name;  ///< of the device, or the socket's address
  std::vector<Forward> forwards;
  bool isolated = false;  ///< slirp: the guest reaches neither the host nor anything outside
};

/// True for a `--net` of libslirp, which names nothing of the host.
bool is_slirp(const std::string& attach);
/// True for a `--net` that brings the host into the loop, whether it is complete or not.
bool is_host_net(const std::string& attach);
/// Checks the text after `--net` (without opening anything). Throws Error naming it and the form.
HostNet parse_host_net(const std::string& attach, const std::vector<std::string>& forwards);

/// Opens what `net` names. Throws Error with the remedy where the device, the right or the port is not to be had.
std::unique_ptr<HostLink> open_host_link(const HostNet& net);

}  // namespace planar::net
