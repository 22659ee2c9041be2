// SPDX-License-Identifier: GPL-2.0-or-later
// $PIR, the table that tells firmware and operating systems where the interrupt pins of a board's slots lead
// (Microsoft, PCI IRQ Routing Table 1.0). The firmware image has room for it at F000:F080 (roms/README.md section 1).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "devices/board/piix3/pirq_router.hpp"

namespace planar {

/// Writes the table of a board with its PCI-to-ISA bridge at device `bridge` and a slot for each of `devices` into a
/// firmware image of 128 KB. Throws Error with ExitCode::missing_file if the image has no room for it there.
void write_routing_table(std::vector<std::uint8_t>& image, unsigned bridge, std::span<const unsigned> devices,
                         const PirqTable& pins);

}  // namespace planar
