// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/board/north_bridge/north_bridge.hpp"

#include <fmt/format.h>

namespace planar {

namespace {
constexpr unsigned pam_registers = 7, rows = 8;
}

NorthBridge::NorthBridge(pci::Slot& slot, const pci::Identity& identity) : Function(slot, identity) {
  // It always decodes memory and is always a master.
  config_.set_default(pci::COMMAND, 2, pci::MEMORY_SPACE | pci::BUS_MASTER);
  config_.set_default(pci::STATUS, 2, pci::DEVSEL_MEDIUM);
}

NorthBridge::NorthBridge(pci::Slot& slot, const pci::Identity& identity, std::uint32_t memory_bytes,
                         std::uint32_t row_unit)
    : NorthBridge(slot, identity) {
  // Two rows of equal size, as for a pair of double-sided modules: each DRB is the end of its row.
  const std::uint32_t units = memory_bytes / row_unit;
  for (unsigned row = 0; row < rows; ++row) config_.set_default(DRB0 + row, 1, row == 0 ? (units + 1) / 2 : units);
  config_.set_writable(DRB0, 4, 0xFFFFFFFF);
  config_.set_writable(DRB0 + 4, 4, 0xFFFFFFFF);
}

void NorthBridge::describe_memory(Description& d) const {
  for (unsigned n = 0; n < pam_registers; ++n) d.reg(fmt::format("PAM{}", n), config_.read(PAM0 + n, 1), 8);
  for (unsigned n = 0; n < rows; ++n) d.reg(fmt::format("DRB{}", n), config_.read(DRB0 + n, 1), 8);
}

}  // namespace planar
