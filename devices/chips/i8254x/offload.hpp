// SPDX-License-Identifier: GPL-2.0-or-later
// Checksums and VLAN tags that an 8254x inserts and checks (manual, 3.2.9, 3.3.6 and 3.5).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/state/archive.hpp"

namespace planar::ethernet {

/// Set by a context descriptor: where checksums begin and end, and where they are stored.
struct OffloadContext {
  std::uint8_t ipcss = 0, ipcso = 0, tucss = 0, tucso = 0;
  std::uint16_t ipcse = 0, tucse = 0;  ///< last byte; 0: the frame's end
  bool operator==(const OffloadContext&) const = default;
  void archive(Archive& a) { a(ipcss, ipcso, ipcse, tucss, tucso, tucse); }
};

/// The 16-bit word at `at`, high byte first.
inline std::uint16_t frame_word(std::span<const std::uint8_t> frame, std::size_t at) {
  return static_cast<std::uint16_t>(frame[at] << 8 | frame[at + 1]);
}

/// The one's complement sum of the 16-bit words of `data`, high byte first; an odd last byte is a high one.
std::uint16_t ones_sum(std::span<const std::uint8_t> data);

/// Puts the complement of the sum of bytes `css` to `cse` (0: to the end) of `frame` at `cso`. Nothing happens if one
/// of them is outside the frame.
void insert_checksum(std::vector<std::uint8_t>& frame, std::uint32_t css, std::uint32_t cso, std::uint32_t cse);

/// What the receiver finds in an IPv4 frame (without FCS).
struct ChecksumResult {
  bool ip = false, ip_bad = false;    ///< the header's was verified; it is wrong
  bool tcp = false, tcp_bad = false;  ///< that of TCP or UDP
};
ChecksumResult check_ip(std::span<const std::uint8_t> frame);

}  // namespace planar::ethernet
