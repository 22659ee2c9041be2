// SPDX-License-Identifier: GPL-2.0-or-later
// The cycle of the board's own devices (8259, 8254, 8042, RTC...), which know no bus: whatever bus they are on has a
// row for it in its table of cycles.
#pragma once

#include <cstdint>

#include "core/memory/slave.hpp"

namespace planar::bus {

/// A kind of CycleSpec on every bus; its ready_delay makes the cycle longer.
enum class BoardCycle : std::uint8_t { device = 3 };

/// An 8-bit board device that needs no more time than the bus gives it.
inline constexpr CycleSpec board_cycle{8, BoardCycle::device, {}};

}  // namespace planar::bus
