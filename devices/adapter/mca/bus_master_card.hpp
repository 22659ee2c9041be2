// SPDX-License-Identifier: GPL-2.0-or-later
// A Micro Channel network card whose chip moves frames by itself: the chip's transfers go through a bus master port of
// the card, its interrupt to the card's pin.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>

#include "devices/adapter/mca/bus_master_port.hpp"
#include "devices/adapter/mca/mca_card.hpp"
#include "devices/adapter/station_options.hpp"
#include "devices/chips/chip_host.hpp"

namespace planar {

/// `Chip` is constructed with its scheduler, name, BusMasterHost, configuration, station address and seed.
template <class Chip>
class BusMasterCard : public McaNetworkCard, private BusMasterHost, private BusMasterClient {
 public:
  // NetworkAdapter
  net::Port& port() override { return chip_.port(); }

  Chip& chip() { return chip_; }

 protected:
  /// Timing value: master.burst, at least `least_burst` bytes.
  template <class Config>
  BusMasterCard(const McaContext& context, const McaEntry& row, const ethernet::StationOptions& options,
                std::initializer_list<PosRegisters::Register> pos, const Config& config, std::uint32_t least_burst)
      : McaNetworkCard(context.slot, row, options.adapter_id, pos),
        chip_(slot_.scheduler(), slot_.device_name(row.name), *this, config, options.mac, options.seed),
        master_(slot_, slot_.device_name(row.name), *this,
                static_cast<std::uint32_t>(
                    options.profile.integer("master.burst", least_burst, BusMasterPort::longest_burst))) {}

  Chip chip_;
  BusMasterPort master_;

 private:
  // BusMasterHost
  void interrupt(bool asserted, Time now) override { irq_.set(asserted, now); }
  void start_transfer(std::uint32_t address, std::uint32_t bytes, Direction direction, Time now) override {
    master_.start(address, bytes, direction, now);
  }
  void cancel_transfer(Time now) override { master_.cancel(now); }
  // BusMasterClient
  std::span<std::uint8_t> transfer_buffer() override { return chip_.transfer_buffer(); }
  bool transferring() const override { return chip_.transferring(); }
  void transfer_done(Time now) override { chip_.transfer_done(now); }
};

}  // namespace planar
