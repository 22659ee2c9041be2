// SPDX-License-Identifier: GPL-2.0-or-later
// ELCR, edge/level control of the interrupt controllers of a PCI board: 4D0h has IRQ 0 to 7, 4D1h IRQ 8 to 15; a set
// bit makes the input level-triggered. IRQ 0, 1, 2, 8 and 13 are always edge-triggered: their bits read 0
// (docs/hardware/piix3.md#interrupt-routes). Firmware sets the bit of every line to which it routes a PCI interrupt;
// Linux 2.2 changes none.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/memory/slave.hpp"
#include "core/state/archive.hpp"
#include "core/state/description.hpp"
#include "devices/board/at/system/i8259.hpp"
#include "devices/board/at/system/port_group.hpp"

namespace planar {

/// Offsets count from 4D0h. The controllers must have Trigger::elcr.
class Elcr final : public Slave {
 public:
  explicit Elcr(I8259Pair& pic) : pic_(pic) {}

  /// Decodes 4D0h and 4D1h.
  void claim_ports(IoSpace& space) { ports_.claim(space, *this, 0x4D0, {{0x4D0, 0x4D1}}); }

  std::uint32_t read(std::uint32_t offset, unsigned bytes, Time now) override { return peek(offset, bytes, now); }
  void write(std::uint32_t offset, unsigned, std::uint32_t value, Time now) override {
    const unsigned shift = 8 * (offset & 1);
    levels_ = static_cast<std::uint16_t>(((levels_ & ~(0xFFu << shift)) | (value & 0xFF) << shift) & writable);
    pic_.set_levels(levels_, now);
  }
  std::uint32_t peek(std::uint32_t offset, unsigned, Time) const override {
    return levels_ >> (8 * (offset & 1)) & 0xFF;
  }
  std::string_view register_name(std::uint32_t offset, Direction) const override {
    return offset == 0 ? "ELCR1" : "ELCR2";
  }

  /// IRQ 3 to 7, 9 to 12, 14, 15: the lines that may be level-triggered, and to which PIRQRC can route.
  static constexpr std::uint16_t writable = 0xDEF8;
  /// Bit n: IRQ n is level-triggered.
  std::uint16_t levels() const { return levels_; }
  void reset(Time now) {
    levels_ = 0;
    pic_.set_levels(0, now);
  }
  void describe(Description& d) const { d.reg("ELCR1", levels_ & 0xFF, 8).reg("ELCR2", levels_ >> 8, 8); }
  void archive(Archive& a) {
    a.section("elcr", 1);
    a(levels_);
  }

 private:
  I8259Pair& pic_;  // keeps and archives its own copy
  std::uint16_t levels_ = 0;
  PortGroup ports_{"elcr"};
};

}  // namespace planar
