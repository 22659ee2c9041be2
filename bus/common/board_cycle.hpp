// SPDX-License-Identifier: GPL-2.0-or-later
// The cycle of the board's own devices (8259, 8254, 8042, RTC...), which do not depend on the type of bus: every bus
// has a row for it in its cycle table.
#pragma once

#include <cstdint>

#include "core/memory/slave.hpp"

namespace planar::bus {

/// A cycle kind common to all buses; ready_delay lengthens the cycle.
enum class BoardCycle : std::uint8_t { device = 3 };

/// An 8-bit board device that needs no more time than the bus gives it.
inline constexpr CycleSpec board_cycle{8, BoardCycle::device, {}};

}  // namespace planar::bus
