// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/meters/ip_frames.hpp"

#include <span>

#include "devices/stations/packet.hpp"

namespace planar {
namespace {

using Bytes = std::span<const std::uint8_t>;

constexpr unsigned type_ip = 0x0800, protocol_tcp = 6;

}  // namespace

std::optional<std::size_t> ip_datagram_at(const net::WireRecord& record) {
  const Bytes b = record.bytes;
  if (record.medium.format().link == net::LinkType::ethernet) {
    if (b.size() < 14 || net::get16(b, 12) != type_ip) return {};
    return 14;
  }
  // Access and frame control, addresses, the routing field that the source address indicates, LLC and SNAP.
  if (b.size() < 15) return {};
  const std::size_t llc = 14 + (b[8] & 0x80 ? b[14] & 0x1F : 0);
  if (b.size() < llc + 8 || net::get16(b, llc) != 0xAAAA || b[llc + 2] != 0x03 || net::get16(b, llc + 6) != type_ip)
    return {};
  return llc + 8;
}

std::optional<TcpSegment> tcp_segment_in(const net::WireRecord& record) {
  const auto at = ip_datagram_at(record);
  if (!at || record.bytes.size() < *at + 40) return {};
  const Bytes ip = record.bytes.subspan(*at);
  const std::size_t header = std::size_t{ip[0] & 0x0Fu} * 4, total = net::get16(ip, 2);
  if (ip[9] != protocol_tcp || header < 20 || ip.size() < header + 20) return {};
  const std::size_t data = header + (ip[header + 12] >> 4) * std::size_t{4};
  if (total < data) return {};
  return TcpSegment{.connection = net::get32(ip, header),
                    .sequence = net::get32(ip, header + 4),
                    .acknowledgement = net::get32(ip, header + 8),
                    .bytes = static_cast<std::uint32_t>(total - data),
                    .window = static_cast<std::uint16_t>(net::get16(ip, header + 14)),
                    .flags = ip[header + 13]};
}

}  // namespace planar
