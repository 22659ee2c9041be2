// SPDX-License-Identifier: GPL-2.0-or-later
// A 10/100 Mbit/s Ethernet card with a Realtek RTL8139A: the chip, its EEPROM and an empty socket for a boot ROM.
//
//   BAR0  256 ports, BAR1  256 bytes of memory: the same registers (rtl8139.hpp)
#pragma once

#include <cstdint>

#include "devices/adapter/chip_registers.hpp"
#include "devices/adapter/pci/pci_card.hpp"
#include "devices/adapter/station_options.hpp"
#include "devices/chips/rtl8139/rtl8139.hpp"

namespace planar::ethernet {

class Rtl8139Card final : public PciNetworkCard {
 public:
  static constexpr std::uint16_t realtek = 0x10EC, device_id = 0x8139;
  static const PciEntry entry;  ///< its row of the registry

  explicit Rtl8139Card(const PciContext& context);

  // bus::Card
  void archive(Archive& a) override;
  // NetworkAdapter
  NetCounters counters() const override;
  net::Port& port() override { return chip_.port(); }

  Rtl8139& chip() { return chip_; }

 private:
  Rtl8139Card(const PciContext& context, const StationOptions& options);

  // PciNetworkCard
  void reset_board(Time now) override { chip_.reset(now); }
  void describe_board(Description& d) const override { chip_.describe(d.part("RTL8139")); }

  Rtl8139 chip_;
  ChipRegisters<Rtl8139> registers_{chip_};
};

}  // namespace planar::ethernet
