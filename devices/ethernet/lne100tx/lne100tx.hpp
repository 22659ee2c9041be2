// SPDX-License-Identifier: GPL-2.0-or-later
// LinkSys LNE100TX, version 2: a Lite-On/Macronix LC82C115 (PNIC-II) and its 93C46. lne100tx.md says why this version.
//
//   configuration space   11AD:C115, subsystem 11AD:C001; BAR0 256 ports, BAR1 256 bytes of memory, both the chip's
//                         registers; INTA#
//   93C46                 station address from byte 20 on (Linux), where word 38h points to (FreeBSD)
#pragma once

#include <cstdint>

#include "devices/adapter/chip_registers.hpp"
#include "devices/adapter/pci/pci_card.hpp"
#include "devices/adapter/station_options.hpp"
#include "devices/chips/tulip/tulip.hpp"

namespace planar::ethernet {

class Lne100tx final : public PciNetworkCard {
 public:
  static constexpr std::uint16_t vendor_id = 0x11AD, device_id = 0xC115;
  static const PciEntry entry;  ///< its row of the registry

  explicit Lne100tx(const PciContext& context);

  // bus::Card
  void archive(Archive& a) override;
  // NetworkAdapter
  NetCounters counters() const override;
  net::Port& port() override { return chip_.port(); }

  Tulip& chip() { return chip_; }

 private:
  Lne100tx(const PciContext& context, const StationOptions& options);

  // PciNetworkCard
  void reset_board(Time now) override { chip_.reset(now); }
  void describe_board(Description& d) const override;

  net::MacAddress mac_;
  Tulip chip_;
  ChipRegisters<Tulip> registers_{chip_};
};

}  // namespace planar::ethernet
