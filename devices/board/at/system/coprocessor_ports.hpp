// SPDX-License-Identifier: GPL-2.0-or-later
// The planar's handling of coprocessor errors: FERR# raises IRQ 13, port F0h clears it, F1h resets a 387.
//
// Facts: docs/hardware/planar-devices.md#coprocessor-ports (F0h clears busy, F1h resets; Linux writes both at boot);
// Intel 486 manual, MS-DOS compatible error handling: a write to F0h clears the latched interrupt and asserts IGNNE#
// until FERR# is negated, so that the handler may use the x87 before it clears the error. Known limits: F1h resets
// nothing here (only a 387 has that pin; the 486 and Pentium ignore it).
#pragma once

#include <cstdint>

#include "core/memory/slave.hpp"
#include "core/state/archive.hpp"
#include "core/state/description.hpp"
#include "devices/board/at/system/port_group.hpp"
#include "devices/board/at/system/signal.hpp"

namespace planar {

/// Offsets count from F0h. Reads return ones: nothing drives the bus.
class CoprocessorPorts final : public Slave {
 public:
  /// Decodes F0h and F1h.
  void claim_ports(IoSpace& space) { ports_.claim(space, *this, 0xF0, {{0xF0, 0xF1}}); }

  Output irq13;
  Output ignne;  ///< IGNNE# to the processor

  /// FERR# of the processor: an error is pending.
  void ferr(bool level, Time now) {
    if (level)
      irq13.set(true, now);
    else
      ignne.set(false, now);
  }

  std::uint32_t read(std::uint32_t, unsigned, Time) override { return 0xFF; }
  void write(std::uint32_t offset, unsigned, std::uint32_t, Time now) override {
    if (offset != 0) return;
    const bool waiting = irq13.level();
    irq13.set(false, now);
    if (waiting) ignne.set(true, now);
  }
  std::uint32_t peek(std::uint32_t, unsigned, Time) const override { return 0xFF; }

  void reset(Time now) {
    irq13.set(false, now);
    ignne.set(false, now);
  }
  void describe(Description& d) const { d.flag("IRQ 13", irq13.level()).flag("IGNNE#", ignne.level()); }
  void archive(Archive& a) {
    a.section("coprocessor ports", 1);
    a(irq13, ignne);
  }

 private:
  PortGroup ports_{"coprocessor"};
};

}  // namespace planar
