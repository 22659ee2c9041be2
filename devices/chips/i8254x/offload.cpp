// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/chips/i8254x/offload.hpp"

#include <algorithm>

namespace planar::ethernet {
namespace {

constexpr std::size_t ethernet_header = 14, ip_header = 20;
constexpr std::uint8_t tcp = 6, udp = 17;

std::uint16_t fold(std::uint64_t sum) {
  while (sum >> 16) sum = (sum & 0xFFFF) + (sum >> 16);
  return static_cast<std::uint16_t>(sum);
}

}  // namespace

std::uint16_t ones_sum(std::span<const std::uint8_t> data) {
  std::uint64_t sum = 0;
  for (std::size_t n = 0; n < data.size(); ++n) sum += n % 2 ? data[n] : std::uint64_t{data[n]} << 8;
  return fold(sum);
}

void insert_checksum(std::vector<std::uint8_t>& frame, std::uint32_t css, std::uint32_t cso, std::uint32_t cse) {
  if (css >= frame.size() || std::size_t{cso} + 1 >= frame.size()) return;
  const std::size_t end = cse ? std::min<std::size_t>(std::size_t{cse} + 1, frame.size()) : frame.size();
  if (end <= css) return;
  const auto sum = static_cast<std::uint16_t>(~ones_sum(std::span(frame).subspan(css, end - css)));
  frame[cso] = static_cast<std::uint8_t>(sum >> 8);
  frame[cso + 1] = static_cast<std::uint8_t>(sum);
}

ChecksumResult check_ip(std::span<const std::uint8_t> frame) {
  ChecksumResult found;
  if (frame.size() < ethernet_header + ip_header || frame_word(frame, 12) != 0x0800) return found;
  const auto ip = frame.subspan(ethernet_header);
  const std::size_t header = std::size_t{ip[0] & 15u} * 4, total = frame_word(ip, 2);
  if (ip[0] >> 4 != 4 || header < ip_header || header > ip.size()) return found;
  found.ip = true;
  found.ip_bad = ones_sum(ip.first(header)) != 0xFFFF;
  const bool fragment = frame_word(ip, 6) & 0x3FFF;
  if (found.ip_bad || fragment || total < header || total > ip.size() || (ip[9] != tcp && ip[9] != udp)) return found;
  const auto segment = ip.subspan(header, total - header);
  if (segment.size() < 8) return found;
  if (ip[9] == udp && frame_word(segment, 6) == 0) return found;  // the sender supplied none
  found.tcp = true;
  const std::uint64_t pseudo = std::uint64_t{ones_sum(ip.subspan(12, 8))} + ip[9] + segment.size();
  found.tcp_bad = fold(pseudo + ones_sum(segment)) != 0xFFFF;
  return found;
}

}  // namespace planar::ethernet
