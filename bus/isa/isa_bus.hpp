// SPDX-License-Identifier: GPL-2.0-or-later
// The ISA side of a PC with PCI: the board's own devices (8259, 8254, 8042...) and everything that no PCI device has
// claimed. The PCI-to-ISA bridge claims a processor cycle by subtractive decoding, releases PCI (a delayed transaction)
// and runs it at 8.33 MHz; the processor waits until it ends. The cycle can begin only while PCI is free. Sources:
// facts in docs/hardware/pci.md; the values are data from the machine file.
//
// Not modelled: ISA masters and DMA as bus owners, refresh on ISA, zero wait states (NOWS#), the recovery time between
// two cycles.
#pragma once

#include <cstdint>
#include <string_view>

#include "bus/common/bus.hpp"
#include "bus/pci/segment.hpp"

namespace planar::isa {

/// The kinds of cycle on ISA; board devices use bus::BoardCycle.
enum class CycleKind : std::uint8_t {
  byte,  ///< to an 8-bit slave, or if no device answers
  word,  ///< to a 16-bit slave
  ide,   ///< to the bridge's own IDE interface; the claim contains its duration
};

struct IsaTiming {
  Time clock = 120_ns;  ///< BCLK period: four PCI clocks [datasheet of the bridge]
  /// From the processor's bus to the bridge's claim: the path to PCI and subtractive decoding. [inferred]
  Time synchronisation = 240_ns;
  /// The return path to the processor. [inferred]
  Time completion = 90_ns;
  unsigned byte_clocks = 6;  ///< for a cycle to an 8-bit slave [datasheet: standard ISA]
  unsigned word_clocks = 3;  ///< to a 16-bit one [datasheet: standard ISA]
  /// One of the two interrupt acknowledge cycles of the bridge's 8259 pair. [inferred]
  Time interrupt_acknowledge = 210_ns;

  constexpr bus::CycleTable costs() const {
    bus::CycleTable table;
    table.synchronisation = synchronisation;
    table.interrupt_acknowledge = interrupt_acknowledge;
    const Time byte = clock * std::int64_t{byte_clocks} + completion;
    table.kinds = {
        {{byte, true}, {clock * std::int64_t{word_clocks} + completion, true}, {completion, true}, {byte, true}}};
    return table;
  }
};

class IsaBus final : public bus::Bus {
 public:
  /// `pci` must be attached to the same host bridge and outlive this bus.
  IsaBus(Scheduler& scheduler, const IsaTiming& timing, pci::Segment& pci);

  std::string_view name() const override { return "isa"; }
  std::string_view owner_name() const override { return "processor"; }
  void describe(Description& d) const override;
  void archive(Archive& a) override;
  /// Never called: IOCHRDY has no limit on ISA.
  void bus_timeout(Time) override {}

 private:
  Time acquire_contended(Time t) override;
  void end_yield(Time) override {}

  pci::Segment& pci_;
};

}  // namespace planar::isa
