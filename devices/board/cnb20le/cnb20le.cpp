// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/board/cnb20le/cnb20le.hpp"

namespace planar {

namespace {
constexpr pci::Identity identity{.vendor = 0x1166,
                                 .device = 0x0009,
                                 .revision = 0x06,
                                 .class_code = 0x060000,
                                 .interrupt_pin = 0,
                                 .multifunction = true};

void set_registers(pci::ConfigSpace& config, unsigned bus) {
  config.set_default(pci::STATUS, 2, pci::DEVSEL_MEDIUM);
  config.set_default(Cnb20le::FIRST_BUS, 1, bus);
  config.set_default(Cnb20le::LAST_BUS, 1, bus);
  config.set_writable(Cnb20le::FIRST_BUS, 2, 0xFFFF);
  for (const unsigned window : {Cnb20le::MEMORY_WINDOW, Cnb20le::PREFETCH_WINDOW, Cnb20le::IO_WINDOW})
    config.set_writable(window, 4, 0xFFFFFFFF);
}

void describe_registers(Description& d, const pci::ConfigSpace& config) {
  d.number("first bus", config.read(Cnb20le::FIRST_BUS, 1)).number("last bus", config.read(Cnb20le::LAST_BUS, 1));
  d.reg("memory window", config.read(Cnb20le::MEMORY_WINDOW, 4), 32);
  d.reg("prefetchable window", config.read(Cnb20le::PREFETCH_WINDOW, 4), 32);
  d.reg("port window", config.read(Cnb20le::IO_WINDOW, 4), 32);
}
}  // namespace

Cnb20le::Cnb20le(pci::Slot& slot, pci::Segment& peer) : NorthBridge(slot, identity), peer_(slot, peer) {
  set_registers(config_, 0);
}

void Cnb20le::describe(Description& d) const {
  describe_header(d);
  describe_registers(d, config_);
  peer_.describe(d.part("function 1"));
}

void Cnb20le::archive(Archive& a) {
  a.section("cnb20le", 1);
  archive_function(a);
  peer_.archive(a);
}

// ---- function 1 ----

Cnb20le::Peer::Peer(pci::Slot& slot, pci::Segment& segment) : Function(slot, identity), segment_(segment) {
  config_.set_default(pci::COMMAND, 2, pci::IO_SPACE | pci::MEMORY_SPACE | pci::BUS_MASTER);
  set_registers(config_, 1);
  number_segment();
}

void Cnb20le::Peer::number_segment() { segment_.set_bus_number(config_.read(FIRST_BUS, 1)); }

void Cnb20le::Peer::config_changed(unsigned, unsigned, Time) { number_segment(); }

void Cnb20le::Peer::bus_reset(Time now) {
  Function::bus_reset(now);
  number_segment();
}

void Cnb20le::Peer::describe(Description& d) const {
  describe_header(d);
  describe_registers(d, config_);
}

void Cnb20le::Peer::archive(Archive& a) {
  archive_function(a);
  if (a.loading()) number_segment();
}

}  // namespace planar
