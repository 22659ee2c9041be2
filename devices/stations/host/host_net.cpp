// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/stations/host/host_net.hpp"

#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "core/common/error.hpp"
#include "devices/stations/host/links.hpp"

namespace planar::net {
namespace {

template <class T>
std::optional<T> number(std::string_view text, unsigned low, unsigned high) {
  unsigned value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < low || value > high) return std::nullopt;
  return static_cast<T>(value);
}

std::optional<Ipv4> address(std::string_view text) {
  Ipv4 ip = 0;
  for (int i = 0; i < 4; ++i) {
    const auto dot = i < 3 ? text.find('.') : text.size();
    if (dot == std::string_view::npos) return std::nullopt;
    const auto part = number<unsigned>(text.substr(0, dot), 0, 255);
    if (!part) return std::nullopt;
    ip = ip << 8 | *part;
    text.remove_prefix(std::min(dot + 1, text.size()));
  }
  return ip;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

/// "[ADDRESS:]PORT"
bool read_end(std::string_view text, Ipv4& ip, std::uint16_t& port) {
  text = trimmed(text);
  if (const auto colon = text.rfind(':'); colon != std::string_view::npos) {
    const auto a = address(text.substr(0, colon));
    if (!a) return false;
    ip = *a;
    text.remove_prefix(colon + 1);
  }
  const auto p = number<std::uint16_t>(text, 1, 65535);
  if (p) port = *p;
  return p.has_value();
}

}  // namespace

Forward parse_forward(const std::string& text) {
  Forward f;
  const std::string_view all = trimmed(text);
  const auto arrow = all.find("->");
  bool good = arrow != std::string_view::npos && (all.starts_with("tcp ") || all.starts_with("udp "));
  if (good) {
    f.udp = all.starts_with("udp ");
    good = read_end(all.substr(4, arrow - 4), f.host, f.host_port) &&
           read_end(all.substr(arrow + 2), f.guest, f.guest_port);
  }
  if (!good)
    throw Error(
        fmt::format("forward '{}': write a port of the host and one of the guest, for example "
                    "\"tcp 127.0.0.1:2323 -> 23\" or \"udp 6900 -> 192.168.10.2:69\"",
                    text));
  return f;
}

bool is_slirp(const std::string& attach) { return attach == "slirp" || attach.starts_with("slirp:"); }

bool is_host_net(const std::string& attach) {
  return is_slirp(attach) || attach.starts_with("tap:") || attach.starts_with("pcap:") || attach.starts_with("socket:");
}

HostNet parse_host_net(const std::string& attach, const std::vector<std::string>& forwards) {
  HostNet net;
  const auto colon = attach.find(':');
  const auto kind = attach.substr(0, colon);
  if (colon != std::string::npos) net.name = attach.substr(colon + 1);
  if (kind == "slirp") {
    net.isolated = net.name == "isolated";
    if (colon != std::string::npos && !net.isolated)
      throw Error(
          fmt::format("net '{}': write slirp, or slirp:isolated for a guest that reaches nothing outside", attach));
    for (const auto& text : forwards) net.forwards.push_back(parse_forward(text));
    return net;
  }
  if (!forwards.empty())
    throw Error(
        fmt::format("net '{}': ports are forwarded by slirp only; from this network the guest is reached at its "
                    "own address",
                    attach));
  if (kind == "tap")
    net.kind = HostNet::Kind::tap;
  else if (kind == "pcap")
    net.kind = HostNet::Kind::pcap;
  else
    net.kind = HostNet::Kind::socket;
  if (net.kind == HostNet::Kind::socket) {
    if (!socket_address_good(net.name))
      throw Error(
          fmt::format("net '{}': write socket:HOST:PORT with a port from 1 to 65535, for example "
                      "socket:127.0.0.1:4000, or socket:unix:PATH",
                      attach));
  } else if (net.name.empty() || net.name.size() > 15) {
    throw Error(fmt::format("net '{}': write {}:NAME with the name of the device, 1 to 15 characters (see `ip link`)",
                            attach, kind));
  }
  return net;
}

std::unique_ptr<HostLink> open_host_link(const HostNet& net) {
  switch (net.kind) {
    case HostNet::Kind::slirp: return open_slirp(net.forwards, net.isolated);
    case HostNet::Kind::tap: return open_tap(net.name);
    case HostNet::Kind::pcap: return open_packet_socket(net.name);
    case HostNet::Kind::socket: return open_socket(net.name);
  }
  return {};
}

}  // namespace planar::net
