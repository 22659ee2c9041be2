// SPDX-License-Identifier: GPL-2.0-or-later
// The kind of medium an adapter connects to, with its names in the list of cards and in results.
#pragma once

#include <cstdint>
#include <string_view>

namespace planar {

enum class MediumKind : std::uint8_t { ethernet_10, ethernet_100, ethernet_1000, token_ring, scsi };

/// "ethernet-10".
constexpr std::string_view to_string(MediumKind kind) {
  switch (kind) {
    case MediumKind::ethernet_10: return "ethernet-10";
    case MediumKind::ethernet_100: return "ethernet-100";
    case MediumKind::ethernet_1000: return "ethernet-1000";
    case MediumKind::token_ring: return "token-ring";
    case MediumKind::scsi: return "scsi";
  }
  return {};
}

/// For the heading of a table: "10 Mbit/s Ethernet".
constexpr std::string_view title(MediumKind kind) {
  switch (kind) {
    case MediumKind::ethernet_10: return "10 Mbit/s Ethernet";
    case MediumKind::ethernet_100: return "100 Mbit/s Ethernet";
    case MediumKind::ethernet_1000: return "1000 Mbit/s Ethernet";
    case MediumKind::token_ring: return "Token Ring";
    case MediumKind::scsi: return "SCSI";
  }
  return {};
}

/// The rate of the Ethernet segment that such a card works on, bits per second; 0 if its medium is not Ethernet.
constexpr std::uint64_t ethernet_rate(MediumKind kind) {
  switch (kind) {
    case MediumKind::ethernet_10: return 10'000'000;
    case MediumKind::ethernet_100: return 100'000'000;
    case MediumKind::ethernet_1000: return 1'000'000'000;
    case MediumKind::token_ring:
    case MediumKind::scsi: return 0;
  }
  return 0;
}

}  // namespace planar
