// SPDX-License-Identifier: GPL-2.0-or-later
// The kinds of Micro Channel cycle; a claim's CycleSpec names one. Board devices use a kind that every bus has
// (bus/common/board_cycle.hpp). The duration of each depends on the planar (timing.hpp).
#pragma once

#include <cstdint>

#include "core/memory/slave.hpp"

namespace planar::bus {

/// The three ways in which a cycle ends (docs/hardware/micro-channel.md#cycle-types).
enum class CycleKind : std::uint8_t {
  standard,              ///< CD CHRDY stays high: 200 ns
  synchronous_extended,  ///< released within the fixed window: 300 ns
  asynchronous,          ///< CD CHRDY low until the slave is done: 300 ns + CycleSpec::ready_delay
};

}  // namespace planar::bus
