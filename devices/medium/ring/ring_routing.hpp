// SPDX-License-Identifier: GPL-2.0-or-later
// Routing information of a frame: the route through source-routing bridges
// (docs/hardware/token-ring.md#source-routing).
//
//   control 2: type 3, length 5 | direction 1, largest frame 3, 0 4
//   descriptors of 2: ring number 12, bridge number 4; the bridge number of the last one is 0
#pragma once

#include <optional>
#include <vector>

#include "devices/medium/ring/ring_frame.hpp"

namespace planar::net {

/// Sent to every station along the spanning tree; no bridges yet, largest frame not limited yet.
inline constexpr std::array<std::uint8_t, 2> single_route_explorer{0xC2, 0x70};

class RingRoute {
 public:
  /// The route of an LLC frame; empty if it has none or an invalid one.
  static std::optional<RingRoute> of(std::span<const std::uint8_t> frame);

  bool explorer() const { return bytes_[0] & 0x80; }
  bool has_bridges() const { return bytes_.size() > 2; }
  const std::vector<std::uint8_t>& bytes() const { return bytes_; }

  /// The route leads from ring `from` over `bridge` to ring `to`.
  bool crosses(unsigned from, unsigned bridge, unsigned to) const;
  /// Adds this hop to an explorer's route. False if it has been on `to`, does not come from `from`, or has no room.
  bool extend(unsigned from, unsigned bridge, unsigned to);
  /// A ring on the route carries frames of up to `longest` bytes, AC to FCS.
  void lower_largest(std::size_t longest);
  /// The reverse route, for frames routed back along it.
  RingRoute back() const;
  /// `frame` with this route, replacing its own if it has one.
  std::vector<std::uint8_t> applied_to(std::span<const std::uint8_t> frame) const;

 private:
  unsigned descriptor(std::size_t n) const { return static_cast<unsigned>(bytes_[2 * n + 2] << 8 | bytes_[2 * n + 3]); }
  std::size_t descriptors() const { return bytes_.size() / 2 - 1; }

  std::vector<std::uint8_t> bytes_;
};

}  // namespace planar::net
