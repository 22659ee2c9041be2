// SPDX-License-Identifier: GPL-2.0-or-later
// ServerWorks OSB4, function 0: the bridge from PCI to ISA.
//
//   C00h  index: 10h to 13h the routes of PIRQA# to PIRQD#, 00h ACPI, 01h USB, 02h and 04h IDE, 03h SMBus
//   C01h  the interrupt line of the source selected by C00h; 0: none
//
// Its data book is not public. Sources: Linux arch/i386/kernel/pci-irq.c (the two ports), lspci of such machines on the
// Linux kernel list (identity, COMMAND, STATUS). The chip has routes for sixteen PCI interrupts, of which boards here
// wire four; the others are stored without effect. Not modelled: registers in configuration space, which read 0; power
// management, USB (function 2 is absent). Its AT-compatible parts, ELCR and port CF9h are modelled as in the PIIX3
// (docs/hardware/piix3.md): that both chips agree here is inferred.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "core/memory/slave.hpp"
#include "devices/board/at/system/port_group.hpp"
#include "devices/board/piix3/pirq_router.hpp"
#include "devices/board/south_bridge/south_bridge.hpp"

namespace planar {

/// Offsets count from C00h.
class Osb4Isa final : public SouthBridge, private Slave {
 public:
  Osb4Isa(pci::Slot& slot, PirqRouter& router);

  const char* name() const override { return "osb4"; }
  void claim_ports(IoSpace& io) override;
  std::uint8_t first_link() const override { return first_route; }
  std::uint32_t compatible_router() const override { return 0x0200'1166; }
  void bus_reset(Time now) override;
  void describe(Description& d) const override;
  void archive(Archive& a) override;

 private:
  static constexpr unsigned first_route = 0x10, routes = 0x20;

  std::uint32_t read(std::uint32_t offset, unsigned bytes, Time now) override { return peek(offset, bytes, now); }
  void write(std::uint32_t offset, unsigned bytes, std::uint32_t value, Time now) override;
  std::uint32_t peek(std::uint32_t offset, unsigned bytes, Time now) const override;
  std::string_view register_name(std::uint32_t offset, Direction) const override;
  void set_routes(Time now);

  PirqRouter& router_;
  std::uint8_t index_ = 0;
  std::array<std::uint8_t, routes> lines_{};  // by index; 0: none
  PortGroup ports_{"osb4"};
};

}  // namespace planar
