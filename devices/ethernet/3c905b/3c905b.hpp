// SPDX-License-Identifier: GPL-2.0-or-later
// 3Com 3C905B-TX Fast EtherLink XL PCI: a Cyclone with its serial EEPROM.
//
//   10B7:9055 revision 30h, subsystem 10B7:9055; BAR0 128 ports, BAR1 128 bytes of memory: the chip's registers
//
// Header and EEPROM as printed by lspci and Linux's driver for boards of the time (devices/ethernet/3c905b/3c905b.md).
#pragma once

#include <cstdint>

#include "devices/adapter/chip_registers.hpp"
#include "devices/adapter/pci/pci_card.hpp"
#include "devices/adapter/station_options.hpp"
#include "devices/chips/cyclone/cyclone.hpp"

namespace planar::ethernet {

class ThreeC905B final : public PciNetworkCard {
 public:
  static constexpr std::uint16_t device_id = 0x9055;
  static const PciEntry entry;  ///< its row of the registry

  explicit ThreeC905B(const PciContext& context);

  // bus::Card
  void archive(Archive& a) override;
  // NetworkAdapter
  NetCounters counters() const override { return ethernet_counters(chip_.counters()); }
  net::Port& port() override { return chip_.port(); }

  const Cyclone& chip() const { return chip_; }

 private:
  ThreeC905B(const PciContext& context, const StationOptions& options);

  // PciNetworkCard
  void reset_board(Time now) override { chip_.reset(now); }
  void describe_board(Description& d) const override;
  void config_changed(unsigned reg, unsigned bytes, Time now) override;
  void bus_reset(Time now) override;
  void tell_lines();

  Cyclone chip_;
  ChipRegisters<Cyclone> registers_{chip_};
};

}  // namespace planar::ethernet
