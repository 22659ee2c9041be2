// SPDX-License-Identifier: GPL-2.0-or-later
#include "machines/boards/pc/routing_table.hpp"

#include <algorithm>
#include <numeric>

#include "core/common/error.hpp"

namespace planar {

void write_routing_table(std::vector<std::uint8_t>& image, unsigned bridge, std::span<const unsigned> devices,
                         const PirqTable& pins) {
  constexpr std::size_t place = 0xFF080 - 0xE0000, room = 0xA0;
  constexpr std::size_t length = 6, router = 9, checksum = 31, header_bytes = 32, slot_bytes = 16;
  constexpr std::uint8_t first_route = 0x60;  // of the bridge
  constexpr std::uint16_t lines = 1u << 5 | 1u << 9 | 1u << 10 | 1u << 11;
  constexpr std::uint8_t signature[] = {'$', 'P', 'I', 'R'};
  const std::size_t bytes = header_bytes + slot_bytes * devices.size();
  if (image.size() < place + room || bytes > room ||
      !std::equal(std::begin(signature), std::end(signature), image.begin() + place))
    throw Error("the PC's built-in firmware has no interrupt routing table at F000:F080; rebuild it with make -C roms",
                ExitCode::missing_file);
  const std::span<std::uint8_t> table = std::span(image).subspan(place, room);
  std::fill(table.begin() + header_bytes, table.end(), std::uint8_t{0xFF});
  table[length] = static_cast<std::uint8_t>(bytes);
  table[router] = static_cast<std::uint8_t>(bridge << 3);
  auto at = table.begin() + header_bytes;
  std::uint8_t number = 0;
  for (const unsigned device : devices) {
    *at++ = 0;  // bus
    *at++ = static_cast<std::uint8_t>(device << 3);
    for (unsigned pin = 1; pin <= 4; ++pin) {
      *at++ = static_cast<std::uint8_t>(first_route + pins.wire(device, pin));
      *at++ = lines & 0xFF;
      *at++ = lines >> 8;
    }
    *at++ = ++number;
    *at++ = 0;
  }
  table[checksum] = 0;
  table[checksum] = static_cast<std::uint8_t>(-std::accumulate(table.begin(), at, 0));
}

}  // namespace planar
