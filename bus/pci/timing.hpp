// SPDX-License-Identifier: GPL-2.0-or-later
// The duration of transactions on PCI, and the values in which host bridges differ. All of it is data from the machine
// file, in bus clocks unless given as a time.
//
// The confidence of each value is given in brackets: datasheet = PCI Local Bus Specification 2.1 or the data sheet of
// the bridge, inferred = ours. Sources: docs/hardware/pci.md.
#pragma once

#include <cstdint>

#include "bus/common/bus.hpp"
#include "core/time/time.hpp"

namespace planar::pci {

/// The kinds of processor cycle on PCI; a claim's CycleSpec names one.
enum class CycleKind : std::uint8_t {
  io,             ///< ports: the processor waits until the end
  memory,         ///< the bridge posts writes
  configuration,  ///< through CFCh
};

/// Memory as seen by a master on PCI.
struct MemoryTarget {
  /// From FRAME# to the first datum of a read: DEVSEL#, the memory access and the return path. [inferred] 430HX class:
  /// 10 to 12
  unsigned read_first = 11;
  /// The part of a read's first-datum latency that is independent of the bus clock, rounded up to whole clocks: for a
  /// bridge that serves both a 66 MHz segment and a slower one. [inferred]
  Time read_access{};
  /// Clocks between two lines that the bridge has not read ahead, by command: `read` and `read_line` disconnect or wait
  /// at the end of a line, `read_multiple` continues. [inferred]
  unsigned read_line_gap = 4;
  /// To the first datum of a write, which the bridge posts. [inferred] medium DEVSEL#
  unsigned write_first = 3;
  /// How long one line keeps the processor from memory, in both directions. [inferred] 5 to 8 clocks of 66 MHz
  Time line = 105_ns;
  /// How long a line's inquire cycle occupies the processor's bus: AHOLD, and EADS# at most every other clock.
  /// [inferred] two clocks of 66 MHz
  Time snoop = 30_ns;
  /// The write-back of a line that is modified in the processor: HITM# two clocks after EADS#, ADS# two clocks later,
  /// four transfers 3-1-1-1. [inferred] ten clocks, from the data sheets' counts
  Time l1_write_back = 150_ns;
  /// The write-back of a line modified only in the second-level cache: it is read, 3-1-1-1. [datasheet: 82439TX] six
  /// clocks
  Time l2_write_back = 90_ns;
};

/// The timing of one segment.
struct SegmentTiming {
  Time clock = 30_ns;   ///< period: 33.33 MHz; 15 ns is 66.67 MHz [datasheet]
  unsigned width = 32;  ///< bits of AD on the connectors and the host bridge, 32 or 64 [datasheet]
  /// From the processor's bus to PCI: once per access that waits. [inferred]
  Time synchronisation = 120_ns;
  /// The return path to the processor, part of each access that waits. [inferred]
  Time completion = 90_ns;
  /// A memory write that finds room in the bridge's buffer: time until the processor continues. [inferred] 2 to 4
  /// clocks of its bus
  Time post = 45_ns;
  unsigned post_depth = 8;  ///< writes that the buffer holds [datasheet: 430HX eight quadwords]
  /// Address phase, DEVSEL# (medium), turnaround of reads, one datum, idle clock: common to all the processor's
  /// transactions; the target's own latency is in its CycleSpec. [datasheet]
  unsigned transaction = 5;
  /// The same if no device answers, for transactions of the processor and of masters: the transaction ends when DEVSEL#
  /// has not been asserted in time. [datasheet]
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
