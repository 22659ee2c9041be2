// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/medium/ring/ring_translation.hpp"

#include <algorithm>

namespace planar::net {
namespace {

using Bytes = std::vector<std::uint8_t>;
using ByteView = std::span<const std::uint8_t>;

constexpr std::size_t ethernet_header = 14, longest_llc = 1500;
constexpr unsigned type_ip = 0x0800, type_arp = 0x0806, type_ipx = 0x8137, type_aarp = 0x80F3, type_sna = 0x80D5,
                   type_large = 0x8870;
constexpr unsigned first_type = 0x600;
constexpr std::uint8_t bridge_oui = 0xF8;  // IEEE 802.1H
constexpr unsigned arp_ethernet = 1, arp_ieee802 = 6;
constexpr std::size_t arp_bytes = 28;
constexpr MacAddress ring_ip_multicast{0xC0, 0x00, 0x00, 0x04, 0x00, 0x00};

unsigned get16(ByteView b, std::size_t at) { return static_cast<unsigned>(b[at] << 8 | b[at + 1]); }
void put16(Bytes& b, unsigned v) {
  b.push_back(static_cast<std::uint8_t>(v >> 8));
  b.push_back(static_cast<std::uint8_t>(v));
}
void append(Bytes& b, ByteView data) { b.insert(b.end(), data.begin(), data.end()); }

void append_reversed(Bytes& b, ByteView address) {
  for (const std::uint8_t byte : address) b.push_back(reversed(byte));
}

bool is_ip_multicast(ByteView a) { return a[0] == 0x01 && a[1] == 0x00 && a[2] == 0x5E && a[3] < 0x80; }

/// The packet of `type` without the padding of a short Ethernet frame, where its length can be read from the packet.
ByteView without_padding(ByteView packet, unsigned type) {
  std::size_t length = packet.size();
  if (type == type_arp) length = arp_bytes;
  if (type == type_ip && packet.size() >= 20) length = get16(packet, 2);
  return packet.first(std::min(length, packet.size()));
}

/// Translates ARP between the two forms: hardware type, and both hardware addresses.
void translate_arp(std::span<std::uint8_t> p, unsigned hardware) {
  if (p.size() < arp_bytes || p[4] != 6 || p[5] != 4) return;
  if (const unsigned had = get16(p, 0); had != arp_ethernet && had != arp_ieee802) return;
  p[0] = 0;
  p[1] = static_cast<std::uint8_t>(hardware);
  for (const std::size_t at : {8, 18})
    for (std::uint8_t& byte : p.subspan(at, 6)) byte = reversed(byte);
}

}  // namespace

Bytes to_ring(ByteView frame) {
  Bytes out{ring_ac::frame, ring_fc::llc};
  if (is_ip_multicast(frame))
    append(out, ring_ip_multicast);
  else
    append_reversed(out, frame.first(6));
  append_reversed(out, frame.subspan(6, 6));
  const unsigned type = get16(frame, 12);
  const ByteView data = frame.subspan(ethernet_header);
  if (type < first_type) {
    append(out, data.first(std::min<std::size_t>(type, data.size())));
  } else if (type == type_large) {
    append(out, data);
  } else if (type == type_sna && data.size() >= 3) {
    append(out, data.subspan(3, std::min<std::size_t>(get16(data, 0), data.size() - 3)));
  } else {
    const std::uint8_t oui = type == type_aarp || type == type_ipx ? bridge_oui : 0;
    append(out, std::array<std::uint8_t, 6>{0xAA, 0xAA, 0x03, 0x00, 0x00, oui});
    put16(out, type);
    const std::size_t at = out.size();
    append(out, without_padding(data, type));
    if (type == type_arp) translate_arp(std::span(out).subspan(at), arp_ieee802);
  }
  return out;
}

std::optional<Bytes> to_ethernet(ByteView frame) {
  const std::size_t header = ring_header_bytes + routing_bytes(frame);
  if (frame.size() < header) return std::nullopt;
  const ByteView llc = frame.subspan(header);
  const bool snap = llc.size() >= snap_bytes && llc[0] == 0xAA && llc[1] == 0xAA && llc[2] == 0x03 && llc[3] == 0 &&
                    llc[4] == 0 && (llc[5] == 0 || llc[5] == bridge_oui) && get16(llc, 6) >= first_type;
  Bytes out;
  append_reversed(out, frame.subspan(2, 6));
  append_reversed(out, frame.subspan(8, 6));
  out[6] &= 0xFE;  // the routing information indicator is not part of the address
  put16(out, snap ? get16(llc, 6) : llc.size() <= longest_llc ? static_cast<unsigned>(llc.size()) : type_large);
  append(out, snap ? llc.subspan(snap_bytes) : llc);
  const std::span<std::uint8_t> data = std::span(out).subspan(ethernet_header);
  if (!snap) return out;
  if (get16(out, 12) == type_arp) translate_arp(data, arp_ethernet);
  const bool multicast = std::equal(ring_ip_multicast.begin(), ring_ip_multicast.end(), frame.begin() + 2);
  if (multicast && get16(out, 12) == type_ip && data.size() >= 20)  // the group is in the packet
    std::copy_n(
        std::array<std::uint8_t, 6>{0x01, 0x00, 0x5E, static_cast<std::uint8_t>(data[17] & 0x7F), data[18], data[19]}
            .begin(),
        6, out.begin());
  return out;
}

}  // namespace planar::net
