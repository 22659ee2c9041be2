// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/board/piix3/piix3_isa.hpp"

namespace planar {

namespace {

enum Register : std::uint8_t { IORT = 0x4C, XBCS = 0x4E, PIRQRC = 0x60, TOM = 0x69, MSTAT = 0x6A, DLC = 0x82 };

/// A device-specific register: its value after a reset, and its writable bits.
struct Own {
  std::uint8_t reg;
  unsigned bytes;
  std::uint32_t reset, writable;
};
constexpr Own own[] = {
    {IORT, 1, 0x4D, 0xFF},     {XBCS, 2, 0x0003, 0x01FF}, {PIRQRC, 4, 0x80808080, 0x8F8F8F8F},
    {TOM, 1, 0x02, 0xFE},      {MSTAT, 2, 0, 0x00D1},     {0x70, 1, 0x80, 0xEF},
    {0x76, 2, 0x0404, 0x8787}, {0x78, 2, 0x0002, 0xFFFF}, {0x80, 1, 0, 0x7F},
    {DLC, 1, 0, 0x0F},         {0xA0, 1, 0x08, 0x1F},     {0xA2, 2, 0, 0x01FF},
    {0xA4, 4, 0, 0xEFFFFFFB},  {0xA8, 1, 0x0F, 0xFF},     {0xAC, 1, 0, 0xFF},
    {0xAE, 1, 0, 0xFF},
};
constexpr std::uint16_t special_cycles = 0x0008;

}  // namespace

Piix3Isa::Piix3Isa(pci::Slot& slot, PirqRouter& router)
    : SouthBridge(slot, {.vendor = 0x8086,
                         .device = 0x7000,
                         .revision = 0x01,
                         .class_code = 0x060100,
                         .interrupt_pin = 0,
                         .multifunction = true}),
      router_(router) {
  config_.set_default(pci::COMMAND, 2, pci::IO_SPACE | pci::MEMORY_SPACE | pci::BUS_MASTER);
  config_.set_writable(pci::COMMAND, 2, special_cycles | pci::SERR_ENABLE);
  config_.set_clearable(pci::STATUS, 2,
                        pci::SIGNALED_TARGET_ABORT | pci::RECEIVED_TARGET_ABORT | pci::RECEIVED_MASTER_ABORT |
                            pci::SIGNALED_SYSTEM_ERROR);
  config_.set_writable(pci::CACHE_LINE_SIZE, 2, 0);  // and the latency timer: it has neither
  config_.set_writable(pci::INTERRUPT_LINE, 1, 0);
  for (const Own& r : own) {
    config_.set_default(r.reg, r.bytes, r.reset);
    config_.set_writable(r.reg, r.bytes, r.writable);
  }
}

std::uint8_t Piix3Isa::first_link() const { return PIRQRC; }

void Piix3Isa::set_routes(Time now) {
  for (unsigned n = 0; n < PirqRouter::wires; ++n)
    router_.set_route(n, static_cast<std::uint8_t>(config_.read(PIRQRC + n, 1)), now);
}

void Piix3Isa::config_changed(unsigned reg, unsigned, Time now) {
  if ((reg & 0xFCu) == PIRQRC) set_routes(now);
}

void Piix3Isa::bus_reset(Time now) {
  Function::bus_reset(now);
  set_routes(now);
}

void Piix3Isa::describe(Description& d) const {
  describe_header(d);
  d.reg("IORT", config_.read(IORT, 1), 8).reg("XBCS", config_.read(XBCS, 2), 16);
  d.reg("PIRQRCA", config_.read(PIRQRC, 1), 8).reg("PIRQRCB", config_.read(PIRQRC + 1, 1), 8);
  d.reg("PIRQRCC", config_.read(PIRQRC + 2, 1), 8).reg("PIRQRCD", config_.read(PIRQRC + 3, 1), 8);
  d.reg("TOM", config_.read(TOM, 1), 8).reg("MSTAT", config_.read(MSTAT, 2), 16).reg("DLC", config_.read(DLC, 1), 8);
  router_.describe(d.part("PCI interrupts"));
}

void Piix3Isa::archive(Archive& a) {
  a.section("piix3", 1);
  archive_function(a);
  a(router_);
}

}  // namespace planar
