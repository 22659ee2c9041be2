// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/adapter/pci/pci_card.hpp"

namespace planar {

void PciNetworkCard::add_register_bars(std::uint32_t size, Slave& registers, Time wait) {
  add_bar({pci::Bar::Kind::io, size, &registers, {32, pci::CycleKind::io, wait}});
  add_bar({pci::Bar::Kind::memory, size, &registers, {32, pci::CycleKind::memory, wait}});
}

void PciNetworkCard::bus_reset(Time now) {
  Function::bus_reset(now);
  reset_board(now);
}

void PciNetworkCard::describe(Description& d) const {
  describe_header(d.part("configuration"));
  port_.describe(d.part("PCI"));
  describe_board(d);
}

}  // namespace planar
