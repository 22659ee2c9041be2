// SPDX-License-Identifier: GPL-2.0-or-later
// What all PCI network cards here have in common: bus function, name, and the chip's access to memory.
//
// A card sets up its configuration header and base addresses (bus/pci/function.hpp) in its constructor, connects its
// chip's BurstClient, and archives with archive_card().
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "bus/common/card.hpp"
#include "bus/pci/function.hpp"
#include "bus/pci/master.hpp"
#include "bus/pci/slot.hpp"
#include "devices/adapter/network_adapter.hpp"
#include "devices/adapter/pci/pci_entry.hpp"
#include "devices/chips/chip_host.hpp"

namespace planar {

/// Runs the chip's bursts as a master on the segment.
class PciBurstPort final : public pci::Master {
 public:
  using Master::Master;
  void connect(BurstClient& client) { client_ = &client; }

 private:
  std::span<std::uint8_t> burst_data() override { return client_->burst_data(); }
  void burst_ended(pci::BurstEnd end, Time now) override { client_->burst_done(end == pci::BurstEnd::done, now); }

  BurstClient* client_ = nullptr;
};

class PciNetworkCard : public bus::Card, public pci::Function, public NetworkAdapter, protected BurstHost {
 public:
  // bus::Card and NetworkAdapter
  std::string_view name() const override { return entry_.name; }
  void describe(Description& d) const override;
  // pci::Function
  void bus_reset(Time now) override;

 protected:
  PciNetworkCard(const PciContext& context, const PciEntry& entry, const pci::Identity& identity)
      : Function(context.slot, identity),
        entry_(entry),
        port_(*this, context.slot.device_name(entry.name), std::min(entry.bus_width, context.slot.width())) {}

  /// RST#: resets everything except the configuration space.
  virtual void reset_board(Time now) = 0;
  /// The board's registers, and one part per chip.
  virtual void describe_board(Description& d) const = 0;

  void connect(BurstClient& client) { port_.connect(client); }
  /// Adds the next two base addresses: `size` ports, and the same registers in as much memory. `wait`: the target's
  /// latency.
  void add_register_bars(std::uint32_t size, Slave& registers, Time wait);
  /// Call before archiving the chip; this restores the interrupt pin of a loaded snapshot.
  void archive_card(Archive& a) { archive_function(a); }

  // ChipHost, BurstHost
  void interrupt(bool asserted, Time now) override { set_interrupt(asserted, now); }
  void start_burst(BurstCommand command, std::uint32_t address, std::uint32_t bytes, Time now) override {
    port_.start(command, address, bytes, now);
  }
  void cancel_burst(Time now) override { port_.cancel(now); }

 private:
  const PciEntry& entry_;
  PciBurstPort port_;
};

/// For the registry rows of network cards: builds `Card`(context, arguments...) and connects it to the medium.
template <class Card, class... Arguments>
PciParts make_pci_card(const PciContext& context, Arguments&&... arguments) {
  auto card = std::make_unique<Card>(context, std::forward<Arguments>(arguments)...);
  if (context.medium) card->port().attach(*context.medium);
  Card* const made = card.get();
  return {std::move(card), made, made};
}

}  // namespace planar
