// SPDX-License-Identifier: GPL-2.0-or-later
// Intel PRO/1000 server adapters for fibre: PWLA8490 with an 82542, PWLA8490SX ("F") with an 82543GC. The chip, its
// serial EEPROM and a transceiver for 1000BASE-SX; both boards are 64 bits wide, the 82543's also runs at 66 MHz.
//
//   8086:1000 revision 3, or 8086:1001 revision 2; BAR0 128 KB of memory: the chip's registers
//
// Sources: devices/ethernet/pro1000-82542/pro1000-82542.md, devices/ethernet/pro1000-82543/pro1000-82543.md.
#pragma once

#include <cstdint>

#include "devices/adapter/chip_registers.hpp"
#include "devices/adapter/pci/pci_card.hpp"
#include "devices/adapter/station_options.hpp"
#include "devices/chips/i8254x/i8254x.hpp"

namespace planar::ethernet {

class Pro1000 final : public PciNetworkCard {
 public:
  static const PciEntry with_82542;  ///< rows of the registry
  static const PciEntry with_82543;

  explicit Pro1000(const PciContext& context, const PciEntry& entry);

  // bus::Card
  void archive(Archive& a) override;
  // NetworkAdapter
  NetCounters counters() const override;
  net::Port& port() override { return chip_.port(); }

  const I8254x& chip() const { return chip_; }

 private:
  struct Bus final : I8254xHost {
    explicit Bus(Pro1000& c) : card(c) {}
    Time bus_clock() const override { return card.slot().segment().timing().clock; }
    Time bus_abort() const override {
      const pci::SegmentTiming& t = card.slot().segment().timing();
      return t.clocks(t.grant + t.master_abort);
    }
    bool bus_64() const override { return card.slot().segment().timing().width == 64; }
    std::uint32_t cache_line() const override;
    void interrupt(bool asserted, Time now) override { card.interrupt(asserted, now); }
    void start_burst(BurstCommand command, std::uint32_t address, std::uint32_t bytes, Time now) override {
      card.start_burst(command, address, bytes, now);
    }
    void cancel_burst(Time now) override { card.cancel_burst(now); }
    Pro1000& card;
  };

  Pro1000(const PciContext& context, const PciEntry& entry, const StationOptions& options);

  // PciNetworkCard
  void reset_board(Time now) override { chip_.reset(now); }
  void describe_board(Description& d) const override;

  Bus bus_{*this};
  const std::string_view chip_name_;
  I8254x chip_;
  ChipRegisters<I8254x> registers_{chip_};
};

}  // namespace planar::ethernet
