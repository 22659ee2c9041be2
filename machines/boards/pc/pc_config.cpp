// SPDX-License-Identifier: GPL-2.0-or-later
#include "machines/boards/pc/pc_config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "devices/board/i430hx/i430hx.hpp"
#include "devices/board/i440bx/i440bx.hpp"

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

void read_segment(Config& c, pci::SegmentTiming& t) {
  t.clock = c.time("pci.clock");
  if (t.clock < 7_ns || t.clock > 100_ns) c.fail("pci.clock", "expects the period of the bus clock, 7 ns to 100 ns");
  t.width = static_cast<unsigned>(c.integer("pci.width", 32, 64, 32));
  if (t.width != 32 && t.width != 64) c.fail("pci.width", "is 32 or 64");
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
  if (text.empty() || text.size() > order.size() || text.find_first_not_of(letters) != std::string::npos)
    c.fail("planar.boot",
           "expects up to three of the letters a (diskette), c (first disk) and d (CD-ROM), such as \"dac\"");
  std::transform(text.begin(), text.end(), order.begin(),
                 [&](char letter) { return static_cast<std::uint8_t>(letters.find(letter) + 1); });
  return order;
}

std::unique_ptr<NorthBridge> make_430hx(pci::Slot& slot, const MachineConfig& m) {
  return std::make_unique<I430hx>(slot, m.memory_bytes, m.timing.l2.bytes);
}
std::unique_ptr<NorthBridge> make_440bx(pci::Slot& slot, const MachineConfig& m) {
  return std::make_unique<I440bx>(slot, m.memory_bytes);
}

}  // namespace

std::shared_ptr<const BoardConfig> read_pc(Config& c, const MachineConfig& m) {
  auto p = std::make_shared<PcConfig>();
  read_segment(c, p->pci);
  read_isa(c, p->isa);
  p->mechanism = static_cast<pci::ConfigMechanism>(c.integer("pci.configuration_mechanism", 1, 2, 1));
  p->host_bridge = c.choice("pci.host_bridge", {"430hx", "440bx"}) == "430hx" ? make_430hx : make_440bx;
  p->bridge_device = static_cast<unsigned>(c.integer("pci.bridge_device", 1, 31));
  for (const auto device : c.integers("pci.slot_devices", 1, 31)) {
    const auto number = static_cast<unsigned>(device);
    if (number == p->bridge_device ||
        std::find(p->slot_devices.begin(), p->slot_devices.end(), number) != p->slot_devices.end())
      c.fail("pci.slot_devices",
             fmt::format("names device {} twice; each slot has its own, and so has the bridge", number));
    p->slot_devices.push_back(number);
  }
  if (p->slot_devices.size() != m.slot_widths.size())
    c.fail("pci.slot_devices",
           fmt::format("names {} devices for {} slots (slots.widths)", p->slot_devices.size(), m.slot_widths.size()));
  p->boot = read_boot(c);
  return p;
}

bool pc_card_choice(const std::string&, const std::string&) { return false; }

}  // namespace planar
