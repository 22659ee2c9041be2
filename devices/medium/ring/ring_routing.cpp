// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/medium/ring/ring_routing.hpp"

namespace planar::net {
namespace {

/// Control and 14 descriptors; IBM's bridges stop at 8.
constexpr std::size_t longest_route = 30;
/// Maximum bytes after the routing information, by largest-frame code.
constexpr std::size_t largest_frames[] = {516, 1500, 2052, 4472, 8144, 11407, 17800};

}  // namespace

std::optional<RingRoute> RingRoute::of(std::span<const std::uint8_t> frame) {
  const std::size_t length = routing_bytes(frame);
  if (is_mac_frame(frame) || length < 2 || length % 2 || frame.size() < ring_header_bytes + length) return std::nullopt;
  RingRoute route;
  const auto bytes = frame.subspan(ring_header_bytes, length);
  route.bytes_.assign(bytes.begin(), bytes.end());
  return route;
}

bool RingRoute::crosses(unsigned from, unsigned bridge, unsigned to) const {
  const bool backwards = bytes_[1] & 0x80;
  for (std::size_t n = 0; n + 1 < descriptors(); ++n) {
    const unsigned first = descriptor(n) >> 4, second = descriptor(n + 1) >> 4;
    if ((descriptor(n) & 15) == bridge && (backwards ? second == from && first == to : first == from && second == to))
      return true;
  }
  return false;
}

bool RingRoute::extend(unsigned from, unsigned bridge, unsigned to) {
  if (!explorer()) return false;
  for (std::size_t n = 0; n < descriptors(); ++n)
    if (descriptor(n) >> 4 == to) return false;
  const auto put = [&](unsigned word) {
    bytes_.push_back(static_cast<std::uint8_t>(word >> 8));
    bytes_.push_back(static_cast<std::uint8_t>(word));
  };
  if (descriptors() == 0)
    put(from << 4 | bridge);
  else if (descriptor(descriptors() - 1) >> 4 != from)
    return false;
  else
    bytes_.back() = static_cast<std::uint8_t>((bytes_.back() & 0xF0) | bridge);
  put(to << 4);
  if (bytes_.size() > longest_route) return false;
  bytes_[0] = static_cast<std::uint8_t>((bytes_[0] & 0xE0) | bytes_.size());
  return true;
}

void RingRoute::lower_largest(std::size_t longest) {
  const std::size_t data = longest - ring_header_bytes - fcs_bytes - longest_route;
  unsigned code = 0;
  while (code + 1 < std::size(largest_frames) && largest_frames[code + 1] <= data) ++code;
  if (const unsigned present = bytes_[1] >> 4 & 7; code < present)
    bytes_[1] = static_cast<std::uint8_t>((bytes_[1] & 0x8F) | code << 4);
}

RingRoute RingRoute::back() const {
  RingRoute route = *this;
  route.bytes_[0] &= 0x1F;  // routed, not an explorer
  route.bytes_[1] ^= 0x80;
  return route;
}

std::vector<std::uint8_t> RingRoute::applied_to(std::span<const std::uint8_t> frame) const {
  std::vector<std::uint8_t> out;
  out.reserve(frame.size() + bytes_.size());
  out.insert(out.end(), frame.begin(), frame.begin() + ring_header_bytes);
  out[8] |= routing_indicator;
  out.insert(out.end(), bytes_.begin(), bytes_.end());
  const auto rest = frame.subspan(ring_header_bytes + routing_bytes(frame));
  out.insert(out.end(), rest.begin(), rest.end());
  return out;
}

}  // namespace planar::net
