// SPDX-License-Identifier: GPL-2.0-or-later
// Connects the interrupt pins of PCI devices to interrupt lines: the board joins the pins INTA# to INTD# of its devices
// into four wires PIRQA# to PIRQD#, each of which PIRQRC[A:D] routes to one of eleven lines or to none. Devices on one
// wire, wires on one line and the line's other sources share it as a level: ELCR must be set accordingly, and firmware
// writes the same line into the devices' INTERRUPT_LINE.
//
// On the lines each slot is a source of its own, as on other buses; all other devices together are one source.
//
// Source: docs/hardware/piix3.md#interrupt-routes.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "bus/common/interrupts.hpp"
#include "core/state/archive.hpp"
#include "core/state/description.hpp"
#include "core/time/time.hpp"

namespace planar {

/// The wire, 0 (PIRQA#) to 3, of each device's pins 1 (INTA#) to 4, as wired on the board.
struct PirqTable {
  std::array<std::array<std::uint8_t, 4>, 32> wires{};

  /// The usual rotation: INTA# of device `first` leads to PIRQA#, of the next one to PIRQB#, and so on.
  static constexpr PirqTable rotation(unsigned first) {
    PirqTable table;
    for (unsigned device = 0; device < 32; ++device)
      for (unsigned pin = 0; pin < 4; ++pin)
        table.wires[device][pin] = static_cast<std::uint8_t>((device + pin - first) & 3);
    return table;
  }
  unsigned wire(unsigned device, unsigned pin) const { return wires[device & 31][(pin - 1) & 3] & 3u; }
};

class PirqRouter {
 public:
  static constexpr unsigned wires = 4;
  static constexpr std::uint8_t off = 0x80;  ///< PIRQRC after a reset

  /// `slots`: the device numbers of slot 1, 2...
  PirqRouter(bus::InterruptLines& lines, const PirqTable& table, std::span<const unsigned> slots = {});
  PirqRouter(const PirqRouter&) = delete;

  /// A device asserts or negates a pin: pci::SlotWiring::interrupt.
  void set_pin(unsigned device, unsigned pin, bool asserted, Time now);
  /// PIRQRC of wire `n`.
  void set_route(unsigned n, std::uint8_t value, Time now);

  /// The line that wire `n` is routed to; -1 for none.
  int line(unsigned n) const;
  /// The line that a device's pin 1 to 4 is routed to at present; -1 for none.
  int line_of(unsigned device, unsigned pin) const { return line(table_.wire(device, pin)); }
  const PirqTable& table() const { return table_; }

  /// Each wire: its line, and the devices that assert it.
  void describe(Description& d) const;
  void archive(Archive& a);

 private:
  using Levels = std::array<std::uint32_t, bus::InterruptLines::lines>;  // the sources that assert each line
  Levels pulled() const;
  void drive(Time now);

  bus::InterruptLines& lines_;
  const PirqTable table_;
  std::array<std::uint8_t, 32> sources_{};                      // source number in lines_, by device
  std::array<std::uint8_t, wires> routes_{off, off, off, off};  // PIRQRC
  std::array<std::uint32_t, 4> pins_{};                         // INTA# to INTD#: the devices that assert each
  Levels driven_{};                                             // derived from the three above
};

}  // namespace planar
