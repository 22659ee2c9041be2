// SPDX-License-Identifier: GPL-2.0-or-later
// The duration of cycles on the channel, and the values in which planars differ. All of it is data from the machine
// file.
//
// The confidence of each value is given in brackets: datasheet = an IBM manual, inferred = ours. Sources:
// docs/hardware/micro-channel.md#cycle-types and the sections after it. No primary source gives the
// processor-to-channel synchronisation of a particular planar or the exact CD CHRDY maximum.
#pragma once

#include <cstdint>

#include "bus/common/board_cycle.hpp"
#include "bus/common/bus.hpp"
#include "bus/mca/cycles.hpp"
#include "core/time/time.hpp"

namespace planar::bus {

/// Memory refresh on the channel (level -2).
struct RefreshTiming {
  /// Time between two requests; number n is due at n periods. 15.12 us is the normal rate of the PS/2 (fast mode of the
  /// Model 80 class: 0.8 us). [inferred: the rate used by MAME; no manual was available]
  Time period = 15'120_ns;
  /// How long one refresh keeps everybody off the channel: it is served while ARB/-GNT stays in "arbitrate" and lasts
  /// one memory-read-like cycle. [inferred] from the 2 to 3 % of channel time that such a planar loses.
  Time hold = 400_ns;
};

struct ArbitrationTiming {
  Time phase = 300_ns;           ///< arbitration phase, minimum [datasheet]
  Time phase_extended = 600_ns;  ///< with port 90h bit 5 [datasheet]
  /// A bursting owner leaves within this time after -PREEMPT, or the bus times out. [datasheet, figure recalled]
  Time burst_bound = 7'800_ns;
  /// The processor's need for the channel counts as -PREEMPT towards a bursting owner [inferred]; if false, only
  /// refresh and other requesters do.
  bool processor_preempts = true;
};

/// The timing of one planar.
struct BusTiming {
  /// From the processor's bus to the channel, once per processor cycle; about 1 to 2 processor clocks. [inferred]
  Time synchronisation = 60_ns;
  Time standard = 200_ns;  ///< default cycle [datasheet]
  /// Synchronous extended cycle, and the minimum duration of an asynchronous one. [datasheet, figure recalled]
  Time extended = 300_ns;
  /// Longest time from the start of a cycle for which CD CHRDY may stay low; beyond it the cycle is abandoned with a
  /// bus time-out. Time::never(): slaves are trusted. About 3.5 us on the real machine. [datasheet, figure recalled and
  /// uncertain]
  Time ready_limit = Time::never();
  /// One of the two interrupt acknowledge cycles. [inferred] same as for any other planar device.
  Time interrupt_acknowledge = 300_ns;
  /// Width in bits of planar memory as seen by bus masters and the DMA controller.
  unsigned memory_width = 32;
  /// Planar memory supports the streaming data procedure: a master that requests it moves a datum every 100 ns after
  /// the first cycle.
  bool memory_streams = true;
  /// One cycle of a master or of the DMA controller to planar memory. [inferred] same as the default cycle
  Time memory_cycle = 200_ns;
  ArbitrationTiming arbitration;
  RefreshTiming refresh;

  /// By CycleKind, and for the planar's own 8-bit devices, which answer within the synchronous extended cycle
  /// [inferred].
  constexpr CycleTable costs() const {
    return {synchronisation,
            ready_limit,
            interrupt_acknowledge,
            {{{standard, false}, {extended, false}, {extended, true}, {extended, true}}}};
  }
};

}  // namespace planar::bus
