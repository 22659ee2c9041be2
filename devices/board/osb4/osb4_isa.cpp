// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/board/osb4/osb4_isa.hpp"

#include "core/common/error.hpp"

namespace planar {

Osb4Isa::Osb4Isa(pci::Slot& slot, PirqRouter& router)
    : SouthBridge(slot, {.vendor = 0x1166,
                         .device = 0x0200,
                         .revision = 0x50,
                         .class_code = 0x060100,
                         .subsystem_vendor = 0x1166,
                         .subsystem = 0x0200,
                         .interrupt_pin = 0,
                         .multifunction = true}),
      router_(router) {
  config_.set_default(pci::COMMAND, 2, pci::IO_SPACE | pci::MEMORY_SPACE | pci::BUS_MASTER);
  config_.set_default(pci::STATUS, 2, pci::DEVSEL_MEDIUM);
  config_.set_writable(pci::CACHE_LINE_SIZE, 2, 0);  // and the latency timer
  config_.set_writable(pci::INTERRUPT_LINE, 1, 0);
}

void Osb4Isa::claim_ports(IoSpace& io) { ports_.claim(io, *this, 0xC00, {{0xC00, 0xC01}}); }

std::uint32_t Osb4Isa::peek(std::uint32_t offset, unsigned, Time) const {
  return offset == 0 ? index_ : lines_[index_ % routes];
}

void Osb4Isa::write(std::uint32_t offset, unsigned, std::uint32_t value, Time now) {
  if (offset == 0) {
    index_ = static_cast<std::uint8_t>(value);
    return;
  }
  lines_[index_ % routes] = value & 0x0F;
  set_routes(now);
}

std::string_view Osb4Isa::register_name(std::uint32_t offset, Direction) const {
  return offset == 0 ? "interrupt index" : "interrupt line";
}

void Osb4Isa::set_routes(Time now) {
  for (unsigned n = 0; n < PirqRouter::wires; ++n) {
    const std::uint8_t line = lines_[first_route + n];
    router_.set_route(n, line ? line : PirqRouter::off, now);
  }
}

void Osb4Isa::bus_reset(Time now) {
  Function::bus_reset(now);
  index_ = 0;
  lines_.fill(0);
  set_routes(now);
}

void Osb4Isa::describe(Description& d) const {
  describe_header(d);
  d.reg("index", index_, 8);
  router_.describe(d.part("PCI interrupts"));
}

void Osb4Isa::archive(Archive& a) {
  a.section("osb4", 1);
  archive_function(a);
  a(index_, lines_, router_);
  for (const std::uint8_t line : lines_)
    if (a.loading() && line > 15) throw Error("snapshot holds a damaged OSB4; take a new one", ExitCode::missing_file);
}

}  // namespace planar
