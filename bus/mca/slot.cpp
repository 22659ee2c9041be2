// SPDX-License-Identifier: GPL-2.0-or-later
#include "bus/mca/slot.hpp"

#include <algorithm>

namespace planar::bus {

namespace {
/// Interrupt contacts of the connector: -IRQ 3 to 7, 9 to 12, 14, 15.
constexpr std::uint32_t connector_lines = 0b1101'1110'1111'1000;
constexpr std::uint32_t reach_16_bit = 0x100'0000;  // 24 address lines
}  // namespace

CycleSpec Slot::limited(CycleSpec cycle) const {
  cycle.width = static_cast<std::uint8_t>(std::min<unsigned>(cycle.width, width_));
  return on_bus(cycle, wiring_.channel.number());
}

IoClaim Slot::claim_io(std::uint16_t first, std::uint16_t last, Slave& slave, CycleSpec cycle) const {
  return wiring_.io.claim(first, last, slave, limited(cycle), wiring_.feedback, &subject_);
}

MemoryClaim Slot::claim_memory(std::uint32_t base, std::uint32_t size, Slave& slave, CycleSpec cycle) const {
  if (width_ < 32 && (base >= reach_16_bit || size > reach_16_bit - base)) return {};
  return wiring_.memory.claim(base, size, slave, limited(cycle), wiring_.feedback, &subject_);
}

void Slot::set_irq(unsigned line, bool asserted, Time now) const {
  if (line == 2) line = 9;
  if (line >= InterruptLines::lines || (connector_lines >> line & 1) == 0) return;
  if (((wiring_.interrupts.sources(line) >> number_ & 1) != 0) != asserted)
    wiring_.trace(TraceCategory::nic, now, subject_.device, "{} IRQ {}", asserted ? "pulls" : "releases", line);
  wiring_.interrupts.set(line, number_, asserted, now);
}

}  // namespace planar::bus
