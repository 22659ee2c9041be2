// SPDX-License-Identifier: GPL-2.0-or-later
// Configuration space as text, and who is notified of writes to it.
#include "bus/pci/config_text.hpp"

#include <string>
#include <vector>

#include "core/state/trace.hpp"
#include "tests/bus/pci_rig.hpp"
#include "tests/catch.hpp"

using namespace planar;
using Catch::Matchers::Contains;

namespace {

struct Quiet final : Slave {
  std::uint32_t read(std::uint32_t, unsigned, Time) override { return 0; }
  void write(std::uint32_t, unsigned, std::uint32_t, Time) override {}
  std::uint32_t peek(std::uint32_t, unsigned, Time) const override { return 0; }
};

struct NetworkCard final : pci::Function {
  explicit NetworkCard(pci::Slot& slot)
      : Function(slot,
                 {.vendor = 0x10EC, .device = 0x8139, .revision = 0x10, .class_code = 0x020000, .min_gnt = 0x20}) {
    add_bar({pci::Bar::Kind::io, 0x100, &registers, {32, pci::CycleKind::io, {}}});
    add_bar({pci::Bar::Kind::memory, 0x100, &registers, {32, pci::CycleKind::memory, {}}});
  }
  using Function::set_interrupt;
  Quiet registers;
};

}  // namespace

TEST_CASE("PCI: functions and their configuration spaces are described by name", "[pci]") {
  test::PciRig rig;
  pci::Slot slot{9, 1, rig.wiring()};
  slot.set_occupant("rtl8139", TraceCategory::nic);
  NetworkCard card{slot};
  CHECK_THAT(pci::functions_text(rig.segment),
             Contains("00:09.0 Ethernet controller 10EC:8139 rev 10  slot 1; I/O, 100h bytes, no address"));
  rig.set_config(9, pci::BAR0, 0x6000);
  rig.set_config(9, pci::BAR0 + 4, 0xFEBF0000);
  rig.set_config(9, pci::COMMAND, pci::IO_SPACE | pci::BUS_MASTER, 2);
  rig.set_config(9, pci::INTERRUPT_LINE, 11, 1);
  card.set_status(pci::RECEIVED_MASTER_ABORT);
  card.set_interrupt(true, rig.now);
  const auto text = pci::function_text(rig.segment, 9, 0);
  CHECK_THAT(text, Contains("04 COMMAND") && Contains("0005  IO_SPACE BUS_MASTER\n"));
  CHECK_THAT(text, Contains("DEVSEL medium FAST_BACK_TO_BACK RECEIVED_MASTER_ABORT\n"));
  CHECK_THAT(text, Contains("00006001  I/O 6000h-60FFh\n") && Contains("memory FEBF0000h-FEBF00FFh, not decoded"));
  CHECK_THAT(text, Contains("INTA#, IRQ 11, asserted") && Contains("MIN_GNT") && !Contains("BAR2"));
  CHECK_THAT(text, Contains("\n00: EC 10 39 81 05 00 80 22 10 00 00 02 00 00 00 00\n"));
  CHECK(pci::function_text(rig.segment, 9, 1).empty());
  CHECK(pci::function_text(rig.segment, 10, 0).empty());
  CHECK(pci::function_text(rig.segment, 200, 0).empty());
  CHECK(pci::header_register(pci::BAR0 + 7) == "BAR1");
  CHECK(pci::header_register(0x40).empty());
}

TEST_CASE("PCI: configuration accesses are traced, and a watcher sees the writes", "[pci]") {
  test::PciRig rig;
  pci::Slot slot{9, 1, rig.wiring()};
  slot.set_occupant("rtl8139", TraceCategory::nic);
  NetworkCard card{slot};
  std::string lines;
  rig.trace.set_sink([&](std::string_view line) { lines += std::string(line) + "\n"; });
  rig.trace.enable("pos");
  std::vector<unsigned> writes;
  rig.segment.watch_config([&](unsigned device, unsigned, unsigned reg, unsigned, std::uint32_t) {
    writes.insert(writes.end(), {device, reg});
  });
  rig.config(9, pci::VENDOR_ID);
  rig.set_config(9, pci::COMMAND, 7, 2);
  rig.set_config(9, 0x44, 1, 1);
  rig.set_config(20, pci::COMMAND, 7, 2);
  CHECK(writes == std::vector<unsigned>{9, 4, 9, 0x44, 20, 4});
  rig.segment.watch_config({});
  rig.set_config(9, pci::COMMAND, 0, 2);
  CHECK(writes.size() == 6);
  CHECK_THAT(lines, Contains("slot1.rtl8139") && Contains("00:09.0 00 VENDOR_ID -> 813910EC"));
  CHECK_THAT(lines, Contains("00:09.0 04 COMMAND <- 0007") && Contains("00:09.0 44 <- 01"));
  CHECK_THAT(lines, Contains(" pci ") && Contains("00:14.0 04 COMMAND <- 0007"));
}
