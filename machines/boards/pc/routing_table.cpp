// SPDX-License-Identifier: GPL-2.0-or-later
#include "machines/boards/pc/routing_table.hpp"

#include <algorithm>
#include <numeric>

#include "bus/pci/slot.hpp"
#include "core/common/error.hpp"

namespace planar {

void write_routing_table(std::vector<std::uint8_t>& image, const SouthBridge& router,
                         std::span<const RoutingSlot> slots, const PirqTable& pins) {
  constexpr std::size_t place = 0xFF080 - 0xE0000, room = 0xA0;
  constexpr std::size_t length = 6, router_place = 9, compatible = 12, checksum = 31, header_bytes = 32,
                        slot_bytes = 16;
  constexpr std::uint16_t lines = 1u << 5 | 1u << 9 | 1u << 10 | 1u << 11;
  constexpr std::uint8_t signature[] = {'$', 'P', 'I', 'R'};
  const std::size_t bytes = header_bytes + slot_bytes * slots.size();
  if (image.size() < place + room || bytes > room ||
      !std::equal(std::begin(signature), std::end(signature), image.begin() + place))
    throw Error("the PC's built-in firmware has no interrupt routing table at F000:F080; rebuild it with make -C roms",
                ExitCode::missing_file);
  const std::span<std::uint8_t> table = std::span(image).subspan(place, room);
  std::fill(table.begin() + header_bytes, table.end(), std::uint8_t{0xFF});
  table[length] = static_cast<std::uint8_t>(bytes);
  table[router_place] = static_cast<std::uint8_t>(router.slot().device() << 3);
  for (unsigned n = 0; n < 4; ++n)
    table[compatible + n] = static_cast<std::uint8_t>(router.compatible_router() >> 8 * n);
  auto at = table.begin() + header_bytes;
  for (const auto [bus, device, number] : slots) {
    *at++ = static_cast<std::uint8_t>(bus);
    *at++ = static_cast<std::uint8_t>(device << 3);
    for (unsigned pin = 1; pin <= 4; ++pin) {
      *at++ = static_cast<std::uint8_t>(router.first_link() + pins.wire(device, pin));
      *at++ = lines & 0xFF;
      *at++ = lines >> 8;
    }
    *at++ = static_cast<std::uint8_t>(number);
    *at++ = 0;
  }
  table[checksum] = 0;
  table[checksum] = static_cast<std::uint8_t>(-std::accumulate(table.begin(), at, 0));
}

}  // namespace planar
