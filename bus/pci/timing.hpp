// SPDX-License-Identifier: GPL-2.0-or-later
// What a transaction on PCI takes, and the numbers in which host bridges differ. All of it is data from the machine
// file, in clocks of the bus but where a time is said.
//
// Confidence of each value stands in brackets: datasheet = PCI Local Bus Specification 2.1 or the data sheet of the
// bridge, inferred = ours. Sources: docs/hardware/pci.md.
#pragma once

#include <cstdint>

#include "bus/common/bus.hpp"
#include "core/time/time.hpp"

namespace planar::pci {

/// The kinds of cycle of the processor on PCI, of which a claim's CycleSpec names one.
enum class CycleKind : std::uint8_t {
  io,             ///< ports: the processor waits for the end
  memory,         ///< the bridge posts writes
  configuration,  ///< through CFCh
};

/// Memory as a master on PCI finds it.
struct MemoryTarget {
  /// From FRAME# to the first datum of a read: DEVSEL#, the memory's access, the way back. [inferred] 430HX class 10
  /// to 12
  unsigned read_first = 11;
  /// What of the first datum of a read does not follow the bus clock, rounded up to whole clocks: of a bridge that
  /// serves a 66 MHz segment as well as a slower one. [inferred]
  Time read_access{};
  /// Clocks between two lines that the bridge has not read ahead, by command: `read` and `read_line` disconnect or
  /// wait at the end of a line, `read_multiple` goes on. [inferred]
  unsigned read_line_gap = 4;
  /// The first datum of a write, which the bridge posts. [inferred] medium DEVSEL#
  unsigned write_first = 3;
  /// How long one line keeps the memory from the processor, both directions. [inferred] 5 to 8 clocks of 66 MHz
  Time line = 105_ns;
  /// How long a line's inquire cycle keeps the processor's bus: AHOLD, and EADS# at most every other clock. [inferred]
  /// two clocks of 66 MHz
  Time snoop = 30_ns;
  /// The write-back of a line that is modified in the processor: HITM# two clocks after EADS#, ADS# two clocks later,
  /// four transfers 3-1-1-1. [inferred] from the data sheets' counts, ten clocks
  Time l1_write_back = 150_ns;
  /// Of one that is modified in the second level alone: it is read, 3-1-1-1. [datasheet: 82439TX] six clocks
  Time l2_write_back = 90_ns;
};

/// The timing of one segment.
struct SegmentTiming {
  Time clock = 30_ns;   ///< period: 33.33 MHz; 15 ns is 66.67 MHz [datasheet]
  unsigned width = 32;  ///< bits of AD, 32 or 64: of the connectors and the host bridge [datasheet]
  /// From the processor's bus to PCI: once for each access that waits. [inferred]
  Time synchronisation = 120_ns;
  /// The way back to the processor, part of each access that waits. [inferred]
  Time completion = 90_ns;
  /// A memory write that finds room in the bridge's buffer: until the processor goes on. [inferred] 2 to 4 clocks of
  /// its bus
  Time post = 45_ns;
  unsigned post_depth = 8;  ///< writes that the buffer holds [datasheet: 430HX eight quadwords]
  /// Address phase, DEVSEL# (medium), turnaround of reads, one datum, idle clock: what every transaction of the
  /// processor takes; the target's own latency is in its CycleSpec. [datasheet]
  unsigned transaction = 5;
  /// The same where nobody answers, of the processor's transactions and of a master's: it ends after DEVSEL# did not
  /// come. [datasheet]
  unsigned master_abort = 6;
  /// REQ# to GNT# on an idle bus; hidden while another transaction runs. [inferred]
  unsigned grant = 2;
  /// Idle clocks between transactions of different masters. [datasheet]
  unsigned turnaround = 1;
  MemoryTarget memory;

  constexpr Time clocks(unsigned n) const { return clock * std::int64_t{n}; }
  /// From FRAME# to the first datum of a master's read of memory.
  constexpr Time read_first() const {
    return clocks(memory.read_first) + clock * ((memory.read_access.ps + clock.ps - 1) / clock.ps);
  }
  /// By CycleKind.
  constexpr bus::CycleTable costs() const {
    const Time access = clocks(transaction) + completion;
    bus::CycleTable table;
    table.synchronisation = synchronisation;
    table.interrupt_acknowledge = access;
    table.kinds = {{{access, true}, {access, true, true}, {access, true}, {access, true}}};
    return table;
  }
};

}  // namespace planar::pci
