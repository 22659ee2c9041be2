// SPDX-License-Identifier: GPL-2.0-or-later
// How a master requests a memory burst, whatever the bus.
#pragma once

#include <cstdint>

namespace planar {

/// The commands with which a PCI master reads or writes memory (PCI 2.1, 3.1.1): they tell the host bridge how far to
/// read ahead, and that whole lines will follow.
enum class BurstCommand : std::uint8_t { read, read_line, read_multiple, write, write_invalidate };
constexpr bool writes(BurstCommand c) { return c >= BurstCommand::write; }

}  // namespace planar
