// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/chips/lanstreamer/local_memory.hpp"

#include <algorithm>

namespace planar::tokenring {

std::uint16_t LocalMemory::word(std::uint16_t at) const {
  return static_cast<std::uint16_t>((*this)[at] << 8 | (*this)[static_cast<std::uint16_t>(at + 1)]);
}

std::uint32_t LocalMemory::double_word(std::uint16_t at) const {
  return std::uint32_t{word(at)} << 16 | word(static_cast<std::uint16_t>(at + 2));
}

void LocalMemory::put(std::uint16_t at, std::uint16_t word) {
  (*this)[at] = static_cast<std::uint8_t>(word >> 8);
  (*this)[static_cast<std::uint16_t>(at + 1)] = static_cast<std::uint8_t>(word);
}

void LocalMemory::put(std::uint16_t at, std::span<const std::uint8_t> bytes) {
  for (const std::uint8_t b : bytes) (*this)[at++] = b;
}

void LocalMemory::clear(std::uint16_t at, unsigned bytes) {
  while (bytes--) (*this)[at++] = 0;
}

MacBuffer LocalMemory::store(std::span<const std::uint8_t> frame, std::uint16_t header, std::uint8_t status,
                             unsigned first) {
  const MacBuffer stored{buffer(first), static_cast<std::uint16_t>(buffers_for(frame.size())), header,
                         static_cast<std::uint16_t>(frame.size())};
  for (unsigned n = 0; n < stored.count; ++n) {
    const auto part =
        frame.subspan(n * buffer_data, std::min<std::size_t>(buffer_data, frame.size() - n * buffer_data));
    const std::uint16_t at = buffer(first + n);
    put(at, n + 1u < stored.count ? buffer(first + n + 1) : std::uint16_t{0});
    put(static_cast<std::uint16_t>(at + 2), status);
    put(static_cast<std::uint16_t>(at + 4), static_cast<std::uint16_t>(part.size()));
    put(static_cast<std::uint16_t>(at + 6), part);
  }
  return stored;
}

}  // namespace planar::tokenring
