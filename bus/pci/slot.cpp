// SPDX-License-Identifier: GPL-2.0-or-later
#include "bus/pci/slot.hpp"

#include <algorithm>

#include "core/common/error.hpp"

namespace planar::pci {

Slot::Slot(unsigned device, unsigned number, const SlotWiring& wiring, unsigned width)
    : device_(device), number_(number), width_(width), wiring_(wiring), subject_{fmt::format("slot{}", number)} {
  wiring_.segment.attach(*this);
}

Slot::~Slot() { wiring_.segment.detach(*this); }

void Slot::add(Function& function) {
  const auto free = std::find(functions_.begin(), functions_.end(), nullptr);
  if (free == functions_.end()) throw Error("a PCI device has eight functions at most");
  *free = &function;
}

void Slot::remove(Function& function) {
  std::replace(functions_.begin(), functions_.end(), &function, static_cast<Function*>(nullptr));
}

IoClaim Slot::claim_io(std::uint16_t first, std::uint16_t last, Slave& slave, CycleSpec cycle) const {
  return wiring_.io.claim(first, last, slave, bus::on_bus(cycle, wiring_.segment.number()), nullptr, &subject_);
}

MemoryClaim Slot::claim_memory(std::uint32_t base, std::uint32_t size, Slave& slave, CycleSpec cycle) const {
  return wiring_.memory.claim(base, size, slave, bus::on_bus(cycle, wiring_.segment.number()), nullptr, &subject_);
}

void Slot::set_interrupt(unsigned pin, bool asserted, Time now) const {
  wiring_.trace(TraceCategory::irq, now, subject_.device, "{} INT{}#", asserted ? "pulls" : "releases",
                static_cast<char>('A' + (pin - 1) % 4));
  wiring_.interrupt(device_, pin, asserted, now);
}

}  // namespace planar::pci
