// SPDX-License-Identifier: GPL-2.0-or-later
// Packets as bytes: big-endian fields and the Internet checksum.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace planar::net {

using Bytes = std::vector<std::uint8_t>;
using ByteView = std::span<const std::uint8_t>;
using Ipv4 = std::uint32_t;  ///< host order: 192.168.10.1 is C0A80A01h

constexpr Ipv4 ipv4(unsigned a, unsigned b, unsigned c, unsigned d) { return a << 24 | b << 16 | c << 8 | d; }

/// "192.168.10.2".
inline std::string format_ipv4(Ipv4 a) {
  return fmt::format("{}.{}.{}.{}", a >> 24, a >> 16 & 255, a >> 8 & 255, a & 255);
}

inline std::uint16_t get16(ByteView b, std::size_t at) { return static_cast<std::uint16_t>(b[at] << 8 | b[at + 1]); }
inline std::uint32_t get32(ByteView b, std::size_t at) {
  return static_cast<std::uint32_t>(get16(b, at)) << 16 | get16(b, at + 2);
}
inline void put16(Bytes& b, std::uint32_t v) {
  b.push_back(static_cast<std::uint8_t>(v >> 8));
  b.push_back(static_cast<std::uint8_t>(v));
}
inline void put32(Bytes& b, std::uint32_t v) {
  put16(b, v >> 16);
  put16(b, v & 0xFFFF);
}
inline void put(Bytes& b, ByteView data) { b.insert(b.end(), data.begin(), data.end()); }
inline void set16(Bytes& b, std::size_t at, std::uint32_t v) {
  b[at] = static_cast<std::uint8_t>(v >> 8);
  b[at + 1] = static_cast<std::uint8_t>(v);
}

/// Sum of the 16-bit words of `data` (an odd last byte counts as a high byte), added to `sum`.
inline std::uint32_t checksum_add(ByteView data, std::uint32_t sum = 0) {
  std::size_t i = 0;
  for (; i + 1 < data.size(); i += 2) sum += get16(data, i);
  if (i < data.size()) sum += static_cast<std::uint32_t>(data[i] << 8);
  return sum;
}
/// RFC 1071: the folded complement; 0 over data that contains its own correct checksum.
inline std::uint16_t checksum_fold(std::uint32_t sum) {
  while (sum >> 16) sum = (sum & 0xFFFF) + (sum >> 16);
  return static_cast<std::uint16_t>(~sum);
}
/// The pseudo header of TCP and UDP.
inline std::uint32_t checksum_pseudo(Ipv4 from, Ipv4 to, unsigned protocol, std::size_t length) {
  return (from >> 16) + (from & 0xFFFF) + (to >> 16) + (to & 0xFFFF) + protocol + static_cast<std::uint32_t>(length);
}

}  // namespace planar::net
