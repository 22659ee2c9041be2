// SPDX-License-Identifier: GPL-2.0-or-later
// Intel EtherExpress PRO/100+ for PCI: an 82559 with its serial EEPROM.
//
//   8086:1229 revision 08h, subsystem 8086:000C; BAR0 4 KB of memory and BAR1 64 ports: the chip's registers; BAR2 1 MB
//   for a flash memory, which is not fitted
//
// Header, sizes and EEPROM as printed by lspci and eepro100-diag for boards of the time
// (devices/ethernet/eepro100/eepro100.md).
#pragma once

#include <cstdint>

#include "devices/adapter/chip_registers.hpp"
#include "devices/adapter/pci/pci_card.hpp"
#include "devices/adapter/station_options.hpp"
#include "devices/chips/i8255x/i8255x.hpp"

namespace planar::ethernet {

class EePro100 final : public PciNetworkCard {
 public:
  static constexpr std::uint16_t device_id = 0x1229;
  static const PciEntry entry;  ///< its row of the registry

  explicit EePro100(const PciContext& context);

  // bus::Card
  void archive(Archive& a) override;
  // NetworkAdapter
  NetCounters counters() const override;
  net::Port& port() override { return chip_.port(); }

  const I8255x& chip() const { return chip_; }

 private:
  EePro100(const PciContext& context, const StationOptions& options);

  /// The address range of the flash memory.
  struct NoFlash final : Slave {
    std::uint32_t read(std::uint32_t, unsigned bytes, Time now) override { return peek(0, bytes, now); }
    std::uint32_t peek(std::uint32_t, unsigned bytes, Time) const override {
      return bytes == 4 ? UINT32_MAX : bytes == 2 ? 0xFFFF : 0xFF;
    }
    void write(std::uint32_t, unsigned, std::uint32_t, Time) override {}
  };

  // PciNetworkCard
  void reset_board(Time now) override { chip_.reset(now); }
  void describe_board(Description& d) const override;

  I8255x chip_;
  ChipRegisters<I8255x> registers_{chip_};
  NoFlash flash_;
};

}  // namespace planar::ethernet
