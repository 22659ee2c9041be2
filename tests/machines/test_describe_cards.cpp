// SPDX-License-Identifier: GPL-2.0-or-later
// Every Micro Channel card describes itself (PCI cards: test_describe_pci_cards.cpp): its fields agree with its ports,
// and describing it changes nothing in the machine.
#include <fmt/format.h>

#include <set>

#include "machines/config/machine_files.hpp"
#include "machines/lab/lab.hpp"
#include "machines/registry/adapter_registry.hpp"
#include "tests/catch.hpp"
#include "tests/machines/descriptions.hpp"
#include "tests/machines/ps2.hpp"

using namespace planar;
using namespace planar::test;

namespace {

constexpr unsigned slot = 2;

/// A register by its name in the description, and where the processor finds it.
struct Probe {
  std::string_view card, part, field;
  unsigned offset;  ///< from the card's first port, or from its window if it has no ports
  unsigned bytes = 1;
  std::uint64_t mask = ~0ull;
};

constexpr Probe probes[] = {
    // clang-format off
    {"ne2", "DP8390", "CR", 0x00}, {"ne2", "DP8390", "ISR", 0x07}, {"ne2", "receive ring", "BNRY", 0x03},
    {"de320", "DP8390", "CR", 0x00}, {"de320", "DP8390", "ISR", 0x07}, {"de320", "DP8390", "TSR", 0x04},
    {"smc8013", "83C690", "CR", 0x10}, {"smc8013", "83C690", "ISR", 0x17}, {"smc8013", "83C58x", "MSR", 0x00},
    {"ethernet-a", "83C690", "CR", 0x10}, {"ethernet-a", "83C58x", "board ID", 0x0E},
    {"3c523", "", "control", 6}, {"3c523", "", "revision", 7, 1, 0x0F},
    {"3c523-old", "", "control", 6}, {"3c523-old", "", "revision", 7, 1, 0x0F},
    {"3c527", "mailbox processor", "status", 2}, {"3c527", "mailbox processor", "control", 6},
    {"3c529", "EtherLink III", "Status", 0x0E, 2},
    {"sknet", "", "control", 0x3FF2},
    {"lan-a", "SONIC-T", "CR", 0x00, 2}, {"lan-a", "SONIC-T", "SR", 0x50, 2}, {"lan-a", "", "board control", 0x80},
    {"etherexpress", "", "write pointer", 0x02, 2}, {"etherexpress", "", "configuration", 0x0D},
    {"etherexpress", "", "control", 0x0E},
    {"de210", "", "NICSR", 0x00}, {"de210", "Am7990", "CSR0", 0x04, 2}, {"de210", "Am7990", "RAP", 0x06, 2},
    {"oc2335", "DP83800", "IMR", 0x0E, 2}, {"oc2335", "transmit FIFO", "TFR", 0x04, 2},
    {"oc2335", "DP83800", "PAR0", 0x20, 2},
    {"etherstreamer", "Streamer", "BMCTL", 0x50, 2}, {"etherstreamer", "Streamer", "LAPWWO", 0x6A, 2},
    {"tr4-a", "", "setup port", 0}, {"tr16-4a-1989", "", "setup port", 0}, {"tr16-4a-1990", "", "setup port", 0},
    {"tr16-4a-1994", "", "setup port", 0},
    {"lanstreamer", "LANStreamer", "BMCTL", 0x50, 2}, {"autolanstreamer", "LANStreamer", "GPR", 0x4A, 2},
    {"madge-mc", "", "control 0", 0}, {"madge-mc32", "", "control 0", 0},
    {"scsi-a", "", "basic status", 7}, {"scsi-a", "", "command interface", 0, 4},
    {"scsi-cache", "", "basic status", 7}, {"scsi-cache", "", "basic control", 5},
    // clang-format on
};

std::vector<AdapterEntry> all_cards() {
  const auto storage = storage_registry();
  std::vector<AdapterEntry> all(storage.begin(), storage.end());
  for (const McaEntry& row : mca_registry()) all.push_back(row.entry());
  return all;
}

Lab lab_with(std::string_view card) {
  Config c = load_machine("model56sx");
  c.set(fmt::format("slot.{}.card", slot), std::string(card), "--card");
  return Lab(std::move(c));
}

/// Runs until POST has enabled the card.
void post(Lab& lab) {
  for (int n = 0; n < 300 && !(ps2(lab.machine()).adapter_card(slot)->pos_peek(2) & 1); ++n)
    lab.scheduler().run_until(lab.scheduler().now() + 10_ms);
  REQUIRE(ps2(lab.machine()).adapter_card(slot)->pos_peek(2) & 1);
}

Description described(Lab& lab) {
  Description d;
  lab.machine().card(slot)->describe(d);
  return d;
}

/// The value that the processor would read there, without the side effects of a read.
std::uint64_t peek(Lab& lab, const Probe& probe) {
  std::uint64_t value = 0;
  for (const auto& claim : ps2(lab.machine()).slot_page().rows.at(slot - 1).result.claims) {
    const bool ports = claim.resource.kind == adf::ResourceKind::io;
    if (!ports && !(claim.resource.kind == adf::ResourceKind::memory && probe.card == "sknet")) continue;
    for (unsigned n = 0; n < probe.bytes; ++n) {
      const auto at = static_cast<std::uint32_t>(claim.resource.first + probe.offset + n);
      value |=
          std::uint64_t{ports ? lab.machine().peek_port(static_cast<std::uint16_t>(at)) : lab.machine().peek_memory(at)}
          << 8 * n;
    }
    break;
  }
  return value & probe.mask;
}

}  // namespace

TEST_CASE("each card's description has unique field names and does not affect the machine", "[describe]") {
  for (const AdapterEntry& row : all_cards()) {
    INFO(row.name);
    Lab looked_at = lab_with(row.name), left_alone = lab_with(row.name);
    post(looked_at);
    post(left_alone);
    const std::string before = looked_at.state_hash();
    const Description d = described(looked_at);
    CHECK(looked_at.state_hash() == before);
    check_fields(d);
    CHECK(find_field(d, "", "adapter ID")->value == ps2(looked_at.machine()).adapter_card(slot)->adapter_id());
    CHECK(find_field(d, "", "enabled")->value == 1);
    for (unsigned reg = 2; reg < 8; ++reg)
      if (const Field* pos = find_field(d, "", fmt::format("POS {}", reg)))
        CHECK(pos->value == ps2(looked_at.machine()).adapter_card(slot)->pos_peek(reg));
    CHECK(find_field(d, "", "POS 2") != nullptr);

    const Time start = looked_at.scheduler().now(), end = start + 20_ms;
    for (Time at = start + 1_ms; at <= end; at += 1_ms) {
      looked_at.scheduler().run_until(at);
      described(looked_at);
    }
    left_alone.scheduler().run_until(end);
    CHECK(looked_at.state_hash() == left_alone.state_hash());
  }
}

TEST_CASE("a described register has the value of its port", "[describe]") {
  std::set<std::string_view> probed;
  for (const Probe& probe : probes) {
    INFO(probe.card << ": " << probe.part << " " << probe.field);
    Lab lab = lab_with(probe.card);
    post(lab);
    const Description d = described(lab);
    const Field* f = find_field(d, probe.part, probe.field);
    REQUIRE(f);
    CHECK((f->value & probe.mask) == peek(lab, probe));
    probed.insert(probe.card);
  }
  for (const AdapterEntry& row : all_cards()) CHECK(probed.contains(row.name));
}
