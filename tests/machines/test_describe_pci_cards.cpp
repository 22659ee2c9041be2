// SPDX-License-Identifier: GPL-2.0-or-later
// Every PCI card describes itself: its fields agree with its registers, and describing it changes nothing in the
// machine.
#include <fmt/format.h>

#include <set>

#include "bus/pci/function.hpp"
#include "machines/config/machine_files.hpp"
#include "machines/lab/lab.hpp"
#include "machines/registry/adapter_registry.hpp"
#include "tests/catch.hpp"
#include "tests/machines/descriptions.hpp"

using namespace planar;
using namespace planar::test;

namespace {

/// A register by its name in the description, and its offset from the card's first base address.
struct PciProbe {
  std::string_view card, part, field;
  unsigned offset, bytes;
};

constexpr PciProbe pci_probes[] = {
    // clang-format off
    {"rtl8139", "RTL8139", "IMR", 0x3C, 2}, {"rtl8139", "RTL8139", "TCR", 0x40, 4},
    {"lne100tx", "PNIC-II", "CSR0", 0x00, 4}, {"lne100tx", "PNIC-II", "CSR6", 0x30, 4},
    {"3c905b", "Cyclone", "IntStatus", 0x0E, 2}, {"3c905b", "Cyclone", "DmaCtrl", 0x20, 4},
    {"pro1000-82542", "82542", "STATUS", 0x08, 4}, {"pro1000-82542", "82542", "PBA", 0x1000, 4},
    {"pro1000-82543", "82543", "CTRL", 0x00, 4}, {"pro1000-82543", "82543", "RXDCTL", 0x2828, 4},
    {"eepro100", "82559", "SCB status", 0x00, 2}, {"eepro100", "82559", "MDI", 0x10, 4},
    // clang-format on
};

Lab pc_with(std::string_view card) {
  Config c = load_machine("pc-p166");
  c.set("slot.1.card", std::string(card), "--card");
  return Lab(std::move(c));
}

pci::Function& function_of(Lab& lab) {
  auto* const function = dynamic_cast<pci::Function*>(lab.machine().card(1));
  REQUIRE(function);
  return *function;
}

/// Runs until POST has set up the card.
void post_pc(Lab& lab) {
  for (int n = 0; n < 300 && !function_of(lab).decodes(0); ++n)
    lab.scheduler().run_until(lab.scheduler().now() + 10_ms);
  REQUIRE(function_of(lab).decodes(0));
}

Description described_card(Lab& lab) {
  Description d;
  lab.machine().card(1)->describe(d);
  return d;
}

std::uint64_t peek_register(Lab& lab, const PciProbe& probe) {
  const pci::Function& f = function_of(lab);
  std::uint64_t value = 0;
  for (unsigned n = 0; n < probe.bytes; ++n) {
    const std::uint32_t at = f.base(0) + probe.offset + n;
    const std::uint8_t byte = f.bars()[0].kind == pci::Bar::Kind::io
                                  ? lab.machine().peek_port(static_cast<std::uint16_t>(at))
                                  : lab.machine().peek_memory(at);
    value |= std::uint64_t{byte} << 8 * n;
  }
  return value;
}

}  // namespace

TEST_CASE("each PCI card's description has unique field names and does not affect the machine", "[describe]") {
  for (const PciEntry& row : pci_registry()) {
    INFO(row.name);
    Lab looked_at = pc_with(row.name), left_alone = pc_with(row.name);
    post_pc(looked_at);
    post_pc(left_alone);
    const std::string before = looked_at.state_hash();
    const Description d = described_card(looked_at);
    CHECK(looked_at.state_hash() == before);
    for (const Description& part : d.parts()) check_fields(part);
    const Field* device = find_field(d, "configuration", "device");
    REQUIRE(device);
    CHECK(device->value == function_of(looked_at).config().read(pci::DEVICE_ID, 2));

    const Time start = looked_at.scheduler().now(), end = start + 20_ms;
    for (Time at = start + 1_ms; at <= end; at += 1_ms) {
      looked_at.scheduler().run_until(at);
      described_card(looked_at);
    }
    left_alone.scheduler().run_until(end);
    CHECK(looked_at.state_hash() == left_alone.state_hash());
  }
}

TEST_CASE("a described register of a PCI card has the value that a read returns", "[describe]") {
  std::set<std::string_view> probed;
  for (const PciProbe& probe : pci_probes) {
    INFO(probe.card << ": " << probe.part << " " << probe.field);
    Lab lab = pc_with(probe.card);
    post_pc(lab);
    const Description d = described_card(lab);
    const Field* f = find_field(d, probe.part, probe.field);
    REQUIRE(f);
    CHECK(f->value == peek_register(lab, probe));
    probed.insert(probe.card);
  }
  for (const PciEntry& row : pci_registry()) CHECK(probed.contains(row.name));
}
