// SPDX-License-Identifier: GPL-2.0-or-later
#include "machines/boards/pc/pc_config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "devices/board/cnb20le/cnb20le.hpp"
#include "devices/board/i430hx/i430hx.hpp"
#include "devices/board/i440bx/i440bx.hpp"
#include "devices/board/osb4/osb4_ide.hpp"
#include "devices/board/osb4/osb4_isa.hpp"
#include "devices/board/piix3/piix3_ide.hpp"
#include "devices/board/piix3/piix3_isa.hpp"

namespace planar {

namespace {

unsigned clocks(Config& c, const std::string& path, std::int64_t low, std::int64_t high) {
  return static_cast<unsigned>(c.integer(path, low, high));
}

Time short_time(Config& c, const std::string& path) {
  const Time t = c.time(path);
  if (t > 10_us) c.fail(path, "expects at most 10 us");
  return t;
}

Time bus_clock(Config& c, const std::string& path) {
  const Time t = c.time(path);
  if (t < 7_ns || t > 100_ns) c.fail(path, "expects the period of the bus clock, 7 ns to 100 ns");
  return t;
}

unsigned bus_width(Config& c, const std::string& path, std::optional<std::int64_t> fallback) {
  const auto bits = c.integer(path, 32, 64, fallback);
  if (bits != 32 && bits != 64) c.fail(path, "is 32 or 64");
  return static_cast<unsigned>(bits);
}

void read_segment(Config& c, pci::SegmentTiming& t) {
  t.clock = bus_clock(c, "pci.clock");
  t.width = bus_width(c, "pci.width", 32);
  t.synchronisation = short_time(c, "pci.synchronisation");
  t.completion = short_time(c, "pci.completion");
  t.post = short_time(c, "pci.post");
  t.post_depth = clocks(c, "pci.post_depth", 1, 64);
  t.transaction = clocks(c, "pci.transaction", 3, 32);
  t.master_abort = clocks(c, "pci.master_abort", 4, 16);
  t.grant = clocks(c, "pci.grant", 1, 16);
  t.turnaround = clocks(c, "pci.turnaround", 1, 4);
  t.memory.read_first = clocks(c, "pci.read_first", 3, 64);
  t.memory.read_access = c.time("pci.read_access", "0 ns");
  if (t.memory.read_access > 10_us) c.fail("pci.read_access", "expects at most 10 us");
  t.memory.read_line_gap = clocks(c, "pci.read_line_gap", 0, 64);
  t.memory.write_first = clocks(c, "pci.write_first", 2, 32);
  t.memory.line = short_time(c, "pci.memory_line");
  t.memory.snoop = short_time(c, "pci.snoop");
  t.memory.l1_write_back = short_time(c, "pci.l1_write_back");
  t.memory.l2_write_back = short_time(c, "pci.l2_write_back");
}

void read_isa(Config& c, isa::IsaTiming& t) {
  t.clock = c.time("isa.clock");
  if (t.clock < 50_ns || t.clock > 250_ns) c.fail("isa.clock", "expects the period of BCLK, 50 ns to 250 ns");
  t.synchronisation = short_time(c, "isa.synchronisation");
  t.completion = short_time(c, "isa.completion");
  t.byte_clocks = clocks(c, "isa.byte_clocks", 2, 32);
  t.word_clocks = clocks(c, "isa.word_clocks", 2, 32);
  t.interrupt_acknowledge = short_time(c, "isa.interrupt_acknowledge");
}

std::array<std::uint8_t, 3> read_boot(Config& c) {
  constexpr std::string_view letters = "acd";
  const auto text = c.text("planar.boot", "acd");
  std::array<std::uint8_t, 3> order{};
  const auto given_twice = [&](char letter) { return std::count(text.begin(), text.end(), letter) > 1; };
  if (text.empty() || text.find_first_not_of(letters) != std::string::npos || std::ranges::any_of(text, given_twice))
    c.fail("planar.boot",
           "expects up to three of the letters a (diskette), c (first disk) and d (CD-ROM), each once, such as "
           "\"dac\"");
  std::transform(text.begin(), text.end(), order.begin(),
                 [&](char letter) { return static_cast<std::uint8_t>(letters.find(letter) + 1); });
  return order;
}

std::unique_ptr<NorthBridge> make_430hx(pci::Slot& slot, const MachineConfig& m, pci::Segment*) {
  return std::make_unique<I430hx>(slot, m.memory_bytes, m.timing.l2.bytes);
}
std::unique_ptr<NorthBridge> make_440bx(pci::Slot& slot, const MachineConfig& m, pci::Segment*) {
  return std::make_unique<I440bx>(slot, m.memory_bytes);
}
std::unique_ptr<NorthBridge> make_cnb20le(pci::Slot& slot, const MachineConfig&, pci::Segment* peer) {
  return std::make_unique<Cnb20le>(slot, *peer);
}

template <class Isa, class Ide>
SouthBridgeParts make_south_bridge(pci::Slot& slot, PirqRouter& router) {
  SouthBridgeParts parts;
  parts.isa = std::make_unique<Isa>(slot, router);
  parts.ide = std::make_unique<Ide>(slot, PciIde::profile());
  return parts;
}

/// The host bridge, and its second segment if it has one.
void read_host_bridge(Config& c, PcConfig& p) {
  const std::string name = c.choice("pci.host_bridge", {"430hx", "440bx", "cnb20le"});
  p.host_bridge = name == "430hx" ? make_430hx : name == "440bx" ? make_440bx : make_cnb20le;
  if (name != "cnb20le") return;
  p.peer = p.pci;
  p.peer->clock = bus_clock(c, "pci.peer.clock");
  p.peer->width = bus_width(c, "pci.peer.width", {});
}

/// The device number of each slot, and which of them are on the second segment.
void read_slots(Config& c, PcConfig& p, const MachineConfig& m) {
  for (const auto device : c.integers("pci.slot_devices", 1, 31)) {
    const auto number = static_cast<unsigned>(device);
    if (number == p.bridge_device ||
        std::find(p.slot_devices.begin(), p.slot_devices.end(), number) != p.slot_devices.end())
      c.fail("pci.slot_devices",
             fmt::format("names device {} twice; each slot has its own, and so has the bridge", number));
    p.slot_devices.push_back(number);
  }
  const std::size_t slots = m.slot_widths.size();
  if (p.slot_devices.size() != slots)
    c.fail(
        c.origin("slots.widths").find("(built in)") == std::string::npos ? "slots.widths" : "pci.slot_devices",
        fmt::format("there are {} slots in slots.widths and {} devices in pci.slot_devices; write both, equally long",
                    slots, p.slot_devices.size()));
  p.on_peer.assign(slots, false);
  if (p.peer)
    for (const auto number : c.integers("pci.peer.slots", 1, 8)) {
      const auto slot = static_cast<std::size_t>(number);
      if (slot > slots) c.fail("pci.peer.slots", fmt::format("names slot {} of {} (slots.widths)", slot, slots));
      if (p.on_peer[slot - 1]) c.fail("pci.peer.slots", fmt::format("names slot {} twice", slot));
      p.on_peer[slot - 1] = true;
    }
  for (std::size_t n = 0; n < slots; ++n)
    if (const unsigned width = p.on_peer[n] ? p.peer->width : p.pci.width; m.slot_widths[n] > width)
      c.fail("slots.widths", fmt::format("slot {} has {} bits and its PCI segment {}{}", n + 1, m.slot_widths[n], width,
                                         p.peer ? "; pci.peer.slots says which slots are on the second one" : ""));
}

}  // namespace

std::shared_ptr<const BoardConfig> read_pc(Config& c, const MachineConfig& m) {
  auto p = std::make_shared<PcConfig>();
  read_segment(c, p->pci);
  read_isa(c, p->isa);
  p->mechanism = static_cast<pci::ConfigMechanism>(c.integer("pci.configuration_mechanism", 1, 2, 1));
  read_host_bridge(c, *p);
  p->south_bridge = c.choice("pci.south_bridge", {"piix3", "osb4"}, "piix3") == "piix3"
                        ? make_south_bridge<Piix3Isa, Piix3Ide>
                        : make_south_bridge<Osb4Isa, Osb4Ide>;
  p->bridge_device = static_cast<unsigned>(c.integer("pci.bridge_device", 1, 31));
  read_slots(c, *p, m);
  p->boot = read_boot(c);
  return p;
}

bool pc_card_choice(const std::string&, const std::string&) { return false; }

}  // namespace planar
