// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/chips/cyclone/checksum_offload.hpp"

#include <optional>

namespace planar::ethernet {
namespace {

constexpr std::size_t ethernet_header = 14, ip_header_least = 20;
constexpr unsigned ether_type_ip = 0x0800, protocol_tcp = 6, protocol_udp = 17;
enum ChecksumBit : unsigned { ip_bit, tcp_bit, udp_bit };
constexpr unsigned error_shift = 25, checked_shift = 29;

unsigned big_word(std::span<const std::uint8_t> bytes, std::size_t at) { return bytes[at] << 8 | bytes[at + 1]; }

/// One's complement sum, with the carries not yet folded in, not complemented.
std::uint32_t ones_sum(std::span<const std::uint8_t> bytes, std::uint32_t sum = 0) {
  for (std::size_t n = 0; n + 1 < bytes.size(); n += 2) sum += big_word(bytes, n);
  if (bytes.size() & 1) sum += std::uint32_t{bytes.back()} << 8;
  while (sum >> 16) sum = (sum & 0xFFFF) + (sum >> 16);
  return sum;
}

/// Offsets of a datagram's parts in its frame.
struct Datagram {
  std::size_t header_bytes, bytes;  ///< from the Ethernet header on
  unsigned protocol;                ///< 0: no whole segment of TCP or UDP
  std::size_t checksum_at;          ///< of TCP or UDP, in its segment
};

std::optional<Datagram> datagram_of(std::span<const std::uint8_t> frame) {
  if (frame.size() < ethernet_header + ip_header_least || big_word(frame, 12) != ether_type_ip) return {};
  const auto ip = frame.subspan(ethernet_header);
  const std::size_t header = (ip[0] & 15u) * 4, bytes = big_word(ip, 2);
  if (ip[0] >> 4 != 4 || header < ip_header_least || bytes < header || bytes > ip.size()) return {};
  const bool fragment = big_word(ip, 6) & 0x3FFF;  // more follow, or not the first
  const unsigned protocol = ip[9];
  const std::size_t checksum_at = protocol == protocol_tcp ? 16 : 6;
  const bool known = protocol == protocol_tcp || protocol == protocol_udp;
  const bool whole = known && !fragment && bytes >= header + checksum_at + 2;
  return Datagram{header, bytes, whole ? protocol : 0, checksum_at};
}

std::uint32_t segment_sum(std::span<const std::uint8_t> ip, const Datagram& d) {
  const std::uint32_t pseudo = d.protocol + static_cast<std::uint32_t>(d.bytes - d.header_bytes);
  return ones_sum(ip.subspan(d.header_bytes, d.bytes - d.header_bytes), ones_sum(ip.subspan(12, 8), pseudo));
}

void put_checksum(std::span<std::uint8_t> bytes, std::size_t at, std::uint32_t sum) {
  bytes[at] = static_cast<std::uint8_t>(~sum >> 8);
  bytes[at + 1] = static_cast<std::uint8_t>(~sum);
}

}  // namespace

std::uint32_t checked_checksums(std::span<const std::uint8_t> frame) {
  const auto d = datagram_of(frame);
  if (!d) return 0;
  const auto ip = frame.subspan(ethernet_header);
  const auto bits = [](unsigned which, bool good) {
    return 1u << (checked_shift + which) | (good ? 0 : 1u << (error_shift + which));
  };
  std::uint32_t status = bits(ip_bit, ones_sum(ip.first(d->header_bytes)) == 0xFFFF);
  if (!d->protocol) return status;
  if (d->protocol == protocol_udp && big_word(ip, d->header_bytes + d->checksum_at) == 0) return status;
  return status | bits(d->protocol == protocol_tcp ? tcp_bit : udp_bit, segment_sum(ip, *d) == 0xFFFF);
}

void insert_checksums(std::span<std::uint8_t> frame, bool ip, bool tcp, bool udp) {
  if (!ip && !tcp && !udp) return;
  const auto d = datagram_of(frame);
  if (!d) return;
  const auto packet = frame.subspan(ethernet_header);
  if (ip) {
    packet[10] = packet[11] = 0;
    put_checksum(packet, 10, ones_sum(packet.first(d->header_bytes)));
  }
  if (!d->protocol || (d->protocol == protocol_tcp ? !tcp : !udp)) return;
  const std::size_t at = d->header_bytes + d->checksum_at;
  packet[at] = packet[at + 1] = 0;
  const std::uint32_t sum = segment_sum(packet, *d);
  put_checksum(packet, at, d->protocol == protocol_udp && sum == 0xFFFF ? 0 : sum);  // 0 would mean no checksum
}

}  // namespace planar::ethernet
