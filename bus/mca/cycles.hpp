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

// The cycles for which a card is designed; a planar may take longer (timing.hpp).
inline constexpr Time default_cycle = 200_ns, extended_cycle = 300_ns;
/// Of any cycle; the request reaches the arbiter of a card's RAM when it is over. [datasheet: IBM GG24-3730]
inline constexpr Time address_phase = 100_ns;

/// The cycle of a card that lets it last `length`: longer than a default cycle is at least an extended one.
constexpr CycleSpec cycle_of(unsigned width, Time length) {
  if (length <= default_cycle) return {width, CycleKind::standard, {}};
  if (length <= extended_cycle) return {width, CycleKind::synchronous_extended, {}};
  return {width, CycleKind::asynchronous, length - extended_cycle};
}

}  // namespace planar::bus
