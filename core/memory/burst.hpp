// SPDX-License-Identifier: GPL-2.0-or-later
// How a master asks for a burst of memory, whatever bus carries it.
#pragma once

#include <cstdint>

namespace planar {

/// The commands by which a master on PCI reads or writes memory (PCI 2.1, 3.1.1): they tell the host bridge how far to
/// read ahead, and that whole lines are coming.
enum class BurstCommand : std::uint8_t { read, read_line, read_multiple, write, write_invalidate };
constexpr bool writes(BurstCommand c) { return c >= BurstCommand::write; }

}  // namespace planar
