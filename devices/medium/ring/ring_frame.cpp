// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/medium/ring/ring_frame.hpp"

#include <vector>

namespace planar::net {

// The polynomial is Ethernet's, but each byte's bits are sent in the opposite order.
void set_ring_fcs(std::span<std::uint8_t> frame) {
  if (frame.size() < 1 + fcs_bytes) return;
  std::vector<std::uint8_t> covered;
  covered.reserve(frame.size());
  for (const std::uint8_t byte : frame.subspan(1, frame.size() - 1 - fcs_bytes)) covered.push_back(reversed(byte));
  const std::uint32_t crc = crc32(covered);
  for (std::size_t n = 0; n < fcs_bytes; ++n)
    frame[frame.size() - fcs_bytes + n] = reversed(static_cast<std::uint8_t>(crc >> (8 * n)));
}

}  // namespace planar::net
