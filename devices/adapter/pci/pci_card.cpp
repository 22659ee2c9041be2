// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/adapter/pci/pci_card.hpp"

#include "core/common/error.hpp"

namespace planar {

// ---- bursts ----

void PciBurstPort::start(BurstCommand command, std::uint32_t address, std::uint32_t bytes, Time now) {
  command_ = command;
  address_ = address;
  bytes_ = bytes;
  waiting_ = !function_.enabled(pci::BUS_MASTER);
  if (!waiting_) Master::start(command, address, bytes, now);
}

void PciBurstPort::cancel(Time now) {
  waiting_ = false;
  Master::cancel(now);
}

void PciBurstPort::configured(Time now) {
  set_latency_timer(function_.config().read(pci::LATENCY_TIMER, 1));
  if (!waiting_ || !function_.enabled(pci::BUS_MASTER)) return;
  waiting_ = false;
  Master::start(command_, address_, bytes_, now);
}

void PciBurstPort::burst_ended(pci::BurstEnd end, Time now) {
  const bool moved = end == pci::BurstEnd::done;
  if (!moved) function_.set_status(pci::RECEIVED_MASTER_ABORT);
  client_->burst_done(moved, now);
}

void PciBurstPort::archive(Archive& a) {
  a(command_, address_, bytes_, waiting_);
  if (a.loading() && command_ > BurstCommand::write_invalidate)
    throw Error("snapshot holds a damaged PCI burst; take a new one", ExitCode::missing_file);
}

// ---- the card ----

void PciNetworkCard::add_register_bars(std::uint32_t size, Slave& registers, Time wait) {
  add_bar({pci::Bar::Kind::io, size, &registers, {32, pci::CycleKind::io, wait}});
  add_bar({pci::Bar::Kind::memory, size, &registers, {32, pci::CycleKind::memory, wait}});
}

void PciNetworkCard::config_changed(unsigned, unsigned, Time now) { port_.configured(now); }

void PciNetworkCard::bus_reset(Time now) {
  Function::bus_reset(now);
  port_.configured(now);
  reset_board(now);
}

void PciNetworkCard::describe(Description& d) const {
  describe_header(d.part("configuration"));
  port_.describe(d.part("PCI"));
  describe_board(d);
}

void PciNetworkCard::archive_card(Archive& a) {
  archive_function(a);
  port_.archive(a);
}

}  // namespace planar
