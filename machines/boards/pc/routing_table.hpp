// SPDX-License-Identifier: GPL-2.0-or-later
// $PIR, the table that tells firmware and operating systems how the interrupt pins of a board's slots are routed
// (Microsoft, PCI IRQ Routing Table 1.0). The firmware image reserves room for it at F000:F080 (roms/README.md section
// 1).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "devices/board/piix3/pirq_router.hpp"
#include "devices/board/south_bridge/south_bridge.hpp"

namespace planar {

/// The location of a slot, and its number as people count.
struct RoutingSlot {
  unsigned bus = 0, device = 0, number = 1;
};

/// Writes the table for a board with the south bridge `router` on bus 0 and the given `slots` into a firmware image of
/// 128 KB, which takes the last entry's bus to be the last bus. Throws Error with ExitCode::missing_file if the image
/// has no room for it there.
void write_routing_table(std::vector<std::uint8_t>& image, const SouthBridge& router,
                         std::span<const RoutingSlot> slots, const PirqTable& pins);

}  // namespace planar
