// SPDX-License-Identifier: GPL-2.0-or-later
// Settings of a machine file specific to a PC board: PCI, ISA, and the device numbers of the slots.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bus/host/host_bridge.hpp"
#include "bus/isa/isa_bus.hpp"
#include "bus/pci/config_ports.hpp"
#include "bus/pci/timing.hpp"
#include "devices/board/north_bridge/north_bridge.hpp"
#include "devices/board/piix3/pirq_router.hpp"
#include "devices/board/south_bridge/pci_ide.hpp"
#include "devices/board/south_bridge/south_bridge.hpp"
#include "machines/config/board_kind.hpp"
#include "machines/config/machine_config.hpp"

namespace planar {

/// The functions of a south bridge, in numerical order.
struct SouthBridgeParts {
  std::unique_ptr<SouthBridge> isa;
  std::unique_ptr<PciIde> ide;
};

struct PcConfig final : BoardConfig {
  bus::HostTiming host;
  pci::SegmentTiming pci;
  std::optional<pci::SegmentTiming> peer;  ///< an optional second segment of the host bridge
  isa::IsaTiming isa;
  pci::ConfigMechanism mechanism = pci::ConfigMechanism::one;
  /// Creates the host bridge of the chip set; `peer` is the second segment, or null.
  std::unique_ptr<NorthBridge> (*host_bridge)(pci::Slot& slot, const MachineConfig& machine,
                                              pci::Segment* peer) = nullptr;
  /// Creates the functions of the south bridge.
  SouthBridgeParts (*south_bridge)(pci::Slot& slot, PirqRouter& router) = nullptr;
  unsigned bridge_device = 7;          ///< device number of the south bridge
  std::vector<unsigned> slot_devices;  ///< indexed by slot, over both segments
  std::vector<bool> on_peer;           ///< indexed by slot: whether it is on the second segment
  /// The firmware's boot order: 1 diskette, 2 first disk, 3 CD-ROMs; 0 end of list.
  std::array<std::uint8_t, 3> boot{};

  bus::CycleTable cycles() const override { return isa.costs(); }
};

/// Reads `[pci]`, `[isa]` and `planar.boot`.
std::shared_ptr<const BoardConfig> read_pc(Config& c, const MachineConfig& m);
/// A PCI card has no user-selectable resources: the firmware assigns what it requests.
bool pc_card_choice(const std::string& card, const std::string& key);

}  // namespace planar
